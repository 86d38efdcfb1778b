"""Contact points of two shapes: up to four, each with its own gap and a feature that names it.

The features with which the shapes meet (``features.py``) are seen along the normal n. Where their
outlines overlap, the gap at (x, y) is z_A - z_B less the margins. It is linear over two faces, so
that its least value is in a corner of the overlap. Those corners are

* corners of one outline within the other, with four points of a cap's rim for its corners: the
  lowest one, and those a quarter and half a turn from there;
* points where an edge of each cross; edges cross a cap's rim where |u| = 1 in the coordinates u
  along the cap's radii. Rims of two caps are looked at in steps, and then by regula falsi.

Lines within ``PARALLEL`` of one another touch with the ends of their overlap, others where they
cross. A half-space is before everything. Where none of these is as near as the shapes are, as for
a ball or two corners, the nearest point itself is added.

Of more than four points those stay that are farthest out along four diagonals of tangents fixed to
A, one after the other; the deepest takes the place of the one next to it. So the choice depends on
the outline and not on rounding of gaps. Features: a corner of A or B by its number, a crossing by
both edges' numbers, 0 for the nearest point.
"""

from math import cos, inf, pi, sin, sqrt

from cable_sim.kernels.collision.features import DISC, FACE, LINE, POINT, outline_feature
from cable_sim.kernels.collision.shapes import (
    HALF_SPACE,
    Pair,
    Pose,
    any_across,
    from_frame,
    to_frame,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, cross, dot, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.collision import CollisionWork, Shapes

POINTS = 4
MOST_POINTS = 96
NEAR = 1e-6
"""Distance, as a part of a pair's size, below which two points are one."""
PARALLEL = 0.01
"""Sine of the angle below which two lines touch along a line."""
STEPS = 16
"""Parts of a rim in which another rim crosses it once at most."""
CORNER_A = 1 << 40
CORNER_B = 2 << 40
CROSSING = 3 << 40
SHIFT = 1 << 20
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def add_point(
    count: int,
    limit: float,
    margins: tuple[float, float],
    spot: tuple[float, float],
    heights: tuple[float, float],
    feature: float,
    points_out: Floats,
) -> int:
    """Add a point at (x, y) with the heights of A's and B's cores; return the number of points."""
    gap = heights[0] - heights[1] - margins[0] - margins[1]
    if not gap <= limit or count >= MOST_POINTS:
        return count
    points_out[count, 0], points_out[count, 1] = spot
    points_out[count, 2] = 0.5 * (heights[0] - margins[0] + heights[1] + margins[1])
    points_out[count, 3], points_out[count, 4] = gap, feature
    return count + 1


@kernel
def in_order(swapped: bool, mine: float, other: float) -> tuple[float, float]:
    """Return two heights, A's first."""
    return (other, mine) if swapped else (mine, other)


@kernel
def plane_height(outline: Floats, normal: Vector, x: float, y: float) -> float:
    """Return the height of a face or cap at (x, y)."""
    slope = normal[2] if abs(normal[2]) > 1e-9 else 1e-9
    return outline[0, 2] - (normal[0] * (x - outline[0, 0]) + normal[1] * (y - outline[0, 1])) / (
        slope
    )


@kernel
def cap_coordinates(outline: Floats, x: float, y: float) -> tuple[float, float]:
    """Return the coordinates of (x, y) along a cap's radii."""
    dx = x - outline[0, 0]
    dy = y - outline[0, 1]
    area = outline[1, 0] * outline[2, 1] - outline[1, 1] * outline[2, 0]
    return (
        (dx * outline[2, 1] - dy * outline[2, 0]) / area,
        (outline[1, 0] * dy - outline[1, 1] * dx) / area,
    )


@kernel
def is_over(
    feature: int, count: int, normal: Vector, outline: Floats, near: float, x: float, y: float
) -> bool:
    """Return True if (x, y) is within a face or cap, or nearer to it than ``near``."""
    if feature == DISC:
        u, v = cap_coordinates(outline, x, y)
        radius = norm((outline[1, 0], outline[1, 1], outline[1, 2]))
        return sqrt(u * u + v * v) <= 1.0 + near / radius
    if feature != FACE:
        return False
    sign = 1.0 if normal[2] >= 0.0 else -1.0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        ex = outline[m, 0] - outline[k, 0]
        ey = outline[m, 1] - outline[k, 1]
        area = ex * (y - outline[k, 1]) - ey * (x - outline[k, 0])
        if sign * area < -near * sqrt(ex * ex + ey * ey):
            return False
    return True


@kernel
def outline_point(feature: int, outline: Floats, k: int) -> Vector:
    """Return corner k of an outline, or point k of four on a cap's rim."""
    if feature != DISC:
        return (outline[k, 0], outline[k, 1], outline[k, 2])
    row = 1 + k % 2
    sign = 1.0 if k < 2 else -1.0
    return (
        outline[0, 0] + sign * outline[row, 0],
        outline[0, 1] + sign * outline[row, 1],
        outline[0, 2] + sign * outline[row, 2],
    )


@kernel
def corners_within(
    count: int,
    limit: float,
    margins: tuple[float, float],
    near: float,
    mine: tuple[int, int, Vector],
    other: tuple[int, int, Vector],
    swapped: bool,
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Add the corners of one outline that are within the other one."""
    first = 1 if swapped else 0
    for k in range(4 if mine[0] == DISC else mine[1]):
        x, y, z = outline_point(mine[0], outlines[first], k)
        if not is_over(other[0], other[1], other[2], outlines[1 - first], near, x, y):
            continue
        heights = in_order(swapped, z, plane_height(outlines[1 - first], other[2], x, y))
        number = k if mine[0] == DISC else outlines[first, k, 3]
        feature = (CORNER_B if swapped else CORNER_A) + number
        count = add_point(count, limit, margins, (x, y), heights, feature, points_out)
    return count


@kernel
def edges_of(feature: int, count: int) -> int:
    """Return the number of straight edges of an outline."""
    return count if feature == FACE else (1 if feature == LINE else 0)


@kernel
def edge_crossings(
    count: int,
    limit: float,
    margins: tuple[float, float],
    near: float,
    first: tuple[int, int, Vector],
    second: tuple[int, int, Vector],
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Add the points where edges of both outlines cross."""
    for i in range(edges_of(first[0], first[1])):
        p = outline_point(first[0], outlines[0], i)
        e = sub(outline_point(first[0], outlines[0], (i + 1) % first[1]), p)
        for j in range(edges_of(second[0], second[1])):
            q = outline_point(second[0], outlines[1], j)
            f = sub(outline_point(second[0], outlines[1], (j + 1) % second[1]), q)
            area = e[0] * f[1] - e[1] * f[0]
            size = sqrt((e[0] * e[0] + e[1] * e[1]) * (f[0] * f[0] + f[1] * f[1]))
            both = first[0] == LINE and second[0] == LINE
            if abs(area) <= (PARALLEL if both else 1e-12) * size:
                continue
            d = sub(q, p)
            s = (d[0] * f[1] - d[1] * f[0]) / area
            t = (d[0] * e[1] - d[1] * e[0]) / area
            ends = near * max(norm(e), norm(f)) / max(size, 1e-300)
            if s < -ends or s > 1.0 + ends or t < -ends or t > 1.0 + ends:
                continue
            spot = (p[0] + s * e[0], p[1] + s * e[1])
            heights = (p[2] + s * e[2], q[2] + t * f[2])
            feature = CROSSING + outlines[0, i, 3] * SHIFT + outlines[1, j, 3]
            count = add_point(count, limit, margins, spot, heights, feature, points_out)
    return count


@kernel
def rim_crossings(
    count: int,
    limit: float,
    margins: tuple[float, float],
    edges: tuple[int, int, Vector],
    swapped: bool,
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Add the points where edges of one outline cross the rim of the other one, a cap."""
    first = 1 if swapped else 0
    cap = outlines[1 - first]
    for k in range(edges_of(edges[0], edges[1])):
        p = outline_point(edges[0], outlines[first], k)
        q = outline_point(edges[0], outlines[first], (k + 1) % edges[1])
        ux, uy = cap_coordinates(cap, p[0], p[1])
        vx, vy = cap_coordinates(cap, q[0], q[1])
        ex = vx - ux
        ey = vy - uy
        square = ex * ex + ey * ey
        half = ux * ex + uy * ey
        inner = half * half - square * (ux * ux + uy * uy - 1.0)
        if square == 0.0 or inner < 0.0:
            continue
        for end in range(2):
            t = (-half + (sqrt(inner) if end == 1 else -sqrt(inner))) / square
            if t < 0.0 or t > 1.0:
                continue
            x, y = ux + t * ex, uy + t * ey
            z = cap[0, 2] + x * cap[1, 2] + y * cap[2, 2]
            heights = in_order(swapped, p[2] + t * (q[2] - p[2]), z)
            spot = (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))
            feature = CROSSING + outlines[first, k, 3] * SHIFT + end
            count = add_point(count, limit, margins, spot, heights, feature, points_out)
    return count


@kernel
def rim_point(outline: Floats, angle: float) -> Vector:
    """Return the point of a cap's rim at an angle from its first radius."""
    c = cos(angle)
    s = sin(angle)
    return (
        outline[0, 0] + c * outline[1, 0] + s * outline[2, 0],
        outline[0, 1] + c * outline[1, 1] + s * outline[2, 1],
        outline[0, 2] + c * outline[1, 2] + s * outline[2, 2],
    )


@kernel
def rim_excess(outlines: Floats, angle: float) -> float:
    """Return by how much A's rim at an angle is outside of B's, in squares of B's radius."""
    x, y, _ = rim_point(outlines[0], angle)
    u, v = cap_coordinates(outlines[1], x, y)
    return u * u + v * v - 1.0


@kernel
def two_rims(
    count: int,
    limit: float,
    margins: tuple[float, float],
    normal: Vector,
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Add the points where the rims of two caps cross."""
    found = 0
    for k in range(STEPS):
        low = 2.0 * pi * k / STEPS
        high = 2.0 * pi * (k + 1) / STEPS
        f = rim_excess(outlines, low)
        g = rim_excess(outlines, high)
        if (f > 0.0) == (g > 0.0):
            continue
        for _ in range(30):  # halves a sixteenth of a turn down to rounding
            middle = 0.5 * (low + high)
            if (rim_excess(outlines, middle) > 0.0) == (f > 0.0):
                low = middle
            else:
                high = middle
        x, y, z = rim_point(outlines[0], low)
        heights = (z, plane_height(outlines[1], normal, x, y))
        count = add_point(count, limit, margins, (x, y), heights, CROSSING + found, points_out)
        found += 1
    return count


@kernel
def parallel_lines(
    count: int,
    limit: float,
    margins: tuple[float, float],
    swapped: bool,
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Add the ends of one line that are beside the other one, if both are parallel."""
    first = 1 if swapped else 0
    q = outline_point(LINE, outlines[1 - first], 0)
    f = sub(outline_point(LINE, outlines[1 - first], 1), q)
    e = sub(outline_point(LINE, outlines[first], 1), outline_point(LINE, outlines[first], 0))
    square = f[0] * f[0] + f[1] * f[1]
    size = sqrt(square * (e[0] * e[0] + e[1] * e[1]))
    if abs(e[0] * f[1] - e[1] * f[0]) > PARALLEL * size or square == 0.0:
        return count
    for k in range(2):
        p = outline_point(LINE, outlines[first], k)
        t = ((p[0] - q[0]) * f[0] + (p[1] - q[1]) * f[1]) / square
        if t < -NEAR or t > 1.0 + NEAR:
            continue
        heights = in_order(swapped, p[2], q[2] + t * f[2])
        feature = (CORNER_B if swapped else CORNER_A) + k
        count = add_point(count, limit, margins, (p[0], p[1]), heights, feature, points_out)
    return count


@kernel
def collect_points(
    limit: float,
    margins: tuple[float, float],
    near: float,
    first: tuple[int, int, Vector],
    second: tuple[int, int, Vector],
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Write all corners of the overlap of two outlines; return their number.

    An outline that lies within the other one is all of it.
    """
    count = corners_within(0, limit, margins, near, first, second, False, outlines, points_out)
    if first[0] != DISC and count == first[1]:
        return count
    within = count
    count = corners_within(count, limit, margins, near, second, first, True, outlines, points_out)
    if second[0] != DISC and count - within == second[1]:
        return count
    if first[0] == DISC and second[0] == DISC:
        return two_rims(count, limit, margins, second[2], outlines, points_out)
    if second[0] == DISC:
        return rim_crossings(count, limit, margins, first, False, outlines, points_out)
    if first[0] == DISC:
        return rim_crossings(count, limit, margins, second, True, outlines, points_out)
    if first[0] == LINE and second[0] == LINE:
        count = parallel_lines(count, limit, margins, False, outlines, points_out)
        count = parallel_lines(count, limit, margins, True, outlines, points_out)
    return edge_crossings(count, limit, margins, near, first, second, outlines, points_out)


@kernel
def points_on_plane(
    limit: float,
    margins: tuple[float, float],
    mine: tuple[int, int, Vector],
    swapped: bool,
    plane: float,
    outlines: Floats,
    points_out: Floats,
) -> int:
    """Write all corners of an outline before a half-space at a height; return their number."""
    count = 0
    first = 1 if swapped else 0
    for k in range(4 if mine[0] == DISC else mine[1]):
        x, y, z = outline_point(mine[0], outlines[first], k)
        number = k if mine[0] == DISC else outlines[first, k, 3]
        feature = (CORNER_B if swapped else CORNER_A) + number
        heights = in_order(swapped, z, plane)
        count = add_point(count, limit, margins, (x, y), heights, feature, points_out)
    return count


@kernel
def is_taken(n: int, slots: int, near: float, points: Floats, chosen: Ints) -> bool:
    """Return True if point n or one next to it stands in one of the first slots."""
    for slot in range(slots):
        m = chosen[slot]
        if m >= 0 and abs(points[n, 0] - points[m, 0]) + abs(points[n, 1] - points[m, 1]) <= near:
            return True
    return False


@kernel
def deepest_point(count: int, points: Floats) -> int:
    """Return the point with the least gap."""
    deepest = 0
    for n in range(1, count):
        deepest = n if points[n, 3] < points[deepest, 3] else deepest
    return deepest


@kernel
def choose_points(count: int, near: float, points: Floats, chosen_out: Ints) -> None:
    """Choose the point of each of the four slots, -1 for none."""
    for slot in range(POINTS):
        along = 1.0 if slot < 2 else -1.0
        across = 1.0 if slot % 2 == 0 else -1.0
        chosen_out[slot] = -1
        farthest = -inf
        for n in range(count):
            out = along * points[n, 0] + across * points[n, 1]
            if out > farthest + near and not is_taken(n, slot, near, points, chosen_out):
                chosen_out[slot] = n
                farthest = out
    if count <= POINTS:
        return
    deepest = deepest_point(count, points)
    next_to = 0
    nearest = inf
    for slot in range(POINTS):
        m = chosen_out[slot]
        if m < 0 or points[m, 3] <= points[deepest, 3] + near:
            return
        d = sub((points[m, 0], points[m, 1], 0.0), (points[deepest, 0], points[deepest, 1], 0.0))
        if dot(d, d) < nearest:
            next_to = slot
            nearest = dot(d, d)
    chosen_out[next_to] = deepest


@kernel
def find_points(
    shapes: Shapes,
    pair: Pair,
    gap: float,
    limit: float,
    n: Vector,
    origin: Vector,
    work_out: CollisionWork,
) -> int:
    """Write the points that a pair may have; return their number. All is in the frame of A."""
    margins = (shapes.margin[pair.a], shapes.margin[pair.b])
    tangent = any_across(n)
    frame = (tangent, cross(n, tangent), n)
    near = NEAR * (pair.size + margins[0] + margins[1])
    first = (POINT, 0, n)
    second = (POINT, 0, n)
    if shapes.kind[pair.a] != HALF_SPACE:
        place = (ZERO, IDENTITY, origin, frame)
        first = outline_feature(shapes, pair.a, scale(-1.0, n), place, work_out.outline[0])
    if shapes.kind[pair.b] != HALF_SPACE:
        place = (pair.offset, pair.axes, origin, frame)
        second = outline_feature(shapes, pair.b, to_frame(pair.axes, n), place, work_out.outline[1])
    points = work_out.point
    if shapes.kind[pair.a] == HALF_SPACE:
        plane = -dot(n, origin) + margins[0]
        count = points_on_plane(limit, margins, second, True, plane, work_out.outline, points)
    elif shapes.kind[pair.b] == HALF_SPACE:
        plane = dot(n, sub(pair.offset, origin))
        count = points_on_plane(limit, margins, first, False, plane, work_out.outline, points)
    else:
        count = collect_points(limit, margins, near, first, second, work_out.outline, points)
    if gap < inf and (count == 0 or points[deepest_point(count, points), 3] > gap + near):
        heights = (0.5 * gap + margins[0], -0.5 * gap - margins[1])
        count = add_point(count, inf, margins, (0.0, 0.0), heights, 0, points)
    choose_points(count, near, points, work_out.chosen)
    return count


@kernel
def manifold(
    shapes: Shapes,
    pair: Pair,
    pose: Pose,
    found: tuple[float, Vector, Vector],
    limit: float,
    points_out: Floats,
    features_out: Ints,
    work_out: CollisionWork,
) -> int:
    """Write up to four contact points: place in the world between the surfaces and gap [m].

    ``pose`` is that of A, ``found`` the result of ``separation``, not above the limit, or a plane
    of ``rims.py``. Points with gaps above the limit are left out. ``points_out`` is (4, 4);
    ``features_out`` (4,) whole numbers. Returns the number of points.
    """
    n = to_frame(pose.axes, found[1])
    origin = to_frame(pose.axes, sub(found[2], pose.position))
    find_points(shapes, pair, found[0], limit, n, origin, work_out)
    tangent = any_across(n)
    frame = (tangent, cross(n, tangent), n)
    count = 0
    for slot in range(POINTS):
        m = work_out.chosen[slot]
        if m < 0:
            continue
        row = work_out.point[m]
        place = add(origin, from_frame(frame, (row[0], row[1], row[2])))
        place = add(pose.position, from_frame(pose.axes, place))
        points_out[count, 0], points_out[count, 1], points_out[count, 2] = place
        points_out[count, 3] = row[3]
        features_out[count] = int(row[4])
        count += 1
    return count
