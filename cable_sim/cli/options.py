"""Options that several commands share, and the checks and types of options.

Each is an annotation: the parameter that carries it gives the option its name and its default.
"""

import functools
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cable_sim.errors import CableSimError

DEFAULT_CRANE = "tower_crane"

NAMESPACE = re.compile(r"/?|/?[a-z_]\w*(/[a-z_]\w*)*/?", re.ASCII | re.IGNORECASE)
"""Pattern of a ROS namespace, with or without a slash at its end."""


def words(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words between commas, of an option that may be given several times."""
    return tuple(word.strip() for text in texts or () for word in text.split(",") if word.strip())


def pairs(option: str, texts: list[str] | None) -> list[tuple[str, str]]:
    """Return names and values of texts such as NAME=VALUE; CableSimError for another text."""
    made = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise CableSimError(f"{option} {text!r} is not allowed; give NAME=VALUE")
        made.append((name.strip(), value.strip()))
    return made


def parse_changes(words: Sequence[str]) -> dict[str, Any]:
    """Return values by path of words such as ``rig.start.hook_depth=12.5``; values are YAML.

    Raises CableSimError for a word that is no such pair.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    found: dict[str, Any] = {}
    for word in words:
        path, equals, value = word.partition("=")
        if not path or not equals:
            raise CableSimError(
                f"{word!r} is not a change; expected is, for example, 'rig.start.hook_depth=12.5'"
            )
        try:
            found[path.strip()] = YAML(typ="safe").load(value)
        except YAMLError:
            raise CableSimError(f"{word!r}: the value is not valid YAML") from None
    return found


def _finite(value: float | None) -> float | None:
    """Return the number of an option; raise typer.BadParameter if it is not finite."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


number = functools.partial(typer.Option, callback=_finite)
"""An option that takes a finite number, with the arguments of ``typer.Option``."""


def _namespace(value: str) -> str:
    """Return a namespace without a final slash; raise typer.BadParameter if ROS forbids it."""
    if not NAMESPACE.fullmatch(value):
        told = "words of letters, digits and underscores between slashes, such as /crane_1"
        raise typer.BadParameter(f"{value!r} is not a ROS namespace; allowed are {told}")
    return value.rstrip("/")


CraneName = Annotated[
    str,
    typer.Argument(
        metavar="[CRANE]",
        help="Name listed by 'cable-sim cranes' or 'cable-sim scenes', or path of a YAML file.",
    ),
]
Host = Annotated[
    str,
    typer.Option(help="Address to serve the page on; 0.0.0.0 opens it to all who have the code."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")]
Namespace = Annotated[
    str,
    typer.Option(
        callback=_namespace, help="ROS namespace of the simulator node, such as /crane_1."
    ),
]
Seconds = Annotated[
    float | None, number("--for", metavar="S", min=0.0, help="Stop after S seconds of wall time.")
]
Reset = Annotated[bool, typer.Option("--reset", help="Reset the simulator first.")]
FramePrefix = Annotated[
    str, typer.Option(help="Prefix of TF frames; must match the node's frame_prefix.")
]
WorldFrame = Annotated[
    str, typer.Option(help="World frame in TF; must match the node's world_frame.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--change", metavar="PATH=VALUE", help="Replace a value of the crane's file."),
]
LoadMass = Annotated[float | None, number(help="Mass of the load [kg], in place of the file's.")]
Local = Annotated[bool, typer.Option("--local", help="Simulate in this process, without ROS.")]
Bag = Annotated[Path, typer.Argument(help="Folder of a rosbag2 recording, or an MCAP file.")]
ReportFormat = Annotated[
    str, typer.Option("--format", help="Format of the report: html or markdown.")
]
ReportFolder = Annotated[Path, typer.Option(file_okay=False, help="Folder for the reports.")]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Run only the cases of a matrix with these variants; 'cable-sim evaluate --list' "
        "lists them. Variants of one axis are alternatives; those of several axes must all apply.",
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND,KIND",
        help="Run under each of these in place of the scenario's own, side by side: operator, zv, "
        "zvd, zvdd, ei, operators_trick, lqr, energy, mpc, heave_compensation, constant_tension, "
        "offshore_lift, or custom or fmu where the scenario names one.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Seed of noise and turbulence, in place of the scenarios'."),
]
