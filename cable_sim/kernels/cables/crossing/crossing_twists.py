"""Two crossings of the same ropes next to one another, which become one with the twist of both.

Between them both ropes are straight, and but for their thickness on one line. Where they are pulled
tight, the forces of the outer spans bring them together (``crossing_sides.py``); none holds two
such nodes apart, and as they get near they would move ever less (``crossing_rows.py``). So the
second one, Y, goes to the first one, X, when it is ``NEAR``, or where there is no room for more.
That is a motion of its two nodes. All passages of the spans at X and Y in it count as turns of X.
The nodes of Y end a little beside those of X, less than what both ropes are apart; what is left of
the spans between them then goes through nothing.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.cables.crossing.crossing_nodes import (
    find_free_body,
    passes_rope,
    remove_crossing,
    remove_open_crossings,
)
from cable_sim.kernels.cables.crossing.crossing_rows import TURNS, is_own, next_crossing
from cable_sim.kernels.cables.crossing.crossing_sides import SHARP, add_turns, set_normal
from cable_sim.kernels.cables.crossing.span_search import APART, begin_motions, span_passage
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, cross, dot, load, norm, scale, store, sub
from cable_sim.kernels.records.lines import Nodes, WireLines

NEAR = 0.1
"""Distance of two crossings that become one, as a part of the shortest span beside them."""
TIGHT = 2.0
"""Distance of two crossings that become one, by the thickness."""
BESIDE = 1e-3
"""Where a node ends beside the one that it joins, as a part of what both ropes are apart."""


@kernel
def node_beside(a: int, b: int, nodes: Nodes) -> int:
    """Return the node of B of the crossing next to that of nodes a and b on both ropes, behind it
    on A; -1 for none."""
    body = nodes.body[a + 1]
    if nodes.contact_solid[a + 1] != CROSSED or body == nodes.body[a]:
        return -1
    for other in range(b - 1, b + 2, 2):
        if other != a + 1 and nodes.contact_solid[other] == CROSSED and nodes.body[other] == body:
            return other
    return -1


@kernel
def are_near(a: int, b: int, other: int, thickness: float, nodes: Nodes) -> bool:
    """Return True if the crossing of nodes a and b and the next one, whose node of B is ``other``,
    are to become one."""
    ahead = other > b
    outer = min(nodes.length[a - 1], nodes.length[a + 1])
    outer = min(outer, nodes.length[b - 1 if ahead else b])
    outer = min(outer, nodes.length[other if ahead else other - 1])
    apart = norm(sub(load(nodes.point, a + 1), load(nodes.point, a)))
    return apart < max(NEAR * outer, TIGHT * thickness)


@kernel
def turn_towards(a: int, b: int, goal: Vector, along: Vector, nodes_out: Nodes) -> bool:
    """Turn the normal of the crossing of nodes a and b a quarter where it is opposite to ``goal``.

    ``along`` is a direction. Afterwards the straight way to ``goal`` is clear.
    """
    normal = load(nodes_out.line, a)
    if dot(normal, goal) >= -SHARP:
        return False
    aside = axpy(-dot(normal, goal), normal, goal)
    if norm(aside) < SHARP:
        aside = cross(normal, along)
    if norm(aside) < SHARP:
        aside = cross(normal, (normal[1], normal[2], normal[0]))
    set_normal(a, b, scale(1.0 / max(norm(aside), 1e-12), aside), nodes_out)
    return True


@kernel
def join_crossings(p: int, a: int, b: int, other: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Move the crossing of nodes a + 1 and ``other`` to that of a and b, which gets its turns.

    Returns whether it may; else it is back.
    """
    along = load(nodes_out.direction, a)
    goal = load(nodes_out.line, a)
    begin_motions(wires, nodes_out)
    if turn_towards(a + 1, other, goal, along, nodes_out):
        add_turns(wires, nodes_out)
        begin_motions(wires, nodes_out)
    place = load(nodes_out.point, a + 1)
    normal = load(nodes_out.line, a + 1)
    body = nodes_out.body[a + 1]
    here = axpy(BESIDE * APART, along, load(nodes_out.point, a))
    store(here, a + 1, nodes_out.point)
    store(axpy(BESIDE * APART, goal, here), other, nodes_out.point)
    set_normal(a + 1, other, goal, nodes_out)
    # as one crossing, so that all their spans are joined
    nodes_out.body[a + 1] = nodes_out.body[a]
    nodes_out.body[other] = nodes_out.body[a]
    blocked = passes_rope(wires.crossings.wire[p, 0], a + 1, wires, nodes_out) or passes_rope(
        wires.crossings.wire[p, 1], other, wires, nodes_out
    )
    nodes_out.body[a + 1] = body
    nodes_out.body[other] = body
    if blocked:
        store(place, a + 1, nodes_out.point)
        store(place, other, nodes_out.point)
        set_normal(a + 1, other, normal, nodes_out)
        return False
    add_turns(wires, nodes_out)
    ahead = other > b
    turns = nodes_out.line[a + 1, TURNS]
    own = is_own(p, wires.crossings)
    for i, j in ((a - 1, other if ahead else other - 1), (a + 1, b - 1 if ahead else b)):
        if i != j:
            side, _, _, _ = span_passage(i, j, own, nodes_out)
            turns += side
    nodes_out.line[a, TURNS] += turns
    nodes_out.line[b, TURNS] += turns
    return True


@kernel
def join_near_crossings(wires: WireLines, nodes_out: Nodes) -> None:
    """Make one crossing of two that are near to one another on both ropes."""
    for p in range(wires.crossings.body.size):
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            full = find_free_body(p, wires, nodes_out) < 0
            other = node_beside(a, b, nodes_out)
            before = a
            if (
                other >= 0
                and (full or are_near(a, b, other, wires.crossings.thickness[p], nodes_out))
                and join_crossings(p, a, b, other, wires, nodes_out)
            ):
                # the one behind first, as it moves the nodes behind it
                remove_crossing(wires.crossings.wire[p, 1], other, wires, nodes_out)
                remove_crossing(wires.crossings.wire[p, 0], a + 1, wires, nodes_out)
                before = a - 1
            a, b = next_crossing(p, before, wires, nodes_out)


@kernel
def settle_crossings(h: float, wires: WireLines, nodes_out: Nodes) -> None:
    """Join crossings that are near to one another, and remove those that hold no rope any more.

    Nothing happens without a step of h.
    """
    if h > 0.0 and wires.crossings.body.size > 0:
        join_near_crossings(wires, nodes_out)
        remove_open_crossings(wires, nodes_out)
