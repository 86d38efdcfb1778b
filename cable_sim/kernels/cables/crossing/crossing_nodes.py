"""Crossings of wires: the making and removal of the nodes of ``crossing_rows.py``.

Spans have crossed when they touched (``crossing_touches.py``), or when one went through the other
in a motion (``span_search.py``), be it a step or what a node that goes does at once. Then both get
a node where that happened, with the normal of ``crossing_sides.py`` towards the side on which A
came. In the same motion the ropes reach that node from their sides, and have not gone through one
another. There may be several crossings of two wires, and of two spans. A crossing goes when both
ropes may run straight past it, each on its side and by the thickness apart, and no other rope is in
the way.

*A wire with itself.* The two nodes of a crossing are in one wire then, the first that it meets
being A's. They may be inside of one segment, whose row has one entry for both. A loop with nothing
in it goes when it is drawn to a point, with all its twist.
"""

from cable_sim.kernels.cables.contact.contact_detection import clamp_to_span
from cable_sim.kernels.cables.contact.contact_path import (
    CROSSED,
    FREE,
    HEIGHT,
    SIDE,
    STUCK,
    count_nodes,
    divide_span,
    measure_span,
    remove_node,
    stand_aside,
)
from cable_sim.kernels.cables.crossing.crossing_rows import (
    AT_ONCE,
    BEFORE,
    ROUGH,
    SHARE,
    TURNS,
    advance_crossings,
    find_crossing_nodes,
    is_own,
    next_crossing,
)
from cable_sim.kernels.cables.crossing.crossing_sides import (
    add_turns,
    count_passages,
    follow_normals,
    set_normal,
    untwists,
)
from cable_sim.kernels.cables.crossing.crossing_touches import find_touch
from cable_sim.kernels.cables.crossing.passages import interpolate_points
from cable_sim.kernels.cables.crossing.span_search import (
    ALL,
    begin_motion,
    begin_motions,
    begin_of_motion,
    common_place,
    end_of_motion,
    find_first_passage,
    relative_motion,
)
from cable_sim.kernels.cables.hybrid.segments import feed_rope, own_node_before, wire_node_velocity
from cable_sim.kernels.cables.hybrid.wire_placement import place_wire
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, load, norm, scale, store, sub
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.wires import Crossings
from cable_sim.kernels.status import SOLVED, WENT_THROUGH

SPARE = 2
"""Crossings of two wires that are left for ropes that go through one another."""
FLAT = 0.1
"""Most that a rope stands off its crossing, as a part of the shortest span to another one."""


@kernel
def remove_crossing(n: int, k: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Remove the crossing k from wire n.

    The shorter path pays its account back (``adaptive_resolution.py``).
    """
    c = wires.cable[n]
    first = own_node_before(k, c, wires)
    before = nodes_out.length[k - 1] + nodes_out.length[k]
    count = count_nodes(first, wires.slots[first], nodes_out)
    remove_node(c, k, count, first, wires.slots[first], nodes_out)
    owed = nodes_out.path_offset[k - 1]
    nodes_out.path_offset[k - 1] = max(owed + nodes_out.length[k - 1] - before, min(owed, 0.0))


@kernel
def has_room(n: int, k: int, more: int, wires: WireLines, nodes: Nodes) -> bool:
    """Return True if the strand of span k of wire n has room for so many more nodes."""
    first = own_node_before(k + 1, wires.cable[n], wires)
    return count_nodes(first, wires.slots[first], nodes) + more <= wires.slots[first]


@kernel
def span_motion(x: float, k: int, nodes: Nodes) -> tuple[Vector, Vector]:
    """Return position [m] and velocity [m/s] at the part x of the span from node k."""
    start = common_place(k, nodes)
    end = common_place(k + 1, nodes)
    v_start = wire_node_velocity(k, nodes.bodies.velocity, nodes)
    v_end = wire_node_velocity(k + 1, nodes.bodies.velocity, nodes)
    return interpolate_points(x, start, end), interpolate_points(x, v_start, v_end)


@kernel
def insert_crossing(
    n: int,
    k: int,
    x: float,
    point: Vector,
    velocity: Vector,
    crossing: tuple[int, int, float, float, float, Vector],
    wires: WireLines,
    nodes_out: Nodes,
) -> None:
    """Put a crossing at the part x of span k of wire n, which is drawn to a point [m].

    ``crossing`` has its body, its entry in rows, its friction, its thickness [m], the side of this
    rope and the normal. The account of the span takes the detour; where the rope sticks, each side
    has its part.
    """
    body, row_entry, mu, thickness, side, normal = crossing
    c = wires.cable[n]
    before = nodes_out.length[k]
    owed = nodes_out.path_offset[k]
    first = own_node_before(k + 1, c, wires)
    node = k + 1
    count = count_nodes(first, wires.slots[first], nodes_out)
    start = interpolate_points(x, begin_of_motion(k, nodes_out), begin_of_motion(node, nodes_out))
    for behind in range(first + count, k, -1):
        store(load(nodes_out.start, behind), behind + 1, nodes_out.start)
    store(start, node, nodes_out.start)
    place = clamp_to_span(x)
    divide_span(k, place, count, first, nodes_out)
    nodes_out.body[node] = body
    nodes_out.row_entry[node] = row_entry
    nodes_out.contact_solid[node] = CROSSED
    nodes_out.friction_state[node] = STUCK if mu > 0.0 else FREE
    nodes_out.line[node, ROUGH] = mu
    nodes_out.line[node, SHARE] = 1.0
    nodes_out.line[node, SIDE] = side
    nodes_out.line[node, HEIGHT] = 0.5 * thickness
    nodes_out.line[node, TURNS] = 0.0
    store(normal, node, nodes_out.line)
    store(ZERO, node, nodes_out.line[:, BEFORE:])
    nodes_out.slide_distance[node] = 0.0
    store(velocity, node, nodes_out.velocity)
    store(point, node, nodes_out.point)
    store(point, node, nodes_out.arm)
    stand_aside(node, nodes_out)
    measure_span(c, k, nodes_out)
    measure_span(c, node, nodes_out)
    if mu > 0.0:
        nodes_out.path_offset[k] = nodes_out.length[k] + place * (owed - before)
        nodes_out.path_offset[node] = nodes_out.length[node] + (1.0 - place) * (owed - before)
    else:
        nodes_out.path_offset[k] += nodes_out.length[k] + nodes_out.length[node] - before


@kernel
def find_free_body(p: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the number of a crossing that pair p does not use, -1 for none."""
    for which in range(AT_ONCE):
        a, _ = find_crossing_nodes(p, wires.crossings.body[p] + which, wires, nodes)
        if a < 0:
            return which
    return -1


@kernel
def count_free_bodies(p: int, wires: WireLines, nodes: Nodes) -> int:
    """Return how many crossings pair p does not use."""
    count = 0
    for body in range(wires.crossings.body[p], wires.crossings.body[p] + AT_ONCE):
        a, _ = find_crossing_nodes(p, body, wires, nodes)
        count += a < 0
    return count


@kernel
def add_crossing(
    p: int,
    found: tuple[float, int, int, float, float, float],
    move: Vector,
    weight: float,
    wires: WireLines,
    nodes_out: Nodes,
) -> int:
    """Put a crossing of pair p where a passage was found; return its body, -1 without room.

    ``move`` is what A moved by there, seen from B. The node is at the part ``weight`` of the way
    from A's span to that of B.
    """
    m = wires.crossings.wire[p, 0]
    n = wires.crossings.wire[p, 1]
    _, i, j, _, x, y = found
    more = 2 if is_own(p, wires.crossings) else 1
    which = find_free_body(p, wires, nodes_out)
    fits = has_room(m, i, more, wires, nodes_out) and has_room(n, j, more, wires, nodes_out)
    if which < 0 or not fits:
        return -1
    on_a, v_a = span_motion(x, i, nodes_out)
    on_b, v_b = span_motion(y, j, nodes_out)
    point = interpolate_points(weight, on_a, on_b)
    velocity = interpolate_points(weight, v_a, v_b)
    normal = scale(-1.0 / norm(move), move)
    body = wires.crossings.body[p] + which
    mu = wires.crossings.friction[p]
    thickness = wires.crossings.thickness[p]
    of_a = (body, wires.crossings.row_entry[p, 0] + which, mu, thickness, 1.0, normal)
    of_b = (body, wires.crossings.row_entry[p, 1] + which, mu, thickness, -1.0, normal)
    # the one behind first, as it moves the nodes behind it
    insert_crossing(n, j, y, point, velocity, of_b, wires, nodes_out)
    insert_crossing(m, i, x, point, velocity, of_a, wires, nodes_out)
    return body


@kernel
def straight_continuation(k: int, last: int, nodes: Nodes) -> Vector:
    """Return the point of the rope if it ran straight past the nodes from k to ``last`` [m].

    Where crossings are beside these, it runs on its side of them.
    """
    before = nodes.length[k - 1]
    x = before / max(before + nodes.length[last], 1e-12)
    return interpolate_points(x, end_of_motion(k - 1, nodes), end_of_motion(last + 1, nodes))


@kernel
def rope_continuation(k: int, nodes: Nodes) -> Vector:
    """Return the point of the rope if it ran straight past node k [m]."""
    before = nodes.length[k - 1]
    x = before / max(before + nodes.length[k], 1e-12)
    return interpolate_points(x, load(nodes.position, k - 1), load(nodes.position, k + 1))


@kernel
def passes_rope(n: int, k: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Return True if the rope at node k of wire n goes through rope in a motion.

    The ropes at a crossing of node k do not count.
    """
    for p in range(wires.crossings.body.size):
        if wires.crossings.wire[p, 0] == n or wires.crossings.wire[p, 1] == n:
            found = find_first_passage(p, k, wires, nodes_out)
            if found[0] != 0.0:
                return True
    return False


@kernel
def straighten(p: int, a: int, b: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Move the ropes of the crossing of nodes a and b to where they run straight past it.

    Returns whether they may: they don't touch, each stays on its side, and no other rope is in the
    way. Else they are back. A wire crosses itself in an empty loop where b is next to a. Ropes that
    touch may, too, where fewer than ``SPARE`` crossings are left.
    """
    here = load(nodes_out.point, a)
    there = load(nodes_out.point, b)
    empty = is_own(p, wires.crossings) and b == a + 1
    goal_a = straight_continuation(a, b if empty else a, nodes_out)
    goal_b = goal_a if empty else straight_continuation(b, b, nodes_out)
    apart = sub(rope_continuation(a, nodes_out), rope_continuation(b, nodes_out))
    spare = count_free_bodies(p, wires, nodes_out) >= SPARE
    least = 2.0 * nodes_out.line[a, HEIGHT] if spare else 0.0
    if not empty and norm(apart) <= least:
        return False
    if not (empty or untwists(apart, a, b, is_own(p, wires.crossings), nodes_out)):
        return False
    normal = load(nodes_out.line, a)
    store(goal_a, a, nodes_out.point)
    store(goal_b, b, nodes_out.point)
    set_normal(a, b, ZERO, nodes_out)  # nothing holds them apart then
    _, number = count_passages(a, b, is_own(p, wires.crossings), nodes_out)
    may = empty or number == 0
    for side in range(2):
        k = a if side == 0 else b
        may = may and not passes_rope(wires.crossings.wire[p, side], k, wires, nodes_out)
    if not may:
        store(here, a, nodes_out.point)
        store(there, b, nodes_out.point)
        set_normal(a, b, normal, nodes_out)
    return may


@kernel
def remove_open_crossings(wires: WireLines, nodes_out: Nodes) -> None:
    """Remove the crossings whose ropes no longer block each other."""
    begin_motions(wires, nodes_out)
    for p in range(wires.crossings.body.size):
        before = -1
        a, b = next_crossing(p, before, wires, nodes_out)
        while a >= 0:
            before = a
            if straighten(p, a, b, wires, nodes_out):
                before = a - 1
                add_turns(wires, nodes_out)
                # the one behind first, as it moves the nodes behind it
                remove_crossing(wires.crossings.wire[p, 1], b, wires, nodes_out)
                remove_crossing(wires.crossings.wire[p, 0], a, wires, nodes_out)
                begin_motions(wires, nodes_out)
            a, b = next_crossing(p, before, wires, nodes_out)


@kernel
def place_rope(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Let wire n stand on its sides of its crossings."""
    c = wires.cable[n]
    for k in range(wires.node_start[c] + 1, wires.node_start[c + 1] - 1):
        if nodes_out.contact_solid[k] == CROSSED:
            stand_aside(k, nodes_out)
            measure_span(c, k - 1, nodes_out)
            measure_span(c, k, nodes_out)


@kernel
def set_heights(wires: WireLines, nodes_out: Nodes) -> None:
    """Set how far the ropes of all crossings stand off them: half of the thickness, or less."""
    for p in range(wires.crossings.body.size):
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            height = 0.5 * wires.crossings.thickness[p]
            for k in (a - 1, a + 1, b - 1, b + 1):
                if nodes_out.contact_solid[k] == CROSSED:
                    way = sub(load(nodes_out.point, k), load(nodes_out.point, a))
                    height = min(height, FLAT * norm(way))
            nodes_out.line[a, HEIGHT] = height
            nodes_out.line[b, HEIGHT] = height
            a, b = next_crossing(p, a, wires, nodes_out)


@kernel
def crosses_any(n: int, crossings: Crossings) -> bool:
    """Return True if wire n may cross a wire."""
    for p in range(crossings.body.size):
        if crossings.wire[p, 0] == n or crossings.wire[p, 1] == n:
            return True
    return False


@kernel
def catch_passages(h: float, wires: WireLines, nodes_out: Nodes) -> int:
    """Place all wires that may cross, and put crossings where they passed in a step of h.

    Returns status flags. Nothing happens without a step.
    """
    flags = SOLVED
    if h == 0.0 or wires.crossings.body.size == 0:
        return flags
    for n in range(wires.cable.size):
        if crosses_any(n, wires.crossings):
            begin_motion(n, wires, nodes_out)
            advance_crossings(h, n, wires, nodes_out)
            feed_rope(n, wires, nodes_out.bodies.position, nodes_out)
            place_wire(n, wires, nodes_out)
    follow_normals(1, False, wires, nodes_out)
    for p in range(wires.crossings.body.size):
        for _ in range(AT_ONCE + 1):
            found = find_first_passage(p, ALL, wires, nodes_out)
            passed = found[0] != 0.0
            move = relative_motion(found, nodes_out) if passed else ZERO
            if not passed and count_free_bodies(p, wires, nodes_out) > SPARE:
                found, away = find_touch(p, wires, nodes_out)
                move = scale(-1.0, away)
            if norm(move) == 0.0:
                break  # none, or rounding
            body = add_crossing(p, found, move, 0.5, wires, nodes_out)
            if body < 0:
                flags |= WENT_THROUGH if passed else SOLVED
                break
    follow_normals(0, True, wires, nodes_out)
    set_heights(wires, nodes_out)
    return flags
