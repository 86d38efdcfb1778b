"""Flow of the rope of hybrid wires over the nodes of a segment.

How much rope ran over a node where it slips (``friction.py``) tells by where that of the segment
lies afterwards. Its damping is the material's: with the strain e_k of each span, e_k' that of the
step before, EA (e_k + gamma (e_k - e_k') / h) = w_k T + b_k / h, b_k as in ``weight.py``, so that

    e_k = q e_k' + w_k c + (1 - q) b_k / (h EA),    q = gamma / (h + gamma),
    c = (S - L - q sum L_k e_k') / sum w_k L_k,

c from the sum of all, the stretch of the segment, to which b_k adds nothing. Each span has the rope
L_k = S_k / (1 + e_k), all together L. Strains that followed the tensions T_k at once would make
rope run to and fro with every change of T's viscous part: nodes stick and slip in turn, and what
brakes the load each time they stick is beyond Coulomb's bound.

*Slack.* Rope that slips until its segment is slack goes no farther than it was drawn: with n_k =
max(S_k - L_k, 0) short of its way and m_k = max(L_k - S_k, 0) to spare in each span,

    L_k <- L_k + n_k - m_k sum n / sum m.

A loop that lies behind a node would jump over it otherwise, up to its middle and in one step, and
be lifted without work.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    BACKWARD,
    FORWARD,
    GLIDING,
    STUCK,
    is_slipping,
)
from cable_sim.kernels.cables.hybrid.segments import BEFORE, NODE, RAN_BACK, REST, mean_impulse
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.lines import Nodes

EVENLY = 0.5
"""Part of a rope's length below which its path leaves it slack."""


@kernel
def slips(i: int, nodes: Nodes) -> bool:
    """Return True if the rope of segment i slips over a node."""
    found = False
    for k in range(nodes.mark[i, NODE] + 1, nodes.mark[i + 1, BEFORE] + 1):
        found |= is_slipping(k, nodes)
    return found


@kernel
def spread_rope(h: float, i: int, softness: float, nodes_out: Nodes) -> None:
    """Lay the rope of segment i as its tensions strain it, unless friction decides.

    ``softness`` is 1/EA [1/N].
    """
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, BEFORE] + 1
    total = 0.0
    if b == a + 1:
        nodes_out.rest_length[a] = nodes_out.number[i, REST]
        return
    if slips(i, nodes_out):
        return
    strain_per_pull = softness / h
    for k in range(a, b):
        nodes_out.rest_length[k] = nodes_out.length[k] / (
            1.0 + strain_per_pull * nodes_out.tension_impulse[k]
        )
        total += nodes_out.rest_length[k]
    share = nodes_out.number[i, REST] / total if total > SHORTEST_SPAN else 0.0
    for k in range(a, b):
        nodes_out.rest_length[k] *= share
    if total <= SHORTEST_SPAN:
        nodes_out.rest_length[a] = nodes_out.number[i, REST]


@kernel
def span_way(k: int, nodes: Nodes) -> float:
    """Return the way of the rope of span k, without what its account has to be shortened by [m]."""
    return nodes.length[k] - nodes.path_offset[k]


@kernel
def fill_slack_lengths(i: int, nodes_out: Nodes) -> bool:
    """Find the lengths L_k of the rope of segment i, which slipped and is slack.

    The lengths take the place of the strains. Returns False for a segment without rope to spare.
    """
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, NODE]
    needed = 0.0
    spare = 0.0
    for k in range(a, b):
        more = nodes_out.rest_length[k] - span_way(k, nodes_out)
        needed += max(-more, 0.0)
        spare += max(more, 0.0)
    if spare < needed or spare <= 0.0:
        return False
    for k in range(a, b):
        more = nodes_out.rest_length[k] - span_way(k, nodes_out)
        nodes_out.strain[k] = nodes_out.rest_length[k] - (
            more * (needed / spare) if more > 0.0 else more
        )
    return True


@kernel
def slipping_length_factor(
    i: int, lag: float, strain_per_impulse: float, nodes_out: Nodes
) -> float:
    """Find the lengths L_k of the rope of segment i, which slips, up to a factor; return the
    factor.

    The lengths take the place of the strains. ``lag`` is q, ``strain_per_impulse`` (1 - q) / h EA
    [1/N s]. The rope of a rigid segment, with ``lag`` < 0, lies evenly.
    """
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, NODE]
    kept = 0.0
    shared = 0.0
    path = 0.0
    total = 0.0
    for k in range(a, b):
        kept += nodes_out.rest_length[k] * max(lag, 0.0) * nodes_out.strain[k]
        shared += nodes_out.rest_length[k] * nodes_out.tension_ratio[k]
        path += span_way(k, nodes_out)
    rest = nodes_out.number[i, REST]
    even = lag < 0.0 or shared <= 0.0 or path < EVENLY * rest
    common = 0.0 if even else (path - rest - kept) / shared
    for k in range(a, b):
        strain = 0.0
        if not even:
            strain = lag * nodes_out.strain[k] + nodes_out.tension_ratio[k] * common
            strain = max(strain + strain_per_impulse * nodes_out.weight_impulse[k], EVENLY - 1.0)
        nodes_out.strain[k] = span_way(k, nodes_out) / (1.0 + strain)
        total += nodes_out.strain[k]
    return rest / total if total > SHORTEST_SPAN else 0.0


@kernel
def stop_slipping(
    i: int, lag: float, strain_per_impulse: float, hmr: bool, nodes_out: Nodes
) -> None:
    """Let the rope of segment i run as its tensions strain it.

    The rope is held where it ran against its friction, or would have with all of it
    (``friction_work.py``).
    """
    turned = nodes_out.number[i, RAN_BACK] < 0.0
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, NODE]
    forward = 0.0
    share = 1.0
    pulls = mean_impulse(nodes_out.tension_impulse, a, b, nodes_out) > 0.0
    if pulls or not fill_slack_lengths(i, nodes_out):
        share = slipping_length_factor(i, lag if pulls else -1.0, strain_per_impulse, nodes_out)
    for k in range(a, b):
        if k > a and (
            (nodes_out.friction_state[k] == FORWARD and (turned or forward <= 0.0))
            or (nodes_out.friction_state[k] == BACKWARD and (turned or forward >= 0.0))
        ):
            nodes_out.friction_state[k] = GLIDING if hmr else STUCK
        lies = share * nodes_out.strain[k] if share > 0.0 else nodes_out.rest_length[k]
        forward += nodes_out.rest_length[k] - lies
        nodes_out.rest_length[k] = lies
