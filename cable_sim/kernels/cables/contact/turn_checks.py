"""Spans of taut cables that turn by more in a step than the step can follow.

A light body that is hauled to a sheave, or whirls about it, goes round on a short span: by h v / l
a step, v the velocity of its ends across it. The rows of the step act along the span as it stood.
What they leave too long is 2.5 h v tan(h v / 2 l) of a rope that is rigid for the step
(``rows.py``), and while the turn gets faster or slower the energy of motion differs by up to 2 (h v
/ l)^2 of itself. Both are of second order and go back when the turn does. Beyond TURN the first is
a twelfth of the span, the second an eighth of the energy: where the body goes next, how far the
rope is stretched and what it loses is no longer that of the scene. The status tells so:
SWUNG_ROUND.

Spans on one body turn with that, and pull on nothing beside it; contact nodes glide over their
obstacle.

*Hybrid wires* count on the longer path of a span that turns (``hybrid.py``, b), so that both are of
fourth order. On an even whirl of theta a step a rope that is rigid for the step is left too long by
1.25 theta^4 l (``masses.py``): a twelfth of the span where theta is TURN_OF_WIRE. That is told of
spans that a body is at, also where friction holds the rope on it. Between two masses there is
nothing but rope, whose loose ends whip that fast as a matter of course: by b they keep their speed,
and what they are left too long by is no energy. A wire that resists bending is told of when it is
slack as well: a mass that goes past an eye bends it right back. What goes straight through within a
step turns by half a circle.
"""

from cable_sim.kernels.cables.contact.contact_path import MASSIVE, UNUSED, holds_rope
from cable_sim.kernels.cables.contact.span_stops import FASTEST_SPAN
from cable_sim.kernels.cables.hybrid.segments import BEFORE, NODE, next_node, wire_node_velocity
from cable_sim.kernels.cables.massless.breakage import ON
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN, end_velocities
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import cross, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Lines, Nodes, WireLines
from cable_sim.kernels.records.rows import RowState
from cable_sim.kernels.status import SOLVED, SWUNG_ROUND

TURN = 0.25
"""Largest turn of a taut span in a step before SWUNG_ROUND is set [rad]."""
TURN_OF_WIRE = 0.5
"""Largest turn of a hybrid wire's span in a step before SWUNG_ROUND is set [rad]."""


@kernel
def speed_across(k: int, lines: Lines) -> float:
    """Relative velocity of the ends of span k across it [m/s]."""
    near, far = end_velocities(k, lines.bodies.velocity, lines)
    return norm(cross(load(lines.span_work.direction, k), sub(far, near)))


@kernel
def check_turns(h: float, lines: Lines, row_state: RowState) -> int:
    """Return SWUNG_ROUND if a span turns too far in a step at the present velocities.

    Only cables that pulled in the last step count.
    """
    cables = lines.cables
    node_state = lines.node_state
    longest = h * FASTEST_SPAN / TURN
    for c in range(cables.row.size):
        if (
            cables.row[c] < 0
            or lines.cable_state.attachment[c] != ON
            or row_state.impulse[cables.row[c]] <= 0.0
        ):
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            length = lines.span_work.length[k]
            if (
                length > longest
                or length <= SHORTEST_SPAN
                or node_state.body[k] == node_state.body[k + 1]
            ):
                continue
            if node_state.contact_solid[k] >= 0 or node_state.contact_solid[k + 1] >= 0:
                continue
            if h * speed_across(k, lines) > TURN * length:
                return SWUNG_ROUND
    return SOLVED


@kernel
def is_end_of_span(k: int, nodes: Nodes) -> bool:
    """Return True if the span at node k turns about it: no rope glides over the node."""
    return (
        nodes.contact_solid[k] == MASSIVE
        or nodes.contact_solid[k] == UNUSED
        or holds_rope(k, nodes)
    )


@kernel
def swings_round(
    part: float, h: float, k: int, far: int, acts: bool, body_velocity: Floats, nodes: Nodes
) -> bool:
    """Return True if the span of a hybrid wire from node k to node ``far`` turns by more than
    ``part`` of what is too far.

    A body has to be at the span, and the span has to act.
    """
    length = nodes.length[k]
    near_mass = nodes.contact_solid[k] == MASSIVE
    far_mass = nodes.contact_solid[far] == MASSIVE
    if not near_mass and not far_mass and nodes.body[k] == nodes.body[far]:
        return False
    if not acts or length <= SHORTEST_SPAN or (near_mass and far_mass):
        return False
    if not is_end_of_span(k, nodes) or not is_end_of_span(far, nodes):
        return False
    drift = scale(
        h,
        sub(
            wire_node_velocity(far, body_velocity, nodes),
            wire_node_velocity(k, body_velocity, nodes),
        ),
    )
    along = load(nodes.direction, k)
    most = part * length
    return norm(cross(along, drift)) > TURN_OF_WIRE * most or dot(along, drift) < -most


@kernel
def check_wire_turns(h: float, wires: WireLines, body_velocity: Floats, nodes: Nodes) -> int:
    """Call :func:`check_turns` for the spans of all hybrid wires, which have been measured.

    Those that bend need not pull.
    """
    for n in range(wires.cable.size):
        begin = wires.node_start[wires.cable[n]]
        for i in range(begin, begin + nodes.segment_count[n]):
            for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
                acts = nodes.tension_impulse[k] > 0.0 or wires.rigidity[n] > 0.0
                if swings_round(1.0, h, k, next_node(i, k, nodes), acts, body_velocity, nodes):
                    return SWUNG_ROUND
    return SOLVED
