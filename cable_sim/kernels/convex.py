"""Contact of a ball or a box with a convex solid within a step.

All is in the frame of the body that carries the solid.

The solid is the part of space with n_f . x <= o_f for all its faces f. What moves goes by h v in
the step, v its velocity as seen from the solid; a *gap* along a unit vector n, which points away
from the solid, is such that the two touch at the end of the step if n . v = -gap / h.

*Ball*, radius rho, centre p. On its way from p to p + h v it first comes nearer than rho and a
*margin* where it enters the solid with faces moved out by as much. There the solid's nearest point
q gives n = (p - q) / |p - q| and the gap |p - q| - rho, carried back along that line. The nearest
point is on the face whose plane is farthest before p, if the projection on that is in the solid,
and else on an edge: the distance of a convex solid is at least that of any plane of its faces.
Inside of the solid it is the face that is nearest, with a negative distance.

*Box*, centre c, half edges h_k along a_k. Along n the two stand apart by

    s(n) = n . c - sum_k h_k |a_k . n| - max_x n . x,     x the solid's corners.

They are apart if and only if s > 0 along a normal of a face of either or along the product of an
edge of each. Of the products only those count that are outward: between the normals of the two
faces that meet at the solid's edge, where the maximum is on the edge itself. Of the directions
along which they are apart now, the one meets the solid along which they will be farthest apart at
the end of the step, s + h n . v: that can't take a box out on the other side of a thin solid, nor
stop what passes beside it. Where there is none they overlap, and it is the one with the largest s.
Edges need to be better by ``SKIN`` times the smallest half edge: of directions that are as good
rounding shall not choose, and faces give more points.

*Points.* Seen along n, at the end of the step, the gap between the faces of the two that look at
one another is least in a corner of either, or where an edge of each cross: these are all looked at.
Of those that may touch up to four are chosen: those that are farthest out along four diagonals, one
after the other, and the deepest in place of the one next to it. Their gap is the height between
the two solids along n there.
"""

from math import inf, sqrt
from typing import Any, NamedTuple

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, sub

POINTS = 4
"""Most points of a box and a solid."""
SKIN = 2e-3
"""Part of the smallest half edge by which an edge has to be better than a face."""
PARALLEL = 1e-3
"""Smallest angle between edges [rad] that have a common normal of their own."""
NEAR = 1e-6
"""Distance, as a part of the size of a face, below which two points are one."""
ON_FACE = 1e-9
"""Distance outside of a face within which a projection counts as on it [m]."""
SIDEWAYS = 1e-6
"""Distance within which corners and edges that miss one another meet [m]. Rims of the same size
then touch."""
LEVEL = 1e-12
"""Least slope of a line to a plane that it meets."""
APART = 1e-4
"""Overlap below which two solids count as apart [m]."""
MOST_POINTS = 64
"""Most points of a box and a solid, of which four are chosen."""


class Convex(NamedTuple):
    """Convex solids in ragged arrays; see ``model/records/obstacles.py``."""

    body: Any
    centre: Any
    radius: Any
    face_start: Any
    normal: Any
    offset: Any
    corner_start: Any
    corner: Any
    edge_start: Any
    edge: Any
    edge_face: Any


class Block(NamedTuple):
    """A box: its centre, three axes, three half edges [m]."""

    centre: Any
    axes: Any
    half: Any


@kernel
def contains_point(solids, t, point):
    """Return True if a point is in solid t."""
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        if dot(load(solids.normal, f), point) > solids.offset[f] + ON_FACE:
            return False
    return True


@kernel
def nearest_surface(solids, t, point):
    """Distance of a point from solid t [m], negative inside, and the unit vector away from the
    solid there."""
    far = -inf
    face = -1
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        before = dot(load(solids.normal, f), point) - solids.offset[f]
        if before > far:
            far = before
            face = f
    normal = load(solids.normal, face)
    if far <= ON_FACE or contains_point(solids, t, axpy(-far, normal, point)):
        return far, normal
    least = inf
    away = normal
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        start = load(solids.edge[e], 0)
        along = sub(load(solids.edge[e], 1), start)
        offset = sub(point, start)
        x = min(max(dot(offset, along) / dot(along, along), 0.0), 1.0)
        offset = axpy(-x, along, offset)
        if norm(offset) < least:
            least = norm(offset)
            away = offset
    return least, scale(1.0 / least, away)


@kernel
def entry_fraction(solids, t, start, end, margin):
    """Return the fraction of the line from start to end at which a point comes near solid t.

    Near is less than ``margin``. The result is 2 if the point does not. The solid's faces are moved
    out by the margin: its corners reach farther out.
    """
    enters = 0.0
    leaves = 1.0
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        normal = load(solids.normal, f)
        limit = solids.offset[f] + margin
        first = dot(normal, start) - limit
        last = dot(normal, end) - limit
        if first > 0.0 and last > 0.0:
            return 2.0
        if first > 0.0:
            enters = max(enters, first / (first - last))
        elif last > 0.0:
            leaves = min(leaves, first / (first - last))
    return enters if enters <= leaves else 2.0


@kernel
def find_ball_contact(h, solids, t, centre, radius, velocity, margin):
    """Return True if a ball may touch solid t within the step; and outward normal and gap [m]."""
    x = entry_fraction(solids, t, centre, axpy(h, velocity, centre), radius + margin)
    if x > 1.0:
        return False, (0.0, 0.0, 1.0), 0.0
    distance, normal = nearest_surface(solids, t, axpy(x * h, velocity, centre))
    return True, normal, distance - radius - x * h * dot(velocity, normal)


@kernel
def half_extent(block, axis):
    """Half the extent of a box along a unit vector [m]."""
    total = 0.0
    for k in range(3):
        total += block.half[k] * abs(dot(axis, block.axes[k]))
    return total


@kernel
def solid_extent(solids, t, axis):
    """Least and largest coordinate of solid t along a unit vector [m]."""
    least = inf
    most = -inf
    for i in range(solids.corner_start[t], solids.corner_start[t + 1]):
        along = dot(load(solids.corner, i), axis)
        least = min(least, along)
        most = max(most, along)
    return least, most


@kernel
def better_direction(best, bias, apart_by, ends_by, normal):
    """Return the direction along which box and solid meet: the best so far or this one.

    A direction is given as: apart, by how much, unit vector.
    """
    was_apart, score, _ = best
    apart = apart_by > -APART
    new = (ends_by if apart else apart_by) - bias
    if (apart and not was_apart) or (apart == was_apart and new > score):
        return apart, new, normal
    return best


@kernel
def face_directions(h, solids, t, block, velocity, margin):
    """Return True if box and solid stay apart along a face's normal; and the best direction."""
    best = (False, -inf, (0.0, 0.0, 1.0))
    clear = False
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        normal = load(solids.normal, f)
        apart_by = dot(normal, block.centre) - solids.offset[f] - half_extent(block, normal)
        ends_by = apart_by + h * dot(normal, velocity)
        clear = clear or (apart_by > 0.0 and ends_by > margin)
        best = better_direction(best, 0.0, apart_by, ends_by, normal)
    if clear:
        return True, best
    for k in range(3):
        axis = block.axes[k]
        least, most = solid_extent(solids, t, axis)
        along = dot(axis, block.centre)
        rate = h * dot(axis, velocity)
        above = along - block.half[k] - most
        below = least - along - block.half[k]
        clear = (
            clear
            or (above > 0.0 and above + rate > margin)
            or (below > 0.0 and below - rate > margin)
        )
        best = better_direction(best, 0.0, above, above + rate, axis)
        best = better_direction(best, 0.0, below, below - rate, scale(-1.0, axis))
    return clear, best


@kernel
def outward_product(solids, e, axis):
    """Unit vector across edge e of a solid and an axis, zero unless it is between the normals of
    the edge's faces."""
    along = sub(load(solids.edge[e], 1), load(solids.edge[e], 0))
    product = cross(along, axis)
    length = norm(product)
    if length <= PARALLEL * norm(along):
        return (0.0, 0.0, 0.0)
    first = load(solids.normal, solids.edge_face[e, 0])
    second = load(solids.normal, solids.edge_face[e, 1])
    normal = scale((1.0 if dot(product, add(first, second)) >= 0.0 else -1.0) / length, product)
    turn = cross(first, second)
    if dot(cross(first, normal), turn) < 0.0 or dot(cross(normal, second), turn) < 0.0:
        return (0.0, 0.0, 0.0)
    return normal


@kernel
def box_direction(h, solids, t, block, velocity, margin):
    """Return True if a box may touch solid t within the step, and the direction, away from the
    solid."""
    clear, best = face_directions(h, solids, t, block, velocity, margin)
    if clear:
        return False, best[2]
    skin = SKIN * min(block.half[0], block.half[1], block.half[2])
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        start = sub(block.centre, load(solids.edge[e], 0))
        for k in range(3):
            normal = outward_product(solids, e, block.axes[k])
            if dot(normal, normal) == 0.0:
                continue
            apart_by = dot(normal, start) - half_extent(block, normal)
            ends_by = apart_by + h * dot(normal, velocity)
            if apart_by > 0.0 and ends_by > margin:
                return False, normal
            best = better_direction(best, skin, apart_by, ends_by, normal)
    return True, best[2]


@kernel
def perpendicular_axes(normal):
    """Return two unit vectors that make right-handed axes with a normal."""
    x = abs(normal[0])
    y = abs(normal[1])
    z = abs(normal[2])
    other = (
        (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    )
    first = axpy(-dot(other, normal), normal, other)
    first = scale(1.0 / norm(first), first)
    return first, cross(normal, first)


@kernel
def line_in_solid(solids, t, point, normal):
    """Part (from, to) of the line from a point along a unit vector in solid t [m]; out of order for
    none."""
    lower = -inf
    upper = inf
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        slope = dot(load(solids.normal, f), normal)
        room = solids.offset[f] - dot(load(solids.normal, f), point)
        if slope > LEVEL:
            upper = min(upper, room / slope)
        elif slope < -LEVEL:
            lower = max(lower, room / slope)
        elif room < -SIDEWAYS:
            return 1.0, -1.0
    return lower, upper + SIDEWAYS


@kernel
def line_in_box(block, point, normal):
    """Return the part (from, to) of a line in a box [m]; out of order for none.

    The line goes from a point along a unit vector.
    """
    lower = -inf
    upper = inf
    offset = sub(block.centre, point)
    for k in range(3):
        slope = dot(block.axes[k], normal)
        along = dot(block.axes[k], offset)
        if abs(slope) > LEVEL:
            lower = max(lower, (along - (block.half[k] if slope > 0.0 else -block.half[k])) / slope)
            upper = min(upper, (along + (block.half[k] if slope > 0.0 else -block.half[k])) / slope)
        elif abs(along) > block.half[k] + SIDEWAYS:
            return 1.0, -1.0
    return lower, upper + SIDEWAYS


@kernel
def add_point(count, limit, turning, gap, offset, frame, points_out):
    """Add a point that touches or may within the step; return the number of points.

    A point has its coordinates along two tangents, gap and height. ``offset`` leads from the centre
    of the box to it. ``turning`` is h times the angular velocity.
    """
    first, second, normal = frame
    if gap + dot(normal, cross(turning, offset)) > limit:
        return count
    place = count
    if count == MOST_POINTS:  # in place of the highest
        place = 0
        for n in range(count):
            place = n if points_out[n, 2] > points_out[place, 2] else place
        if gap >= points_out[place, 2]:
            return count
    points_out[place, 0], points_out[place, 1] = dot(offset, first), dot(offset, second)
    points_out[place, 2], points_out[place, 3] = gap, dot(offset, normal)
    return min(count + 1, MOST_POINTS)


@kernel
def box_corner(block, i):
    """Corner i of a box, 0 to 7, from its centre [m]."""
    corner = scale(block.half[0] if i % 2 == 0 else -block.half[0], block.axes[0])
    corner = axpy(block.half[1] if (i // 2) % 2 == 0 else -block.half[1], block.axes[1], corner)
    return axpy(block.half[2] if i // 4 == 0 else -block.half[2], block.axes[2], corner)


@kernel
def corner_points(solids, t, block, frame, limit, turning, points_out):
    """Add the points at the corners of a box and of solid t; return their number."""
    count = 0
    normal = frame[2]
    for i in range(8):
        offset = box_corner(block, i)
        lower, upper = line_in_solid(solids, t, add(block.centre, offset), normal)
        if lower <= upper:
            count = add_point(count, limit, turning, SIDEWAYS - upper, offset, frame, points_out)
    for i in range(solids.corner_start[t], solids.corner_start[t + 1]):
        corner = load(solids.corner, i)
        lower, upper = line_in_box(block, corner, normal)
        if lower <= upper:
            offset = sub(axpy(lower, normal, corner), block.centre)
            count = add_point(count, limit, turning, lower, offset, frame, points_out)
    return count


@kernel
def edge_points(count, solids, e, block, k, frame, limit, turning, points_out):
    """Add the points where edge e of a solid crosses the four edges of a box along its axis k.

    The edges are seen along the normal. Returns the number of points.
    """
    normal = frame[2]
    axis = block.axes[k]
    start = sub(load(solids.edge[e], 0), block.centre)
    along = sub(load(solids.edge[e], 1), load(solids.edge[e], 0))
    width = dot(cross(axis, along), normal)
    length = sqrt(dot(along, along))
    if abs(width) <= PARALLEL * length:
        return count
    i = (k + 1) % 3
    j = (k + 2) % 3
    for n in range(4):
        middle = scale(block.half[i] if n % 2 == 0 else -block.half[i], block.axes[i])
        middle = axpy(block.half[j] if n // 2 == 0 else -block.half[j], block.axes[j], middle)
        offset = sub(start, middle)
        x = dot(cross(offset, along), normal) / width
        y = dot(cross(offset, axis), normal) / width
        if abs(x) > block.half[k] + SIDEWAYS or not -SIDEWAYS <= y * length <= length + SIDEWAYS:
            continue
        on_box = axpy(x, axis, middle)
        gap = dot(normal, sub(on_box, axpy(y, along, start)))
        count = add_point(count, limit, turning, gap, on_box, frame, points_out)
    return count


@kernel
def box_points(solids, t, block, normal, limit, turning, points_out):
    """Find the points where a box touches solid t along a normal; return their number and frame.

    The box is where it stands at the end of the step, and so are the gaps. ``limit`` is the gap
    above which a point is left out [m].
    """
    first, second = perpendicular_axes(normal)
    frame = (first, second, normal)
    count = corner_points(solids, t, block, frame, limit, turning, points_out)
    lowest = dot(normal, block.centre) - half_extent(block, normal)
    slack = limit + norm(turning) * norm(block.half)
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        a = dot(normal, load(solids.edge[e], 0))
        b = dot(normal, load(solids.edge[e], 1))
        if max(a, b) < lowest - slack:
            continue
        for k in range(3):
            count = edge_points(count, solids, e, block, k, frame, limit, turning, points_out)
    return count, frame


@kernel
def is_taken(n, slots, near, polygon, chosen):
    """Return True if point n or one next to it stands in one of the first slots."""
    for slot in range(slots):
        m = chosen[slot]
        if (
            m >= 0
            and abs(polygon[n, 0] - polygon[m, 0]) + abs(polygon[n, 1] - polygon[m, 1]) <= near
        ):
            return True
    return False


@kernel
def keep_deepest(count, near, polygon, chosen_out):
    """Put the deepest point into the slot next to it, if none is about as deep."""
    deepest = 0
    next_to = 0
    nearest = inf
    for n in range(count):
        if polygon[n, 2] < polygon[deepest, 2]:
            deepest = n
    for slot in range(POINTS):
        m = chosen_out[slot]
        if m < 0 or polygon[m, 2] <= polygon[deepest, 2] + near:
            return
        x = polygon[m, 0] - polygon[deepest, 0]
        y = polygon[m, 1] - polygon[deepest, 1]
        if x * x + y * y < nearest:
            next_to = slot
            nearest = x * x + y * y
    chosen_out[next_to] = deepest


@kernel
def choose_points(count, polygon, chosen_out):
    """Choose the point of each of the four slots, -1 for none."""
    size = 0.0
    for n in range(count):
        size = max(size, sqrt(polygon[n, 0] ** 2 + polygon[n, 1] ** 2))
    for slot in range(POINTS):
        along = 1.0 if slot < 2 else -1.0
        across = 1.0 if slot % 2 == 0 else -1.0
        best = -1
        farthest = -inf
        for n in range(count):
            out = along * polygon[n, 0] + across * polygon[n, 1]
            if out > farthest and not is_taken(n, slot, NEAR * size, polygon, chosen_out):
                best = n
                farthest = out
        chosen_out[slot] = best
    if count > POINTS:
        keep_deepest(count, NEAR * size, polygon, chosen_out)
