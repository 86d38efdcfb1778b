"""Dry friction of hybrid wires along edges: the sliding of a contact node in a step.

A contact node has no mass: what the rope with the tension T exerts on it, f = T ((a - p) / d_a + (b
- p) / d_b) with the nodes a and b next to it and its distances d from them, is for the edge to
bear. With the unit vectors e_a, e_b from the line of the edge across it to a and b, their distances
r_a, r_b from the line, the normal n halfway between -e_a and -e_b, and coordinates z along the
edge, d_a^2 = r_a^2 + (z - z_a)^2,

    f . t = -T ((z - z_a) / d_a + (z - z_b) / d_b),
    |f . n| = T (r_a / d_a + r_b / d_b) |e_a + e_b| / 2.

Coulomb's law lets the node stay where it is while |f . t| <= mu |f . n|; else it slides until both
are equal. At z_a or z_b, whichever is on that side, f . t points back, so there is such a place in
between, which is halved for. T cancels: directions tell it all. So it does for a slack rope, taken
as one that pulls at its chords by next to nothing.

*When.* A node that slides with its friction makes the path longer or shorter: dS / dz = f . t / T
is not zero. If the row of the segment took it for a fixed point of its body, a rope that is drawn
along an edge would go slack and tight in turn. So the place is found ahead of the rows: for the
nodes where the velocities at the start of the step take them, seen from the body of the edge. What
that changes the path by is part of the row (``hybrid.py``, b), and after the step the node is put
there. Nodes without friction: ``path_ahead.py``.

A node between two others that stay on its body, and which friction holds as they stand now, stays
as well: nothing is looked for there (``resting_nodes.py``).

*Let go.* Friction holds what presses on the edge. A mass that goes past the edge in the step takes
the rope off the solid, and no friction keeps it there. If the node stayed, the rope would fold back
at it, and the end of a wire that flies past by d would be drawn on with up to 2 d / h of speed for
nothing (``path_ahead.py``). So where the line from a to b misses what the faces at the node enclose
and the rope would fold by more than ``FOLD``, the node is FREE for the step, and its way is that of
a node without friction. Up to FOLD the fold is of second order, l FOLD^2 / 2 of a span l: there the
node holds for the step, and goes after it. A drum that a rope leaves so is turned to the end.

*Both ways.* Dry friction is against the motion. A node that slides along its edge has spent all of
it there: across the edge the rope runs freely meanwhile, with one tension. Else both laws, this and
that of ``friction.py``, hold separately: a rope that sticks has up to sqrt(2) times the friction if
it is drawn both ways, one that runs over the edge still sticks along it, and where tensions on both
sides of a node differ, their mean stands for both.

That is Coulomb's law; where a node goes by the law of the paper, and whether it does, is in
``hmr_friction.py``.
"""

from math import cos

from cable_sim.kernels.cables.contact.contact_path import (
    DIRECTION,
    FREE,
    LOWER,
    POINT,
    STUCK,
    UPPER,
    count_nodes,
    disturb,
)
from cable_sim.kernels.cables.contact.polyhedron import is_supported, shortest_coordinate, unit
from cable_sim.kernels.cables.contact.resting_nodes import (
    is_held,
    is_path_shortest,
    mark_ends_of_runs,
)
from cable_sim.kernels.cables.contact.shortest_path import is_frictionless
from cable_sim.kernels.cables.contact.sliding import edge_of
from cable_sim.kernels.cables.friction.hmr_friction import edge_direction, lag_node, update_gliding
from cable_sim.kernels.cables.hybrid.path_ahead import (
    predict_free_node,
    predict_position,
    predicted_in_body,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, dot, load, norm, store, sub
from cable_sim.kernels.records.arrays import Ints
from cable_sim.kernels.records.lines import Nodes, WireLines

HALVES = 52
"""Halvings of the interval in which the place is searched where friction holds a node: to
rounding."""
SLIDES = 1e-9
"""Least distance that counts as sliding [m]."""
FOLD = cos(0.5)
"""Cosine of the largest turn of rope the wrong way at an edge that friction still holds for a step
[-]."""
SWEEPS = 40
"""Most sweeps over all nodes, there and back, each node with the others where they were found to
be."""


@kernel
def side_force(
    z: float, mu: float, z_a: float, r_a: float, z_b: float, r_b: float, kink: float
) -> tuple[float, float]:
    """Return the force of the rope on a node at z, and the most that friction holds.

    The force is towards lower z. Both are divided by the tension.
    """
    d_a = (r_a * r_a + (z - z_a) ** 2) ** 0.5
    d_b = (r_b * r_b + (z - z_b) ** 2) ** 0.5
    if d_a == 0.0 or d_b == 0.0:
        return 0.0, 0.0
    return (z - z_a) / d_a + (z - z_b) / d_b, mu * kink * (r_a / d_a + r_b / d_b)


@kernel
def friction_stop(
    mu: float, z: float, point: Vector, direction: Vector, a: Vector, b: Vector
) -> float:
    """Return the coordinate on a line where a node comes to rest under dry friction [m].

    The node was at z, between a and b.
    """
    from_a = sub(a, point)
    from_b = sub(b, point)
    z_a = dot(from_a, direction)
    z_b = dot(from_b, direction)
    across_a = axpy(-z_a, direction, from_a)
    across_b = axpy(-z_b, direction, from_b)
    r_a = norm(across_a)
    r_b = norm(across_b)
    kink = 0.5 * norm(add(unit(across_a), unit(across_b)))
    force, most = side_force(z, mu, z_a, r_a, z_b, r_b, kink)
    if abs(force) <= most:
        return z
    sense = 1.0 if force > 0.0 else -1.0
    slips = z
    holds = min(z_a, z_b) if force > 0.0 else max(z_a, z_b)
    for _ in range(HALVES):
        middle = 0.5 * (slips + holds)
        force, most = side_force(middle, mu, z_a, r_a, z_b, r_b, kink)
        if sense * force > most:
            slips = middle
        else:
            holds = middle
    return holds


@kernel
def predict_slide(h: float, k: int, before: int, behind: int, hmr: bool, nodes_out: Nodes) -> float:
    """Find the distance that contact node k slides between two nodes, and predict its position.

    The nodes are ``before`` and ``behind``. Returns the change of the distance that was found
    before [m].
    """
    line = nodes_out.line[k : k + 1]
    point = load(line[:, POINT:], 0)
    direction = load(line[:, DIRECTION:], 0)
    z_before = dot(sub(load(nodes_out.point, k), point), direction)
    z = z_before + nodes_out.slide_distance[k]
    mu = nodes_out.solids.friction[nodes_out.contact_solid[k]]
    lower = line[0, LOWER]
    upper = line[0, UPPER]
    a = predicted_in_body(k, before, h, nodes_out)
    b = predicted_in_body(k, behind, h, nodes_out)
    if hmr:
        found = shortest_coordinate(point, direction, lower, upper, a, b)
    else:
        found = min(max(friction_stop(mu, z_before, point, direction, a, b), lower), upper)
    along = rotate(load_quaternion(nodes_out.bodies.orientation, nodes_out.body[k]), direction)
    stays = predict_position(h, k, nodes_out)
    store(axpy(found - z_before, along, stays), k, nodes_out.predicted_position)
    nodes_out.slide_distance[k] = found - z_before
    return found - z


@kernel
def lets_go(h: float, k: int, before: int, behind: int, nodes: Nodes) -> bool:
    """Return True if the rope at contact node k, predicted between two nodes, flies off the
    solid."""
    a = predicted_in_body(k, before, h, nodes)
    b = predicted_in_body(k, behind, h, nodes)
    p = load(nodes.point, k)
    if dot(unit(sub(p, a)), unit(sub(b, p))) > FOLD:
        return False
    return not is_supported(nodes.solids, nodes.contact_solid[k], edge_of(k, nodes), p, a, b)


@kernel
def stays(k: int, hmr: bool, nodes: Nodes) -> bool:
    """Return True if contact node k stays on its body, where the nodes next to it stay as well."""
    if is_frictionless(k, nodes):
        return True
    if hmr:
        return is_path_shortest(k, SLIDES, nodes)
    turn = dot(load(nodes.direction, k - 1), load(nodes.direction, k))
    return turn > FOLD and is_held(k, nodes.solids.friction[nodes.contact_solid[k]], nodes)


@kernel
def predict_strand(
    h: float, hmr: bool, first: int, count: int, slots: int, nodes_out: Nodes
) -> None:
    """Find where the contact nodes of a strand will be, one after the other, there and back."""
    for sweep in range(SWEEPS):
        farthest = 0.0
        for step in range(count):
            k = first + 1 + step if sweep % 2 == 0 else first + count - step
            if nodes_out.contact_solid[k] < 0 or (hmr and nodes_out.friction_state[k] == STUCK):
                continue
            if not nodes_out.disturbed[k] and stays(k, hmr, nodes_out):
                continue
            behind = k + 1 if k < first + count else first + slots + 1
            if is_frictionless(k, nodes_out) or lets_go(h, k, k - 1, behind, nodes_out):
                nodes_out.slide_distance[k] = 0.0
                moved = predict_free_node(h, k, k - 1, behind, nodes_out)
            else:
                moved = abs(predict_slide(h, k, k - 1, behind, hmr, nodes_out))
            farthest = max(farthest, moved)
            nodes_out.disturbed[k] = True
            if moved > SLIDES:
                disturb(k - 1, k + 2, nodes_out)
        if farthest <= SLIDES:
            break


@kernel
def hold_nodes(h: float, hmr: bool, first: int, count: int, slots: int, nodes_out: Nodes) -> None:
    """Let contact nodes of a strand hold the rope where they neither slide nor let go."""
    for k in range(first + 1, first + count + 1):
        if nodes_out.contact_solid[k] < 0 or is_frictionless(k, nodes_out):
            continue
        behind = k + 1 if k < first + count else first + slots + 1
        stuck = hmr and nodes_out.friction_state[k] == STUCK
        looked_at = nodes_out.disturbed[k] and not stuck
        if looked_at and lets_go(h, k, k - 1, behind, nodes_out):
            nodes_out.friction_state[k] = FREE
        elif hmr:
            lag_node(k, nodes_out.solids.friction[nodes_out.contact_solid[k]], nodes_out)
            update_gliding(k, nodes_out)
        elif abs(nodes_out.slide_distance[k]) > SLIDES:
            nodes_out.friction_state[k] = FREE
        elif nodes_out.friction_state[k] == FREE:
            nodes_out.friction_state[k] = STUCK


@kernel
def start_prediction(h: float, k: int, nodes_out: Nodes) -> None:
    """Predict the position of node k with the velocity that it has."""
    nodes_out.slide_distance[k] = 0.0
    store(predict_position(h, k, nodes_out), k, nodes_out.predicted_position)


@kernel
def touches_solid(begin: int, end: int, nodes: Nodes) -> bool:
    """Return True if there is a contact node between two nodes."""
    for k in range(begin + 1, end):
        if nodes.contact_solid[k] >= 0:
            return True
    return False


@kernel
def predict_slides(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Find where the contact nodes of wire n will be at the end of the step.

    A node that slides has no friction across its edge. On a wire that is not ``rough`` all slide.
    """
    c = wires.cable[n]
    predict_cable_slides(
        h, c, wires.has_friction[n], wires.hmr[n], wires.node_start, wires.slots, nodes_out
    )


@kernel
def predict_cable_slides(
    h: float, c: int, rough: bool, hmr: bool, node_start: Ints, room: Ints, nodes_out: Nodes
) -> None:
    """Call :func:`predict_slides` for cable c, which may be no wire.

    ``room`` is that behind each of its own nodes.
    """
    first = node_start[c]
    end = node_start[c + 1] - 1
    if not touches_solid(first, end, nodes_out):
        return
    while first < end:
        slots = room[first]
        count = count_nodes(first, slots, nodes_out)
        for k in range(first, first + count + 2):
            start_prediction(h, k, nodes_out)
        start_prediction(h, first + slots + 1, nodes_out)
        mark_ends_of_runs(first, slots, nodes_out)
        predict_strand(h, hmr, first, count, slots, nodes_out)
        if rough:
            hold_nodes(h, hmr, first, count, slots, nodes_out)
        first += slots + 1


@kernel
def slide_growth(k: int, far: int, nodes: Nodes) -> float:
    """Return what slides of its ends along their edges make the span from node k longer by [m]."""
    if nodes.slide_distance[k] == 0.0 and nodes.slide_distance[far] == 0.0:
        return 0.0
    begin = load(nodes.predicted_position, k)
    end = load(nodes.predicted_position, far)
    stays = sub(end, begin)
    if nodes.slide_distance[k] != 0.0:
        stays = axpy(nodes.slide_distance[k], edge_direction(k, nodes), stays)
    if nodes.slide_distance[far] != 0.0:
        stays = axpy(-nodes.slide_distance[far], edge_direction(far, nodes), stays)
    return norm(sub(end, begin)) - norm(stays)
