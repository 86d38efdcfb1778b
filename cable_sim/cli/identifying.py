"""The command that identifies a crane from its recordings."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command, console
from cable_sim.cli.options import number, words
from cable_sim.errors import CableSimError

CraneFile = Annotated[str, typer.Argument(metavar="CRANE", help="Crane's name, or its YAML file.")]
Logs = Annotated[
    list[Path], typer.Argument(metavar="LOG...", help="Recordings with commands and readings.")
]
Paths = Annotated[
    list[str],
    typer.Option(
        "--parameter",
        "-p",
        metavar="PATH[=LOW..HIGH][~SD]",
        help="Value of the crane's file to identify, with bounds, and the standard deviation of "
        "what is known before; or lag.SIGNAL [s], offset.SIGNAL.",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Value of the crane's file in all runs."),
]
Signals = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Readings to compare; left out, all of the crane's sensors."),
]
Noise = Annotated[
    list[str] | None,
    typer.Option(metavar="SIGNAL=SD", help="Noise of a signal, in place of its sensor's."),
]
Skip = Annotated[float, number(metavar="S", min=0.0, help="Start that is not compared [s].")]
Starts = Annotated[int, typer.Option(metavar="N", min=1, help="Starts at most.")]
Folder = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Left out, results/identify/CRANE."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Do not use runs of an earlier start.")]


@command
def identify(
    crane: CraneFile,
    logs: Logs,
    parameter: Paths,
    changes: Changes = None,
    signals: Signals = None,
    noise: Noise = None,
    skip: Skip = 0.0,
    starts: Starts = 3,
    out: Folder = None,
    fresh: Fresh = False,
) -> int:
    """Identify values of a crane's file from recordings of its commands and readings.

    Writes the changed file, a page with pictures, and all figures. Every run is kept: after Ctrl-C
    or a crash the same command goes on. Exit status 1 if the model does not explain the recordings.

    Examples: [bold]cable-sim identify tower_12t lift.csv -p rig.load.mass[/bold],
    [bold]cable-sim identify mine.yaml a.csv b.csv -p rig.load.mass=3000..5000 -p
    lag.hoist_rope.pull --set rig.start.state=hanging[/bold]
    """
    from cable_sim.evaluation.commands.identify import IdentificationOptions, identify_crane

    options = IdentificationOptions(
        parameters=tuple(parameter),
        changes=values_by_path("--set", changes),
        signals=words(signals),
        noise={path: _number(path, value) for path, value in pairs("--noise", noise)},
        skip=skip,
        starts=starts,
        fresh=fresh,
    )
    return identify_crane(crane, logs, options, out, console(120))


def pairs(option: str, texts: list[str] | None) -> list[tuple[str, str]]:
    """Return names and values of texts such as NAME=VALUE; CableSimError for another text."""
    made = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise CableSimError(f"{option} {text!r} is not allowed; give NAME=VALUE")
        made.append((name.strip(), value.strip()))
    return made


def values_by_path(option: str, texts: list[str] | None) -> dict[str, float | int | bool | str]:
    """Return values by path, as YAML reads them."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    return {path: yaml.load(value) for path, value in pairs(option, texts)}


def _number(name: str, text: str) -> float:
    """Return the number of a text; CableSimError if it is none."""
    try:
        return float(text)
    except ValueError:
        raise CableSimError(f"{name}: {text!r} is not a number") from None
