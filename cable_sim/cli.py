"""The command line `cable-sim`. Each command imports what it needs only when it runs."""

import functools
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from cable_sim.errors import CableSimError, CableSimWarning

app = typer.Typer(
    add_completion=False, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Cranes and cables in real time.

Start with [bold]cable-sim run[/bold]: a simulated crane as a ROS 2 node and a page in the browser to drive it.
In another terminal [bold]cable-sim operate PLAN[/bold] plays an operator's commands, and [bold]cable-sim
teleop[/bold] hands you the keyboard.

A CRANE is a name that [bold]cable-sim cranes[/bold] or [bold]cable-sim scenes[/bold] lists, or the path of a YAML
file. Exit status: 0 all well, 1 something did not come out as it should, 2 wrong input.""",
)  # fmt: skip

DEFAULT_CRANE = "tower_crane"

_UsageError: Any = typer.BadParameter.__base__
"""Click's class for wrong command lines. Some releases of typer bring a click of their own, so it is asked for."""

CraneName = Annotated[
    str, typer.Argument(metavar="[CRANE]", help="Name from 'cable-sim cranes' or 'scenes', or the path of a YAML file.")
]
Host = Annotated[str, typer.Option(help="Address to serve the page on; 0.0.0.0 opens it to other machines.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")]
Namespace = Annotated[str, typer.Option(help="ROS namespace of the simulator node, such as /crane_1.")]
Seconds = Annotated[
    float | None,
    typer.Option("--for", metavar="S", min=0.0, help="End by itself after S seconds of wall time."),
]


_ROS = "this command needs ROS 2; in bash, '. scripts/env.sh' of a checkout that was set up brings it"
_HINTS = {
    "rclpy": _ROS,
    "cable_sim.msg": _ROS,
    "viser": "pip install 'cable_sim[viewer]'",
    "rosbags": "pip install 'cable_sim[bag]'",
}
"""What to do about packages that only some commands need."""


def command(function: Callable[..., int]) -> Callable[..., int]:
    """Enter a function as a command: it returns its exit status, and the user's mistakes end it with 2."""
    # what a launch file puts behind --ros-args belongs to ROS; two commands look at it themselves
    ros = {"allow_extra_args": True, "ignore_unknown_options": True}
    settings = {"context_settings": ros} if function.__name__ in ("node", "view") else {}

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            status = function(*args, **kwargs)
        except CableSimError as error:
            Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(2) from None
        except ModuleNotFoundError as error:
            hint = _HINTS.get(error.name or "", _HINTS.get((error.name or "").partition(".")[0]))
            if hint is None:
                raise
            typer.echo(f"{error.name} is not installed: {hint}", err=True)
            raise typer.Exit(2) from None
        raise typer.Exit(status or 0)

    app.command(**settings)(guarded)  # type: ignore[arg-type]
    return function


@command
def run(
    crane: CraneName = DEFAULT_CRANE,
    seconds: Seconds = None,
    viewer: Annotated[bool, typer.Option(help="Serve the page in the browser.")] = True,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    rtf: Annotated[
        float, typer.Option(min=0.0, max=100.0, help="Simulated over wall time; 0 is as fast as possible.")
    ] = 1.0,
    rviz: Annotated[bool, typer.Option("--rviz", help="Open RViz, where there is one.")] = False,
) -> int:
    """Simulate a crane, or a rope in a hand: ROS 2 node and page in the browser, until Ctrl-C.

    Prints the page's address and the code that lets a page control the crane.

    Examples: [bold]cable-sim run[/bold], [bold]cable-sim run my_crane.yaml --port 0[/bold],
    [bold]cable-sim run nehe_rope[/bold],
    [bold]cable-sim run --for 20 --no-viewer --rtf 2[/bold]
    """
    _known(crane)
    from cable_sim.ros import together

    wishes = together.Wishes(crane, seconds, viewer, host, port, rtf, rviz)
    return together.run(wishes, Console(), _interrupted())


@command
def node(context: typer.Context) -> int:
    """The simulator node alone, in this process: [bold]cable-sim node [CRANE] [--ros-args ...][/bold]

    What follows --ros-args goes to ROS; 'ros2 param describe /cable_sim NAME' tells every parameter.

    Example: [bold]cable-sim node tower_12t --ros-args -p start_paused:=true -r __ns:=/crane_1[/bold]
    """
    words = list(context.args)
    crane = words.pop(0) if words and not words[0].startswith("-") else ""
    if crane:
        _known(crane)
    from cable_sim.ros.node import main as simulate

    return simulate([*(("--ros-args", "-p", f"crane_config:={crane}", "--") if crane else ()), *words])


@command
def view(
    context: typer.Context,
    crane: CraneName = DEFAULT_CRANE,
    local: Annotated[bool, typer.Option("--local", help="Simulate in this process, without ROS.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token: Annotated[str | None, typer.Option(help="The control code; left out, a new random one.")] = None,
    namespace: Namespace = "",
    frame_prefix: Annotated[str, typer.Option(help="As the node's parameter of that name.")] = "",
) -> int:
    """Serve the page in the browser for a simulator node that runs, or with --local for one in this process.

    Examples: [bold]cable-sim view[/bold], [bold]cable-sim view --local --port 0[/bold]
    """
    loaded, namespace = _known(crane), _ros_namespace(context.args) or namespace
    from cable_sim.viewer.page import Viewer

    source: Any
    if local:
        from cable_sim.machine.machine import Machine
        from cable_sim.viewer.local import LocalSource

        source = LocalSource(Machine(loaded))
    else:
        from cable_sim.ros.client import RosSource

        source = RosSource(loaded, namespace=namespace, frame_prefix=frame_prefix, name="cable_sim_viewer")
    try:
        Viewer(loaded, source, host=host, port=port, token=token).run()
    finally:
        source.close()
    return 0


@command
def teleop(crane: CraneName = DEFAULT_CRANE, namespace: Namespace = "") -> int:
    """Drive a running simulator with the keyboard.

    Arrows slew (or travel a gantry) and move the trolley, HOME and END or w and s hoist and lower, each press one notch
    of five. A hand that holds a rope, [bold]cable-sim teleop nehe_rope[/bold], goes right, left, away and near with the
    arrows, up and down with HOME and END, as long as the key is held. Space stops everything, e is the emergency stop,
    q quits.
    """
    loaded = _known(crane)
    if not sys.stdin.isatty():
        raise CableSimError("teleop needs a terminal: its input is not a keyboard")
    from cable_sim.ros.client import RosSource
    from cable_sim.ros.teleop import drive

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # so that the terminal is put in order
    source = RosSource(loaded, namespace=namespace, name="cable_sim_teleop")
    try:
        if source.wait(10.0) is None:
            raise CableSimError("no simulator answered within 10 s; start one with 'cable-sim run'")
        drive(loaded, source, Console())
    except KeyboardInterrupt:
        return 130
    finally:
        source.close()
    return 0


@command
def operate(
    plan: Annotated[Path, typer.Argument(help="CSV file of commands: time [s], motion, speed.")],
    crane: Annotated[str, typer.Option(help="Crane; left out, the one that the plan names.")] = "",
    reset: Annotated[bool, typer.Option("--reset", help="Bring the simulator back to its start first.")] = False,
    start_node: Annotated[
        bool,
        typer.Option("--start-node", help="Start a node for this plan alone, on a ROS domain of its own."),
    ] = False,
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Without ROS, in this process, as fast as it goes.")
    ] = False,
    tolerance: Annotated[float, typer.Option(min=0.0, help="Largest distance from the target [m].")] = 0.5,
    rtf: Annotated[float, typer.Option(min=0.0, max=100.0, help="With --start-node: simulated over wall time.")] = 1.0,
    record: Annotated[bool, typer.Option(help="Record an MCAP bag beside the report.")] = True,
    results: Annotated[Path, typer.Option(help="Folder for the run's own folder.")] = Path("results"),
    namespace: Namespace = "",
) -> int:
    """Play an operator's timed commands at a simulator, and report where the load landed.

    A plan's lines are [bold]12.5,hoist,-30[/bold]: from 12.5 s on lower with 30 m/min. Units: m/min for hoist
    (+ up) and trolley (+ outward), rpm for slewing (+ anticlockwise from above). Exit status 0 if the load
    stands within the tolerance of the plan's target, else 1.

    Example: [bold]cable-sim operate config/lift_plans/tower_pick_and_place.csv --reset[/bold]
    """
    from cable_sim.control import lift_plan
    from cable_sim.spec.files import read_text

    name = crane or lift_plan.crane_of(read_text(plan)) or DEFAULT_CRANE
    loaded = _known(name)
    read = lift_plan.read_plan(plan, loaded)
    if rehearse:
        return _rehearse(read, loaded, tolerance, results)
    from cable_sim.ros import operate as room

    wishes = room.Wishes(tolerance, reset, start_node, rtf, record, results, namespace, name)
    return room.operate(read, loaded, wishes, Console(), _interrupted())


def _rehearse(plan: Any, crane: Any, tolerance: float, results: Path) -> int:
    """Play a plan without ROS."""
    from cable_sim.control.report import measure
    from cable_sim.control.report_files import results_folder, show, write_report
    from cable_sim.control.track import rehearse

    track = rehearse(plan, crane)
    report = measure(plan, crane, track)
    folder = results_folder(results, plan)
    write_report(folder, crane, report, track, tolerance)
    show(report, folder, tolerance, Console())
    return 0 if report.succeeded(tolerance) else 1


@command
def record(
    crane: CraneName = DEFAULT_CRANE,
    out: Annotated[Path, typer.Option(help="Folder to make for the bag.")] = Path("results/bag"),
    seconds: Seconds = None,
    namespace: Namespace = "",
) -> int:
    """Record everything that a simulator publishes, and its commands, to an MCAP bag, until Ctrl-C."""
    loaded = _known(crane)
    from cable_sim.ros.recorder import record as write

    for topic, count in sorted(write(out, loaded, namespace, _interrupted(), seconds).items()):
        typer.echo(f"{count:8d}  {topic}")
    return 0


@command
def info(bag: Annotated[Path, typer.Argument(help="Folder of a rosbag2 recording.")]) -> int:
    """List what is in a bag: topics, types, numbers of messages, length."""
    from rosbags.rosbag2 import Reader, ReaderError

    try:
        with Reader(bag) as reader:
            typer.echo(f"{1e-9 * reader.duration:.3f} s, {reader.message_count} messages")
            for connection in sorted(reader.connections, key=lambda c: c.topic):
                typer.echo(f"{connection.msgcount:8d}  {connection.topic}  {connection.msgtype}")
    except (ReaderError, OSError) as error:
        raise CableSimError(f"{bag}: is no bag: {error}") from None
    return 0


@command
def check(
    file: Annotated[Path, typer.Argument(help="YAML file of a crane or scene, or CSV file of a lift plan.")],
) -> int:
    """Check a crane, a scene or a lift plan; lists every problem with its line, and exits with 1 if there is one."""
    if not file.is_file():
        raise CableSimError(f"{file}: there is no such file")
    from cable_sim.control.check import summary
    from cable_sim.errors import ConfigError, ModelError, SpecError

    try:
        typer.echo(f"{file}: {summary(file)}")
    except ConfigError as error:
        typer.echo(str(error), err=True)
        return 1
    except (SpecError, ModelError) as error:
        typer.echo(f"{file}: {error}", err=True)
        return 1
    return 0


@command
def cranes() -> int:
    """List the cranes of the catalogue, and what else has axes to drive: a rope in a hand."""
    from cable_sim.cranes import crane_names
    from cable_sim.cranes.catalogue import crane_file

    for name, stands_for in crane_names().items():
        first = crane_file(name).read_text(encoding="utf-8").partition("\n")[0].strip("# ")
        typer.echo(f"{name:24s}{first}" if name == stands_for else f"{name:24s}another name of {stands_for}")
    return 0


@command
def scenes() -> int:
    """List the scenes of the catalogue, to run and view, and for cable_sim.load_scene."""
    from cable_sim.scenes import CATALOGUE

    for name, build in CATALOGUE.items():
        typer.echo(f"{name:28s}{(build.__doc__ or '').strip().partition(chr(10))[0]}")
    return 0


@command
def papers(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Papers; left out, all.")] = None,
    check: Annotated[bool, typer.Option("--check", help="One line per quantity, no report and no timings.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the papers.")] = False,
    form: Annotated[str, typer.Option("--format", help="Of the report: html or markdown.")] = "html",
    results: Annotated[Path, typer.Option(help="Folder for the reports.")] = Path("results"),
) -> int:
    """Run published papers again, and report what was printed, what theory says and what comes out here.

    Writes [bold]results/papers/NAME/report.html[/bold], a page that needs no network, and prints its table. Exit
    status 1 if a quantity is off by more than its tolerance.

    Examples: [bold]cable-sim papers --list[/bold], [bold]cable-sim papers servin_2007[/bold],
    [bold]cable-sim papers --check[/bold]
    """
    from cable_sim.studies import command as room

    console = Console() if sys.stdout.isatty() else Console(width=160)
    if listing:
        return room.list_papers(console)
    if check:
        return room.check_papers(names or (), console)
    return room.report_papers(names or (), form, results, console)


@command
def version() -> int:
    """Print the version."""
    from cable_sim import __version__

    typer.echo(__version__)
    return 0


def _known(crane: str) -> Any:
    """The crane; CableSimError if it is unknown or its file is wrong."""
    from cable_sim.scenes.machines import load_machine

    return load_machine(crane)


def _ros_namespace(words: Sequence[str]) -> str:
    """The namespace in what a launch file puts behind --ros-args; empty if there is none."""
    if words and words[0] != "--ros-args":
        raise CableSimError(f"{words[0]!r} is not known here; -h lists the options")
    given = [word.removeprefix("__ns:=") for word in words if word.startswith("__ns:=")]
    return given[-1] if given else ""


def _interrupted() -> threading.Event:
    """An event that SIGINT, SIGTERM and SIGHUP set."""
    event = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: event.set())
    return event


def _show(otherwise: Callable[..., None], message: Warning | str, category: type[Warning], *where: Any) -> None:
    """Show a warning: ours in one line, without the place in the code; others as ever."""
    if not issubclass(category, CableSimWarning):
        return otherwise(message, category, *where)
    return typer.echo(f"cable-sim: warning: {message}", err=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with the command's exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        with warnings.catch_warnings():
            warnings.showwarning = functools.partial(_show, warnings.showwarning)
            status = app(args=given, prog_name="cable-sim", standalone_mode=False)
    except _UsageError as error:
        where = error.ctx.command_path if error.ctx else "cable-sim"
        typer.echo(f"{where}: {error.format_message()} ('{where} -h' tells more)", err=True)
        status = 2
    except typer.Abort:
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
