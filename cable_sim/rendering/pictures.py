"""Pictures and films in one line, for scripts and notebooks: drawn in this process."""

import base64
import html
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import CableSimError
from cable_sim.machine.bare import TICK, BareMachine, Shown, machine_of, still_of
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.camera import direction
from cable_sim.rendering.film import Look, check_film, write_film
from cable_sim.rendering.renderer import Renderer, extent_of
from cable_sim.sim.simulator import Simulator

Angles = tuple[float, float]
MOST_PIXELS = 8192
"""Largest width and height of a picture [pixels]."""
LONGEST = 5000
"""Largest number of pictures in a film."""


@dataclass(frozen=True)
class Picture:
    """A drawn picture, which a notebook shows.

    Parameters
    ----------
    pixels: array (height, width, 3) of red, green, blue in 0...255.
    """

    pixels: NDArray[np.uint8]

    def __repr__(self) -> str:
        height, width, _ = self.pixels.shape
        return f"Picture, {width} x {height} pixels"

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        from PIL import Image

        made = io.BytesIO()
        Image.fromarray(self.pixels).save(made, "PNG")
        return made.getvalue()

    def save(self, path: "str | PathLike[str]") -> Path:
        """Write the picture to a file; its ending tells the format, such as ``.png``.

        Raises CableSimError for an ending of no format.
        """
        from PIL import Image

        file = Path(path)
        Image.preinit()  # the usual formats alone are loaded much faster
        if file.suffix.lower() not in Image.EXTENSION:
            Image.init()
        if file.suffix.lower() not in Image.EXTENSION:
            raise CableSimError(f"{file}: {file.suffix!r} is no picture's ending; take .png")
        Image.fromarray(self.pixels).save(file)
        return file

    def _repr_png_(self) -> bytes:
        """Return what a notebook shows."""
        return self.png()


@dataclass(frozen=True)
class Film:
    """A film that was written, which a notebook shows."""

    path: Path

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the film itself, whatever becomes of its file."""
        kind = self.path.suffix.lower()[1:]
        data = base64.b64encode(self.path.read_bytes()).decode("ascii")
        name = html.escape(self.path.name)
        return f'<img alt="{name}" src="data:image/{kind};base64,{data}">'


def picture(
    shown: Shown, width: int = 800, height: int = 500, look: Angles | None = None
) -> Picture:
    """Draw a scene, crane, simulator or machine in its present state.

    Parameters
    ----------
    shown: a scene or crane, drawn at its start; a simulator or machine; a name or a file.
    width, height: size of the picture [pixels].
    look: direction of the view [deg]: from x towards y, and below level; left out, that of the
        page's first view.

    Raises CableSimError for a size or direction that is not allowed, and for what can't be drawn.
    """
    _check_size(width, height)
    along = None if look is None else direction(*look)
    machine = still_of(shown)
    frame = machine.frame(machine.observe())
    extent = extent_of(machine.crane, [frame])
    return Picture(Renderer(machine.crane, extent, width, height, along).draw(frame))


def film(
    shown: Shown,
    path: "str | PathLike[str]" = "film.webp",
    seconds: float = 10.0,
    speed: float = 1.0,
    rate: float = 15.0,
    width: int = 640,
    height: int = 400,
    look: Angles | None = None,
) -> Film:
    """Run something on from its present state, and write a film of it.

    Parameters
    ----------
    shown: a simulator or machine, which is that much later afterwards; or a scene, crane, name or
        file, from its start.
    path: file to write, ``.webp`` or ``.gif``.
    seconds: simulated time [s].
    speed: simulated time over film time [-].
    rate: pictures per second of film [1/s].
    width, height: size of the picture above the line of figures [pixels].
    look: direction of the view [deg], as for :func:`picture`.

    Raises CableSimError for a value that is not allowed, StepError as the simulator does.
    """
    file = Path(path)
    check_film(file)
    _check_size(width, height)
    along = None if look is None else direction(*look)
    for name, value in (("seconds", seconds), ("speed", speed), ("rate", rate)):
        if not (math.isfinite(value) and value > 0.0):
            raise CableSimError(f"film: {name} {value} is not allowed; it must be above 0")
    interval = speed / rate
    if seconds / interval > LONGEST:
        told = f"{seconds / interval:.0f} pictures are too many, {LONGEST} at most"
        raise CableSimError(f"film: {told}; fewer seconds or a higher speed makes them fewer")
    machine = _ticking(shown, interval)
    frames = [*_frames(machine, seconds, interval)]
    write_film(file, machine.crane, frames, Look(width, height, rate, speed, along=along))
    return Film(file)


def _ticking(shown: Shown, interval: float) -> Machine | BareMachine:
    """Return what is filmed, with ticks no longer than the time between pictures [s]."""
    if isinstance(shown, Simulator):
        return BareMachine(shown, tick=min(TICK, interval))
    return machine_of(shown)


def _frames(machine: Machine | BareMachine, seconds: float, interval: float) -> Iterator[Frame]:
    """Run a machine on; yield the frame of the tick nearest to each picture's time."""
    start = machine.time
    for number in range(round(seconds / interval) + 1):
        while machine.time < start + number * interval - 0.5 * machine.tick_time:
            machine.tick()
        yield machine.frame(machine.observe())


def _check_size(width: int, height: int) -> None:
    """Raise CableSimError for a picture of no size, or too large a one."""
    for name, size in (("width", width), ("height", height)):
        if not 16 <= size <= MOST_PIXELS:
            raise CableSimError(
                f"picture: {name} {size} is not allowed; it must be 16 ... {MOST_PIXELS} pixels"
            )
