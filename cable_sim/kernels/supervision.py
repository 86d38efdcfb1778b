"""One tick of a crane's control, as seen by its safety: signals, readings, quantities, limiters, in one crossing.

The truth is only read here. ``value_out`` holds the readings of all sensors, then all quantities; invalid ones are NaN.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.limiters import run_limiters
from cable_sim.kernels.quantities import compute_quantities
from cable_sim.kernels.sensors import read_sensors
from cable_sim.kernels.signals import read_signals


@kernel
def supervise(
    now,
    # Model
    gravity, signal_code, signal_scale, sensor_code, sensor_number, sensor_ring_start,
    quantity_kind, quantity_input_start, quantity_input, quantity_weight, quantity_number, quantity_ring_start,
    limiter_code, limiter_number, block_code, block_share,
    # State
    body_position, body_orientation, body_velocity, drive_position, drive_velocity, drive_effort, span_tension,
    cable_unwound, cable_rate, wind, sensor_fault, quantity_factor, limiter_bypass,
    # Out
    clock_out, signal_velocity_out, truth_out, sensor_count_out, sensor_memory_out, ring_out, quantity_count_out,
    value_out, limiter_since_out, limiter_state_out, allowed_out, stop_out,
):  # fmt: skip
    """Look at the crane at the time ``now`` [s] and say what it may do; see ``model/devices.py`` for the arrays.

    Returns whether the state of any limiter has changed.
    """
    passed = now - clock_out[0] if clock_out[0] >= 0.0 else 0.0
    clock_out[0] = now
    read_signals(
        passed, signal_code, signal_scale, gravity, body_position, body_orientation, body_velocity, drive_position,
        drive_velocity, drive_effort, span_tension, cable_unwound, cable_rate, wind, signal_velocity_out, truth_out,
    )  # fmt: skip
    read_sensors(
        now, passed, sensor_code, sensor_number, sensor_ring_start, truth_out, sensor_fault, sensor_count_out,
        sensor_memory_out, ring_out, value_out,
    )  # fmt: skip
    compute_quantities(
        now, sensor_code.shape[0], quantity_kind, quantity_input_start, quantity_input, quantity_weight,
        quantity_number, quantity_ring_start, quantity_factor, quantity_count_out, ring_out, value_out,
    )  # fmt: skip
    return run_limiters(
        now, limiter_code, limiter_number, block_code, block_share, value_out, limiter_bypass, limiter_since_out,
        limiter_state_out, allowed_out, stop_out,
    )  # fmt: skip
