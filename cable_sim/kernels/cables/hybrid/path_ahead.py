"""Contact nodes of hybrid wires as they will be at the end of a step.

The row of a segment counts on b, what its path gets longer by in a step beyond h J v+
(``hybrid.py``). A rope that follows would else lose its speed; but b / h is speed that the row
gives, and where no turn needs it, that is energy for nothing, up to m (b / h)^2 / 2 of a mass m. So
b must be that of the way that the rope will have. With a and c the nodes next to a contact node,
their coordinates z along its line and their distances r from it, that is one of two.

*Slid.* Without friction the node is where the way is shortest. The half-planes through the line, to
a and to c, unfold to one plane, where the rope is straight:

    S = sqrt((r_a + r_c)^2 + (z_a - z_c)^2).

To first order it makes no difference to S whether the node slides; b is of second order. Let a mass
c move along the line by x, with the spans l_a, l_c at the angle phi to it. Then

    b = x^2 sin^2 phi / 2 (l_a + l_c), but over a node that stays b = x^2 sin^2 phi / 2 l_c.

The end of a wire that whips along an edge with 0.1 m of 7 m of rope on its side of it would seem to
turn about the node, 70 times as hard as it does.

*Let go.* A mass that goes past the line in the step, h v > r_c, would turn back at a node that
stays: b = 2 (h v - r_c) beyond a straight rope. But it takes the rope off the solid. Where the line
from a to c misses the region that the faces at the node enclose, the way is that line. This is
what lets nodes go (``contacts.py``). For the sake of the other nodes, such a node stands on the
line.

Both are for a and c where the velocities at the start of the step take them. One node goes after
the other, there and back. S is convex in the places of all nodes that slide: sweeps that are cut
short leave b above what it is, and not below what comes.
"""

from cable_sim.kernels.cables.contact.contact_path import DIRECTION, LOWER, POINT, UPPER
from cable_sim.kernels.cables.contact.polyhedron import is_supported, shortest_coordinate
from cable_sim.kernels.cables.contact.sliding import edge_of, point_in_body
from cable_sim.kernels.cables.hybrid.segments import (
    BEFORE,
    NODE,
    SLIDE,
    next_node,
    wire_node_velocity,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, dot, load, norm, store, sub
from cable_sim.kernels.records.lines import Nodes, WireLines

NEAR = 1e-6
"""Distance below which a node without friction counts as found [m]. Its place e off, the path is
only e^2 / l too long."""


@kernel
def predict_position(h: float, k: int, nodes: Nodes) -> Vector:
    """Return the position of node k at the end of the step if its velocity stays [m]."""
    return axpy(h, wire_node_velocity(k, nodes.bodies.velocity, nodes), load(nodes.position, k))


@kernel
def carried_velocity(k: int, node: int, nodes: Nodes) -> Vector:
    """Return the velocity of ``node`` as a point of the body of contact node k [m/s]."""
    b = nodes.body[k]
    arm = sub(load(nodes.position, node), load(nodes.bodies.position, b))
    return point_velocity(nodes.bodies.velocity, b, arm)


@kernel
def predicted_in_body(k: int, node: int, h: float, nodes: Nodes) -> Vector:
    """Return the position of ``node`` at the end of the step in the frame of node k's body [m].

    Node k is a contact node; its body moves as well.
    """
    carried = carried_velocity(k, node, nodes)
    ahead = axpy(-h, carried, load(nodes.predicted_position, node))
    return point_in_body(nodes.bodies, nodes.body[k], ahead)


@kernel
def nearest_on_line(p: Vector, a: Vector, b: Vector) -> Vector:
    """Return the point between a and b that is nearest to p."""
    along = sub(b, a)
    square = dot(along, along)
    x = dot(sub(p, a), along) / square if square > 0.0 else 0.0
    return axpy(min(max(x, 0.0), 1.0), along, a)


@kernel
def predict_free_node(h: float, k: int, before: int, behind: int, nodes_out: Nodes) -> float:
    """Find where contact node k, without friction, will be between nodes ``before`` and ``behind``.

    Returns how far that is from where it was found before [m], 0 if it is next to nothing.
    """
    body = nodes_out.body[k]
    line = nodes_out.line[k : k + 1]
    point = load(line[:, POINT:], 0)
    direction = load(line[:, DIRECTION:], 0)
    a = predicted_in_body(k, before, h, nodes_out)
    c = predicted_in_body(k, behind, h, nodes_out)
    z = shortest_coordinate(point, direction, line[0, LOWER], line[0, UPPER], a, c)
    p = axpy(z, direction, point)
    if not is_supported(
        nodes_out.solids, nodes_out.contact_solid[k], edge_of(k, nodes_out), p, a, c
    ):
        p = nearest_on_line(p, a, c)
    turned = rotate(load_quaternion(nodes_out.bodies.orientation, body), p)
    ahead = add(load(nodes_out.bodies.position, body), turned)
    ahead = axpy(h, carried_velocity(k, k, nodes_out), ahead)
    moved = norm(sub(ahead, load(nodes_out.predicted_position, k)))
    store(ahead, k, nodes_out.predicted_position)
    return moved if moved > NEAR else 0.0


@kernel
def sum_path_changes(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Set SLIDE of each segment of wire n: what its path changes by as nodes slide and let go.

    The nodes have been predicted.
    """
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + nodes_out.segment_count[n]):
        change = 0.0
        for k in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, BEFORE] + 1):
            far = next_node(i, k, nodes_out)
            if not (nodes_out.disturbed[k] or nodes_out.disturbed[far]):
                continue
            if nodes_out.contact_solid[k] < 0 and nodes_out.contact_solid[far] < 0:
                continue
            slid = sub(
                load(nodes_out.predicted_position, far), load(nodes_out.predicted_position, k)
            )
            here = predict_position(h, k, nodes_out)
            stayed = sub(predict_position(h, far, nodes_out), here)
            change += norm(slid) - norm(stayed)
        nodes_out.number[i, SLIDE] = change
