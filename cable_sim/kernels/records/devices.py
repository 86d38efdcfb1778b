"""Records of a crane's sensors and limiters: ``kernels/devices/supervision.py``."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Truth(NamedTuple):
    """True values that sensors measure; shapes as in ``sim/observation.py``."""

    body_position: Floats
    body_orientation: Floats
    body_velocity: Floats
    drive_position: Floats
    drive_velocity: Floats
    drive_effort: Floats
    span_tension: Floats
    cable_unwound: Floats
    cable_rate: Floats


class Devices(NamedTuple):
    """Signals, sensors, quantities and limiters as built; read-only.

    Columns are named in the kernels: of signals in ``signals.py``, of sensors in ``sensors.py``,
    and so on.
    """

    gravity: Floats
    """(3,) [m/s^2]."""
    signal_code: Ints
    """(n, 5) of the n signals that sensors measure."""
    signal_scale: Floats
    """(n, 2)."""
    signal_point: Floats
    """(n, 3) point on the trolley, in its frame, from which sway is measured [m]; zero for other
    signals."""
    sensor_code: Ints
    """(s, 3)."""
    sensor_number: Floats
    """(s, 10)."""
    sensor_ring_start: Ints
    """(s + 1,) delayed samples, in rows of ``ring``."""
    quantity_kind: Ints
    """(q,)."""
    quantity_input_start: Ints
    """(q + 1,)."""
    quantity_input: Ints
    """(e,) rows of ``value``."""
    quantity_weight: Floats
    """(e,)."""
    quantity_number: Floats
    """(q, 6)."""
    quantity_ring_start: Ints
    """(q + 1,) values that a rate is computed from, in rows of ``ring``."""
    limiter_code: Ints
    """(l, 4)."""
    limiter_number: Floats
    """(l, 5)."""
    block_code: Ints
    """(b, 3)."""
    block_share: Floats
    """(b,)."""


class DeviceSettings(NamedTuple):
    """Settings that people and the weather change."""

    wind: Floats
    """(2,) speed [m/s] and direction that it blows to [rad]."""
    sensor_fault: Floats
    """(s, 6)."""
    quantity_factor: Floats
    """(q,) 1, or the factor of a control that is set up wrongly."""
    limiter_bypass: Flags
    """(l,)."""


class DeviceState(NamedTuple):
    """State of the devices between two updates.

    Copy it with the settings and restore it, and the same bits follow.
    """

    clock: Floats
    """(1,) time of the last update [s], below 0 before the first."""
    signal_velocity: Floats
    """(n, 3) velocity of a signal's body at the last update [m/s]; NaN if it has none."""
    truth: Floats
    """(n,)."""
    sensor_count: Ints
    """(s, 3)."""
    sensor_memory: Floats
    """(s, 4)."""
    ring: Floats
    """(r, 2) times and values."""
    quantity_count: Ints
    """(q,) entries that a rate has put into its ring."""
    value: Floats
    """(s + q,) readings, then quantities; NaN for invalid ones."""
    limiter_since: Floats
    """(l,) since when it is pending [s]."""
    limiter_state: Ints
    """(l,)."""
    allowed: Floats
    """(a, 2) share of its largest speed that each axis may have in its positive and its negative
    sense."""
    stop: Ints
    """(2,) category of the stop or -1, and whether the emergency brake closes."""
