"""Figure 13 with the paper's own friction law, eq. 21 to 23: ``hmr_2011``."""

import math

from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Quantity, at_least, at_most

from .beam import JUDGED, RATIO, WITHIN, H, across, along, atwood, deviation, threshold

LAW = "hmr_2011"
PSEUDO = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, *(0.1 * i for i in range(3, 10)), 0.95, 0.98, 1.0)
"""Frictions of the curves."""
SLOPE = 30.0
"""Of the beam in figure 13 [degrees]."""
STRAIGHT, MONOTONE = 0.05, 0.1
"""Of the acceleration without friction: how far from a straight line the curve across edges may be,
and how much the one along them may rise from one friction to the next."""
NEARLY, MOVED = 0.98, 0.1
"""Friction with which the wire still slides along the edges, and how far it is to come at least
[m]."""
SWUNG = 0.06
"""Of the friction that holds what sticks: the loads swing by a degree beyond the slope, and what
slides stays at it."""
LAGGING, FINER, LESS = 0.8, 4, 1.1
"""Friction and number of steps in one at which the law's dependence on the step is seen, and by how
much at least."""


def bounded(mu: float) -> float:
    """Ratio of the tensions on both sides of two edges at right angles, by eq. 23."""
    m = mu * math.sin(math.pi / 4.0)
    return ((1.0 + m) / (1.0 - m)) ** 2


def holds_across() -> float:
    """Friction from which on the wire sticks across the edges, by eq. 23."""
    root = math.sqrt(1.0 / RATIO)
    return math.sqrt(2.0) * (root - 1.0) / (root + 1.0)


def released(mu: float, h: float = H) -> tuple[float, float]:
    """As :func:`along`, by the paper's law, with loads that are let go at once and swing, as the
    paper's do."""
    return along(mu, SLOPE, LAW, False, h)


def eased(mu: float, slope: float) -> tuple[float, float]:
    """As :func:`along`, by the paper's law, of a wire that sticks before the slope comes,
    slowly."""
    return along(mu, slope, LAW)


def paper_law() -> list[Finding]:
    """What the paper says of its curves, and what its equations say."""
    return [*crossing(), *sliding()]


def crossing() -> list[Finding]:
    """Across the edges."""
    ours = {mu: across(mu, False, LAW)[0] for mu in PSEUDO}
    free, last = atwood(1.0), holds_across()
    bend = max(abs(a - free * max(1.0 - mu / last, 0.0)) for mu, a in ours.items()) / free
    error = deviation([atwood(bounded(mu)) for mu in ours], list(ours.values()))
    found = threshold(lambda mu, _: across(mu, False, LAW), 0.0)
    name = "across edges, hmr_2011"
    return [
        Quantity(
            f"acceleration without friction {name}",
            "3.3",
            free,
            ours[0.0],
            WITHIN,
            "m/s^2",
            "g / 3",
        ),
        at_most(
            f"error of the acceleration {name}", WITHIN, error, "", f"above {JUDGED:g} g, of eq. 23"
        ),
        at_most(f"acceleration off a straight line {name}", STRAIGHT, bend, "", "over g / 3"),
        Quantity(
            f"friction that holds {name}",
            None,
            last,
            found,
            WITHIN,
            "",
            "of eq. 23; paper: about 1",
        ),
    ]


def sliding() -> list[Finding]:
    """Along the edges."""
    free, ours = GRAVITY * math.sin(math.radians(SLOPE)), [released(mu)[0] for mu in PSEUDO]
    rise = max(b - a for a, b in zip(ours, ours[1:], strict=False)) / free
    finer = released(LAGGING, H / FINER)[0] / released(LAGGING)[0]
    theta = math.radians(SLOPE)
    rests = math.sin(theta) / math.hypot(1.0, math.cos(theta))
    name, holds = "along edges, hmr_2011", threshold(eased, SLOPE)
    note = f"over that at 1/60 s, mu = {LAGGING:g}: eq. 22 depends on the step"
    return [
        Quantity(
            f"acceleration without friction {name}", "4.9", free, ours[0], WITHIN, "m/s^2", "g / 2"
        ),
        at_most(f"rise of the acceleration with friction {name}", MONOTONE, rise, "", "over g / 2"),
        at_least(f"way with mu = {NEARLY:g} {name}", MOVED, released(NEARLY)[1], "m", "in 3 s"),
        at_most(
            f"way with mu = 1 {name}", 1e-6, abs(released(1.0)[1]), "m", "paper: sticks at 1 only"
        ),
        at_least(f"acceleration with a quarter of the step {name}", LESS, finer, "", note),
        Quantity(
            f"friction that holds what sticks {name}", None, rests, holds, SWUNG, "", "of eq. 21"
        ),
    ]
