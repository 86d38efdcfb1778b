"""Application shared by all commands, and the handling of user errors."""

import _thread
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperArgument, TyperCommand, TyperOption

from cable_sim.errors import CableSimError, warnings_told


def paragraphs(text: str) -> str:
    """Return a docstring with each paragraph on one line, for terminals of any width."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=paragraphs("""Cranes and cables in real time.

Start with [bold]cable-sim run[/bold]: a crane as a ROS 2 node, and a page in the browser to drive
it. Without ROS 2: [bold]cable-sim view --local[/bold]. In another terminal [bold]cable-sim operate
PLAN[/bold] plays an operator's commands, and [bold]cable-sim teleop[/bold] hands you the keyboard.

A CRANE is a name that [bold]cable-sim cranes[/bold] or [bold]cable-sim scenes[/bold] lists, or the
path of a YAML file. Exit status: 0 success, 1 a result is not as expected, 2 wrong input."""),
)

PANELS = {
    "Run and watch": ("run", "view", "node", "cameras", "stream"),
    "Drive": ("teleop", "operate", "control", "plc", "opcua"),
    "Record, plot and film": ("record", "info", "replay", "plot", "film"),
    "Look up and check": ("check", "cranes", "scenes", "ropes", "parameters", "describe", "modes"),
    "Measure controllers": ("evaluate", "sweep"),
    "Compare with recordings": ("log", "identify", "validate"),
    "Models in and out": ("import", "export", "fmu"),
    "Verify": ("papers", "accept", "gallery", "bench"),
}
"""Commands in the groups of the help, by what a person wants."""
_PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}

_OF_LAUNCH = ("node", "view", "cameras", "control", "stream")

_UsageError: Any = typer.BadParameter.__base__
"""Click's class for wrong command lines, looked up because some releases of typer bundle click."""


_ROS = (
    "this command needs ROS 2, which '. scripts/env.sh' of a checkout that was set up brings (in "
    "bash); without ROS, 'cable-sim view tower_crane --local' shows a crane in the browser"
)
_SWEEP = "pip install 'cable_sim[sweep]', or do without it by --in-process"
_ROS_PACKAGES = (
    *("cable_sim.msg", "cable_sim.srv", "rclpy", "builtin_interfaces", "control_msgs"),
    *("diagnostic_msgs", "geometry_msgs", "nav_msgs", "rcl_interfaces", "rosgraph_msgs"),
    *("sensor_msgs", "simulation_interfaces", "std_msgs", "std_srvs", "tf2_msgs", "tf2_ros"),
    *("trajectory_msgs", "visualization_msgs"),
)
_HINTS = {
    **dict.fromkeys(_ROS_PACKAGES, _ROS),
    "viser": "pip install 'cable_sim[viewer]'",
    "matplotlib": "pip install 'cable_sim[plot]'",
    "rosbags": "pip install 'cable_sim[bag]'",
    "pymodbus": "pip install 'cable_sim[plc]'",
    "websockets": "pip install 'cable_sim[stream]'",
    "msgspec": "pip install 'cable_sim[stream]'",
    "asyncua": "pip install 'cable_sim[opcua]'",
    "pyarrow": "pip install 'cable_sim[sweep]'",
    "dask": _SWEEP,
    "distributed": _SWEEP,
    "trimesh": "pip install 'cable_sim[meshes]'",
    "coacd": "pip install 'cable_sim[meshes]'",
    "osqp": "pip install 'cable_sim[mpc]'",
    "fmpy": "pip install 'cable_sim[fmi]'",
    "pymavlink": "pip install 'cable_sim[mavlink]'",
    "pxr": "pip install 'cable_sim[usd]'",
    "mujoco": "pip install 'cable_sim[models]'",
}
"""Remedy for each missing package that only some commands need."""


def _tell_version(wanted: bool) -> None:
    """Print the version and end the process if ``wanted``."""
    if wanted:
        from cable_sim import __version__

        typer.echo(f"cable-sim {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Accept the options that come before a command."""


class LiteralCommand(TyperCommand):
    """Command in whose options' help brackets are units, such as ``[s]``, and no markup."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        for option in self.params:
            if isinstance(option, TyperArgument | TyperOption) and option.help:
                option.help = escape(option.help)


def command(function: Callable[..., int]) -> Callable[..., int]:
    """Register a function that returns its exit status as a command.

    The user's mistakes, and files that can't be read or written, end it with exit status 2.
    """
    # what a launch file puts behind --ros-args belongs to ROS; these commands look at it themselves
    name = function.__name__.rstrip("_")  # of one that is a word of Python
    ros = {"allow_extra_args": True, "ignore_unknown_options": True}
    settings: dict[str, Any] = {"context_settings": ros} if name in _OF_LAUNCH else {}

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            status = function(*args, **kwargs)
        except CableSimError as error:
            Console(stderr=True).print(
                str(error), style="red", markup=False, highlight=False, soft_wrap=True
            )
            raise typer.Exit(2) from None
        except ModuleNotFoundError as error:
            hint = _HINTS.get(error.name or "", _HINTS.get((error.name or "").partition(".")[0]))
            if hint is None:
                raise
            typer.echo(f"{error.name} is not installed: {hint}", err=True)
            raise typer.Exit(2) from None
        except OSError as error:
            if error.filename is None:
                raise
            typer.echo(f"{error.filename}: {error.strerror}", err=True)
            raise typer.Exit(2) from None
        raise typer.Exit(status or 0)

    guarded.__name__ = name
    text = paragraphs(function.__doc__ or "")
    panel = _PANEL_OF[name]
    app.command(name, cls=LiteralCommand, help=text, rich_help_panel=panel, **settings)(guarded)
    return function


def known_crane(crane: str) -> Any:
    """Return a crane; raise CableSimError if it is unknown or its file is wrong."""
    from cable_sim.scenes.machines import load_machine

    return load_machine(crane)


def ros_namespace(words: Sequence[str]) -> str:
    """Return the namespace in a launch file's words after --ros-args, or an empty text."""
    if words and words[0] != "--ros-args":
        raise CableSimError(f"{words[0]!r} is not known; -h lists the options")
    given = [word.removeprefix("__ns:=") for word in words if word.startswith("__ns:=")]
    return given[-1] if given else ""


def interrupt_event() -> threading.Event:
    """Return an event that SIGINT, SIGTERM and SIGHUP set.

    A bare thread sets it: the handler may run where the main thread holds the event's lock.
    """
    event = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _thread.start_new_thread(event.set, ()))
    return event


def end_like_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP end the program like Ctrl-C, by a KeyboardInterrupt."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def console(width: int) -> Console:
    """Return a console for tables: the terminal, or one of ``width`` columns without a terminal."""
    return Console() if sys.stdout.isatty() else Console(width=width)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with the command's exit status."""
    # Before numpy is loaded: matrices are small, and threads of OpenBLAS that wait for one another
    # beside other processes take a hundred times as long as one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        with warnings_told(lambda text: typer.echo(f"cable-sim: warning: {text}", err=True)):
            status = app(args=given, prog_name="cable-sim", standalone_mode=False)
    except _UsageError as error:
        where = error.ctx.command_path if error.ctx else "cable-sim"
        typer.echo(f"{where}: {error.format_message()} ('{where} -h' shows the options)", err=True)
        status = 2
    except (typer.Abort, KeyboardInterrupt):
        status = 130
    sys.exit(status)
