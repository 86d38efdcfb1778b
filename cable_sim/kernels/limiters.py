"""Limiters: state machines that watch one number each and forbid motions.

With the level l = x of a limiter that trips over a value, -x of one that trips under it, and warn <= trip and reset <=
trip turned likewise:

    ok, warning    l >= warn warns, until l < warn - (trip - reset)
    pending        since l >= trip, until that has lasted for the delay
    tripped        until l < reset has lasted for the delay: a load that bounces does not let it go
    latched        then, of one that latches, until somebody resets it; l >= trip trips it again
    invalid        x is NaN: acts as if tripped, at once; a latching one is latched afterwards
    bypassed       somebody has switched it off: it neither acts nor counts time

Tripped, latched and invalid ones act. Of all that act the smallest share and the strictest stop count.
"""

from math import isnan

from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.sensors import SOON

OK, WARNING, PENDING, TRIPPED, LATCHED, BYPASSED, INVALID = range(7)
"""Values of ``limiter_state``."""
WATCHED, LATCHES, STOP, EMERGENCY = range(4)
"""Columns of ``limiter_code``: row of the value, flag, category of the stop or -1, flag of the emergency brake."""
SIGN, WARN, TRIP, RESET, WAIT = range(5)
"""Columns of ``limiter_number``; levels with their sign turned where the limiter trips under them; delay [s]."""
LIMITER, AXIS, SIDE = range(3)
"""Columns of ``block_code``; side 0 is the axis' positive sense."""
NO_STOP = -1


@kernel
def decide(now, level, bypassed, latches, warn, trip, reset, wait, state, since):
    """The next state, and a time [s]: since when it is pending, or when a tripped limiter was too high last."""
    if bypassed:
        return BYPASSED, now
    if isnan(level):
        return INVALID, now
    if level >= trip:
        if state == TRIPPED or state == LATCHED or state == INVALID:
            return TRIPPED, now
        since = since if state == PENDING else now
        return (TRIPPED, now) if now - since >= wait - SOON else (PENDING, since)
    if state == LATCHED:
        return LATCHED, since
    if state == TRIPPED or state == INVALID:
        if level >= reset:
            return TRIPPED, now
        if state == TRIPPED and now - since < wait - SOON:
            return TRIPPED, since
        if latches:
            return LATCHED, since
    eased = warn - (trip - reset) if state == WARNING or state == PENDING or state == TRIPPED else warn
    return (WARNING if level >= eased else OK), since


@inner
def acts(state):
    """Whether a limiter in that state forbids anything."""
    return state == TRIPPED or state == LATCHED or state == INVALID


@inner
def run_limiters(
    now,
    # Model
    limiter_code, limiter_number, block_code, block_share,
    # State
    value, limiter_bypass,
    # Out
    limiter_since_out, limiter_state_out, allowed_out, stop_out,
):  # fmt: skip
    """States of all limiters, what share of its speed each axis may have each way, and the strictest stop.

    Returns whether any state has changed.
    """
    changed = False
    stop_out[0], stop_out[1], allowed_out[:] = NO_STOP, 0, 1.0
    for i in range(limiter_state_out.size):
        level = limiter_number[i, SIGN] * value[limiter_code[i, WATCHED]]
        state, limiter_since_out[i] = decide(
            now, level, limiter_bypass[i], limiter_code[i, LATCHES], limiter_number[i, WARN], limiter_number[i, TRIP],
            limiter_number[i, RESET], limiter_number[i, WAIT], limiter_state_out[i], limiter_since_out[i],
        )  # fmt: skip
        changed = changed or state != limiter_state_out[i]
        limiter_state_out[i] = state
        category = limiter_code[i, STOP]
        if acts(limiter_state_out[i]):
            stop_out[1] = max(stop_out[1], limiter_code[i, EMERGENCY])
            if category != NO_STOP:
                stop_out[0] = category if stop_out[0] == NO_STOP else min(category, stop_out[0])
    for b in range(block_share.size):
        if acts(limiter_state_out[block_code[b, LIMITER]]):
            axis, side = block_code[b, AXIS], block_code[b, SIDE]
            allowed_out[axis, side] = min(allowed_out[axis, side], block_share[b])
    return changed
