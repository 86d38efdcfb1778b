"""Crossings of wires: the making and removal of the nodes of ``crossing_rows.py``.

Spans have crossed when the sense of (p_A - p_B) . (t_A x t_B) has changed in the step, at a place
within both. A node goes when both ropes may run straight past it, each on its side. The side on
which A is of B is kept as a normal. On spans that begin or end at such a node no other of the same
two wires is looked for: wires that twist about one another are not modelled. Neither is one that
jumps over the other as masses come and go.
"""

from cable_sim.kernels.cables.adaptive_resolution import own_node_before
from cable_sim.kernels.cables.contact_detection import clamp_to_span
from cable_sim.kernels.cables.contact_path import (
    CROSSED,
    FREE,
    SEVERED,
    STUCK,
    count_nodes,
    divide_span,
    measure_span,
    remove_node,
)
from cable_sim.kernels.cables.crossing_rows import (
    AT_ONCE,
    ROUGH,
    find_crossing_node,
    find_crossing_nodes,
)
from cable_sim.kernels.cables.segments import wire_node_velocity
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.status import CONTACTS_FULL, SOLVED
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, store, sub

NEARLY_PARALLEL = 1e-6
SHARP = 0.3
"""Least length of sums and products of unit vectors that tells a direction."""
AT_NODE = 0.05
"""Part of a span by which a place beside it may be off it. Two spans that meet then leave no
gap."""


@kernel
def kink(k, nodes):
    """Return the sum of the unit vectors from node k along its spans."""
    return sub(load(nodes.direction, k), load(nodes.direction, k - 1))


@kernel
def turned_normal(a, b, before, nodes):
    """Return the normal of the crossing of nodes a and b, turned with its ropes.

    It is across both ropes. Where a rope turns back on itself it is along the kinks, with which
    they press on one another.
    """
    along_a = add(load(nodes.direction, a - 1), load(nodes.direction, a))
    along_b = add(load(nodes.direction, b - 1), load(nodes.direction, b))
    normal = cross(along_a, along_b)
    size = norm(normal)
    if size > SHARP:
        return scale(1.0 / size if dot(normal, before) >= 0.0 else -1.0 / size, normal)
    pressing = sub(kink(b, nodes), kink(a, nodes))
    return scale(1.0 / norm(pressing), pressing) if dot(pressing, before) > SHARP else before


@kernel
def interpolate_points(x, start, end):
    """Return the vector at the fraction x from start to end."""
    return add(scale(1.0 - x, start), scale(x, end))


@kernel
def straight_continuation(k, nodes):
    """Return the point of the rope if it ran straight past node k [m]."""
    x = nodes.length[k - 1] / max(nodes.length[k - 1] + nodes.length[k], 1e-12)
    return interpolate_points(x, load(nodes.position, k - 1), load(nodes.position, k + 1))


@kernel
def remove_crossing(n, k, wires, bodies, nodes_out, waves_out):
    """Remove the crossing k from wire n.

    The shorter path pays its account back (``adaptive_resolution.py``).
    """
    c = wires.cable[n]
    first = own_node_before(k, c, wires)
    before = nodes_out.length[k - 1] + nodes_out.length[k]
    count = count_nodes(first, wires.slots[first], nodes_out)
    remove_node(c, k, count, first, wires.slots[first], bodies, nodes_out, waves_out)
    owed = nodes_out.path_offset[k - 1]
    nodes_out.path_offset[k - 1] = max(owed + nodes_out.length[k - 1] - before, min(owed, 0.0))


@kernel
def remove_open_crossings(p, crossings, wires, bodies, nodes_out, waves_out):
    """Remove the crossings of pair p whose ropes no longer block each other."""
    m = crossings.wire[p, 0]
    n = crossings.wire[p, 1]
    for body in range(crossings.body[p], crossings.body[p] + AT_ONCE):
        a, b = find_crossing_nodes(p, body, crossings, wires, nodes_out)
        if a >= 0 and b >= 0:
            normal = turned_normal(a, b, load(nodes_out.line, a), nodes_out)
            store(normal, a, nodes_out.line)
            store(normal, b, nodes_out.line)
            if (
                dot(
                    sub(straight_continuation(a, nodes_out), straight_continuation(b, nodes_out)),
                    normal,
                )
                <= 0.0
            ):
                continue
        if a >= 0:
            remove_crossing(m, a, wires, bodies, nodes_out, waves_out)
        if b >= 0:
            remove_crossing(n, b, wires, bodies, nodes_out, waves_out)


@kernel
def has_rope(k, nodes):
    """Return True if there is rope in the span from node k."""
    return nodes.length[k] > 0.0 and nodes.friction_state[k] != SEVERED


@kernel
def signed_line_distance(a, span_a, b, span_b):
    """Return the signed distance of two lines [m]; 0 if they are parallel.

    A line goes from a point along a span.
    """
    normal = cross(span_a, span_b)
    size = norm(normal)
    if size <= NEARLY_PARALLEL * norm(span_a) * norm(span_b):
        return 0.0
    return dot(sub(a, b), normal) / size


@kernel
def nearest_places(a, span_a, b, span_b):
    """Return the nearest places of two lines that are not parallel, as parts of their spans."""
    between = sub(b, a)
    aa = dot(span_a, span_a)
    ab = dot(span_a, span_b)
    bb = dot(span_b, span_b)
    to_a = dot(between, span_a)
    to_b = dot(between, span_b)
    det = aa * bb - ab * ab
    return (to_a * bb - to_b * ab) / det, (to_a * ab - to_b * aa) / det


@kernel
def crossed_side(h, i, j, bodies, nodes):
    """Return the side of span i from span j before the step, 0 if they did not cross in it.

    Returns the place of the crossing as well, in parts of the spans.
    """
    a = load(nodes.position, i)
    b = load(nodes.position, j)
    span_a = sub(load(nodes.position, i + 1), a)
    span_b = sub(load(nodes.position, j + 1), b)
    now = signed_line_distance(a, span_a, b, span_b)
    between = norm(sub(axpy(0.5, span_a, a), axpy(0.5, span_b, b)))
    if now == 0.0 or between > nodes.length[i] + nodes.length[j]:
        return 0.0, 0.0, 0.0
    v_a = wire_node_velocity(i, bodies.velocity, nodes)
    w_a = wire_node_velocity(i + 1, bodies.velocity, nodes)
    v_b = wire_node_velocity(j, bodies.velocity, nodes)
    w_b = wire_node_velocity(j + 1, bodies.velocity, nodes)
    before = signed_line_distance(
        axpy(-h, v_a, a),
        axpy(-h, sub(w_a, v_a), span_a),
        axpy(-h, v_b, b),
        axpy(-h, sub(w_b, v_b), span_b),
    )
    if before * now >= 0.0:
        return 0.0, 0.0, 0.0
    x, y = nearest_places(a, span_a, b, span_b)
    inside = min(x, y) >= -AT_NODE and max(x, y) <= 1.0 + AT_NODE
    return (before if inside else 0.0), x, y


@kernel
def insert_crossing(n, k, x, body, row_entry, mu, point, velocity, wires, nodes_out, waves_out):
    """Put a crossing with friction mu at the part x of span k of wire n.

    The account of the span takes the detour; where the rope sticks, each side has its part.
    """
    c = wires.cable[n]
    before = nodes_out.length[k]
    owed = nodes_out.path_offset[k]
    first = own_node_before(k + 1, c, wires)
    node = k + 1
    count = count_nodes(first, wires.slots[first], nodes_out)
    place = clamp_to_span(x)
    divide_span(k, place, count, first, nodes_out, waves_out)
    nodes_out.body[node] = body
    nodes_out.row_entry[node] = row_entry
    nodes_out.contact_solid[node] = CROSSED
    nodes_out.friction_state[node] = STUCK if mu > 0.0 else FREE
    nodes_out.line[node, ROUGH] = mu
    nodes_out.slide_distance[node] = 0.0
    store(velocity, node, nodes_out.velocity)
    store(point, node, nodes_out.point)
    store(point, node, nodes_out.position)
    store(point, node, nodes_out.arm)
    measure_span(c, k, nodes_out, waves_out)
    measure_span(c, node, nodes_out, waves_out)
    if mu > 0.0:
        nodes_out.path_offset[k] = nodes_out.length[k] + place * (owed - before)
        nodes_out.path_offset[node] = nodes_out.length[node] + (1.0 - place) * (owed - before)
    else:
        nodes_out.path_offset[k] += nodes_out.length[k] + nodes_out.length[node] - before


@kernel
def has_room(n, k, wires, nodes):
    """Return True if the strand of span k of wire n has room for another node."""
    first = own_node_before(k + 1, wires.cable[n], wires)
    return count_nodes(first, wires.slots[first], nodes) < wires.slots[first]


@kernel
def span_motion(x, k, bodies, nodes):
    """Return position [m] and velocity [m/s] at the part x of the span from node k."""
    start = load(nodes.position, k)
    end = load(nodes.position, k + 1)
    v_start = wire_node_velocity(k, bodies.velocity, nodes)
    v_end = wire_node_velocity(k + 1, bodies.velocity, nodes)
    return interpolate_points(x, start, end), interpolate_points(x, v_start, v_end)


@kernel
def add_crossing(p, i, j, side, x, y, crossings, wires, bodies, nodes_out, waves_out):
    """Put a crossing of pair p into its spans i and j; return whether there was room."""
    m = crossings.wire[p, 0]
    n = crossings.wire[p, 1]
    if not (has_room(m, i, wires, nodes_out) and has_room(n, j, wires, nodes_out)):
        return False
    for which in range(AT_ONCE):
        body = crossings.body[p] + which
        if find_crossing_node(m, body, wires, nodes_out) >= 0:
            continue
        on_a, v_a = span_motion(x, i, bodies, nodes_out)
        on_b, v_b = span_motion(y, j, bodies, nodes_out)
        point = scale(0.5, add(on_a, on_b))
        velocity = scale(0.5, add(v_a, v_b))
        normal = cross(load(nodes_out.direction, i), load(nodes_out.direction, j))
        normal = scale((1.0 if side > 0.0 else -1.0) / norm(normal), normal)
        entry_a = crossings.row_entry[p, 0] + which
        entry_b = crossings.row_entry[p, 1] + which
        mu = crossings.friction[p]
        insert_crossing(m, i, x, body, entry_a, mu, point, velocity, wires, nodes_out, waves_out)
        insert_crossing(n, j, y, body, entry_b, mu, point, velocity, wires, nodes_out, waves_out)
        store(normal, i + 1, nodes_out.line)
        store(normal, j + 1, nodes_out.line)
        return True
    return False


@kernel
def has_crossing_end(k, p, crossings, nodes):
    """Return True if the span from node k begins or ends at a crossing of pair p."""
    for node in range(k, k + 2):
        which = nodes.body[node] - crossings.body[p]
        if nodes.contact_solid[node] == CROSSED and 0 <= which < AT_ONCE:
            return True
    return False


@kernel
def detect_crossings(h, p, crossings, wires, bodies, nodes_out, waves_out):
    """Put crossings where spans of pair p have come through one another; return status flags."""
    first = wires.cable[crossings.wire[p, 0]]
    second = wires.cable[crossings.wire[p, 1]]
    for i in range(wires.node_start[first], wires.node_start[first + 1] - 1):
        if not has_rope(i, nodes_out) or has_crossing_end(i, p, crossings, nodes_out):
            continue
        for j in range(wires.node_start[second], wires.node_start[second + 1] - 1):
            if not has_rope(j, nodes_out) or has_crossing_end(j, p, crossings, nodes_out):
                continue
            side, x, y = crossed_side(h, i, j, bodies, nodes_out)
            if side != 0.0:
                done = add_crossing(
                    p, i, j, side, x, y, crossings, wires, bodies, nodes_out, waves_out
                )
                return SOLVED if done else CONTACTS_FULL
    return SOLVED


@kernel
def update_crossings(h, crossings, wires, bodies, nodes_out, waves_out):
    """Update the crossings of all pairs of wires at the end of a step; return status flags.

    The wires have been laid.
    """
    flags = SOLVED
    for p in range(crossings.body.size):
        flags |= detect_crossings(h, p, crossings, wires, bodies, nodes_out, waves_out)
        # last, for they were not apart before the step
        remove_open_crossings(p, crossings, wires, bodies, nodes_out, waves_out)
    return flags
