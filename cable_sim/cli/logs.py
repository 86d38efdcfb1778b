"""The command that describes logs of real machines."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cable_sim.cli.app import command, console
from cable_sim.cli.options import pairs

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
    from cable_sim.sim.logs import read_log

    found = read_log(file, dict(pairs("--column", column)) or None)
    shown = console(120)
    shown.print(table(found))
    for text in (*([f"time 0 is {found.zero}"] if found.zero else []), *found.findings):
        shown.print(text, markup=False, highlight=False, soft_wrap=True)
    return 0
