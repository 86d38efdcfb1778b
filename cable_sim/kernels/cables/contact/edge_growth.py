"""The part of a path's growth that contact nodes take back by sliding or letting go.

``path_growth.py`` has b of a massless cable over contact nodes that stay where they are on their
bodies. Without friction they do not, and b / h is speed that the row asks for. A load that slides
off an edge with l of rope behind it and the speed v has b = (h v)^2 / 2 l, without end as l goes to
nothing: a load of 2.7 t got 14 kJ so, of 91 kJ at play.

With a and c the nodes next to a contact node, at their places at the end of the step, the way is

    S = |a - p| + |c - p|,    p the place on the node's edge where that is shortest,

as on hybrid wires (``path_ahead.py``): of second order, as b is. Where the rope would bend about
the edge in the other sense, which is that of (a - p) x (c - p) along the edge, it has come off it:
S = |a - c|. What the way over a node that stays is longer than S goes out of b. So it does of b',
with the places half a step before those of the state.

Each node is taken with its neighbours as they would stay. Where several slide at once, S is below
that, as it is convex in the places of all: b is too large rather than too small. Turns of the
node's body count to first order.
"""

from cable_sim.kernels.cables.contact.contact_path import DIRECTION, FREE, LOWER, POINT, UPPER
from cable_sim.kernels.cables.contact.polyhedron import shortest_coordinate
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN
from cable_sim.kernels.cables.massless.path_growth import (
    counts_turns,
    even_displacement,
    node_displacement,
    span_growth,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate_back
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, axpy, cross, dot, load, norm, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table


@kernel
def way_over_line(line: Floats, a: Vector, c: Vector) -> float:
    """Return the length of the shortest way from a to c over a node's line [m]."""
    point = load(line[:, POINT:], 0)
    direction = load(line[:, DIRECTION:], 0)
    z = shortest_coordinate(point, direction, line[0, LOWER], line[0, UPPER], a, c)
    p = axpy(z, direction, point)
    return norm(sub(a, p)) + norm(sub(c, p))


@kernel
def bend(line: Floats, a: Vector, c: Vector) -> float:
    """Return the sense in which a rope from a to c bends about a node's line [m^2]."""
    point = load(line[:, POINT:], 0)
    return dot(load(line[:, DIRECTION:], 0), cross(sub(a, point), sub(c, point)))


@kernel
def way_saved(
    line: Floats, p: Vector, a: Vector, c: Vector, moved_a: Vector, moved_c: Vector
) -> float:
    """Return the length that a node at p saves by sliding or letting go [m].

    Its neighbours move from a and c to other places, all in the frame of the node's body.
    """
    saved = norm(sub(moved_a, p)) + norm(sub(moved_c, p))
    saved -= norm(sub(a, p)) + norm(sub(c, p)) - way_over_line(line, a, c)
    if bend(line, a, c) * bend(line, moved_a, moved_c) <= 0.0:
        return max(saved - norm(sub(moved_a, moved_c)), 0.0)
    return max(saved - way_over_line(line, moved_a, moved_c), 0.0)


@kernel
def span_displacements(
    h: float, k: int, lines: Lines, velocity: Floats, next_velocity: Floats
) -> tuple[Vector, Vector]:
    """Return the displacements of the far node of span k past its near one, back and ahead [m]."""
    near = lines.node_state.body[k]
    far = lines.node_state.body[k + 1]
    if near == far:
        return ZERO, ZERO
    arm = load(lines.node_work.arm, k)
    far_arm = load(lines.node_work.arm, k + 1)
    near_back, near_round = node_displacement(-h, near, arm, velocity)
    far_back, far_round = node_displacement(-h, far, far_arm, velocity)
    near_ahead, _ = node_displacement(h, near, arm, next_velocity)
    far_ahead, _ = node_displacement(h, far, far_arm, next_velocity)
    along = load(lines.span_work.direction, k)
    back = sub(far_back, near_back)
    growth = span_growth(lines.span_work.length[k], along, back, sub(far_round, near_round))
    return back, even_displacement(along, back, sub(far_ahead, near_ahead), growth)


@kernel
def seen_from(k: int, node: int, displacement: Vector, turn: Vector, lines: Lines) -> Vector:
    """Return the place of a neighbour of contact node k in the frame of the node's body [m].

    It is displaced past node k, while the body turns.
    """
    b = lines.node_state.body[k]
    place = load(lines.node_work.position, node)
    offset = sub(displacement, cross(turn, sub(place, load(lines.node_work.position, k))))
    place = sub(add(place, offset), load(lines.bodies.position, b))
    return rotate_back(load_quaternion(lines.bodies.orientation, b), place)


@kernel
def node_savings(h: float, k: int, lines: Lines, next_velocity: Floats) -> tuple[float, float]:
    """Return what contact node k takes off b' and b [m]."""
    node_state = lines.node_state
    body_state = lines.bodies
    back_a, ahead_a = span_displacements(h, k - 1, lines, body_state.velocity, next_velocity)
    back_c, ahead_c = span_displacements(h, k, lines, body_state.velocity, next_velocity)
    b = node_state.body[k]
    line = node_state.line[k : k + 1]
    p = load(node_state.point, k)
    a = seen_from(k, k - 1, ZERO, ZERO, lines)
    c = seen_from(k, k + 1, ZERO, ZERO, lines)
    spin = load(body_state.velocity[:, 3:], b)
    turn = axpy(-h, spin, ZERO)
    before = way_saved(
        line,
        p,
        a,
        c,
        seen_from(k, k - 1, sub(ZERO, back_a), turn, lines),
        seen_from(k, k + 1, back_c, turn, lines),
    )
    turn = axpy(h, spin, ZERO)
    behind = way_saved(
        line,
        p,
        a,
        c,
        seen_from(k, k - 1, sub(ZERO, ahead_a), turn, lines),
        seen_from(k, k + 1, ahead_c, turn, lines),
    )
    return before, behind


@kernel
def edge_savings(
    h: float, first: int, last: int, lines: Lines, next_velocity: Floats
) -> tuple[float, float]:
    """Return what the contact nodes of a path take off b' and b [m].

    They are those between nodes ``first`` and ``last`` without friction.
    """
    node_state = lines.node_state
    span_work = lines.span_work
    before = 0.0
    behind = 0.0
    for k in range(first + 1, last):
        slides = node_state.contact_solid[k] >= 0 and node_state.friction_state[k] == FREE
        if slides and min(span_work.length[k - 1], span_work.length[k]) > SHORTEST_SPAN:
            saved_before, saved_behind = node_savings(h, k, lines, next_velocity)
            before += saved_before
            behind += saved_behind
    return before, behind


@kernel
def subtract_savings(h: float, lines: Lines, table_out: Table) -> None:
    """Take what contact nodes save off the rates of stretch rows [m/s]."""
    cables = lines.cables
    for c in range(cables.row.size):
        if not counts_turns(h, c, lines, table_out):
            continue
        before, behind = edge_savings(
            h,
            cables.node_start[c],
            cables.node_start[c + 1] - 1,
            lines,
            lines.body_work.trial_velocity,
        )
        table_out.work.inner[cables.row[c], 1] -= before / h
        table_out.work.target[cables.row[c]] -= behind / h
