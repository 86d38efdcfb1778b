"""Sliding of contact nodes on their lines to where the path over them is shortest (Servin et al.
2011, eq. 18).

One node after the other, then all together by Newton's step (``shortest_path.py``), until all rest.
The sum of distances is convex in all coordinates together, so this finds the shortest path over the
same lines, but for one kind of place: where two nodes meet, at a corner, each would rest for the
sake of the other. Hence they keep a little off the ends of their edges, and where the path over
another edge of the corner is shorter, one of them goes there and the other goes away
(``contacts.py``).
"""

from cable_sim.kernels.cables.contact.contact_path import (
    DIRECTION,
    EDGE,
    LOWER,
    POINT,
    UPPER,
    disturb,
    measure_span,
    place_node,
)
from cable_sim.kernels.cables.contact.polyhedron import detour, is_clear, shortest_coordinate
from cable_sim.kernels.cables.contact.resting_nodes import is_near_end, is_path_shortest
from cable_sim.kernels.cables.contact.shortest_path import (
    is_frictionless,
    line_coordinate,
    set_line_coordinate,
    take_newton_step,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, axpy, load, norm, store, sub
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.lines import Nodes
from cable_sim.kernels.records.obstacles import Touches

MARGIN = 2e-6
"""Distance that nodes keep from the ends of their edges [m]. Two that met at a corner would hold
one another there."""
FAR = 5e-3
"""Longest slide of a node without a look at its path [m]: on a longer one the cable may be swept
through its solid. The slide is halved until the path is free or it is as short as this."""
CLOSE = 1e-4
"""Least distance between two nodes when one is set [m]."""
SWEEPS = 30
AT_REST = 1e-9
"""Most rounds of sliding one by one and together; and the distance below which nodes rest [m]."""


@kernel
def point_in_body(bodies: Moving, b: int, point: Vector) -> Vector:
    """A point of the world in the frame of body b [m]."""
    if b == 0:  # the world's frame
        return point
    return rotate_back(load_quaternion(bodies.orientation, b), sub(point, load(bodies.position, b)))


@kernel
def edge_of(k: int, nodes: Nodes) -> int:
    """The edge that contact node k is on, -1 for none."""
    return int(nodes.line[k, EDGE])


@kernel
def rest_coordinate(k: int, a: Vector, b: Vector, nodes: Nodes) -> float:
    """Coordinate on the line of node k where the path from a to b is shortest [m]."""
    line = nodes.line[k : k + 1]
    return shortest_coordinate(
        load(line[:, POINT:], 0), load(line[:, DIRECTION:], 0), line[0, LOWER], line[0, UPPER], a, b
    )


@kernel
def is_path_clear(k: int, z: float, a: Vector, b: Vector, nodes: Nodes) -> bool:
    """Return True if the path from a over node k to b is outside of the node's solid.

    The node is taken at the coordinate z of its line.
    """
    line = nodes.line[k : k + 1]
    p = axpy(z, load(line[:, DIRECTION:], 0), load(line[:, POINT:], 0))
    return is_clear(nodes.solids, nodes.contact_solid[k], a, p) and is_clear(
        nodes.solids, nodes.contact_solid[k], p, b
    )


@kernel
def is_at_line_end(k: int, z: float, near: float, nodes: Nodes) -> bool:
    """Return True if a coordinate is within ``near`` [m] of an end of node k's line."""
    return min(z - nodes.line[k, LOWER], nodes.line[k, UPPER] - z) < near


@kernel
def limit_slide(k: int, z_before: float, z: float, a: Vector, b: Vector, nodes: Nodes) -> float:
    """Return the coordinate to which node k may go from z_before towards z [m].

    The paths to a and b have to be outside of its solid. The distance is halved until they are, or
    until it is as short as FAR. Then the cable catches the edge in its way, and the rest is for the
    next time.
    """
    while abs(z - z_before) > FAR and not is_path_clear(k, z, a, b, nodes):
        z = 0.5 * (z_before + z)
    return z


@kernel
def slide_node(k: int, nodes_out: Nodes) -> float:
    """Move contact node k to where the path over its line is shortest; return its distance [m].

    At the end of its own edge it goes on to another. It does so as well from an end where the path
    along its own edge is barred, but that over another is free.

    A node with friction goes as far as it was found to slide (``edge_sliding.py``).
    """
    b = nodes_out.body[k]
    before = load(nodes_out.point, k)
    start = point_in_body(nodes_out.bodies, b, load(nodes_out.position, k - 1))
    end = point_in_body(nodes_out.bodies, b, load(nodes_out.position, k + 1))
    z_before = line_coordinate(k, nodes_out)
    line = nodes_out.line[k : k + 1]
    if is_frictionless(k, nodes_out):
        z = rest_coordinate(k, start, end, nodes_out)
    else:
        z = min(max(z_before + nodes_out.slide_distance[k], line[0, LOWER]), line[0, UPPER])
        nodes_out.slide_distance[k] = 0.0
    z = limit_slide(k, z_before, z, start, end, nodes_out)
    set_line_coordinate(k, z, nodes_out)
    if is_at_line_end(k, z, AT_REST, nodes_out):
        turn_corner(k, start, end, nodes_out)
    elif is_at_line_end(k, z_before, MARGIN, nodes_out) and not is_path_clear(
        k, z, start, end, nodes_out
    ):
        set_line_coordinate(k, z_before, nodes_out)
        if not turn_corner(k, start, end, nodes_out):
            set_line_coordinate(k, z, nodes_out)
    place_node(k, nodes_out)
    return norm(sub(load(nodes_out.point, k), before))


@kernel
def rests(k: int, nodes: Nodes) -> bool:
    """Return True if contact node k has no way to slide, with its spans as they were measured."""
    if nodes.disturbed[k] and is_near_end(k, nodes):
        return False
    if is_frictionless(k, nodes):
        return is_path_shortest(k, AT_REST, nodes)
    return nodes.slide_distance[k] == 0.0


@kernel
def edge_at_corner(
    solids: Touches, t: int, corner: Vector, a: Vector, b: Vector, least: float
) -> tuple[int, float]:
    """Return the edge of a corner of solid t with the least free detour from a to b.

    The detour is to be below ``least``. The path to be free is that to a place near the corner.
    Further on another edge may be in it, which the cable will catch. Returns -1 for none, and the
    coordinate of the place. At a corner where the cable needs two edges, the path over the one goes
    through the solid, and it catches the other beside it.
    """
    best = -1
    place = 0.0
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        start = load(solids.edge_point, e)
        direction = load(solids.edge_direction, e)
        length = solids.edge_length[e]
        at_start = norm(sub(corner, start)) < 3.0 * MARGIN
        if not (at_start or norm(sub(corner, axpy(length, direction, start))) < 3.0 * MARGIN):
            continue
        z = shortest_coordinate(start, direction, 0.0, length, a, b)
        z = min(z, FAR) if at_start else max(z, length - FAR)
        p = axpy(z, direction, start)
        extra = detour(p, a, b)
        if extra < least and is_clear(solids, t, a, p) and is_clear(solids, t, p, b):
            best = e
            least = extra
            place = z
    return best, place


@kernel
def turn_corner(k: int, a: Vector, b: Vector, nodes_out: Nodes) -> bool:
    """Go from the end of an edge to another edge of the same corner if that is shorter.

    Shorter is the path from a to b over it. Returns whether it is.
    """
    corner = load(nodes_out.point, k)
    e, z = edge_at_corner(
        nodes_out.solids, nodes_out.contact_solid[k], corner, a, b, detour(corner, a, b) - 1e-12
    )
    if e >= 0:
        move_to_edge(k, e, z, nodes_out)
    return e >= 0


@kernel
def set_line(
    k: int, point: Vector, direction: Vector, lower: float, upper: float, nodes_out: Nodes
) -> None:
    """Give node k a line to slide along that is no edge."""
    line = nodes_out.line[k : k + 1]
    store(point, 0, line[:, POINT:])
    store(direction, 0, line[:, DIRECTION:])
    line[0, LOWER] = lower
    line[0, UPPER] = upper
    line[0, EDGE] = -1.0


@kernel
def set_edge(k: int, e: int, nodes_out: Nodes) -> None:
    """Give node k the line of edge e without its ends."""
    start = load(nodes_out.solids.edge_point, e)
    direction = load(nodes_out.solids.edge_direction, e)
    length = nodes_out.solids.edge_length[e]
    margin = min(MARGIN, 0.25 * length)
    set_line(k, start, direction, margin, length - margin, nodes_out)
    nodes_out.line[k, EDGE] = e


@kernel
def move_to_edge(k: int, e: int, z: float, nodes_out: Nodes) -> None:
    """Move node k to the coordinate z of edge e, kept away from its ends."""
    set_edge(k, e, nodes_out)
    line = nodes_out.line[k : k + 1]
    set_line_coordinate(k, min(max(z, line[0, LOWER]), line[0, UPPER]), nodes_out)


@kernel
def slide_nodes(first: int, count: int, nodes_out: Nodes) -> bool:
    """Slide the contact nodes of a strand, which has been measured, until they rest.

    Those that slide, and the nodes next to them, are disturbed. Returns whether any slid.
    """
    moved = False
    for sweep in range(SWEEPS):
        farthest = 0.0
        slid = 0.0
        for k in range(first + 1, first + count + 1):
            measured = sweep == 0 and slid < AT_REST
            slid = 0.0
            if nodes_out.contact_solid[k] < 0 or (measured and rests(k, nodes_out)):
                continue
            slid = slide_node(k, nodes_out)
            farthest = max(farthest, slid)
            moved |= slid > 0.0
            if slid >= AT_REST:
                disturb(k - 1, k + 2, nodes_out)
        if farthest < AT_REST:
            break
        if count > 1:
            take_newton_step(first, count, FAR, nodes_out)
            disturb(first, first + count + 2, nodes_out)
    return moved


@kernel
def can_replace(c: int, k: int, other: int, nodes_out: Nodes) -> bool:
    """Return True if contact node ``other``, next to node k, is near enough and serves for both.

    It may have to go to another edge of the corner where they met, with its spans.
    """
    if (
        nodes_out.contact_solid[other] != nodes_out.contact_solid[k]
        or nodes_out.length[min(k, other)] > CLOSE
    ):
        return False
    t = nodes_out.contact_solid[k]
    b = nodes_out.body[k]
    first = min(k, other) - 1
    start = point_in_body(nodes_out.bodies, b, load(nodes_out.position, first))
    end = point_in_body(nodes_out.bodies, b, load(nodes_out.position, first + 3))
    if is_path_clear(other, rest_coordinate(other, start, end, nodes_out), start, end, nodes_out):
        return True
    p = load(nodes_out.point, first + 1)
    q = load(nodes_out.point, first + 2)
    least = detour(p, start, q) + detour(q, start, end) - 1e-12
    e, z = edge_at_corner(nodes_out.solids, t, load(nodes_out.point, other), start, end, least)
    if e >= 0:
        move_to_edge(other, e, z, nodes_out)
        place_node(other, nodes_out)
        measure_span(c, other - 1, nodes_out)
        measure_span(c, other, nodes_out)
    return e >= 0


@kernel
def find_replacement(c: int, k: int, nodes_out: Nodes) -> int:
    """Return the contact node that takes the place of contact node k at a corner; -1 for none.

    Node k has come to it there.
    """
    for other in (k + 1, k - 1):
        if can_replace(c, k, other, nodes_out):
            return other
    return -1
