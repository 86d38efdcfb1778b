"""Bends of hybrid wires: where a wire resists a turn, how stiff it is there, and what it meets.

A wire resists a turn at its masses, at eyes, on edges, and at clamps that leave its direction free.
An anchor that holds a direction resists the turn of each span next to it. Crossings, and ends
without a direction, are hinges.

*Turn.* A turn has the energy k |u_c - u_a|^2 / 2, u the unit vectors of the spans: k (1 - cos
theta). The nodes of a slack span may pass each other, at which a unit vector turns about within a
step. A span shorter than ``CRUMPLED`` times its rope has u = e / r, therefore, with e the span and
r that length: it turns less the shorter it is. Spans into which rope runs over an eye or an edge,
whose r would not be constant, have unit vectors.

*Stiffness.* At a mass k = 2 EI / R, R the rope on both sides to the next mass or node of the cable,
whatever contact nodes are between. At an anchor that holds the direction R is that on its side
alone, as if the rope were mirrored there. Both are exact to second order in the span. At an eye and
on an edge k = EI / l, with l the rope between two masses of a wire that has them all, which is the
same where these masses are. It is a constant, so that the energy changes neither with rope that
runs nor with a contact node that comes, at theta = 0, but with what the nodes are moved by alone.
Rope of the tension T bends on a length sqrt(EI / T) beside an eye, which makes k = sqrt(EI T) / 2:
above T = 4 EI / l^2 the turn is softer than that.

*Bodies.* Stiffness meets a body at a point with the mobility lambda = 1/m + tr(r x I^-1 r x), at
least what a force there meets. In the implicit step (``flexure.py``) the point is a mass 1 / (n
lambda), with n the number of such points of all wires on the body. Copies of a body, each with a
part 1 / n of it, answer no less than it does itself, by Jensen's inequality for the operator convex
1 / (1 + x); so this is stable at any stiffness. What holds a direction feels the node next to it
by a copy of its own. With the change of that copy eliminated, the held turn gets softer,

    k -> k / (1 + beta h^2 (k / l^2) n lambda).
"""

from cable_sim.kernels.cables.contact.contact_path import (
    CLAMP,
    CROSSED,
    MASSIVE,
    SEVERED,
    UNUSED,
    count_nodes,
)
from cable_sim.kernels.cables.crossing.crossing_rows import GIVE
from cable_sim.kernels.cables.hybrid.segments import USED
from cable_sim.kernels.cables.stiffness.bars import is_held
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, multiply3, rotate
from cable_sim.kernels.multibody.vec3 import Vector, axpy, cross, dot, load, scale, sub
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.lines import Nodes, WireLines

CRUMPLED = 0.5
"""Length of a span over its rope below which it is crumpled."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def list_used_nodes(n: int, wires: WireLines, nodes_out: Nodes) -> tuple[int, int]:
    """List the nodes of wire n that are in use; return the rows of the first and last of them."""
    begin = wires.node_start[wires.cable[n]]
    end = wires.node_start[wires.cable[n] + 1] - 1
    j = begin
    k = begin
    while k < end:
        for node in range(k, k + count_nodes(k, wires.slots[k], nodes_out) + 1):
            nodes_out.mark[j, USED] = node
            j += 1
        k += wires.slots[k] + 1
    nodes_out.mark[j, USED] = end
    return begin, j


@kernel
def has_span(j: int, nodes: Nodes) -> bool:
    """Return True if there is rope, of a length, between the nodes in rows j and j + 1."""
    k = nodes.mark[j, USED]
    return nodes.length[k] > 0.0 and nodes.friction_state[k] != SEVERED


@kernel
def has_bend(j: int, nodes: Nodes) -> bool:
    """Return True if the rope resists a turn at the node in row j, which is not an end."""
    k = nodes.mark[j, USED]
    solid = nodes.contact_solid[k]
    bends = solid >= 0 or solid == MASSIVE or (solid == UNUSED and not is_held(k, nodes))
    return bends and has_span(j - 1, nodes) and has_span(j, nodes)


@kernel
def is_passing(k: int, nodes: Nodes) -> bool:
    """Return True if node k is on an edge or a crossing."""
    return nodes.contact_solid[k] not in (MASSIVE, UNUSED)


@kernel
def lets_rope_pass(k: int, nodes: Nodes) -> bool:
    """Return True if rope runs over node k, where it resists a turn: an eye or an edge."""
    return nodes.contact_solid[k] != MASSIVE and nodes.guide[k] != CLAMP


@kernel
def is_held_beside(j: int, side: int, begin: int, end: int, nodes: Nodes) -> bool:
    """Return True if an anchor in row j holds the rope behind (``side`` 1) or before it (-1)."""
    if not is_held(nodes.mark[j, USED], nodes):
        return False
    span = j if side > 0 else j - 1
    return begin <= span < end and has_span(span, nodes)


@kernel
def rope_beside(j: int, side: int, nodes: Nodes) -> float:
    """Return the rope behind (``side`` 1) or before row j [m], to a mass or a node of the cable."""
    row = j if side > 0 else j - 1
    rope = nodes.rest_length[nodes.mark[row, USED]]
    while is_passing(nodes.mark[row if side < 0 else row + 1, USED], nodes):
        row += side
        rope += nodes.rest_length[nodes.mark[row, USED]]
    return rope


@kernel
def span_vector(row: int, nodes: Nodes) -> tuple[Vector, float, bool]:
    """Vector u of the span behind a row [-], its distance 1 / r [1/m], and whether r is fixed."""
    k = nodes.mark[row, USED]
    direction = load(nodes.direction, k)
    length = nodes.length[k]
    least = CRUMPLED * nodes.rest_length[k]
    far = nodes.mark[row + 1, USED]
    if length >= least or lets_rope_pass(k, nodes) or lets_rope_pass(far, nodes):
        return direction, 1.0 / length, False
    return scale(length / least, direction), 1.0 / least, True


@kernel
def turn_gradient(change: Vector, span: tuple[Vector, float, bool]) -> Vector:
    """Return the derivative of u . change by the span, from its ``span_vector`` [1/m]."""
    u, inverse, fixed = span
    along = 0.0 if fixed else dot(u, change)
    return scale(inverse, axpy(-along, u, change))


@kernel
def bend_stiffness(j: int, flexure: tuple[float, float], nodes: Nodes) -> float:
    """Stiffness of the turn in row j [N m].

    ``flexure`` has EI [N m^2] and the length of rope that bends where rope passes [m].
    """
    rigidity, length = flexure
    if lets_rope_pass(nodes.mark[j, USED], nodes):
        return rigidity / length
    rope = rope_beside(j, -1, nodes) + rope_beside(j, 1, nodes)
    return 2.0 * rigidity / rope


@kernel
def bend_energy(j: int, flexure: tuple[float, float], nodes: Nodes) -> float:
    """Energy of the turn in row j [J]."""
    before, _, _ = span_vector(j - 1, nodes)
    behind, _, _ = span_vector(j, nodes)
    turn = sub(behind, before)
    return 0.5 * bend_stiffness(j, flexure, nodes) * dot(turn, turn)


@kernel
def bend_forces(
    j: int, flexure: tuple[float, float], nodes: Nodes
) -> tuple[Vector, Vector, float, float, float]:
    """Forces of the turn in row j [N] on the nodes before and behind it.

    The third is its stiffness [N m], and then 1 / r of both spans [1/m].
    """
    before = span_vector(j - 1, nodes)
    behind = span_vector(j, nodes)
    stiffness = bend_stiffness(j, flexure, nodes)
    turn = scale(-stiffness, sub(behind[0], before[0]))
    force_a = turn_gradient(turn, before)
    force_c = turn_gradient(turn, behind)
    return force_a, force_c, stiffness, before[1], behind[1]


@kernel
def held_turn(
    j: int, side: int, flexure: tuple[float, float], nodes: Nodes
) -> tuple[float, Vector, tuple[Vector, float, bool]]:
    """Stiffness of the held turn on one side of row j [N m], its turn u - d, and its span.

    d is the held direction, a unit vector of the world, and the span a ``span_vector``.
    """
    k = nodes.mark[j, USED]
    span = span_vector(j if side > 0 else j - 1, nodes)
    turned = load_quaternion(nodes.bodies.orientation, nodes.body[k])
    direction = rotate(turned, load(nodes.held_direction, k))
    stiffness = 2.0 * flexure[0] / rope_beside(j, side, nodes)
    return stiffness, sub(span[0], direction), span


@kernel
def meets_body(k: int, nodes: Nodes) -> bool:
    """Return True if a force on node k acts on a body, and not on a mass or the world."""
    return nodes.contact_solid[k] != MASSIVE and nodes.row_entry[k] >= 0


@kernel
def arm_mobility(body: int, arm: Vector, moving: Moving) -> float:
    """Return the mobility of a body at an arm [1/kg]: no force there meets more."""
    mobility = moving.inverse_mass[body]
    for axis in range(3):
        turn = cross(arm, AXES[axis])
        mobility += dot(turn, multiply3(moving.world_inverse_inertia, body, turn))
    return mobility


@kernel
def shared_mobility(k: int, nodes: Nodes) -> float:
    """Return n lambda of node k [1/kg]; 0 of a mass and where nothing moves."""
    if not meets_body(k, nodes):
        return 0.0
    body = nodes.body[k]
    if nodes.contact_solid[k] == CROSSED:
        return nodes.bend_share[body] * nodes.line[k, GIVE] ** 2
    return nodes.bend_share[body] * arm_mobility(body, load(nodes.arm, k), nodes.bodies)


@kernel
def moves(j: int, nodes: Nodes) -> bool:
    """Return True if the node in row j is a mass, or yields with its body."""
    k = nodes.mark[j, USED]
    yields = meets_body(k, nodes) and nodes.bodies.inverse_mass[nodes.body[k]] > 0.0
    return nodes.contact_solid[k] == MASSIVE or yields


@kernel
def held_mobility(j: int, side: int, nodes: Nodes) -> float:
    """Return n lambda of the body that holds row j, at the node next to it [1/kg]."""
    k = nodes.mark[j, USED]
    if not meets_body(k, nodes):
        return 0.0
    return nodes.bend_share[nodes.body[k]] * arm_mobility(
        nodes.body[k], held_arm(j, side, nodes), nodes.bodies
    )


@kernel
def held_arm(j: int, side: int, nodes: Nodes) -> Vector:
    """Return the arm of the node next to row j on the body that holds the rope there [m]."""
    span = nodes.mark[j, USED] if side > 0 else nodes.mark[j - 1, USED]
    return axpy(
        side * nodes.length[span], load(nodes.direction, span), load(nodes.arm, nodes.mark[j, USED])
    )


@kernel
def count_share(k: int, nodes_out: Nodes) -> None:
    """Count a point at node k, if it is on a body."""
    if meets_body(k, nodes_out):
        nodes_out.bend_share[nodes_out.body[k]] += 1


@kernel
def count_shares(wires: WireLines, nodes_out: Nodes) -> None:
    """Count the points in which the bends of all wires meet each body."""
    nodes_out.bend_share[:] = 0
    for n in range(wires.cable.size):
        if wires.rigidity[n] == 0.0:
            continue
        begin, end = list_used_nodes(n, wires, nodes_out)
        for j in range(begin, end + 1):
            count_share(nodes_out.mark[j, USED], nodes_out)
            for side in (-1, 1):
                if is_held_beside(j, side, begin, end, nodes_out):
                    count_share(nodes_out.mark[j, USED], nodes_out)
