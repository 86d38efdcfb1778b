"""A strand: the part of a cable between two of its own nodes, in which contact nodes and masses
come and go.

A strand has its first node, room for a number of such nodes, and its last node, one after the other
in the arrays of the nodes. Room that is not in use stands on the last node, so that its spans have
no length and pull on nothing: whatever else is computed over nodes and spans needs to know nothing
of it. A mass is a point of the world with a velocity of its own (``hybrid.py``). Every span has the
rope that is in it, its rest length.

*SpanWaves* stay where they are when a node comes or goes (``traces.py``).
"""

from cable_sim.kernels.cables.elevation import chords
from cable_sim.kernels.cables.elevation.chords import span_normal
from cable_sim.kernels.cables.elevation.traces import bend_trace, interpolate_trace, stop_trace
from cable_sim.kernels.cables.massless.massless import measure
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity, world_point
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    cross,
    dot,
    load,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records import Floats
from cable_sim.kernels.records.lines import Nodes, SpanWaves

POINT = 0
DIRECTION = 3
LOWER = 6
UPPER = 7
EDGE = 8
SIDE = 10
HEIGHT = 15
COLUMNS = 16
"""Columns of ``nodes.line``: the line on the solid that a contact node may slide along, in the
frame of its body; the ends of its range [m]; its edge, -1 for none. Those of a crossing are in
``crossing_rows.py``, but for SIDE of its rope along the normal, 1 or -1, and HEIGHT there [m]."""
UNUSED = -1
MASSIVE = -2
CROSSED = -3
LANDED = -4
"""Values of ``nodes.contact_solid`` of nodes that are on no edge of a solid: a cable's own node or
room that is not in use, a mass, a crossing with another wire (``crossing_rows.py``), and one that
lies on a face (``crossing_landing.py``). Other values are solids."""
FREE = 0
STUCK = 1
FORWARD = 2
BACKWARD = 3
GLIDING = 4
SEVERED = 5
BAR = 6
"""Values of ``nodes.friction_state``, the friction of a node (``friction.py``). FREE has none,
STUCK holds, FORWARD and BACKWARD tell the rope's direction. GLIDING slides along its edge and still
holds across it (``hmr_friction.py``). SEVERED is a mass with no rope behind it
(``wire_breakage.py``). BAR is a mass or first node whose span behind it pushes as well as it pulls
(``flexure.py``)."""
SLIDES = 0
CLAMP = 1
"""Values of ``nodes.guide``: rope SLIDES over a node, or a CLAMP holds it, whatever pulls."""


@kernel
def place_node(k: int, nodes_out: Nodes) -> None:
    """Compute the position of node k in the world, and its arm."""
    position, arm = world_point(nodes_out.bodies, nodes_out.body[k], load(nodes_out.point, k))
    store(position, k, nodes_out.position)
    store(arm, k, nodes_out.arm)
    if nodes_out.contact_solid[k] == CROSSED:
        stand_aside(k, nodes_out)


@kernel
def stand_aside(k: int, nodes_out: Nodes) -> None:
    """Let the rope at node k, a crossing, stand on its side of it."""
    off = nodes_out.line[k, SIDE] * nodes_out.line[k, HEIGHT]
    store(axpy(off, load(nodes_out.line, k), load(nodes_out.point, k)), k, nodes_out.position)


@kernel
def measure_span(c: int, k: int, nodes_out: Nodes) -> None:
    """Compute length, direction and normal of the span from node k of cable c."""
    nodes_out.length[k], direction = measure(
        load(nodes_out.position, k), load(nodes_out.position, k + 1)
    )
    store(direction, k, nodes_out.direction)
    if nodes_out.waves.start[k] >= 0 and nodes_out.length[k] > 0.0:
        store(
            span_normal(nodes_out.waves.kind[c], load(nodes_out.waves.normal, k), direction),
            k,
            nodes_out.waves.normal,
        )


@kernel
def count_nodes(first: int, slots: int, nodes: Nodes) -> int:
    """Return the number of nodes in a strand, its two ends left out."""
    count = 0
    most = slots
    while count < most:  # room that is not in use is behind all nodes
        middle = (count + most) // 2
        if nodes.contact_solid[first + 1 + middle] == UNUSED:
            most = middle
        else:
            count = middle + 1
    return count


@kernel
def place_used(c: int, first: int, slots: int, nodes_out: Nodes) -> None:
    """Place nodes and spans of a strand that are in use at the present pose.

    The first node that is not goes along, as the end of the last span.
    """
    last = first + slots + 1
    behind = first + count_nodes(first, slots, nodes_out) + 1
    for k in range(first, behind):
        place_node(k, nodes_out)
    place_node(last, nodes_out)
    store(load(nodes_out.position, last), behind, nodes_out.position)
    store(load(nodes_out.arm, last), behind, nodes_out.arm)
    for k in range(first, behind):
        measure_span(c, k, nodes_out)


@kernel
def place_room(first: int, slots: int, nodes_out: Nodes) -> None:
    """Place the room of a strand that is not in use at its end, which has been placed."""
    last = first + slots + 1
    position = load(nodes_out.position, last)
    arm = load(nodes_out.arm, last)
    for k in range(first + count_nodes(first, slots, nodes_out) + 1, last):
        store(position, k, nodes_out.position)
        store(arm, k, nodes_out.arm)
        nodes_out.length[k] = 0.0
        store(ZERO, k, nodes_out.direction)


@kernel
def place_strand(c: int, first: int, slots: int, nodes_out: Nodes) -> None:
    """Place nodes and spans of a strand at the present pose, and room that is not in use."""
    place_used(c, first, slots, nodes_out)
    place_room(first, slots, nodes_out)


@kernel
def disturb(begin: int, end: int, nodes_out: Nodes) -> None:
    """Mark the nodes from ``begin`` to before ``end`` as disturbed (``resting_nodes.py``)."""
    for k in range(begin, end):
        nodes_out.disturbed[k] = True


@kernel
def holds_rope(k: int, nodes: Nodes) -> bool:
    """Return True if friction or a clamp holds the rope at node k.

    The spans on both sides then have tensions of their own.
    """
    return (
        nodes.friction_state[k] == STUCK
        or nodes.friction_state[k] == GLIDING
        or nodes.guide[k] == CLAMP
    )


@kernel
def is_slipping(k: int, nodes: Nodes) -> bool:
    """Return True if the rope runs over node k against its friction."""
    return nodes.friction_state[k] == FORWARD or nodes.friction_state[k] == BACKWARD


@kernel
def can_oscillate(c: int, k: int, nodes: Nodes) -> bool:
    """Return True if the span from node k is long enough to oscillate, and lies on no solid."""
    if nodes.waves.start[k] < 0 or nodes.length[k] < max(nodes.waves.shortest[c], 1e-9):
        return False
    return nodes.contact_solid[k] < 0 or nodes.contact_solid[k] != nodes.contact_solid[k + 1]


@kernel
def straighten_span(k: int, waves_out: SpanWaves) -> None:
    """Straighten the span from node k."""
    waves_out.active[k] = False
    if waves_out.start[k] >= 0:
        for i in range(waves_out.start[k], waves_out.start[k] + waves_out.intervals[k] + 1):
            for j in range(2):
                waves_out.displacement[j, i] = 0.0
                waves_out.rate[j, i] = 0.0


@kernel
def node_velocity(k: int, nodes: Nodes) -> Vector:
    """Velocity of node k as a point of its body [m/s]."""
    return point_velocity(nodes.bodies.velocity, nodes.body[k], load(nodes.arm, k))


@kernel
def span_normals(c: int, k: int, nodes: Nodes) -> tuple[Vector, Vector]:
    """Return the two normals of the span from node k of cable c.

    The second is zero where it oscillates in a plane.
    """
    first = load(nodes.waves.normal, k)
    return first, scale(
        1.0 if nodes.waves.kind[c] == chords.FREE else 0.0, cross(load(nodes.direction, k), first)
    )


@kernel
def record_curve(c: int, k: int, begin: float, end: float, rows: int, nodes_out: Nodes) -> int:
    """Append the curve of the span from node k to the trace; return the number of its rows.

    The curve goes from ``begin`` to ``end``. A row of the trace is the place, the position and the
    velocity, in the world. ``rows`` of them are there already.
    """
    first, second = span_normals(c, k, nodes_out)
    a = load(nodes_out.position, k)
    b = load(nodes_out.position, k + 1)
    v_a = node_velocity(k, nodes_out)
    v_b = node_velocity(k + 1, nodes_out)
    for m in range(nodes_out.waves.intervals[k] + 1):
        x = m / nodes_out.waves.intervals[k]
        i = nodes_out.waves.start[k] + m
        row = nodes_out.waves.trace[rows + m : rows + m + 1]
        offset = add(
            scale(nodes_out.waves.displacement[0, i], first),
            scale(nodes_out.waves.displacement[1, i], second),
        )
        rate = add(
            scale(nodes_out.waves.rate[0, i], first), scale(nodes_out.waves.rate[1, i], second)
        )
        row[0, 0] = begin + (end - begin) * x
        store(add(add(scale(1.0 - x, a), scale(x, b)), offset), 0, row[:, 1:])
        store(add(add(scale(1.0 - x, v_a), scale(x, v_b)), rate), 0, row[:, 4:])
    return rows + nodes_out.waves.intervals[k] + 1


@kernel
def project_trace(k: int, rows: int, nodes: Nodes, trace_out: Floats) -> None:
    """Set the places of the trace to those over the chord of the span from node k."""
    start = load(nodes.position, k)
    per_length = scale(1.0 / nodes.length[k], load(nodes.direction, k))
    for row in range(rows):
        trace_out[row, 0] = dot(sub(load(trace_out[:, 1:], row), start), per_length)


@kernel
def set_curve(c: int, k: int, rows: int, nodes_out: Nodes) -> None:
    """Give the span from node k the part of the trace over its chord, if it can oscillate."""
    straighten_span(k, nodes_out.waves)
    if not can_oscillate(c, k, nodes_out):
        return
    nodes_out.waves.active[k] = True
    project_trace(k, rows, nodes_out, nodes_out.waves.trace)
    first, second = span_normals(c, k, nodes_out)
    a = load(nodes_out.position, k)
    b = load(nodes_out.position, k + 1)
    v_a = node_velocity(k, nodes_out)
    v_b = node_velocity(k + 1, nodes_out)
    for m in range(1, nodes_out.waves.intervals[k]):
        x = m / nodes_out.waves.intervals[k]
        i = nodes_out.waves.start[k] + m
        offset = sub(
            interpolate_trace(x, rows, 1, nodes_out.waves.trace),
            add(scale(1.0 - x, a), scale(x, b)),
        )
        rate = sub(
            interpolate_trace(x, rows, 4, nodes_out.waves.trace),
            add(scale(1.0 - x, v_a), scale(x, v_b)),
        )
        nodes_out.waves.displacement[0, i], nodes_out.waves.rate[0, i] = (
            dot(offset, first),
            dot(rate, first),
        )
        nodes_out.waves.displacement[1, i], nodes_out.waves.rate[1, i] = (
            dot(offset, second),
            dot(rate, second),
        )


@kernel
def copy_node(source: int, target: int, nodes_out: Nodes) -> None:
    """Copy node ``source`` to node ``target``."""
    nodes_out.body[target] = nodes_out.body[source]
    nodes_out.row_entry[target] = nodes_out.row_entry[source]
    nodes_out.contact_solid[target] = nodes_out.contact_solid[source]
    nodes_out.path_offset[target] = nodes_out.path_offset[source]
    nodes_out.friction_state[target] = nodes_out.friction_state[source]
    nodes_out.slide_distance[target] = nodes_out.slide_distance[source]
    nodes_out.disturbed[target] = nodes_out.disturbed[source]
    for i in range(3):
        nodes_out.velocity[target, i] = nodes_out.velocity[source, i]
        nodes_out.point[target, i] = nodes_out.point[source, i]
        nodes_out.position[target, i] = nodes_out.position[source, i]
        nodes_out.arm[target, i] = nodes_out.arm[source, i]
    for i in range(nodes_out.line.shape[1]):
        nodes_out.line[target, i] = nodes_out.line[source, i]


@kernel
def copy_span(source: int, target: int, nodes_out: Nodes) -> None:
    """Copy the span from node ``source`` to that from node ``target``."""
    nodes_out.length[target] = nodes_out.length[source]
    nodes_out.rest_length[target] = nodes_out.rest_length[source]
    nodes_out.tension_impulse[target] = nodes_out.tension_impulse[source]
    nodes_out.strain[target] = nodes_out.strain[source]
    nodes_out.elastic_impulse[target] = nodes_out.elastic_impulse[source]
    for i in range(3):
        nodes_out.direction[target, i] = nodes_out.direction[source, i]
        nodes_out.waves.normal[target, i] = nodes_out.waves.normal[source, i]
    nodes_out.waves.active[target] = nodes_out.waves.active[source]
    if nodes_out.waves.start[target] < 0:
        return
    for m in range(nodes_out.waves.intervals[target] + 1):
        for j in range(2):
            i = nodes_out.waves.start[target] + m
            n = nodes_out.waves.start[source] + m
            nodes_out.waves.displacement[j, i] = nodes_out.waves.displacement[j, n]
            nodes_out.waves.rate[j, i] = nodes_out.waves.rate[j, n]


@kernel
def divide_span(k: int, place: float, count: int, first: int, nodes_out: Nodes) -> None:
    """Divide the span from node k for a new node k + 1 at ``place`` of its rope.

    The strand has ``count`` nodes. The new node is a copy of the one that follows; the caller makes
    it what it is to be.
    """
    behind = first + count + 1  # the first room that is not in use: where the last span ends
    store(load(nodes_out.position, behind), behind + 1, nodes_out.position)
    store(load(nodes_out.arm, behind), behind + 1, nodes_out.arm)
    for node in range(first + count, k, -1):
        copy_node(node, node + 1, nodes_out)
        copy_span(node, node + 1, nodes_out)
    disturb(k, k + 3, nodes_out)
    nodes_out.rest_length[k + 1] = (1.0 - place) * nodes_out.rest_length[k]
    nodes_out.tension_impulse[k + 1] = nodes_out.tension_impulse[k]
    nodes_out.rest_length[k] = place * nodes_out.rest_length[k]
    nodes_out.path_offset[k + 1] = 0.0
    nodes_out.strain[k + 1] = nodes_out.strain[k]
    nodes_out.elastic_impulse[k + 1] = nodes_out.elastic_impulse[k]
    for i in range(3):
        nodes_out.waves.normal[k + 1, i] = nodes_out.waves.normal[k, i]


@kernel
def fit_spans_to_node(c: int, k: int, place: float, rows: int, nodes_out: Nodes) -> None:
    """Compute the two spans at the new node k, and draw the traced curve onto the node.

    The node is at ``place`` of the old chord.
    """
    for span_before in range(k - 1, k + 1):
        measure_span(c, span_before, nodes_out)
    if rows == 0:
        return
    offset = sub(
        load(nodes_out.position, k), interpolate_trace(place, rows, 1, nodes_out.waves.trace)
    )
    stop_trace(place, node_velocity(k, nodes_out), rows, nodes_out.waves.trace)
    bend_trace(place, offset, rows, nodes_out.waves.trace)
    for span_before in range(k - 1, k + 1):
        set_curve(c, span_before, rows, nodes_out)


@kernel
def remove_node(c: int, k: int, count: int, first: int, slots: int, nodes_out: Nodes) -> None:
    """Remove node k from a strand of ``count``: the spans before and after it become one."""
    nodes_out.rest_length[k - 1] += nodes_out.rest_length[k]
    nodes_out.path_offset[k - 1] += nodes_out.path_offset[k]
    before = nodes_out.length[k - 1]
    after = nodes_out.length[k]
    place = min(max(before / max(before + after, 1e-12), 1e-3), 1.0 - 1e-3)
    rows = 0
    waves = nodes_out.waves.active[k - 1] or nodes_out.waves.active[k]
    if waves:
        rows = record_curve(c, k - 1, 0.0, place, 0, nodes_out)
        rows = record_curve(c, k, place, 1.0, rows, nodes_out)
    for node in range(k, first + count):
        copy_node(node + 1, node, nodes_out)
        copy_span(node + 1, node, nodes_out)
    copy_node(first + slots + 1, first + count, nodes_out)
    nodes_out.contact_solid[first + count] = UNUSED
    nodes_out.rest_length[first + count] = 0.0
    nodes_out.path_offset[first + count] = 0.0
    nodes_out.friction_state[first + count] = FREE
    disturb(k - 1, k + 1, nodes_out)
    nodes_out.length[first + count] = 0.0
    store(ZERO, first + count, nodes_out.direction)
    straighten_span(first + count, nodes_out.waves)
    measure_span(c, k - 1, nodes_out)
    straighten_span(k - 1, nodes_out.waves)
    if waves:
        set_curve(c, k - 1, rows, nodes_out)
