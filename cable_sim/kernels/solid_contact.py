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

bounded by mu lambda (``contact.py``). Both bodies are pushed at the same point along the same line,
so linear and angular momentum are conserved.

*No energy comes from it.* The normal rows have v+ . n >= -gap / h for gaps that are open: with
demands b <= 0 and w = J v+ >= b, lambda >= 0, lambda (w - b) = 0, the change of the energy is

    lambda^T (w + J v_free) / 2 = lambda^T b - lambda^T S lambda / 2 <= 0.

They are rigid, but for a softness (m_A^-1 + m_B^-1) ``SOFTNESS`` added to the mobility, which keeps
rows that repeat one another solvable: under a force F a body is pressed in by h (h + gamma) F
softness, a millionth of a metre under its weight. A point that is carried round by w goes off its
tangent by h^2 w x (w x r) / 2 in a step, which is part of the rate that the row asks for. What
overlaps all the same is pushed out with the speed gap / (h + gamma): gamma is ``PUSHED_OUT``, so
that the speed is a small part of the one that it came in with.
"""

from typing import Any, NamedTuple

from cable_sim.kernels.bodies import point_velocity, world_point
from cable_sim.kernels.boxes import POINTS, choose_points
from cable_sim.kernels.contact import friction_tangents
from cable_sim.kernels.convex import (
    Block,
    box_direction,
    box_points,
    find_ball_contact,
    perpendicular_axes,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import load_quaternion, rotate, rotate_back
from cable_sim.kernels.rows import set_point_entries
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, sub

SOFTNESS = 1e-5
"""Softness of the normal rows, relative to the mobility of the bodies' masses."""
PUSHED_OUT = 0.05
"""Time in which an overlap falls to a third [s]."""


class SolidPairs(NamedTuple):
    """Pairs of a body and a solid that stops it; see ``model/records/obstacles.py``."""

    body: Any
    solid: Any
    point: Any
    half: Any
    radius: Any
    row: Any
    softness: Any
    friction: Any


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
def rows_of(half):
    """Return the number of rows of a box with this half edge; that of a ball or point is zero."""
    return 3 * POINTS if half > 0.0 else 3


@kernel
def deactivate_rows(p, pairs, rows_out):
    """Deactivate the rows of pair p."""
    first = pairs.row[p]
    for r in range(first, first + rows_of(pairs.half[p, 0])):
        rows_out.active[r] = False


@kernel
def path_curvature(b, arm, bodies):
    """Return the second derivative of the path of a point of body b [m/s^2].

    The body does not accelerate.
    """
    spin = load(bodies.velocity[:, 3:], b)
    return cross(spin, cross(spin, arm))


@kernel
def fill_point(h, p, r, t, point, lever, normal, gap, solids, pairs, bodies, rows_out):
    """Fill the three rows from r on of a touching point.

    Point and normal are in the frame of the solid's body. ``lever`` is the height above the
    touching point of the body's point whose path counts: the centre of a ball.
    """
    a = solids.body[t]
    b = pairs.body[p]
    turn = load_quaternion(bodies.orientation, a)
    arm_a = rotate(turn, point)
    arm_b = sub(add(load(bodies.position, a), arm_a), load(bodies.position, b))
    velocity = sub(
        point_velocity(bodies.velocity, b, arm_b), point_velocity(bodies.velocity, a, arm_a)
    )
    fixed, _ = perpendicular_axes(normal)
    outward = rotate(turn, normal)
    first, second = friction_tangents(outward, rotate(turn, fixed), velocity)
    rows_out.gap[r], rows_out.inner[r, 0] = gap, pairs.softness[p]
    off = sub(
        path_curvature(b, axpy(lever, outward, arm_b), bodies), path_curvature(a, arm_a, bodies)
    )
    rows_out.inner[r, 2] = 0.5 * h * dot(outward, off)
    for i in range(3):
        axis = outward if i == 0 else (first if i == 1 else second)
        rows_out.active[r + i] = True
        set_point_entries(axis, arm_a, arm_b, rows_out.entry_start[r + i], a, b, rows_out.jacobian)
        if i > 0:
            rows_out.limit_factor[rows_out.limit_start[r + i]] = pairs.friction[p]


@kernel
def fill_ball(h, p, t, centre, velocity, solids, pairs, bodies, rows_out):
    """Fill the rows of a ball or point."""
    near, normal, gap = find_ball_contact(h, solids, t, centre, pairs.radius[p], velocity, h)
    if near:
        point = axpy(-pairs.radius[p], normal, centre)
        fill_point(
            h,
            p,
            pairs.row[p],
            t,
            point,
            pairs.radius[p],
            normal,
            gap,
            solids,
            pairs,
            bodies,
            rows_out,
        )


@kernel
def fill_box(h, p, t, block, velocity, spin, solids, pairs, bodies, rows_out, box_work_out):
    """Fill the rows of a box, of which up to four points are chosen.

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
    for slot in range(POINTS):
        n = box_work_out.chosen[slot]
        if n < 0:
            continue
        point = axpy(
            box_work_out.solid_points[n, 0],
            first,
            axpy(box_work_out.solid_points[n, 1], second, block.centre),
        )
        point = axpy(box_work_out.solid_points[n, 3], normal, point)
        gap = box_work_out.solid_points[n, 2] - h * dot(normal, velocity)
        fill_point(
            h,
            p,
            pairs.row[p] + 3 * slot,
            t,
            point,
            0.0,
            normal,
            gap,
            solids,
            pairs,
            bodies,
            rows_out,
        )


@kernel
def fill_solid_rows(h, solids, pairs, bodies, rows_out, box_work_out):
    """Fill the rows of every pair of a body and a solid; the last two arguments are scratch."""
    for p in range(pairs.row.size):
        deactivate_rows(p, pairs, rows_out)
        t = pairs.solid[p]
        b = pairs.body[p]
        a = solids.body[t]
        half = load(pairs.half, p)
        centre, arm = world_point(bodies.position, bodies.orientation, b, load(pairs.point, p))
        turn = load_quaternion(bodies.orientation, a)
        from_a = sub(centre, load(bodies.position, a))
        velocity = sub(
            point_velocity(bodies.velocity, b, arm), point_velocity(bodies.velocity, a, from_a)
        )
        spin = sub(load(bodies.velocity[:, 3:], b), load(bodies.velocity[:, 3:], a))
        size = norm(half) + pairs.radius[p]
        local = rotate_back(turn, from_a)
        margin = h * (1.0 + norm(velocity) + size * norm(spin))
        if norm(sub(local, load(solids.centre, t))) > solids.radius[t] + size + margin:
            continue
        velocity = rotate_back(turn, velocity)
        spin = rotate_back(turn, spin)
        if half[0] == 0.0:
            fill_ball(h, p, t, local, velocity, solids, pairs, bodies, rows_out)
            continue
        q = load_quaternion(bodies.orientation, b)
        x = rotate_back(turn, rotate(q, (1.0, 0.0, 0.0)))
        y = rotate_back(turn, rotate(q, (0.0, 1.0, 0.0)))
        axes = (x, y, rotate_back(turn, rotate(q, (0.0, 0.0, 1.0))))
        fill_box(
            h,
            p,
            t,
            Block(local, axes, half),
            velocity,
            spin,
            solids,
            pairs,
            bodies,
            rows_out,
            box_work_out,
        )
