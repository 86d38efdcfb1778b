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
from cable_sim.kernels.multibody.rows import RESOLVED, row_rate

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
def cannot_stretch(c, cables):
    """Return True if cable c has no compliance."""
    return cables.compliance[c] + cables.compliance_per_length[c] == 0.0


@kernel
def swing_across(h, c, cables, rows, row_state, span_work):
    """Return the largest z^2 of a swing across cable c [-]."""
    r = cables.row[c]
    shortest = 0.0
    for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
        length = span_work.length[k]
        if length > SHORTEST_SPAN and (shortest == 0.0 or length < shortest):
            shortest = length
    return h * row_state.impulse[r] * rows.mobility[r] / shortest if shortest > 0.0 else 0.0


@kernel
def update_losses(
    h,
    cables,
    waves,
    rows,
    node_state,
    body_state,
    body_work,
    row_state,
    span_work,
    row_work,
    cable_state_out,
):
    """Add what the step took by cables that cannot stretch, before its bodies go on."""
    for c in range(cables.row.size):
        revised = is_revised(h, c, cables, waves, rows, cable_state_out, node_state, row_work)
        if not revised or not cannot_stretch(c, cables):
            cable_state_out.swing[c, BEFORE] = cable_state_out.swing[c, SINCE] = 0.0
            continue
        r = cables.row[c]
        before = row_work.impulse_before[r]
        swing_out = cable_state_out.swing[c]
        if row_state.impulse[r] > 0.0:
            dropped = before == 0.0 and swing_out[BEFORE] > 0.0
            swing_out[SINCE] = swing_out[SINCE] + 1.0 if dropped or before > 0.0 else 0.0
            if swing_out[SINCE] > IMPACT:
                swing = swing_across(h, c, cables, rows, row_state, span_work)
                swing_out[SWING] = max(swing_out[SWING], swing)
            if swing_out[SWING] > FOLLOWED and swing_out[SINCE] > IMPACT:
                swing_out[DROPPED] += 1.0 if dropped else 0.0
                entries = rows.entry_start, row_work.entry_body
                rate = row_rate(r, *entries, body_state.velocity, row_work.jacobian)
                rate += row_rate(r, *entries, body_work.next_velocity, row_work.jacobian)
                swing_out[LOST] -= 0.5 * row_state.impulse[r] * rate
        swing_out[BEFORE] = before


@kernel
def losses(cables, cable_state, span_state):
    """Return the energy lost so far by massless cables that cannot stretch [J], and the steps that
    dropped."""
    lost = 0.0
    dropped = 0.0
    for c in range(cables.row.size):
        if cables.wire[c] or not cannot_stretch(c, cables):
            continue
        lost += cable_state.swing[c, LOST]
        dropped += cable_state.swing[c, DROPPED]
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            for place in range(span_state.energy_taken.shape[1]):
                lost += span_state.energy_taken[k, place]
    return lost, dropped
