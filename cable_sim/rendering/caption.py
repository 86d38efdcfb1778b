"""The line of figures below a picture: time, position of hook or part, sway, and pull."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import load_axes_of
from cable_sim.machine.pictures.frame import Frame

SIZE = 0.034
"""Height of the letters over the height of the picture [-]."""
LEAST = 9
"""Least height of the letters [pixels]."""
DEEP = 2.2
"""Height of the strip over the height of the letters [-]."""
MARGIN = 0.02
"""Margin on either side of the line over the width [-]."""
LABEL_COLOR = (104, 112, 126)
VALUE_COLOR = (28, 34, 44)
STRIP_COLOR = (247, 249, 251)
FONT = "mpl-data/fonts/ttf/DejaVuSans.ttf"
"""Font file of matplotlib. Its digits have one width, so that changing figures stand still."""


class Figure(NamedTuple):
    """A label and its value."""

    label: str
    value: str


def figures(crane: Crane, frame: Frame, speed: float = 1.0) -> list[Figure]:
    """Return the figures below a frame; ``speed`` is simulated time over film time."""
    faster = f" \N{MULTIPLICATION SIGN}{speed:.3g}" if speed != 1.0 else ""
    decimals = "04.1f" if speed <= 2.0 else "02.0f"
    minutes = int(frame.time) // 60
    seconds = math.floor(10.0 * frame.time % 600.0) / 10.0
    shown = [Figure("", f"{minutes}:{seconds:{decimals}}{faster}")]
    shown += _place(crane, frame)
    if frame.sway is not None:
        angle = math.degrees(math.hypot(frame.sway.radial, frame.sway.tangential))
        shown.append(Figure("sway", f"{angle:4.1f}\N{DEGREE SIGN}"))
    pulls = [frame.cables[rope].tension for rope in crane.ropes if rope in frame.cables]
    if pulls:
        shown.append(
            Figure(
                "pull", _force(max((float(pull.max()) for pull in pulls if len(pull)), default=0.0))
            )
        )
    return [figure._replace(value=_pad(figure.value)) for figure in shown]


def add_caption(picture: NDArray[np.uint8], shown: Sequence[Figure]) -> NDArray[np.uint8]:
    """Return the picture (h, w, 3) with a strip of figures below it, equally spaced."""
    from PIL import Image, ImageDraw

    height, width, _ = picture.shape
    size = max(round(SIZE * height), LEAST)
    strip = Image.new("RGB", (width, round(DEEP * size)), STRIP_COLOR)
    draw = ImageDraw.Draw(strip)
    font = _font(size)
    space = draw.textlength(" ", font)
    lengths = [
        sum(draw.textlength(text, font) for text in figure) + space * bool(figure.label)
        for figure in shown
    ]
    gap = ((1.0 - 2.0 * MARGIN) * width - sum(lengths)) / max(len(shown) - 1, 1)
    x = MARGIN * width
    y = strip.height // 2
    for figure, length in zip(shown, lengths, strict=True):
        draw.text((x, y), figure.label, LABEL_COLOR, font, anchor="lm")
        draw.text((x + length, y), figure.value, VALUE_COLOR, font, anchor="rm")
        x += length + max(gap, space)
    return np.concatenate([picture, np.asarray(strip)])


def _place(crane: Crane, frame: Frame) -> list[Figure]:
    """Return the position of the hook or the watched part, cylindrical if the crane slews."""
    part, label = (
        (crane.suspension.hook, "hook") if crane.suspension else (crane.watched, crane.watched)
    )
    if part not in frame.poses:
        return []
    x, y, z = frame.poses[part][0]
    moving = load_axes_of(crane)
    if not moving.turns or moving.across not in frame.axes:
        return [
            Figure(f"{label}  {name}", f"{value:6.2f} m")
            for name, value in zip("xyz", (x, y, z), strict=True)
        ]
    angle = math.degrees(frame.axes[moving.across].position)
    return [
        Figure(f"{label}  radius", f"{math.hypot(x, y):5.1f} m"),
        Figure("angle", f"{angle:4.0f}\N{DEGREE SIGN}"),
        Figure("height", f"{z:5.1f} m"),
    ]


def _font(size: int) -> Any:
    """Return the font in a size [pixels]."""
    from PIL import ImageFont

    found = find_spec("matplotlib")
    folder = next(iter(found.submodule_search_locations or ()), "") if found else ""
    path = Path(folder) / FONT
    return ImageFont.truetype(str(path), size) if path.is_file() else ImageFont.load_default(size)


def _pad(value: str) -> str:
    """Return the value with leading spaces as wide as digits."""
    return "\N{FIGURE SPACE}" * (len(value) - len(value.lstrip())) + value.lstrip()


def _force(newtons: float) -> str:
    """Return a force [N] as text with a readable unit."""
    return f"{1e-3 * newtons:6.1f} kN" if newtons >= 1000.0 else f"{newtons:6.1f} N"
