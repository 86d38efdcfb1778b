"""The line of figures below a picture: time, where hook or part are, sway, and pull."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.machine.frame import Frame

SIZE = 0.034
"""Height of the letters over that of the picture [-]."""
LABEL_COLOR, VALUE_COLOR = (98, 106, 120), (28, 34, 44)
DEEP = 2.0
"""Height of the strip over that of the letters [-]."""
STRIP = (247, 249, 251)


class Figure(NamedTuple):
    """A label and its value with unit, and the share of the width that they may take."""

    label: str
    value: str
    share: float


def figures(crane: Crane, frame: Frame, speed: float = 1.0) -> list[Figure]:
    """What stands below a frame; ``speed`` is simulated time over that of the film."""
    time = f"{int(frame.time) // 60}:{frame.time % 60.0:04.1f}"
    shown = [Figure("", f"{time}" + (f"   {speed:.3g} times" if speed != 1.0 else ""), 0.17)]
    hung = crane.suspension
    part, label = (hung.hook, "hook") if hung else (crane.watched, crane.watched)
    if part in frame.poses:
        x, y, z = frame.poses[part][0]
        if hung and "slewing" in frame.axes:
            angle = math.degrees(frame.axes["slewing"].position)
            place = f"radius {math.hypot(x, y):5.1f} m   angle {angle:4.0f}\N{DEGREE SIGN}   height {z:4.1f} m"
        else:
            place = f"x {x:.2f}   y {y:.2f}   z {z:.2f} m"
        shown.append(Figure(label, place, 0.50))
    if frame.sway is not None:
        angle = math.degrees(math.hypot(frame.sway.radial, frame.sway.tangential))
        shown.append(Figure("sway", f"{angle:.1f}\N{DEGREE SIGN}", 0.14))
    pulls = [frame.cables[rope].tension for rope in crane.ropes if rope in frame.cables]
    pull = max((float(tension.max()) for tension in pulls if len(tension)), default=0.0)
    shown.append(Figure("pull", _force(pull), 0.19))
    return shown


def captioned(picture: NDArray[np.uint8], shown: list[Figure]) -> NDArray[np.uint8]:
    """The picture (h, w, 3) with a strip of figures below it."""
    from PIL import Image, ImageDraw, ImageFont

    height, width, _ = picture.shape
    size = max(round(SIZE * height), 9)
    strip = Image.new("RGB", (width, round(DEEP * size)), STRIP)
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(size)
    x, y = 0.02 * width, strip.height // 2
    for figure in shown:
        label = f"{figure.label} " if figure.label else ""
        draw.text((x, y), label, LABEL_COLOR, font, anchor="lm")
        draw.text((x + draw.textlength(label, font), y), figure.value, VALUE_COLOR, font, anchor="lm")
        x += figure.share * 0.98 * width
    return np.concatenate([picture, np.asarray(strip)])


def _force(newtons: float) -> str:
    """A force with a unit in which it is read easily."""
    return f"{1e-3 * newtons:.1f} kN" if newtons >= 1000.0 else f"{newtons:.0f} N"
