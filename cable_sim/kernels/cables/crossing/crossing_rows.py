"""Wire against wire: hybrid wires that run over one another, at high tension too (Servin 2011
leaves that open).

Where a span of wire A comes onto a span of wire B, both get a node at one and the same place. It
has no mass, the ropes slide through it and stick to one another as ``crossing_friction.py`` says,
and it moves to where their forces on it are in balance,

    sum over the four spans that meet there of  T_i u_i = 0,    u_i towards the far end of span i.

*Step.* To first order in what the node and its neighbours move by in a step, the forces at its end
are those with the directions of its start, less K h (v+ - v'), with K = sum T_i / l_i (alike in all
directions, as much as across the spans, which is the most) and v' the mean of the velocities of the
neighbours, weighted with T_i / l_i. In balance, with the impulses lambda of the segments of both
wires and their J,

    v+ = v' + w J^T lambda,          1 / w = h^2 K.

So the node is like a body with the inverse mass w and the free velocity v': in the rows its v' is
known, and the rest is that of a body of three coordinates y with the mass 1 and the entries w^(1/2)
J, so that v+ = v' + w^(1/2) y. T is that of the step before; where a larger one comes out, all is
solved again with that. A rope that pulls at nothing has no K; ``LIGHT`` of the rope next to the
node is added to 1 / w as mass. An impulse p of the rope's weight at the node is w^(1/2) p on y. The
balance is reached within a few steps. Nothing oscillates: the node lags behind its neighbours when
these are accelerated, as if it had the mass h^2 K.

*Thickness.* The ropes bend beside that place x, with the sum d of their radii apart: A at x + n d /
2 and B at x - n d / 2, n the normal of ``crossing_sides.py`` towards A. Directions and lengths of
their spans are those from there. J leaves out that n turns: no force works on what ropes get longer
by then, so it goes on their accounts (``wire_contacts.py``).

How such nodes come and go: ``crossing_nodes.py``.
"""

from math import sqrt

from cable_sim.kernels.cables.contact.contact_path import CROSSED, LANDED
from cable_sim.kernels.cables.hybrid.segments import (
    IMPULSE,
    ROW,
    RUBS,
    segment_at,
    wire_node_velocity,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    dot,
    load,
    norm,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.wires import Crossings

AT_ONCE = 6
"""Most crossings of two wires at a time."""
LIGHT = 0.05
"""Least mass that a node moves as, as a part of the mass of the rope next to it."""
FARTHEST = 0.25
"""Most that a node moves in a step, seen from its neighbours, as a part of its shortest span."""
NARROW = 1e-3
"""Shortest span that counts for that [m]: a node gets away from another one that it is next to."""
GIVE = 3
MOST = 4
ROUGH = 5
BEFORE = 6
TURNS = 9
NUMBER = 11
SOLID = 12
PRESSED = 13
SHARE = 14
"""Columns of ``nodes.line`` of a crossing: w^(1/2) [kg^(-1/2)], the most that it moves by in a
step, seen from its neighbours [m], and its coefficient of friction; the normal is before them.
Then come the normal before a motion, the twist of both ropes (``crossing_sides.py``), and the side
of the node's rope, 1 or -1 along the normal. Three are those of ``crossing_landing.py``: the body
that it is when it lies on no solid, the solid below it, and what the rope above adds to the bound
of friction [N s]. The last is the part s of that bound (``crossing_friction.py``)."""
STIFFER = 1.05
"""Factor by which 1 / w must be larger with the new tensions for all to be solved again."""


@kernel
def crossing_at(k: int, nodes: Nodes) -> int:
    """Return the body that stands for the crossing at node k; -1 where there is none."""
    if nodes.contact_solid[k] == LANDED:
        return int(nodes.line[k, NUMBER])
    return nodes.body[k] if nodes.contact_solid[k] == CROSSED else -1


@kernel
def find_crossing_node(n: int, body: int, before: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the first node of wire n behind node ``before`` that stands for a crossing.

    It is -1 for none.
    """
    c = wires.cable[n]
    for k in range(max(wires.node_start[c], before) + 1, wires.node_start[c + 1] - 1):
        if crossing_at(k, nodes) == body:
            return k
    return -1


@kernel
def is_own(p: int, crossings: Crossings) -> bool:
    """Return True if pair p is a wire and itself."""
    return crossings.wire[p, 0] == crossings.wire[p, 1]


@kernel
def find_crossing_nodes(p: int, body: int, wires: WireLines, nodes: Nodes) -> tuple[int, int]:
    """Return the nodes of both wires of pair p that stand for a crossing; -1 for none.

    Those of a wire that crosses itself are in the order in which it meets them.
    """
    a = find_crossing_node(wires.crossings.wire[p, 0], body, -1, wires, nodes)
    before = a if is_own(p, wires.crossings) else -1
    return a, find_crossing_node(wires.crossings.wire[p, 1], body, before, wires, nodes)


@kernel
def next_crossing(p: int, before: int, wires: WireLines, nodes: Nodes) -> tuple[int, int]:
    """Return the nodes of the next crossing of pair p whose first node is behind node ``before``.

    They are those of :func:`find_crossing_nodes`; -1 for none.
    """
    c = wires.cable[wires.crossings.wire[p, 0]]
    for a in range(max(wires.node_start[c], before) + 1, wires.node_start[c + 1] - 1):
        which = nodes.body[a] - wires.crossings.body[p]
        if nodes.contact_solid[a] != CROSSED or not 0 <= which < AT_ONCE:
            continue
        own = is_own(p, wires.crossings)
        b = find_crossing_node(
            wires.crossings.wire[p, 1], nodes.body[a], a if own else -1, wires, nodes
        )
        if b >= 0:
            return a, b
    return -1, -1


@kernel
def neighbour_pull(
    k: int, stiffness: float, velocity: Vector, nodes: Nodes
) -> tuple[float, Vector]:
    """Return h K [kg/s] and the sum of velocities that it weights [N].

    The two spans at node k are added to them.
    """
    for side in range(2):
        span = k - 1 + side
        far = k - 1 + 2 * side
        part = nodes.tension_impulse[span] / max(nodes.length[span], 1e-9)
        stiffness += part
        velocity = axpy(part, wire_node_velocity(far, nodes.bodies.velocity, nodes), velocity)
    return stiffness, velocity


@kernel
def mean_neighbour_velocity(k: int, nodes: Nodes) -> Vector:
    """Return the mean velocity of the neighbours of node k [m/s]."""
    return scale(
        0.5,
        add(
            wire_node_velocity(k - 1, nodes.bodies.velocity, nodes),
            wire_node_velocity(k + 1, nodes.bodies.velocity, nodes),
        ),
    )


@kernel
def predict_crossing(h: float, a: int, b: int, rope: float, nodes_out: Nodes) -> None:
    """Set the free velocity v' and w^(1/2) of the crossing of nodes a and b.

    ``rope`` is the mass of the rope next to it [kg].
    """
    stiffness, pulled = neighbour_pull(a, 0.0, ZERO, nodes_out)
    stiffness, pulled = neighbour_pull(b, stiffness, pulled, nodes_out)
    least = LIGHT * rope
    light = scale(
        0.5 * least,
        add(mean_neighbour_velocity(a, nodes_out), mean_neighbour_velocity(b, nodes_out)),
    )
    mass = h * stiffness + least
    velocity = scale(1.0 / mass, axpy(h, pulled, light))
    shortest = min(
        nodes_out.length[a - 1], nodes_out.length[a], nodes_out.length[b - 1], nodes_out.length[b]
    )
    most = FARTHEST * max(shortest, NARROW)
    for side in range(2):
        k = a if side == 0 else b
        store(velocity, k, nodes_out.velocity)
        nodes_out.line[k, GIVE] = 1.0 / sqrt(mass)
        nodes_out.line[k, MOST] = most


@kernel
def predict_crossings(h: float, wires: WireLines, nodes_out: Nodes) -> None:
    """Call :func:`predict_crossing` for all crossings, before the rows."""
    for p in range(wires.crossings.body.size):
        m = wires.crossings.wire[p, 0]
        n = wires.crossings.wire[p, 1]
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            rope = wires.density[wires.cable[m]] * (
                nodes_out.rest_length[a - 1] + nodes_out.rest_length[a]
            )
            rope += wires.density[wires.cable[n]] * (
                nodes_out.rest_length[b - 1] + nodes_out.rest_length[b]
            )
            predict_crossing(h, a, b, rope, nodes_out)
            a, b = next_crossing(p, a, wires, nodes_out)


@kernel
def span_stiffness(n: int, k: int, wires: WireLines, nodes: Nodes) -> float:
    """Return the part of h K from the new tension of span k [kg/s]."""
    segment = segment_at(n, k, wires, nodes)
    impulse = max(nodes.number[segment, IMPULSE], 0.0)
    if nodes.number[segment, RUBS] > 0.0:
        impulse *= nodes.tension_ratio[k]
    return impulse / max(nodes.length[k], 1e-9)


@kernel
def stiffness_at(n: int, k: int, wires: WireLines, nodes: Nodes) -> float:
    """Return the part of h K from the new tensions on both sides of node k [kg/s]."""
    before = span_stiffness(n, k - 1, wires, nodes)
    return before + span_stiffness(n, k, wires, nodes)


@kernel
def scale_crossing(
    m: int,
    a: int,
    n: int,
    b: int,
    factor: float,
    wires: WireLines,
    nodes: Nodes,
    entry_jacobian_out: Floats,
) -> None:
    """Scale the entries of a crossing, nodes a and b of wires m and n, in the rows of its spans.

    These are up to four rows: a segment ends where its rope sticks, and one may run over both.
    """
    rows = (
        nodes.mark[segment_at(m, a - 1, wires, nodes), ROW],
        nodes.mark[segment_at(m, a, wires, nodes), ROW],
        nodes.mark[segment_at(n, b - 1, wires, nodes), ROW],
        nodes.mark[segment_at(n, b, wires, nodes), ROW],
    )
    for j in range(4):
        is_new = rows[j] >= 0
        for i in range(j):
            is_new &= rows[i] != rows[j]
        if is_new:
            entry = wires.entry_start[rows[j]] + nodes.row_entry[a if j < 2 else b]
            for i in range(6):
                entry_jacobian_out[entry, i] *= factor


@kernel
def stiffen_all(
    h: float,
    wires: WireLines,
    nodes_out: Nodes,
    entry_jacobian_out: Floats,
    next_velocity_out: Floats,
) -> int:
    """Make crossings stiffer whose ropes pull more than before; return their number."""
    changes = 0
    for p in range(wires.crossings.body.size):
        m = wires.crossings.wire[p, 0]
        n = wires.crossings.wire[p, 1]
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            give = nodes_out.line[a, GIVE]
            needed = h * (
                stiffness_at(m, a, wires, nodes_out) + stiffness_at(n, b, wires, nodes_out)
            )
            if needed * give * give > STIFFER:
                changes += 1
                nodes_out.line[a, GIVE] = 1.0 / sqrt(needed)
                nodes_out.line[b, GIVE] = 1.0 / sqrt(needed)
                factor = nodes_out.line[a, GIVE] / give
                body = nodes_out.body[a]
                store(scale(factor, load(next_velocity_out, body)), body, next_velocity_out)
                scale_crossing(m, a, n, b, factor, wires, nodes_out, entry_jacobian_out)
            a, b = next_crossing(p, a, wires, nodes_out)
    return changes


@kernel
def crossing_rate(first: int, last: int, nodes: Nodes) -> float:
    """J v' of the crossings from node ``first`` to node ``last``, the ends of a segment [m/s]."""
    rate = 0.0
    if nodes.contact_solid[first] == CROSSED:
        rate += dot(load(nodes.direction, first), load(nodes.velocity, first))
    for k in range(first + 1, last):
        if nodes.contact_solid[k] == CROSSED:
            rate += dot(
                sub(load(nodes.direction, k), load(nodes.direction, k - 1)), load(nodes.velocity, k)
            )
    if nodes.contact_solid[last] == CROSSED:
        rate -= dot(load(nodes.direction, last - 1), load(nodes.velocity, last))
    return rate


@kernel
def is_met_first(first: int, k: int, nodes: Nodes) -> bool:
    """Return True if no node from ``first`` on stands for the crossing of node k, before it."""
    for i in range(first, k):
        if nodes.contact_solid[i] == CROSSED and nodes.body[i] == nodes.body[k]:
            return False
    return True


@kernel
def scale_entries(
    first: int, last: int, begin: int, nodes: Nodes, entry_jacobian_out: Floats
) -> None:
    """Scale the entries of the crossings from node ``first`` to node ``last`` to w^(1/2) J.

    The entries stand in a row from ``begin`` on. Both nodes of a crossing may be there.
    """
    for k in range(first, last + 1):
        if nodes.contact_solid[k] == CROSSED and is_met_first(first, k, nodes):
            for i in range(6):
                entry_jacobian_out[begin + nodes.row_entry[k], i] *= nodes.line[k, GIVE]


@kernel
def crossing_velocity(h: float, k: int, next_velocity: Floats, nodes: Nodes) -> Vector:
    """Return the velocity of node k, a crossing, after a step of h [m/s]."""
    own = scale(nodes.line[k, GIVE], load(next_velocity, nodes.body[k]))
    own = scale(min(1.0, nodes.line[k, MOST] / max(h * norm(own), 1e-12)), own)
    return add(load(nodes.velocity, k), own)


@kernel
def set_crossing_velocities(
    h: float, n: int, wires: WireLines, next_velocity: Floats, nodes_out: Nodes
) -> None:
    """Set the velocities of the crossings of wire n at the end of the step."""
    c = wires.cable[n]
    for k in range(wires.node_start[c] + 1, wires.node_start[c + 1] - 1):
        if nodes_out.contact_solid[k] == CROSSED:
            store(crossing_velocity(h, k, next_velocity, nodes_out), k, nodes_out.velocity)


@kernel
def advance_crossings(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Advance the crossings of wire n to the end of the step."""
    c = wires.cable[n]
    for k in range(wires.node_start[c] + 1, wires.node_start[c + 1] - 1):
        if nodes_out.contact_solid[k] == CROSSED:
            velocity = load(nodes_out.velocity, k)
            store(axpy(h, velocity, load(nodes_out.point, k)), k, nodes_out.point)
