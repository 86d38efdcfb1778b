"""Films: consecutive frames in an animated WebP or GIF, with figures below."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.caption import Figure, add_caption, figures
from cable_sim.rendering.contact_arrows import ContactArrows
from cable_sim.rendering.renderer import Renderer, extent_of

FORMATS = (".webp", ".gif")
"""File name endings of the supported formats."""
LAST = 1000
"""Duration of the last picture before the film repeats [ms]."""
EXTENT_FRAMES = 60
"""Largest number of frames that define the extent, besides the last one."""


@dataclass(frozen=True)
class Look:
    """Appearance of a film.

    Parameters
    ----------
    width, height: size of its picture, without the strip of figures [pixels].
    rate: pictures per second.
    speed: simulated time over film time.
    quality: quality of a WebP, 0 to 100.
    along: direction in which the camera looks, in the world; left out, that of the page's first
        view.
    forces: whether it shows forces of contact.
    """

    width: int = 640
    height: int = 400
    rate: float = 15.0
    speed: float = 1.0
    quality: int = 70
    along: tuple[float, float, float] | None = None
    forces: bool = False


def check_film(path: Path) -> None:
    """Raise CableSimError for a file name of an unsupported format or a missing folder."""
    if path.suffix.lower() not in FORMATS:
        raise CableSimError(f"{path}: a film's name ends with one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise CableSimError(f"{path}: there is no folder {path.parent}")


def write_film(
    path: Path,
    crane: Crane,
    frames: Sequence[Frame],
    look: Look,
    tell: Callable[[int], None] = lambda done: None,
) -> None:
    """Draw frames in the given order, at the rate of the film, and write the film.

    ``tell`` is called with the number of pictures drawn. The file appears when it is complete.
    Raises CableSimError for a wrong name, or without frames.
    """
    check_film(path)
    if not frames:
        raise CableSimError(f"{path}: there is nothing to film: not one frame")
    from PIL import Image

    seen = [*frames[:: math.ceil(len(frames) / EXTENT_FRAMES)], frames[-1]]
    extent = extent_of(crane, seen)
    arrows = ContactArrows(crane, extent) if look.forces else None
    legend = [Figure("contact", arrows.legend)] if arrows else []
    renderer = Renderer(crane, extent, look.width, look.height, look.along, arrows=arrows)

    def drawn() -> Iterator[Image.Image]:
        for done, frame in enumerate(frames, 1):
            yield Image.fromarray(
                add_caption(renderer.draw(frame), figures(crane, frame, look.speed) + legend)
            )
            tell(done)

    pictures = drawn()
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    settings = (
        {"quality": look.quality, "method": 6}
        if path.suffix.lower() == ".webp"
        else {"optimize": True}
    )
    try:
        first = next(pictures)
        times = [*[round(1000.0 / look.rate)] * (len(frames) - 1), LAST]
        first.save(part, save_all=True, append_images=pictures, duration=times, loop=0, **settings)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
