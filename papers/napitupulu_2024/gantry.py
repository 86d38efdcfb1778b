"""The crane's trolley moves as recorded; the container's sway is compared."""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Body, Box, Cable, Motion, Scene, Simulator
from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Measurement, Picture, Progress, Result, at_most

from .recorded import DRIVEN_FROM, EXTREMES, LENGTH, PERIOD, SAMPLED, SAMPLED_FROM, TROLLEY, camera

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PENDULUM = GRAVITY * (float(PERIOD) / (2.0 * math.pi)) ** 2
"""Length whose free swing has the measured period [m]: 0.338."""
LATE = 0.08
"""Time that the camera takes to find the container [s]: fitted to the extremes; it is not told."""
SECONDS, H = 9.0, 1e-3
STILL = (0.0, 0.3, 0.5, 0.7)
"""Times at rest before the trolley moves [s], which keep its spline quiet."""
PROMPT = 0.1
"""The trolley is known every 0.1 s, and the camera takes a picture every 0.033 s."""
REMAINING = 3
"""Extremes after the stop, which are the last ones."""
LARGER = "no damping here; the measured free swing loses 3 % a second"


def crane(length: float) -> Scene:
    """The container on a rope below a trolley that moves as recorded."""
    times = [*STILL, *(round(DRIVEN_FROM + 0.1 * k, 1) for k in range(len(TROLLEY))), SECONDS]
    places = [*(0.0 for _ in STILL), *TROLLEY, TROLLEY[-1]]
    poses = [(place, 0.0, 0.0, 0.0, 0.0, 0.0) for place in places]
    trolley = Body("trolley", 2.0, shape=Box(0.1, 0.1, 0.05), motion="prescribed")
    container = Body("container", 1.128, shape=Box(0.2, 0.1, 0.1), position=(0.0, 0.0, -length))
    rope = Cable("rope", [Anchor("trolley"), Anchor("container")])
    motion = Motion("trolley", times=times, poses=poses)
    return Scene(bodies=[trolley, container], cables=[rope], motions=[motion])


@cache
def sway(length: float) -> NDArray[np.float64]:
    """Return our angle (n,) behind the trolley [degrees] at every step."""
    simulator = Simulator(crane(length), dt=H)
    angles = np.empty(round(SECONDS / H))
    for k in range(len(angles)):
        simulator.step()
        x, _, z = simulator.bodies["container"].position - simulator.bodies["trolley"].position
        angles[k] = math.degrees(math.atan2(-x, -z))
    return angles


@cache
def published(length: float) -> tuple[NDArray[np.float64], ...]:
    """Return times [s] and angles [degrees] of our crane as its camera would publish them.

    The camera looks at a point at the recorded cable length, and the container moves as on the
    pendulum's length.
    """
    times, angles = camera(sway(length) * length / LENGTH, H)
    return times + LATE, angles


def extreme(time: float) -> tuple[float, float]:
    """Return time [s] and angle [degrees] of our extreme nearest to a time [s]."""
    times, angles = published(PENDULUM)
    turns = np.flatnonzero(np.diff(angles[1:]) * np.diff(angles[:-1]) < 0.0) + 1
    k = turns[np.argmin(np.abs(times[turns] - time))]
    a, b, c = np.polyfit(times[k - 1 : k + 2] - times[k], angles[k - 1 : k + 2], 2)
    return float(times[k] - 0.5 * b / a), float(c - 0.25 * b * b / a)


def free(progress: Progress) -> Result:
    """After the stop the container swings freely. A simple pendulum of the recorded cable length
    would take 5 % longer than measured. So the length from the camera, which looks for the middle
    of the container's lid from its own place, is not that of the pendulum. The period gives it, and
    it is the only number besides the camera's delay that is fitted.
    """
    progress.over(())
    ours = 2.0 * math.pi * math.sqrt(LENGTH / GRAVITY)
    angles = sway(LENGTH)[round(5.6 / H) :]
    up = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))
    ours = float(np.diff(up).mean()) * H
    note = "the camera's cable length is not that of the pendulum"
    return Result([Measurement("period at the recorded length", PERIOD, ours, None, "s", note)])


def drive(progress: Progress) -> Result:
    """The trolley drives 0.83 m in 4.3 s by noisy voltages, and stops against its end. Ours moves
    as its encoder read, on a spline through a point every 0.1 s. What swings below is looked at
    through the camera's own filter, which the repository has: a mean of ten pictures, less that of
    180.

    Ten extremes are compared. Their times agree within 0.07 s, and the swing that remains after the
    stop is 13 % larger here. The small swings before it are up to twice as large here.
    """
    found: list[Finding] = []
    late = []
    for printed, angle in progress.over(EXTREMES):
        time, ours = extreme(float(printed))
        late.append(abs(time - float(printed)))
        name = f"angle of the extreme at {printed} s"
        found.append(Measurement(name, angle, ours, None, "deg", LARGER))
    found.append(at_most("largest error of an extreme's time", PROMPT, max(late), "s"))
    measured = [abs(float(angle)) for _, angle in EXTREMES[-REMAINING:]]
    ours = [abs(extreme(float(printed))[1]) for printed, _ in EXTREMES[-REMAINING:]]
    remaining = f"{sum(measured) / REMAINING:.2f}"
    found.append(
        Measurement("remaining swing", remaining, sum(ours) / REMAINING, None, "deg", LARGER)
    )
    caption = "Sway as published: measured (points) and here, through the same filter (line)."
    return Result(found, [Picture("sway", caption, draw)])


def draw() -> "Figure":
    """Sway over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="t [s]", ylabel="sway [degrees]")
    axes.plot([SAMPLED_FROM + 0.1 * k for k in range(len(SAMPLED))], SAMPLED, ".", label="measured")
    times, angles = published(PENDULUM)
    axes.plot(times[times < 8.0], angles[times < 8.0], label="ours")
    axes.legend()
    return figure
