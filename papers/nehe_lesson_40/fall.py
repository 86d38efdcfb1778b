"""The tutorial's rope let go level: where its tip is, beside a loop in plain Python."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from validation.harness import Finding, Picture, Progress, Quantity, Result, at_most

from .loop import Loop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

FRAME = 1.0 / 60.0
STEP = FRAME / 9.0
"""Of the application and of its integration [s]: nine steps of 1.85 ms."""
TIMES = (0.5, 1.0, 2.0, 5.0)
"""At which the tip is compared [s]."""
SAME = 1e-9
"""How far two programs that do the same in another order may be apart after 2700 steps [m]."""


class Fall(NamedTuple):
    """Ropes (n, 3) [m] at each of the times."""

    ours: list[Array]
    loop: list[Array]


@cache
def fallen() -> Fall:
    """Both ropes, side by side."""
    simulator, loop, found = Simulator(load_scene("nehe_rope"), dt=FRAME), Loop(), Fall([], [])
    done = 0
    for time in TIMES:
        frames = round(time / FRAME) - done
        simulator.step(frames)
        for _ in range(frames):
            loop.frame(FRAME)
        done += frames
        found.ours.append(simulator.observe().cable("rope").curve.copy())
        found.loop.append(present(loop))
    return found


def present(loop: Loop) -> Array:
    """The loop's rope at the time of its velocities, from which its places are half a step ahead
    [m].

    It starts at rest, where both are the same.
    """
    place, velocity = (
        np.array([getattr(mass, name) for mass in loop.masses]) for name in ("position", "velocity")
    )
    return place - 0.5 * STEP * velocity


def fall(progress: Progress) -> Result:
    """The rope is let go level at frames of 1/60 s. It swings down, folds, and comes to the ground
    1.5 m below.

    The loop beside it is written from the tutorial's text in lists and floats and shares nothing
    with the simulator: the tip is compared, and the worst of all masses. The simulator tells the
    rope at the time of its velocities; the loop's places stand half a step ahead, and are moved
    back by that.
    """
    found: list[Finding] = []
    ropes = fallen()
    for time, ours, loop in progress.over(zip(TIMES, ropes.ours, ropes.loop, strict=True)):
        found += [
            Quantity(
                f"tip {axis} at {time:g} s", None, float(loop[-1, i]), float(ours[-1, i]), SAME, "m"
            )
            for axis, i in (("x", 0), ("z", 2))
        ]
        found.append(
            at_most(f"farthest mass at {time:g} s", SAME, float(np.abs(ours - loop).max()), "m")
        )
    return Result(
        found, [Picture("fall", "The rope at four instants; dots: the loop in plain Python.", draw)]
    )


def draw() -> "Figure":
    """Ropes from the side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6))
    axes = figure.add_subplot(xlabel="x [m]", ylabel="z [m]")
    axes.set_aspect("equal")
    for time, ours, loop in zip(TIMES, *fallen(), strict=True):
        (line,) = axes.plot(ours[:, 0], ours[:, 2], label=f"{time:g} s")
        axes.plot(loop[::4, 0], loop[::4, 2], ".", color=line.get_color())
    axes.axhline(-1.5, color="#6b6b6b", linewidth=0.8)
    axes.legend()
    return figure
