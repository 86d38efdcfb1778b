"""Sensors: from a signal x to the reading of a control.

    filter      y' = (x - y) / tau, exact for an x that holds since the last look
    sampling    sample k at the first look at or after k / rate
    errors      s = scale y + bias + drift (t - t_fault) + sigma N(k), the last of ``noise.py``
    limits      clipped to the range, then rounded to a multiple of the quantum
    drop-out    sample k is lost when chance(k) is below the probability
    delay       the reading at t is the newest sample that was taken at t - delay or before

A sensor has been running before the start: its first sample is its reading at once, and is not
lost. A frozen one goes on to send the sample that it sent last; a dead one has no reading (NaN),
and neither has one whose newest sample is older than its timeout. Delayed samples wait in a ring,
with the time at which they were taken.
"""

from math import exp, floor

from cable_sim.kernels.devices.noise import chance, normal
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState

SIGNAL, SEED, STREAM = range(3)
"""Columns of ``sensor_code``: signal that is measured, key and stream of the noise."""
FREQUENCY, DELAY, FILTER, NOISE, QUANTUM, BIAS, DROPOUT, LOWER, UPPER, TIMEOUT = range(10)
"""Columns of ``sensor_number``: [Hz], [s], [s], of the signal's unit, probability, of the signal's
unit, [s]."""
FROZEN, DEAD, FAULT_SCALE, FAULT_BIAS, DRIFT, SINCE = range(6)
"""Columns of ``sensor_fault``: two flags, factor, offset in the signal's unit, drift per second,
time at which it began [s]."""
NEXT, SENT, ARRIVED = range(3)
"""Columns of ``sensor_count``: number of the next sample, how many were sent, and how many have
arrived."""
FILTERED, LAST, READING, TAKEN = range(4)
"""Columns of ``sensor_memory``: filtered signal, sample sent last, reading, and when that was taken
[s]."""
TIME = 0
VALUE = 1
"""Columns of rings."""
MOST_QUANTA = 2.0**53
"""Number of quanta from which on a float has no finer digits than the quantum. No integer could
count them."""
SOON = 1e-9
"""Tolerance within which two times are the same, because of rounding [s]."""


@kernel
def low_pass(x: float, before: float, passed: float, tau: float) -> float:
    """The signal behind its low-pass filter, ``passed`` seconds later."""
    if tau == 0.0 or passed == 0.0:
        return x if tau == 0.0 else before
    return x + (before - x) * exp(-passed / tau)


@kernel
def quantise(value: float, quantum: float, lower: float, upper: float) -> float:
    """Clip a value to the range and round it to a multiple of the quantum.

    A value that is not finite stays.
    """
    value = min(max(value, lower), upper)
    finer = not (quantum > 0.0 and abs(value) < MOST_QUANTA * quantum)
    return value if finer else quantum * floor(value / quantum + 0.5)


@kernel
def measure(
    now: float, i: int, k: int, signal: float, devices: Devices, settings: DeviceSettings
) -> float:
    """Return sample k of sensor i."""
    value = (
        settings.sensor_fault[i, FAULT_SCALE] * signal
        + devices.sensor_number[i, BIAS]
        + settings.sensor_fault[i, FAULT_BIAS]
    )
    value += settings.sensor_fault[i, DRIFT] * (now - settings.sensor_fault[i, SINCE])
    if devices.sensor_number[i, NOISE] > 0.0:
        value += devices.sensor_number[i, NOISE] * normal(
            devices.sensor_code[i, SEED], k, devices.sensor_code[i, STREAM]
        )
    return quantise(
        value,
        devices.sensor_number[i, QUANTUM],
        devices.sensor_number[i, LOWER],
        devices.sensor_number[i, UPPER],
    )


@kernel
def is_lost(i: int, k: int, sensor_code: Ints, sensor_number: Floats) -> bool:
    """Return True if sample k of sensor i drops out."""
    p = sensor_number[i, DROPOUT]
    return p > 0.0 and chance(sensor_code[i, SEED], k, sensor_code[i, STREAM]) < p


@kernel
def take_sample(
    now: float, i: int, devices: Devices, settings: DeviceSettings, state_out: DeviceState
) -> None:
    """Take the sample of sensor i that is due, if one is, and put it into the ring."""
    k = int(floor(now * devices.sensor_number[i, FREQUENCY] + 1e-6))
    first = state_out.sensor_count[i, SENT] == 0
    if not first and k < state_out.sensor_count[i, NEXT]:
        return
    state_out.sensor_count[i, NEXT] = k + 1
    if not first and is_lost(i, k, devices.sensor_code, devices.sensor_number):
        return
    if first or settings.sensor_fault[i, FROZEN] == 0.0:
        signal = state_out.sensor_memory[i, FILTERED]
        state_out.sensor_memory[i, LAST] = measure(now, i, k, signal, devices, settings)
    begin = devices.sensor_ring_start[i]
    place = begin + state_out.sensor_count[i, SENT] % (devices.sensor_ring_start[i + 1] - begin)
    state_out.ring[place, TIME] = now
    state_out.ring[place, VALUE] = state_out.sensor_memory[i, LAST]
    state_out.sensor_count[i, SENT] += 1


@kernel
def receive_reading(
    now: float, i: int, devices: Devices, settings: DeviceSettings, state_out: DeviceState
) -> float:
    """Return the reading of sensor i: the newest arrived sample; NaN when dead or stale."""
    begin = devices.sensor_ring_start[i]
    latest = now - devices.sensor_number[i, DELAY] + SOON
    while state_out.sensor_count[i, ARRIVED] < state_out.sensor_count[i, SENT]:
        place = begin + state_out.sensor_count[i, ARRIVED] % (
            devices.sensor_ring_start[i + 1] - begin
        )
        if state_out.ring[place, TIME] > latest and state_out.sensor_count[i, ARRIVED] > 0:
            break
        state_out.sensor_memory[i, READING] = state_out.ring[place, VALUE]
        state_out.sensor_memory[i, TAKEN] = state_out.ring[place, TIME]
        state_out.sensor_count[i, ARRIVED] += 1
    stale = now - state_out.sensor_memory[i, TAKEN] > devices.sensor_number[i, TIMEOUT] + SOON
    return (
        float("nan")
        if stale or settings.sensor_fault[i, DEAD] != 0.0
        else state_out.sensor_memory[i, READING]
    )


@kernel
def read_sensors(
    now: float, passed: float, devices: Devices, settings: DeviceSettings, state_out: DeviceState
) -> None:
    """Compute the readings of all sensors."""
    for i in range(devices.sensor_code.shape[0]):
        x = state_out.truth[devices.sensor_code[i, SIGNAL]]
        before = state_out.sensor_memory[i, FILTERED] if state_out.sensor_count[i, SENT] > 0 else x
        state_out.sensor_memory[i, FILTERED] = low_pass(
            x, before, passed, devices.sensor_number[i, FILTER]
        )
        take_sample(now, i, devices, settings, state_out)
        state_out.value[i] = receive_reading(now, i, devices, settings, state_out)
