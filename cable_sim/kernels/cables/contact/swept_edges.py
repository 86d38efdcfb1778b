"""The edge of a solid that the line of a fast cable first goes through within a step.

In the frame of the solid's body, which may move as well, the ends of a piece of cable go from a to
a + s m_a and from b to b + s m_b while s goes from 0 to 1. With w = b - a and m_w = m_b - m_a, the
line of the piece meets that of an edge, x_0 + z d, where w, d and the line from a to x_0 lie in one
plane,

    (w + s m_w) . d x (x_0 - a - s m_a) = 0,

a quadratic in s. There the place x along the piece follows from what is across d of both. A piece
that is outside of a convex solid gets in over one of its edges, or with an end of its own through a
face; so the first crossing is where it touches first, however thin the solid, and however far it
goes in the step.

Displacements are taken as h times the velocities of the step relative to the solid's body; for a
body that spins with w_b that is off by (w_b h)^2 / 2 of the distance. A piece that starts inside,
by that, is left to ``contacts.py``, which looks at poses only and finds all that moves slowly.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    MASSIVE,
    SEVERED,
    node_velocity,
    record_curve,
)
from cable_sim.kernels.cables.contact.polyhedron import INSIDE, clip_segment, depth, is_out_of_reach
from cable_sim.kernels.cables.contact.sliding import CLOSE, point_in_body
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.lines import Nodes, SpanWaves
from cable_sim.kernels.records.obstacles import Touches

SLOW = 1e-3
"""Distance in a step below which a cable is not past an edge that it should have been caught on
[m]."""
THIN = 0.5
"""Distance for which the same holds, as a part of the depth of the solid's centre."""
AT_END = 0.5 * INSIDE
"""Distance within which a cable's own end takes the place of an edge [m]: the paths from there to
other edges are no deeper in the solid than is allowed. A contact node of the solid does not count
as such an end."""
NEVER = 2.0
"""Part of the step that stands for an edge that is not met in it."""
PARALLEL = 1e-18
"""Square of its length across the edge [m^2] below which a piece has no place on it."""


@kernel
def node_displacement(h: float, k: int, b: int, nodes: Nodes) -> Vector:
    """Return the displacement of node k in the step past body b, in the body's frame [m]."""
    velocity = (
        load(nodes.velocity, k) if nodes.contact_solid[k] == MASSIVE else node_velocity(k, nodes)
    )
    return point_displacement(h, b, load(nodes.position, k), velocity, nodes.bodies)


@kernel
def point_displacement(
    h: float, b: int, position: Vector, velocity: Vector, bodies: Moving
) -> Vector:
    """Return the displacement of a point in the step past body b, in the body's frame [m].

    ``velocity`` is that of the point in the world.
    """
    carried = point_velocity(bodies.velocity, b, sub(position, load(bodies.position, b)))
    return rotate_back(load_quaternion(bodies.orientation, b), scale(h, sub(velocity, carried)))


@kernel
def quadratic_roots(q_0: float, q_1: float, q_2: float) -> tuple[float, float]:
    """Return the roots of q_0 + q_1 s + q_2 s^2, the lesser first; NEVER for missing ones."""
    if abs(q_2) <= 1e-14 * abs(q_1):
        return (-q_0 / q_1 if q_1 != 0.0 else NEVER), NEVER
    square = q_1 * q_1 - 4.0 * q_2 * q_0
    if square < 0.0:
        return NEVER, NEVER
    half = -0.5 * (q_1 + (square**0.5 if q_1 >= 0.0 else -(square**0.5)))
    one = half / q_2
    other = q_0 / half if half != 0.0 else NEVER
    return min(one, other), max(one, other)


@kernel
def edge_crossing(
    piece: tuple[Vector, Vector, Vector, Vector], s: float, e: int, solids: Touches
) -> tuple[float, float]:
    """Return the places along a piece (0 to 1) and the line of edge e [m] where they meet at s.

    The first is -1 if they do not meet.
    """
    a, b, move_a, move_b = piece
    direction = load(solids.edge_direction, e)
    length = solids.edge_length[e]
    start = axpy(s, move_a, a)
    end = axpy(s, move_b, b)
    along = sub(end, start)
    offset = sub(load(solids.edge_point, e), start)
    across = axpy(-dot(along, direction), direction, along)
    square = dot(across, across)
    if square < PARALLEL:
        return -1.0, 0.0
    x = dot(across, offset) / square
    z = x * dot(along, direction) - dot(offset, direction)
    return (x if 0.0 <= x <= 1.0 and 0.0 <= z <= length else -1.0), z


@kernel
def find_edge_meeting(
    piece: tuple[Vector, Vector, Vector, Vector],
    e: int,
    near: tuple[float, float],
    latest: float,
    solids: Touches,
) -> Vector:
    """Return the part of the step at which a piece first meets edge e, and the places along both.

    The part is NEVER if there is none before ``latest``. Places nearer to the ends of the piece
    than ``near`` [m] do not count.
    """
    a, b, move_a, move_b = piece
    direction = load(solids.edge_direction, e)
    offset = sub(load(solids.edge_point, e), a)
    along = sub(b, a)
    spread = sub(move_b, move_a)
    still = cross(direction, offset)
    moving = cross(direction, scale(-1.0, move_a))
    first, second = quadratic_roots(
        dot(along, still), dot(spread, still) + dot(along, moving), dot(spread, moving)
    )
    for s in (first, second):
        if 0.0 <= s < latest:
            x, z = edge_crossing(piece, s, e, solids)
            length = norm(add(along, scale(s, spread)))
            if x >= 0.0 and x * length >= near[0] and (1.0 - x) * length >= near[1]:
                return s, x, z
    return NEVER, 0.0, 0.0


@kernel
def find_first_edge(
    solids: Touches,
    t: int,
    piece: tuple[Vector, Vector, Vector, Vector],
    near: tuple[float, float],
    latest: float,
) -> tuple[float, float, float, int]:
    """Return the part of the step, places along both and edge where a piece first meets solid t.

    Only edges that it meets before ``latest`` count. The part is NEVER if there is none, and for a
    piece that starts inside.
    """
    found = NEVER
    place = 0.0
    along = 0.0
    edge = -1
    _, _, inside = clip_segment(solids, t, piece[0], piece[1])
    if inside > INSIDE:
        return found, place, along, edge
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        s, x, z = find_edge_meeting(piece, e, near, min(found, latest), solids)
        if s < NEVER:
            found = s
            place = x
            along = z
            edge = e
    return found, place, along, edge


@kernel
def may_pass_edge(h: float, t: int, k: int, reach: float, nodes: Nodes) -> bool:
    """Return True if the chord of the span from node k may have gone past an edge of solid t."""
    b = nodes.solids.body[t]
    moved = max(
        norm(node_displacement(h, k, b, nodes)), norm(node_displacement(h, k + 1, b, nodes))
    )
    if moved < SLOW:
        return False
    start = point_in_body(nodes.bodies, b, load(nodes.position, k))
    end = point_in_body(nodes.bodies, b, load(nodes.position, k + 1))
    if is_out_of_reach(nodes.solids, t, start, end, moved + reach):
        return False
    thin, _ = depth(nodes.solids, t, load(nodes.solids.centre, t))
    return moved > THIN * thin


@kernel
def chord_piece(h: float, b: int, k: int, nodes: Nodes) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the chord of the span from node k in the frame of body b.

    Its ends before the step and their displacements describe it.
    """
    move_a = node_displacement(h, k, b, nodes)
    move_b = node_displacement(h, k + 1, b, nodes)
    a = sub(point_in_body(nodes.bodies, b, load(nodes.position, k)), move_a)
    return (
        a,
        sub(point_in_body(nodes.bodies, b, load(nodes.position, k + 1)), move_b),
        move_a,
        move_b,
    )


@kernel
def curve_piece(
    h: float, b: int, m: int, bodies: Moving, trace: Floats
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return element m of the curve in the trace in the frame of body b, in the same form."""
    p = load(trace[:, 1:], m)
    q = load(trace[:, 1:], m + 1)
    move_p = point_displacement(h, b, p, load(trace[:, 4:], m), bodies)
    move_q = point_displacement(h, b, q, load(trace[:, 4:], m + 1), bodies)
    return (
        sub(point_in_body(bodies, b, p), move_p),
        sub(point_in_body(bodies, b, q), move_q),
        move_p,
        move_q,
    )


@kernel
def find_met_edge(
    h: float, c: int, t: int, k: int, near: tuple[float, float], nodes_out: Nodes
) -> tuple[int, float, float]:
    """Return the edge of solid t that the span from node k met first, and the places along both.

    The edge is -1 if there is none. Overwrites the trace.
    """
    b = nodes_out.solids.body[t]
    if not nodes_out.waves.active[k]:
        _, x, z, e = find_first_edge(
            nodes_out.solids, t, chord_piece(h, b, k, nodes_out), near, 1.0
        )
        return e, x, z
    edge = -1
    place = 0.0
    along = 0.0
    latest = 1.0
    rows = record_curve(c, k, 0.0, 1.0, 0, nodes_out)
    for m in range(rows - 1):
        piece = curve_piece(h, b, m, nodes_out.bodies, nodes_out.waves.trace)
        ends = (near[0] if m == 0 else 0.0, near[1] if m == rows - 2 else 0.0)
        s, x, z, e = find_first_edge(nodes_out.solids, t, piece, ends, latest)
        if s < latest:
            edge = e
            place = (m + x) / (rows - 1)
            along = z
            latest = s
    return edge, place, along


@kernel
def curve_radius(k: int, waves: SpanWaves) -> float:
    """Return the radius of the cylinder about a span's chord that holds its curve [m].

    The span is the one from node k.
    """
    if not waves.active[k]:
        return 0.0
    most = 0.0
    for i in range(waves.start[k], waves.start[k] + waves.intervals[k] + 1):
        most = max(most, waves.displacement[0, i] ** 2 + waves.displacement[1, i] ** 2)
    return most**0.5


@kernel
def nearest_edge_distance(t: int, k: int, nodes: Nodes) -> float:
    """Return the least distance of an edge from node k, an end of a span over it [m].

    The edge is one of solid t.
    """
    return CLOSE if nodes.contact_solid[k] == t else AT_END


@kernel
def find_passed_edge(
    h: float, c: int, t: int, k: int, nodes_out: Nodes
) -> tuple[int, float, float]:
    """Return the edge of solid t that the span from node k has passed in the step, and the places.

    The edge is -1 for none. The places are those along the span and the edge.
    """
    if h == 0.0 or nodes_out.friction_state[k] == SEVERED or nodes_out.length[k] <= CLOSE:
        return -1, 0.0, 0.0
    if not may_pass_edge(h, t, k, curve_radius(k, nodes_out.waves), nodes_out):
        return -1, 0.0, 0.0
    near = nearest_edge_distance(t, k, nodes_out), nearest_edge_distance(t, k + 1, nodes_out)
    return find_met_edge(h, c, t, k, near, nodes_out)
