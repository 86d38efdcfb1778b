"""The limiters of a tower crane, as its file names them."""

from cable_sim.cranes.parts.instruments import HoistLimiters, Threshold
from cable_sim.spec.quantities import spec


@spec
class TowerLimiters(HoistLimiters):
    """The limiters of a tower crane, beside those of every hoist.

    Parameters
    ----------
    load_moment_limiter: load over the capacity at its radius [-]; stops hoisting and travelling
        out.
    load_limiter: load over the largest one with the reeving in use [-]; stops hoisting.
    """

    load_moment_limiter: Threshold | None = None
    load_limiter: Threshold | None = None
