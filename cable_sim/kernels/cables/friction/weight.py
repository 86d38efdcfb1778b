"""Weight of the rope in a segment that runs over nodes: a solid bears the rope that lies on it.

A segment has one tension T and gives its mass to its two endpoints. Between them its rope goes up
and down, and the nodes it runs over bear some of it. Its rope has the energy V = rho sum L_k phi_k,
L_k the rest length of span k, phi_k = -g . x in the middle of it. As the rope slides freely, L_k
goes with the length l_k, and the forces of V are

    T_k = T + rho (L / S) (phi_k - phi),       S = sum l_k, L = sum L_k, phi = sum L_k phi_k / L,

the tension at every height of a rope at rest with T its mean, which the elastic law asks for, and
half of the weight of every span at each of its ends. Both are known before the rows are solved, so
they are impulses from outside,

    on the node at its beginning   b_k u_k + h rho L_k g / 2,
    on the one at its end         -b_k u_k + h rho L_k g / 2,    b_k = h rho (L / S) (phi_k - phi),

and what the endpoints have of the weight already, h rho L g / 2 each, is taken off them. A winch
feels the tension at its own height, h rho (phi_0 - phi) more. So two sides of a wire over a pulley
pull with their full weights, in spite of one tension and equal masses.

*Rough nodes.* Where rope slips over node n, at the height phi_n, the ratio r_n of ``friction.py``
is that of the tensions at the node, to which the spans on both sides add what their rope between
the middle and the node weighs. With w_k the product of the r_n up to span k, and a *level* z_k in
the place of phi, so that the tension at each height is w_k T + rho (L / S) (phi - z_k), that says

    w_k T + rho (L / S) (phi_n - z_k) = r_n (w_k-1 T + rho (L / S) (phi_n - z_k-1)),
    z_k = phi_n + r_n (z_k-1 - phi_n),        w_k = r_n w_k-1.

So the levels do not depend on T. Each part of rope between rough nodes has one; at a node without
friction it stays the same. The first is free: it tells how much of the tension is T. We take

    sum L_k (phi_k - z_k) = 0,

with which b_k = h rho (L / S) (phi_k - z_k) strains the segment by nothing as a whole: row,
compliance and friction of T stay those of ``friction.py``, and b_k is known before they are solved.
With z_k = A_k + B_k (z_0 - A_0) by the recursion, z_0 = A_0 + sum L_k (phi_k - A_k) / sum L_k B_k;
we set A_0 to the mean phi, which is z_0 without friction. It is the law of Euler and Eytelwein for
a heavy rope, exactly, with the r_n of the turns of the chords.

Where a span would not pull, with the T of the last step, rope slips with less tension than it
weighs. There the b_k of steep nodes may be beyond any bound, and drive the rope: a short span would
have all of the tension that a long one lacks. All levels are the mean phi then, as without
friction. Nodes begin to slip by the tensions at the node as well.

A segment between nodes where rope sticks has its own T and its own mean phi. One that can't change,
FROZEN, has the T of its stretch and the same b_k. If a body of the scene bears it, they cancel; the
world bears it with its weight. In both cases they tell by which tensions its ends begin to slip.

A slack segment is treated alike, but for the tension that masses are judged by, which is zero
(``masses.py``). Not there: what weight across a span adds to the turn at its nodes, about rho L_k g
/ 2 T on each side, and to their friction; friction of faces that a span lies on; in steps whose
friction is given up (``friction.py``), that of T alone is; and inertia of the spans, as if rope
between endpoints had no mass of its own to be accelerated.
"""

from cable_sim.kernels.cables.contact.contact_path import is_slipping
from cable_sim.kernels.cables.crossing.crossing_friction import level_shift
from cable_sim.kernels.cables.friction.friction import push_mass, push_node
from cable_sim.kernels.cables.hybrid.segments import (
    BEFORE,
    FROZEN,
    IMPULSE,
    INVERSE,
    NODE,
    REST,
    ROW,
    RUBS,
    is_stuck,
    next_node,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, load, scale
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines


@kernel
def is_straight(i: int, nodes: Nodes) -> bool:
    """Return True if segment i has one span only."""
    return nodes.mark[i + 1, BEFORE] == nodes.mark[i, NODE]


@kernel
def height(k: int, gravity: Vector, nodes: Nodes) -> float:
    """Return the potential phi of node k [m^2/s^2]."""
    return -dot(gravity, load(nodes.position, k))


@kernel
def middle_height(i: int, k: int, gravity: Vector, nodes: Nodes) -> float:
    """Return phi in the middle of span k of segment i [m^2/s^2]."""
    return 0.5 * (height(k, gravity, nodes) + height(next_node(i, k, nodes), gravity, nodes))


@kernel
def height_of_rope(i: int, gravity: Vector, nodes: Nodes) -> tuple[float, float]:
    """Return phi of the rope of segment i times its length [m^3/s^2], and its way [m]."""
    total = 0.0
    way = 0.0
    before = height(nodes.mark[i, NODE], gravity, nodes)
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
        behind = height(next_node(i, k, nodes), gravity, nodes)
        total += nodes.rest_length[k] * (0.5 * (before + behind))
        way += nodes.length[k]
        before = behind
    return total, way


@kernel
def mean_height(i: int, gravity: Vector, nodes: Nodes) -> tuple[float, float]:
    """Return the mean phi of the rope of segment i [m^2/s^2], and its rope over its way [-].

    Stretched rope is less dense. Slack rope is not taken for denser than taut.
    """
    rest = nodes.number[i, REST]
    total, way = height_of_rope(i, gravity, nodes)
    mean = total / rest if rest > 0.0 else 0.0
    return mean, min(rest / way, 1.0) if way > 0.0 else 0.0


@kernel
def tension_growth(k: int, nodes: Nodes) -> float:
    """Return w_k / w_k-1 at node k [-]: 1 where the rope does not slip."""
    if not is_slipping(k, nodes):
        return 1.0
    return nodes.tension_ratio[k] / nodes.tension_ratio[k - 1]


@kernel
def level_behind(
    k: int, level: float, growth: float, dense: float, gravity: Vector, nodes: Nodes
) -> float:
    """Return the level behind node k, from that before it [m^2/s^2].

    ``dense`` is rho L / S [kg/m].
    """
    here = height(k, gravity, nodes)
    pressed = level_shift(k, growth, nodes) / dense if dense > 0.0 else 0.0
    return here + growth * (level - here) - pressed


@kernel
def all_spans_pull(i: int, level: float, dense: float, step: Vector, nodes: Nodes) -> bool:
    """Return True if w_k h T + b_k > 0 in segment i, with the T of the last step.

    Its first span has this level; ``dense`` is rho L / S [kg/m].
    """
    a = nodes.mark[i, NODE]
    pull = True
    for k in range(a, nodes.mark[i + 1, BEFORE] + 1):
        if k > a:
            growth = tension_growth(k, nodes)
            level = level_behind(k, level, growth, dense, step, nodes)
        weight = dense * (middle_height(i, k, step, nodes) - level)
        pull &= nodes.tension_ratio[k] * nodes.number[i, IMPULSE] + weight > 0.0
    return pull


@kernel
def first_level(i: int, density: float, step: Vector, nodes: Nodes) -> tuple[float, bool, float]:
    """Return first level of segment i [m^2/s^2], True if others differ, and rho L / S [kg/m]."""
    mean, ratio = mean_height(i, step, nodes)
    dense = density * ratio
    if nodes.number[i, RUBS] == 0.0:
        return mean, False, dense
    a = nodes.mark[i, NODE]
    level = mean
    grown = 1.0
    missing = 0.0
    rope = 0.0
    for k in range(a, nodes.mark[i + 1, BEFORE] + 1):
        if k > a:
            growth = tension_growth(k, nodes)
            grown *= growth
            level = level_behind(k, level, growth, dense, step, nodes)
        above = middle_height(i, k, step, nodes) - level
        missing += nodes.rest_length[k] * above
        rope += nodes.rest_length[k] * grown
    first = mean + missing / rope if rope > 0.0 else mean
    rough = all_spans_pull(i, first, dense, step, nodes)
    return first if rough else mean, rough, dense


@kernel
def set_weight_impulses(i: int, density: float, step: Vector, nodes_out: Nodes) -> None:
    """Set the impulses b_k of the spans of segment i; ``step`` is h g [m/s]."""
    a = nodes_out.mark[i, NODE]
    level, rough, dense = first_level(i, density, step, nodes_out)
    for k in range(a, nodes_out.mark[i + 1, BEFORE] + 1):
        if rough and k > a:
            growth = tension_growth(k, nodes_out)
            level = level_behind(k, level, growth, dense, step, nodes_out)
        above = middle_height(i, k, step, nodes_out) - level
        nodes_out.weight_impulse[k] = dense * above


@kernel
def next_mass(i: int, nodes: Nodes) -> int:
    """Return the next endpoint with a mass behind endpoint i: there is none where rope sticks."""
    i += 1
    while is_stuck(i, nodes):
        i += 1
    return i


@kernel
def is_borne(i: int, nodes: Nodes) -> bool:
    """Return True if segment i lies frozen on the world, which bears it."""
    return nodes.mark[i, ROW] == FROZEN and nodes.body[nodes.mark[i, NODE]] == 0


@kernel
def push_endpoint(
    i: int, begin: int, end: int, impulse: Vector, nodes_out: Nodes, next_velocity_out: Floats
) -> None:
    """Apply an impulse [N s] to endpoint i: to its mass, or to the body that holds it."""
    if nodes_out.number[i, INVERSE] > 0.0:
        push_mass(i, begin, end, impulse, nodes_out)
    else:
        push_node(nodes_out.mark[i, NODE], impulse, nodes_out, next_velocity_out)


@kernel
def apply_span_weights(
    i: int,
    begin: int,
    end: int,
    density: float,
    step: Vector,
    nodes_out: Nodes,
    next_velocity_out: Floats,
) -> None:
    """Give the nodes of segment i the weight and the b_k of their spans; ``step`` is h g [m/s],
    ``density`` rho."""
    a = nodes_out.mark[i, NODE]
    last = nodes_out.mark[i + 1, BEFORE]
    for k in range(a, last + 1):
        weight = scale(0.5 * density * nodes_out.rest_length[k], step)
        along = load(nodes_out.direction, k)
        on_first = axpy(nodes_out.weight_impulse[k], along, weight)
        on_last = axpy(-nodes_out.weight_impulse[k], along, weight)
        if k == a:
            push_endpoint(i, begin, end, on_first, nodes_out, next_velocity_out)
        else:
            push_node(k, on_first, nodes_out, next_velocity_out)
        if k == last:
            push_endpoint(i + 1, begin, end, on_last, nodes_out, next_velocity_out)
        else:
            push_node(k + 1, on_last, nodes_out, next_velocity_out)


@kernel
def apply_weight_between(
    left: int,
    right: int,
    begin: int,
    end: int,
    density: float,
    step: Vector,
    nodes_out: Nodes,
    next_velocity_out: Floats,
) -> None:
    """Take the weight of the rope between two masses off them, and apply it where it hangs."""
    borne = 0.0
    for i in range(left, right):
        if not is_straight(i, nodes_out):
            set_weight_impulses(i, density, step, nodes_out)
        if is_borne(i, nodes_out):
            borne += nodes_out.number[i, REST]
            continue
        held = scale(-0.5 * density * nodes_out.number[i, REST], step)
        push_endpoint(left, begin, end, held, nodes_out, next_velocity_out)
        push_endpoint(right, begin, end, held, nodes_out, next_velocity_out)
        apply_span_weights(i, begin, end, density, step, nodes_out, next_velocity_out)
    if borne > 0.0:
        held = scale(-0.5 * density * borne, step)
        push_endpoint(left, begin, end, held, nodes_out, next_velocity_out)
        push_endpoint(right, begin, end, held, nodes_out, next_velocity_out)


@kernel
def apply_winch_pull(
    i: int,
    c: int,
    density: float,
    step: Vector,
    wires: WireLines,
    nodes: Nodes,
    next_velocity_out: Floats,
) -> None:
    """Apply to the winch of cable c the tension at its height.

    Segment i begins at the winch.
    """
    _, ratio = paid_out(c, wires, nodes.bodies.position)
    level, _, _ = first_level(i, density, step, nodes)
    above = height(nodes.mark[i, NODE], step, nodes) - level
    next_velocity_out[wires.winch[c], 0] += (
        nodes.bodies.inverse_mass[wires.winch[c]] * ratio * density * above
    )


@kernel
def apply_segment_weight(
    n: int, gravity: Vector, h: float, wires: WireLines, nodes_out: Nodes, next_velocity_out: Floats
) -> None:
    """Apply the weight of wire n where it hangs.

    Its rows stand. ``weight_impulse`` becomes the impulse b_k.
    """
    c = wires.cable[n]
    step = scale(h, gravity)
    begin = wires.node_start[c]
    density = wires.density[c]
    end = begin + nodes_out.segment_count[n]
    for k in range(begin, wires.node_start[c + 1]):
        nodes_out.weight_impulse[k] = 0.0
    if wires.winch[c] >= 0:
        apply_winch_pull(begin, c, density, step, wires, nodes_out, next_velocity_out)
    left = begin
    while left < end:
        right = next_mass(left, nodes_out)
        if not (is_straight(left, nodes_out) and right - left == 1):
            apply_weight_between(
                left, right, begin, end, density, step, nodes_out, next_velocity_out
            )
        left = right
