"""Wheels in a massless rope: stick and slip on the rim, wrap, rotary inertia, drive.

*Parts.* The wheels 1 ... n of a rope divide it into parts 0 ... n, each with the path S_j
(``tangents.py``), its own unstretched length L_j, and the tension T_j. A wheel parts the rope at a
direction that is fixed in its carrier: half of the wrap belongs to each side. Rope runs over wheel
i from part i - 1 to part i with the rim, q_i = R theta_i, and by slip, d_i:

    L_0 + ... + L_n = L,    L_i + ... + L_n = B_i + q_i - q_0,    dB_i = d_i less creep.

B_i is state: what sticks does not creep, however long it sticks. The rim is a winch's coordinate
(``bodies.py``) of the mass I / R^2, as seen from the carrier; a drive and a brake act on it. As
with a winch, the carrier feels the moment R F_i, the reaction of motor and brake. A wheel without
inertia is fixed to its carrier, as a bollard is to the ground.

*Wheels on hinges.* A carrier that turns by phi about the wheel's axis takes along the direction
that parts the rope: S_i + ... + S_n is measured from a point of the rim, and falls by R phi. So
the rope that sticks runs over with it, without q_i, and J has the moment R F_i on the carrier: a
wheel without inertia on a body with a hinge is driven, held and slowed by what acts on that hinge
and that body. Angles of contacts, x_i where the rope comes and y_i where it leaves, go on without
end (``wheel_contacts.py``). The shares are those of the rope from the middle of the contact on,

    f_i L = L_i + ... + L_n - R (x_i + y_i) / 2.

*Endless ropes* begin and end on one more wheel, number 0, which takes rope out of the last part and
brings it to the first; q_0 is nought of a rope with ends. There the rope does not slip: F_0 = T_0 -
T_n is what it has to be, - (F_1 + ... + F_n), and the status tells where that is more than the
friction of this wheel holds, OVERHAULED. So the wheel with the best grip is to be the first node of
an endless rope.

*Tensions.* With the shares f_i = (L_i + ... + L_n) / L and the differences F_i = T_i - T_{i-1}

    T_j = T + sum_i c_ij F_i,       c_ij = (1 if j >= i else 0) - f_i,

T is the mean over the rope. As the compliance of a part is L_j / EA, the strain of T and of F_i do
no work on one another: T is the impulse of the rope's stretch row, as if it ran over smooth pins
(``massless.py``), and F_i that of a second row, with the gap, the compliance and the friction of

    G_i = sum_j c_ij (L_j - S_j) = (B_i + q_i - S_i - ... - S_n) - f_i (L - S),
    A_ik = sum_j c_ij c_kj L_j / EA,
    |F_i| <= kappa_i (T_{i-1} + T_i) / 2.

kappa is that of ``node_law.py``, with the wrap alpha of the true tangents. J is dG/dv, on the
bodies as that of a sheave, and 1 on the rim. A_ik couples the rows of one rope: each has an
entry c_ij sqrt(L_j / EA) on a body of one coordinate for each part, a COUPLING.

*Step.* The rows are SPOOK's, with the material's damping time gamma at the end of the step and
without any other damping: bounded from both sides they are stable at any step. With s the strain -G
half a step before the pose and s+ half a step behind it, slip d goes off in between, from the speed
of slip w to w+:

    s+ = s - h (J v + J v+) / 2 - d,        d = h (w + w+) / 2,
    eps F = (s + s+) / 2 - gamma (J v+ + w+).

So F (s+ - s) is what the strain stores, and F d >= 0 what slip takes, both exactly: a wheel that
nothing drives gains no energy, and its friction has the power F d / h, (T_i - T_{i-1}) times the
speed of slip. With Y = 1 / (1 + 4 gamma / h)

    J v+ + (4 Y / h^2) eps lambda = Y (J v - 4 G / h) + (1 - Y) w + z,      d = -h z / 2,

z the row's slack. Where the rope sticks both are zero, and so is w+. ``regularised`` has eps / (h
(h + gamma)), -G / (h + gamma) and d = -h z. An inextensible rope has gamma = 2 h, as rigid rows do.

*Creep.* q and d are lengths of stretched rope. The rim takes rope along as it comes, with the
strain e_in of the tension that it comes with, and so brings less: dq / (1 + e_in), and slip d / (1
+ e) with the mean strain e of both sides. A carrier that turns takes along -R dx_i of rope and lets
go of -R dy_i; the lesser one, of one sign with the other, has run over the rim and adds to dq. It
is that of the step before. The moment is R (T_i - T_{i-1}) all the same; the
difference, (T_i - T_{i-1})^2 / 2 EA for each metre, is heat of the slip where the rope leaves the
rim.

A slack rope lies evenly, whatever the wheels do: with no tension there is no friction. When it gets
taut nothing is stored in it yet, s = 0.

*Wrap.* A rope whose wrap falls below zero would lift off; the wheel goes on bending it, without
friction, and the status tells: LIFTED_OFF.

Not there: the mass of the rope; its bending stiffness; the groove's width; the angular momentum of
the rim on a carrier that turns.
"""

from math import sqrt

from cable_sim.kernels.cables.massless.massless import mean_tension_impulse
from cable_sim.kernels.cables.massless.wheel_contacts import rope_beyond, slipping_wheels
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate, set_entry
from cable_sim.kernels.multibody.pivoting import FREE
from cable_sim.kernels.multibody.rows import RIGID_DAMPING_STEPS, SPOOK
from cable_sim.kernels.multibody.vec3 import ZERO
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyWork
from cable_sim.kernels.records.cables import Cables, NodeWork
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import RowState, Table
from cable_sim.kernels.records.wheels import Rims
from cable_sim.kernels.status import LIFTED_OFF, OVERHAULED, SOLVED

HOLDS = 1.0 + 1e-6
"""Part of the friction of an endless rope's first wheel beyond which the status tells."""


@kernel
def part_share(j: int, first: int, count: int, share: Floats) -> float:
    """Return the part j of a rope over all of it; its wheels are ``count`` from ``first`` on."""
    before = share[first + j - 1] if j > 0 else 1.0
    behind = share[first + j] if j < count else 0.0
    return max(before - behind, 0.0)


@kernel
def step_weights(
    h: float, stepper: int, compliance: float, damping_time: float
) -> tuple[float, float]:
    """Return Y and the softness of a row over its compliance [1/s^2].

    Y is 0 under ``regularised``, which asks for no rate of the start.
    """
    if stepper != SPOOK:
        return 0.0, 1.0 / (h * (h + damping_time))
    gamma = damping_time if compliance > 0.0 else RIGID_DAMPING_STEPS * h
    y = 1.0 / (1.0 + 4.0 * gamma / h)
    return y, 4.0 * y / (h * h)


@kernel
def fill_wheel_entries(
    i: int, c: int, softness: float, cables: Cables, rims: Rims, table_out: Table
) -> None:
    """Fill the entries of wheel i of cable c on its rim and on the parts of the rope.

    ``softness`` is that of the whole rope.
    """
    r = cables.node_row[rims.wheels.node[i]]
    first, count = slipping_wheels(c, cables)
    e = table_out.rows.entry_start[r + 1] - count - 1 - (1 if cables.winch[c] >= 0 else 0)
    rim = e - 1
    if rims.wheels.back[i] >= 0:
        set_entry((-1.0, 0.0, 0.0), ZERO, rim, table_out.work.jacobian)
        rim -= 1
    if rims.wheels.rotor[i] >= 0:
        set_entry((1.0, 0.0, 0.0), ZERO, rim, table_out.work.jacobian)
    for j in range(count + 1):
        weight = (1.0 if first + j > i else 0.0) - rims.work.share[i]
        part = part_share(j, first, count, rims.work.share)
        set_entry((weight * sqrt(softness * part), 0.0, 0.0), ZERO, e + j, table_out.work.jacobian)


@kernel
def fill_rows(h: float, lines: Lines, rims: Rims, table_out: Table) -> int:
    """Fill the rest of the rows of all wheels, which come with the entries of sheaves.

    Returns LIFTED_OFF if a rope in use has no wrap on its wheel.
    """
    row_work_out = table_out.work
    flags = SOLVED
    for c in range(lines.cables.row.size):
        base = lines.cables.row[c]
        first, count = slipping_wheels(c, lines.cables)
        for i in range(lines.cables.wheel_start[c], first + count):
            if rims.work.wrap[i] < 0.0 and row_work_out.gap[base] < 0.0:
                flags = LIFTED_OFF
        for i in range(first, first + count):
            k = rims.wheels.node[i]
            r = lines.cables.node_row[k]
            compliance = row_work_out.compliance[base]
            y, softness = step_weights(
                h, table_out.stepper[0], compliance, table_out.rows.damping_time[base]
            )
            fill_wheel_entries(i, c, softness * compliance, lines.cables, rims, table_out)
            gap = (
                rope_beyond(i, rims, lines.bodies)
                - lines.node_work.remaining_path_length[k]
                - rims.work.share[i] * row_work_out.gap[base]
            )
            rate = row_rate(r, table_out.rows, row_work_out, lines.bodies.velocity)
            row_work_out.gap[r] = gap
            row_work_out.compliance[r] = 0.0  # that of the entries of the parts
            row_work_out.target[r] = y * rate - softness * h * gap
            if table_out.stepper[0] == SPOOK:
                row_work_out.target[r] += (1.0 - y) * rims.state.end_slip[i]
    return flags


@kernel
def slip_distance(h: float, table: Table, r: int, body_work: BodyWork) -> float:
    """Return d of a wheel with row r [m]."""
    if table.state.status[r] == FREE:
        return 0.0
    rate = row_rate(r, table.rows, table.work, body_work.next_velocity)
    return (0.5 if table.stepper[0] == SPOOK else 1.0) * h * (table.work.target[r] - rate)


@kernel
def wheel_tensions(
    h: float, i: int, c: int, cables: Cables, rims: Rims, row_state: RowState
) -> tuple[float, float]:
    """Return the tensions before and behind wheel i of cable c in the step [N]."""
    mean = mean_tension_impulse(c, cables, row_state.impulse)
    before = mean
    behind = mean
    first, count = slipping_wheels(c, cables)
    for m in range(first, first + count):
        impulse = row_state.impulse[cables.node_row[rims.wheels.node[m]]]
        before += impulse * ((1.0 if m < i or i < first else 0.0) - rims.work.share[m])
        behind += impulse * ((1.0 if m <= i else 0.0) - rims.work.share[m])
    return before / h, behind / h


@kernel
def turned_way(i: int, rims: Rims) -> float:
    """Return the way of rope that went over wheel i by turns of its carrier in the last step [m].

    What only comes or only leaves, as where a load swings, does not run over it.
    """
    came = rims.wheels.radius[i] * (rims.state.contact[i, 0] - rims.work.contact[i, 0])
    left = rims.wheels.radius[i] * (rims.state.contact[i, 1] - rims.work.contact[i, 1])
    if came * left <= 0.0:
        return 0.0
    return came if abs(came) < abs(left) else left


@kernel
def run_rope(
    h: float, i: int, c: int, slip: float, lines: Lines, row_state: RowState, rims_out: Rims
) -> tuple[float, float]:
    """Let rope run over wheel i with the rim and by slip [m]; the rim stretches it as it comes.

    Returns the tensions before and behind the wheel [N].
    """
    before, behind = wheel_tensions(h, i, c, lines.cables, rims_out, row_state)
    softness = lines.cables.compliance_per_length[c]
    rotor = rims_out.wheels.rotor[i]
    rim = turned_way(i, rims_out)
    if rotor >= 0:
        rim += h * lines.body_work.next_velocity[rotor, 0]
    comes = softness * (before if rim > 0.0 else behind)
    mean = 0.5 * softness * (before + behind)
    creep = rim * (mean - comes) / (1.0 + comes)
    rims_out.state.heat[i] += (behind - before) * (slip + creep)
    change = slip / (1.0 + mean) - rim * comes / (1.0 + comes)
    first, count = slipping_wheels(c, lines.cables)
    if i >= first:
        rims_out.state.beyond[i] += change
    else:
        for m in range(first, first + count):
            rims_out.state.beyond[m] -= change
    return before, behind


@kernel
def lay_evenly(h: float, table: Table, i: int, c: int, lines: Lines, rims_out: Rims) -> None:
    """Lay a slack rope evenly over wheel i, with no strain half a step behind the pose."""
    k = rims_out.wheels.node[i]
    whole = lines.node_work.remaining_path_length[lines.cables.node_start[c]]
    even = lines.node_work.remaining_path_length[k] * (
        1.0 + table.work.gap[lines.cables.row[c]] / whole
    )
    if table.stepper[0] == SPOOK:
        even -= (
            0.5
            * h
            * row_rate(
                lines.cables.node_row[k], table.rows, table.work, lines.body_work.next_velocity
            )
        )
    rims_out.state.beyond[i] += even - rope_beyond(i, rims_out, lines.bodies)
    rims_out.state.slip[i] = 0.0
    rims_out.state.end_slip[i] = 0.0


@kernel
def update_slip(h: float, table: Table, lines: Lines, rims_out: Rims) -> int:
    """Let the rope slip as the rows of the step say, and lie evenly where it is slack.

    Returns OVERHAULED if the first wheel of an endless rope does not hold it.
    """
    flags = SOLVED
    for c in range(lines.cables.row.size):
        first, count = slipping_wheels(c, lines.cables)
        if lines.cables.closed[c] and table.work.active[lines.cables.row[c]]:
            i = first - 1
            low, high = run_rope(h, i, c, 0.0, lines, table.state, rims_out)
            if (
                abs(high - low)
                > 0.5 * lines.node_work.loss[rims_out.wheels.node[i]] * (high + low) * HOLDS
            ):
                flags = OVERHAULED
        for i in range(first, first + count):
            r = lines.cables.node_row[rims_out.wheels.node[i]]
            rims_out.state.share[i] = rims_out.work.share[i]
            if not table.work.active[r]:
                lay_evenly(h, table, i, c, lines, rims_out)
                continue
            slip = slip_distance(h, table, r, lines.body_work)
            run_rope(h, i, c, slip, lines, table.state, rims_out)
            before = rims_out.state.end_slip[i] if slip != 0.0 else 0.0
            rims_out.state.slip[i] = slip / h
            rims_out.state.end_slip[i] = 2.0 * slip / h - before
    return flags


@kernel
def keep_contacts(rims_out: Rims) -> None:
    """Keep the angles of the contacts, from which those of the next step are counted on."""
    for i in range(rims_out.wheels.node.size):
        for side in range(2):
            rims_out.state.contact[i, side] = rims_out.work.contact[i, side]


@kernel
def take_last_shares(rims: Rims, node_work_out: NodeWork) -> None:
    """Set the shares of rope to those of the last step, by which its impulses are tensions."""
    for i in range(rims.wheels.node.size):
        node_work_out.share[rims.wheels.node[i]] = rims.state.share[i]


@kernel
def tension_energy(
    h: float, c: int, cables: Cables, rims: Rims, compliance: float, row_state: RowState
) -> float:
    """Return the energy of the springs under the differences F_i of the last step [J]."""
    first, count = slipping_wheels(c, cables)
    energy = 0.0
    for i in range(first, first + count):
        for k in range(first, first + count):
            near = rims.state.share[min(i, k)]
            far = rims.state.share[max(i, k)]
            energy += (
                0.5
                * compliance
                * far
                * (1.0 - near)
                * row_state.impulse[cables.node_row[rims.wheels.node[i]]]
                * row_state.impulse[cables.node_row[rims.wheels.node[k]]]
                / (h * h)
            )
    return energy


@kernel
def strain_energy(h: float, stepped: bool, c: int, lines: Lines, rims: Rims, table: Table) -> float:
    """Return the elastic energy of cable c beyond that of its mean tension [J].

    With damping it is the smaller of those of the strains and of the tensions, once a step has been
    taken: a part of a strain that the damper holds has no force (``rows.py``).
    """
    base = lines.cables.row[c]
    first, count = slipping_wheels(c, lines.cables)
    compliance = table.work.compliance[base]
    gap = table.work.gap[base]
    if count == 0 or not table.work.active[base] or gap >= 0.0 or compliance == 0.0:
        return 0.0
    energy = -0.5 * gap * gap / compliance
    before = gap
    for j in range(count + 1):
        behind = 0.0
        if j < count:
            i = first + j
            behind = rope_beyond(i, rims, lines.bodies)
            behind -= lines.node_work.remaining_path_length[rims.wheels.node[i]]
        part = part_share(j, first, count, rims.work.share)
        if part > 0.0:
            energy += 0.5 * (before - behind) ** 2 / (compliance * part)
        before = behind
    if stepped and table.rows.damping_time[base] > 0.0:
        return min(energy, tension_energy(h, c, lines.cables, rims, compliance, table.state))
    return energy
