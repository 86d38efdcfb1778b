"""Segments of hybrid wires: the rope between two endpoints, an end or a mass each
(``hybrid.py``)."""

from cable_sim.kernels.cables.contact.contact_path import (
    CROSSED,
    LANDED,
    MASSIVE,
    SEVERED,
    count_nodes,
    holds_rope,
)
from cable_sim.kernels.cables.contact.resting_nodes import is_span_of_world
from cable_sim.kernels.cables.massless.massless import unstretched_length
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.cables import SpanState
from cable_sim.kernels.records.lines import Nodes, WireLines

REST = 0
PATH = 1
MASS = 2
INVERSE = 3
"""Columns of ``nodes.number``: rest length and path of a segment [m], mass of the endpoint where
it begins [kg], and 1/m of a free one [1/kg]."""
DIAGONAL = 4
DEMAND = 5
OFF = 6
SHARE = 7
FILL = 8
KNOWN = 9
SOFTNESS = 10
TARGET = 11
IMPULSE = 12
"""Columns of a segment's row in the tridiagonal system, of its elimination, its rhs [m/s] and its
impulse [N s]."""
RUBS = 13
APPLIED = 14
APPLIED_BEFORE = 15
MISSED_BEFORE = 16
SLIDE = 17
GIVES = 18
"""Columns of slipping. RUBS: the segment slips over a node. Then the impulse whose friction has
been applied, that of the round before, and how much more came out of that round [N s]. SLIDE:
change of the path by sliding along edges [m]. GIVES: part of its compliance that a segment has at
the largest of its tensions."""
INERTIA = 19
FIRST = 20
SECOND = 21
CHANGE_X = 22
CHANGE_Y = 23
CHANGE_Z = 24
"""Columns of a node in use: its row in the pentadiagonal system of bending [kg], and the change of
its velocity (``flexure.py``)."""
DEPTH = 8
"""Most changes of the guess for APPLIED that are kept."""
MISSED = 25
NEXT = 26
PULLED = 27
MIXED = 28
CHANGES = 29
MISSES = CHANGES + DEPTH
"""Columns of ``mixing.py``: the excess that came out of the present guess, and the next guess [N
s]; whether the segment pulled; the number of known changes, in the row of a wire's first node; and
the first of the columns of these changes."""
LAID = CHANGES + 2 * DEPTH
PART = LAID + 1
LEAST = LAID + 2
MOST = LAID + 3
AT_LEAST = LAID + 4
AT_MOST = LAID + 5
RAN_BACK = LAID + 6
INNER = LAID + 7
MOBILITY = LAID + 8
RATE = LAID + 9
FREE_RATE = LAID + 10
NEXT_RATE = LAID + 11
BEND = LAID + 12
BORDER = LAID + 13
BORDERED = LAID + 14
BETA = LAID + 15
DELTA = LAID + 16
COMMON = LAID + 17
AS_ONE = LAID + 18
COLUMNS = LAID + 19
"""LAID: height of the rope between two masses, as ``weight.height_of_rope`` has it, before contacts
change its path [m^3/s^2] (``wire_contacts.py``). PART: part of its friction that a segment has;
LEAST is the largest that does no work, MOST the least that does, with what friction takes at both,
AT_LEAST and AT_MOST, and with all of it, RAN_BACK [m] (``friction_work.py``). INNER, MOBILITY: J
M^-1 J^T of the masses, and of the bodies as well [1/kg]. RATE: J v + b / h. FREE_RATE: J v of the
masses at the end of a free step, NEXT_RATE with the bodies' and less BEND, b / h [m/s]. BORDER: b_k
of ``taut_runs.py``, BORDERED what elimination makes of it; BETA, DELTA and COMMON, p, are of runs,
in the rows of their first segments. AS_ONE, of the first segment of a wire: 1 if each of its runs
stretched as one rope whose swing the step resolves."""
NODE = 0
BEFORE = 1
ROW = 2
LEFT = 3
PUSHES = 4
USED = 5
RUN = 6
SPARE = 7
MARKS = 8
"""Columns of ``nodes.mark``: the node of an endpoint and the last span before it; the table's
row of the segment that begins there, or TAUT, SLACK or FROZEN; the exposed segment to its left that
elimination couples it with, -1 for none; and whether it pushes as well as it pulls. USED: the nodes
of a wire that are in use, of one that resists bending (``bends.py``). RUN: the first segment of the
run that it is in. SPARE: of that segment, the place of the body that stands for the run's
coordinate, -1 for none (``taut_runs.py``)."""
TAUT = -1
SLACK = -2
FROZEN = -3
LAST = 1e-3
"""Length of rope that a winch leaves outside when its end comes in [m]."""


@kernel
def find_endpoints(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Find the endpoints of wire n."""
    begin = wires.node_start[wires.cable[n]]
    end = wires.node_start[wires.cable[n] + 1] - 1
    i = begin
    k = begin
    before = begin
    while k < end:
        used = count_nodes(k, wires.slots[k], nodes_out)
        for node in range(k, k + used + 1):
            if (
                node == begin
                or nodes_out.contact_solid[node] == MASSIVE
                or holds_rope(node, nodes_out)
            ):
                nodes_out.mark[i, NODE] = node
                nodes_out.mark[i, BEFORE] = before if node == k else node - 1
                i += 1
        before = k + used
        k = k + wires.slots[k] + 1
    nodes_out.mark[i, NODE] = end
    nodes_out.mark[i, BEFORE] = before
    nodes_out.segment_count[n] = i - begin


@kernel
def segment_at(n: int, k: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the segment of wire n that begins at node k, or that has the node inside."""
    i = wires.node_start[wires.cable[n]]
    while nodes.mark[i + 1, NODE] <= k:
        i += 1
    return i


@kernel
def own_node_before(k: int, c: int, wires: WireLines) -> int:
    """Return the cable's own node before room k."""
    first = wires.node_start[c]
    while first + wires.slots[first] < k:
        first += wires.slots[first] + 1
    return first


@kernel
def strand_ends(k: int, c: int, wires: WireLines) -> tuple[int, int]:
    """Return the first and last node of the strand of cable c that node k is in."""
    first = own_node_before(k, c, wires)
    return first, first + wires.slots[first] + 1


@kernel
def next_node(i: int, k: int, nodes: Nodes) -> int:
    """Return the node behind span k of segment i; room that is not in use may be in between."""
    return k + 1 if k < nodes.mark[i + 1, BEFORE] else nodes.mark[i + 1, NODE]


@kernel
def feed_rope(n: int, wires: WireLines, body_position: Floats, nodes_out: Nodes) -> None:
    """Feed the rope that the winch has paid out into the first span, or take in what it wound."""
    c = wires.cable[n]
    if wires.winch[c] < 0:
        return
    begin = wires.node_start[c]
    total = 0.0
    for k in range(begin, wires.node_start[c + 1] - 1):
        total += nodes_out.rest_length[k]
    length = unstretched_length(c, wires, body_position)
    nodes_out.rest_length[begin] = max(nodes_out.rest_length[begin] + (length - total), LAST)


@kernel
def is_stuck(i: int, nodes: Nodes) -> bool:
    """Return True if endpoint i is a contact node, crossing or sheave where the rope sticks.

    It then has no mass.
    """
    k = nodes.mark[i, NODE]
    touches = nodes.contact_solid[k] >= 0 or nodes.contact_solid[k] <= CROSSED
    return touches or nodes.loss[k] > 0.0


@kernel
def is_mass(i: int, nodes: Nodes) -> bool:
    """Return True if endpoint i is a mass: no end on a body, no clamp, and no node that sticks."""
    return nodes.contact_solid[nodes.mark[i, NODE]] == MASSIVE


@kernel
def rope_length(begin: int, end: int, nodes: Nodes) -> float:
    """Return the length of the rope between two endpoints [m]."""
    total = 0.0
    for i in range(begin, end):
        total += nodes.number[i, REST]
    return total


@kernel
def mean_impulse(impulse: Floats, a: int, d: int, nodes: SpanState | Nodes) -> float:
    """Return the mean of spans' impulses over the rope between the nodes a and d [N s].

    For tensions it is the one that stretches the rope.
    """
    total = 0.0
    rope = 0.0
    for k in range(a, d):
        total = total + impulse[k] * nodes.rest_length[k]
        rope = rope + nodes.rest_length[k]
    return total / rope if rope > 0.0 else 0.0


@kernel
def add_twist_length(c: int, begin: int, end: int, nodes_out: Nodes) -> None:
    """Give each segment of wire c its part of the length that twist adds to the rope.

    The segments are those between the endpoints. The length counts as path: the gap of a laid rope
    is L - S - k Omega (``torsion.py``).
    """
    total = rope_length(begin, end, nodes_out)
    for i in range(begin, end):
        nodes_out.number[i, PATH] += nodes_out.twist_length[c] * nodes_out.number[i, REST] / total


@kernel
def measure_segments(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Measure rest lengths and paths of the segments of wire n, and the masses between them."""
    c = wires.cable[n]
    number = nodes_out.number
    begin = wires.node_start[c]
    left = wires.node_start[c]
    end = begin + nodes_out.segment_count[n]
    number[begin, MASS], half = 0.0, 0.5 * wires.density[c]
    for i in range(begin, end):
        rest = 0.0
        path = 0.0
        for k in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, BEFORE] + 1):
            rest = rest + nodes_out.rest_length[k]
            path = path + (nodes_out.length[k] - nodes_out.path_offset[k])
        number[i, REST] = rest
        number[i, PATH] = path
        number[i + 1, MASS] = 0.0
        number[i, GIVES] = 1.0
        number[i, SLIDE] = 0.0
        right = i + 1 if i + 1 == end or not is_stuck(i + 1, nodes_out) else left
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
        add_twist_length(c, begin, end, nodes_out)
    for i in range(begin, end + 1):
        free = nodes_out.contact_solid[nodes_out.mark[i, NODE]] == MASSIVE
        number[i, INVERSE] = 1.0 / number[i, MASS] if free and number[i, MASS] > 0.0 else 0.0


@kernel
def end_directions(i: int, nodes: Nodes) -> tuple[Vector, Vector]:
    """Return the unit vectors of the first and last span of segment i.

    They lead from its first endpoint to its second.
    """
    return load(nodes.direction, nodes.mark[i, NODE]), load(
        nodes.direction, nodes.mark[i + 1, BEFORE]
    )


@kernel
def wire_node_velocity(k: int, body_velocity: Floats, nodes: Nodes) -> Vector:
    """Return the velocity of node k of a hybrid wire [m/s]."""
    if LANDED < nodes.contact_solid[k] <= MASSIVE:
        return load(nodes.velocity, k)
    return point_velocity(body_velocity, nodes.body[k], load(nodes.arm, k))


@kernel
def path_rates(h: float, i: int, body_velocity: Floats, nodes: Nodes) -> tuple[float, float]:
    """Return the rate of the path of segment i by J, and b / h, which a step adds to it [m/s]."""
    straight = 0.0
    bend = 0.0
    here = wire_node_velocity(nodes.mark[i, NODE], body_velocity, nodes)
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
        if is_span_of_world(k, next_node(i, k, nodes), nodes):
            here = ZERO
            continue
        there = wire_node_velocity(next_node(i, k, nodes), body_velocity, nodes)
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
def bend_rate(h: float, i: int, body_velocity: Floats, nodes: Nodes) -> float:
    """Return b / h of segment i [m/s]: its path gets longer by b in a step than J says."""
    _, bend = path_rates(h, i, body_velocity, nodes)
    return bend


@kernel
def is_exposed(i: int, laid: bool, winch: int, begin: int, nodes: Nodes) -> bool:
    """Return True if segment i touches a body that moves, or is the winch's.

    Every segment of a ``laid`` wire turns its ends, too (``torsion.py``).
    """
    first = nodes.mark[i, NODE]
    last = nodes.mark[i + 1, NODE]
    if laid or (winch >= 0 and first == begin) or nodes.row_entry[last] >= 0:
        return True
    for k in range(first, nodes.mark[i + 1, BEFORE] + 1):
        if nodes.row_entry[k] >= 0:
            return True
    return False


@kernel
def is_severed(i: int, nodes: Nodes) -> bool:
    """Return True if there is no rope in segment i (``wire_breakage.py``)."""
    return nodes.friction_state[nodes.mark[i, NODE]] == SEVERED


@kernel
def is_on_solid(k: int, nodes: Nodes) -> bool:
    """Return True if node k is a contact node, or a crossing that lies on a solid."""
    return nodes.contact_solid[k] >= 0 or nodes.contact_solid[k] == LANDED


@kernel
def is_frozen(i: int, winch: int, begin: int, nodes: Nodes) -> bool:
    """Return True if segment i is between two nodes of one body, at one of which the rope sticks.

    Such a segment can't change.
    """
    a = nodes.mark[i, NODE]
    b = nodes.mark[i + 1, NODE]
    if (
        nodes.contact_solid[a] == MASSIVE
        or nodes.contact_solid[b] == MASSIVE
        or (a == begin and winch >= 0)
    ):
        return False
    if not (is_on_solid(a, nodes) or is_on_solid(b, nodes)):
        return False
    for k in range(a + 1, b + 1):
        if nodes.body[k] != nodes.body[a]:
            return False
    return True


@kernel
def resting_impulse(h: float, c: int, i: int, wires: WireLines, nodes: Nodes) -> float:
    """Return the impulse of segment i, which is frozen, from its stretch [N s].

    A rigid segment has no stretch and keeps its impulse.
    """
    rest = nodes.number[i, REST]
    part = nodes.number[i, GIVES]
    gives = wires.compliance_per_length[c] * rest * part
    if gives > 0.0:
        return h * max(nodes.number[i, PATH] - rest, 0.0) / gives
    a = nodes.mark[i, NODE]
    return mean_impulse(nodes.tension_impulse, a, nodes.mark[i + 1, NODE], nodes) / part


@kernel
def segment_path_offset(i: int, nodes: Nodes) -> float:
    """Return the length that the path of segment i is shortened by [m]."""
    total = 0.0
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
        total += nodes.path_offset[k]
    return total


@kernel
def measure_all_segments(wires: WireLines, nodes_out: Nodes) -> None:
    """Find endpoints, rest lengths and paths of all wires, whose nodes are laid."""
    for n in range(wires.cable.size):
        find_endpoints(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
