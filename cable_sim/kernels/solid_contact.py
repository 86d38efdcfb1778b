"""Contact of bodies that carry ends or eyes of cables with the solids that these cables touch, with
dry friction.

A cable keeps off the solids that it touches, and its ends and eyes with it: so what carries them
has to stop there. A body meets a solid with its box or its ball, or with a point, a ball without
radius, at an end or eye: against the solid grown by the radius of the rope, as the cable sees it.
Geometry: ``convex.py``.

With p the touching point, n from the solid on body A to body B and r the arms of p from the centres
of mass,

    J_B = (n, r_B x n),    J_A = -(n, r_A x n);
    the same with tangents t1, t2 in the friction rows,

bounded by mu lambda. A body that slides has t1 along its sliding velocity. Both bodies are pushed
at the same point along the same line, so linear and angular momentum are conserved.

*No energy comes from it.* The normal rows have v+ . n >= -gap / h for gaps that are open: with
demands b <= 0 and w = J v+ >= b, lambda >= 0, lambda (w - b) = 0, the change of the energy is

    lambda^T (w + J v_free) / 2 = lambda^T b - lambda^T S lambda / 2 <= 0.

They are rigid, but for a softness (m_A^-1 + m_B^-1) ``SOFTNESS`` added to the mobility, which keeps
rows that repeat one another solvable: under a force F a body is pressed in by h (h + gamma) F
softness, a millionth of a metre under its weight. A point that is carried round by w goes off its
tangent by h^2 w x (w x r) / 2 in a step, which is part of the rate that the row asks for. What
overlaps all the same is pushed out with the speed gap / (h + gamma): gamma is ``PUSHED_OUT``, so
that the speed is a small part of the one that it came in with.

*Slots.* What a body has to meet solids with, its box, ball or a point at an end of a cable, is a
*collider* of the solids on one other body, their *carrier*. All pairs of a collider have rows on
the same two bodies, and few of them meet at once: a collider has ``SLOTS`` sets of rows, and at the
start of a step they go to the pairs that may meet in it. Only those are asked whose boxes do
(``broad_phase.py``): the box of the collider as the carrier sees it, with what it moves by in a
step of h,

    h (1 m/s + |v| + 2 |w| size),

of which the last is the most that a turn takes a corner outward, and the most that the points of a
box may be off their ways. A pair keeps its slot while it is near; without a free one the status is
SLOTS_FULL. Who has which slot is part of the state, because impulses are those of a slot. A
collider of no more pairs than slots has one for each.
"""

from typing import Any, NamedTuple

from cable_sim.kernels.bodies import point_velocity, world_point
from cable_sim.kernels.broad_phase import grow_box, is_apart, magnitudes
from cable_sim.kernels.convex import (
    POINTS,
    Block,
    box_direction,
    box_points,
    choose_points,
    find_ball_contact,
    perpendicular_axes,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.pivoting import FREE
from cable_sim.kernels.rotation import load_quaternion, rotate, rotate_back
from cable_sim.kernels.rows import set_point_entries
from cable_sim.kernels.status import SLOTS_FULL, SOLVED
from cable_sim.kernels.vec3 import ZERO, add, axpy, cross, dot, load, norm, scale, sub

SOFTNESS = 1e-5
"""Softness of the normal rows, relative to the mobility of the bodies' masses."""
SLOTS = 6
"""Most solids of one carrier that a collider meets at once."""
SLIDING_SPEED = 1e-4
"""Sliding speed above which the first tangent follows the sliding velocity [m/s]."""
PUSHED_OUT = 0.05
"""Time in which an overlap falls to a third [s]."""


class SolidPairs(NamedTuple):
    """Pairs of a body and a solid that stops it; see ``model/records/obstacles.py``."""

    solid: Any
    softness: Any
    friction: Any


class Meeting(NamedTuple):
    """Pair in a slot: carrier of the solid, body, softness [1/kg], Coulomb's mu [-]."""

    carrier: Any
    body: Any
    softness: Any
    friction: Any


class Colliders(NamedTuple):
    """Boxes, balls and points on bodies, each with its pairs and slots; see
    ``model/records/obstacles.py``."""

    body: Any
    carrier: Any
    point: Any
    half: Any
    radius: Any
    pair_start: Any
    pair: Any
    pair_box: Any
    block_start: Any
    block_pair: Any
    block_box: Any
    slot_start: Any
    slot: Any
    home: Any


class Slots(NamedTuple):
    """Slots of rows, with the pairs that have them."""

    row: Any
    pair: Any
    near: Any


class Rows(NamedTuple):
    """First entries and bounds of the rows, and the arrays that they are written to."""

    entry_start: Any
    limit_start: Any
    active: Any
    gap: Any
    inner: Any
    limit_factor: Any
    jacobian: Any


@kernel
def friction_tangents(normal, fixed_tangent, velocity):
    """Return two tangents: along the sliding velocity if any, else along the surface's own."""
    sliding = axpy(-dot(velocity, normal), normal, velocity)
    speed = norm(sliding)
    first = scale(1.0 / speed, sliding) if speed > SLIDING_SPEED else fixed_tangent
    return first, cross(normal, first)


@kernel
def rows_of(half):
    """Return the number of rows of a box with this half edge; that of a ball or point is zero."""
    return 3 * POINTS if half > 0.0 else 3


@kernel
def deactivate_rows(first, count, rows_out):
    """Deactivate a number of rows."""
    for r in range(first, first + count):
        rows_out.active[r] = False


@kernel
def path_curvature(b, arm, bodies):
    """Return the second derivative of the path of a point of body b [m/s^2].

    The body does not accelerate.
    """
    spin = load(bodies.velocity[:, 3:], b)
    return cross(spin, cross(spin, arm))


@kernel
def fill_point(h, r, meeting, point, lever, normal, gap, bodies, rows_out):
    """Fill the three rows from r on of a touching point.

    Point and normal are in the frame of the solid's body. ``lever`` is the height above the
    touching point of the body's point whose path counts: the centre of a ball.
    """
    a = meeting.carrier
    b = meeting.body
    turn = load_quaternion(bodies.orientation, a)
    arm_a = rotate(turn, point)
    arm_b = sub(add(load(bodies.position, a), arm_a), load(bodies.position, b))
    velocity = sub(
        point_velocity(bodies.velocity, b, arm_b), point_velocity(bodies.velocity, a, arm_a)
    )
    fixed, _ = perpendicular_axes(normal)
    outward = rotate(turn, normal)
    first, second = friction_tangents(outward, rotate(turn, fixed), velocity)
    rows_out.gap[r], rows_out.inner[r, 0] = gap, meeting.softness
    off = sub(
        path_curvature(b, axpy(lever, outward, arm_b), bodies), path_curvature(a, arm_a, bodies)
    )
    rows_out.inner[r, 2] = 0.5 * h * dot(outward, off)
    for i in range(3):
        axis = outward if i == 0 else (first if i == 1 else second)
        rows_out.active[r + i] = True
        set_point_entries(axis, arm_a, arm_b, rows_out.entry_start[r + i], a, b, rows_out.jacobian)
        if i > 0:
            rows_out.limit_factor[rows_out.limit_start[r + i]] = meeting.friction


@kernel
def fill_ball(h, r, t, meeting, centre, radius, velocity, solids, bodies, rows_out):
    """Fill the rows from r on of a ball or point."""
    near, normal, gap = find_ball_contact(h, solids, t, centre, radius, velocity, h)
    if near:
        point = axpy(-radius, normal, centre)
        fill_point(h, r, meeting, point, radius, normal, gap, bodies, rows_out)


@kernel
def fill_box(h, r, t, meeting, block, velocity, spin, solids, bodies, rows_out, box_work_out):
    """Fill the rows from r on of a box, of which up to four points are chosen.

    The last two arguments are scratch.
    """
    margin = h * (1.0 + norm(block.half) * norm(spin))
    near, normal = box_direction(h, solids, t, block, velocity, margin)
    if not near:
        return
    ahead = Block(axpy(h, velocity, block.centre), block.axes, block.half)
    count, frame = box_points(
        solids, t, ahead, normal, h, scale(h, spin), box_work_out.solid_points
    )
    choose_points(count, box_work_out.solid_points, box_work_out.chosen)
    first, second, _ = frame
    for i in range(POINTS):
        n = box_work_out.chosen[i]
        if n < 0:
            continue
        point = axpy(
            box_work_out.solid_points[n, 0],
            first,
            axpy(box_work_out.solid_points[n, 1], second, block.centre),
        )
        point = axpy(box_work_out.solid_points[n, 3], normal, point)
        gap = box_work_out.solid_points[n, 2] - h * dot(normal, velocity)
        fill_point(h, r + 3 * i, meeting, point, 0.0, normal, gap, bodies, rows_out)


@kernel
def see_collider(g, colliders, bodies):
    """Return collider g as the carrier of its solids sees it: block, velocity, spin.

    A ball is a block without edges.
    """
    a = colliders.carrier[g]
    b = colliders.body[g]
    centre, arm = world_point(bodies.position, bodies.orientation, b, load(colliders.point, g))
    turn = load_quaternion(bodies.orientation, a)
    from_a = sub(centre, load(bodies.position, a))
    velocity = sub(
        point_velocity(bodies.velocity, b, arm), point_velocity(bodies.velocity, a, from_a)
    )
    spin = sub(load(bodies.velocity[:, 3:], b), load(bodies.velocity[:, 3:], a))
    q = load_quaternion(bodies.orientation, b)
    x = rotate_back(turn, rotate(q, (1.0, 0.0, 0.0)))
    y = rotate_back(turn, rotate(q, (0.0, 1.0, 0.0)))
    axes = (x, y, rotate_back(turn, rotate(q, (0.0, 0.0, 1.0))))
    block = Block(rotate_back(turn, from_a), axes, load(colliders.half, g))
    return block, rotate_back(turn, velocity), rotate_back(turn, spin)


@kernel
def swept_box(h, radius, block, velocity, spin):
    """Return the box along the axes of its frame in which a collider meets solids in a step."""
    extent = ZERO
    for k in range(3):
        extent = axpy(block.half[k], magnitudes(block.axes[k]), extent)
    size = norm(block.half) + radius
    reach = radius + h * (1.0 + norm(velocity) + 2.0 * size * norm(spin))
    return grow_box(sub(block.centre, extent), add(block.centre, extent), reach)


@kernel
def claim_slot(p, g, colliders, slots_out, row_state_out):
    """Give pair p of collider g the slot that it has, or else one that no near pair has.

    Return False without such a slot. A slot that changes hands forgets its impulses.
    """
    first = colliders.slot_start[g]
    count = colliders.slot_start[g + 1] - first
    home = colliders.home[p]
    for i in range(count):
        n = colliders.slot[first + (home + i) % count]
        if slots_out.pair[n] == p:
            slots_out.near[n] = 1
            return True
    for i in range(count):
        n = colliders.slot[first + (home + i) % count]
        if slots_out.near[n] == 0:
            slots_out.near[n] = 1
            slots_out.pair[n] = p
            for r in range(slots_out.row[n], slots_out.row[n] + rows_of(colliders.half[g, 0])):
                row_state_out.impulse[r] = 0.0
                row_state_out.status[r] = FREE
            return True
    return False


@kernel
def may_meet(h, t, radius, block, velocity, spin, solids):
    """Return True if a collider may touch solid t within the step."""
    if block.half[0] == 0.0:
        near, _, _ = find_ball_contact(h, solids, t, block.centre, radius, velocity, h)
        return near
    margin = h * (1.0 + norm(block.half) * norm(spin))
    near, _ = box_direction(h, solids, t, block, velocity, margin)
    return near


@kernel
def claim_slots(h, g, block, velocity, spin, solids, pairs, colliders, slots_out, row_state_out):
    """Give slots to the pairs of collider g that may meet; return SLOTS_FULL without room."""
    flags = SOLVED
    radius = colliders.radius[g]
    lower, upper = swept_box(h, radius, block, velocity, spin)
    for n in range(colliders.block_start[g], colliders.block_start[g + 1]):
        if is_apart(lower, upper, colliders.block_box[n]):
            continue
        for i in range(colliders.block_pair[n], colliders.block_pair[n + 1]):
            if is_apart(lower, upper, colliders.pair_box[i]):
                continue
            p = colliders.pair[i]
            if not may_meet(h, pairs.solid[p], radius, block, velocity, spin, solids):
                continue
            if not claim_slot(p, g, colliders, slots_out, row_state_out):
                flags = SLOTS_FULL
    return flags


@kernel
def assign_slots(h, solids, pairs, colliders, bodies, slots_out, row_state_out):
    """Give slots to the pairs that may meet in the step; return SLOTS_FULL without room."""
    flags = SOLVED
    for g in range(colliders.body.size):
        count = colliders.pair_start[g + 1] - colliders.pair_start[g]
        if count <= colliders.slot_start[g + 1] - colliders.slot_start[g]:
            continue  # each pair has its own
        for i in range(colliders.slot_start[g], colliders.slot_start[g + 1]):
            slots_out.near[colliders.slot[i]] = 0
        block, velocity, spin = see_collider(g, colliders, bodies)
        flags |= claim_slots(
            h, g, block, velocity, spin, solids, pairs, colliders, slots_out, row_state_out
        )
    return flags


@kernel
def fill_solid_rows(h, solids, pairs, colliders, slots, bodies, rows_out, box_work_out):
    """Fill the rows of every pair of a body and a solid; the last two arguments are scratch."""
    for g in range(colliders.body.size):
        block, velocity, spin = see_collider(g, colliders, bodies)
        half = block.half
        radius = colliders.radius[g]
        size = norm(half) + radius
        margin = h * (1.0 + norm(velocity) + size * norm(spin))
        for i in range(colliders.slot_start[g], colliders.slot_start[g + 1]):
            n = colliders.slot[i]
            r = slots.row[n]
            deactivate_rows(r, rows_of(half[0]), rows_out)
            p = slots.pair[n]
            t = pairs.solid[p]
            if norm(sub(block.centre, load(solids.centre, t))) > solids.radius[t] + size + margin:
                continue
            meeting = Meeting(
                colliders.carrier[g], colliders.body[g], pairs.softness[p], pairs.friction[p]
            )
            if half[0] == 0.0:
                fill_ball(
                    h, r, t, meeting, block.centre, radius, velocity, solids, bodies, rows_out
                )
                continue
            fill_box(
                h, r, t, meeting, block, velocity, spin, solids, bodies, rows_out, box_work_out
            )
