"""Pieces of hybrid wires: the rope between two holders, an end or a mass each (``hybrid.py``)."""

from math import sqrt
from typing import Any, NamedTuple

from cable_sim.kernels.bodies import point_velocity
from cable_sim.kernels.cables.contact_path import (
    BAR,
    FREE,
    MASSIVE,
    SEVERED,
    holds,
    lay,
    nodes_inside,
)
from cable_sim.kernels.cables.massless import unstretched_length
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import axpy, dot, load, norm, scale, sub

REST = 0
PATH = 1
MASS = 2
INVERSE = 3
"""Columns of ``Pieces.number``: rest length and path of a piece [m], mass of the holder where it
begins [kg], and 1/m of a free one [1/kg]."""
DIAGONAL = 4
DEMAND = 5
OFF = 6
SHARE = 7
FILL = 8
KNOWN = 9
SOFTNESS = 10
TARGET = 11
IMPULSE = 12
"""Columns of a piece's row in the tridiagonal system, of its elimination, its rhs [m/s] and its
impulse [N s]."""
RUBS = 13
APPLIED = 14
APPLIED_BEFORE = 15
MISSED_BEFORE = 16
SLIDE = 17
GIVES = 18
"""Columns of slipping. RUBS: the piece slips over a node. Then the impulse whose friction has been
applied, that of the round before, and how much more came out of that round [N s]. SLIDE: change of
the path by sliding along edges [m]. GIVES: part of its compliance that a piece has at the largest
of its tensions."""
INERTIA = 19
FIRST = 20
SECOND = 21
CHANGE_X = 22
CHANGE_Y = 23
CHANGE_Z = 24
"""Columns of a holder: its row in the pentadiagonal system of bending [kg], and the change of its
velocity (``flexure.py``)."""
DEPTH = 8
"""Most changes of the guess for APPLIED that are kept."""
MISSED = 25
NEXT = 26
PULLED = 27
MIXED = 28
CHANGES = 29
MISSES = CHANGES + DEPTH
COLUMNS = CHANGES + 2 * DEPTH
"""Columns of ``mixing.py``: the excess that came out of the present guess, and the next guess [N
s]; whether the piece pulled; the number of known changes, in the row of a wire's first node; and
the first of the columns of these changes."""
NODE = 0
BEFORE = 1
ROW = 2
LEFT = 3
PUSHES = 4
MARKS = 5
"""Columns of ``Pieces.mark``: the node of a holder and the last span before it; the table's row of
the piece that begins there, or TAUT, SLACK or FROZEN; the exposed piece to its left that
elimination couples it with, -1 for none; and whether it pushes as well as it pulls."""
TAUT = -1
SLACK = -2
FROZEN = -3
DRAWN = 1e-12
"""Part of its rope that the path of a piece may be short by when it becomes a bar: rounding."""
LAST = 1e-3
"""Length of rope that a winch leaves outside when its end comes in [m]."""


class Wires(NamedTuple):
    """Constants of hybrid wires.

    From ``node_start`` on the arrays are those of cables, except ``layer`` and ``slots``. ``hmr``
    and ``damping_time`` [s] are of wires again. ``hmr`` marks wires with the friction law of
    ``hmr_friction.py``.
    """

    cable: Any
    node_start: Any
    density: Any
    winch: Any
    length: Any
    layer_start: Any
    layer: Any
    compliance_per_length: Any
    torque_arm: Any
    slots: Any
    hmr: Any
    damping_time: Any


class Pieces(NamedTuple):
    """Scratch of the pieces of each wire, from the row of its first node on; see the columns above.

    ``unlaid`` is the length that twist adds to each cable [m].
    """

    count: Any
    unlaid: Any
    mark: Any
    number: Any
    weight: Any
    lift: Any


@kernel
def outline(n, wires, nodes, pieces_out):
    """Find the holders of wire n."""
    begin = wires.node_start[wires.cable[n]]
    end = wires.node_start[wires.cable[n] + 1] - 1
    i = begin
    k = begin
    before = begin
    while k < end:
        used = nodes_inside(k, wires.slots[k], nodes)
        for node in range(k, k + used + 1):
            if node == begin or nodes.touch[node] == MASSIVE or holds(node, nodes):
                pieces_out.mark[i, NODE] = node
                pieces_out.mark[i, BEFORE] = node - 1
                i += 1
        before = k + used
        k = k + wires.slots[k] + 1
    pieces_out.mark[i, NODE] = end
    pieces_out.mark[i, BEFORE] = before
    pieces_out.count[n] = i - begin


@kernel
def piece_of(n, k, wires, pieces):
    """Return the piece of wire n that begins at node k, or that has the node inside."""
    i = wires.node_start[wires.cable[n]]
    while pieces.mark[i + 1, NODE] <= k:
        i += 1
    return i


@kernel
def behind(i, k, pieces):
    """Return the node behind span k of piece i; room that is not in use may be in between."""
    return k + 1 if k < pieces.mark[i + 1, BEFORE] else pieces.mark[i + 1, NODE]


@kernel
def feed(n, wires, body_position, nodes_out):
    """Feed the rope that the winch has paid out into the first span, or take in what it wound."""
    c = wires.cable[n]
    if wires.winch[c] < 0:
        return
    begin = wires.node_start[c]
    total = 0.0
    for k in range(begin, wires.node_start[c + 1] - 1):
        total += nodes_out.rest[k]
    length = unstretched_length(
        wires.winch, wires.length, wires.layer_start, wires.layer, c, body_position
    )
    nodes_out.rest[begin] = max(nodes_out.rest[begin] + (length - total), LAST)


@kernel
def is_stuck(i, nodes, pieces):
    """Return True if holder i is a contact node where the rope sticks: it has no mass."""
    return nodes.touch[pieces.mark[i, NODE]] >= 0


@kernel
def unlay(c, begin, end, pieces_out):
    """Give each piece of wire c its part of the length that twist adds to the rope.

    The pieces are those between the holders. The length counts as path: the gap of a laid rope is L
    - S - k Omega (``torsion.py``).
    """
    total = 0.0
    for i in range(begin, end):
        total += pieces_out.number[i, REST]
    for i in range(begin, end):
        pieces_out.number[i, PATH] += pieces_out.unlaid[c] * pieces_out.number[i, REST] / total


@kernel
def measure(n, wires, nodes, pieces_out):
    """Measure rest lengths and paths of the pieces of wire n, and the masses between them."""
    c = wires.cable[n]
    number = pieces_out.number
    begin = wires.node_start[c]
    left = wires.node_start[c]
    end = begin + pieces_out.count[n]
    number[begin, MASS], half = 0.0, 0.5 * wires.density[c]
    for i in range(begin, end):
        rest = 0.0
        path = 0.0
        for k in range(pieces_out.mark[i, NODE], pieces_out.mark[i + 1, NODE]):
            rest = rest + nodes.rest[k]
            path = path + nodes.length[k] - nodes.excess[k]
        number[i, REST] = rest
        number[i, PATH] = path
        number[i + 1, MASS] = 0.0
        number[i, GIVES] = 1.0
        number[i, SLIDE] = 0.0
        right = i + 1 if i + 1 == end or not is_stuck(i + 1, nodes, pieces_out) else left
        number[left, MASS] += half * rest
        if right == left:
            continue
        between = 0.0
        for j in range(left, right):
            between += number[j, REST]
        number[right, MASS] = half * between
        left = right
    number[end, REST] = 0.0
    number[end, PATH] = 0.0
    if wires.torque_arm[c] != 0.0:
        unlay(c, begin, end, pieces_out)
    for i in range(begin, end + 1):
        free = nodes.touch[pieces_out.mark[i, NODE]] == MASSIVE
        number[i, INVERSE] = 1.0 / number[i, MASS] if free and number[i, MASS] > 0.0 else 0.0


@kernel
def directions(i, nodes, pieces):
    """Unit vectors of the first and last span of piece i, from its first holder to its second."""
    return load(nodes.direction, pieces.mark[i, NODE]), load(
        nodes.direction, pieces.mark[i + 1, BEFORE]
    )


@kernel
def velocity_of(k, body_velocity, nodes):
    """Velocity of node k [m/s]."""
    if nodes.touch[k] <= MASSIVE:
        return load(nodes.velocity, k)
    return point_velocity(body_velocity, nodes.body[k], load(nodes.arm, k))


@kernel
def path_rates(h, i, body_velocity, nodes, pieces):
    """Return the rate of the path of piece i by J, and b / h, which a step adds to it [m/s]."""
    straight = 0.0
    bend = 0.0
    here = velocity_of(pieces.mark[i, NODE], body_velocity, nodes)
    for k in range(pieces.mark[i, NODE], pieces.mark[i + 1, BEFORE] + 1):
        there = velocity_of(behind(i, k, pieces), body_velocity, nodes)
        if nodes.length[k] > 0.0:
            along = load(nodes.direction, k)
            drift = sub(there, here)
            ahead = axpy(h, drift, scale(nodes.length[k], along))
            opening = dot(along, drift)
            straight += opening
            bend += (norm(ahead) - nodes.length[k]) / h - opening
        here = there
    return straight, bend


@kernel
def bend_rate(h, i, body_velocity, nodes, pieces):
    """Return b / h of piece i [m/s]: its path gets longer by b in a step than J says."""
    _, bend = path_rates(h, i, body_velocity, nodes, pieces)
    return bend


@kernel
def is_exposed(i, winch, begin, nodes, pieces):
    """Return True if piece i touches a body that moves, or is the winch's."""
    first = pieces.mark[i, NODE]
    last = pieces.mark[i + 1, NODE]
    exposed = winch >= 0 and first == begin
    for k in range(first, last + 1):
        exposed |= nodes.slot[k] >= 0
    return exposed


@kernel
def is_severed(i, nodes, pieces):
    """Return True if there is no rope in piece i (``wire_breakage.py``)."""
    return nodes.slip[pieces.mark[i, NODE]] == SEVERED


@kernel
def is_frozen(i, winch, begin, nodes, pieces):
    """Return True if piece i is between two nodes of one body, at one of which the rope sticks.

    Such a piece can't change.
    """
    a = pieces.mark[i, NODE]
    b = pieces.mark[i + 1, NODE]
    if nodes.touch[a] == MASSIVE or nodes.touch[b] == MASSIVE or (a == begin and winch >= 0):
        return False
    frozen = nodes.touch[a] >= 0 or nodes.touch[b] >= 0
    for k in range(a + 1, b + 1):
        frozen &= nodes.body[k] == nodes.body[a]
    return frozen


@kernel
def may_push(i, rigidity, nodes, pieces):
    """Return True if piece i is a straight span next to a mass, and lies on no solid.

    The ``rigidity`` EI of its wire must not be zero.
    """
    a = pieces.mark[i, NODE]
    b = pieces.mark[i + 1, NODE]
    if (
        rigidity == 0.0
        or pieces.mark[i + 1, BEFORE] != a
        or nodes.touch[a] >= 0
        or nodes.touch[b] >= 0
    ):
        return False
    return nodes.touch[a] == MASSIVE or nodes.touch[b] == MASSIVE


@kernel
def is_bar(i, nodes, pieces):
    """Return True if piece i, of one span, pushes as well as it pulls."""
    return (
        pieces.mark[i + 1, BEFORE] == pieces.mark[i, NODE]
        and nodes.slip[pieces.mark[i, NODE]] == BAR
    )


@kernel
def folds(gap, rigidity, softness):
    """Return True if a bar that is compressed by ``gap`` [m] folds (``flexure.py``).

    ``softness`` is 1/EA [1/N].
    """
    return softness > 0.0 and gap > 2.0 * sqrt(rigidity * softness)


@kernel
def stiffen(i, rigidity, softness, pieces, nodes_out):
    """Let piece i become a bar when it is taut, and fold when it is compressed too much.

    The piece has been measured. Returns whether it is a bar.
    """
    a = pieces.mark[i, NODE]
    gap = pieces.number[i, REST] - pieces.number[i, PATH]
    stiff = may_push(i, rigidity, nodes_out, pieces)
    if stiff and gap <= DRAWN * pieces.number[i, REST]:
        nodes_out.slip[a] = BAR
    if nodes_out.slip[a] == BAR and (folds(gap, rigidity, softness) or not stiff):
        nodes_out.slip[a] = FREE
    return nodes_out.slip[a] == BAR


@kernel
def account(i, nodes, pieces):
    """Return the length that the path of piece i is shortened by [m]."""
    total = 0.0
    for k in range(pieces.mark[i, NODE], pieces.mark[i + 1, NODE]):
        total += nodes.excess[k]
    return total


@kernel
def measure_all(wires, nodes, pieces_out):
    """Find holders, rest lengths and paths of all wires, whose nodes are laid."""
    for n in range(wires.cable.size):
        outline(n, wires, nodes, pieces_out)
        measure(n, wires, nodes, pieces_out)


@kernel
def lay_wire(n, wires, bodies, pieces_out, nodes_out, waves_out):
    """Lay nodes, spans and pieces of wire n at the present pose."""
    c = wires.cable[n]
    for k in range(wires.node_start[c], wires.node_start[c + 1]):
        if wires.slots[k] > 0:
            lay(c, k, wires.slots[k], bodies, nodes_out, waves_out)
    outline(n, wires, nodes_out, pieces_out)
    measure(n, wires, nodes_out, pieces_out)
