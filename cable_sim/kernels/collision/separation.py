"""Signed distance of two shapes, its normal, and a point between the surfaces.

The normal is a unit vector of the world from shape B to shape A, everywhere in this folder: A moved
along it by the depth no longer overlaps. Margins come off the distance of the cores, which is exact
while the cores are apart.

Closed forms: a half-space, the part z <= 0 of its frame, has its own normal, and the distance is
the support of the other shape. Cores of balls and capsules are points and lines: with m_i, m_j the
slopes of the squared distance, the nearest points of two lines are Ericson's (2005, 5.1.9). Lines
that cross have the normal across both. Boxes mostly stand on a face: if the other core's lowest
point before a face projects into it, no other point of the face is nearer to that core than this
one is to its plane. So their distance is the point's height, with the normal of the face.

``memory`` (MEMORY,) of a pair holds the simplex of the last call as points of the shapes, each in
its frame. They remain points of the shapes whatever the poses do, so that a start from them is as
safe as any; zeros are a cold start. Two half-spaces never touch: their distance is infinite.
"""

from math import inf

from cable_sim.kernels.collision.distance import begin_simplex, find_distance
from cable_sim.kernels.collision.expansion import enclose, find_depth
from cable_sim.kernels.collision.polishing import flat_directions, polish, unit_or_zero
from cable_sim.kernels.collision.shapes import (
    BOX,
    CAPSULE,
    HALF_SPACE,
    Pair,
    Pose,
    any_across,
    from_frame,
    point_part,
    separation_along,
    support_point,
    to_frame,
    unit_axis,
)
from cable_sim.kernels.collision.simplex import corner_weights, load_simplex, save_simplex
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    cross,
    dot,
    load,
    norm,
    scale,
    sub,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.collision import CollisionWork, Shapes

MEMORY = 28
"""Numbers that a pair remembers from step to step."""


@kernel
def separate_from_plane(shapes: Shapes, pair: Pair) -> tuple[float, Vector, Vector]:
    """Return s, n and a point of the other core, of a pair with a half-space."""
    if shapes.kind[pair.a] != HALF_SPACE:
        n = pair.axes[2]
        point = support_point(shapes, pair.a, scale(-1.0, n))
        return dot(n, sub(point, pair.offset)), n, point
    if shapes.kind[pair.b] == HALF_SPACE:
        return inf, (0.0, 0.0, 1.0), ZERO
    down = to_frame(pair.axes, (0.0, 0.0, -1.0))
    point = add(pair.offset, from_frame(pair.axes, support_point(shapes, pair.b, down)))
    return point[2], (0.0, 0.0, -1.0), point


@kernel
def nearest_on_lines(
    half: float, other: float, axis: Vector, offset: Vector
) -> tuple[float, float]:
    """Return the places on the line (0, 0, +-half) and on another one where they are nearest."""
    along = axis[2]
    sine2 = axis[0] * axis[0] + axis[1] * axis[1]
    z = 0.0
    if sine2 > 1e-24:
        z = (offset[2] - along * dot(axis, offset)) / sine2
    z = min(max(z, -half), half)
    t = min(max(along * z - dot(axis, offset), -other), other)
    z = min(max(offset[2] + along * t, -half), half)
    return z, min(max(along * z - dot(axis, offset), -other), other)


@kernel
def separate_lines(shapes: Shapes, pair: Pair) -> tuple[float, Vector, Vector]:
    """Return s, n and a point of A's core, of two balls or capsules."""
    axis = pair.axes[2]
    z, t = nearest_on_lines(shapes.half[pair.a, 2], shapes.half[pair.b, 2], axis, pair.offset)
    point = (0.0, 0.0, z)
    v = sub(point, axpy(t, axis, pair.offset))
    length = norm(v)
    if length > 0.0:
        return length, scale(1.0 / length, v), point
    n = cross((0.0, 0.0, 1.0), axis)
    n = scale(1.0 / norm(n), n) if norm(n) > 1e-12 else any_across((0.0, 0.0, 1.0))
    return 0.0, n, point


@kernel
def touching_point(
    shapes: Shapes, pair: Pair, n: Vector, s: float, count: int, points: Floats
) -> Vector:
    """Return the point of A's core where the pair meets.

    A shape that is not flat there has its support point; else the simplex says.
    """
    if pair.curved:
        first, _ = flat_directions(shapes, pair.a, count, points, 0)
        if dot(first, first) == 0.0:
            return support_point(shapes, pair.a, scale(-1.0, n))
        first, _ = flat_directions(shapes, pair.b, count, points, 3)
        if dot(first, first) == 0.0:
            b = support_point(shapes, pair.b, to_frame(pair.axes, n))
            return axpy(s, n, add(pair.offset, from_frame(pair.axes, b)))
    weights = corner_weights(count, points)
    point = ZERO
    for k in range(count):
        point = axpy(weights[k], point_part(points, k, 0), point)
    return point


@kernel
def face_before(half: Vector, centre: Vector) -> tuple[int, float]:
    """Return the axis and the side of the face of a box that looks most at a shape's centre."""
    k = 0
    for i in range(1, 3):
        k = i if abs(centre[i]) - half[i] > abs(centre[k]) - half[k] else k
    return k, 1.0 if centre[k] >= 0.0 else -1.0


@kernel
def height_over(half: Vector, k: int, side: float, p: Vector) -> float:
    """Return the height of a point over face k of a box [m], 0 if it does not project into it."""
    for i in range(3):
        if i != k and abs(p[i]) > half[i]:
            return 0.0
    return max(side * p[k] - half[k], 0.0)


@kernel
def separate_from_face(shapes: Shapes, pair: Pair) -> tuple[float, Vector, Vector]:
    """Return s, n and a point of A's core, of a pair that meets with the face of a box.

    s is 0 if it does not.
    """
    if shapes.kind[pair.a] == BOX:
        half = load(shapes.half, pair.a)
        k, side = face_before(half, pair.offset)
        n = scale(-side, unit_axis(k))
        b = support_point(shapes, pair.b, to_frame(pair.axes, n))
        p = add(pair.offset, from_frame(pair.axes, b))
        s = height_over(half, k, side, p)
        if s > 0.0:
            return s, n, axpy(s, n, p)
    if shapes.kind[pair.b] == BOX:
        half = load(shapes.half, pair.b)
        k, side = face_before(half, scale(-1.0, to_frame(pair.axes, pair.offset)))
        n = scale(side, pair.axes[k])
        p = support_point(shapes, pair.a, scale(-1.0, n))
        s = height_over(half, k, side, to_frame(pair.axes, sub(p, pair.offset)))
        return s, n, p
    return 0.0, ZERO, ZERO


@kernel
def separate_cores(
    shapes: Shapes, pair: Pair, limit: float, memory_out: Floats, work_out: CollisionWork
) -> tuple[float, Vector, Vector]:
    """Return s, n and a point of A's core, of any other pair."""
    s, n, point = separate_from_face(shapes, pair)
    if s > 0.0:
        return s, n, point
    points = work_out.simplex
    count = load_simplex(pair, memory_out, points)
    if count == 0:
        count = begin_simplex(shapes, pair, points)
    count, s, n = find_distance(shapes, pair, limit, count, points)
    if s > 0.0:
        save_simplex(count, points, memory_out)
        if s <= limit and not pair.curved:
            s, n = polish(shapes, pair, count, points, (separation_along(shapes, pair, n), n))
        return s, n, touching_point(shapes, pair, n, s, count, points)
    if count < 4:
        enclose(shapes, pair, count, points)
    s, n = find_depth(shapes, pair, work_out, work_out)
    save_simplex(4, points, memory_out)
    return s, n, touching_point(shapes, pair, n, s, 3, points)


@kernel
def separation(
    shapes: Shapes,
    pair: Pair,
    pose: Pose,
    limit: float,
    memory_out: Floats,
    work_out: CollisionWork,
) -> tuple[float, Vector, Vector]:
    """Return the signed distance [m] of two shapes, the unit normal from B to A, and the point in
    the middle between their surfaces, both in the world.

    ``pose`` is that of A. A distance above the limit [m] is a lower bound. ``memory_out``
    (MEMORY,) is read, too; zeros for a pair that is new.
    """
    a, b = pair.a, pair.b
    margin = shapes.margin[a] + shapes.margin[b]
    if shapes.kind[a] == HALF_SPACE or shapes.kind[b] == HALF_SPACE:
        s, n, point = separate_from_plane(shapes, pair)
        if shapes.kind[a] == HALF_SPACE:
            point = axpy(-s, (0.0, 0.0, 1.0), point) if s < inf else point
    elif shapes.kind[a] <= CAPSULE and shapes.kind[b] <= CAPSULE:
        s, n, point = separate_lines(shapes, pair)
    else:
        s, n, point = separate_cores(shapes, pair, limit + margin, memory_out, work_out)
    gap = s - margin
    n = unit_or_zero(n)
    middle = axpy(-shapes.margin[a] - 0.5 * (gap if gap < inf else 0.0), n, point)
    return gap, from_frame(pose.axes, n), add(pose.position, from_frame(pose.axes, middle))
