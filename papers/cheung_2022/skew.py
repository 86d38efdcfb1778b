"""A load on two falls that turns about the vertical: the skew of a spreader.

Source: the video measurements of 21 runs (projects/phy-ia/output1/all.csv and masterV2.xlsx of the
repository), each with the time, the period and the angle of every swing, 60 pictures a second. The
numbers below are means over the swings whose angle lies in the bracket, over all runs of a length.
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from validation.harness import Measurement, Picture, Progress, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROD, RADIUS, APART = 0.1958, 0.005348, 0.150
"""Length and radius of the rod, and distance of the threads [m]."""
ACCESS = 2.5e-5
"""Knots and holes add that to the length of a thread [m], as the workbook has it."""
MIDDLE = {
    0.494: ("1.0838", 0.594),
    0.574: ("1.1692", 0.589),
    0.654: ("1.2407", 0.587),
    0.734: ("1.3225", 0.596),
    0.814: ("1.3821", 0.590),
    0.894: ("1.4638", 0.561),
    0.974: ("1.5308", 0.592),
}
"""Length of the threads [m]: measured period [s] and mean amplitude [rad], 0.5 to 0.7 rad."""
LARGE = {
    0.494: ("1.1842", 1.300),
    0.654: ("1.3633", 1.299),
    0.734: ("1.4571", 1.299),
    0.814: ("1.5000", 1.299),
    0.974: ("1.6667", 1.296),
}
"""The same for 1.2 to 1.4 rad."""
SCATTER = 0.02
"""Runs of the same length differ by up to 2.2 % of the period."""
H = 1e-3
"""Time step [s]."""


def rod_on_threads(length: float, angle: float) -> Scene:
    """A rod on two threads that do not stretch, turned by an angle [rad] and at rest."""
    half = 0.5 * APART
    below = -math.sqrt(length**2 - (2.0 * half * math.sin(0.5 * angle)) ** 2)
    mass = 0.1
    across = mass * (ROD**2 / 12.0 + RADIUS**2 / 4.0)
    rod = Body(
        "rod",
        mass,
        inertia=(0.5 * mass * RADIUS**2, across, across),
        shape=Box(ROD, 2.0 * RADIUS, 2.0 * RADIUS),
        position=(0.0, 0.0, below),
        orientation=(math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)),
    )
    threads = [
        Cable(name, [Anchor("world", (x, 0.0, 0.0)), Anchor("rod", (x, 0.0, 0.0))])
        for name, x in (("left", -half), ("right", half))
    ]
    return Scene(bodies=[rod], cables=threads)


@cache
def period(length: float, angle: float) -> float:
    """Return the period [s] of our rod over five swings."""
    simulator = Simulator(rod_on_threads(length + ACCESS, angle), dt=H)
    count = round(14.0 * math.sqrt(length) / H)
    seen = np.empty(count)
    for k in range(count):
        simulator.step()
        w, _, _, z = simulator.bodies["rod"].orientation
        seen[k] = 2.0 * math.atan2(z, w)
    up = np.flatnonzero((seen[:-1] < 0.0) & (seen[1:] >= 0.0))
    times = up + seen[up] / (seen[up] - seen[up + 1])
    return float(np.diff(times).mean()) * H


def compared(progress: Progress, table: dict[float, tuple[str, float]]) -> list[Measurement]:
    """Return the periods of a table beside ours."""
    found = []
    for length in progress.over(tuple(table)):
        printed, angle = table[length]
        name = f"period of {length:g} m at {angle:.1f} rad"
        found.append(Measurement(name, printed, period(length, angle), SCATTER, "s"))
    return found


def small(progress: Progress) -> Result:
    """A rod hangs on two threads 15 cm apart, and turns about the vertical by 34 degrees.
    That is how a spreader skews on its falls. The period grows with the root of the length.

    The rod's own length and radius give its inertia; its mass does not matter. Air, which makes
    the angle decay, is left out.
    """
    caption = "Period over the length of the threads: measured (points) and here (lines)."
    return Result(compared(progress, MIDDLE), [Picture("skew", caption, draw)])


def large(progress: Progress) -> Result:
    """The same rod turned by 74 degrees, where the period is a tenth longer. The threads lean and
    the rod rises by up to 8 mm, which the step has to follow exactly.
    """
    return Result(compared(progress, LARGE), [])


def draw() -> "Figure":
    """Period over length for both amplitudes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="length of the threads [m]", ylabel="period [s]")
    for table, name in ((MIDDLE, "0.6 rad"), (LARGE, "1.3 rad")):
        measured = [float(printed) for printed, _ in table.values()]
        lengths = list(table)
        (line,) = axes.plot(lengths, measured, "o", label=f"measured, {name}")
        ours = [period(length, angle) for length, (_, angle) in table.items()]
        axes.plot(lengths, ours, color=line.get_color(), label=f"ours, {name}")
    axes.legend()
    return figure
