"""Rigid bodies: free velocities, inverse inertia in the world, and the step to the next pose.

Newton and Euler for each body, with impulses P of the constraints (rows, see ``rows.py``):

    m v+ = m v + h F + P_lin,            I w+ = I w + h tau + P_ang,          I = R I_b R^T at the old pose,

which is eq. 11-12 of Servin & Lacoursiere 2007 and eq. 7-8 of Servin et al. 2011 row by row. The gyroscopic
term is not added as a force. Instead the angular momentum L = I w+ is carried to the new pose,

    R' = exp(h w_mid) R,   w_mid = w+ + (h/2) I^-1 (L x w+),   w' = R' I_b^-1 R'^T L,

where L x w = -w x I w is the Euler term: L is conserved to rounding by a free body, and w_mid makes the free
rotation second order in h. The kinetic energy of a tumbling body is not conserved exactly; its error is
bounded by the same order.

A row of the body arrays is the world (row 0), a rigid body, or a winch: a winch is a body that moves along one
line, its coordinate the first component of position and velocity; its other components stay zero. A COUPLING couples
two rows as a body of one coordinate would (``cables/particles.py``), a JUNCTION several as one of three would
(``cables/crossing.py``); these never move.
Velocities are (n, 6): linear [m/s], then angular [rad/s], in the world frame.
"""

from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.rotation import compose, exp, load_quaternion, multiply3, normalise, rotate, rotate_back
from cable_sim.kernels.vec3 import add, axpy, cross, load, scale, store

DYNAMIC, PRESCRIBED, WINCH, COUPLING, JUNCTION = 1, 2, 3, 4, 5
"""Values of ``body_kind``; the world has 0."""


@kernel
def angular_velocity(body_inverse_inertia, i, q, momentum):
    """w = R I_b^-1 R^T L [rad/s] of body i with angular momentum L in the world [kg m^2/s]."""
    return rotate(q, multiply3(body_inverse_inertia, i, rotate_back(q, momentum)))


@kernel
def world_inverse_inertia(
    # Model
    body_kind, body_inverse_inertia,
    # State
    body_orientation,
    # Out
    world_inverse_inertia_out,
):  # fmt: skip
    """R I_b^-1 R^T of every dynamic body [1/(kg m^2)], column by column; that of others is left as it is: zero."""
    for i in range(body_kind.size):
        if body_kind[i] != DYNAMIC:
            continue
        q = load_quaternion(body_orientation, i)
        for k in range(3):
            unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            column = angular_velocity(body_inverse_inertia, i, q, unit)
            for j in range(3):
                world_inverse_inertia_out[i, j, k] = column[j]


@inner
def free_velocities(
    h, gravity,
    # Model
    body_kind, body_inverse_mass,
    # State
    body_velocity, body_wrench, prescribed_velocity, world_inverse_inertia,
    # Out
    free_velocity_out,
):  # fmt: skip
    """Velocities at the end of the step if there were no constraints: v + h M^-1 F, or what is prescribed."""
    for i in range(body_kind.size):
        if body_kind[i] == DYNAMIC:
            force, torque = load(body_wrench, i), load(body_wrench[:, 3:], i)
            linear = axpy(h * body_inverse_mass[i], force, axpy(h, gravity, load(body_velocity, i)))
            angular = axpy(h, multiply3(world_inverse_inertia, i, torque), load(body_velocity[:, 3:], i))
            store(linear, i, free_velocity_out)
            store(angular, i, free_velocity_out[:, 3:])
        elif body_kind[i] == PRESCRIBED:
            for k in range(6):
                free_velocity_out[i, k] = prescribed_velocity[i, k]
        else:
            for k in range(6):
                free_velocity_out[i, k] = body_velocity[i, k]


@kernel
def advance(
    h,
    # Model
    body_kind, body_inertia, body_inverse_inertia,
    # State
    next_velocity, world_inverse_inertia,
    # Out
    body_position_out, body_orientation_out, body_velocity_out,
):  # fmt: skip
    """Move every body by its new velocity, and carry its angular momentum to the new orientation."""
    for i in range(1, body_kind.size):
        if body_kind[i] == COUPLING or body_kind[i] == JUNCTION:
            continue
        linear, angular = load(next_velocity, i), load(next_velocity[:, 3:], i)
        store(axpy(h, linear, load(body_position_out, i)), i, body_position_out)
        store(linear, i, body_velocity_out)
        if body_kind[i] == WINCH:
            continue
        q = load_quaternion(body_orientation_out, i)
        if body_kind[i] == PRESCRIBED:
            turned, carried = normalise(compose(exp(scale(h, angular)), q)), angular
        else:
            momentum = rotate(q, multiply3(body_inertia, i, rotate_back(q, angular)))
            euler = multiply3(world_inverse_inertia, i, cross(momentum, angular))
            turned = normalise(compose(exp(scale(h, axpy(0.5 * h, euler, angular))), q))
            carried = angular_velocity(body_inverse_inertia, i, turned, momentum)
        body_orientation_out[i, 0], body_orientation_out[i, 1] = turned[0], turned[1]
        body_orientation_out[i, 2], body_orientation_out[i, 3] = turned[2], turned[3]
        store(carried, i, body_velocity_out[:, 3:])


@inner
def point_velocity(body_velocity, i, arm):
    """v + w x r of a point of body i that stands off its centre by ``arm`` [m], all in the world [m/s]."""
    return add(load(body_velocity, i), cross(load(body_velocity[:, 3:], i), arm))


@inner
def push_body(b, arm, impulse, body_inverse_mass, world_inverse_inertia, velocity_out):
    """Add what an impulse [N s] at a point of body b, off its centre by ``arm`` [m], does to its velocity."""
    turn = multiply3(world_inverse_inertia, b, cross(arm, impulse))
    for i in range(3):
        velocity_out[b, i] += body_inverse_mass[b] * impulse[i]
        velocity_out[b, 3 + i] += turn[i]


@inner
def world_point(body_position, body_orientation, i, point):
    """Position in the world of a point given in the frame of body i, and its arm from the centre of mass [m]."""
    arm = rotate(load_quaternion(body_orientation, i), point)
    return add(load(body_position, i), arm), arm
