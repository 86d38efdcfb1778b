"""The friction law of Servin et al. 2011, section II C 2, which leads to their figure 13: a pseudo
law, as they say.

*Across an edge* (eq. 23 with l = -u, misprint 38). A node that holds keeps the lengths of rope
before and behind it by a constraint of its own; its multiplier is the difference of the tensions.
With N the force of the mean tension on the edge, along the bisector of an edge where the rope turns
by alpha, and unit vectors u of the spans,

    |T_out - T_in| <= mu |N|,    N = (T_in + T_out) |u_out - u_in| / 2,    so m = mu sin(alpha / 2)

in place of the m = tanh(mu alpha / 2) of ``node_law.py``; ``friction.py`` does the rest. The paper
takes the whole difference of the tensions for friction, and not the part of it that is across the
bisector. At the bound the rope slips.

*Along an edge* (eq. 22). Nodes that slide go the part 1 - mu of the way to where the path is
shortest, each step. So one follows a place that moves at u with the same speed, u h mu / (1 - mu)
behind it: the rope drags it by its slope, as a viscous friction that gets weaker with a shorter
step and infinite for mu = 1 alone (misprint 39).

*Stick* (eq. 21). A node that sticks stays where it is while

    T_along^2 + (T_out - T_in)^2 <= (mu N)^2,

with the force along the edge. This is the condition for staying stuck only (misprint 38): one that
slides along its edge does not stick by it, or figure 13 would show a wire that sticks at Coulomb's
mu, and not at 1.

*What is ours*, where the paper is silent: a node that comes slides, and sticks once it does not
move any more along its edge, as it does at once for mu >= 1; one that slides along its edge still
holds across it, as the box bounds of eq. 23 do not ask for the other direction, and one that the
rope runs over slides; the tension of N is the mean of both sides; a node where the rope slipped
against its friction holds for a step at least. The way along the edge is found ahead of the rows
and is part of them (``edge_sliding.py``), where the paper moves the nodes afterwards. Without
friction there is none, and none of the paper's "anomalies at zero friction", of nodes that stick
and slip in turn.

Misprints are numbered as in docs/theory/misprints.md.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    DIRECTION,
    FREE,
    GLIDING,
    LOWER,
    STUCK,
    UPPER,
)
from cable_sim.kernels.cables.contact.shortest_path import line_coordinate
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, load, norm, store, sub
from cable_sim.kernels.records.lines import Nodes

BEYOND = 1e-3
"""Part beyond the holding force by which the force on a node makes it let go."""
AT_REST = 1e-9
"""Least distance that counts as sliding [m]."""
NEAR_END = 1e-5
"""Distance from an end of its edge within which a node holds nothing [m]. It is to turn the corner,
or to go."""


@kernel
def edge_direction(k: int, nodes: Nodes) -> Vector:
    """Return the unit vector of the edge of contact node k in the world."""
    return rotate(
        load_quaternion(nodes.bodies.orientation, nodes.body[k]),
        load(nodes.line[k : k + 1, DIRECTION:], 0),
    )


@kernel
def lag_node(k: int, mu: float, nodes_out: Nodes) -> None:
    """Move contact node k by the part 1 - mu of its distance to the shortest path, by eq. 22.

    The node is ahead where the path is shortest.
    """
    back = min(mu, 1.0) * nodes_out.slide_distance[k]
    nodes_out.slide_distance[k] -= back
    store(
        axpy(-back, edge_direction(k, nodes_out), load(nodes_out.predicted_position, k)),
        k,
        nodes_out.predicted_position,
    )


@kernel
def update_gliding(k: int, nodes_out: Nodes) -> None:
    """Let a new contact node slide along its edge; one that no longer moves there sticks."""
    if nodes_out.friction_state[k] == FREE:
        nodes_out.friction_state[k] = GLIDING
    elif nodes_out.friction_state[k] == GLIDING and abs(nodes_out.slide_distance[k]) <= AT_REST:
        nodes_out.friction_state[k] = STUCK


@kernel
def release_stuck_nodes(first: int, last: int, nodes_out: Nodes) -> None:
    """Let nodes ``first`` to ``last`` slide along edges where they no longer stick: eq. 21."""
    for k in range(first, last + 1):
        line = nodes_out.line[k]
        z = line_coordinate(k, nodes_out)
        if (
            nodes_out.friction_state[k] == GLIDING
            and min(z - line[LOWER], line[UPPER] - z) < NEAR_END
        ):
            nodes_out.friction_state[k] = FREE
        if nodes_out.friction_state[k] != STUCK:
            continue
        edge = edge_direction(k, nodes_out)
        into = load(nodes_out.direction, k - 1)
        out = load(nodes_out.direction, k)
        kink = sub(out, into)
        normal = (
            0.5
            * (nodes_out.tension_impulse[k - 1] + nodes_out.tension_impulse[k])
            * norm(axpy(-dot(kink, edge), edge, kink))
        )
        along = nodes_out.tension_impulse[k] * dot(out, edge) - nodes_out.tension_impulse[
            k - 1
        ] * dot(into, edge)
        held = (1.0 + BEYOND) * nodes_out.solids.friction[nodes_out.contact_solid[k]] * normal
        if (
            along * along + (nodes_out.tension_impulse[k] - nodes_out.tension_impulse[k - 1]) ** 2
            > held * held
        ):
            nodes_out.friction_state[k] = GLIDING
