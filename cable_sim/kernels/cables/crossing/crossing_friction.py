"""Dry friction of wire on wire, at the nodes of ``crossing_rows.py``: the capstan of rope on rope.

*Bound.* Either rope bends around the other one, which is round, on a short arc, by the angle theta
between the directions of both spans. So it has the law of ``node_law.py`` on an edge, m = tanh(mu
theta / 2). theta goes up to pi, of a rope that turns back on itself.

*Balance.* The node has no mass. With both ropes' spans sum T_i u_i = 0, so that what friction takes
from one rope along itself, (T_out - T_in), the spans of the other one bear: across them, by a turn,
or along them, by a difference of their tensions. The rows of both wires see to that.

*Stick and slip.* A rope that sticks at the node ends a segment there: the place of the crossing on
that rope stays, and each side has its own tension. One that slips is inside a segment with the
ratio above. Each of the two ropes does so by itself, with the angle by which it turns. What slides
over what: where rope A alone slips, the node goes with the rope of B, and A runs over it at the
speed w_A; where both do, the ropes rub with w_A t_A - w_B t_B, t their directions. Friction takes
(T_high - T_low) |w| from each, and never gives.

*Share.* Friction between the ropes is one force, against the motion of one past the other. Where
one of them sticks, it has all of it along the other, s = 1. Where both run, with the directions
w_1, w_2 of their motion at the same speed, each is braked by

    w_1 . (w_1 - w_2) / |w_1 - w_2| = |w_1 - w_2| / 2 = s

of it, sqrt(1/2) at right angles, none where they run side by side. s mu stands for mu, then. A rope
that sticks is held as if the other one did, too. In a step s goes the part ``FOLLOWS`` of its way
to what it is in the step before: friction that was 1.4 times as large at once where a rope comes
to rest would fling it back.

*Slack.* Where rope falls on rope, one side of a node may be slack as the other gets taut and draws
it through. Rope that slips keeps strains for the time of its damping (``friction.py``); the lack of
tension of a slack span is none. A segment that slips over a crossing starts with strains of zero at
least, therefore: what is slack is taken in at once.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    BACKWARD,
    CROSSED,
    FORWARD,
    LANDED,
    is_slipping,
)
from cable_sim.kernels.cables.crossing.crossing_rows import PRESSED, SHARE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, load, norm, scale, sub
from cable_sim.kernels.records.lines import Nodes

FOLLOWS = 0.25
"""Part of its way that s goes in a step."""


@kernel
def motion(k: int, nodes: Nodes) -> Vector:
    """Return the direction in which the rope runs over node k; zero where it does not."""
    if not is_slipping(k, nodes):
        return ZERO
    along = add(load(nodes.direction, k - 1), load(nodes.direction, k))
    size = norm(along) if nodes.friction_state[k] == FORWARD else -norm(along)
    return scale(1.0 / size if size != 0.0 else 0.0, along)


@kernel
def share_friction(a: int, b: int, nodes_out: Nodes) -> float:
    """Let s, the part of the friction between the ropes that brakes each, follow; return it.

    Nodes a and b are those of the crossing.
    """
    runs_a = motion(a, nodes_out)
    runs_b = motion(b, nodes_out)
    both = norm(runs_a) > 0.0 and norm(runs_b) > 0.0
    goal = 0.5 * norm(sub(runs_a, runs_b)) if both else 1.0
    before = nodes_out.line[a, SHARE]
    share = before + FOLLOWS * (goal - before)
    nodes_out.line[a, SHARE] = share
    nodes_out.line[b, SHARE] = share
    return share


@kernel
def pressed_bound(k: int, nodes: Nodes) -> float:
    """Return what rope that lies on node k adds to its bound of friction [N s]."""
    return nodes.line[k, PRESSED] if nodes.contact_solid[k] == LANDED else 0.0


@kernel
def level_shift(k: int, growth: float, nodes: Nodes) -> float:
    """Return what rope that lies on node k adds to the impulse behind it if the rope slips [N s].

    The tensions at the node have the ratio ``growth`` otherwise.
    """
    added = 0.5 * (1.0 + growth) * pressed_bound(k, nodes)
    if nodes.friction_state[k] == FORWARD:
        return added
    return -added if nodes.friction_state[k] == BACKWARD else 0.0


@kernel
def handed_on(k: int, high: float, ratio: float, nodes: Nodes) -> float:
    """Return the lower tension at node k, where rope slips, from the higher one [N s].

    ``ratio`` is that of the two where nothing lies on the node.
    """
    return max(high * ratio - 0.5 * (1.0 + ratio) * pressed_bound(k, nodes), 0.0)


@kernel
def least_strain(first: int, last: int, nodes: Nodes) -> float:
    """Return the least strain [-] with which a segment between two nodes slips."""
    for k in range(first + 1, last):
        if nodes.contact_solid[k] <= CROSSED:
            return 0.0
    return -1.0
