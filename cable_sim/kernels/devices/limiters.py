"""Limiters: state machines that watch one number each and forbid motions.

With the level l = x of a limiter that trips over a value, -x of one that trips under it, and warn
<= trip and reset <= trip turned likewise:

    ok, warning    l >= warn warns, until l < warn - (trip - reset)
    pending        since l >= trip, until that has lasted for the delay
    tripped        until l < reset has lasted for the delay: a load that bounces does not let it go
    latched        then, of one that latches, until somebody resets it; l >= trip trips it again
    invalid        x is NaN: acts as if tripped, at once; a latching one is latched afterwards
    bypassed       somebody has switched it off: it neither acts nor counts time

Tripped, latched and invalid ones act. Of all that act the smallest share and the strictest stop
count.
"""

from math import isnan

from cable_sim.kernels.devices.sensors import SOON
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState

OK, WARNING, PENDING, TRIPPED, LATCHED, BYPASSED, INVALID = range(7)
"""Values of ``limiter_state``."""
WATCHED, LATCHES, STOP, EMERGENCY = range(4)
"""Columns of ``limiter_code``: row of the value, flag, category of the stop or -1, flag of the
emergency brake."""
SIGN, WARN, TRIP, RESET, WAIT = range(5)
"""Columns of ``limiter_number``; levels with their sign turned where the limiter trips under them;
delay [s]."""
LIMITER, AXIS, SIDE = range(3)
"""Columns of ``block_code``; side 0 is the axis' positive sense."""
NO_STOP = -1


@kernel
def decide(
    now: float, i: int, devices: Devices, settings: DeviceSettings, memory: DeviceState
) -> tuple[int, float]:
    """Return the next state of limiter i, and a time [s].

    The time is the one since when it is pending, or at which a tripped limiter was too high last.
    """
    number = devices.limiter_number[i]
    level = number[SIGN] * memory.value[devices.limiter_code[i, WATCHED]]
    state, since = memory.limiter_state[i], memory.limiter_since[i]
    warn, trip = number[WARN], number[TRIP]
    if settings.limiter_bypass[i]:
        return BYPASSED, now
    if isnan(level):
        return INVALID, now
    if level >= trip:
        if state == TRIPPED or state == LATCHED or state == INVALID:
            return TRIPPED, now
        since = since if state == PENDING else now
        return (TRIPPED, now) if now - since >= number[WAIT] - SOON else (PENDING, since)
    if state == LATCHED:
        return LATCHED, since
    if state == TRIPPED or state == INVALID:
        if level >= number[RESET]:
            return TRIPPED, now
        if state == TRIPPED and now - since < number[WAIT] - SOON:
            return TRIPPED, since
        if devices.limiter_code[i, LATCHES]:
            return LATCHED, since
    eased = (
        warn - (trip - number[RESET])
        if state == WARNING or state == PENDING or state == TRIPPED
        else warn
    )
    return (WARNING if level >= eased else OK), since


@kernel
def acts(state: int) -> bool:
    """Return True if a limiter in that state forbids any motion."""
    return state == TRIPPED or state == LATCHED or state == INVALID


@kernel
def run_limiters(
    now: float, devices: Devices, settings: DeviceSettings, memory_out: DeviceState
) -> bool:
    """Update all limiters, the allowed share of speed per axis and sense, and the strictest stop.

    Returns whether any state has changed.
    """
    changed = False
    memory_out.stop[0] = NO_STOP
    memory_out.stop[1] = 0
    memory_out.allowed[:] = 1.0
    for i in range(memory_out.limiter_state.size):
        state, memory_out.limiter_since[i] = decide(now, i, devices, settings, memory_out)
        changed = changed or state != memory_out.limiter_state[i]
        memory_out.limiter_state[i] = state
        category = devices.limiter_code[i, STOP]
        if acts(memory_out.limiter_state[i]):
            memory_out.stop[1] = max(memory_out.stop[1], devices.limiter_code[i, EMERGENCY])
            if category != NO_STOP:
                memory_out.stop[0] = (
                    category if memory_out.stop[0] == NO_STOP else min(category, memory_out.stop[0])
                )
    for b in range(devices.block_share.size):
        if acts(memory_out.limiter_state[devices.block_code[b, LIMITER]]):
            axis = devices.block_code[b, AXIS]
            side = devices.block_code[b, SIDE]
            memory_out.allowed[axis, side] = min(
                memory_out.allowed[axis, side], devices.block_share[b]
            )
    return changed
