"""Equation 4 on sloping spans: the horizontal distance as coordinate, beside the form of 2008 along
the chord."""

import math
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.spec import Elevation
from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, fit_mode

if TYPE_CHECKING:
    from matplotlib.figure import Figure

G = GRAVITY
H = 1e-3
TENSION, DENSITY, LEVEL, POINTS = 8000.0, 1.5, 20.0, 33
"""Of the span, LEVEL its horizontal distance: [N, kg/m, m, -]."""
SLOPES = (0.0, 0.4, 1.0)
LITTLE = 0.01
"""Gravity that sets a string swinging without a change of its tension [m/s^2]."""
Form = Literal["2008", "2007"]
FORMS: tuple[Form, ...] = ("2007", "2008")

Array = NDArray[np.float64]


class Slope(NamedTuple):
    """Vertical sag at mid-span [m] and frequency of the first mode [rad/s]."""

    sag: float
    omega: float


def rope(form: Form, slope: float, gravity: float, straight: bool) -> Scene:
    """A sloping span under TENSION: at rest in its curve, or straight."""
    end, ea = (LEVEL, 0.0, slope * LEVEL), 1e6
    layer = Elevation(DENSITY, POINTS, 0.0, planar=True, variant=form)
    nodes = (Anchor("world"), Anchor("world", end))
    length = math.hypot(LEVEL, slope * LEVEL) / (1.0 + TENSION / ea)
    if straight:
        cable = Cable("rope", nodes, ea=ea, length=length, elevation=layer)
    else:
        cable = Cable("rope", nodes, ea=ea, pretension=TENSION, elevation=layer)
    return Scene(name="slope", cables=(cable,), gravity=(0.0, 0.0, -gravity))


@cache
def curve(form: Form, slope: float) -> Array:
    """The curve after two seconds at rest [m]."""
    simulator = Simulator(rope(form, slope, G, straight=False), dt=H)
    simulator.step(2000)
    return simulator.observe().cable("rope").curve


def vertical_sag(points: Array, slope: float) -> float:
    """How far the curve is below its chord half way along the level [m]."""
    return 0.5 * slope * LEVEL - float(np.interp(0.5 * LEVEL, points[:, 0], points[:, 2]))


@cache
def first_mode(form: Form, slope: float) -> float:
    """Angular frequency of the first mode of a straight span that is let go [rad/s]."""
    simulator, values = Simulator(rope(form, slope, LITTLE, straight=True), dt=H), []
    grid = np.linspace(0.0, 1.0, POINTS)
    shape = np.sin(math.pi * grid)
    for _ in range(2000):
        simulator.step(2)
        points = simulator.observe().cable("rope").curve
        values.append(float((points[:, 2] - slope * points[:, 0]) @ shape))
    middle = 0.5 * (max(values) + min(values))  # undamped: it swings about its rest
    return 2.0 * math.pi / fit_mode([value - middle for value in values], 2.0 * H).period


def slopes(progress: Progress) -> Result:
    """A taut rope under the tension T sags vertically by rho g l^2 / 8T below the middle of its
    chord of length l, at any slope, and swings with pi sqrt(T / rho) / l. The form of 2008, which
    takes displacements across the chord, has both.

    The form of 2007 has vertical displacements over the horizontal distance l_x, and so the sag rho
    g l_x^2 / 8T and the frequency pi sqrt(T / rho) / l_x: wrong by cos^2 and 1 / cos of the slope,
    14 and 8 % for 0.4, a factor 2 and 1.4 for 1. On a level span the two are the same.
    """
    found: list[Finding] = []
    for slope in progress.over(SLOPES):
        chord = math.hypot(LEVEL, slope * LEVEL)
        sag = DENSITY * G * chord**2 / (8.0 * TENSION)
        omega = math.pi * math.sqrt(TENSION / DENSITY) / chord
        wave = math.pi / (2 * (POINTS - 1))
        grid = omega * math.sin(wave) / wave
        cosine = LEVEL / chord
        for form, factor in (("2008", 1.0), ("2007", cosine)):
            tag = f"slope {slope:g}, {form}"
            ours = vertical_sag(curve(form, slope), slope)
            # a parabola across the chord, seen vertically, is lowest beside the chord's middle:
            # hence 1e-3
            found += [
                Quantity(f"vertical sag, {tag}", None, sag * factor**2, ours, 2e-3, "m"),
                Quantity(
                    f"first frequency, {tag}",
                    None,
                    grid / factor,
                    first_mode(form, slope),
                    5e-4,
                    "rad/s",
                ),
            ]
    same = float(np.abs(curve("2007", 0.0) - curve("2008", 0.0)).max())
    found.append(
        Statement("both forms agree on a level span", "to 1e-9 m", same < 1e-9, f"{same:.1g} m")
    )
    caption = "Equation 4. Sag below the chord of spans of slope 0, 0.4 and 1, in both forms."
    return Result(found, [Picture("forms", caption, _draw)])


def _draw() -> "Figure":
    """Sags over the horizontal distance."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4))
    axes = figure.subplots()
    for color, slope in enumerate(SLOPES):
        for form, style in (("2008", "-"), ("2007", "--")):
            points = curve(form, slope)
            below = points[:, 2] - slope * points[:, 0]
            axes.plot(
                points[:, 0], below, style, color=f"C{color}", label=f"slope {slope:g}, {form}"
            )
    axes.set_xlabel("horizontal distance [m]")
    axes.set_ylabel("height above the chord [m]")
    axes.legend(ncols=3, loc="upper center")
    axes.set_ylim(top=0.05)
    return figure
