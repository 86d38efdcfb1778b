"""The command that makes films."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from cable_sim.cli.app import command, known_crane
from cable_sim.cli.options import DEFAULT_CRANE, Namespace, number
from cable_sim.errors import CableSimError
from cable_sim.sim.progress import terminal_progress

LONGEST = 12.0
"""Longest duration of a film [s], unless a speed is given."""
ALONE = 12.0
"""Duration [s] of the film of a crane or scene that runs without commands."""
STEP = 1e-3
SUBSTEPS = 10
"""Step of the physics [s], and largest number of steps in a tick.

In slow motion a tick is at most as long as a picture.
"""

MOST = 5000
"""Largest number of pictures in a film."""

Tell = Callable[[float], None]


class Take(NamedTuple):
    """Subject of a film: crane, begin and end [s], and a source of frames at an interval [s]."""

    crane: Any
    begin: float
    end: float
    frames: Callable[[float, Tell], Iterator[Any]]


Subject = Annotated[
    str,
    typer.Argument(
        metavar="RECORDING|PLAN|CRANE", help="Bag, CSV file of a lift plan, crane or scene."
    ),
]
FilmFile = Annotated[Path, typer.Option("--out", "-o", help="File to write, .webp or .gif.")]
FilmedCrane = Annotated[
    str, typer.Option(help="Crane; left out, the one that the recording or the plan names.")
]
Start = Annotated[
    float, number(metavar="S", min=0.0, help="Start of the film [simulated seconds].")
]
Length = Annotated[
    float | None,
    number("--for", metavar="S", min=0.0, help="Length of the film [simulated seconds]."),
]
Speed = Annotated[
    float | None,
    number(
        min=0.01,
        help="Simulated over film time. Default: 1, raised so that the film lasts at most 12 s.",
    ),
]
Rate = Annotated[float, number(min=1.0, max=50.0, help="Pictures per second.")]
Width = Annotated[int, typer.Option(min=64, max=3840, help="Width of the picture [pixels].")]
Height = Annotated[
    int, typer.Option(min=64, max=2160, help="Height of the picture above the figures [pixels].")
]
Quality = Annotated[
    int,
    typer.Option(
        min=0,
        max=100,
        help="Quality of a .webp: 0 for the smallest file, 100 for the cleanest picture.",
    ),
]
Direction = Annotated[
    str,
    typer.Option(
        metavar="AZIMUTH,DOWN", help="View direction [deg]: from x towards y, and below level."
    ),
]
ContactForces = Annotated[
    bool, typer.Option("--contact-forces", help="Show normal forces in red and friction in blue.")
]
FramePrefix = Annotated[
    str, typer.Option(help="Recordings: prefix of TF frames, as frame_prefix of the recorded node.")
]


@command
def film(
    what: Subject = DEFAULT_CRANE,
    out: FilmFile = Path("film.webp"),
    crane: FilmedCrane = "",
    start: Start = 0.0,
    seconds: Length = None,
    speed: Speed = None,
    rate: Rate = 12.5,
    width: Width = 640,
    height: Height = 380,
    quality: Quality = 70,
    look: Direction = "",
    contact_forces: ContactForces = False,
    namespace: Namespace = "",
    frame_prefix: FramePrefix = "",
) -> int:
    """Make a film of a recording, of a lift plan, or of a crane or scene without commands.

    It is drawn in this process, without a browser: the crane, ropes coloured by tension, and a line
    of figures. Plans and cranes are simulated for it, as fast as possible. The camera is fixed,
    with all that moves in view.

    Examples: [bold]cable-sim film config/lift_plans/tower_pick_and_place.csv[/bold],
    [bold]cable-sim film results/lift --start 30 --for 20 --speed 2 -o slewing.webp[/bold],
    [bold]cable-sim film breaking_wire --for 4 --speed 0.5 --look 60,20 -o wire.gif[/bold]
    """
    from cable_sim.rendering.film import Look, check_film

    check_film(out)
    along = _direction(look)
    take = _take(what, crane, start, seconds, namespace, frame_prefix)
    length = take.end - take.begin
    faster = speed or max(1.0, math.ceil(10.0 * length / LONGEST) / 10.0)
    if length * rate / faster > MOST:
        told = f"{length * rate / faster:.0f} pictures are too many, {MOST} at most"
        raise CableSimError(f"{told}; --for or --speed makes them fewer")
    count = _shoot(take, Look(width, height, rate, faster, quality, along, contact_forces), out)
    size = 1e-6 * out.stat().st_size
    typer.echo(
        f"{out}: {count} pictures, {count / rate:.1f} s at {faster:.3g} times the speed, "
        f"{size:.2f} MB"
    )
    return 0


def _shoot(take: Take, look: Any, out: Path) -> int:
    """Get, draw and write the frames with a progress bar; return the number of frames."""
    from cable_sim.rendering.film import write_film

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with terminal_progress(*columns) as bar:
        getting = bar.add_task("frames", total=take.end - take.begin)
        interval = look.speed / look.rate
        frames = list(
            take.frames(
                interval, lambda time: bar.update(getting, completed=max(time - take.begin, 0.0))
            )
        )
        drawing = bar.add_task("pictures", total=len(frames))
        write_film(out, take.crane, frames, look, lambda done: bar.update(drawing, completed=done))
    return len(frames)


def _take(
    what: str, crane: str, start: float, seconds: float | None, namespace: str, prefix: str
) -> Take:
    """Return the take that the words of the command line mean."""
    path = Path(what)
    if path.suffix.lower() == ".csv":
        return _rehearsal_take(path, crane, start, seconds)
    if path.suffix.lower() in (".mcap", ".db3") or path.is_dir():
        return _recording_take(path, crane, start, seconds, namespace, prefix)
    if crane and crane != what:
        raise CableSimError(
            f"--crane {crane} is for recordings and plans; {what!r} is filmed itself"
        )
    return _machine_take(known_crane(what), None, start, ALONE if seconds is None else seconds)


def _rehearsal_take(path: Path, crane: str, start: float, seconds: float | None) -> Take:
    """Return the take of a lift plan that is played in this process."""
    from cable_sim.control.lift_plans import lift_plan
    from cable_sim.spec.files import read_text

    loaded = known_crane(crane or lift_plan.crane_of(read_text(path)) or DEFAULT_CRANE)
    plan = lift_plan.read_plan(path, loaded)
    return _machine_take(
        loaded, plan, start, max(plan.duration - start, 0.0) if seconds is None else seconds
    )


def _machine_take(crane: Any, plan: Any, start: float, seconds: float) -> Take:
    """Return the take of a machine in this process, from ``start`` on for ``seconds``."""
    from cable_sim.control.lift_plans.time_series import play
    from cable_sim.machine.machine import Machine

    def frames(interval: float, tell: Tell) -> Iterator[Any]:
        machine = Machine(crane, substeps=min(max(round(interval / STEP), 1), SUBSTEPS))
        for seen in play(machine, plan, start + seconds, interval):
            tell(seen.time)
            if seen.time >= start - 1e-6:
                yield machine.frame(seen)

    return Take(crane, start, start + seconds, frames)


def _recording_take(
    bag: Path, crane: str, start: float, seconds: float | None, namespace: str, prefix: str
) -> Take:
    """Return the take of a recording; its times count from its first joint states."""
    from cable_sim.ros.bags.bag_frames import recorded_crane, recorded_frames, recorded_span

    begin, last = recorded_span(bag, namespace)
    if not start < last - begin:
        raise CableSimError(
            f"--start {start:g}: the recording is {last - begin:.3f} s of simulated time long"
        )
    loaded = known_crane(crane or recorded_crane(bag, namespace))
    begin += start
    end = last if seconds is None else min(last, begin + seconds)

    def frames(interval: float, tell: Tell) -> Iterator[Any]:
        return recorded_frames(bag, loaded, interval, begin, end, namespace, prefix, tell)

    return Take(loaded, begin, end, frames)


def _direction(look: str) -> tuple[float, float, float] | None:
    """Return a direction in the world from its angles [deg], or None for an empty text."""
    if not look:
        return None
    from cable_sim.rendering.camera import direction

    try:
        azimuth, down = (float(word) for word in look.split(","))
        return direction(azimuth, down)
    except (ValueError, CableSimError):
        told = "two angles [deg], such as 120,10, the second at most 80 above or below level"
        raise CableSimError(f"--look {look!r}: allowed are {told}") from None
