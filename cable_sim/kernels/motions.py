"""Prescribed motions: tables over time, read with linear interpolation and held before and after.

A prescribed body moves with the table's value at the middle of a step: for a linear piece that is
the mean over the step, so the body's position is the table's integral exactly. A drive's target is
read at the end of the step.
"""

from cable_sim.kernels.jit import kernel


@kernel
def locate_time(times, begin, end, t):
    """Return the piece of table rows begin ... end - 1 that holds t, and the fraction along it.

    Both are held at the ends of the table.
    """
    if t <= times[begin]:
        return begin, 0.0
    if t >= times[end - 1]:
        return end - 1, 0.0
    k = begin
    behind = end - 1
    while behind - k > 1:
        middle = (k + behind) // 2
        if t < times[middle]:
            behind = middle
        else:
            k = middle
    return k, (t - times[k]) / (times[k + 1] - times[k])


@kernel
def interpolate_column(values, k, fraction, i):
    """Column i of the table at a fraction along piece k."""
    if fraction == 0.0:
        return values[k, i]
    return (1.0 - fraction) * values[k, i] + fraction * values[k + 1, i]


@kernel
def apply_motions(time, h, motions, body_control_out, drive_control_out):
    """Set velocities of prescribed bodies and targets of drives that have a motion.

    They are those for the step after ``time``.
    """
    for m in range(motions.body.size):
        begin = motions.start[m]
        end = motions.start[m + 1]
        if motions.body[m] >= 0:
            k, fraction = locate_time(motions.time, begin, end, time + 0.5 * h)
            for i in range(6):
                body_control_out.prescribed_velocity[motions.body[m], i] = interpolate_column(
                    motions.value, k, fraction, i
                )
        else:
            k, fraction = locate_time(motions.time, begin, end, time + h)
            drive_control_out.target[motions.drive[m]] = interpolate_column(
                motions.value, k, fraction, 0
            )
