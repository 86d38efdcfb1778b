"""Rigid bodies: free velocities, inverse inertia in the world, and the step to the next pose.

Newton and Euler for each body, with impulses P of the constraints (rows, see ``rows.py``):

    m v+ = m v + h F + P_lin,    I w+ = I w + h tau + P_ang,    I = R I_b R^T at the old pose,

which is eq. 11-12 of Servin & Lacoursiere 2007 and eq. 7-8 of Servin et al. 2011 row by row. The
gyroscopic term is not added as a force. Instead the angular momentum L = I w+ is carried to the new
pose: the body turns freely for the step while L stands still in the world, and w' = R' I_b^-1 R'^T
L.

*Free rotation* has the energy sum_k L_k^2 / (2 I_k), L_k the components of L along the principal
axes. With b the axis of the middle moment and a, c the others, a the one with the larger |d_a|,

    H = L^2 / (2 I_b) + d_a L_a^2 / 2 + d_c L_c^2 / 2,        d_k = 1 / I_k - 1 / I_b.

Each term alone is solved exactly: the first turns the body about L at the rate |L| / I_b, the
others about its own axis k at the rate d_k L_k, and none of them changes L in the world. The first
commutes with all. So the step is

    R' = exp(h L / I_b) R A(h/2) C(h) A(h/2),
    A(t) = exp(t d_a L_a e_a) with the L_a of the moment, C alike

(Touma & Wisdom 1994 and Dullweber, Leimkuhler & McLachlan 1997 split alike). It is a composition of
flows, symmetric: L is kept to rounding, it is of second order, can be run backwards, and what it
conserves exactly is an energy near H, so that the error of H is bounded for ever: by about h^2 |d_a
d_c| L^2 / 12 of it. For a symmetric body d_c = 0: the step is exact. A step with h sqrt(|d_a d_c|)
|L| above SPLIT is divided, which depends on what is conserved alone. The middle moment is the best
choice: any other b has a larger |d_a d_c|.

A row of the body arrays is the world (row 0), a rigid body, or a winch: a winch is a body that
moves along one line, its coordinate the first component of position and velocity; its other
components stay zero. A COUPLING couples two rows as a body of one coordinate would
(``cables/particles/particles.py``), a JUNCTION several as one of three would
(``cables/crossing/crossing_rows.py``); these never move. Velocities are (n, 6): linear [m/s], then
angular [rad/s], in the world frame.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import (
    combine,
    compose,
    exp,
    half_turn,
    load_quaternion,
    multiply3,
    normalise,
    rotate,
    rotate_back,
    swing,
)
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    cross,
    dot,
    load,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import Bodies, BodyControl, BodyState, BodyWork, Moving
from cable_sim.kernels.status import NOT_FINITE, SOLVED, TOO_FAST

DYNAMIC = 1
PRESCRIBED = 2
WINCH = 3
COUPLING = 4
JUNCTION = 5
"""Values of ``body_kind``; the world has 0."""
SPLIT = 0.125
"""Largest h sqrt(|d_a d_c|) |L| of one part of a step: keeps the energy of any tumbling body to 0.3
%."""
MOST_PARTS = 1000.0
"""Most parts of a step. A body that turns faster is not resolved, but still keeps L."""
FASTEST = 1e5
"""Largest component of a body's velocity [m/s, rad/s]: nine times the escape velocity of the earth,
a million turns a minute. A faster body belongs to a scene that has come apart, whose numbers would
grow until sums lose all others."""
LARGEST = 1.7976931348623157e308
"""The largest number."""


@kernel
def angular_velocity(
    body_inverse_inertia: Floats, i: int, q: tuple[float, float, float, float], momentum: Vector
) -> Vector:
    """w = R I_b^-1 R^T L [rad/s] of body i with angular momentum L in the world [kg m^2/s]."""
    return rotate(q, multiply3(body_inverse_inertia, i, rotate_back(q, momentum)))


@kernel
def world_inverse_inertia(bodies: Bodies, body_state: BodyState, body_work_out: BodyWork) -> None:
    """Fill R I_b^-1 R^T of every dynamic body [1/(kg m^2)]; that of others stays zero.

    It is filled column by column.
    """
    for i in range(bodies.kind.size):
        if bodies.kind[i] != DYNAMIC:
            continue
        q = load_quaternion(body_state.orientation, i)
        for k in range(3):
            unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            column = angular_velocity(bodies.inverse_inertia, i, q, unit)
            for j in range(3):
                body_work_out.inverse_inertia[i, j, k] = column[j]


@kernel
def free_velocities(
    h: float,
    gravity: Vector,
    bodies: Bodies,
    body_state: BodyState,
    body_control: BodyControl,
    body_work_out: BodyWork,
) -> None:
    """Fill the velocities after a step without constraints: v + h M^-1 F, or as prescribed."""
    for i in range(bodies.kind.size):
        if bodies.kind[i] == DYNAMIC:
            force = load(body_control.wrench, i)
            torque = load(body_control.wrench[:, 3:], i)
            linear = axpy(
                h * bodies.inverse_mass[i], force, axpy(h, gravity, load(body_state.velocity, i))
            )
            angular = axpy(
                h,
                multiply3(body_work_out.inverse_inertia, i, torque),
                load(body_state.velocity[:, 3:], i),
            )
            store(linear, i, body_work_out.next_velocity)
            store(angular, i, body_work_out.next_velocity[:, 3:])
        elif bodies.kind[i] == PRESCRIBED:
            for k in range(6):
                body_work_out.next_velocity[i, k] = body_control.prescribed_velocity[i, k]
        else:
            for k in range(6):
                body_work_out.next_velocity[i, k] = body_state.velocity[i, k]


@kernel
def count_turn_parts(h: float, along: float, across: float, momentum: Vector) -> int:
    """Return the number of equal parts of a step of free rotation.

    ``along`` and ``across`` are d_a and d_c.
    """
    square = h * h * abs(along * across) * dot(momentum, momentum)
    return 1 if square <= SPLIT * SPLIT else 1 + int(min(sqrt(square) / SPLIT, MOST_PARTS))


@kernel
def rotate_in_parts(
    h: float, along: float, across: float, momentum: Vector
) -> tuple[tuple[float, float, float, float], Vector]:
    """A(h/2) C(h) A(h/2): the turn as a quaternion and L after it, along the principal axes a, c,
    b."""
    x, y, z = momentum
    first = half_turn(0.5 * h * along * x)
    y, z = swing(first, y, z)
    middle = half_turn(h * across * y)
    z, x = swing(middle, z, x)
    last = half_turn(0.5 * h * along * x)
    y, z = swing(last, y, z)
    together = combine(first, last)
    apart = combine(first, (last[0], -last[1]))
    turn = (
        middle[0] * together[0],
        middle[0] * together[1],
        middle[1] * apart[0],
        middle[1] * apart[1],
    )
    return turn, (x, y, z)


@kernel
def rotate_freely(
    h: float, inverse_moments: Vector, momentum: Vector
) -> tuple[tuple[float, float, float, float], Vector]:
    """Return the turn of a free body as a quaternion, and L after it.

    Both are along its principal axes a, c, b.
    """
    common = inverse_moments[2]
    along = inverse_moments[0] - common
    across = inverse_moments[1] - common
    count = count_turn_parts(h, along, across, momentum)
    turn, momentum = rotate_in_parts(h / count, along, across, momentum)
    for _ in range(count - 1):
        further, momentum = rotate_in_parts(h / count, along, across, momentum)
        turn = compose(turn, further)
    return compose(turn, exp(scale(h * common, momentum))), momentum


@kernel
def body_angular_velocity(
    body_axes: Floats, i: int, inverse_moments: Vector, momentum: Vector
) -> Vector:
    """Return the angular velocity of body i in its own frame [rad/s] from L.

    L is given along its principal axes.
    """
    along = (
        inverse_moments[0] * momentum[0],
        inverse_moments[1] * momentum[1],
        inverse_moments[2] * momentum[2],
    )
    return multiply3(body_axes, i, along)


@kernel
def advance(
    h: float, bodies: Bodies, velocity: Floats, body_state: BodyState, body_state_out: BodyState
) -> None:
    """Move every body by a velocity (b, 6), and carry its angular momentum to the new
    orientation.

    ``body_state_out`` may be ``body_state`` itself.
    """
    for i in range(1, bodies.kind.size):
        if bodies.kind[i] == COUPLING or bodies.kind[i] == JUNCTION:
            continue
        linear = load(velocity, i)
        angular = load(velocity[:, 3:], i)
        store(axpy(h, linear, load(body_state.position, i)), i, body_state_out.position)
        store(linear, i, body_state_out.velocity)
        if bodies.kind[i] == WINCH:
            continue
        q = load_quaternion(body_state.orientation, i)
        if bodies.kind[i] == PRESCRIBED:
            turned = normalise(compose(exp(scale(h, angular)), q))
            carried = angular
        else:
            inverse = load(bodies.inverse_moments, i)
            turn, momentum = rotate_freely(
                h, inverse, multiply3(bodies.momentum, i, rotate_back(q, angular))
            )
            own = multiply3(bodies.axes, i, (turn[1], turn[2], turn[3]))
            turned = normalise(compose(q, (turn[0], own[0], own[1], own[2])))
            spin = body_angular_velocity(bodies.axes, i, inverse, momentum)
            left = sub(
                momentum, multiply3(bodies.momentum, i, spin)
            )  # of roundings that are the same in every step
            carried = rotate(
                turned, add(spin, body_angular_velocity(bodies.axes, i, inverse, left))
            )
        body_state_out.orientation[i, 0], body_state_out.orientation[i, 1] = turned[0], turned[1]
        body_state_out.orientation[i, 2], body_state_out.orientation[i, 3] = turned[2], turned[3]
        store(carried, i, body_state_out.velocity[:, 3:])


@kernel
def check_speeds(body_kind: Ints, velocity: Floats) -> int:
    """Return TOO_FAST if a velocity is above FASTEST, and NOT_FINITE if one is not finite."""
    flags = SOLVED
    for i in range(body_kind.size):
        most = FASTEST if body_kind[i] <= WINCH else LARGEST
        for k in range(6):
            speed = abs(velocity[i, k])
            if not speed <= most:
                flags |= TOO_FAST if speed <= LARGEST else NOT_FINITE
    return flags


@kernel
def point_velocity(body_velocity: Floats, i: int, arm: Vector) -> Vector:
    """v + w x r of a point of body i that stands off its centre by ``arm`` [m], all in the world
    [m/s]."""
    if i == 0:  # the world
        return ZERO
    return add(load(body_velocity, i), cross(load(body_velocity[:, 3:], i), arm))


@kernel
def velocity_between(
    a: int, b: int, point: Vector, body_position: Floats, body_velocity: Floats
) -> Vector:
    """Return the velocity of a point of body a as seen from body b [m/s], all in the world [m]."""
    return sub(
        point_velocity(body_velocity, a, sub(point, load(body_position, a))),
        point_velocity(body_velocity, b, sub(point, load(body_position, b))),
    )


@kernel
def push_body(b: int, arm: Vector, impulse: Vector, bodies: Moving, velocity_out: Floats) -> None:
    """Add the effect of an impulse [N s] on body b to its velocity.

    The impulse acts at a point that is ``arm`` [m] off the centre of the body.
    """
    turn = multiply3(bodies.world_inverse_inertia, b, cross(arm, impulse))
    for i in range(3):
        velocity_out[b, i] += bodies.inverse_mass[b] * impulse[i]
        velocity_out[b, 3 + i] += turn[i]


@kernel
def world_point(bodies: Moving | BodyState, i: int, point: Vector) -> tuple[Vector, Vector]:
    """Position in the world of a point given in the frame of body i, and its arm from the centre of
    mass [m]."""
    if i == 0:  # the world's frame
        return point, point
    arm = rotate(load_quaternion(bodies.orientation, i), point)
    return add(load(bodies.position, i), arm), arm


@kernel
def copy_velocities(velocity: Floats, copy_out: Floats) -> None:
    """Copy the velocities of all bodies."""
    for b in range(velocity.shape[0]):
        for i in range(6):
            copy_out[b, i] = velocity[b, i]
