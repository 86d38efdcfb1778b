"""Simulation results: the chain of bodies that the authors compare with, and why it gets unstable.

*Across.* A chain of n segments under the tension T in a span l has masses rho l / n. Tension pulls
the fastest of its motions, a zigzag, back with

    omega = 2 n / l sqrt(T / rho) cos(pi / 2n),

which a step h follows up to h omega = 2, whatever holds the lengths of its segments. It is the
limit of the central differences on the same grid, too. There the mixed model straightens its wave,
or damps it, and its tension goes on.

*Along.* With rigid segments the tensions follow from J M^-1 J^T, J the derivatives of the lengths.
A straight chain between two fixed points has n lengths, and n - 1 masses that may move along it: J
loses a rank. With the sag f the kinks are 8 f / n l each, and of the eigenvalues

    largest 4 cos^2(pi / 2n) / m,    least (n - 1) / n (8 f / n l)^2 / m,

the last one that of equal tensions everywhere. Their ratio is the factor by which rounding grows.
Segments that stretch by T / k add 1 / k to all of them.
"""

import itertools
import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.errors import StepError
from cable_sim.spec import Elevation, Hybrid
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
NODES = (25, 30)
"""Segments with which the paper's chain was too slow for real time."""
TENSIONS, LENGTHS, DENSITIES = (5000.0, 50_000.0), (5.0, 50.0), (1.0, 2.0)
"""The paper's ranges [N, m, kg/m]."""
SPAN, DENSITY = 20.0, 1.5
"""Of the chains whose limit is measured [m, kg/m]."""
FRAME = 1.0 / 60.0
"""Step of a simulator that draws so often [s]."""
EA = 1e9
"""Of all ropes; they hardly stretch [N]."""
ASIDE = 1e-6
"""By which a chain is kinked, over a segment [-]."""
STEPS, GROWN = 600, 10.0
"""Steps, and growth of the kink that is unstable."""
SAGS = (1e-2, 1e-3, 1e-4)
"""Sags of chains over their span [-]; one under 50 kN in 20 m has 1e-3."""


def largest_step(segments: int, tension: float, length: float, density: float) -> float:
    """The step with which the fastest motion of a chain has h omega = 2 [s]."""
    wave = math.sqrt(tension / density)
    return length / (segments * wave * math.cos(math.pi / (2.0 * segments)))


def is_stable(segments: int, tension: float, length: float, density: float, h: float) -> bool:
    """Whether a kink of a weightless chain does not grow in steps of h [s]."""
    aside = ASIDE * length / segments
    masses = segments - 1
    layer = Hybrid(
        density=density, most=masses, least=masses, damping=0.0, path=((0.3 * length, 0.0, aside),)
    )
    rope = Cable(
        "chain",
        (Anchor("world"), Anchor("world", (length, 0.0, 0.0))),
        ea=EA,
        length=length / (1.0 + tension / EA),
        hybrid=layer,
    )
    simulator = Simulator(Scene(cables=(rope,), gravity=(0.0, 0.0, 0.0)), dt=h)
    try:
        simulator.step(STEPS)
    except StepError:
        return False
    heights = simulator.observe().cable("chain").mass_position[:, 2]
    return float(np.abs(heights).max()) < GROWN * aside


def measured_step(segments: int, tension: float) -> float:
    """The step from which on a kink grows [s], by halving."""
    theory = largest_step(segments, tension, SPAN, DENSITY)
    low, high = 0.8 * theory, 1.25 * theory
    while high / low > 1.0 + 5e-4:
        middle = math.sqrt(low * high)
        low, high = (
            (middle, high) if is_stable(segments, tension, SPAN, DENSITY, middle) else (low, middle)
        )
    return math.sqrt(low * high)


def mixed_motion(segments: int, tension: float, length: float, density: float) -> float:
    """How far the mixed model leaves its sag in the same steps of a frame, over the sag [-]."""
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("world", (length, 0.0, 0.0))),
        ea=EA,
        pretension=tension,
        elevation=Elevation(density, segments + 1, 0.0),
    )
    simulator = Simulator(Scene(cables=(rope,)), dt=FRAME)
    start = simulator.observe().cable("rope").curve
    simulator.step(STEPS)
    moved = simulator.observe().cable("rope").curve - start
    return float(np.abs(moved).max() / -start[:, 2].min())


def sagging_chain(segments: int, sag: float) -> Array:
    """Points (n + 1, 2) of a chain with that sag over a span of 1."""
    x = np.linspace(0.0, 1.0, segments + 1)
    return np.column_stack([x, -4.0 * sag * x * (1.0 - x)])


def condition(points: Array) -> float:
    """Ratio of the eigenvalues of J J^T for rigid segments between points, the ends fixed [-]."""
    ways = np.diff(points, axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    n = len(ways)
    derivatives = np.zeros((n, n + 1, 2))
    derivatives[np.arange(n), np.arange(n)] = -ways
    derivatives[np.arange(n), np.arange(1, n + 1)] = ways
    free = derivatives[:, 1:-1].reshape(n, -1)
    values = np.linalg.svd(free, compute_uv=False)
    return float((values[0] / values[-1]) ** 2)


def known_condition(segments: int, sag: float) -> float:
    """The ratio that is written above, for a small sag [-]."""
    kink = 8.0 * sag / segments
    largest = 4.0 * math.cos(math.pi / (2.0 * segments)) ** 2
    return largest * segments / ((segments - 1) * kink**2)


@cache
def straight_tension(tension: float) -> tuple[float, float, int]:
    """Least and largest tension [N] in a chain that is straight to rounding, and the status."""
    masses = NODES[-1] - 1
    rope = Cable(
        "chain",
        (Anchor("world"), Anchor("world", (SPAN, 0.0, 0.0))),
        ea=1e7,
        length=SPAN / (1.0 + tension / 1e7),
        hybrid=Hybrid(density=DENSITY, most=masses, least=masses, damping=0.0),
    )
    h = 0.5 * largest_step(NODES[-1], tension, SPAN, DENSITY)
    simulator = Simulator(Scene(cables=(rope,), gravity=(0.0, 0.0, 0.0)), dt=h)
    status = simulator.step(STEPS).status
    pull = simulator.observe().cable("chain").span_tension
    return float(pull.min()), float(pull.max()), status


def instability(progress: Progress) -> Result:
    """The authors compared with a chain of bodies in the augmented formulation, which had "severe
    instability problems in many near-singular configurations" from 25 to 30 nodes on. They tell no
    step and no masses, but 1 to 2 kg/m, 5 to 50 kN and 5 to 50 m for ropes of tower cranes.

    A chain is unstable across where its step is above 2 / omega, omega its fastest zigzag: measured
    by halving, as the step from which on a kink of a millionth of a segment grows. At 60 steps a
    second that is so in most corners of the paper's ranges. The mixed model with as many points
    keeps its sag in all of them.

    Near-singular is every chain that is taut between two points: the matrix of its tensions is
    off by the square of its sag from one that has no inverse. Segments that stretch, as ours do,
    make it regular.
    """
    found: list[Finding] = []
    for n, tension in progress.over(list(itertools.product(NODES, TENSIONS))):
        tag = f"{n} segments, {1e-3 * tension:g} kN"
        theory = largest_step(n, tension, SPAN, DENSITY)
        ours = measured_step(n, tension)
        found.append(
            Quantity(f"largest stable step, {tag}", None, 1e3 * theory, 1e3 * ours, 2e-3, "ms")
        )
    found += [*at_frames(), *singular()]
    caption = (
        "The step up to which chains are stable under the paper's tensions, for its longest and "
        "its shortest span; dots are measured. Dashed: 60 steps a second."
    )
    measured = [finding.ours for finding in found if isinstance(finding, Quantity)][:4]
    return Result(found, [Picture("instability", caption, lambda: draw(measured))])


def at_frames() -> list[Finding]:
    """The corners of the paper's ranges at 60 steps a second."""
    corners = list(itertools.product(NODES, TENSIONS, LENGTHS, DENSITIES))
    theory = [largest_step(*corner) > FRAME for corner in corners]
    ours = [is_stable(*corner, FRAME) for corner in corners]
    return [
        Statement(
            "corners of the paper's ranges in which a chain is stable at 1/60 s",
            f"{sum(theory)} of {len(corners)}, the same by theory",
            theory == ours,
            f"{sum(ours)} of {len(corners)}",
        ),
        at_most(
            "motion of the mixed model at rest, all corners",
            0.01,
            max(mixed_motion(*corner) for corner in corners),
            "",
            "over its sag, in 600 steps",
        ),
    ]


def singular() -> list[Finding]:
    """The condition of the equations for the tensions, and what comes of it."""
    n = NODES[-1]
    least, most, status = straight_tension(TENSIONS[-1])
    return [
        *(
            Quantity(
                f"condition of rigid segments, sag {sag:g}",
                None,
                known_condition(n, sag),
                condition(sagging_chain(n, sag)),
                0.01,
                "",
                "4 n / ((n - 1) kink^2)",
            )
            for sag in SAGS
        ),
        at_most(
            "tension of a straight chain that stretches, off its own",
            1e-6,
            max(abs(least / TENSIONS[-1] - 1.0), abs(most / TENSIONS[-1] - 1.0)),
            "",
            "after 600 steps",
        ),
        Statement("status of that chain", "no flag", status == 0, str(status)),
    ]


def draw(measured: list[float]) -> "Figure":
    """Steps over segments."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.8))
    axes = figure.subplots()
    counts = np.arange(5, 61)
    for color, tension in enumerate(TENSIONS):
        for length, style in ((SPAN, "-"), *zip(LENGTHS, (":", "-."), strict=True)):
            steps = [1e3 * largest_step(int(n), tension, length, DENSITY) for n in counts]
            name = f"{1e-3 * tension:g} kN, {length:g} m"
            axes.semilogy(counts, steps, style, color=f"C{color}", label=name)
        axes.semilogy(NODES, measured[color::2], "o", color=f"C{color}")
    axes.axhline(1e3 * FRAME, color="k", linestyle="--", linewidth=0.9)
    axes.set(xlabel="segments", ylabel="largest stable step [ms]")
    axes.legend(fontsize=8, ncols=2)
    return figure
