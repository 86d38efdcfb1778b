"""Wind: drag of moving air on bodies and ropes.

Air of density rho moves with U in the world, a power law of the height z above z_ref where there is
one,

    U(z) = U_ref (max(z, 0) / z_ref)^alpha,

uniform for alpha = 0. On a patch of a body, with areas A_i seen along the axes of the body's frame,
and on a metre of rope of diameter d along the unit vector t, it acts with

    F_i = 1/2 rho cd A_i |u| u_i,    u = U - v of the patch's centre, in the body's frame,
    f   = 1/2 rho cd d |u_n| u_n,                        u_n = u - (u . t) t,

Newton's law for bluff bodies (EN 13001-2, ISO 4302: q = rho v^2 / 2). No lift, no moment of a patch
about its own centre, no added mass, no shelter of one part by another; along its axis air does not
take a rope with it.

*Bodies and straight ropes.* A span between two bodies gives half of its drag to each of its nodes;
rope between two nodes of one body is part of it. The impulse P = h F of a step is explicit, with u
as at the start, unless it is too much: with W = J M^-1 J^T of its point and n the most impulses on
one body, it is scaled down to

    P . u = n P . W P.

n times P alone then takes from the energy of a free body relative to the air, and as that energy is
convex, all of them together do: in uniform air it never grows, however long the step or light the
body. Where P is scaled down, at h rho cd A |u| / 2 m = 1 / n, the drag is too small; a container at
a millisecond has 3e-5 there.

*Curves* (``cables/elevation/elevation.py``) get f / rho_rope as a load on the string beside
gravity, linear between the two nodes and with their velocities: the wave's own is damped by the b
of the cable. Half an interval at each end stays with the nodes. *Masses* of ropes are slowed one by
one, their rope along the line between their neighbours.
"""

from typing import NamedTuple

from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.multibody.bodies import DYNAMIC, point_velocity
from cable_sim.kernels.multibody.rotation import load_quaternion, multiply3, rotate, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, axpy, cross, dot, load, norm, scale, store, sub
from cable_sim.kernels.records import Floats
from cable_sim.kernels.records.bodies import Bodies, BodyState, BodyWork, Drag
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.ropes import ParticleState, Ropes
from cable_sim.kernels.records.world import Control, Model, State, Workspace


class Wind(NamedTuple):
    """Velocity at the reference height [m/s], that height [m], exponent of the profile, most
    impulses on one body."""

    velocity: Vector
    height: float
    exponent: float
    together: float


class Field(NamedTuple):
    """Loads on rope everywhere: gravity [m/s^2], the wind, and the drag of each cable [kg/m^2]."""

    gravity: Vector
    wind: Wind
    drag: Floats


@kernel
def wind_at(wind: Wind, height: float) -> Vector:
    """Velocity of the air at a height above the ground [m/s]."""
    if wind.exponent == 0.0:
        return wind.velocity
    return scale((max(height, 0.0) / wind.height) ** wind.exponent, wind.velocity)


@kernel
def part_across(direction: Vector, velocity: Vector) -> Vector:
    """Return the part of a velocity across a rope [m/s]."""
    return axpy(-dot(velocity, direction), direction, velocity)


@kernel
def push_point(
    b: int,
    arm: Vector,
    impulse: Vector,
    taken: float,
    together: float,
    bodies: Bodies,
    body_work_out: BodyWork,
) -> None:
    """Push body b at a point with the drag impulse [N s].

    ``taken`` is P . u [J], which the drag takes from the motion past the air there.
    """
    lever = cross(arm, impulse)
    turn = multiply3(body_work_out.inverse_inertia, b, lever)
    given = together * (bodies.inverse_mass[b] * dot(impulse, impulse) + dot(lever, turn))
    share = taken / given if given > taken else 1.0
    for i in range(3):
        body_work_out.next_velocity[b, i] += share * bodies.inverse_mass[b] * impulse[i]
        body_work_out.next_velocity[b, 3 + i] += share * turn[i]


@kernel
def apply_body_wind(
    h: float,
    wind: Wind,
    drags: Drag,
    bodies: Bodies,
    body_state: BodyState,
    body_work_out: BodyWork,
) -> None:
    """Apply the drag on the patches of all bodies."""
    for p in range(drags.drag_body.size):
        b = drags.drag_body[p]
        q = load_quaternion(body_state.orientation, b)
        arm = rotate(q, load(drags.drag_patch[:, 3:], p))
        passing = sub(
            wind_at(wind, body_state.position[b, 2] + arm[2]),
            point_velocity(body_state.velocity, b, arm),
        )
        x, y, z = rotate_back(q, passing)
        step = h * norm(passing)
        area = load(drags.drag_patch, p)
        drag = (step * area[0] * x, step * area[1] * y, step * area[2] * z)
        taken = drag[0] * x + drag[1] * y + drag[2] * z
        push_point(b, arm, rotate(q, drag), taken, wind.together, bodies, body_work_out)


@kernel
def apply_node_wind(
    k: int, strength: float, wind: Wind, direction: Vector, bodies: Bodies, lines_out: Lines
) -> None:
    """Apply the drag on the body at node k of a rope.

    ``strength`` is h times 1/2 rho cd times the area of the rope [kg s/m].
    """
    b = lines_out.node_state.body[k]
    arm = load(lines_out.node_work.arm, k)
    own = point_velocity(lines_out.bodies.velocity, b, arm)
    height = lines_out.node_work.position[k, 2]
    passing = part_across(direction, sub(wind_at(wind, height), own))
    speed = norm(passing)
    push_point(
        b,
        arm,
        scale(strength * speed, passing),
        strength * speed * speed * speed,
        wind.together,
        bodies,
        lines_out.body_work,
    )


@kernel
def apply_rope_wind(h: float, field: Field, bodies: Bodies, lines_out: Lines) -> None:
    """Apply the drag on the nodes of hooked cables.

    A node gets half of each straight span, or half an interval of each curve.
    """
    node_state = lines_out.node_state
    for c in range(field.drag.size):
        if field.drag[c] == 0.0 or lines_out.cable_state.attachment[c] > 0:
            continue
        for k in range(lines_out.cables.node_start[c], lines_out.cables.node_start[c + 1] - 1):
            if node_state.body[k] == node_state.body[k + 1]:
                continue
            strength = 0.5 * h * field.drag[c] * lines_out.span_work.length[k]
            if lines_out.span_state.waves[k]:
                strength /= lines_out.waves.intervals[k]
            for node in (k, k + 1):
                if bodies.kind[node_state.body[node]] == DYNAMIC:
                    along = load(lines_out.span_work.direction, k)
                    apply_node_wind(node, strength, field.wind, along, bodies, lines_out)


@kernel
def specific_rope_load(
    field: Field, drag: float, k: int, direction: Vector, lines: Lines
) -> Vector:
    """Return gravity and wind load on the rope at node k [m/s^2].

    ``drag`` is f over u_n^2 rho_rope [1/m].
    """
    if drag == 0.0:
        return field.gravity
    body = lines.node_state.body[k]
    velocity = point_velocity(lines.bodies.velocity, body, load(lines.node_work.arm, k))
    wind = wind_at(field.wind, lines.node_work.position[k, 2])
    passing = part_across(direction, sub(wind, velocity))
    return axpy(drag * norm(passing), passing, field.gravity)


@kernel
def apply_drag(
    h: float, wind: Wind, drag: float, height: float, reach: Vector, velocity: Vector
) -> Vector:
    """Return the velocity of a mass of rope after the step's drag [m/s].

    ``reach`` leads along the rope; ``drag`` is in 1/m.
    """
    length = norm(reach)
    direction = scale(1.0 / length if length > 0.0 else 0.0, reach)
    passing = part_across(direction, sub(wind_at(wind, height), velocity))
    return axpy(min(h * drag * norm(passing), 1.0), passing, velocity)


@kernel
def apply_particle_wind(
    h: float, wind: Wind, ropes: Ropes, drags: Drag, particle_state_out: ParticleState
) -> None:
    """Apply the drag on the free masses of all ropes made of masses."""
    for r in range(drags.rope_drag.size):
        if drags.rope_drag[r] == 0.0:
            continue
        begin = ropes.start[r]
        last = ropes.start[r + 1] - 1
        for i in range(begin, last + 1):
            if ropes.particle_inverse_mass[i] > 0.0:
                reach = sub(
                    load(particle_state_out.position, min(i + 1, last)),
                    load(particle_state_out.position, max(i - 1, begin)),
                )
                velocity = apply_drag(
                    h,
                    wind,
                    drags.rope_drag[r],
                    particle_state_out.position[i, 2],
                    reach,
                    load(particle_state_out.velocity, i),
                )
                store(velocity, i, particle_state_out.velocity)


@inlined
def step_wind(m: Model, c: Control) -> Wind:
    """Return the wind of the step."""
    return Wind(
        (c.wind[0], c.wind[1], c.wind[2]), m.wind.profile[0], m.wind.profile[1], m.wind.profile[2]
    )


@inlined
def load_field(m: Model, c: Control) -> Field:
    """Return the loads on rope everywhere."""
    return Field((m.gravity[0], m.gravity[1], m.gravity[2]), step_wind(m, c), m.wind.cable_drag)


@inlined
def apply_wind(m: Model, s: State, c: Control, w: Workspace, h: float, lines: Lines) -> None:
    """Add the drag of the air to the free velocities; the cables have been placed."""
    apply_body_wind(h, step_wind(m, c), m.wind, m.bodies, s.bodies, w.bodies)
    apply_rope_wind(h, load_field(m, c), m.bodies, lines)
