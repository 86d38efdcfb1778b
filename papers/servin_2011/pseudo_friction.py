"""Figure 13 with the paper's own friction law, eq. 21 to 23: ``hmr_2011``."""

import math

from cable_sim.spec.scene import GRAVITY
from cable_sim.studies import Finding, Quantity, at_least, at_most

from .beam import JUDGED, RATIO, STILL, WITHIN, H, across, along, atwood, deviation, threshold

LAW = "hmr_2011"
PSEUDO = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, *(0.1 * i for i in range(3, 10)), 0.95, 0.98, 1.0)
"""Frictions of the curves."""
SLOPE = 30.0
"""Of the beam in figure 13 [degrees]."""
STRAIGHT, MONOTONE = 0.05, 0.1
"""Of the acceleration without friction: how far from a straight line the curve across edges may be, and how much the
one along them may rise from one friction to the next."""
NEARLY, MOVED = 0.98, 0.1
"""Friction with which the wire still slides along the edges, and how far it is to come at least [m]."""
LAGGING, FINER, LESS = 0.8, 4, 1.1
"""Friction and number of steps in one at which the law's dependence on the step is seen, and by how much at least."""


def bounded(mu: float) -> float:
    """Ratio of the tensions on both sides of two edges at right angles, by eq. 23."""
    m = mu * math.sin(math.pi / 4.0)
    return ((1.0 + m) / (1.0 - m)) ** 2


def holds_across() -> float:
    """Friction from which on the wire sticks across the edges, by eq. 23."""
    root = math.sqrt(1.0 / RATIO)
    return math.sqrt(2.0) * (root - 1.0) / (root + 1.0)


def released(mu: float, h: float = H) -> tuple[float, float]:
    """As :func:`along`, by the paper's law, with loads that are let go at once and swing, as the paper's do."""
    return along(mu, SLOPE, LAW, 0.0, h)


def eased(mu: float, slope: float) -> tuple[float, float]:
    """As :func:`along`, by the paper's law, of a wire that sticks before the slope comes, slowly."""
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
    return [
        Quantity("hmr_2011: acceleration across edges without friction", "3.3", free, ours[0.0], WITHIN, "m/s^2", "g / 3"),
        at_most("hmr_2011: error of the acceleration across edges", WITHIN, error, "", f"above {JUDGED:g} g, of eq. 23"),
        at_most("hmr_2011: acceleration across edges off a straight line", STRAIGHT, bend, "", "over g / 3"),
        Quantity("hmr_2011: friction that holds across edges", None, last, found, WITHIN, "", "of eq. 23; paper: about 1"),
    ]  # fmt: skip


def sliding() -> list[Finding]:
    """Along the edges."""
    free, ours = GRAVITY * math.sin(math.radians(SLOPE)), [released(mu)[0] for mu in PSEUDO]
    rise = max(b - a for a, b in zip(ours, ours[1:], strict=False)) / free
    finer = released(LAGGING, H / FINER)[0] / released(LAGGING)[0]
    theta = math.radians(SLOPE)
    rests = math.sin(theta) / math.hypot(1.0, math.cos(theta))
    return [
        Quantity("hmr_2011: acceleration along edges without friction", "4.9", free, ours[0], WITHIN, "m/s^2", "g / 2"),
        at_most("hmr_2011: rise of the acceleration along edges with friction", MONOTONE, rise, "", "over g / 2"),
        at_least(f"hmr_2011: way along edges, mu = {NEARLY:g}", MOVED, released(NEARLY)[1], "m", "in 4 s"),
        at_most("hmr_2011: way along edges, mu = 1", 1e-6, abs(released(1.0)[1]), "m", "paper: sticks at 1 only"),
        at_least("hmr_2011: acceleration along edges with a quarter of the step", LESS, finer, "",
                 f"over that at 1/60 s, mu = {LAGGING:g}: eq. 22 depends on the step"),
        Quantity("hmr_2011: friction that holds what sticks along edges", None, rests, threshold(eased, SLOPE), WITHIN,
                 "", "of eq. 21"),
    ]  # fmt: skip
