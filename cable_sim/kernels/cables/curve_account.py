"""Accounts of the energy that elevation cables gain where curves give way otherwise than foreseen.

The stretch row of a cable with curves foresees how they give way, by a linear rule
(``wave_compliance.py``). With s the strain half a step before the pose of a step, s+ that half a
step behind it (``rows.py``), eps the compliance, T the tension of the step, the rope pays or takes

    D = (s+^2 - s^2) / (2 eps) - T (s+ - s),        s, s+ >= 0 in the squares,

more than the curves and the bodies get from it or give. D is of second order, or a damper's, which
is below zero. But where the step resolves neither the stretch nor the motion of the curves, curves
that catch a load come out longer than foreseen, and strain the rope by what nobody has given. Much
of it the damper of the row takes away again. What it does not take is motion in the end.

So each cable keeps the sum of D, never below zero: what it has stored or given from nowhere. Where
that is more than SHARE of the largest energy of motion of the rope and the bodies on it by then,
and more than what its tension stores, a step that adds to it tells: MISJUDGED.
"""

from typing import Any, NamedTuple

from cable_sim.kernels.bodies import DYNAMIC
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import start_rates
from cable_sim.kernels.status import MISJUDGED, SOLVED
from cable_sim.kernels.vec3 import dot, load

SHARE = 0.01
"""Part of the energy of motion that a cable may have given from nowhere before MISJUDGED is set."""
STRAIN = 0
KNOWN = 1
GIVEN = 2
MOTION = 3
"""Columns of ``cables.curve_account``: s [m]; 1 if it is that of a step before; the sum of D and
the largest energy of motion [J]."""


class Present(NamedTuple):
    """State of nodes, bodies, rows and spans at the start of a step."""

    nodes: Any
    bodies: Any
    rows: Any
    spans: Any


@kernel
def motion_energy(c, cables, bodies, present, span_length):
    """Return the kinetic energy of the curves of cable c, and that of the bodies' way [J].

    A body with two nodes counts twice.
    """
    motion = 0.0
    for k in range(cables.node_start[c], cables.node_start[c + 1]):
        b = present.nodes.body[k]
        if bodies.kind[b] == DYNAMIC:
            velocity = load(present.bodies.velocity, b)
            motion += 0.5 * dot(velocity, velocity) / bodies.inverse_mass[b]
        if present.spans.waves[k]:
            motion += present.spans.curve_inertia[k, 0] * span_length[k]
    return motion


@kernel
def book(strain, compliance, tension, account_out):
    """Add D of the last step to an account, if the strain before it is known; return D [J]."""
    gain = 0.0
    if account_out[KNOWN] != 0.0:
        before = account_out[STRAIN]
        stored = 0.5 * (max(strain, 0.0) ** 2 - max(before, 0.0) ** 2) / compliance
        gain = stored - tension * (strain - before)
        account_out[GIVEN] = max(account_out[GIVEN] + gain, 0.0)
    account_out[STRAIN] = strain
    account_out[KNOWN] = 1.0
    return gain


@kernel
def keep_accounts(
    h,
    lead,
    cables,
    oscillates,
    bodies,
    rows,
    present,
    body_work,
    span_length,
    row_work,
    account_out,
):
    """Keep the accounts of all cables with curves; return status flags.

    ``lead`` is the time by which the pose stands ahead of the velocities [s].
    """
    flags = SOLVED
    for c in range(oscillates.size):
        r = cables.row[c]
        if not oscillates[c] or r < 0:
            continue
        if row_work.inner[r, 1] == 0.0 or row_work.compliance[r] == 0.0:
            account_out[c, KNOWN] = 0.0
            continue
        rate, _ = start_rates(r, rows, present.bodies, body_work, row_work)
        tension = present.rows.impulse[r] / h
        compliance = row_work.compliance[r]
        gain = book(lead * rate - row_work.gap[r], compliance, tension, account_out[c])
        motion = motion_energy(c, cables, bodies, present, span_length)
        account_out[c, MOTION] = max(account_out[c, MOTION], motion)
        stored = 0.5 * compliance * tension * tension
        least = SHARE * account_out[c, MOTION]
        if account_out[c, GIVEN] > least + stored and gain > SHARE * least:
            flags |= MISJUDGED
    return flags
