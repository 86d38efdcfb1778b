"""Prescribed motions: tables over time of velocities, targets or poses, and poses as sums of sines.

*Rates*: a step ends with the table's value at its end, of a prescribed body's velocity and of a
drive's target. Tables are read with linear interpolation and held before and after. Between two
steps a velocity goes evenly from the one to the other (``instant.py``), so that the body's position
is the integral of a linear piece exactly.

*Poses*: an offset X(t) from the pose (p_0, R_0) of the scene, in that frame: x, y, z [m] and roll,
pitch, yaw [rad],

    p = p_0 + R_0 (x, y, z),        R = R_0 R_z(yaw) R_y(pitch) R_x(roll).

X is a table's cubic from row to row, by values and slopes, held before and after, plus

    sum_k A_k cos(w_k t) + B_k sin(w_k t),

times the ramp s^2 (3 - 2 s), s = t / T up to 1. The poses of a state belong to a time that leads by
L (``lead_time``). So the velocity of the step is

    v = (p(t + h + L) - p) / h,        w = log(R(t + h + L) R^T) / h:

the body gets to the pose of the table, whatever rounding left before, and there is no drift. With L
= h / 2 it is the mean over a step around the time of the velocity, X' + h^2 X''' / 24. What is read
is the pose X(t) itself.
"""

from math import atan2, cos, sin

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import compose, exp, load_quaternion, normalise, rotate
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, load, norm, scale, store, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyControl, BodyState, Motions
from cable_sim.kernels.records.drives import DriveControl


@kernel
def locate_time(times: Floats, begin: int, end: int, t: float) -> tuple[int, float]:
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
def interpolate_column(values: Floats, k: int, fraction: float, i: int) -> float:
    """Column i of the table at a fraction along piece k."""
    if fraction == 0.0:
        return values[k, i]
    return (1.0 - fraction) * values[k, i] + fraction * values[k + 1, i]


@kernel
def interpolate_smoothly(motions: Motions, k: int, fraction: float, i: int) -> float:
    """Column i of a table of poses at a fraction along piece k: the cubic of values and slopes."""
    if fraction == 0.0:
        return motions.value[k, i]
    left = 1.0 - fraction
    span = motions.time[k + 1] - motions.time[k]
    return (
        left * left * (1.0 + 2.0 * fraction) * motions.value[k, i]
        + fraction * fraction * (1.0 + 2.0 * left) * motions.value[k + 1, i]
        + span * left * fraction * (left * motions.slope[k, i] - fraction * motions.slope[k + 1, i])
    )


@kernel
def sum_sines(motions: Motions, m: int, t: float) -> tuple[Vector, Vector]:
    """Return the displacement [m] and the angles [rad] that the sines of motion m add up to."""
    shift = ZERO
    angles = ZERO
    for k in range(motions.sine_start[m], motions.sine_start[m + 1]):
        row = motions.sine[k]
        c = cos(row[0] * t)
        s = sin(row[0] * t)
        shift = add(
            shift, (c * row[1] + s * row[7], c * row[2] + s * row[8], c * row[3] + s * row[9])
        )
        angles = add(
            angles, (c * row[4] + s * row[10], c * row[5] + s * row[11], c * row[6] + s * row[12])
        )
    return shift, angles


@kernel
def ramp_share(t: float, duration: float) -> float:
    """Return the share of a motion that is let in at a time [-], without a jump of its rate."""
    if t >= duration:
        return 1.0
    s = max(t, 0.0) / duration
    return s * s * (3.0 - 2.0 * s)


@kernel
def pose_offset(motions: Motions, m: int, t: float) -> tuple[Vector, Vector]:
    """Return the displacement [m] and the angles [rad] of motion m at a time [s]."""
    shift, angles = sum_sines(motions, m, t)
    begin = motions.start[m]
    end = motions.start[m + 1]
    if begin < end:
        k, part = locate_time(motions.time, begin, end, t)
        shift = add(
            shift,
            (
                interpolate_smoothly(motions, k, part, 0),
                interpolate_smoothly(motions, k, part, 1),
                interpolate_smoothly(motions, k, part, 2),
            ),
        )
        angles = add(
            angles,
            (
                interpolate_smoothly(motions, k, part, 3),
                interpolate_smoothly(motions, k, part, 4),
                interpolate_smoothly(motions, k, part, 5),
            ),
        )
    share = ramp_share(t, motions.ramp[m])
    return scale(share, shift), scale(share, angles)


@kernel
def pose_at(motions: Motions, m: int, t: float) -> tuple[Vector, tuple[float, float, float, float]]:
    """Return position [m] and orientation of the body of motion m at a time [s]."""
    shift, angles = pose_offset(motions, m, t)
    turned = compose(
        exp((0.0, 0.0, angles[2])), compose(exp((0.0, angles[1], 0.0)), exp((angles[0], 0.0, 0.0)))
    )
    start = load_quaternion(motions.orientation, m)
    position = add(load(motions.position, m), rotate(start, shift))
    return position, normalise(compose(start, turned))


@kernel
def rotation_vector(q: tuple[float, float, float, float]) -> Vector:
    """Return the rotation vector of a quaternion, the shorter way round [rad]."""
    u = (q[1], q[2], q[3])
    if q[0] < 0.0:
        u = scale(-1.0, u)
    length = norm(u)
    return scale(2.0 * atan2(length, abs(q[0])) / length, u) if length > 0.0 else ZERO


@kernel
def set_velocity_to_pose(
    h: float,
    position: Vector,
    orientation: tuple[float, float, float, float],
    b: int,
    body_state: BodyState,
    body_control_out: BodyControl,
) -> None:
    """Set the velocities of body b that bring it to a pose in a step."""
    q = load_quaternion(body_state.orientation, b)
    way = rotation_vector(compose(orientation, (q[0], -q[1], -q[2], -q[3])))
    linear = scale(1.0 / h, sub(position, load(body_state.position, b)))
    store(linear, b, body_control_out.prescribed_velocity)
    store(scale(1.0 / h, way), b, body_control_out.prescribed_velocity[:, 3:])


@kernel
def apply_motions(
    time: float,
    h: float,
    lead: float,
    motions: Motions,
    body_state: BodyState,
    body_control_out: BodyControl,
    drive_control_out: DriveControl,
) -> None:
    """Set velocities of prescribed bodies and targets of drives that have a motion.

    They are those for the step after ``time``. Poses lead by ``lead`` [s].
    """
    for m in range(motions.body.size):
        if motions.poses[m]:
            position, orientation = pose_at(motions, m, time + h + lead)
            set_velocity_to_pose(
                h, position, orientation, motions.body[m], body_state, body_control_out
            )
            continue
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


@kernel
def place_bodies(t: float, motions: Motions, body_state_out: BodyState) -> None:
    """Place the bodies whose motion is given as poses at those of a time [s]."""
    for m in range(motions.body.size):
        if motions.poses[m]:
            position, orientation = pose_at(motions, m, t)
            b = motions.body[m]
            store(position, b, body_state_out.position)
            for i in range(4):
                body_state_out.orientation[b, i] = orientation[i]
