"""The search for spans of wires that go through one another in a motion of their nodes.

A *motion* leads from ``nodes.start`` to the present positions of all nodes along straight lines:
a step, or what a node that goes does at once. Ropes that lie on one another at a crossing are taken
to be at its place, without thickness; in a motion they are ``APART`` on either side of it, along
its normals before and after. So which rope is on which side of a crossing counts for all spans
alike, and ropes pass through one another only where a motion says so.

*Broad phase.* Boxes around the swept spans of a wire are made once, one behind the other in
``nodes.swept``; pairs whose boxes are apart cost six comparisons at most.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED, MASSIVE, SEVERED, SIDE
from cable_sim.kernels.cables.crossing.crossing_rows import BEFORE, crossing_at, is_own
from cable_sim.kernels.cables.crossing.passages import find_passage, span_at
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, load, store, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

APART = 1e-8
"""Distance of both ropes of a crossing from its place in motions [m]: far above rounding."""
ASIDE = (3.7e-11, 6.1e-11, 7.1e-11)
"""What wire B of a pair stands aside by in all motions [m]. Else the masses of two wires may meet
at one point, as in symmetric scenes, and each of four pairs of spans go through one another, or
none. A wire has no other side than its own."""
UPPER = 3
SPAN = 6
SWEPT = 7
"""Columns of ``nodes.swept``: the least and largest coordinates that a span sweeps [m], and the
span."""
NOWHERE = (0.0, -1, -1, 0.0, 0.0, 0.0)
"""No passage; see :func:`find_first_passage`."""
ALL = -1


@kernel
def has_rope(k: int, nodes: Nodes) -> bool:
    """Return True if there is rope in the span from node k."""
    return nodes.length[k] > 0.0 and nodes.friction_state[k] != SEVERED


@kernel
def next_span(k: int, nodes: Nodes) -> int:
    """Return the span behind span k, which meets it at a node; room that is not in use is none."""
    k += 1
    while k + 1 < nodes.length.size and nodes.length[k] == 0.0:
        k += 1
    return k


@kernel
def is_one_crossing(a: int, b: int, nodes: Nodes) -> bool:
    """Return True if nodes a and b stand for one crossing."""
    crossing = crossing_at(a, nodes)
    return crossing >= 0 and crossing == crossing_at(b, nodes)


@kernel
def is_one_place(a: int, b: int, nodes: Nodes) -> bool:
    """Return True if nodes a and b are at one point of one body: two ropes on one hook."""
    if nodes.contact_solid[a] <= MASSIVE or nodes.contact_solid[b] <= MASSIVE:
        return False
    same = nodes.body[a] == nodes.body[b]
    for i in range(3):
        same &= nodes.point[a, i] == nodes.point[b, i]
    return same


@kernel
def are_neighbours(i: int, j: int, own: bool, nodes: Nodes) -> bool:
    """Return True if spans i and j, of one wire if ``own``, are one or meet at a node of it."""
    return own and (i == j or next_span(i, nodes) == j or next_span(j, nodes) == i)


@kernel
def are_joined(i: int, j: int, own: bool, nodes: Nodes) -> bool:
    """Return True if spans i and j meet at a node, a crossing or a hook.

    These do not pass through one another there; for crossings see ``crossing_sides.py``.
    """
    if are_neighbours(i, j, own, nodes):
        return True
    for a in range(i, i + 2):
        for b in range(j, j + 2):
            if is_one_crossing(a, b, nodes) or is_one_place(a, b, nodes):
                return True
    return False


@kernel
def lie_on_one_solid(i: int, j: int, nodes: Nodes) -> bool:
    """Return True if spans i and j lie on one solid, all their ends on edges of it.

    In different faces they do not meet, and in one face rounding alone has them on either side.
    There rope comes to lie on rope (``crossing_layers.py``).
    """
    t = nodes.contact_solid[i]
    same = nodes.contact_solid[i + 1] == t and nodes.contact_solid[j] == t
    return t >= 0 and same and nodes.contact_solid[j + 1] == t


@kernel
def common_place(k: int, nodes: Nodes) -> Vector:
    """Return the place of node k [m]; that of a crossing is the same for both of its ropes."""
    return load(nodes.point if nodes.contact_solid[k] == CROSSED else nodes.position, k)


@kernel
def begin_of_motion(k: int, nodes: Nodes) -> Vector:
    """Return where node k is at the begin of the motion, on its side of a crossing [m]."""
    place = load(nodes.start, k)
    if nodes.contact_solid[k] != CROSSED:
        return place
    return axpy(APART * nodes.line[k, SIDE], load(nodes.line[:, BEFORE:], k), place)


@kernel
def end_of_motion(k: int, nodes: Nodes) -> Vector:
    """Return where node k is at the end of the motion, on its side of a crossing [m]."""
    place = common_place(k, nodes)
    if nodes.contact_solid[k] != CROSSED:
        return place
    return axpy(APART * nodes.line[k, SIDE], load(nodes.line, k), place)


@kernel
def moving_span(k: int, nodes: Nodes) -> tuple[Vector, Vector, Vector, Vector]:
    """Return span k as a moving span."""
    return (
        begin_of_motion(k, nodes),
        begin_of_motion(k + 1, nodes),
        end_of_motion(k, nodes),
        end_of_motion(k + 1, nodes),
    )


@kernel
def span_passage(i: int, j: int, own: bool, nodes: Nodes) -> tuple[float, float, float, float]:
    """Return what ``find_passage`` does of span i of A and span j of B in a motion.

    ``own`` says that both are of one wire.
    """
    b = moving_span(j, nodes)
    if not own:
        b = add(b[0], ASIDE), add(b[1], ASIDE), add(b[2], ASIDE), add(b[3], ASIDE)
    return find_passage(moving_span(i, nodes), b)


@kernel
def begin_motion(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Begin a motion of wire n at its present positions and normals."""
    c = wires.cable[n]
    for k in range(wires.node_start[c], wires.node_start[c + 1]):
        store(common_place(k, nodes_out), k, nodes_out.start)
        if nodes_out.contact_solid[k] == CROSSED:
            store(load(nodes_out.line, k), k, nodes_out.line[:, BEFORE:])


@kernel
def begin_motions(wires: WireLines, nodes_out: Nodes) -> None:
    """Begin a motion of all wires that may cross."""
    for p in range(wires.crossings.body.size):
        begin_motion(wires.crossings.wire[p, 0], wires, nodes_out)
        if not is_own(p, wires.crossings):
            begin_motion(wires.crossings.wire[p, 1], wires, nodes_out)


@kernel
def sweep_span(k: int, row: int, nodes_out: Nodes) -> None:
    """Store the box of all that span k sweeps."""
    first = common_place(k, nodes_out)
    last = common_place(k + 1, nodes_out)
    for i in range(3):
        a = nodes_out.start[k, i]
        b = nodes_out.start[k + 1, i]
        c = first[i]
        d = last[i]
        nodes_out.swept[row, i] = min(min(a, b), min(c, d)) - APART
        nodes_out.swept[row, UPPER + i] = max(max(a, b), max(c, d)) + APART
    nodes_out.swept[row, SPAN] = k


@kernel
def sweep_wire(n: int, wires: WireLines, nodes_out: Nodes) -> int:
    """Store the boxes of all that the spans of wire n sweep.

    They stand from the row of its first node on; returns the row behind them.
    """
    c = wires.cable[n]
    row = wires.node_start[c]
    for k in range(wires.node_start[c], wires.node_start[c + 1] - 1):
        if has_rope(k, nodes_out):
            sweep_span(k, row, nodes_out)
            row += 1
    return row


@kernel
def are_apart(i: int, j: int, distance: float, swept: Floats) -> bool:
    """Return True if the boxes in rows i and j are farther apart than a distance [m]."""
    for axis in range(3):
        if (
            swept[i, axis] > swept[j, UPPER + axis] + distance
            or swept[j, axis] > swept[i, UPPER + axis] + distance
        ):
            return True
    return False


@kernel
def is_at(k: int, i: int, j: int) -> bool:
    """Return True if span i or j begins or ends at node k, or if k is ``ALL``."""
    return k == ALL or i == k or j == k or i == k - 1 or j == k - 1


@kernel
def earlier_passage(
    i: int, j: int, own: bool, found: tuple[float, int, int, float, float, float], nodes: Nodes
) -> tuple[float, int, int, float, float, float]:
    """Return the passage of spans i and j, or the one ``found`` if there is none or that is
    earlier."""
    if are_joined(i, j, own, nodes) or lie_on_one_solid(i, j, nodes):
        return found
    side, time, x, y = span_passage(i, j, own, nodes)
    if side == 0.0 or (found[0] != 0.0 and found[3] <= time):
        return found
    return side, i, j, time, x, y


@kernel
def find_first_passage(
    p: int, k: int, wires: WireLines, nodes_out: Nodes
) -> tuple[float, int, int, float, float, float]:
    """Return the first passage in a motion of the wires of pair p, at node k or ``ALL``.

    These are the side of its span of A before it (0.0 for none), the spans of A and B, the time,
    and the place on both spans as parts of them. Spans that are joined do not count.
    """
    found = NOWHERE
    swept = nodes_out.swept
    own = is_own(p, wires.crossings)
    m = wires.crossings.wire[p, 0]
    n = wires.crossings.wire[p, 1]
    end_a = sweep_wire(m, wires, nodes_out)
    end_b = end_a if own else sweep_wire(n, wires, nodes_out)
    for row in range(wires.node_start[wires.cable[m]], end_a):
        i = int(swept[row, SPAN])
        for other in range(row + 1 if own else wires.node_start[wires.cable[n]], end_b):
            if are_apart(row, other, 0.0, swept):
                continue
            j = int(swept[other, SPAN])
            if is_at(k, i, j):
                found = earlier_passage(i, j, own, found, nodes_out)
    return found


@kernel
def relative_motion(found: tuple[float, int, int, float, float, float], nodes: Nodes) -> Vector:
    """Return what the place of a passage on the span of A moves by, seen from that on B [m]."""
    a_before, span_a = span_at(0.0, moving_span(found[1], nodes))
    a_after, last_a = span_at(1.0, moving_span(found[1], nodes))
    b_before, span_b = span_at(0.0, moving_span(found[2], nodes))
    b_after, last_b = span_at(1.0, moving_span(found[2], nodes))
    before = sub(axpy(found[4], span_a, a_before), axpy(found[5], span_b, b_before))
    return sub(sub(axpy(found[4], last_a, a_after), axpy(found[5], last_b, b_after)), before)
