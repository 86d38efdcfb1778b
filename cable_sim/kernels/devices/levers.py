"""Levers at work: from the deflection of a lever to a share of the axis' largest speed.

With the dead band b, the share of the way beyond it is x = max(|deflection| - b, 0) / (1 - b). An
analogue lever gives x to the power of its exponent. With n contactor steps x asks for step ceil(n
x). They go down at once, and up one by one, each after its time on the last step. Across the middle
they begin anew.
"""

from math import ceil, copysign

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.machine import Levers, MachineState

DEAD_BAND, EXPONENT, STEP_TIME = range(3)
"""Columns of ``levers.number``; the last in [s]."""
SOON = 1e-9
"""Tolerance of times [s], which are sums of ticks."""
INFINITE = float("inf")


@kernel
def reset_lever(i: int, state_out: MachineState) -> None:
    """Go back to the middle."""
    state_out.lever_step[i] = 0
    state_out.lever_time[i] = INFINITE


@kernel
def switch_step(
    i: int, wanted: int, passed: float, step_time: float, state_out: MachineState
) -> None:
    """Change the step of lever i towards the wanted one, ``passed`` seconds after the last time."""
    state_out.lever_time[i] += passed
    if wanted * state_out.lever_step[i] < 0 or wanted == 0:
        reset_lever(i, state_out)
    step = state_out.lever_step[i]
    if abs(wanted) <= abs(step):
        state_out.lever_time[i] = 0.0 if wanted != step else state_out.lever_time[i]
        state_out.lever_step[i] = wanted
    elif state_out.lever_time[i] >= step_time - SOON:
        state_out.lever_step[i] += 1 if wanted > 0 else -1
        state_out.lever_time[i] = 0.0


@kernel
def lever_share(
    i: int, deflection: float, passed: float, levers: Levers, state_out: MachineState
) -> float:
    """Return the share of the largest speed, -1 ... 1, at a deflection; beyond the ends it is that
    of an end."""
    band = levers.number[i, DEAD_BAND]
    share = max(min(abs(deflection), 1.0) - band, 0.0) / (1.0 - band)
    begin = levers.step_start[i]
    count = levers.step_start[i + 1] - begin
    if count == 0:
        return copysign(share ** levers.number[i, EXPONENT], deflection)
    wanted = int(copysign(ceil(share * count), deflection))
    switch_step(i, wanted, passed, levers.number[i, STEP_TIME], state_out)
    step = state_out.lever_step[i]
    if step == 0:
        return 0.0
    return copysign(levers.step[begin + abs(step) - 1], step)
