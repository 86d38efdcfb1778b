"""How finely a chain with a load can be divided at 1/60 s: figure 11a of Servin et al. 2011."""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.errors import StepError
from cable_sim.spec import Lumped
from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 1.0 / 60.0
LENGTH, WIRE = 10.0, 1.0
"""Of the wire [m, kg], as in the paper's example."""
RATIOS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Load over wire [-]."""
BROKEN = 0.05
"""The paper's threshold: a segment that is wrong by that part of its length."""
MOST = 60


def loaded(load: float, segments: int) -> Scene:
    """A rigid chain with a load straight below."""
    return Scene(
        name="loaded",
        bodies=(Body("load", load, shape=Sphere(0.2), position=(0.0, 0.0, -LENGTH)),),
        cables=(
            Cable(
                "wire",
                (Anchor("world"), Anchor("load")),
                lumped=Lumped(segments + 1, density=WIRE / LENGTH),
            ),
        ),
    )


def worst(load: float, segments: int) -> float:
    """Largest strain [-] in 10 s after the masses were pushed aside by a millionth of a segment."""
    simulator = Simulator(loaded(load, segments), dt=H)
    simulator.step(60)
    snapshot, rest, found = simulator.save(), LENGTH / segments, 0.0
    aside = np.random.default_rng(0).normal(size=segments - 1)
    snapshot.state.particles.position[1:-1, 0] += 1e-6 * rest * aside
    simulator.restore(snapshot)
    for _ in range(20):
        try:
            simulator.step(30)
        except StepError:  # it has shaken itself apart
            return math.inf
        lengths = simulator.observe().cable("wire").span_length
        found = max(found, float(np.abs(lengths / rest - 1.0).max()))
    return found


def frequency(load: float, segments: int) -> float:
    """Of the fastest motion across [rad/s]: masses and load on a string with the tension of the
    weight below."""
    mass = np.full(segments, WIRE / segments)
    mass[-1] = load + 0.5 * WIRE / segments
    pull = GRAVITY * np.cumsum(mass[::-1])[::-1] * segments / LENGTH
    stiffness = np.diag(pull) + np.diag(np.append(pull[1:], 0.0))
    stiffness -= np.diag(pull[1:], 1) + np.diag(pull[1:], -1)
    root = 1.0 / np.sqrt(mass)
    return math.sqrt(np.linalg.eigvalsh(root[:, None] * stiffness * root)[-1])


@cache
def measured(load: float) -> int:
    """Most segments with which the chain stays whole."""
    for segments in range(2, MOST):
        if worst(load, segments) > BROKEN:
            return segments - 1
    return MOST


@cache
def expected(load: float) -> int:
    """Most segments with h w < 2."""
    return max(n for n in range(1, MOST) if n == 1 or H * frequency(load, n) < 2.0)


def printed(load: float) -> float:
    """Most segments by eq. 26 as it stands, f < L M / (4 N^2 h^2), with f the load's weight and the
    wire's."""
    return math.sqrt(LENGTH * WIRE / (4.0 * H * H * (load + WIRE) * GRAVITY))


def chart(progress: Progress) -> Result:
    """A load hangs on 10 m of rigid chain at 1/60 s. Pushed aside by next to nothing, the chain
    either stays as it is or shakes until a segment is wrong by 5 %: the paper's threshold. The
    tension pulls the masses back across the chain
    like springs, which the step integrates explicitly: h w < 2 for the fastest of these motions.

    That is four times the tension of eq. 25 and 26, which are for h w < 1, so the chain can be
    divided twice as finely as printed. The paper hangs its loads over a cylinder and gives no
    length; beyond a ratio of 100 it found nothing stable.
    """
    found: list[Finding] = []
    for ratio in progress.over(RATIOS):
        load = ratio * WIRE
        found.append(
            Quantity(
                f"most segments, load {ratio:g} x wire",
                None,
                expected(load),
                measured(load),
                1e-9,
                "",
                "h w < 2",
            )
        )
    times = [measured(ratio) / printed(ratio) for ratio in RATIOS[:5]]
    found.append(
        Statement(
            "beside eq. 26 as printed",
            "about twice as fine",
            all(1.5 < t < 2.7 for t in times),
            ", ".join(f"{t:.2g}" for t in times),
            "ratios 1 to 100",
        )
    )
    return Result(
        found,
        [
            Picture(
                "chart", "Stable resolutions, the boundary h w = 2, and eq. 26 as printed.", draw
            )
        ],
    )


def draw() -> "Figure":
    """Resolution over ratio."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6))
    axes = figure.add_subplot(
        xlabel="load over wire", ylabel="segments", xscale="log", yscale="log"
    )
    dense = np.geomspace(RATIOS[0], RATIOS[-1], 60)
    axes.bar(
        RATIOS,
        [measured(r) for r in RATIOS],
        width=[0.3 * r for r in RATIOS],
        color="#cfe0f2",
        label="stable",
    )
    axes.plot(dense, [expected(float(r)) for r in dense], label="h w < 2")
    axes.plot(dense, [printed(float(r)) for r in dense], "--", label="eq. 26 as printed")
    axes.legend()
    return figure
