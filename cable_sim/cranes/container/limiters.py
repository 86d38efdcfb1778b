"""Limiters of a spreader on several ropes, and the quantities that they watch."""

from collections.abc import Sequence

from cable_sim.cranes.parts.devices import Limiter, Quantity
from cable_sim.cranes.parts.instruments import UP, HoistLimiters, Threshold
from cable_sim.spec.quantities import Positive, spec

OF_SPREADERS = ("eccentric_load", "snag_protection", "rope_monitor")
"""Fields of the limiters that only a spreader has."""
LEAST_TOLD = 0.3
"""Share of the rated load, with the spreader, below which eccentricity is not reported [-].

A lighter spreader may stand on something.
"""


@spec
class SpreaderLimiters(HoistLimiters):
    """The limiters of a crane with a spreader, beside those of every hoist.

    Parameters
    ----------
    eccentric_load: larger share of the load on the ropes of one end of the spreader [-]; stops
        hoisting.
    snag_protection: rate of rise of the largest pull of a rope [N/s]; closes the emergency brake.
    snag_window: over which that is taken [s].
    rope_monitor: largest less least pull of the ropes [N]; closes the emergency brake.
    """

    eccentric_load: Threshold | None = None
    snag_protection: Threshold | None = None
    snag_window: Positive = 0.03
    rope_monitor: Threshold | None = None

    def spreader_quantities(
        self, ropes: Sequence[str], sides: Sequence[float], rated: float
    ) -> tuple[Quantity, ...]:
        """Return what the limiters watch, for ropes at the ``sides`` of the spreader's middle.

        These are signs of y. ``rated`` is the sum of the pulls at rated load [N].
        """
        pulls = tuple(f"{rope}.pull" for rope in ropes)
        least = LEAST_TOLD * rated
        return (
            Quantity("eccentricity", "larger_share", pulls, tuple(sides), least),
            Quantity("pull.largest", "largest", pulls),
            Quantity("pull.rate", "rate", ("pull.largest",), window=self.snag_window),
            Quantity("pull.spread", "sum", ("pull.largest", "pull.least"), (1.0, -1.0)),
        )

    def spreader_limiters(self) -> tuple[Limiter, ...]:
        """Return the limiters of the spreader."""
        watched = ("eccentricity", "pull.rate", "pull.spread")
        made = []
        for name, quantity in zip(OF_SPREADERS, watched, strict=True):
            stops = {"blocks": (UP,)} if name == "eccentric_load" else {"stop": 0}
            brake = {} if name == "eccentric_load" else {"emergency_brake": True}
            if threshold := getattr(self, name):
                made.append(threshold.limiter(name, quantity, **stops, **brake))
        return tuple(made)
