"""Dry friction of massless and elevation cables on solids: stick and slip over contact nodes.

*Grips.* A contact node whose solid has friction holds the rope: a grip. So does a sheave with
losses of such a cable. The grips 1 ... n of a cable divide it into parts 0 ... n, each with its
path S_j, its own unstretched length L_j, and the tension T_j. They are wheels that do not turn
(``wheels.py``), and the law is the same one: with the shares f_i = (L_i + ... + L_n) / L, the rope
B_i = L_i + ... + L_n beyond grip i, and the differences F_i = T_i - T_{i-1},

    T_j = T + sum_i c_ij F_i,       c_ij = (1 if j >= i else 0) - f_i,
    G_i = (B_i - S_i - ... - S_n) - f_i (L - S),
    A_ik = sum_j c_ij c_kj L_j / EA,
    |F_i| <= kappa_i (T_{i-1} + T_i) / 2,

T the impulse of the stretch row, F_i that of the row of grip i with the gap G_i and the compliance
A. kappa is that of ``node_law.py``. Turns are those of the tangents of the rope, so that its sag
counts. L_j is state, ``spans.rest_length``: what sticks does not creep.

*Slip.* Rope slips over grip i by d = h w, w the speed at the end of the step. With the strains s =
-G half a step before the pose and s+ half a step behind it,

    s+ = s - h (J v + J v+) / 2 - d,      eps F = (s + s+) / 2 - gamma (J v+ + w),

so that F (s+ - s) is what the strain stores and F d >= 0 what slip takes, whatever w was before.
With Y = 1 / (1 + 4 gamma / h)

    J v+ + (4 Y / h^2) eps lambda = Y (J v - 4 G / h) + z,      d = -h z / (1 + Y),

z the row's slack; ``regularised`` has Y = 0. The heat F d of each step is added to the cable's
``wave_loss``. A cable with EA -> infinity has gamma = 2 h, as on wheels.

*Turns.* Where stretch rows have what a turn of the spans adds to the path (``path_growth.py``),
rows of grips have their part of it. Without it a part where a load swings would pull at the others.

*Along the edge* a node stays, slides and lets go as that of a hybrid wire (``edge_sliding.py``).
One that slides along its edge has spent its friction: across the edge the rope runs freely, and its
parts become one. What the slide changes the path by is a rate in the rows of the step.

*Coming and going.* A node that comes divides its part by where it lies, with one tension. Each part
has an account of the detour (``path_accounts.py``), so that no part is strained by what its contact
nodes do. A node whose solid holds nothing any more is freed, and its parts become one: with one
tension they store less than with two. So friction never gives energy.

A slack rope lies evenly: with no tension there is no friction.

Not modelled: what the curves of an elevation cable give way under the differences F_i within a step
(``wave_compliance.py``: under T alone). m above ``STEEPEST`` counts as that. With no place left for
another grip the rope slides over the node without friction; there are as many as contact nodes.
"""

from math import sqrt
from typing import NamedTuple

from cable_sim.kernels.cables.contact.contact_path import count_nodes, holds_rope
from cable_sim.kernels.cables.contact.edge_growth import edge_savings
from cable_sim.kernels.cables.contact.polyhedron import unit
from cable_sim.kernels.cables.elevation.slopes import end_slopes
from cable_sim.kernels.cables.friction.edge_sliding import predict_cable_slides, slide_growth
from cable_sim.kernels.cables.friction.node_law import STEEPEST, friction_ratio
from cable_sim.kernels.cables.massless.breakage import ON
from cable_sim.kernels.cables.massless.massless import (
    add_span_entries,
    copy_entries,
    mean_tension_impulse,
    unstretched_length,
)
from cable_sim.kernels.cables.massless.path_growth import path_growths
from cable_sim.kernels.cables.massless.wheels import part_share, step_weights
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.entries import clear_entries, row_rate, set_entry
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, load
from cable_sim.kernels.records import Floats, Ints
from cable_sim.kernels.records.cables import Cables, CableState
from cable_sim.kernels.records.lines import Lines, Nodes
from cable_sim.kernels.records.rows import Rows, Table


class Grips(NamedTuple):
    """Room for the grips of each cable, and those of the step, see ``kernels/records/grips.py``."""

    start: Ints
    row: Ints
    counts: Ints
    node: Ints
    loss: Floats
    beyond: Floats
    share: Floats


@kernel
def has_grips(c: int, grips: Grips, cable_state: CableState) -> bool:
    """Return True if friction may hold cable c, which is attached."""
    return grips.start[c] < grips.start[c + 1] and cable_state.attachment[c] == ON


@kernel
def is_grip(k: int, nodes: Nodes) -> bool:
    """Return True if node k between the ends of a cable holds its rope by friction."""
    return holds_rope(k, nodes) or nodes.loss[k] > 0.0


@kernel
def lay_part(begin: int, end: int, rope: float, nodes_out: Nodes) -> None:
    """Lay ``rope`` [m] evenly along the path from node ``begin`` to node ``end``."""
    path = nodes_out.remaining_path_length[begin] - nodes_out.remaining_path_length[end]
    for k in range(begin, end):
        span = nodes_out.remaining_path_length[k] - nodes_out.remaining_path_length[k + 1]
        nodes_out.rest_length[k] = rope * span / path if path > 0.0 else 0.0
    if path <= 0.0:
        nodes_out.rest_length[begin] = rope


@kernel
def lay_rope(first: int, last: int, length: float, slack: bool, nodes_out: Nodes) -> None:
    """Lay the rope of a cable evenly in each of its parts, or if it is ``slack`` over all of it.

    ``length`` is its unstretched length [m]; what a winch pays out is in the first part.
    """
    end = last
    while end > first:
        begin = end - 1
        while begin > first and (slack or not is_grip(begin, nodes_out)):
            begin -= 1
        rope = 0.0
        for k in range(begin, end):
            rope += nodes_out.rest_length[k]
        if begin == first:
            rope = length
        lay_part(begin, end, rope, nodes_out)
        length -= rope
        end = begin


@kernel
def hold_cables(
    h: float, lines: Lines, grips: Grips, row_impulse: Floats, nodes_out: Nodes
) -> None:
    """Lay the rope of all cables, and find where friction holds it in the step.

    ``row_impulse`` are the impulses of the last step.
    """
    cables = lines.cables
    for c in range(cables.row.size):
        if not has_grips(c, grips, lines.cable_state):
            continue
        lay_rope(
            cables.node_start[c],
            cables.node_start[c + 1] - 1,
            unstretched_length(c, cables, nodes_out.bodies.position),
            mean_tension_impulse(c, cables, row_impulse) == 0.0,
            nodes_out,
        )
        predict_cable_slides(h, c, True, False, cables.node_start, lines.spans.slots, nodes_out)


@kernel
def span_tangents(c: int, k: int, nodes: Nodes, span_normal: Floats) -> tuple[Vector, Vector]:
    """Return the unit vectors of the rope at the start and at the end of the span from node k."""
    along = load(nodes.direction, k)
    if not nodes.waves.active[k]:
        return along, along
    start, end = end_slopes(k, nodes.waves.kind[c], load(span_normal, k), nodes.waves)
    return unit(add(along, start)), unit(add(along, end))


@kernel
def grip_loss(c: int, k: int, nodes: Nodes, span_normal: Floats) -> float:
    """Return kappa of the grip at node k."""
    if nodes.contact_solid[k] < 0:
        return nodes.loss[k]
    _, before = span_tangents(c, k - 1, nodes, span_normal)
    after, _ = span_tangents(c, k, nodes, span_normal)
    mu = nodes.solids.friction[nodes.contact_solid[k]]
    return 2.0 * min(friction_ratio(mu, before, after), STEEPEST)


@kernel
def find_grips(c: int, length: float, lines: Lines, nodes: Nodes, grips_out: Grips) -> None:
    """Find the grips of cable c, and the rope beyond each; ``length`` is that of the cable [m]."""
    cables = lines.cables
    begin = grips_out.start[c]
    count = 0
    for k in range(cables.node_start[c] + 1, cables.node_start[c + 1] - 1):
        if is_grip(k, nodes) and begin + count < grips_out.start[c + 1]:
            grips_out.node[begin + count] = k
            grips_out.loss[begin + count] = grip_loss(c, k, nodes, lines.span_work.normal)
            count += 1
    grips_out.counts[c] = count
    beyond = 0.0
    end = cables.node_start[c + 1] - 1
    for i in range(begin + count - 1, begin - 1, -1):
        for k in range(grips_out.node[i], end):
            beyond += nodes.rest_length[k]
        end = grips_out.node[i]
        grips_out.beyond[i] = beyond
        grips_out.share[i] = min(max(beyond / length, 0.0), 1.0)


@kernel
def fill_path_entries(c: int, cables: Cables, grips: Grips, nodes: Nodes, table_out: Table) -> None:
    """Fill the rows of the grips of cable c with J of the path beyond each, on the bodies."""
    begin = grips.start[c]
    end = cables.node_start[c + 1] - 1
    before = -1
    for i in range(begin + grips.counts[c] - 1, begin - 1, -1):
        row = grips.row[i]
        first = table_out.rows.entry_start[row]
        clear_entries(first, table_out.rows.entry_start[row + 1], table_out.work.jacobian)
        if before >= 0:
            count = stretch_entries(c, cables, table_out.rows)
            copy_entries(first, count, before, table_out.work.jacobian)
        for k in range(grips.node[i], end):
            add_span_entries(
                k, first, nodes.row_entry, nodes.arm, nodes.direction, table_out.work.jacobian
            )
        end = grips.node[i]
        before = first


@kernel
def stretch_entries(c: int, cables: Cables, rows: Rows) -> int:
    """Return the number of bodies in the stretch row of cable c, without its winch."""
    row = cables.row[c]
    count = rows.entry_start[row + 1] - rows.entry_start[row]
    return count - (1 if cables.winch[c] >= 0 else 0)


@kernel
def fill_entries(
    i: int, c: int, softness: float, ratio: float, cables: Cables, grips: Grips, table_out: Table
) -> None:
    """Fill the entries of grip i of cable c: on bodies less its share of the stretch row, on parts.

    ``softness`` is that of the whole rope, ``ratio`` the entry of the stretch row on the winch.
    """
    first = table_out.rows.entry_start[grips.row[i]]
    total = table_out.rows.entry_start[cables.row[c]]
    count = stretch_entries(c, cables, table_out.rows)
    share = grips.share[i]
    for e in range(count):
        for n in range(6):
            table_out.work.jacobian[first + e, n] -= share * table_out.work.jacobian[total + e, n]
    begin = grips.start[c]
    for j in range(grips.counts[c] + 1):
        weight = (1.0 if begin + j > i else 0.0) - share
        part = part_share(j, begin, grips.counts[c], grips.share)
        set_entry(
            (weight * sqrt(softness * part), 0.0, 0.0),
            ZERO,
            first + count + j,
            table_out.work.jacobian,
        )
    if ratio > 0.0:
        table_out.work.jacobian[table_out.rows.entry_start[grips.row[i] + 1] - 1, 0] = (
            -share * ratio
        )


@kernel
def fill_limit(i: int, c: int, cables: Cables, grips: Grips, table_out: Table) -> None:
    """Fill the factors of the bound of grip i of cable c, kappa times the mean tension there."""
    q = table_out.rows.limit_start[grips.row[i]]
    loss = grips.loss[i]
    for _ in range((1 if cables.row[c] >= 0 else 0) + (1 if cables.drive_row[c] >= 0 else 0)):
        table_out.work.limit_factor[q] = loss
        q += 1
    for j in range(grips.start[c], grips.start[c + 1]):
        before = 1.0 if i > j else (0.5 if i == j else 0.0)
        used = j - grips.start[c] < grips.counts[c]
        table_out.work.limit_factor[q] = loss * (before - grips.share[j]) if used else 0.0
        q += 1


@kernel
def fill_cable_rows(
    h: float, c: int, ratio: float, cables: Cables, grips: Grips, nodes: Nodes, table_out: Table
) -> None:
    """Fill the rows of the grips of cable c; ``ratio`` is the winch's entry in its stretch row."""
    base = cables.row[c]
    begin = grips.start[c]
    compliance = table_out.work.compliance[base]
    y, softness = step_weights(
        h, table_out.stepper[0], compliance, table_out.rows.damping_time[base]
    )
    fill_path_entries(c, cables, grips, nodes, table_out)
    for i in range(begin, begin + grips.counts[c]):
        r = grips.row[i]
        fill_entries(i, c, softness * compliance, ratio, cables, grips, table_out)
        fill_limit(i, c, cables, grips, table_out)
        gap = (
            grips.beyond[i]
            - nodes.remaining_path_length[grips.node[i]]
            - grips.share[i] * table_out.work.gap[base]
        )
        rate = row_rate(r, table_out.rows, table_out.work, nodes.bodies.velocity)
        table_out.work.gap[r] = gap
        table_out.work.target[r] = y * rate - softness * h * gap


@kernel
def find_all_grips(lines: Lines, nodes: Nodes, grips_out: Grips) -> None:
    """Find the grips of all cables for the rows of the step."""
    for c in range(lines.cables.row.size):
        grips_out.counts[c] = 0
        if has_grips(c, grips_out, lines.cable_state):
            length = unstretched_length(c, lines.cables, nodes.bodies.position)
            find_grips(c, length, lines, nodes, grips_out)


@kernel
def fill_rows(h: float, cables: Cables, grips: Grips, nodes: Nodes, table_out: Table) -> None:
    """Fill the rows of the grips of all cables, whose stretch rows are filled.

    Places without a grip have no row.
    """
    for c in range(cables.row.size):
        if grips.counts[c] > 0:
            _, ratio = paid_out(c, cables, nodes.bodies.position)
            fill_cable_rows(h, c, ratio, cables, grips, nodes, table_out)
        for i in range(grips.start[c] + grips.counts[c], grips.start[c + 1]):
            table_out.work.active[grips.row[i]] = False


@kernel
def part_growths(
    h: float, first: int, last: int, lines: Lines, next_velocity: Floats
) -> tuple[float, float]:
    """Return b' and b of a part of a cable from node ``first`` to ``last`` [m]."""
    before, behind = path_growths(h, first, last, lines, lines.bodies.velocity, next_velocity)
    saved_before, saved_behind = edge_savings(h, first, last, lines, next_velocity)
    return before - saved_before, behind - saved_behind


@kernel
def add_path_growth(h: float, lines: Lines, grips: Grips, table_out: Table) -> None:
    """Add the effect of turns to the targets of the rows of grips [m/s], as stretch rows have it.

    Those have been filled (``path_growth.py``).
    """
    cables = lines.cables
    for c in range(cables.row.size):
        base = cables.row[c]
        if grips.counts[c] == 0:
            continue
        if table_out.work.target[base] == 0.0 and table_out.work.inner[base, 1] == 0.0:
            continue
        compliance = table_out.work.compliance[base]
        y, _ = step_weights(h, table_out.stepper[0], compliance, table_out.rows.damping_time[base])
        end = cables.node_start[c + 1] - 1
        before = 0.0
        behind = 0.0
        for i in range(grips.start[c] + grips.counts[c] - 1, grips.start[c] - 1, -1):
            part_before, part_behind = part_growths(
                h, grips.node[i], end, lines, lines.body_work.trial_velocity
            )
            before += part_before / h
            behind += part_behind / h
            end = grips.node[i]
            share = grips.share[i]
            table_out.work.target[grips.row[i]] += (
                y * (before - share * table_out.work.inner[base, 1])
                + behind
                - share * table_out.work.target[base]
            )


@kernel
def add_strand_slides(
    h: float,
    c: int,
    first: int,
    count: int,
    last: int,
    grips: Grips,
    nodes: Nodes,
    table_out: Table,
) -> float:
    """Add the rates of a strand's slides to the rows of the grips of cable c; return the sum [m/s].

    The strand has ``count`` nodes between nodes ``first`` and ``last``.
    """
    begin = grips.start[c]
    whole = 0.0
    for k in range(first, first + count + 1):
        far = k + 1 if k < first + count else last
        rate = slide_growth(k, far, nodes) / h
        if rate == 0.0:
            continue
        whole += rate
        for i in range(begin, begin + grips.counts[c]):
            part = (1.0 if k >= grips.node[i] else 0.0) - grips.share[i]
            table_out.work.target[grips.row[i]] += part * rate
    return whole


@kernel
def add_slides(h: float, lines: Lines, grips: Grips, nodes: Nodes, table_out: Table) -> None:
    """Add the rates at which slides along edges change the paths to the rows [m/s]."""
    cables = lines.cables
    for c in range(cables.row.size):
        if not has_grips(c, grips, lines.cable_state):
            continue
        first = cables.node_start[c]
        while first < cables.node_start[c + 1] - 1:
            last = first + lines.spans.slots[first] + 1
            count = count_nodes(first, lines.spans.slots[first], nodes)
            if count > 0:
                table_out.work.target[cables.row[c]] += add_strand_slides(
                    h, c, first, count, last, grips, nodes, table_out
                )
            first = last
