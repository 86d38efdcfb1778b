"""Prescribed motions: tables over time, read with linear interpolation and held before and after.

A prescribed body moves with the table's value at the middle of a step: for a linear piece that is the mean over the
step, so the body's position is the table's integral exactly. A drive's target is read at the end of the step.
"""

from cable_sim.kernels.jit import inner


@inner
def locate(times, begin, end, t):
    """Piece of the table rows begin ... end - 1 that holds t, and the fraction along it, both held at the ends."""
    if t <= times[begin]:
        return begin, 0.0
    for k in range(begin, end - 1):
        if t < times[k + 1]:
            return k, (t - times[k]) / (times[k + 1] - times[k])
    return end - 1, 0.0


@inner
def interpolate(times, values, begin, end, t, i):
    """Column i of the table at time t."""
    k, fraction = locate(times, begin, end, t)
    if fraction == 0.0:
        return values[k, i]
    return (1.0 - fraction) * values[k, i] + fraction * values[k + 1, i]


@inner
def apply(
    time, h,
    # Model
    motion_body, motion_drive, motion_start, motion_time, motion_value,
    # Out
    prescribed_velocity_out, drive_target_out,
):  # fmt: skip
    """Velocities of the prescribed bodies and targets of the drives that have a motion, for the step after ``time``."""
    for m in range(motion_body.size):
        begin, end = motion_start[m], motion_start[m + 1]
        if motion_body[m] >= 0:
            for i in range(6):
                prescribed_velocity_out[motion_body[m], i] = interpolate(
                    motion_time, motion_value, begin, end, time + 0.5 * h, i
                )
        else:
            drive_target_out[motion_drive[m]] = interpolate(motion_time, motion_value, begin, end, time + h, 0)
