"""Dry friction of hybrid wires on solids: Coulomb's law at every contact node, across its edge.

*Bound.* m and rho are those of ``node_law.py``, of an edge with the angle alpha by which the rope
turns there. T_in and T_out are the tensions at the node: the spans' own, in their middles, and half
of their weight along them (``weight.py``).

*Stick.* A node where the rope sticks is an endpoint, like a mass (``hybrid.py``): the segments on
both sides have rope and tension of their own. A segment between two such nodes of one body can't
change, and has the tension of its stretch: what sticks does not creep. So has one between them that
slips inside, EA (S - L) / sum w_k L_k of its largest. At the end of a step a node whose tensions
are beyond the bound starts to slip, and with it those behind it that the tension it hands on is too
much for.

*Slip.* A node where it slips is inside a segment, whose tensions are then w_k T, but for its
weight: w_k grows by rho at every node that the rope runs over forwards, and falls by it where it
runs backwards; the largest is 1. The rope of the segment as a whole still is the sum of all, so
that the row's gap and rate are those of a segment without friction, but its impulse acts as sum w_k
h T du_k. The unsymmetric part, (w_k - 1) h T, is taken as an impulse from outside, with the T of
the last round, and all is solved again until T stands (``jamming.py``). For one segment that is a
contraction, because no w_k is above 1; with light masses between many nodes that slip it is none,
and ``mixing.py`` finds the next guess. If T does not stand after all, the step is taken without
this friction, which adds no energy, and its status says so. The compliance of a segment is that of
the rope sum w_k L_k. A node sticks if the rope moved against the assumed direction of friction.

*Flow.* How much rope ran over a node tells by where that of the segment lies afterwards
(``rope_flow.py``).

*Sheaves* with losses hold the rope as contact nodes do.

*The law of the paper* has another m, and slides along edges (``hmr_friction.py``); all else is the
same.

*Mass* of rope goes to masses and ends only: half of what is between two of them to each, whatever
sticks in between.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    BACKWARD,
    CROSSED,
    FORWARD,
    count_nodes,
    holds_rope,
)
from cable_sim.kernels.cables.crossing.crossing_friction import (
    handed_on,
    least_strain,
    level_shift,
    pressed_bound,
)
from cable_sim.kernels.cables.crossing.crossing_rows import GIVE
from cable_sim.kernels.cables.friction.hmr_friction import release_stuck_nodes
from cable_sim.kernels.cables.friction.jamming import (
    find_missed,
    go_halfway_back,
    goes_slack,
    lessen_friction,
)
from cable_sim.kernels.cables.friction.mixing import mix_guesses
from cable_sim.kernels.cables.friction.node_law import node_friction_ratio, tension_ratio
from cable_sim.kernels.cables.hybrid.rope_flow import slips
from cable_sim.kernels.cables.hybrid.segments import (
    APPLIED,
    BEFORE,
    DEMAND,
    GIVES,
    IMPULSE,
    INVERSE,
    MIXED,
    NEXT,
    NODE,
    PART,
    RAN_BACK,
    RUBS,
    end_directions,
    next_node,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import push_body
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.vec3 import Vector, add, dot, load, scale, store
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

BEYOND = 1e-3
"""Part beyond the bound by which tensions make a node slip. A node that has come to rest is at the
bound; so it does not start again at every tremor."""
WELL_WITHIN = 0.99
"""Part of the square of the bound below which tensions need no closer look."""
ROUGH = 110
"""Number of solutions after which nothing slips with friction."""
EXACT = 20
STEADY = 1e-9
NEARLY_STEADY = 1e-6
"""Change of the tension of a slipping segment that counts as standing still, as a part of the
largest one: in that many solutions, and later. Bodies that rub on others leave as much."""


@kernel
def set_tension_ratios(i: int, hmr: bool, nodes_out: Nodes) -> None:
    """Set the weights w_k of the spans of segment i, and RUBS if any is not 1.

    In that case the strains at the start of the step are set as well.
    """
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, NODE]
    nodes_out.number[i, APPLIED] = 0.0
    if not slips(i, nodes_out):
        for k in range(a, b):
            nodes_out.tension_ratio[k] = 1.0
        nodes_out.number[i, GIVES] = 1.0
        nodes_out.number[i, RUBS] = 0.0
        nodes_out.number[i, IMPULSE] = nodes_out.tension_impulse[a]
        return
    weight = 1.0
    most = 1.0
    for k in range(a, b):
        weight *= tension_ratio(k, hmr, nodes_out) if k > a else 1.0
        nodes_out.tension_ratio[k], most = weight, max(most, weight)
    rubs = False
    pulled = 0.0
    given = 0.0
    whole = 0.0
    for k in range(a, b):
        nodes_out.tension_ratio[k] /= most
        rubs |= nodes_out.tension_ratio[k] < 1.0
        rubs |= k > a and level_shift(k, 1.0, nodes_out) != 0.0
        pulled = pulled + nodes_out.tension_impulse[k] * nodes_out.rest_length[k]
        given = given + nodes_out.tension_ratio[k] * nodes_out.rest_length[k]
        whole = whole + nodes_out.rest_length[k]
    nodes_out.number[i, GIVES] = given / whole if rubs and whole > 0.0 else 1.0
    nodes_out.number[i, RUBS] = 1.0 if rubs else 0.0
    nodes_out.number[i, PART] = 1.0
    nodes_out.number[i, RAN_BACK] = 0.0
    nodes_out.number[i, IMPULSE] = pulled / given if given > 0.0 else 0.0
    if rubs:
        least = least_strain(a, b, nodes_out)
        for k in range(a, b):
            path = nodes_out.length[k] - nodes_out.path_offset[k]
            rest = nodes_out.rest_length[k]
            nodes_out.strain[k] = max(path / rest - 1.0, least) if rest > 0.0 else 0.0


@kernel
def set_all_tension_ratios(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Call :func:`set_tension_ratios` for all segments of wire n."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + nodes_out.segment_count[n]):
        set_tension_ratios(i, wires.hmr[n], nodes_out)


@kernel
def push_node(k: int, impulse: Vector, nodes: Nodes, next_velocity_out: Floats) -> None:
    """Apply an impulse [N s] to the body of node k, or to its crossing (``crossing_rows.py``)."""
    if nodes.row_entry[k] < 0:
        return
    impulse = scale(nodes.line[k, GIVE] if nodes.contact_solid[k] == CROSSED else 1.0, impulse)
    push_body(nodes.body[k], load(nodes.arm, k), impulse, nodes.bodies, next_velocity_out)


@kernel
def push_mass(i: int, begin: int, end: int, impulse: Vector, nodes_out: Nodes) -> None:
    """Apply an impulse [N s] to the mass at endpoint i, for which the rows stand."""
    if nodes_out.number[i, INVERSE] == 0.0:
        return
    k = nodes_out.mark[i, NODE]
    change = scale(nodes_out.number[i, INVERSE], impulse)
    store(add(load(nodes_out.velocity, k), change), k, nodes_out.velocity)
    if i < end:
        first, _ = end_directions(i, nodes_out)
        nodes_out.number[i, DEMAND] -= dot(first, change)
    if i > begin:
        _, last = end_directions(i - 1, nodes_out)
        nodes_out.number[i - 1, DEMAND] += dot(last, change)


@kernel
def apply_friction_change(
    n: int, i: int, change: float, wires: WireLines, nodes_out: Nodes, next_velocity_out: Floats
) -> None:
    """Apply the unsymmetric part of friction for a change of the impulse of segment i of wire n.

    It acts on bodies and masses.
    """
    c = wires.cable[n]
    begin = wires.node_start[c]
    end = begin + nodes_out.segment_count[n]
    a = nodes_out.mark[i, NODE]
    last = nodes_out.mark[i + 1, BEFORE]
    for k in range(a, last + 1):
        impulse = scale((nodes_out.tension_ratio[k] - 1.0) * change, load(nodes_out.direction, k))
        far = next_node(i, k, nodes_out)
        push_node(k, impulse, nodes_out, next_velocity_out)
        push_node(far, scale(-1.0, impulse), nodes_out, next_velocity_out)
        if k == a:
            push_mass(i, begin, end, impulse, nodes_out)
            if i == begin and wires.winch[c] >= 0:
                _, ratio = paid_out(c, wires, nodes_out.bodies.position)
                pull = (
                    nodes_out.bodies.inverse_mass[wires.winch[c]]
                    * (nodes_out.tension_ratio[k] - 1.0)
                    * change
                )
                next_velocity_out[wires.winch[c], 0] += ratio * pull
        if k == last:
            push_mass(i + 1, begin, end, scale(-1.0, impulse), nodes_out)


@kernel
def apply_friction(
    n: int, begins: bool, round: int, wires: WireLines, nodes_out: Nodes, next_velocity_out: Floats
) -> bool:
    """Apply the unsymmetric part of friction for the present tensions of wire n.

    Returns whether it is new. It acts on bodies and masses. ``begins`` says that the knowledge of
    earlier guesses no longer holds. After ``ROUGH`` rounds nothing slips with friction.
    """
    gives_up = round == ROUGH
    tolerance = STEADY if round < EXACT else NEARLY_STEADY
    number = nodes_out.number
    begin = wires.node_start[wires.cable[n]]
    end = begin + nodes_out.segment_count[n]
    back = goes_slack(begin, end, number)
    missed = find_missed(begin, end, tolerance, back, number)
    if begins:
        number[begin, MIXED] = -1.0
    if not lessen_friction(begin, end, nodes_out) and not missed:
        return False
    if back and number[begin, MIXED] >= 0.0:
        go_halfway_back(begin, end, number)
    else:
        mix_guesses(begin, end, number)
    for i in range(begin, end):
        if number[i, RUBS] > 0.0:
            guess = 0.0 if gives_up else max(number[i, NEXT], 0.0)
            apply_friction_change(
                n, i, guess - number[i, APPLIED], wires, nodes_out, next_velocity_out
            )
            number[i, APPLIED] = guess
            if gives_up:
                number[i, RUBS] = 0.0
                for k in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, BEFORE] + 1):
                    nodes_out.tension_ratio[k] = 1.0
    return True


@kernel
def node_tensions(k: int, before: int, half_weight: Vector, nodes: Nodes) -> tuple[float, float]:
    """Return the tensions before and behind node k [N s]: those of its spans at its height.

    ``before`` is the span that ends there, ``half_weight`` h rho g / 2 [N s/m]. Rope pulls all
    along a span: the weight of half of it counts up to the tension in its middle.
    """
    come = nodes.tension_impulse[before]
    go = nodes.tension_impulse[k]
    falls = nodes.rest_length[before] * dot(half_weight, load(nodes.direction, before))
    rises = nodes.rest_length[k] * dot(half_weight, load(nodes.direction, k))
    come -= min(max(falls, -come), come)
    go += min(max(rises, -go), go)
    return come, go


@kernel
def may_slip(k: int, come: float, go: float, hmr: bool, nodes: Nodes) -> bool:
    """Return False if the tensions at node k are within Coulomb's bound by far more than rounding.

    With the cosine c of the turn y^2 = mu^2 (1 - c) / 2 = (mu sin(alpha / 2))^2 takes no root, and
    tanh(mu alpha / 2)^2 >= y^2 / (1 + y^2), because sinh(x) >= x.
    """
    if hmr:
        return True
    cosine = dot(load(nodes.direction, k - 1), load(nodes.direction, k))
    more = go - come
    both = go + come
    y = 0.5 * nodes.solids.friction[nodes.contact_solid[k]] ** 2 * (1.0 - cosine)
    return more * more * (1.0 + y) > WELL_WITHIN * both * both * y


@kernel
def start_at(k: int, come: float, go: float, hmr: bool, nodes_out: Nodes) -> bool:
    """Let the rope slip over node k if its tensions are beyond the bound; return whether it
    starts to."""
    if not holds_rope(k, nodes_out):
        return False
    if nodes_out.contact_solid[k] >= 0 and not may_slip(k, come, go, hmr, nodes_out):
        return False
    m = node_friction_ratio(k, hmr, nodes_out)
    held = min(come, go) * (1.0 + m) + pressed_bound(k, nodes_out)
    if m >= 1.0 or max(come, go) * (1.0 - m) <= held * (1.0 + BEYOND):
        return False
    nodes_out.friction_state[k] = BACKWARD if come > go else FORWARD
    return True


@kernel
def start_slipping(first: int, last: int, half_weight: Vector, hmr: bool, nodes_out: Nodes) -> bool:
    """Let the rope slip at nodes ``first`` to ``last`` whose tensions are beyond the bound.

    Returns whether it starts to at any.
    """
    starts = False
    for k in range(first, last + 1):
        if not (holds_rope(k, nodes_out) or nodes_out.friction_state[k] == BACKWARD):
            continue
        come, go = node_tensions(k, k - 1, half_weight, nodes_out)
        starts |= start_at(k, come, go, hmr, nodes_out)
        if nodes_out.friction_state[k] == BACKWARD:
            given = handed_on(k, come, tension_ratio(k, hmr, nodes_out), nodes_out)
            nodes_out.tension_impulse[k] += max(given - go, 0.0)
    raised = False
    for k in range(last, first - 1, -1):
        if not (raised or nodes_out.friction_state[k] == FORWARD):
            continue
        come, go = node_tensions(k, k - 1, half_weight, nodes_out)
        starts |= raised and start_at(k, come, go, hmr, nodes_out)
        raised = False
        if nodes_out.friction_state[k] == FORWARD:
            given = handed_on(k, go, 1.0 / tension_ratio(k, hmr, nodes_out), nodes_out)
            raised = given > come
            nodes_out.tension_impulse[k - 1] += max(given - come, 0.0)
    return starts


@kernel
def update_slipping(h: float, n: int, gravity: Vector, wires: WireLines, nodes_out: Nodes) -> bool:
    """Find where the rope of wire n starts to slip; return whether it does anywhere."""
    c = wires.cable[n]
    starts = False
    half_weight = scale(0.5 * h * wires.density[c], gravity)
    last = wires.node_start[c]
    for k in range(wires.node_start[c], wires.node_start[c + 1]):
        if wires.slots[k] > 0:
            come, go = node_tensions(k, last, half_weight, nodes_out)
            starts |= start_at(k, come, go, wires.hmr[n], nodes_out)
            last = k + count_nodes(k, wires.slots[k], nodes_out)
            starts |= start_slipping(k + 1, last, half_weight, wires.hmr[n], nodes_out)
            if wires.hmr[n]:
                release_stuck_nodes(k + 1, last, nodes_out)
                starts = True  # or may do so along its edge
    return starts
