"""Loads on one rope that swing, measured in laboratories.

Sources, read as tables of the package lesslines 0.0.4 (data/observed/simple_pendulum.py), which
quotes the papers: ten times of 100 swings, a wire of 3.0044 m, a ball of 856.7 g and 6.10 cm, 3.0
degrees (Nelson and Olsson); periods of seven cords each (Pili and Violanda; Hidayat et al., a ball
of 6 cm, 10 degrees at most). The papers themselves were not to be had.
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from validation.harness import Measurement, Picture, Progress, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIRE, BALL, RADIUS = 3.0044, 0.8567, 0.0305
"""From the support to the middle of the ball [m], its mass [kg] and radius [m]."""
HUNDRED = (347.84, 347.87, 347.86, 347.91, 347.91, 347.94, 347.84, 347.81, 347.84, 347.98)
"""Measured times of 100 swings [s]."""
CORDS = {
    "Pili and Violanda": (
        (0.70, 0.79, 0.87, 0.95, 1.02, 1.10, 1.17),
        ("1.67", "1.78", "1.87", "1.95", "2.02", "2.10", "2.17"),
    ),
    "Hidayat": (
        (1.27, 1.33, 1.47, 1.54, 1.65, 1.72, 1.83),
        ("2.27", "2.33", "2.44", "2.50", "2.58", "2.64", "2.72"),
    ),
}
"""Lengths [m], taken to the middle of the ball, and measured periods [s]."""
SMALL = (0.1, 0.015, 5.0)
"""Ball [kg, m] and amplitude [degrees] of these, which are not told; only 0.05 % hangs on them."""
ROUNDED = 7e-3
"""Scatter of a period that is printed to 0.01 s, with a length to 0.01 m [-]."""
H = 1e-3
"""Time step [s]."""


def pendulum(length: float, mass: float, radius: float, angle: float) -> Scene:
    """A ball on a rope that does not stretch, drawn aside by an angle [rad]."""
    x, z = math.sin(angle), -math.cos(angle)
    ball = Body(
        "ball",
        mass,
        shape=Sphere(radius),
        position=(length * x, 0.0, length * z),
        orientation=(math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0),
    )
    rope = Cable("rope", [Anchor("world"), Anchor("ball", (0.0, 0.0, radius))])
    return Scene(bodies=[ball], cables=[rope])


@cache
def measured_period(length: float, mass: float, radius: float, degrees: float) -> float:
    """Return the period [s] of our pendulum over ten swings."""
    simulator = Simulator(pendulum(length, mass, radius, math.radians(degrees)), dt=H)
    count = round(10.0 * 2.1 * math.sqrt(length) / H)
    seen = np.empty(count)
    for k in range(count):
        simulator.step()
        seen[k] = simulator.bodies["ball"].position[0]
    return crossing_period(seen)


def crossing_period(samples: np.ndarray) -> float:
    """Return the mean time [s] between crossings of zero upwards, by linear interpolation."""
    up = np.flatnonzero((samples[:-1] < 0.0) & (samples[1:] >= 0.0))
    times = up + samples[up] / (samples[up] - samples[up + 1])
    return float(np.diff(times).mean()) * H


def period(progress: Progress) -> Result:
    """A ball of brass on 3 m of wire swings a hundred times by 3 degrees. The ten measured times
    scatter by 0.015 %. Our rope is massless and does not stretch, the air is left out, and gravity
    is 9.81 m/s2.

    The sources that were read do not tell the local gravity. The measured period would ask for
    9.805 m/s2, so gravity alone may explain the deviation.
    """
    progress.over(())
    ours = measured_period(WIRE, BALL, RADIUS, 3.0)
    mean = sum(HUNDRED) / len(HUNDRED) / 100.0
    return Result(
        [
            Measurement(
                "period of 3.0044 m",
                f"{mean:.4f}",
                ours,
                6e-4,
                "s",
                "gravity between 9.80 and 9.82 m/s2 is worth 0.05 %",
            )
        ]
    )


def cords(progress: Progress) -> Result:
    """Balls on cords of 0.70 to 1.83 m, timed by an ultrasonic sensor and by a telephone. Lengths
    and periods are printed with three digits: 0.5 cm of length is worth 0.35 % of the period of the
    shortest cord, and 5 ms are 0.3 %.

    Whether a length goes to the ball's middle is not told. It is taken so; to its upper end the
    periods of the second series would be up to 0.8 % longer than measured.
    """
    found = []
    for name in progress.over(tuple(CORDS)):
        for length, printed in zip(*CORDS[name], strict=True):
            title = f"period of {length:.2f} m, {name}"
            found.append(Measurement(title, printed, measured_period(length, *SMALL), ROUNDED, "s"))
    caption = "Period over length: measured (points) and here (line)."
    return Result(found, [Picture("cords", caption, draw)])


def draw() -> "Figure":
    """Period over length."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="length [m]", ylabel="period [s]")
    for name, (lengths, printed) in CORDS.items():
        axes.plot(lengths, [float(text) for text in printed], "o", label=name)
    axes.plot([WIRE], [sum(HUNDRED) / 1000.0], "o", label="Nelson and Olsson")
    lengths = sorted([WIRE, *(length for pair in CORDS.values() for length in pair[0])])
    axes.plot(lengths, [measured_period(length, *SMALL) for length in lengths], "-", label="ours")
    axes.legend()
    return figure
