"""Contact of cables with convex solids: massless nodes that come, slide without friction, and go.

Garcia-Fernandez et al. 2008, section 4.2 (a new pulley on the solid, taken away when the cable
pulls off its normal), with the placing of Servin et al. 2011, section II C (eq. 18: contact nodes
slide along edges to where the path is shortest). At the end of every step, in every strand
(``contact_path.py``) of a cable that may touch something:

1. *Slide.* The contact nodes move on their lines to where the path over them is shortest. The line
   of a node on an edge is the edge; at its end the node goes on along another edge of the same
   corner if the path over that is shorter, and free (``sliding.py``).
2. *Release.* Where the force of the cable on the solid, T (t_out - t_in) with the tangents t of the
   rope and the weight of the rope next to it, does not press against the outward normal any more,
   and the line from the node before to the node behind is free, the node goes. On an edge and in a
   corner the normal is the sum of those of the faces that meet there. One of two nodes that have
   met at a corner goes if the other serves for both, there or on another edge of the corner.
3. *Catch.* A span whose cylinder, of the radius of its curve, reaches a solid is looked at as a
   line, and if it oscillates element by element. A line that goes through the solid gets a node on
   the edge that is deepest on the side where it went in; a curve that dips into a face gets one on
   the face, which may slide sideways only (``contact_detection.py``).

*Energy.* The path S(q) over nodes that stand where it is shortest has the gradient that the stretch
row uses, with the nodes taken as fixed points of their bodies: the derivative along the way they
slide is zero. So sliding is conservative. But a node comes when the cable is in the solid already,
and the path gets longer by the detour at once, which would stretch the rope for nothing. Each
strand therefore keeps an account E >= 0 that its path is shortened by: what an update lengthens the
path by is added, what it shortens it by is paid back,

    E <- max(0, E + dS),      so that S - E, which the stretch row sees, never grows.

Where the curve has a mass, its point comes to rest on the solid, which pays for the detour first
(``path_accounts.py``).

*Who is looked at.* Nodes and spans that nothing disturbs are left alone (``resting_nodes.py``).

*Fast cables.* All this looks at poses. A span that goes farther in a step than its solid is thick
gets a node on the edge that it met first on the way (``swept_edges.py``), from which the rest is
found as always.

*Friction* of hybrid wires: ``friction.py``; of all others: ``grips.py``.

Not modelled: the thickness of the touching part. A solid's corner that both spans of a
node leave in the same step is found one step later. With no room left for another node the cable
stays in the solid, which is reported by the status CONTACTS_FULL. What ends in a solid:
``buried_ends.py``.
"""

from cable_sim.kernels.cables.contact.contact_detection import add_contacts
from cable_sim.kernels.cables.contact.contact_path import (
    FREE,
    can_oscillate,
    count_nodes,
    disturb,
    holds_rope,
    measure_span,
    place_strand,
    remove_node,
    straighten_span,
)
from cable_sim.kernels.cables.contact.near_solids import forget_near
from cable_sim.kernels.cables.contact.path_accounts import store_paths, update_path_offsets
from cable_sim.kernels.cables.contact.polyhedron import bearing_normal, is_clear, is_supported
from cable_sim.kernels.cables.contact.resting_nodes import is_undisturbed_span, mark_ends_of_runs
from cable_sim.kernels.cables.contact.sliding import (
    edge_of,
    find_replacement,
    point_in_body,
    slide_nodes,
)
from cable_sim.kernels.cables.elevation.slopes import end_forces
from cable_sim.kernels.cables.massless.breakage import ON
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, add, dot, load, norm, scale, sub
from cable_sim.kernels.records.cables import Cables, CableState, Spans
from cable_sim.kernels.records.lines import Nodes
from cable_sim.kernels.status import SOLVED

PRESSING = 1e-9
"""Part of the tension that presses a node on at least; less is a straight line but for rounding."""
ROUNDS = 4
"""Most rounds of releasing and catching."""


@kernel
def span_forces(c: int, k: int, tension: float, nodes: Nodes) -> tuple[Vector, Vector]:
    """Return the forces of the span from node k on its two nodes [N].

    Each has the weight of half an interval.
    """
    along = scale(tension, load(nodes.direction, k))
    if not nodes.waves.active[k]:
        return along, scale(-1.0, along)
    start, end = end_forces(
        k,
        nodes.waves.kind[c],
        tension,
        nodes.waves.density[c],
        load(nodes.waves.gravity, 0),
        nodes.waves,
    )
    return add(along, start), sub(end, along)


@kernel
def is_pulled_off(c: int, k: int, normal: Vector, nodes: Nodes) -> bool:
    """Return True if the forces of the spans no longer press contact node k onto its solid.

    ``normal`` is the outward normal at the node in the world.
    """
    tension = nodes.waves.tension[k]
    _, before = span_forces(c, k - 1, tension, nodes)
    after, _ = span_forces(c, k, tension, nodes)
    return dot(add(before, after), normal) >= -PRESSING * tension


@kernel
def is_released(c: int, k: int, nodes: Nodes) -> bool:
    """Return True if contact node k no longer holds the cable off its solid.

    Straight spans are judged by their kink, and by the line between their ends. Where that line is
    clear of the faces at the node, the rope turns back in one of them. Oscillating spans are judged
    by the forces. But a slack rope pulls at nothing: there the kink of the chords must be gone as
    well.
    """
    b = nodes.body[k]
    t = nodes.contact_solid[k]
    e = edge_of(k, nodes)
    p = load(nodes.point, k)
    turn = load_quaternion(nodes.bodies.orientation, b)
    kink = rotate_back(turn, sub(load(nodes.direction, k), load(nodes.direction, k - 1)))
    normal, most = bearing_normal(nodes.solids, t, e, p, kink)
    straight = dot(kink, normal) >= -PRESSING
    waving = nodes.waves.active[k] or nodes.waves.active[k - 1]
    if not waving and most < -PRESSING:
        return False
    if waving and not is_pulled_off(c, k, rotate(turn, normal), nodes):
        return False
    start = point_in_body(nodes.bodies, b, load(nodes.position, k - 1))
    end = point_in_body(nodes.bodies, b, load(nodes.position, k + 1))
    if not waving:
        return not is_supported(nodes.solids, t, e, p, start, end) or (
            straight and is_clear(nodes.solids, t, start, end)
        )
    weight = (
        nodes.waves.density[c]
        * norm(load(nodes.waves.gravity, 0))
        * (nodes.length[k - 1] + nodes.length[k])
    )
    return straight if nodes.waves.tension[k] < weight else is_clear(nodes.solids, t, start, end)


@kernel
def release_nodes(c: int, first: int, slots: int, nodes_out: Nodes) -> int:
    """Take the nodes that the cable comes off out of a strand; return their number.

    One of two nodes that have met goes as well.
    """
    k = first + 1
    count = count_nodes(first, slots, nodes_out)
    left = count
    while k <= first + count:
        if (
            nodes_out.contact_solid[k] >= 0
            and nodes_out.disturbed[k]
            and not holds_rope(k, nodes_out)
            and (find_replacement(c, k, nodes_out) >= 0 or is_released(c, k, nodes_out))
        ):
            remove_node(c, k, count, first, slots, nodes_out)
            count -= 1
        else:
            k += 1
    return left - count


@kernel
def measure_disturbed_spans(c: int, first: int, count: int, nodes_out: Nodes) -> None:
    """Measure the spans of a strand that a disturbed node is at."""
    for k in range(first, first + count + 1):
        if not is_undisturbed_span(k, nodes_out):
            measure_span(c, k, nodes_out)


@kernel
def refresh_strand(h: float, c: int, first: int, slots: int, nodes_out: Nodes) -> tuple[int, bool]:
    """Slide, release and catch in one strand after a step of h.

    The strand has been laid, and its disturbed nodes are marked. Returns status flags, and whether
    the path is another one now.
    """
    count = count_nodes(first, slots, nodes_out)
    flags = SOLVED
    changed = slide_nodes(first, count, nodes_out)
    measure_disturbed_spans(c, first, count, nodes_out)
    for i in range(ROUNDS):
        left = release_nodes(c, first, slots, nodes_out)
        sweeps = h > 0.0 and i == 0  # what was passed and let go again is not to come back
        new, flags = add_contacts(h, sweeps, c, first, slots, nodes_out)
        if left + new == 0:
            break
        changed = True
    return flags, changed


@kernel
def free_released_nodes(c: int, first: int, count: int, nodes_out: Nodes) -> None:
    """Free the nodes of a strand whose friction holds a rope that comes off."""
    for k in range(first + 1, first + count + 1):
        if holds_rope(k, nodes_out) and nodes_out.disturbed[k] and is_released(c, k, nodes_out):
            nodes_out.friction_state[k] = FREE


@kernel
def update_strand(h: float, c: int, first: int, slots: int, nodes_out: Nodes) -> int:
    """Update the contact nodes of one strand at the end of a step of h; return status flags.

    The strand has been placed.
    """
    mark_ends_of_runs(first, slots, nodes_out)
    for k in range(first, first + slots + 1):
        if nodes_out.waves.active[k]:
            disturb(k, k + 2, nodes_out)
    inside = count_nodes(first, slots, nodes_out)
    free_released_nodes(c, first, inside, nodes_out)
    store_paths(c, first, slots, nodes_out)
    flags, _ = refresh_strand(h, c, first, slots, nodes_out)
    for k in range(first, first + slots + 1):
        wave = can_oscillate(c, k, nodes_out)
        if nodes_out.waves.active[k] and not wave:
            straighten_span(k, nodes_out.waves)
        nodes_out.waves.active[k] = wave
    if inside + count_nodes(first, slots, nodes_out) > 0:
        update_path_offsets(c, first, slots, nodes_out)
    return flags


@kernel
def update_contacts(
    h: float, cables: Cables, cable_state: CableState, spans: Spans, nodes_out: Nodes
) -> int:
    """Update the contact nodes of all cables except hybrid wires after a step of h; return flags.

    Cables that are off are left out, too.
    """
    flags = SOLVED
    for c in range(nodes_out.solids.start.size - 1):
        if nodes_out.solids.start[c] == nodes_out.solids.start[c + 1] or cables.wire[c]:
            continue
        if cable_state.attachment[c] != ON:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1]):
            if spans.slots[k] > 0:
                place_strand(c, k, spans.slots[k], nodes_out)
        forget_near(c, nodes_out.near)
        for k in range(cables.node_start[c], cables.node_start[c + 1]):
            if spans.slots[k] > 0:
                flags |= update_strand(h, c, k, spans.slots[k], nodes_out)
    return flags
