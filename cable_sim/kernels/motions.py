"""Prescribed motions: tables over time, read with linear interpolation and held before and after.

A step ends with the table's value at its end, of a prescribed body's velocity and of a drive's
target. Between two steps a velocity goes evenly from the one to the other (``instant.py``), so that
the body's position is the integral of a linear piece exactly.
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
        k, fraction = locate_time(motions.time, motions.start[m], motions.start[m + 1], time + h)
        if motions.body[m] < 0:
            drive_control_out.target[motions.drive[m]] = interpolate_column(
                motions.value, k, fraction, 0
            )
            continue
        for i in range(6):
            body_control_out.prescribed_velocity[motions.body[m], i] = interpolate_column(
                motions.value, k, fraction, i
            )
