"""The commands about logs of real machines: log, and to compare a crane with them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cable_sim.cli.app import command, console
from cable_sim.cli.options import number, pairs, words
from cable_sim.errors import CableSimError

Action = Annotated[
    Literal["describe"], typer.Argument(metavar="describe", help="The only action: describe.")
]
LogFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, Parquet, NPZ, MCAP, or folder of a bag.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=MEANING",
        help="Column of the file and its meaning with the unit there, such as "
        "'Pos[mm]=trolley.position [mm]'; left out, all by their own names.",
    ),
]


@command
def log(action: Action, file: LogFile, column: Columns = None) -> int:
    """Describe a log: its columns in SI units, rate, gaps, outliers, and missing samples.

    A log that can't be read is an error with file, line and column, exit status 2.

    Examples: [bold]cable-sim log describe lift.csv[/bold],
    [bold]cable-sim log describe plc.csv --column 'Zeit=time [ms]' --column 'Last=hoist_rope.pull
    [kN]'[/bold]
    """
    from cable_sim.rendering.recording_plots import table
    from cable_sim.sim.recording.logs import read_log

    found = read_log(file, dict(pairs("--column", column)) or None)
    shown = console(120)
    shown.print(table(found))
    for text in (*([f"time 0 is {found.zero}"] if found.zero else []), *found.findings):
        shown.print(text, markup=False, highlight=False, soft_wrap=True)
    return 0


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
Report = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Left out, results/validate/CRANE.html."),
]
Tolerances = Annotated[
    list[str] | None,
    typer.Option(
        "--tolerance",
        metavar="SIGNAL=RMS",
        help="Allowed rms error of a signal, in its SI unit, or '2 %' of its range.",
    ),
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
    column: Columns = None,
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
    from cable_sim_studies.commands.identify import IdentificationOptions, identify_crane

    options = IdentificationOptions(
        parameters=tuple(parameter),
        changes=values_by_path("--set", changes),
        signals=words(signals),
        noise={path: _number(path, value) for path, value in pairs("--noise", noise)},
        columns=dict(pairs("--column", column)),
        skip=skip,
        starts=starts,
        fresh=fresh,
    )
    return identify_crane(crane, logs, options, out, console(120))


@command
def validate(
    crane: CraneFile,
    logs: Logs,
    tolerance: Tolerances = None,
    changes: Changes = None,
    signals: Signals = None,
    column: Columns = None,
    skip: Skip = 0.0,
    out: Report = None,
) -> int:
    """Run a crane under the commands of recordings, and compare its readings with theirs.

    A folder stands for all logs in it. Use recordings that the crane was not identified from.
    Writes a page with errors, tolerances and pictures. Exit status 1 if a tolerance is not kept.

    Examples: [bold]cable-sim validate mine.yaml lifts/ --tolerance 'hoist_rope.pull=2 %'[/bold]
    """
    from cable_sim_studies.commands.identify import validate_crane

    settings = {
        "changes": values_by_path("--set", changes),
        "signals": words(signals),
        "tolerances": dict(pairs("--tolerance", tolerance)),
        "skip": skip,
    }
    columns = dict(pairs("--column", column))
    return validate_crane(crane, logs, columns, settings, out, console(120))


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
