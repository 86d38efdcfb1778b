"""Contact points of two boxes: separating axes, and up to four points in a common frame.

Box A has centre a, half edges h_k along its unit axes a_k; B likewise b, j_k, b_k; d = b - a. Along
a unit vector u the boxes stand apart by

    s(u) = |d . u| - sum_k h_k |a_k . u| - sum_k j_k |b_k . u|.

Two convex polyhedra are apart if and only if s > 0 along a normal of a face of one of them or along
the product of an edge of each (Gottschalk, Lin & Manocha 1996): for boxes 3 + 3 + 9 axes. The one
with the largest s says which features meet. Two more rules, with a *skin* of ``SKIN`` times the
smallest half edge:

* Faces of A go before those of B, and these before edges, unless s is larger by the skin: of axes
  that are as good rounding shall not choose, and faces give more points.
* Boxes that overlap along two axes by less than the skin touch with their rims alone. Then s does
  not tell which faces meet: what slides over the seam of two level boxes is a little deeper in the
  next one than it has got into its side. The faces meet along which the boxes do not approach; so a
  seam does not stop what slides over it, nor a rim what slides down beside it.

*Face*: the plane of the reference face, and of the other box the face that looks most against its
normal n, cut off at the sides of the reference face (Sutherland & Hodgman 1974): a convex polygon
of at most eight points. The *gap* of a point is its height above the reference face. With p held as
a point of the other box, and n as a direction of the reference box,

    dg/dt = n . (v_p on the other box - v_p on the reference box),

exact for corners; a point where an edge was cut off also slides along the face that it is on, which
that leaves out.

*Edges*: u of A and v of B, n = u x v / |u x v| from A to B, the points p_A, p_B of the two lines
that are closest, and g = n . (p_B - p_A). Moving them along their lines, or turning n, does not
change g, so that the formula above holds there as well, with any point of the common normal. Lines
that pass outside of the edges do not touch.

Of more than four points those stay that are farthest out along the four diagonals of the reference
face, one after the other: of two faces on one another the corners of the contact, and the same
point has the same slot from step to step. A point that is deeper than all four by ``NEAR`` takes
the place of the one next to it. Points that coincide count once.

A box may belong to a body that it is not centred on. Units: metres. Nothing here knows of forces;
rows: ``box_contact.py``.
"""

from math import inf, sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import load_quaternion, rotate
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, store, sub

AXES = 15
POINTS = 4
"""Most points of a pair."""
MOST_CORNERS = 8
"""Most corners of the polygon: each of four cuts adds one to a rectangle's four at most."""
SKIN = 2e-3
APPROACHES = 1e-3
"""Least difference of speeds that decides between two axes [m/s]."""
PARALLEL = 1e-3
"""Smallest angle between edges [rad] that have a common normal of their own."""
NEAR = 1e-6
"""Distance, as a part of the size of a face, below which two points are one."""


@kernel
def place_boxes(boxes, body_state, box_work_out):
    """Compute centres and axes of all boxes in the world."""
    for i in range(boxes.body.size):
        b = boxes.body[i]
        q = load_quaternion(body_state.orientation, b)
        store(
            add(load(body_state.position, b), rotate(q, load(boxes.frame[i], 0))),
            i,
            box_work_out.centre,
        )
        for k in range(3):
            store(rotate(q, load(boxes.frame[i], k + 1)), k, box_work_out.axes[i])


@kernel
def half_extent(axis, i, box_half, box_axes):
    """Return half the extent of box i along a unit vector [m]."""
    total = 0.0
    for k in range(3):
        total += box_half[i, k] * abs(dot(axis, load(box_axes[i], k)))
    return total


@kernel
def candidate_axis(k, a, b, box_axes):
    """Separating axis k: three of A, three of B, nine products; (0, 0, 0) for edges that are
    parallel."""
    if k < 3:
        return load(box_axes[a], k)
    if k < 6:
        return load(box_axes[b], k - 3)
    product = cross(load(box_axes[a], (k - 6) // 3), load(box_axes[b], (k - 6) % 3))
    length = norm(product)
    return scale(1.0 / length, product) if length > PARALLEL else (0.0, 0.0, 0.0)


@kernel
def contact_axis(margin, velocity, a, b, box_half, box_centre, box_axes):
    """Return the number of the axis along which boxes a and b meet, -1 if they are farther apart.

    The limit is ``margin`` [m]. ``velocity`` is that of b as seen from a [m/s].
    """
    offset = sub(load(box_centre, b), load(box_centre, a))
    skin = inf
    for k in range(3):
        skin = min(skin, SKIN * box_half[a, k], SKIN * box_half[b, k])
    best = -1
    widest = -inf
    rate = 0.0
    calm = -1
    calmest = -inf
    for k in range(AXES):
        axis = candidate_axis(k, a, b, box_axes)
        if dot(axis, axis) == 0.0:
            continue
        along = dot(offset, axis)
        apart = (
            abs(along)
            - half_extent(axis, a, box_half, box_axes)
            - half_extent(axis, b, box_half, box_axes)
        )
        if apart > margin:
            return -1
        opening = min(dot(velocity, axis) if along >= 0.0 else -dot(velocity, axis), 0.0)
        if apart > widest + (0.0 if k < 3 else skin):
            best = k
            widest = apart
            rate = opening
        if k < 6 and apart > -skin and opening > calmest:
            calm = k
            calmest = opening
    return calm if calm >= 0 and calmest > rate + APPROACHES else best


@kernel
def face_frame(box, k, towards, box_half, box_centre, box_axes):
    """Centre, two tangents and outward normal of the face of a box across its axis k that looks
    ``towards``."""
    axis = load(box_axes[box], k)
    normal = axis if dot(axis, towards) >= 0.0 else scale(-1.0, axis)
    centre = axpy(box_half[box, k], normal, load(box_centre, box))
    return centre, load(box_axes[box], (k + 1) % 3), load(box_axes[box], (k + 2) % 3), normal


@kernel
def incident_face(box, frame, box_half, box_centre, box_axes, polygon_out):
    """Fill the corners of the face of another box that looks most against the normal of a face.

    They are in the frame of that face.
    """
    centre, along, across, normal = frame
    k = 0
    for i in range(1, 3):
        if abs(dot(load(box_axes[box], i), normal)) > abs(dot(load(box_axes[box], k), normal)):
            k = i
    middle, first, second, _ = face_frame(
        box, k, scale(-1.0, normal), box_half, box_centre, box_axes
    )
    for n in range(4):
        x = box_half[box, (k + 1) % 3] * (1.0 if n == 0 or n == 3 else -1.0)
        y = box_half[box, (k + 2) % 3] * (1.0 if n < 2 else -1.0)
        offset = sub(axpy(x, first, axpy(y, second, middle)), centre)
        polygon_out[n, 0], polygon_out[n, 1] = dot(offset, along), dot(offset, across)
        polygon_out[n, 2] = dot(offset, normal)


@kernel
def clip_polygon(count, coordinate, sign, limit, polygon, cut_out):
    """Cut off the part of a polygon beyond a limit; return the number of corners left.

    In the part that stays ``sign`` times the coordinate is at most ``limit``.
    """
    kept = 0
    for n in range(count):
        m = n + 1 if n + 1 < count else 0
        here = limit - sign * polygon[n, coordinate]
        there = limit - sign * polygon[m, coordinate]
        if here >= 0.0 and kept < MOST_CORNERS:
            store(load(polygon, n), kept, cut_out)
            kept += 1
        if (here >= 0.0) != (there >= 0.0) and kept < MOST_CORNERS:
            share = here / (here - there)
            store(
                axpy(share, sub(load(polygon, m), load(polygon, n)), load(polygon, n)),
                kept,
                cut_out,
            )
            kept += 1
    return kept


@kernel
def face_points(reference, k, towards, other, box_half, box_centre, box_axes, polygon_out):
    """Find the points of ``other`` before a face of ``reference``; return number and frame.

    The points are in ``polygon_out[0]``.
    """
    frame = face_frame(reference, k, towards, box_half, box_centre, box_axes)
    incident_face(other, frame, box_half, box_centre, box_axes, polygon_out[0])
    count = 4
    for side in range(4):
        coordinate = side // 2
        sign = 1.0 if side % 2 == 0 else -1.0
        limit = box_half[reference, (k + 1 + coordinate) % 3]
        count = clip_polygon(
            count, coordinate, sign, limit, polygon_out[side % 2], polygon_out[1 - side % 2]
        )
    return count, frame


@kernel
def edge_middle(box, k, towards, box_half, box_centre, box_axes):
    """Middle of the edge along axis k of a box that is farthest ``towards`` a direction."""
    point = load(box_centre, box)
    for i in range(3):
        axis = load(box_axes[box], i)
        if i != k:
            point = axpy(
                box_half[box, i] if dot(axis, towards) >= 0.0 else -box_half[box, i], axis, point
            )
    return point


@kernel
def edge_point(a, i, b, j, normal, box_half, box_centre, box_axes, polygon_out):
    """Find the point where edge i of box a and edge j of box b cross; return number and frame.

    The number is 1, or 0 if the edges pass each other.
    """
    u = load(box_axes[a], i)
    v = load(box_axes[b], j)
    start = edge_middle(a, i, normal, box_half, box_centre, box_axes)
    end = edge_middle(b, j, scale(-1.0, normal), box_half, box_centre, box_axes)
    offset = sub(end, start)
    along = dot(u, v)
    on_a = (dot(u, offset) - along * dot(v, offset)) / (1.0 - along * along)
    on_b = (along * dot(u, offset) - dot(v, offset)) / (1.0 - along * along)
    polygon_out[0, 0], polygon_out[0, 1], polygon_out[0, 2] = 0.0, 0.0, dot(normal, offset)
    crosses = abs(on_a) <= box_half[a, i] and abs(on_b) <= box_half[b, j]
    return (1 if crosses else 0), (axpy(on_a, u, start), u, cross(normal, u), normal)


@kernel
def contact_points(k, a, b, box_half, box_centre, box_axes, polygon_out):
    """Find the points where boxes a and b touch or soon may; return (count, sign, frame).

    They touch along axis k. The points are in ``polygon_out[0]``. The frame is an origin, two
    tangents and a normal. Columns of a point are its coordinates along them; the last one is its
    gap. ``sign`` times the normal points from a to b.
    """
    offset = sub(load(box_centre, b), load(box_centre, a))
    if k < 3:
        count, frame = face_points(a, k, offset, b, box_half, box_centre, box_axes, polygon_out)
        return count, 1.0, frame
    if k < 6:
        back = scale(-1.0, offset)
        count, frame = face_points(b, k - 3, back, a, box_half, box_centre, box_axes, polygon_out)
        return count, -1.0, frame
    normal = candidate_axis(k, a, b, box_axes)
    normal = normal if dot(normal, offset) >= 0.0 else scale(-1.0, normal)
    i = (k - 6) // 3
    j = (k - 6) % 3
    count, frame = edge_point(a, i, b, j, normal, box_half, box_centre, box_axes, polygon_out[0])
    return count, 1.0, frame


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
