"""Convex solids in the way of a cable: depth of a line in them, and shortest path over an edge.

A solid is the part of space with n_f . x <= o_f for all its faces f, n_f outward unit normals; its
edges are where two faces meet. Everything here is in the frame of the body that carries the solid.
A cylinder is a prism, and the solid of a cable is grown by the radius of the rope
(``model/cables/obstacles.py``), so that the cable is its centre line.

*Depth* of a point is min_f (o_f - n_f . x): positive inside. Along a segment it is concave, zero
where the segment enters and leaves; at the middle of the part inside it is at least half of the
largest.

*Inner faces* are those where the solid is part of a larger one, and others lie beside it
(``model/shapes/parts.py``). No cable rests on them, and nothing leaves the solid through them: a
point inside is as deep as it is below the other faces alone, and the normal at a point of the
surface is of those. Parts overlap there by next to nothing, so that a line between two parts is in
one of them: an inner face keeps off what is outside of it to the last bit, no less. A path over an
edge is free if no part of the larger solid is in its way.

*Shortest path over a line* (Servin et al. 2011, eq. 18). Of all points of the line x_0 + z t, the
sum of distances to a and b is least at

    z = z_a + (z_b - z_a) r_a / (r_a + r_b),

z_a, z_b the coordinates of a and b along the line and r_a, r_b their distances from it: turned
about the line into one plane, the path is straight. The sum is convex in z, so that on a part of
the line the nearest end is the best.
"""

from math import cos, pi, sin

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, load, norm, scale, sub
from cable_sim.kernels.records.obstacles import Touches

INSIDE = 2e-5
"""Depth from which on a cable in a solid is caught [m]."""
ON_SIDE = 0.866
"""Cosine of the largest angle between directions to the same side of a line: less than 30
degrees."""

MEETS = 1e-5
"""Distance of a face's plane from a point within which the face goes through it [m]."""
LEANS = 1e-12
"""Depth of a chord behind both faces of an edge from which on the cable leans on it [m]. It is
above the rounding of coordinates."""
SECTORS = 12
"""Number of sides of a line deep in a solid to which a path round the solid is looked for."""
BARRED = 2.0
"""Largest ratio of a free path's detour to that of a shorter path over another edge that is not
free."""


@kernel
def unit(a: Vector) -> Vector:
    """Return the unit vector along a; zero for zero."""
    length = norm(a)
    return scale(1.0 / length if length > 0.0 else 0.0, a)


@kernel
def depth(solids: Touches, t: int, point: Vector) -> tuple[float, int]:
    """Return the depth of a point in solid t [m], negative outside, and the nearest face.

    Inner faces count for a point outside alone, and are never the face.
    """
    least = 1e300
    face = -1
    beyond = 0.0
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        inside = solids.face_offset[f] - dot(load(solids.face_normal, f), point)
        if solids.face_inner[f]:
            beyond = min(beyond, inside)
        elif inside < least:
            least = inside
            face = f
    return (min(least, beyond) if beyond < 0.0 else least), face


@kernel
def exit_point(solids: Touches, t: int, point: Vector, target: Vector) -> tuple[float, int]:
    """Return the part of a line at which it leaves solid t, and the face there.

    The line goes from a point inside the solid to a target outside.
    """
    least = 1e300
    face = -1
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        if solids.face_inner[f]:
            continue
        normal = load(solids.face_normal, f)
        slope = dot(normal, sub(target, point))
        room = solids.face_offset[f] - dot(normal, point)
        if slope > 0.0 and room < least * slope:
            least = room / slope
            face = f
    return least, face


@kernel
def clip_segment(solids: Touches, t: int, start: Vector, end: Vector) -> Vector:
    """Return the part (from, to) in 0...1 of a segment inside solid t, and the depth in its middle.

    The depth is 0 if no part is inside.
    """
    enters = 0.0
    leaves = 1.0
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        normal = load(solids.face_normal, f)
        first = dot(normal, start) - solids.face_offset[f]
        last = dot(normal, end) - solids.face_offset[f]
        if first >= 0.0 and last >= 0.0:
            return 0.0, 0.0, 0.0
        if first > 0.0:
            enters = max(enters, first / (first - last))
        elif last > 0.0:
            leaves = min(leaves, first / (first - last))
    if enters >= leaves:
        return 0.0, 0.0, 0.0
    inside, _ = depth(solids, t, axpy(0.5 * (enters + leaves), sub(end, start), start))
    return enters, leaves, max(inside, 0.0)


@kernel
def is_clear(solids: Touches, t: int, start: Vector, end: Vector) -> bool:
    """Return True if a segment goes no deeper into solid t than is allowed."""
    _, _, inside = clip_segment(solids, t, start, end)
    return inside <= INSIDE


@kernel
def is_path_free(solids: Touches, t: int, a: Vector, p: Vector, b: Vector) -> bool:
    """Return True if the path from a over p to b is clear of solid t and the parts that it is one
    of."""
    for part in range(solids.whole[t, 0], solids.whole[t, 1]):
        if not is_clear(solids, part, a, p) or not is_clear(solids, part, p, b):
            return False
    return True


@kernel
def is_out_of_reach(solids: Touches, t: int, start: Vector, end: Vector, reach: float) -> bool:
    """Return True if a cylinder of radius ``reach`` about a segment can't touch solid t.

    The solid's sphere decides, then its faces.
    """
    along = sub(end, start)
    to_centre = sub(load(solids.centre, t), start)
    length_squared = dot(along, along)
    x = min(max(dot(to_centre, along) / length_squared, 0.0), 1.0) if length_squared > 0.0 else 0.0
    if norm(axpy(-x, along, to_centre)) > solids.radius[t] + reach:
        return True
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        normal = load(solids.face_normal, f)
        limit = solids.face_offset[f] + reach
        if dot(normal, start) > limit and dot(normal, end) > limit:
            return True
    return False


@kernel
def shortest_coordinate(
    point: Vector, direction: Vector, lower: float, upper: float, a: Vector, b: Vector
) -> float:
    """Coordinate on a part of a line where the path from a over it to b is shortest [m]."""
    from_a = sub(a, point)
    from_b = sub(b, point)
    z_a = dot(from_a, direction)
    z_b = dot(from_b, direction)
    r_a = norm(axpy(-z_a, direction, from_a))
    r_b = norm(axpy(-z_b, direction, from_b))
    z = 0.5 * (z_a + z_b)
    if r_a + r_b > 0.0:
        z = z_a + (z_b - z_a) * r_a / (r_a + r_b)
    return min(max(z, lower), upper)


@kernel
def detour(p: Vector, a: Vector, b: Vector) -> float:
    """Return the detour of the path from a to b over p [m].

    As |a - p| + |p - b| - |a - b| = 2 (|a - p| |p - b| + (a - p) . (b - p)) / (|a - p| + |p - b| +
    |a - b|) and r s + x . y = |s x + r y|^2 / (2 r s): without cancellation.
    """
    x = sub(a, p)
    y = sub(b, p)
    r = norm(x)
    s = norm(y)
    if r == 0.0 or s == 0.0:
        return 0.0
    bent = add(scale(s, x), scale(r, y))
    return dot(bent, bent) / (r * s * (r + s + norm(sub(a, b))))


@kernel
def outward_normal(solids: Touches, t: int, p: Vector) -> Vector:
    """Return the outward normal of solid t at a point of its surface.

    It is the sum of the normals of the faces that meet there.
    """
    normal = (0.0, 0.0, 0.0)
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        if solids.face_inner[f]:
            continue
        if solids.face_offset[f] - dot(load(solids.face_normal, f), p) < MEETS:
            normal = add(normal, load(solids.face_normal, f))
    return normal


@kernel
def face_range(solids: Touches, t: int, e: int) -> tuple[int, int]:
    """Return the range of faces that may go through a point of edge e of solid t.

    The range is for :func:`face_of`, from the first to before the last. For a point that is on no
    edge, e < 0, it is all faces.
    """
    if e < 0:
        return solids.face_start[t], solids.face_start[t + 1]
    return solids.edge_face_start[e], solids.edge_face_start[e + 1]


@kernel
def face_of(solids: Touches, e: int, i: int) -> int:
    """Return face i of those that may go through a point of edge e, or of all."""
    return solids.edge_face[i] if e >= 0 else i


@kernel
def is_beside_face(solids: Touches, t: int, e: int, start: Vector, end: Vector) -> bool:
    """Return True if a single face near edge e keeps a segment from going too deep into solid t."""
    begin, behind = face_range(solids, t, e)
    for i in range(begin, behind):
        f = face_of(solids, e, i)
        normal = load(solids.face_normal, f)
        limit = solids.face_offset[f] - (0.0 if solids.face_inner[f] else INSIDE)
        if dot(normal, start) >= limit and dot(normal, end) >= limit:
            return True
    return False


@kernel
def bearing_normal(
    solids: Touches, t: int, e: int, p: Vector, force: Vector
) -> tuple[Vector, float]:
    """Return the outward normal of solid t at a point p, and the most pull of a force off a face.

    The normal is as above, at a point of the surface. The point is on edge e, or on none, -1. Let
    the force be a kink's change of direction. A value below 0 then says that the line between the
    kink's ends goes through the part that the faces at p enclose. That line crosses the ray from p
    along the force.
    """
    normal = (0.0, 0.0, 0.0)
    most = -1e300
    begin, end = face_range(solids, t, e)
    for i in range(begin, end):
        f = face_of(solids, e, i)
        face = load(solids.face_normal, f)
        if solids.face_inner[f]:
            continue
        if solids.face_offset[f] - dot(face, p) < MEETS:
            normal = add(normal, face)
            most = max(most, dot(force, face))
    return normal, most


@kernel
def is_supported(solids: Touches, t: int, e: int, p: Vector, a: Vector, b: Vector) -> bool:
    """Return True if the line from a to b goes through the region that the faces at p enclose.

    The point p is on the surface of solid t, which that region holds. A taut cable from a over p to
    b could not be pulled straight past the faces at p. The point is on edge e, or on none, -1.
    """
    enters = 0.0
    leaves = 1.0
    begin, end = face_range(solids, t, e)
    for i in range(begin, end):
        f = face_of(solids, e, i)
        normal = load(solids.face_normal, f)
        limit = solids.face_offset[f]
        if solids.face_inner[f] or limit - dot(normal, p) >= MEETS:
            continue
        first = dot(normal, a) - limit + LEANS
        last = dot(normal, b) - limit + LEANS
        if first > 0.0:
            enters = max(enters, first / (first - last) if last < 0.0 else 1.0)
        elif last > 0.0:
            leaves = min(leaves, first / (first - last))
    return enters < leaves


@kernel
def pulls_into(normal: Vector, p: Vector, a: Vector, b: Vector) -> bool:
    """Return True if a taut line over p presses against the outward normal there."""
    return dot(add(unit(sub(a, p)), unit(sub(b, p))), normal) < 0.0


@kernel
def edge_detour(solids: Touches, e: int, a: Vector, b: Vector) -> tuple[Vector, float]:
    """Return the point of edge e on the shortest path from a to b over it, and the detour [m]."""
    start = load(solids.edge_point, e)
    direction = load(solids.edge_direction, e)
    z = shortest_coordinate(start, direction, 0.0, solids.edge_length[e], a, b)
    p = axpy(z, direction, start)
    return p, detour(p, a, b)


@kernel
def line_normal(p: Vector, a: Vector, b: Vector) -> Vector:
    """Unit vector from the line through a and b to p, across it; zero on the line."""
    along = unit(sub(b, a))
    offset = sub(p, a)
    return unit(axpy(-dot(offset, along), along, offset))


@kernel
def can_support(
    solids: Touches, t: int, p: Vector, a: Vector, b: Vector, close: tuple[float, float]
) -> bool:
    """Return True if a line from a to b can lean on solid t at p.

    The point is then at neither end, and the line presses on it there.
    """
    if norm(sub(p, a)) < close[0] or norm(sub(p, b)) < close[1]:
        return False
    return pulls_into(outward_normal(solids, t, p), p, a, b)


@kernel
def find_free_edge(
    solids: Touches, t: int, a: Vector, b: Vector, close: tuple[float, float], side: Vector
) -> int:
    """Return the edge of solid t with the shortest free path from a to b over it; -1 for none.

    Only edges to ``side`` of the line count.
    """
    found = -1
    least = 1e300
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        p, extra = edge_detour(solids, e, a, b)
        if (
            extra >= least
            or not can_support(solids, t, p, a, b, close)
            or dot(line_normal(p, a, b), side) < 0.0
        ):
            continue
        if is_path_free(solids, t, a, p, b):
            found = e
            least = extra
    return found


@kernel
def find_outermost_edge(
    solids: Touches, t: int, a: Vector, b: Vector, close: tuple[float, float], side: Vector
) -> int:
    """Return the edge of solid t over which the path from a to b is longest; -1 for none.

    Only edges to ``side`` of the line count. An edge with the shortest path over its end does not
    count: it turns away from that path.
    """
    found = -1
    most = 0.0
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        p, extra = edge_detour(solids, e, a, b)
        along = dot(sub(p, load(solids.edge_point, e)), load(solids.edge_direction, e))
        if (
            not MEETS < along < solids.edge_length[e] - MEETS
            or dot(line_normal(p, a, b), side) < ON_SIDE
        ):
            continue
        if extra > most and can_support(solids, t, p, a, b, close):
            found = e
            most = extra
    return found


@kernel
def find_easiest_edge(
    solids: Touches, t: int, a: Vector, b: Vector, close: tuple[float, float]
) -> int:
    """Return the outermost edge to the side where its detour is least; -1 for none.

    Sides are those of a line from a to b.
    """
    along = unit(sub(b, a))
    first = unit(cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.6 else (1.0, 0.0, 0.0)))
    second = cross(along, first)
    found = -1
    least = 1e300
    for sector in range(SECTORS):
        turn = 2.0 * pi * sector / SECTORS
        side = add(scale(cos(turn), first), scale(sin(turn), second))
        e = find_outermost_edge(solids, t, a, b, close, side)
        if e >= 0:
            _, extra = edge_detour(solids, e, a, b)
            if extra < least:
                found = e
                least = extra
    return found


@kernel
def find_contact_edge(
    solids: Touches, t: int, a: Vector, b: Vector, close: tuple[float, float], side: Vector
) -> int:
    """Return the edge of solid t that a line from a to b through it should go over, -1 for none.

    ``side`` points from the line to where the cable has to pass; it is zero if nothing is known of
    it. Of the edges to that side it is the one with the least detour over which the path is free.
    Without one the cable needs several edges, of which this is the outermost. With no side given it
    is that of all edges, unless there is a side to which the outermost edge is far nearer. An edge
    at an end of the line, within ``close`` of a and b [m], is no help.
    """
    nearest = -1
    least = 1e300
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        p, extra = edge_detour(solids, e, a, b)
        if extra < least and can_support(solids, t, p, a, b, close):
            nearest = e
            least = extra
    if nearest < 0:
        return -1
    aimed = dot(side, side) > 0.0
    found = find_free_edge(solids, t, a, b, close, side)
    if found >= 0 and (aimed or edge_detour(solids, found, a, b)[1] < BARRED * least):
        return found
    several = (
        find_outermost_edge(solids, t, a, b, close, side)
        if aimed
        else find_easiest_edge(solids, t, a, b, close)
    )
    if several < 0:
        several = nearest
    if (
        found >= 0
        and edge_detour(solids, found, a, b)[1] < BARRED * edge_detour(solids, several, a, b)[1]
    ):
        return found
    return several


@kernel
def face_line(
    solids: Touches, t: int, face: int, point: Vector, along: Vector
) -> tuple[Vector, float, float]:
    """Return the line through a point of a face across ``along``: direction, and ends on the face.

    A cable that rests on the face may slide sideways on such a line.
    """
    direction = unit(cross(load(solids.face_normal, face), along))
    lower = -1e300
    upper = 1e300
    for f in range(solids.face_start[t], solids.face_start[t + 1]):
        slope = dot(load(solids.face_normal, f), direction)
        room = solids.face_offset[f] - dot(load(solids.face_normal, f), point)
        if f == face or abs(slope) < 1e-12:
            continue
        if slope > 0.0:
            upper = min(upper, max(room, 0.0) / slope)
        else:
            lower = max(lower, max(room, 0.0) / slope)
    return direction, lower, upper
