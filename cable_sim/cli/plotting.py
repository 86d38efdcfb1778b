"""The command that draws recordings of channels."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from cable_sim.cli.app import command, console, known_crane
from cable_sim.cli.options import number
from cable_sim.errors import CableSimError

PICTURES = (".png", ".svg")
RECORDINGS = (".csv", ".npz", ".mcap")
ALONE = 10.0
"""Duration [s] of a run without commands, unless --for tells it."""
SUBSTEPS = 10
"""Steps in a tick of such a run."""

Source = Annotated[
    str,
    typer.Argument(metavar="FILE|CRANE", help="Recording (.csv, .npz, .mcap), or crane or scene."),
]
Wanted = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CHANNEL", help="Channels such as load.position.z; left out, all of the file."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Picture, .png or .svg, or a recording: .csv, .npz or .mcap."),
]
Begin = Annotated[float, number("--from", metavar="S", help="Start of the plot [s].")]
End = Annotated[float | None, number("--to", metavar="S", help="End of the plot [s].")]
Length = Annotated[
    float | None,
    number("--for", metavar="S", min=0.0, help="Crane or scene: run S simulated seconds."),
]
Every = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Crane or scene: steps of 1 ms between two rows."),
]


@command
def plot(
    source: Source,
    channels: Wanted = None,
    out: Out = None,
    begin: Begin = 0.0,
    end: End = None,
    seconds: Length = None,
    every: Every = None,
) -> int:
    """Draw channels of a recording over time, or list what is in it.

    A recording is a file that [bold]recording.write("lift.npz")[/bold] made. Without --out, and
    where there is too little to draw, a table lists the channels with their units and extremes. A
    crane or scene runs without commands, and is recorded.

    Examples: [bold]cable-sim plot lift.npz[/bold],
    [bold]cable-sim plot lift.npz load.position rope.tension --from 5 --to 20 -o lift.png[/bold],
    [bold]cable-sim plot pendulum ball.position cable.tension --for 5 -o swing.csv[/bold]
    """
    _check(out)
    whole = _recording(source, channels or [], seconds, every)
    from cable_sim.rendering.recording_plots import part_of, table

    part = part_of(whole, channels or [], begin, math.inf if end is None else end)
    if out is None or not _written(part, out):
        console(120).print(table(part))
        return 0 if out is None else 1
    typer.echo(f"{out}: {len(part)} rows of {', '.join(c.name for c in part.channels[1:])}")
    return 0


def _check(out: Path | None) -> None:
    """CableSimError for an output of a kind that is not known."""
    if out is not None and out.suffix.lower() not in (*PICTURES, *RECORDINGS):
        told = ", ".join((*PICTURES, *RECORDINGS))
        raise CableSimError(f"--out {out}: suffix {out.suffix!r} is not known; allowed are {told}")


def _written(part: Any, out: Path) -> bool:
    """Write a picture or a recording; False if there is nothing to draw."""
    if out.suffix.lower() in RECORDINGS:
        part.write(out)
        return True
    if len(part) < 2 or len(part.columns) < 2:
        typer.echo(f"{out} is not drawn: a picture needs a channel and two rows", err=True)
        return False
    from cable_sim.rendering.drawing import picture_bytes
    from cable_sim.rendering.recording_plots import picture

    out.write_bytes(picture_bytes(picture(part), out.suffix.lower()[1:]))
    return True


def _recording(source: str, channels: list[str], seconds: float | None, every: int | None) -> Any:
    """Return the recording of a file, or of a crane or scene that runs by itself."""
    if Path(source).suffix.lower() in RECORDINGS:
        if seconds is not None or every is not None:
            raise CableSimError(f"--for and --every are for cranes and scenes; {source} is a file")
        from cable_sim.sim.recording.recording_files import read_recording

        return read_recording(source)
    crane = known_crane(source)
    if not channels:
        raise CableSimError(
            f"{source} is simulated now: name the CHANNELs to record, such as load.position"
        )
    from cable_sim.machine.machine import Machine

    machine = Machine(crane, substeps=SUBSTEPS)
    recording = machine.simulator.record(channels, every or SUBSTEPS)
    for _ in range(round((ALONE if seconds is None else seconds) / machine.tick_time)):
        machine.tick()
    return recording
