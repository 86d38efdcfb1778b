"""Ropes made of masses in the engine: their ends hang on bodies, which feel them.

An attached end is a point of its body, with that point's position and velocity at the start of
every step. The half segment there is a mass m in that point. Its weight h m g is pushed on the
body, and its inertia is three rows of INERTIA (``rows.py``) on the velocity of the point along the
world's axes, with xi = h / m: J v+ + lambda / m = J v. The tutorial has none. The ropes stand in
the order of their methods, those of the tutorial first, then springs, then chains.

*Springs* (``tutorial.py``, ``lumped.py``) run ahead of the bodies, their ends with the velocities
at the start of the step. The mean force F of the step on an end is pushed on its body as the
impulse h F before the rows are solved. For a body of mass M on a spring k that no mass shares with
it, in one substep, that is the symplectic Euler step; with many the force is that at x + (h / 2) v,

    v+ = v - h w^2 (x + (h / 2) v),   x+ = x + h v+,      w^2 = k / M:

trace 2 - (3/2) h^2 w^2, determinant 1 - h^2 w^2 / 2, stable (Jury: 1 + trace + determinant > 0) for
h w < sqrt(2), and damped with the rate h w^2 / 4.

*Chains* (``chain.py``) are condensed to a row for each attached end: direction d of its segment,
softness sigma and demand y. They join the table of rows as CONDENSED ones. Where both ends are
attached, the rows are coupled by a number kappa as well,

    d_1 . v_b+   + sigma_1 lambda_1 + kappa lambda_2 = y_1,
    - d_2 . v_c+ + kappa lambda_1 + sigma_2 lambda_2 = y_2,

and the table knows couplings by bodies only. So there is a body of one coordinate with the inverse
mass 1, the entry a in the first row and b in the second, and no velocity, whatever acts on it: it
adds

    J M^-1 J^T = (a^2  a b; a b  b^2),       a^2 = |kappa| sqrt(sigma_1 / sigma_2),   b = kappa / a,

and the rows keep sigma_1 - a^2 and sigma_2 - b^2. As b^2 = |kappa| sqrt(sigma_2 / sigma_1), both
are the old ones times 1 - |kappa| / sqrt(sigma_1 sigma_2), which is not negative, because (sigma_1
kappa; kappa sigma_2) is what elimination leaves of a positive definite matrix. Any other split of
kappa would make one of them smaller than its share.
"""

from math import sqrt

from cable_sim.kernels.cables.particles.lumped import segment_tension
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import DYNAMIC, point_velocity, push_body, world_point
from cable_sim.kernels.multibody.entries import set_entry
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    cross,
    load,
    load_flat,
    norm,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import Bodies, BodyState
from cable_sim.kernels.records.cables import Cables, NodeReadings, NodeState
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork, SegmentReadings
from cable_sim.kernels.records.rows import RowState, Table

ROUNDING = 1e-11
"""Gap over length of a segment that is just taut."""


@kernel
def end_particle(e: int, r: int, rope_start: Ints) -> int:
    """Return the particle at the first (e = 0) or last (e = 1) end of rope r."""
    return rope_start[r + 1] - 1 if e == 1 else rope_start[r]


@kernel
def end_node(e: int, c: int, cable_node_start: Ints) -> int:
    """Return the node at an end of cable c."""
    return cable_node_start[c + 1] - 1 if e == 1 else cable_node_start[c]


@kernel
def place_ends(
    ropes: Ropes,
    cables: Cables,
    node_state: NodeState,
    body_state: BodyState,
    particle_state_out: ParticleState,
) -> None:
    """Place attached ends where their nodes are at the present pose."""
    for r in range(ropes.cable.size):
        for e in range(2):
            if ropes.attached[r, e]:
                i = end_particle(e, r, ropes.start)
                k = end_node(e, ropes.cable[r], cables.node_start)
                b = node_state.body[k]
                position, arm = world_point(body_state, b, load(node_state.point, k))
                store(position, i, particle_state_out.position)
                store(point_velocity(body_state.velocity, b, arm), i, particle_state_out.velocity)


@kernel
def place_end_nodes(
    ropes: Ropes, particle_state: ParticleState, lines_out: Lines, rope_work_out: RopeWork
) -> None:
    """Place nodes where the ends are, free ones too, and set the ends' velocities."""
    for r in range(ropes.cable.size):
        for e in range(2):
            i = end_particle(e, r, ropes.start)
            k = end_node(e, ropes.cable[r], lines_out.cables.node_start)
            store(load(particle_state.position, i), k, lines_out.node_work.position)
            store(load(particle_state.velocity, i), e, rope_work_out.end_velocity[r])


@kernel
def copy_particles(
    count: int,
    particle_position: Floats,
    particle_velocity: Floats,
    position_out: Floats,
    velocity_out: Floats,
) -> None:
    """Copy the first ``count`` particles."""
    for i in range(count):
        store(load(particle_position, i), i, position_out)
        store(load(particle_velocity, i), i, velocity_out)


@kernel
def push_ends(
    h: float, count: int, ropes: Ropes, bodies: Bodies, rope_work: RopeWork, lines_out: Lines
) -> None:
    """Add the pull of the first ``count`` ropes to the velocities of the bodies at their ends."""
    for r in range(count):
        for e in range(2):
            k = end_node(e, ropes.cable[r], lines_out.cables.node_start)
            b = lines_out.node_state.body[k]
            if not ropes.attached[r, e] or bodies.kind[b] != DYNAMIC:
                continue
            impulse = scale(h, load(rope_work.end_force[r], e))
            push_body(
                b,
                load(lines_out.node_work.arm, k),
                impulse,
                lines_out.bodies,
                lines_out.body_work.next_velocity,
            )


@kernel
def move_ends(first: int, ropes: Ropes, lines: Lines, rope_work_out: RopeWork) -> None:
    """Set the velocities of the attached ends of the chains at the end of the step.

    The ropes are those from ``first`` on.
    """
    for r in range(first, ropes.cable.size):
        for e in range(2):
            if ropes.attached[r, e]:
                k = end_node(e, ropes.cable[r], lines.cables.node_start)
                velocity = point_velocity(
                    lines.body_work.next_velocity,
                    lines.node_state.body[k],
                    load(lines.node_work.arm, k),
                )
                store(velocity, e, rope_work_out.end_next_velocity[r])


@kernel
def weigh_ends(
    h: float, gravity: Vector, first: int, ropes: Ropes, bodies: Bodies, lines_out: Lines
) -> None:
    """Push the weights of the masses at the ends of the chains on their bodies.

    The ropes are those from ``first`` on; springs push that weight with their pull.
    """
    for r in range(first, ropes.cable.size):
        for e in range(2):
            k = end_node(e, ropes.cable[r], lines_out.cables.node_start)
            b = lines_out.node_state.body[k]
            if ropes.inertia_row[r, e] >= 0:
                mass = ropes.particle_mass[end_particle(e, r, ropes.start)]
                push_body(
                    b,
                    load(lines_out.node_work.arm, k),
                    scale(h * mass, gravity),
                    lines_out.bodies,
                    lines_out.body_work.next_velocity,
                )


@kernel
def fill_inertia_rows(h: float, ropes: Ropes, lines: Lines, table_out: Table) -> None:
    """Fill the rows of the masses at attached ends."""
    for r in range(ropes.cable.size):
        for e in range(2):
            if ropes.inertia_row[r, e] < 0:
                continue
            k = end_node(e, ropes.cable[r], lines.cables.node_start)
            arm = load(lines.node_work.arm, k)
            for i in range(3):
                row = ropes.inertia_row[r, e] + i
                axis = (1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2))
                set_entry(
                    axis, cross(arm, axis), table_out.rows.entry_start[row], table_out.work.jacobian
                )
                table_out.work.compliance[row] = (
                    h / ropes.particle_mass[end_particle(e, r, ropes.start)]
                )


@kernel
def coupling_entry(softness: float, other: float, coupling: float) -> float:
    """Return a, the entry of the coupling body in the row of this softness."""
    return sqrt(abs(coupling) * sqrt(softness / other)) if softness > 0.0 and other > 0.0 else 0.0


@kernel
def fill_end_rows(
    first: int, ropes: Ropes, lines: Lines, rope_work: RopeWork, table_out: Table
) -> None:
    """Fill the rows of the attached ends of the chains, from rope ``first`` on."""
    row_work_out = table_out.work
    for r in range(first, ropes.cable.size):
        both = ropes.attached[r, 0] and ropes.attached[r, 1]
        for e in range(2):
            row = ropes.row[r, e]
            if row < 0:
                continue
            k = end_node(e, ropes.cable[r], lines.cables.node_start)
            begin = table_out.rows.entry_start[row]
            last = table_out.rows.entry_start[row + 1]
            pull = load(rope_work.segment_direction, ropes.start[r])
            if e == 1:
                pull = scale(-1.0, load(rope_work.segment_direction, ropes.start[r + 1] - 2))
            if lines.node_state.body[k] != 0:
                arm = load(lines.node_work.arm, k)
                set_entry(pull, cross(arm, pull), begin, row_work_out.jacobian)
            softness = rope_work.end_softness[r, e]
            if both:
                entry = coupling_entry(
                    softness, rope_work.end_softness[r, 1 - e], rope_work.end_coupling[r]
                )
                softness = max(softness - entry * entry, 0.0)
                entry = -entry if e == 1 and rope_work.end_coupling[r] < 0.0 else entry
                set_entry((entry, 0.0, 0.0), ZERO, last - 1, row_work_out.jacobian)
            row_work_out.active[row] = rope_work.end_active[r, e]
            row_work_out.compliance[row] = softness
            row_work_out.target[row] = rope_work.end_demand[r, e]


@kernel
def copy_end_impulses(
    first: int, rope_row: Ints, row_impulse: Floats, end_impulse_out: Floats
) -> None:
    """Copy the impulses of the end rows of the chains, from rope ``first`` on [N s]."""
    for r in range(first, rope_row.shape[0]):
        for e in range(2):
            end_impulse_out[r, e] = row_impulse[rope_row[r, e]] if rope_row[r, e] >= 0 else 0.0


@kernel
def chain_tensions(
    h: float, first: int, rope_start: Ints, segment_impulse: Floats, segment_tension_out: Floats
) -> None:
    """Compute the tension of every segment of the chains, from rope ``first`` on [N].

    It is the mean over the last step.
    """
    for r in range(first, rope_start.size - 1):
        for i in range(rope_start[r], rope_start[r + 1]):
            segment_tension_out[i] = segment_impulse[i] / h


@kernel
def end_segment(e: int, r: int, rope_start: Ints) -> int:
    """Return the segment at the first (e = 0) or last (e = 1) end of rope r."""
    return rope_start[r + 1] - 2 if e == 1 else rope_start[r]


@kernel
def end_force(
    h: float,
    r: int,
    e: int,
    tension: float,
    gravity: Vector,
    ropes: Ropes,
    particle_state: ParticleState,
    row_state: RowState,
) -> Vector:
    """Return the force on the body at an attached end of rope r, in the world [N].

    That is the ``tension`` [N] of the segment there, and weight and inertia of the mass at the end.
    """
    i = end_particle(e, r, ropes.start)
    j = i - 1 if e == 1 else i + 1
    reach = sub(load(particle_state.position, j), load(particle_state.position, i))
    length = norm(reach)
    force = scale(tension / length if length > 0.0 else 0.0, reach)
    force = axpy(ropes.particle_mass[i], gravity, force)
    row = ropes.inertia_row[r, e]
    if row >= 0:
        force = axpy(1.0 / h, load_flat(row_state.impulse[row:], 0), force)
    return force


@kernel
def largest_tension(
    h: float,
    r: int,
    gravity: Vector,
    ropes: Ropes,
    particle_state: ParticleState,
    row_state: RowState,
) -> float:
    """Return the largest tension of rope r, in a segment or at an attached end [N]."""
    most = 0.0
    for i in range(ropes.start[r], ropes.start[r + 1] - 1):
        if r < ropes.kinds[1]:
            tension = segment_tension(i, r, ropes, particle_state)
        else:
            tension = particle_state.segment_impulse[i] / h
        most = max(most, tension)
        for e in range(2):
            if tension > 0.0 and ropes.attached[r, e] and i == end_segment(e, r, ropes.start):
                force = end_force(h, r, e, tension, gravity, ropes, particle_state, row_state)
                most = max(most, norm(force))
    return most


@kernel
def read_rope(
    h: float,
    r: int,
    gravity: Vector,
    ropes: Ropes,
    cables: Cables,
    particle_state: ParticleState,
    row_state: RowState,
    segment_readings_out: SegmentReadings,
    node_readings_out: NodeReadings,
) -> float:
    """Read lengths of the segments of rope r and forces on the bodies at its ends.

    The tensions of the segments at attached ends become those at the ends. Returns the largest one
    in a segment [N].
    """
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    largest = 0.0
    for i in range(begin, last):
        segment_readings_out.length[i] = norm(
            sub(load(particle_state.position, i + 1), load(particle_state.position, i))
        )
        largest = max(largest, segment_readings_out.tension[i])
    segment_readings_out.length[last] = 0.0
    for e in range(2):
        if not ropes.attached[r, e]:
            continue
        i = end_segment(e, r, ropes.start)
        tension = segment_readings_out.tension[i]
        force = end_force(h, r, e, tension, gravity, ropes, particle_state, row_state)
        just_taut = (1.0 - ROUNDING) * ropes.segment_rest_length[i]
        if tension > 0.0 or segment_readings_out.length[i] >= just_taut:
            segment_readings_out.tension[i] = norm(force)
        k = end_node(e, ropes.cable[r], cables.node_start)
        store(add(load(node_readings_out.force, k), force), k, node_readings_out.force)
    return largest
