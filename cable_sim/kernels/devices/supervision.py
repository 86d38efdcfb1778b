"""One tick of a crane's control, as seen by its safety: signals, readings, quantities, limiters, in
one crossing.

The truth is only read here. ``value_out`` holds the readings of all sensors, then all quantities;
invalid ones are NaN.
"""

from cable_sim.kernels.devices.limiters import run_limiters
from cable_sim.kernels.devices.quantities import compute_quantities
from cable_sim.kernels.devices.sensors import read_sensors
from cable_sim.kernels.devices.signals import read_signals
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState, Truth


@kernel
def supervise(
    now: float, devices: Devices, truth: Truth, settings: DeviceSettings, state_out: DeviceState
) -> bool:
    """Evaluate sensors, quantities and limiters of a crane at the time ``now`` [s].

    See ``model/devices.py`` for the records. Returns whether the state of any limiter has changed.
    """
    passed = now - state_out.clock[0] if state_out.clock[0] >= 0.0 else 0.0
    state_out.clock[0] = now
    read_signals(passed, devices, truth, settings, state_out)
    read_sensors(now, passed, devices, settings, state_out)
    compute_quantities(now, devices.sensor_code.shape[0], devices, settings, state_out)
    return run_limiters(now, devices, settings, state_out)
