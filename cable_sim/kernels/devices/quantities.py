"""Quantities that a control computes from readings x with weights w: sums, extremes, shares, rates.

    sum, magnitude   f sum w x + c,  |f sum w x + c|
    least, largest   of f w x, + c
    larger share     max(L, R) / (L + R), L the sum of the positive w x, R that of the others,
                     without their sign; 1/2 while L + R is not above c
    chart share      Q / capacity(R), capacity = q_max up to r_full, then moment / (R - r0) - q0,
                     at most q_max
    rate             (x(t) - x(t - window)) / window, from a ring
    reach            f (w_1 + sum of the other w x) cos(x_1) + c, of an angle and lengths

f is 1, or what a control that is set up wrongly takes instead, as one that counts with a wrong
number of falls. NaN among the inputs, an invalid reading, makes NaN.
"""

from math import cos, isnan

from cable_sim.kernels.devices.sensors import TIME, VALUE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState

SUM, MAGNITUDE, LEAST, LARGEST, LARGER_SHARE, CHART_SHARE, CHANGE, REACH = range(8)
"""Values of ``quantity_kind``."""
OFFSET, Q_MAX, R_FULL, Q0, R0, MOMENT = range(6)
"""Columns of ``quantity_number``."""
LEAST_CAPACITY = 1.0
"""Least capacity, which takes the place of none beyond the end of a chart [kg]."""


@kernel
def capacity(
    radius: float, q_max: float, r_full: float, q0: float, r0: float, moment: float
) -> float:
    """Rated capacity [kg] at a radius: radii [m], ``q_max`` and ``q0`` [kg], ``moment`` [kg m]."""
    if radius <= r_full:
        return q_max
    return max(min(q_max, moment / (radius - r0) - q0), 0.0)


@kernel
def larger_share(left: float, right: float, least: float) -> float:
    """Return the larger of two parts over their sum; one half while that is not above ``least``."""
    total = left + right
    if isnan(total):
        return total
    return max(left, right) / total if total > least else 0.5


@kernel
def combine_inputs(
    kind: int,
    begin: int,
    end: int,
    factor: float,
    offset: float,
    devices: Devices,
    state: DeviceState,
) -> float:
    """Return a quantity of one of the first five kinds, of the inputs ``begin`` to ``end``."""
    total = 0.0
    left = 0.0
    right = 0.0
    least = float("inf")
    largest = -float("inf")
    for e in range(begin, end):
        x = factor * devices.quantity_weight[e] * state.value[devices.quantity_input[e]]
        total += x
        least = min(least, x)
        largest = max(largest, x)
        if x > 0.0:
            left += x
        else:
            right -= x
    if isnan(total):
        return total
    if kind == LEAST:
        return least + offset
    if kind == LARGEST:
        return largest + offset
    if kind == LARGER_SHARE:
        return larger_share(left, right, offset)
    return abs(total + offset) if kind == MAGNITUDE else total + offset


@kernel
def rate_of_change(
    now: float, x: float, begin: int, end: int, count: int, ring_out: Floats
) -> float:
    """Put x into the ring and return its rate over the ring's length; 0 at first."""
    size = end - begin
    ring_out[begin + count % size, TIME] = now
    ring_out[begin + count % size, VALUE] = x
    oldest = begin + (count + 1) % size if count + 1 >= size else begin
    passed = now - ring_out[oldest, TIME]
    return (x - ring_out[oldest, VALUE]) / passed if passed > 0.0 else 0.0 * x


@kernel
def chart_share(factor: float, load: float, radius: float, number: Floats) -> float:
    """Return the share of a load in the capacity at a radius; NaN of a radius that is invalid."""
    rated = capacity(radius, number[Q_MAX], number[R_FULL], number[Q0], number[R0], number[MOMENT])
    share = factor * load / max(rated, LEAST_CAPACITY)
    return radius if isnan(radius) else share


@kernel
def reach(
    begin: int, end: int, factor: float, offset: float, devices: Devices, state: DeviceState
) -> float:
    """Return the radius of the head of a boom [m]: first input an angle, the others lengths."""
    length = devices.quantity_weight[begin]
    for e in range(begin + 1, end):
        length += devices.quantity_weight[e] * state.value[devices.quantity_input[e]]
    return factor * length * cos(state.value[devices.quantity_input[begin]]) + offset


@kernel
def compute_quantities(
    now: float, sensors: int, devices: Devices, settings: DeviceSettings, state_out: DeviceState
) -> None:
    """Compute all quantities in order, behind the readings of the ``sensors`` in ``value_out``."""
    for q in range(devices.quantity_kind.size):
        begin = devices.quantity_input_start[q]
        end = devices.quantity_input_start[q + 1]
        kind = devices.quantity_kind[q]
        number = devices.quantity_number[q]
        factor = settings.quantity_factor[q]
        if kind == CHANGE:
            x = factor * state_out.value[devices.quantity_input[begin]]
            first = devices.quantity_ring_start[q]
            last = devices.quantity_ring_start[q + 1]
            result = rate_of_change(
                now, x, first, last, state_out.quantity_count[q], state_out.ring
            )
            state_out.quantity_count[q] += 1
        elif kind == CHART_SHARE:
            load = state_out.value[devices.quantity_input[begin]]
            radius = state_out.value[devices.quantity_input[begin + 1]]
            result = chart_share(factor, load, radius, number)
        elif kind == REACH:
            result = reach(begin, end, factor, number[OFFSET], devices, state_out)
        else:
            result = combine_inputs(kind, begin, end, factor, number[OFFSET], devices, state_out)
        state_out.value[sensors + q] = result
