"""Inertia that keeps light bodies on taut hybrid wires calm: the rows of ``transverse.py`` at both
ends of each strand.

A strand is the rope between two nodes of the scene, with contact nodes in between. What pulls a
body at its end back like a spring is its first or last span, to the next node on another body, as
short as contacts leave it: K = T / l across the span, and K = T r . f about the arm r of the node.
A span to a mass has no rows, as masses go where they are not stable (``adaptive_resolution.py``).
"""

from cable_sim.kernels.cables.contact.contact_path import LANDED, MASSIVE, count_nodes
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN, add_force_entry
from cable_sim.kernels.cables.massless.transverse import CALM, SHARE, unit_normals
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import clear_entries, set_entry
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, dot, load, scale
from cable_sim.kernels.records.cables import Cables, Spans
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.rows import Rows, RowWork

FIRST_SPAN = 0
FIRST_ARM = 1
LAST_ARM = 2
LAST_SPAN = 3
PLACES = 4
"""Columns of ``spans.inertia_row`` in the row of the node where a strand begins, and their
number."""


@kernel
def end_stiffness(place: int, k: int, far: int, tension: float, nodes: Nodes) -> float:
    """Return K of the spring at a place of span k, to node ``far`` [N/m or N m/rad].

    It is 0 for a span that has no rows.
    """
    if nodes.length[k] <= SHORTEST_SPAN or nodes.body[k] == nodes.body[far]:
        return 0.0
    for node in (k, far):
        if LANDED <= nodes.contact_solid[node] <= MASSIVE:
            return 0.0
    if place == FIRST_SPAN or place == LAST_SPAN:
        return tension / nodes.length[k]
    along = load(nodes.direction, k)
    if place == FIRST_ARM:
        return tension * dot(along, load(nodes.arm, k))
    return -tension * dot(along, load(nodes.arm, far))


@kernel
def fill_row(
    r: int,
    across: bool,
    normal: Vector,
    k: int,
    far: int,
    rows: Rows,
    nodes: Nodes,
    row_work_out: RowWork,
) -> None:
    """Fill the entries of a row of span k about a normal: across the span, or about an arm."""
    begin = rows.entry_start[r]
    if not across:
        set_entry(ZERO, normal, begin, row_work_out.jacobian)
        return
    clear_entries(begin, rows.entry_start[r + 1], row_work_out.jacobian)
    for node, sign in ((k, 1.0), (far, -1.0)):
        if nodes.row_entry[node] >= 0:
            add_force_entry(
                scale(sign, normal),
                load(nodes.arm, node),
                begin + nodes.row_entry[node],
                row_work_out.jacobian,
            )


@kernel
def is_about(r: int, node: int, rows: Rows, nodes: Nodes) -> bool:
    """Return True if row r is about an arm of the body that a node is on at present."""
    return rows.entry_body[rows.entry_start[r]] == nodes.body[node]


@kernel
def fill_strand(
    h: float,
    p: int,
    q: int,
    count: int,
    spans: Spans,
    rows: Rows,
    nodes: Nodes,
    row_work_out: RowWork,
) -> None:
    """Fill the pairs of rows of the strand from node p to q, with ``count`` nodes in between."""
    for place in range(PLACES):
        r = spans.inertia_row[p, place]
        if r < 0:
            continue
        first = place == FIRST_SPAN or place == FIRST_ARM
        k = p if first else p + count
        far = q if not first or count == 0 else p + 1
        spring = end_stiffness(place, k, far, nodes.tension_impulse[k] / h, nodes)
        across = place == FIRST_SPAN or place == LAST_SPAN
        if across:
            own = first or count > 0  # else it is the first span once more
        else:
            own = is_about(r, k if first else q, rows, nodes)
        active = own and h * h * spring * spans.mobility[p, place] > CALM
        row_work_out.active[r] = row_work_out.active[r + 1] = active
        if not active:
            continue
        row_work_out.compliance[r] = row_work_out.compliance[r + 1] = 1.0 / (SHARE * h * spring)
        one, other = unit_normals(load(nodes.direction, k))
        fill_row(r, across, one, k, far, rows, nodes, row_work_out)
        fill_row(r + 1, across, other, k, far, rows, nodes, row_work_out)


@kernel
def fill_rows(
    h: float,
    cables: Cables,
    wires: WireLines,
    spans: Spans,
    rows: Rows,
    nodes: Nodes,
    row_work_out: RowWork,
) -> None:
    """Fill the inertia rows of all hybrid wires that have some."""
    for n in range(wires.cable.size):
        c = wires.cable[n]
        if cables.lacks_inertia_rows[c]:
            continue
        p = wires.node_start[c]
        while p < wires.node_start[c + 1] - 1:
            q = p + wires.slots[p] + 1
            count = count_nodes(p, wires.slots[p], nodes)
            fill_strand(h, p, q, count, spans, rows, nodes, row_work_out)
            p = q
