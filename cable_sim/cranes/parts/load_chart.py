"""Load charts of tower cranes: rated capacity over radius."""

from itertools import pairwise

from cable_sim.cranes.parts.devices import Chart, growth
from cable_sim.cranes.rigging.rig import Pair
from cable_sim.spec.quantities import Positive, Real, spec

AGREEMENT = 0.01
"""Largest deviation of the law from a published point of the chart [-]."""


@spec
class Law:
    """Constant load moment: ``(Q + q0) (R - r0) = moment``.

    Parameters
    ----------
    q0: trolley, hook block and rope in terms of load [kg].
    r0: where the jib's root moment is taken [m].
    moment: [kg m].
    """

    q0: Positive
    r0: Real
    moment: Positive


@spec
class FallsChart:
    """Rated capacity with one reeving.

    Parameters
    ----------
    q_max: largest load [kg].
    r_full: radius up to which it may be lifted [m].
    law: beyond it.
    points: radius [m] and capacity [kg] as published, which the law has to meet within a hundredth.
    """

    q_max: Positive
    r_full: Positive
    law: Law
    points: tuple[Pair, ...] = ()

    @property
    def programmed(self) -> Chart:
        """The chart in the form of the crane's control."""
        return Chart(self.q_max, self.r_full, self.law.q0, self.law.r0, self.law.moment)

    def capacity(self, radius: float) -> float:
        """Largest load at a radius [kg]."""
        return self.programmed.capacity(radius)

    def reach(self, load: float) -> float:
        """Largest radius at which a load [kg] may be lifted [m]; 0 where it is too heavy for
        any."""
        if load > self.q_max:
            return 0.0
        return max(self.r_full, self.law.r0 + self.law.moment / (load + self.law.q0))

    def __post_init__(self) -> None:
        wrong = growth(self.r_full, self.law.r0)
        if wrong:
            raise ValueError(f"law: {wrong}")
        for (near, more), (far, less) in pairwise(self.points):
            if not near < far:
                raise ValueError(f"points: radii must increase, not {near:g} ... {far:g}")
            if less > more:
                raise ValueError(
                    f"points: the chart grows with radius, from {more:g} kg at {near:g} m to "
                    f"{less:g} kg at {far:g} m; "
                    "capacities must not increase"
                )
        for radius, published in self.points:
            ours = self.capacity(radius)
            if abs(ours - published) > AGREEMENT * published:
                raise ValueError(
                    f"points: {published:g} kg at {radius:g} m; q_max, r_full and law make "
                    f"{ours:.6g} kg"
                )
