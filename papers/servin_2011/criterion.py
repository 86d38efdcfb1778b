"""Equations 24 to 26: the tension up to which a wire of N equal segments is stable, and that at
which masses go."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.errors import StepError
from cable_sim.spec import Hybrid
from validation.harness import Finding, Picture, Progress, Quantity, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 1.0 / 60.0
LENGTH, MASS, EA = 20.0, 10.0, 1e9
"""Of the wire [m, kg, N]; hardly stretched."""
COUNTS = (2, 3, 5, 10, 20, 30)
"""Segments."""
ASIDE = 1e-6
"""By which the wire is kinked, over a segment [-]."""
STEPS = 600


def limit(segments: int) -> float:
    """The tension m l / (h^2 cos^2(pi / 2 N)) with which the fastest of a chain's motions has h w =
    2 [N]."""
    return printed(segments) * 4.0 / math.cos(math.pi / (2.0 * segments)) ** 2


def printed(segments: int) -> float:
    """Equation 26: L M / (4 N^2 h^2) [N]."""
    return LENGTH * MASS / (4.0 * segments**2 * H**2)


def strung(segments: int, tension: float, fixed: bool) -> Simulator:
    """A weightless wire in N segments between two points under that tension; its masses stay if
    they are ``fixed``.

    It starts with a kink that moves all of its modes.
    """
    masses, kink = segments - 1, (0.3 * LENGTH, 0.0, ASIDE * LENGTH / segments)
    layer = Hybrid(
        density=MASS / LENGTH, most=masses, least=masses if fixed else 0, damping=0.0, path=(kink,)
    )
    ends = (Anchor("world"), Anchor("world", (LENGTH, 0.0, 0.0)))
    wire = Cable("wire", ends, ea=EA, length=LENGTH / (1.0 + tension / EA), hybrid=layer)
    return Simulator(Scene(cables=(wire,), gravity=(0.0, 0.0, 0.0)), dt=H)


def is_stable(segments: int, tension: float) -> bool:
    """Whether the kink does not grow."""
    simulator = strung(segments, tension, True)
    try:
        simulator.step(STEPS)
    except StepError:
        return False
    far = float(np.abs(simulator.observe().cable("wire").mass_position[:, 2]).max())
    return far < 10.0 * ASIDE * LENGTH / segments


def keeps(segments: int, tension: float) -> bool:
    """Whether an adaptive wire keeps all its masses."""
    simulator = strung(segments, tension, False)
    simulator.step(3)
    return len(simulator.observe().cable("wire").mass_position) == segments - 1


def boundary(holds: Callable[[int, float], bool], segments: int, low: float, high: float) -> float:
    """The tension between two where ``holds`` ends, by halving [N]."""
    while high / low > 1.0 + 2e-4:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(segments, middle) else (low, middle)
    return math.sqrt(low * high)


def criterion(progress: Progress) -> Result:
    """Tension f pulls a mass between segments of length l back like a spring of 2 f / l, the
    fastest zigzag of a chain like 4 f / l, which a step of h follows up to h w = 2. For N segments
    between fixed ends that is f = m l / (h^2 cos^2(pi / 2 N)). The paper prints a quarter of m l /
    h^2 in equations 25 and 26: h w = 1.

    Measured by halving: the tension from which on a kink of a millionth of a segment grows without
    bound; and the one from which on the hybrid wire takes masses out, which is the printed one.
    """
    found: list[Finding] = []
    for n in progress.over(COUNTS):
        theory = limit(n)
        ours = boundary(is_stable, n, 0.5 * theory, 2.0 * theory)
        found.append(
            Quantity(f"largest stable tension, {n} segments", None, theory, ours, 5e-3, "N")
        )
        ours = boundary(keeps, n, 0.25 * printed(n), 4.0 * printed(n))
        found.append(
            Quantity(
                f"tension at which masses go, {n} segments",
                None,
                printed(n),
                ours,
                5e-3,
                "N",
                "eq. 26",
            )
        )
    caption = "Equations 24 to 26. Tension up to which N segments are stable, and what is printed."
    return Result(found, [Picture("criterion", caption, lambda: draw(found))])


def draw(found: list[Finding]) -> "Figure":
    """Tension over segments."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6))
    axes = figure.add_subplot(xlabel="segments", ylabel="tension [N]", xscale="log", yscale="log")
    axes.plot(COUNTS, [limit(n) for n in COUNTS], label=r"$m l / h^2 \cos^2(\pi / 2 N)$")
    axes.plot(COUNTS, [printed(n) for n in COUNTS], "--", label="eq. 26")
    ours = [finding.ours for finding in found if isinstance(finding, Quantity)]
    axes.plot(COUNTS, ours[::2], "o", color="C0", label="a kink grows")
    axes.plot(COUNTS, ours[1::2], "s", color="C1", label="masses are taken out")
    axes.legend()
    return figure
