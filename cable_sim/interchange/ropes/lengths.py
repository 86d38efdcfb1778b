"""Lengths of ropes over the nodes and wheels of another engine, and their rows as wrenches.

Spans, tangents and forces of grooves are those of ``kernels/cables/massless``. A wheel adds the arc
R w between both contacts; halves of it count to either side. A row is, for each node, the force and
the moment about the node that its unit puts on the node's body: of a tension the pull of all spans,
-dS/dv, and of the friction F_i at node i, with the share f_i of the path that lies beyond it,

    - d(S beyond i)/dv + f_i dS/dv,

whose power is F_i times the speed w_i at which the rope runs over the node towards the first one,
as the body of the node sees it (``massless.py``).
"""

from typing import Any

from cable_sim.interchange.ropes.records import Paths, Ropes, World
from cable_sim.kernels.cables.friction.node_law import capstan_bound
from cable_sim.kernels.cables.massless.massless import place_nodes
from cable_sim.kernels.cables.massless.wheel_contacts import contact_angles, place_span
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, load
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.wheels import Rims


@kernel
def wheel_arc(k: int, rims_out: Rims, paths: Any) -> float:
    """Return the length of rope on the wheel at node k [m], 0 without one."""
    i = rims_out.wheels.of_node[k]
    if i < 0:
        return 0.0
    comes, leaves = contact_angles(i, rims_out, paths)
    rims_out.state.contact[i, 0] = comes
    rims_out.state.contact[i, 1] = leaves
    rims_out.work.wrap[i] = leaves - comes
    return rims_out.wheels.radius[i] * (leaves - comes)


@kernel
def place_rope(c: int, rims_out: Rims, paths_out: Any, ropes_out: Ropes) -> None:
    """Place the spans of rope c; find its path, and the shares of it beyond its nodes."""
    first = ropes_out.node_start[c]
    last = ropes_out.node_start[c + 1] - 1
    for k in range(first, last):
        place_span(k, rims_out, paths_out)
    beyond = 0.0
    for k in range(last - 1, first - 1, -1):
        beyond += paths_out.span_work.length[k]
        arc = wheel_arc(k, rims_out, paths_out)
        ropes_out.share[k] = beyond + 0.5 * arc
        beyond += arc
    ropes_out.path[c] = beyond
    for k in range(first, last):
        ropes_out.share[k] /= beyond


@kernel
def add_wrench(sign: float, force: Vector, moment: Vector, k: int, wrench_out: Floats) -> None:
    """Add a force and a moment to the row of node k."""
    for i in range(3):
        wrench_out[k, i] += sign * force[i]
        wrench_out[k, 3 + i] += sign * moment[i]


@kernel
def add_span(k: int, paths: Paths, wrench_out: Floats) -> None:
    """Add the pull of span k on its two nodes to a row (n, 6)."""
    spans = paths.span_work
    force = add(load(spans.direction, k), load(spans.groove_force, k))
    add_wrench(1.0, force, load(spans.groove_couple[k], 0), k, wrench_out)
    add_wrench(-1.0, force, load(spans.groove_couple[k], 1), k + 1, wrench_out)


@kernel
def add_rows(weight: float, first: int, end: int, row: Floats, row_out: Floats) -> None:
    """Add a multiple of a row (n, 6) to another one, for the nodes from ``first`` to ``end``."""
    for k in range(first, end):
        for i in range(6):
            row_out[k, i] += weight * row[k, i]


@kernel
def fill_wrenches(c: int, paths: Paths, ropes_out: Ropes) -> None:
    """Fill the rows of rope c, summed up from the far end; friction takes the sum beyond it."""
    first = ropes_out.node_start[c]
    end = ropes_out.node_start[c + 1]
    r = ropes_out.row_start[c]
    row = ropes_out.row_start[c + 1] - 1
    ropes_out.wrench[r : row + 1] = 0.0
    for k in range(end - 2, first - 1, -1):
        add_span(k, paths, ropes_out.wrench[r])
        if row > r and ropes_out.row_node[row] == k:
            add_rows(1.0, first, end, ropes_out.wrench[r], ropes_out.wrench[row])
            row -= 1
    for row in range(r + 1, ropes_out.row_start[c + 1]):
        share = ropes_out.share[ropes_out.row_node[row]]
        add_rows(-share, first, end, ropes_out.wrench[r], ropes_out.wrench[row])


@kernel
def renew_losses(rims: Rims, ropes_out: Ropes) -> None:
    """Take kappa of wheels with a friction from their wraps."""
    for i in range(rims.wheels.node.size):
        if rims.wheels.friction[i] > 0.0:
            wrap = max(rims.work.wrap[i], 0.0)
            ropes_out.loss[rims.wheels.node[i]] = 2.0 * capstan_bound(rims.wheels.friction[i], wrap)


@kernel
def place_ropes(world_out: World) -> None:
    """Place all ropes at the present frames, and fill their rows."""
    w = world_out
    lines: Any = w.paths
    place_nodes(0, w.ropes.loss.size, lines)
    for c in range(w.ropes.winch.size):
        place_rope(c, w.rims, lines, w.ropes)
        fill_wrenches(c, w.paths, w.ropes)
    renew_losses(w.rims, w.ropes)
