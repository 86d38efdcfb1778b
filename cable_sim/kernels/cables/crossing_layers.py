"""Rope that comes to lie on rope on a solid, and the update of all crossings there.

Two spans of wires that may cross meet on a solid when they are nearer to one another than the
thickness, the way from one to the other is along the normal of the solid, and one of them has a
contact node. Which of them is the upper one tells their places before the step. They get a
crossing at once that lies on the solid (``crossing_landing.py``), before they go through one
another: in the same face they could no longer be told apart.
"""

from cable_sim.kernels.cables.contact_path import CROSSED
from cable_sim.kernels.cables.crossing_landing import (
    land,
    land_if_inside,
    nearest_solid,
    update_landed,
)
from cable_sim.kernels.cables.crossing_nodes import add_crossing, remove_crossing, update_crossings
from cable_sim.kernels.cables.crossing_rows import AT_ONCE, find_crossing_nodes, is_own
from cable_sim.kernels.cables.passages import (
    has_rope,
    meet_at_crossing,
    nearest_places,
    next_span,
    resting_span,
    span_at,
    stepped_span,
)
from cable_sim.kernels.cables.segments import is_on_solid
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.status import CONTACTS_FULL, SOLVED
from cable_sim.kernels.vec3 import axpy, dot, load, norm, sub

AT_END = 0.1
"""Least part of a span between its end and a crossing that comes: short rope is stiff."""
BESIDE_EACH_OTHER = 2.0
"""Least distance of two crossings of the same wires, by the thickness."""
ON_TOP = 0.95
"""Least cosine, to the normal of the solid, of the way from a rope to one that lies on it."""


@kernel
def ends_on_solid(k, nodes):
    """Return True if the span from node k begins or ends on a solid."""
    return is_on_solid(k, nodes) or is_on_solid(k + 1, nodes)


@kernel
def point_of_span(span, x):
    """Return the point at the part x of a moving span before it moves [m]."""
    start, along = span_at(0.0, span)
    return axpy(x, along, start)


@kernel
def nearest_parts(a, b):
    """Return the parts of two resting spans at which they are nearest to one another."""
    start_a, along_a = span_at(0.0, a)
    start_b, along_b = span_at(0.0, b)
    x, _ = nearest_places(start_a, along_a, start_b, along_b)
    x = min(max(x, 0.0), 1.0)
    y = dot(sub(axpy(x, along_a, start_a), start_b), along_b) / dot(along_b, along_b)
    y = min(max(y, 0.0), 1.0)
    x = dot(sub(axpy(y, along_b, start_b), start_a), along_a) / dot(along_a, along_a)
    return min(max(x, 0.0), 1.0), y


@kernel
def lies_on(h, p, i, j, crossings, wires, solids, near, bodies, nodes):
    """Return which of the spans i and j of pair p lies below the other one on a solid, -1 for none.

    It is 0 for the first. The parts of both spans where they meet, and the solid, follow.
    """
    here = resting_span(i, nodes)
    there = resting_span(j, nodes)
    x, y = nearest_parts(here, there)
    point = point_of_span(here, x)
    thickness = crossings.thickness[p]
    apart = sub(point_of_span(there, y), point)
    if norm(apart) >= thickness:
        return -1, x, y, -1
    first = wires.cable[crossings.wire[p, 0]]
    t, _, out = nearest_solid(first, point, thickness, solids, bodies, near, nodes)
    before = sub(
        point_of_span(stepped_span(h, j, bodies, nodes), y),
        point_of_span(stepped_span(h, i, bodies, nodes), x),
    )
    above = dot(before, out)
    if t < 0 or abs(above) <= ON_TOP * norm(before):
        return -1, x, y, -1
    if above > 0.0:
        return 0, x, y, t
    second = wires.cable[crossings.wire[p, 1]]
    t, _, _ = nearest_solid(second, point, thickness, solids, bodies, near, nodes)
    return 1 if t >= 0 else -1, x, y, t


@kernel
def is_beside_crossing(p, point, crossings, wires, nodes):
    """Return True if a point is too near to a crossing of pair p to be another one."""
    for body in range(crossings.body[p], crossings.body[p] + AT_ONCE):
        a, b = find_crossing_nodes(p, body, crossings, wires, nodes)
        if a >= 0 and b >= 0:
            apart = norm(sub(load(nodes.position, a), point))
            if apart < BESIDE_EACH_OTHER * crossings.thickness[p]:
                return True
    return False


@kernel
def detect_layer(h, p, crossings, wires, solids, near, bodies, nodes_out, waves_out):
    """Put a crossing where a span of pair p has come to lie on another one on a solid.

    Returns whether there are such spans, and whether there was room.
    """
    first = wires.cable[crossings.wire[p, 0]]
    second = wires.cable[crossings.wire[p, 1]]
    for i in range(wires.node_start[first], wires.node_start[first + 1] - 1):
        if not has_rope(i, nodes_out):
            continue
        begin = next_span(i, nodes_out) + 1 if is_own(p, crossings) else wires.node_start[second]
        for j in range(begin, wires.node_start[second + 1] - 1):
            if not (ends_on_solid(i, nodes_out) or ends_on_solid(j, nodes_out)):
                continue
            if not has_rope(j, nodes_out) or meet_at_crossing(i, j, nodes_out):
                continue
            side, x, y, t = lies_on(h, p, i, j, crossings, wires, solids, near, bodies, nodes_out)
            point = point_of_span(resting_span(i, nodes_out), x)
            if side < 0 or is_beside_crossing(p, point, crossings, wires, nodes_out):
                continue
            x = min(max(x, AT_END), 1.0 - AT_END)
            y = min(max(y, AT_END), 1.0 - AT_END)
            body = add_crossing(p, i, j, 1.0, x, y, crossings, wires, bodies, nodes_out, waves_out)
            if body < 0:
                return True, False
            a, b = find_crossing_nodes(p, body, crossings, wires, nodes_out)
            land(p, side, t, crossings, wires, solids, near, bodies, a, b, nodes_out, waves_out)
            return True, True
    return False, True


@kernel
def update_all_crossings(h, crossings, wires, solids, near, bodies, nodes_out, waves_out):
    """Update the crossings of all pairs of wires at the end of a step; return status flags.

    The wires have been laid.
    """
    flags = update_crossings(h, crossings, wires, bodies, nodes_out, waves_out)
    for p in range(crossings.body.size):
        for _ in range(AT_ONCE):
            found, fits = detect_layer(
                h, p, crossings, wires, solids, near, bodies, nodes_out, waves_out
            )
            flags |= SOLVED if fits else CONTACTS_FULL
            if not (found and fits):
                break
        for body in range(crossings.body[p], crossings.body[p] + AT_ONCE):
            a, b = find_crossing_nodes(p, body, crossings, wires, nodes_out)
            if a < 0 or b < 0:
                continue
            if nodes_out.contact_solid[a] == CROSSED:
                land_if_inside(
                    p, crossings, wires, solids, near, bodies, a, b, nodes_out, waves_out
                )
            elif not update_landed(
                h, p, a, b, crossings, wires, solids, bodies, nodes_out, waves_out
            ):
                # the one behind first, as it moves the nodes behind it
                remove_crossing(crossings.wire[p, 1], b, wires, bodies, nodes_out, waves_out)
                remove_crossing(crossings.wire[p, 0], a, wires, bodies, nodes_out, waves_out)
    return flags
