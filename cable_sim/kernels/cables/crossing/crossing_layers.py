"""Rope that comes to lie on rope on a solid, and the update of all crossings there.

Two spans of wires that may cross meet on a solid when they are nearer to one another than the
thickness, the way from one to the other is along the normal of the solid, and one of them has a
contact node. Which of them is the upper one tells their places before the step. They get a
crossing at once that lies on the solid (``crossing_landing.py``), before they go through one
another: in the same face they could no longer be told apart.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED, LANDED
from cable_sim.kernels.cables.crossing.crossing_friction import share_friction
from cable_sim.kernels.cables.crossing.crossing_landing import (
    land,
    land_if_inside,
    nearest_solid,
    update_landed,
)
from cable_sim.kernels.cables.crossing.crossing_nodes import (
    add_crossing,
    passes_rope,
    remove_crossing,
    straight_continuation,
)
from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE, find_crossing_nodes, is_own
from cable_sim.kernels.cables.crossing.crossing_touches import (
    AT_END,
    is_beside_crossing,
    nearest_parts,
)
from cable_sim.kernels.cables.crossing.crossing_twists import settle_crossings
from cable_sim.kernels.cables.crossing.passages import interpolate_points
from cable_sim.kernels.cables.crossing.span_search import (
    are_joined,
    begin_motions,
    has_rope,
    next_span,
)
from cable_sim.kernels.cables.hybrid.segments import is_on_solid, wire_node_velocity
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, load, norm, scale, store, sub
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.status import CONTACTS_FULL, SOLVED

ON_TOP = 0.95
"""Least cosine, to the normal of the solid, of the way from a rope to one that lies on it."""


@kernel
def ends_on_solid(k: int, nodes: Nodes) -> bool:
    """Return True if the span from node k begins or ends on a solid."""
    return is_on_solid(k, nodes) or is_on_solid(k + 1, nodes)


@kernel
def point_of_span(k: int, x: float, h: float, nodes: Nodes) -> Vector:
    """Return the point at the part x of the span from node k [m], h before the present [s]."""
    first = axpy(-h, wire_node_velocity(k, nodes.bodies.velocity, nodes), load(nodes.position, k))
    last = axpy(
        -h, wire_node_velocity(k + 1, nodes.bodies.velocity, nodes), load(nodes.position, k + 1)
    )
    return interpolate_points(x, first, last)


@kernel
def lies_on(
    h: float, p: int, i: int, j: int, wires: WireLines, nodes: Nodes
) -> tuple[int, float, float, int, Vector]:
    """Return which of the spans i and j of pair p lies below the other one on a solid, -1 for none.

    It is 0 for the first. The parts of both spans where they meet, the solid, and the normal
    follow.
    """
    x, y = nearest_parts(i, j, nodes)
    point = point_of_span(i, x, 0.0, nodes)
    thickness = wires.crossings.thickness[p]
    apart = sub(point_of_span(j, y, 0.0, nodes), point)
    if norm(apart) >= thickness:
        return -1, x, y, -1, apart
    first = wires.cable[wires.crossings.wire[p, 0]]
    t, _, out = nearest_solid(first, point, thickness, nodes)
    before = sub(point_of_span(j, y, h, nodes), point_of_span(i, x, h, nodes))
    above = dot(before, out)
    if t < 0 or abs(above) <= ON_TOP * norm(before):
        return -1, x, y, -1, out
    if above > 0.0:
        return 0, x, y, t, out
    second = wires.cable[wires.crossings.wire[p, 1]]
    t, _, _ = nearest_solid(second, point, thickness, nodes)
    return 1 if t >= 0 else -1, x, y, t, out


@kernel
def detect_layer(h: float, p: int, wires: WireLines, nodes_out: Nodes) -> tuple[bool, bool]:
    """Put a crossing where a span of pair p has come to lie on another one on a solid.

    Returns whether there are such spans, and whether there was room.
    """
    own = is_own(p, wires.crossings)
    first = wires.cable[wires.crossings.wire[p, 0]]
    second = wires.cable[wires.crossings.wire[p, 1]]
    if nodes_out.near.counts[first] == 0:
        return False, True
    for i in range(wires.node_start[first], wires.node_start[first + 1] - 1):
        if not has_rope(i, nodes_out):
            continue
        begin = next_span(i, nodes_out) + 1 if own else wires.node_start[second]
        for j in range(begin, wires.node_start[second + 1] - 1):
            if not has_rope(j, nodes_out):
                continue
            if not (ends_on_solid(i, nodes_out) or ends_on_solid(j, nodes_out)):
                continue
            if are_joined(i, j, own, nodes_out):
                continue
            side, x, y, t, out = lies_on(h, p, i, j, wires, nodes_out)
            point = point_of_span(i, x, 0.0, nodes_out)
            if side < 0 or is_beside_crossing(p, point, wires, nodes_out):
                continue
            x = min(max(x, AT_END), 1.0 - AT_END)
            y = min(max(y, AT_END), 1.0 - AT_END)
            found = 1.0, i, j, 1.0, x, y
            move = scale(1.0 if side == 0 else -1.0, out)
            body = add_crossing(p, found, move, 0.5, wires, nodes_out)
            if body < 0:
                return True, False
            a, b = find_crossing_nodes(p, body, wires, nodes_out)
            land(p, side, t, wires, a, b, nodes_out)
            return True, True
    return False, True


@kernel
def may_part(p: int, a: int, b: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Return True if no other rope is in the way of the ropes at nodes a and b of pair p.

    They go to where they run straight past their crossing.
    """
    begin_motions(wires, nodes_out)
    here = load(nodes_out.position, a)
    there = load(nodes_out.position, b)
    goal = straight_continuation(a, a, nodes_out)
    store(straight_continuation(b, b, nodes_out), b, nodes_out.position)
    store(goal, a, nodes_out.position)
    blocked = passes_rope(wires.crossings.wire[p, 0], a, wires, nodes_out)
    blocked |= passes_rope(wires.crossings.wire[p, 1], b, wires, nodes_out)
    store(here, a, nodes_out.position)
    store(there, b, nodes_out.position)
    return not blocked


@kernel
def update_layer(h: float, p: int, body: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Update the crossing ``body`` of pair p if it lies on a solid, or land it."""
    a, b = find_crossing_nodes(p, body, wires, nodes_out)
    if a < 0 or b < 0:
        return
    if nodes_out.contact_solid[a] == CROSSED:
        share_friction(a, b, nodes_out)
        land_if_inside(p, wires, a, b, nodes_out)
    elif not update_landed(h, p, a, b, wires, nodes_out):
        if may_part(p, a, b, wires, nodes_out):
            # the one behind first, as it moves the nodes behind it
            remove_crossing(wires.crossings.wire[p, 1], b, wires, nodes_out)
            remove_crossing(wires.crossings.wire[p, 0], a, wires, nodes_out)


@kernel
def has_crossing(n: int, wires: WireLines, nodes: Nodes) -> bool:
    """Return True if a node of wire n stands for a crossing."""
    c = wires.cable[n]
    for k in range(wires.node_start[c] + 1, wires.node_start[c + 1] - 1):
        if nodes.contact_solid[k] == CROSSED or nodes.contact_solid[k] == LANDED:
            return True
    return False


@kernel
def settle_all_crossings(h: float, wires: WireLines, nodes_out: Nodes) -> int:
    """Update the crossings of all pairs at the end of a step of h; return status flags.

    First come those off solids, then those on them.
    """
    flags = SOLVED
    settle_crossings(h, wires, nodes_out)
    if h == 0.0:
        return flags
    for p in range(wires.crossings.body.size):
        for _ in range(AT_ONCE):
            found, fits = detect_layer(h, p, wires, nodes_out)
            flags |= SOLVED if fits else CONTACTS_FULL
            if not (found and fits):
                break
        if not has_crossing(wires.crossings.wire[p, 0], wires, nodes_out):
            continue
        for body in range(wires.crossings.body[p], wires.crossings.body[p] + AT_ONCE):
            update_layer(h, p, body, wires, nodes_out)
    return flags
