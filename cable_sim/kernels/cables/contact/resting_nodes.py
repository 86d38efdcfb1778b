"""Contact nodes that rest, and need no look.

Whether a contact node slides, lets go or needs a node beside it follows from three things: the
places of its two neighbours on its body, its own, and the faces of the solid. Of a run of contact
nodes on one body only the first and the last have a neighbour that moves past the body. All others
see what they saw in the step before, until a node of the run slides, comes or goes. So a node is
*disturbed*, and looked at, if

* one of its neighbours is no contact node of the same body, or
* it or a neighbour slides in this step, has come, or has lost the node between them.

What an update decided for nodes that nothing disturbs holds on. Who looks at nodes, marks them: at
the start of the step, where they are predicted, and at its end, where they slide, let go and catch.

*Without friction* a node rests where the path is shortest. Its Newton step along its line alone,
with d the line's direction, u_-, u_+ the unit vectors and l_-, l_+ the lengths of the spans before
and behind it,

    z = d . (u_+ - u_-) / ((1 - (d . u_-)^2) / l_- + (1 - (d . u_+)^2) / l_+),

is then next to nothing. That tells of slow changes along a run as well, without any memory.

At the start of a step nobody looks at that of a node that nothing disturbs: it has been slid.

*With friction* a node rests while the force along the edge is below what holds it. With a tension
of one, z = d . u and s = sqrt(1 - z^2) (``edge_sliding.py``; s e is u across the edge, |e| = 1),

    |z_- - z_+| <= mu |e_- - e_+| (s_- + s_+) / 2.

The square of |e_- - e_+| (s_- + s_+) / 2 is at least s_- s_+ |e_- - e_+|^2, and that is what the
change of u across the edge has less (s_- - s_+)^2 <= (z_-^2 - z_+^2)^2 / (s_-^2 + s_+^2). So a node
is held if

    (z_- - z_+)^2 q <= mu^2 ((|u_- - u_+|^2 - (z_- - z_+)^2) q - (z_-^2 - z_+^2)^2),
    q = s_-^2 + s_+^2 = 2 - z_-^2 - z_+^2,

which takes no root. Where that is not so, ``edge_sliding.py`` looks closer. Slow changes along a
run do not escape here either.

A span between two contact nodes of the world neither opens nor turns, so it adds nothing to the
rate of its path.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    DIRECTION,
    LOWER,
    POINT,
    UPPER,
    count_nodes,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, sub
from cable_sim.kernels.records.lines import Nodes

NEAR_END = 1e-5
"""Distance from an end of its edge within which a node is looked at in any case [m]."""


@kernel
def is_between_mates(k: int, nodes: Nodes) -> bool:
    """Return True if node k and both nodes next to it are contact nodes of one body."""
    return (
        nodes.contact_solid[k - 1] >= 0
        and nodes.contact_solid[k] >= 0
        and nodes.contact_solid[k + 1] >= 0
        and nodes.body[k - 1] == nodes.body[k]
        and nodes.body[k + 1] == nodes.body[k]
    )


@kernel
def mark_ends_of_runs(first: int, slots: int, nodes_out: Nodes) -> None:
    """Mark the nodes of a strand with a neighbour that is not on their body, and no others."""
    count = count_nodes(first, slots, nodes_out)
    nodes_out.disturbed[first] = True
    for k in range(first + 1, first + count + 1):
        nodes_out.disturbed[k] = not is_between_mates(k, nodes_out)
    nodes_out.disturbed[first + count + 1] = True


@kernel
def is_near_end(k: int, nodes: Nodes) -> bool:
    """Return True if contact node k is near an end of its line."""
    line = nodes.line[k : k + 1]
    z = dot(sub(load(nodes.point, k), load(line[:, POINT:], 0)), load(line[:, DIRECTION:], 0))
    return min(z - line[0, LOWER], line[0, UPPER] - z) < NEAR_END


@kernel
def line_direction(k: int, nodes: Nodes) -> Vector:
    """Return the direction of the line of contact node k in the world."""
    line = nodes.line
    along = (line[k, DIRECTION], line[k, DIRECTION + 1], line[k, DIRECTION + 2])
    body = nodes.body[k]
    return along if body == 0 else rotate(load_quaternion(nodes.bodies.orientation, body), along)


@kernel
def is_path_shortest(k: int, near: float, nodes: Nodes) -> bool:
    """Return True if contact node k is within ``near`` [m] of where the path is shortest.

    Its spans have been measured.
    """
    along = line_direction(k, nodes)
    before = dot(along, load(nodes.direction, k - 1))
    behind = dot(along, load(nodes.direction, k))
    l_before = nodes.length[k - 1]
    l_behind = nodes.length[k]
    if min(l_before, l_behind) <= 0.0:
        return False
    stiffness = (1.0 - before * before) * l_behind + (1.0 - behind * behind) * l_before
    return abs(behind - before) * l_before * l_behind <= near * stiffness


@kernel
def is_held(k: int, mu: float, nodes: Nodes) -> bool:
    """Return True if friction surely holds contact node k along its edge, by the bound above.

    Its spans have been measured.
    """
    along = line_direction(k, nodes)
    before = load(nodes.direction, k - 1)
    behind = load(nodes.direction, k)
    z_before = dot(along, before)
    z_behind = dot(along, behind)
    kink = sub(behind, before)
    pull = (z_before - z_behind) ** 2
    across = 2.0 - z_before * z_before - z_behind * z_behind
    uneven = (z_before * z_before - z_behind * z_behind) ** 2
    return pull * across <= mu * mu * ((dot(kink, kink) - pull) * across - uneven)


@kernel
def is_undisturbed_span(k: int, nodes: Nodes) -> bool:
    """Return True if both nodes of the span from node k are contact nodes that nothing disturbs."""
    return not nodes.disturbed[k] and not nodes.disturbed[k + 1]


@kernel
def is_span_of_world(k: int, far: int, nodes: Nodes) -> bool:
    """Return True if the span from node k to node ``far`` is between contact nodes of the world."""
    return (
        nodes.contact_solid[k] >= 0
        and nodes.contact_solid[far] >= 0
        and nodes.body[k] == 0
        and nodes.body[far] == 0
    )
