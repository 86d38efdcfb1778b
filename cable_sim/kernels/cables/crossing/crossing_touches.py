"""Ropes that come to touch: crossings before ropes go through one another.

Two round ropes touch where their axes are as near as the thickness d, the sum of both radii. Spans
that are nearer than ``TOUCHES`` d get a crossing with the normal from one to the other, at which
they are d apart (``crossing_rows.py``). Ropes that come together faster than d in a step go through
one another in it and are caught then (``span_search.py``); they are put back by d, and that is a
detour.

Ropes that are nearer from the start, or slide past one another rather than come nearer, touch when
they go through one another. Not modelled: ropes side by side, which touch along a line.
"""

from cable_sim.kernels.cables.contact.contact_detection import clamp_to_span
from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE, find_crossing_nodes, is_own
from cable_sim.kernels.cables.crossing.passages import interpolate_points, nearest_places
from cable_sim.kernels.cables.crossing.span_search import (
    NOWHERE,
    SPAN,
    are_apart,
    are_joined,
    lie_on_one_solid,
    sweep_wire,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, cross, dot, load, norm, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

TOUCHES = 0.9
"""Distance of spans that touch, by the thickness. Those at a crossing come apart at 1."""
AT_END = 0.1
"""Least part of a span between its end and a crossing that comes: short rope is stiff."""
BESIDE_EACH_OTHER = 2.0
"""Least distance of two crossings of the same wires, by the thickness."""
ACROSS = 0.3
"""Least sine of the angle between spans that touch at a point."""
STRAIGHT = 0.5
"""Least cosine of the angle between the way from one to the other and that on which they come."""


@kernel
def nearest_parts(i: int, j: int, nodes: Nodes) -> tuple[float, float]:
    """Return the parts of two spans at which they are nearest to one another."""
    start_a = load(nodes.position, i)
    start_b = load(nodes.position, j)
    along_a = sub(load(nodes.position, i + 1), start_a)
    along_b = sub(load(nodes.position, j + 1), start_b)
    x, _ = nearest_places(start_a, along_a, start_b, along_b)
    x = min(max(x, 0.0), 1.0)
    y = dot(sub(axpy(x, along_a, start_a), start_b), along_b) / dot(along_b, along_b)
    y = min(max(y, 0.0), 1.0)
    x = dot(sub(axpy(y, along_b, start_b), start_a), along_a) / dot(along_a, along_a)
    return min(max(x, 0.0), 1.0), y


@kernel
def is_beside_crossing(p: int, point: Vector, wires: WireLines, nodes: Nodes) -> bool:
    """Return True if a point is too near to a crossing of pair p to be another one."""
    for body in range(wires.crossings.body[p], wires.crossings.body[p] + AT_ONCE):
        a, b = find_crossing_nodes(p, body, wires, nodes)
        if a >= 0 and b >= 0:
            apart = norm(sub(load(nodes.position, a), point))
            if apart < BESIDE_EACH_OTHER * wires.crossings.thickness[p]:
                return True
    return False


@kernel
def way_between(i: int, x: float, j: int, y: float, motion: Floats) -> Vector:
    """Return the way from the part y of span j to the part x of span i [m].

    ``motion`` has the places of their nodes.
    """
    on_a = interpolate_points(x, load(motion, i), load(motion, i + 1))
    return sub(on_a, interpolate_points(y, load(motion, j), load(motion, j + 1)))


@kernel
def touch(
    i: int, j: int, distance: float, own: bool, nodes: Nodes
) -> tuple[bool, float, float, Vector]:
    """Return if spans i and j have come nearer than a distance [m] in a motion, where, and the way
    from j to i [m].

    Only spans across one another count.
    """
    if are_joined(i, j, own, nodes) or lie_on_one_solid(i, j, nodes):
        return False, 0.0, 0.0, ZERO
    if norm(cross(load(nodes.direction, i), load(nodes.direction, j))) < ACROSS:
        return False, 0.0, 0.0, ZERO
    x, y = nearest_parts(i, j, nodes)
    away = way_between(i, x, j, y, nodes.position)
    before = way_between(i, x, j, y, nodes.start)
    came = sub(before, away)
    came_straight = dot(came, away) > STRAIGHT * norm(came) * norm(away)
    touches = came_straight and norm(away) < distance <= norm(before)
    return touches, clamp_to_span(x), clamp_to_span(y), away


@kernel
def find_touch(
    p: int, wires: WireLines, nodes_out: Nodes
) -> tuple[tuple[float, int, int, float, float, float], Vector]:
    """Return spans of pair p that touch, as ``find_first_passage`` does, and the way from B to A
    [m]."""
    own = is_own(p, wires.crossings)
    m = wires.crossings.wire[p, 0]
    n = wires.crossings.wire[p, 1]
    distance = TOUCHES * wires.crossings.thickness[p]
    end_a = sweep_wire(m, wires, nodes_out)
    end_b = end_a if own else sweep_wire(n, wires, nodes_out)
    swept = nodes_out.swept
    for row in range(wires.node_start[wires.cable[m]], end_a):
        i = int(swept[row, SPAN])
        for other in range(row + 1 if own else wires.node_start[wires.cable[n]], end_b):
            if are_apart(row, other, distance, swept):
                continue
            j = int(swept[other, SPAN])
            touches, x, y, away = touch(i, j, distance, own, nodes_out)
            if not touches:
                continue
            point = axpy(
                x * nodes_out.length[i], load(nodes_out.direction, i), load(nodes_out.position, i)
            )
            if not is_beside_crossing(p, point, wires, nodes_out):
                return (1.0, i, j, 1.0, x, y), away
    return NOWHERE, ZERO
