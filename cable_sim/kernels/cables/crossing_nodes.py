"""Crossings of wires: the making and removal of the nodes of ``crossing_rows.py``.

Spans have crossed when one went through the other in the step (``passages.py``). A node goes when
both ropes may run straight past it, each on its side, and no other rope is in the way. The side on
which A is of B is kept as a normal, which turns with the ropes so that they do not go through one
another in the step. On spans of two wires that begin or end at such a node no other of the same two
is looked for: wires that twist about one another are not modelled.

*A wire with itself.* The two nodes of a crossing are in one wire then, the first that it meets
being A's. They may be inside of one segment, whose row has one entry for both. Spans that share a
node do not cross. A loop with nothing in it goes when it is drawn to a point.
"""

from cable_sim.kernels.cables.adaptive_resolution import own_node_before
from cable_sim.kernels.cables.contact_detection import clamp_to_span
from cable_sim.kernels.cables.contact_path import (
    CROSSED,
    FREE,
    LANDED,
    STUCK,
    count_nodes,
    divide_span,
    measure_span,
    remove_node,
)
from cable_sim.kernels.cables.crossing_rows import (
    AT_ONCE,
    ROUGH,
    crossing_at,
    find_crossing_nodes,
    is_own,
)
from cable_sim.kernels.cables.passages import (
    BESIDE,
    can_part,
    find_passage,
    has_rope,
    is_snagged,
    keep_sides,
    meet_at_crossing,
    nearest_places,
    next_span,
    resting_span,
    span_at,
    stepped_span,
    straight_continuation,
)
from cable_sim.kernels.cables.segments import wire_node_velocity
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.status import CONTACTS_FULL, SOLVED
from cable_sim.kernels.vec3 import add, cross, dot, load, norm, scale, store, sub

NEARLY_PARALLEL = 1e-6
SHARP = 0.3
"""Least length of sums and products of unit vectors that tells a direction."""
AT_NODE = 0.05
"""Part of a span at its ends where no further crossing is looked for in a step."""


@kernel
def kink(k, nodes):
    """Return the sum of the unit vectors from node k along its spans."""
    return sub(load(nodes.direction, k), load(nodes.direction, k - 1))


@kernel
def pressing_normal(a, b, before, nodes):
    """Return the normal along the kinks of both ropes, with which they press on one another.

    It is the one ``before`` if they do not.
    """
    pressing = sub(kink(b, nodes), kink(a, nodes))
    return scale(1.0 / norm(pressing), pressing) if dot(pressing, before) > SHARP else before


@kernel
def turned_normal(a, b, before, nodes):
    """Return the normal of the crossing of nodes a and b, turned with its ropes.

    It is across both ropes. Where a rope turns back on itself it is along the kinks.
    """
    along_a = add(load(nodes.direction, a - 1), load(nodes.direction, a))
    along_b = add(load(nodes.direction, b - 1), load(nodes.direction, b))
    normal = cross(along_a, along_b)
    size = norm(normal)
    if size > SHARP:
        return scale(1.0 / size if dot(normal, before) >= 0.0 else -1.0 / size, normal)
    return pressing_normal(a, b, before, nodes)


@kernel
def next_normal(h, a, b, bodies, nodes):
    """Return the normal of the crossing of nodes a and b after a step.

    It is the first one with which they do not go through one another, if there is any.
    """
    before = load(nodes.line, a)
    turned = turned_normal(a, b, before, nodes)
    if keep_sides(h, a, b, before, turned, bodies, nodes):
        return turned
    pressing = pressing_normal(a, b, before, nodes)
    return pressing if keep_sides(h, a, b, before, pressing, bodies, nodes) else before


@kernel
def interpolate_points(x, start, end):
    """Return the vector at the fraction x from start to end."""
    return add(scale(1.0 - x, start), scale(x, end))


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
def presses(p, a, b, normal, crossings, wires, nodes):
    """Return True if the ropes of the crossing of nodes a and b of pair p block each other.

    Other rope may block them as well.
    """
    apart = sub(straight_continuation(a, nodes), straight_continuation(b, nodes))
    if dot(apart, normal) <= 0.0 or not can_part(a, b, normal, nodes):
        return True
    return is_snagged(crossings.wire[p, 0], a, crossings, wires, nodes) or is_snagged(
        crossings.wire[p, 1], b, crossings, wires, nodes
    )


@kernel
def remove_open_crossings(h, p, crossings, wires, bodies, nodes_out, waves_out):
    """Remove the crossings of pair p whose ropes no longer block each other.

    A wire does not where it crosses itself in a loop with nothing in it.
    """
    m = crossings.wire[p, 0]
    n = crossings.wire[p, 1]
    for body in range(crossings.body[p], crossings.body[p] + AT_ONCE):
        a, b = find_crossing_nodes(p, body, crossings, wires, nodes_out)
        if a >= 0 and nodes_out.contact_solid[a] == LANDED:
            continue
        if a >= 0 and b >= 0:
            normal = next_normal(h, a, b, bodies, nodes_out)
            store(normal, a, nodes_out.line)
            store(normal, b, nodes_out.line)
            if presses(p, a, b, normal, crossings, wires, nodes_out) and not (
                is_own(p, crossings) and b == a + 1
            ):
                continue
        # the one behind first, as it moves the nodes behind it
        if b >= 0:
            remove_crossing(n, b, wires, bodies, nodes_out, waves_out)
        if a >= 0:
            remove_crossing(m, a, wires, bodies, nodes_out, waves_out)


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
def has_room(n, k, more, wires, nodes):
    """Return True if the strand of span k of wire n has room for so many more nodes."""
    first = own_node_before(k + 1, wires.cable[n], wires)
    return count_nodes(first, wires.slots[first], nodes) + more <= wires.slots[first]


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
    """Put a crossing of pair p into its spans i and j; return its body, -1 if there is no room."""
    m = crossings.wire[p, 0]
    n = crossings.wire[p, 1]
    more = 2 if is_own(p, crossings) else 1
    if not (has_room(m, i, more, wires, nodes_out) and has_room(n, j, more, wires, nodes_out)):
        return -1
    for which in range(AT_ONCE):
        body = crossings.body[p] + which
        a, _ = find_crossing_nodes(p, body, crossings, wires, nodes_out)
        if a >= 0:
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
        # the one behind first, as it moves the nodes behind it
        insert_crossing(n, j, y, body, entry_b, mu, point, velocity, wires, nodes_out, waves_out)
        insert_crossing(m, i, x, body, entry_a, mu, point, velocity, wires, nodes_out, waves_out)
        a, b = find_crossing_nodes(p, body, crossings, wires, nodes_out)
        store(normal, a, nodes_out.line)
        store(normal, b, nodes_out.line)
        return body
    return -1


@kernel
def has_crossing_end(k, p, crossings, nodes):
    """Return True if the span from node k begins or ends at a crossing of pair p."""
    for node in range(k, k + 2):
        if 0 <= crossing_at(node, nodes) - crossings.body[p] < AT_ONCE:
            return True
    return False


@kernel
def are_parallel(i, j, nodes):
    """Return True if spans i and j have no normal that tells."""
    return norm(cross(load(nodes.direction, i), load(nodes.direction, j))) <= NEARLY_PARALLEL


@kernel
def detect_crossing(h, p, beside, crossings, wires, bodies, nodes_out, waves_out):
    """Put a crossing where two spans of pair p have come through one another.

    Returns whether there are such spans, and whether there was room. The crossing may be ``beside``
    spans without a crossing by this part of them.
    """
    first = wires.cable[crossings.wire[p, 0]]
    second = wires.cable[crossings.wire[p, 1]]
    own = is_own(p, crossings)
    for i in range(wires.node_start[first], wires.node_start[first + 1] - 1):
        if not has_rope(i, nodes_out):
            continue
        begin = next_span(i, nodes_out) + 1 if own else wires.node_start[second]
        for j in range(begin, wires.node_start[second + 1] - 1):
            if not has_rope(j, nodes_out) or meet_at_crossing(i, j, nodes_out):
                continue
            near = has_crossing_end(i, p, crossings, nodes_out) or has_crossing_end(
                j, p, crossings, nodes_out
            )
            if near and not own:
                continue
            side = find_passage(
                stepped_span(h, i, bodies, nodes_out), stepped_span(h, j, bodies, nodes_out), beside
            )
            if side != 0.0 and not are_parallel(i, j, nodes_out):
                x, y = nearest_places(
                    *span_at(0.0, resting_span(i, nodes_out)),
                    *span_at(0.0, resting_span(j, nodes_out)),
                )
                body = add_crossing(
                    p, i, j, side, x, y, crossings, wires, bodies, nodes_out, waves_out
                )
                return True, body >= 0
    return False, True


@kernel
def update_crossings(h, crossings, wires, bodies, nodes_out, waves_out):
    """Update the crossings of all pairs of wires at the end of a step; return status flags.

    The wires have been laid.
    """
    flags = SOLVED
    for p in range(crossings.body.size):
        beside = BESIDE
        for _ in range(AT_ONCE + 1):
            found, fits = detect_crossing(
                h, p, beside, crossings, wires, bodies, nodes_out, waves_out
            )
            flags |= SOLVED if fits else CONTACTS_FULL
            if not (found and fits):
                break
            beside = -AT_NODE  # where nodes have met, there is one crossing for all their spans
        # last, for they were not apart before the step
        remove_open_crossings(h, p, crossings, wires, bodies, nodes_out, waves_out)
    return flags
