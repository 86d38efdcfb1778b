"""Catching of cables by convex solids: where a span that goes through a solid gets a contact node.

A span whose cylinder, of the radius of its curve, reaches a solid is looked at as a line, and if it
oscillates element by element. With a and b the ends of what is looked at, x the part of it before a
place, n and d the outward normals and offsets of the faces,

    depth of a point  min_f (d_f - n_f . p),
    depth of a line  that of the middle of its part inside.

*Line.* A line that goes through the solid gets a node on an edge, at the point p of the shortest
path from a to b over that edge: x = (p - a) . (b - a) / |b - a|^2. Of the edges on the side of the
curve it is the one with the least detour over which the path is free (``polyhedron.py``). A curve
leans on no edge that is far beyond it.

*Curve.* A curve that dips into a face gets a node at its deepest point, moved out along the normal
of the face. One that was built deep inside moves out towards its chord. A curve that goes in and
out within one element gets its node on an edge.

*Passed.* A span that was on the other side of an edge before the step gets a node on the edge that
it met first (``swept_edges.py``).

Each strand has room for a number of nodes; without room the status is CONTACTS_FULL, and END_INSIDE
where a node of the span itself is in the solid (``buried_ends.py``).
"""

from cable_sim.kernels.cables.contact.buried_ends import passes_through, waits_for_landing
from cable_sim.kernels.cables.contact.contact_path import (
    FREE,
    SEVERED,
    count_nodes,
    divide_span,
    fit_spans_to_node,
    place_node,
    record_curve,
)
from cable_sim.kernels.cables.contact.near_solids import cover_strand
from cable_sim.kernels.cables.contact.polyhedron import (
    INSIDE,
    clip_segment,
    depth,
    edge_detour,
    exit_point,
    face_line,
    find_contact_edge,
    is_beside_face,
    is_out_of_reach,
    line_normal,
)
from cable_sim.kernels.cables.contact.resting_nodes import is_undisturbed_span
from cable_sim.kernels.cables.contact.sliding import (
    CLOSE,
    edge_of,
    point_in_body,
    set_edge,
    set_line,
)
from cable_sim.kernels.cables.contact.swept_edges import (
    curve_radius,
    find_passed_edge,
    nearest_edge_distance,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, load, scale, store, sub
from cable_sim.kernels.records.lines import Nodes
from cable_sim.kernels.records.obstacles import Touches, TouchWork
from cable_sim.kernels.status import CONTACTS_FULL, END_INSIDE, SOLVED

CURVE_INSIDE = 4e-3
"""Depth of a curve in a solid that is allowed while its chord is clear [m], so that no small wave
comes and goes on it."""
OUTWARD = 0.2
"""Part of the distance between chord and curve by which the curve is less deep in a solid, if it is
on its side."""
STARTED_INSIDE = 0.05
"""Depth in a solid that no curve gets to within a step [m]. A deeper curve was built there, and
belongs on the side of its chord. The same limit holds for an edge: a curve does not lean on one
that is farther off its chord than the curve by more."""


@kernel
def curve_point(k: int, m: int, nodes: Nodes) -> Vector:
    """Point m of the curve of the span from node k, in the world [m]."""
    x = m / nodes.waves.intervals[k]
    i = nodes.waves.start[k] + m
    chord = axpy(x * nodes.length[k], load(nodes.direction, k), load(nodes.position, k))
    y = load(nodes.waves.normal, k)
    z = cross(load(nodes.direction, k), y)
    return add(
        chord,
        add(scale(nodes.waves.displacement[0, i], y), scale(nodes.waves.displacement[1, i], z)),
    )


@kernel
def chord_depth(t: int, k: int, nodes: Nodes) -> float:
    """Return the depth of the chord of the span from node k in solid t [m]."""
    b = nodes.solids.body[t]
    _, _, inside = clip_segment(
        nodes.solids,
        t,
        point_in_body(nodes.bodies, b, load(nodes.position, k)),
        point_in_body(nodes.bodies, b, load(nodes.position, k + 1)),
    )
    return inside


@kernel
def deepest_element(t: int, k: int, nodes: Nodes) -> int:
    """Return the element of a curve that is deepest in solid t; -1 if none is to be caught.

    It is known by the first of its two points.
    """
    b = nodes.solids.body[t]
    found = -1
    most = INSIDE if chord_depth(t, k, nodes) > INSIDE else CURVE_INSIDE
    start = point_in_body(nodes.bodies, b, load(nodes.position, k))
    for m in range(nodes.waves.intervals[k]):
        end = point_in_body(nodes.bodies, b, curve_point(k, m + 1, nodes))
        _, _, inside = clip_segment(nodes.solids, t, start, end)
        if inside > most:
            found = m
            most = inside
        start = end
    return found


@kernel
def fraction_along(p: Vector, start: Vector, end: Vector) -> float:
    """Return the part of the line from start to end that is before the foot of point p [-]."""
    along = sub(end, start)
    return dot(sub(p, start), along) / dot(along, along)


@kernel
def find_exit_face(
    t: int, k: int, x: float, p: Vector, deep: float, face: int, nodes: Nodes
) -> tuple[int, Vector]:
    """Return the face of solid t through which point p of a curve leaves it, and the point there.

    The point is at the part x of the span from node k, and ``deep`` below ``face`` [m]. One that is
    deeper than a curve gets leaves towards the chord.
    """
    out = scale(deep, load(nodes.solids.face_normal, face))
    if deep > STARTED_INSIDE:
        chord = axpy(x * nodes.length[k], load(nodes.direction, k), load(nodes.position, k))
        to_chord = sub(point_in_body(nodes.bodies, nodes.solids.body[t], chord), p)
        part, leaves_by = exit_point(nodes.solids, t, p, add(p, to_chord))
        if part < 1.0:
            return leaves_by, add(p, scale(part, to_chord))
    return face, add(p, out)


@kernel
def add_curve_contact(c: int, t: int, k: int, count: int, first: int, nodes_out: Nodes) -> bool:
    """Set a node where the curve of the span from node k is deepest in solid t.

    Returns whether there is such a place.
    """
    m = deepest_element(t, k, nodes_out)
    if m < 0:
        return False
    b = nodes_out.solids.body[t]
    intervals = nodes_out.waves.intervals[k]
    room = (count, first)
    start = point_in_body(nodes_out.bodies, b, curve_point(k, m, nodes_out))
    end = point_in_body(nodes_out.bodies, b, curve_point(k, m + 1, nodes_out))
    at_start, face_0 = depth(nodes_out.solids, t, start)
    at_end, face_1 = depth(nodes_out.solids, t, end)
    if max(at_start, at_end) <= INSIDE:  # in and out again within the element: over an edge
        e = find_contact_edge(nodes_out.solids, t, start, end, (0.0, 0.0), (0.0, 0.0, 0.0))
        if e < 0:
            return False
        p, _ = edge_detour(nodes_out.solids, e, start, end)
        x = clamp_to_span((m + min(max(fraction_along(p, start, end), 0.0), 1.0)) / intervals)
        insert_contact_node(c, t, k, room, x, (e, -1, p), nodes_out)
        return True
    x = m / intervals
    deep = at_start
    face = face_0
    p = start
    if at_end > at_start:
        x = (m + 1) / intervals
        deep = at_end
        face = face_1
        p = end
    face, p = find_exit_face(t, k, x, p, deep, face, nodes_out)
    insert_contact_node(c, t, k, room, clamp_to_span(x), (-1, face, p), nodes_out)
    return True


@kernel
def clamp_to_span(place: float) -> float:
    """Return a place on a span, kept away from the span's ends."""
    return min(max(place, 1e-3), 1.0 - 1e-3)


@kernel
def insert_contact_node(
    c: int,
    t: int,
    k: int,
    room: tuple[int, int],
    place: float,
    spot: tuple[int, int, Vector],
    nodes_out: Nodes,
) -> None:
    """Insert contact node k + 1 on solid t at a ``spot``: its edge or -1, its face, its point.

    The point is in the body's frame. ``room`` is the number of nodes that there is room for, and
    the row of the first one.
    """
    edge, face, p = spot
    b = nodes_out.solids.body[t]
    start = point_in_body(nodes_out.bodies, b, load(nodes_out.position, k))
    end = point_in_body(nodes_out.bodies, b, load(nodes_out.position, k + 1))
    rows = 0
    node = k + 1
    if nodes_out.waves.start[k] >= 0:
        rows = record_curve(c, k, 0.0, 1.0, 0, nodes_out)
    divide_span(k, place, room[0], room[1], nodes_out)
    nodes_out.body[node] = b
    nodes_out.row_entry[node] = nodes_out.solids.row_entry[t]
    nodes_out.contact_solid[node] = t
    nodes_out.friction_state[node] = FREE
    nodes_out.slide_distance[node] = 0.0
    if edge >= 0:
        set_edge(node, edge, nodes_out)
    else:
        direction, lower, upper = face_line(nodes_out.solids, t, face, p, sub(end, start))
        set_line(node, p, direction, lower, upper, nodes_out)
    store(p, node, nodes_out.point)
    place_node(node, nodes_out)
    fit_spans_to_node(c, node, place, rows, nodes_out)


@kernel
def curve_bulge(t: int, k: int, start: Vector, end: Vector, nodes: Nodes) -> tuple[Vector, float]:
    """Return the unit vector from the chord of the span from node k to its curve, and the distance.

    They are taken where the curve meets solid t. The vector is zero without a curve. It is zero as
    well where the curve is not less deep by the part ``OUTWARD`` of that distance: then it does not
    tell the side.
    """
    m = deepest_element(t, k, nodes) if nodes.waves.active[k] else -1
    if m < 0:
        return (0.0, 0.0, 0.0), 0.0
    b = nodes.solids.body[t]
    a = point_in_body(nodes.bodies, b, curve_point(k, m, nodes))
    c = point_in_body(nodes.bodies, b, curve_point(k, m + 1, nodes))
    _, _, curve_inside = clip_segment(nodes.solids, t, a, c)
    middle = scale(0.5, add(a, c))
    across = line_normal(middle, start, end)
    out = chord_depth(t, k, nodes) - curve_inside
    off = dot(sub(middle, start), across)
    return across if out > OUTWARD * off else (0.0, 0.0, 0.0), off


@kernel
def add_chord_contact(c: int, t: int, k: int, count: int, first: int, nodes_out: Nodes) -> bool:
    """Set a node on an edge of solid t that the chord of the span from node k goes through.

    Returns whether it does. A curve beside the chord has the last word: it leans on no edge that is
    far beyond it.
    """
    start = point_in_body(nodes_out.bodies, nodes_out.solids.body[t], load(nodes_out.position, k))
    end = point_in_body(nodes_out.bodies, nodes_out.solids.body[t], load(nodes_out.position, k + 1))
    if chord_depth(t, k, nodes_out) <= INSIDE:
        return False
    near = nearest_edge_distance(t, k, nodes_out), nearest_edge_distance(t, k + 1, nodes_out)
    side, off = curve_bulge(t, k, start, end, nodes_out)
    e = find_contact_edge(nodes_out.solids, t, start, end, near, side)
    if e < 0:
        return False
    p, _ = edge_detour(nodes_out.solids, e, start, end)
    if (
        dot(side, side) > 0.0
        and dot(sub(p, start), line_normal(p, start, end)) > off + STARTED_INSIDE
    ):
        return False
    place = clamp_to_span(fraction_along(p, start, end))
    insert_contact_node(c, t, k, (count, first), place, (e, -1, p), nodes_out)
    return True


@kernel
def node_in_body(t: int, k: int, nodes: Nodes) -> Vector:
    """Return the position of node k in the frame of the body of solid t [m]."""
    if nodes.contact_solid[k] == t:
        return load(nodes.point, k)
    return point_in_body(nodes.bodies, nodes.solids.body[t], load(nodes.position, k))


@kernel
def is_kept_out(t: int, k: int, start: Vector, end: Vector, nodes: Nodes) -> bool:
    """Return True if the faces of solid t at the ends of the span from node k keep the span out.

    Only ends that are contact nodes of that solid count.
    """
    for node in range(k, k + 2):
        if nodes.contact_solid[node] == t and is_beside_face(
            nodes.solids, t, edge_of(node, nodes), start, end
        ):
            return True
    return False


@kernel
def is_penetrated(t: int, k: int, nodes: Nodes) -> bool:
    """Return True if the span from node k goes through solid t."""
    if nodes.friction_state[k] == SEVERED or nodes.length[k] <= CLOSE:
        return False
    start = node_in_body(t, k, nodes)
    end = node_in_body(t, k + 1, nodes)
    if not nodes.waves.active[k] and is_kept_out(t, k, start, end, nodes):
        return False
    if is_out_of_reach(nodes.solids, t, start, end, curve_radius(k, nodes.waves)):
        return False
    if nodes.waves.active[k]:
        return deepest_element(t, k, nodes) >= 0
    return chord_depth(t, k, nodes) > INSIDE


@kernel
def add_passed_contact(
    c: int, t: int, k: int, count: int, first: int, met: tuple[int, float, float], nodes_out: Nodes
) -> None:
    """Set a node at ``met``, on the edge that the span from node k has passed."""
    e, place, along = met
    p = axpy(along, load(nodes_out.solids.edge_direction, e), load(nodes_out.solids.edge_point, e))
    insert_contact_node(c, t, k, (count, first), clamp_to_span(place), (e, -1, p), nodes_out)


@kernel
def add_contact(
    c: int, t: int, k: int, count: int, first: int, met: tuple[int, float, float], nodes_out: Nodes
) -> bool:
    """Set a node on solid t where the span from node k met it or goes through it.

    Returns whether a node was set.
    """
    if met[0] >= 0:
        add_passed_contact(c, t, k, count, first, met, nodes_out)
        return True
    if add_chord_contact(c, t, k, count, first, nodes_out):
        return True
    return nodes_out.waves.active[k] and add_curve_contact(c, t, k, count, first, nodes_out)


@kernel
def shared_body(c: int, solids: Touches, near: TouchWork) -> int:
    """Return the body that all solids near cable c are on, -1 for none or several."""
    begin = solids.start[c]
    body = solids.body[near.solid[begin]] if near.counts[c] > 0 else -1
    for i in range(begin + 1, begin + near.counts[c]):
        if solids.body[near.solid[i]] != body:
            return -1
    return body


@kernel
def add_contacts(
    h: float, sweeps: bool, c: int, first: int, slots: int, nodes_out: Nodes
) -> tuple[int, int]:
    """Set nodes where spans of a strand go through solids; return their number, and status flags.

    If it ``sweeps``, spans that went through a solid within a step of h count as well.
    """
    k = first
    count = count_nodes(first, slots, nodes_out)
    before = count
    flags = SOLVED
    cover_strand(h, c, first, count, nodes_out)
    home = shared_body(c, nodes_out.solids, nodes_out.near)
    while k <= first + count:
        caught = False
        still = is_undisturbed_span(k, nodes_out)
        if still and nodes_out.body[k] == home:
            k += 1
            continue
        for i in range(
            nodes_out.solids.start[c], nodes_out.solids.start[c] + nodes_out.near.counts[c]
        ):
            t = nodes_out.near.solid[i]
            if still and nodes_out.solids.body[t] == nodes_out.body[k]:
                continue
            met = find_passed_edge(h if sweeps else 0.0, c, t, k, nodes_out)
            if met[0] < 0 and not is_penetrated(t, k, nodes_out):
                continue
            if waits_for_landing(t, k, nodes_out):
                continue
            if passes_through(t, k, first, first + slots + 1, nodes_out):
                flags |= END_INSIDE
                continue
            if count == slots:
                return count - before, flags | CONTACTS_FULL
            caught = add_contact(c, t, k, count, first, met, nodes_out)
            if caught:
                count += 1
                cover_strand(h, c, first, count, nodes_out)
                home = shared_body(c, nodes_out.solids, nodes_out.near)
                break
        if not caught:
            k += 1
    return count - before, flags
