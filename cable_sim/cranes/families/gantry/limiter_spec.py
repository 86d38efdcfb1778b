"""The limiters of a gantry crane, as its file names them."""

from cable_sim.cranes.parts.instruments import HoistLimiters, Threshold
from cable_sim.spec.quantities import Positive, spec


@spec
class GantryLimiters(HoistLimiters):
    """The limiters of a gantry crane, beside those of every hoist.

    Parameters
    ----------
    load_limiter: load over the rated one [-]; stops hoisting.
    eccentric_load: larger share of the load on the ropes of one end of the spreader [-]; stops
        hoisting.
    snag_protection: rate of rise of the largest pull of a rope [N/s]; closes the emergency brake.
    snag_window: over which that is taken [s].
    rope_monitor: largest less least pull of the ropes [N]; closes the emergency brake.
    """

    load_limiter: Threshold | None = None
    eccentric_load: Threshold | None = None
    snag_protection: Threshold | None = None
    snag_window: Positive = 0.03
    rope_monitor: Threshold | None = None
