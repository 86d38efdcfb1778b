"""Contact of hybrid wires with solids, and the update of their nodes at the end of a step.

A wire has the contact nodes of other cables (``contacts.py``), but its own accounts. With the path
S and the rest length L of a segment (``hybrid.py``), a change of the path by dS that contacts make
turns its account E into

    E' = max(E + dS, min(E, 0)),    s = L - S + E',
    E' <- max(E' - s, 0) where both are above zero.

So a detour over a new node pulls no harder than the path before, a shorter path pays back, and no
account above zero makes a segment slack.

*Rope that friction lets go.* A node without friction stands where the path is shortest, and lets go
when the rope is straight: contacts then change the path by what its masses do, and no more.
Friction keeps rope from that, on a detour below a straight line. Where it holds no more, since the
rope lies nearly along its edge or comes off, there is no mass that could take its time. In one step
the path gets shorter and the rope slack, drawn as a straight line. A mean height z higher than
before, its weight has rho g L z more, for which no tension worked. CAME_OFF tells so if z is more
than ``JUMP`` of the rope L between two masses, which stay where they are meanwhile, and if that
rope is slack.

*Crossings* of round ropes turn, and ropes get longer or shorter by that without any force
(``crossing_rows.py``). It goes on accounts as well.

*Torsion.* Neither do contacts change the twist at once (``torsion.keep_twist``).

Order of an update: where wires went through one another, they get crossings. Masses that were not
stable in the step go next, because contacts are not to be judged by where such masses were flung.
Then contact nodes slide, slip, come and go. Last come new masses (``adaptive_resolution.py``), and
crossings go.
"""

from cable_sim.kernels.cables.contact.contact_path import FREE, count_nodes, holds_rope
from cable_sim.kernels.cables.contact.contacts import (
    is_released,
    measure_disturbed_spans,
    refresh_strand,
)
from cable_sim.kernels.cables.contact.near_solids import cover_masses, forget_near
from cable_sim.kernels.cables.contact.sliding import slide_nodes
from cable_sim.kernels.cables.crossing.crossing_layers import has_crossing, settle_all_crossings
from cable_sim.kernels.cables.crossing.crossing_nodes import catch_passages, crosses_any, place_rope
from cable_sim.kernels.cables.friction.friction import update_slipping
from cable_sim.kernels.cables.friction.weight import height_of_rope
from cable_sim.kernels.cables.hybrid.adaptive_resolution import (
    CALM,
    count_masses,
    prune,
    spread_evenly,
)
from cable_sim.kernels.cables.hybrid.mass_moves import add_masses
from cable_sim.kernels.cables.hybrid.masses import push_masses_out
from cable_sim.kernels.cables.hybrid.rope_flow import spread_rope, stop_slipping
from cable_sim.kernels.cables.hybrid.segments import (
    LAID,
    NODE,
    PATH,
    REST,
    RUBS,
    SHARE,
    feed_rope,
    find_endpoints,
    is_stuck,
    measure_segments,
    segment_path_offset,
)
from cable_sim.kernels.cables.hybrid.wire_placement import place_wire
from cable_sim.kernels.cables.stiffness.held_twist import hold_twist
from cable_sim.kernels.cables.stiffness.torsion import keep_twist, line_twist
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, load, norm, store
from cable_sim.kernels.records.lines import Lines, Nodes, WireLines
from cable_sim.kernels.status import CAME_OFF, SOLVED

JUMP = 0.04
"""Part of its length by which contacts may lift slack rope between two masses in a step before
CAME_OFF is set [-]."""


@kernel
def store_paths(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Store the measured paths of wire n."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + nodes_out.segment_count[n]):
        nodes_out.number[i, SHARE] = nodes_out.number[i, PATH]


@kernel
def check_lifts(n: int, checks: bool, gravity: Vector, wires: WireLines, nodes_out: Nodes) -> int:
    """Store the height of the rope of wire n between its masses.

    If it ``checks``, return CAME_OFF where slack rope is too high above what was stored before.
    """
    begin = wires.node_start[wires.cable[n]]
    end = begin + nodes_out.segment_count[n]
    number = nodes_out.number
    flags = SOLVED
    place = begin
    path = 0.0
    rest = 0.0
    height = 0.0
    for i in range(begin, end):
        path += number[i, PATH]
        rest += number[i, REST]
        height += height_of_rope(i, gravity, nodes_out)[0]
        if i + 1 < end and is_stuck(i + 1, nodes_out):
            continue
        lift = height - number[place, LAID]
        if checks and path < rest and lift > JUMP * norm(gravity) * rest * rest:
            flags = CAME_OFF
        number[place, LAID] = height
        place += 1
        path = 0.0
        rest = 0.0
        height = 0.0
    return flags


@kernel
def update_path_offsets(n: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Add the contacts' changes of paths since SHARE was written to the accounts of wire n.

    Returns whether an account changed.
    """
    begin = wires.node_start[wires.cable[n]]
    changed = False
    for i in range(begin, begin + nodes_out.segment_count[n]):
        offset = segment_path_offset(i, nodes_out)
        change = nodes_out.number[i, PATH] - nodes_out.number[i, SHARE]
        due = max(offset + change, min(offset, 0.0))
        slack = nodes_out.number[i, REST] - nodes_out.number[i, PATH] - offset + due
        due = max(due - slack, 0.0) if due > 0.0 and slack > 0.0 else due
        nodes_out.path_offset[nodes_out.mark[i, NODE]] += due - offset
        changed |= due != offset
    return changed


@kernel
def place_turned_wire(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Place wire n, fed by its winch, on the sides of its crossings to which these have turned."""
    if crosses_any(n, wires.crossings) and has_crossing(n, wires, nodes_out):
        find_endpoints(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
        store_paths(n, wires, nodes_out)
        place_rope(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
        update_path_offsets(n, wires, nodes_out)
    feed_rope(n, wires, nodes_out.bodies.position, nodes_out)
    place_wire(n, wires, nodes_out)


@kernel
def update_wire_slipping(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Slide nodes along edges, and let the rope of wire n start or stop slipping over them.

    The wire is measured afterwards. Returns whether anything changed.
    """
    c = wires.cable[n]
    changed = False
    begin = wires.node_start[c]
    for k in range(begin, wires.node_start[c + 1]):
        if (
            holds_rope(k, nodes_out)
            and nodes_out.contact_solid[k] >= 0
            and nodes_out.disturbed[k]
            and is_released(c, k, nodes_out)
        ):
            nodes_out.friction_state[k] = FREE
            changed = True
        if wires.slots[k] > 0:
            count = count_nodes(k, wires.slots[k], nodes_out)
            changed |= slide_nodes(k, count, nodes_out)
            measure_disturbed_spans(c, k, count, nodes_out)
    # before any stops: that is to hold for a step
    changed |= update_slipping(h, n, load(nodes_out.waves.gravity, 0), wires, nodes_out)
    softness = wires.compliance_per_length[c]
    time = wires.damping_time[n]
    lag = time / (h + time) if softness > 0.0 else -1.0
    for i in range(begin, begin + nodes_out.segment_count[n]):
        if nodes_out.number[i, RUBS] > 0.0:
            stop_slipping(i, lag, softness / (h + time), wires.hmr[n], nodes_out)
            changed = True
    if changed:
        find_endpoints(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
    return changed


@kernel
def update_wire_contacts(h: float, n: int, wires: WireLines, edges: bool, nodes_out: Nodes) -> int:
    """Update the contact nodes of wire n, if it has any on ``edges``; return status flags.

    The wire is laid and measured before and afterwards.
    """
    c = wires.cable[n]
    flags = SOLVED
    gravity = load(nodes_out.waves.gravity, 0)
    rubs = wires.has_friction[n] and h > 0.0
    slipped = False
    changed = False
    if rubs and edges:
        check_lifts(n, False, gravity, wires, nodes_out)
    if rubs:
        slipped = update_wire_slipping(h, n, wires, nodes_out)
    store_paths(n, wires, nodes_out)
    for k in range(wires.node_start[c], wires.node_start[c + 1]):
        if edges and wires.slots[k] > 0:
            flag, moved = refresh_strand(h, c, k, wires.slots[k], nodes_out)
            flags |= flag
            changed |= moved
    if changed:
        find_endpoints(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
    if rubs and edges and (slipped or changed):
        flags |= check_lifts(n, True, gravity, wires, nodes_out)
    if update_path_offsets(n, wires, nodes_out):
        measure_segments(n, wires, nodes_out)
    return flags


@kernel
def keep_twist_in_contacts(
    h: float, n: int, wires: WireLines, edges: bool, nodes_out: Nodes, lines_out: Lines
) -> int:
    """Call :func:`update_wire_contacts`, which changes no twist at once; return its flags."""
    c = wires.cable[n]
    twist = line_twist(c, lines_out)
    flags = update_wire_contacts(h, n, wires, edges, nodes_out)
    keep_twist(c, twist, lines_out)
    return flags


@kernel
def bring_unused_nodes(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Bring the nodes of wire n that are not in use to the end of their strand."""
    c = wires.cable[n]
    k = wires.node_start[c]
    while k < wires.node_start[c + 1] - 1:
        after = k + wires.slots[k] + 1
        for node in range(k + 1 + count_nodes(k, wires.slots[k], nodes_out), after):
            if nodes_out.body[node] == nodes_out.body[after]:
                store(load(nodes_out.point, after), node, nodes_out.point)
        k = after


@kernel
def lay_wires(h: float, wires: WireLines, nodes_out: Nodes) -> None:
    """Lay the rope of all wires for the pose, with the winch's rope that is out at that pose.

    Nothing is laid otherwise that is laid for this pose already.
    """
    for n in range(wires.cable.size):
        bring_unused_nodes(n, wires, nodes_out)
        feed_rope(n, wires, nodes_out.bodies.position, nodes_out)
        place_wire(n, wires, nodes_out)
        begin = wires.node_start[wires.cable[n]]
        softness = wires.compliance_per_length[wires.cable[n]]
        for i in range(begin, begin + nodes_out.segment_count[n]):
            spread_rope(h, i, softness, nodes_out)
        measure_segments(n, wires, nodes_out)


@kernel
def keep_masses_out(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Put the masses of wire n, which has been placed, onto the solids that they are in."""
    cover_masses(h, n, wires, nodes_out.bodies, nodes_out)
    if push_masses_out(h, n, wires, nodes_out) > 0:
        place_wire(n, wires, nodes_out)


@kernel
def may_refine(n: int, wires: WireLines, nodes: Nodes) -> bool:
    """Return True if wire n has lost no mass for a while, or has too few of them."""
    return nodes.steps_since_removal[n] >= CALM or count_masses(n, wires, nodes) < wires.least[n]


@kernel
def adapt_masses(h: float, n: int, touches: bool, wires: WireLines, nodes_out: Nodes) -> int:
    """Spread the rope of wire n evenly over its spans, and divide segments that may be divided.

    First masses go that are not stable, where the wire ``touches`` solids. Returns status flags.
    """
    flags = SOLVED
    if touches:
        flags = prune(h, n, wires, nodes_out)
    spread_evenly(h, n, wires, nodes_out)
    if may_refine(n, wires, nodes_out):
        add_masses(h, n, wires, nodes_out)
    return flags


@kernel
def refresh_wires(h: float, wires: WireLines, nodes_out: Nodes, lines_out: Lines) -> int:
    """Update contact nodes of all wires and, with h > 0, their masses; return status flags.

    Masses that were not stable in the step go first: contacts are not to be judged by where they
    were flung.
    """
    flags = catch_passages(h, wires, nodes_out)
    for n in range(wires.cable.size):
        c = wires.cable[n]
        touches = nodes_out.solids.start[c] < nodes_out.solids.start[c + 1]
        if h > 0.0:
            place_turned_wire(n, wires, nodes_out)
            if touches:
                keep_masses_out(h, n, wires, nodes_out)
            nodes_out.steps_since_removal[n] += 1
            flags |= prune(h, n, wires, nodes_out)
        elif touches:
            place_wire(n, wires, nodes_out)
            forget_near(c, nodes_out.near)
        edges = touches and wires.edges[n]
        if edges or wires.has_friction[n]:
            flags |= keep_twist_in_contacts(h, n, wires, edges, nodes_out, lines_out)
        if h > 0.0:
            flags |= adapt_masses(h, n, touches, wires, nodes_out)
            hold_twist(h, c, nodes_out.solids.friction, nodes_out, lines_out)
    return flags | settle_all_crossings(h, wires, nodes_out)
