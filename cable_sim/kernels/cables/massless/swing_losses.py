"""Energy that ropes which cannot stretch take from bodies, where nothing takes it in truth.

The impulse lambda of a stretch row takes

    -lambda (J v + J v+) / 2

from the kinetic energy. A rope of constant length takes nothing. What this is by the turns of a
step comes back with them (``path_growth.py``), unless the step does not follow the swing of a body
across its ropes,

    z^2 = h lambda J M^-1 J^T / l > FOLLOWED.

Then ropes get too long or too short and are hauled in, or have no tension for a step although they
carry, and the step after is a catch. All that is kept for each cable, and so is the largest z^2. A
catch after more than a step without tension takes energy rightly: it is an impact, which the rule
of ``rows.py`` spreads over some steps, each with a third or less of what the one before left.

Rows of inertia calm such a swing. What they have taken of it (``transverse.py``) is lost as well.
The balance of energies (``multibody/balance.py``) tells of both. On ropes that stretch such rows
have their part in what the bounce costs, and give some of it back: they are not counted.
"""

from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN
from cable_sim.kernels.cables.massless.path_growth import is_revised
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate
from cable_sim.kernels.multibody.rows import RESOLVED
from cable_sim.kernels.records.cables import Cables
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table

LOST = 0
DROPPED = 1
BEFORE = 2
SINCE = 3
SWING = 4
"""Columns of ``cables.swing``: energy [J], steps without tension between two with some, impulse of
the row before its last step [N s], steps under tension since the start or the last impact, and z^2
at most [-]."""
IMPACT = 10
"""Steps in which an impact is over."""
FOLLOWED = 0.5 * RESOLVED
"""z^2 of a span that is followed; a body between two swings across both."""


@kernel
def cannot_stretch(c: int, cables: Cables) -> bool:
    """Return True if cable c has no compliance."""
    return cables.compliance[c] + cables.compliance_per_length[c] == 0.0


@kernel
def swing_across(h: float, c: int, lines: Lines, table: Table) -> float:
    """Return the largest z^2 of a swing across cable c [-]."""
    r = lines.cables.row[c]
    shortest = 0.0
    for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1] - 1):
        length = lines.span_work.length[k]
        if length > SHORTEST_SPAN and (shortest == 0.0 or length < shortest):
            shortest = length
    return h * table.state.impulse[r] * table.rows.mobility[r] / shortest if shortest > 0.0 else 0.0


@kernel
def update_losses(h: float, table: Table, lines_out: Lines) -> None:
    """Add what the step took by cables that cannot stretch, before its bodies go on."""
    for c in range(lines_out.cables.row.size):
        revised = is_revised(h, c, lines_out, table)
        if not revised or not cannot_stretch(c, lines_out.cables):
            lines_out.cable_state.swing[c, BEFORE] = lines_out.cable_state.swing[c, SINCE] = 0.0
            continue
        r = lines_out.cables.row[c]
        before = table.work.impulse_before[r]
        swing_out = lines_out.cable_state.swing[c]
        if table.state.impulse[r] > 0.0:
            dropped = before == 0.0 and swing_out[BEFORE] > 0.0
            swing_out[SINCE] = swing_out[SINCE] + 1.0 if dropped or before > 0.0 else 0.0
            if swing_out[SINCE] > IMPACT:
                swing = swing_across(h, c, lines_out, table)
                swing_out[SWING] = max(swing_out[SWING], swing)
            if swing_out[SWING] > FOLLOWED and swing_out[SINCE] > IMPACT:
                swing_out[DROPPED] += 1.0 if dropped else 0.0
                rate = row_rate(r, table.rows, table.work, lines_out.bodies.velocity)
                rate += row_rate(r, table.rows, table.work, lines_out.body_work.next_velocity)
                swing_out[LOST] -= 0.5 * table.state.impulse[r] * rate
        swing_out[BEFORE] = before


@kernel
def losses(lines: Lines) -> tuple[float, float]:
    """Return the energy lost so far by massless cables that cannot stretch [J], and the steps that
    dropped."""
    lost = 0.0
    dropped = 0.0
    for c in range(lines.cables.row.size):
        if lines.cables.wire[c] or not cannot_stretch(c, lines.cables):
            continue
        lost += lines.cable_state.swing[c, LOST]
        dropped += lines.cable_state.swing[c, DROPPED]
        for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1] - 1):
            for place in range(lines.span_state.energy_taken.shape[1]):
                lost += lines.span_state.energy_taken[k, place]
    return lost, dropped
