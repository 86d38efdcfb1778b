"""Pass criteria of a scenario: upper bounds of its metrics, by which ``cable-sim evaluate``
judges."""

from cable_sim.spec.quantities import NonNegative, spec


@spec
class PassCriteria:
    """Upper bounds of metrics, each in its unit; see :class:`~cable_sim.control.metrics.Metrics`.

    A time that never comes, and a value that is not known, are beyond every bound.
    """

    arrival_time: NonNegative | None = None
    settling_time: NonNegative | None = None
    settling_time_from_start: NonNegative | None = None
    settling_time_share: NonNegative | None = None
    transient_sway_deg: NonNegative | None = None
    residual_sway_deg: NonNegative | None = None
    residual_sway_m: NonNegative | None = None
    twist_deg: NonNegative | None = None
    residual_twist_deg: NonNegative | None = None
    overshoot: NonNegative | None = None
    final_error: NonNegative | None = None
    final_error_height: NonNegative | None = None
    position_iae: NonNegative | None = None
    position_ise: NonNegative | None = None
    position_itae: NonNegative | None = None
    sway_iae: NonNegative | None = None
    sway_ise: NonNegative | None = None
    sway_itae: NonNegative | None = None
    peak_pull: NonNegative | None = None
    hoist_factor: NonNegative | None = None
    energy: NonNegative | None = None
    peak_power: NonNegative | None = None
    limiter_trips: NonNegative | None = None
    limiter_time: NonNegative | None = None
