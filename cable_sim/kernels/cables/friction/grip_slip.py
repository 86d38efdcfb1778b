"""Slip of massless and elevation cables over what holds them by friction: tensions, heat, energy.

The rows and their law are those of ``grips.py``.
"""

from cable_sim.kernels.cables.friction.grips import Grips, has_grips
from cable_sim.kernels.cables.massless.massless import mean_tension_impulse
from cable_sim.kernels.cables.massless.wheels import part_share, step_weights
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate
from cable_sim.kernels.multibody.pivoting import FREE
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.cables import Cables
from cable_sim.kernels.records.grips import Grips as GripConstants
from cable_sim.kernels.records.lines import Lines, Nodes
from cable_sim.kernels.records.rows import Table


@kernel
def set_tensions(
    h: float, c: int, cables: Cables, grips: Grips, table: Table, nodes_out: Nodes
) -> None:
    """Set the tension impulses of the spans of cable c from those of its rows."""
    begin = grips.start[c]
    impulse = mean_tension_impulse(c, cables, table.state.impulse)
    for i in range(begin, begin + grips.counts[c]):
        impulse -= grips.share[i] * table.state.impulse[grips.row[i]]
    i = begin
    for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
        if i < begin + grips.counts[c] and grips.node[i] == k:
            impulse += table.state.impulse[grips.row[i]]
            i += 1
        nodes_out.tension_impulse[k] = max(impulse, 0.0)


@kernel
def slip_rope(
    h: float,
    i: int,
    c: int,
    cables: Cables,
    grips: Grips,
    table: Table,
    body_velocity: Floats,
    nodes_out: Nodes,
) -> float:
    """Let rope slip over grip i of cable c as its row says; return the heat [J].

    ``body_velocity`` are those of the end of the step.
    """
    r = grips.row[i]
    base = cables.row[c]
    if table.state.status[r] == FREE:
        return 0.0
    y, _ = step_weights(
        h, table.stepper[0], table.work.compliance[base], table.rows.damping_time[base]
    )
    rate = row_rate(r, table.rows, table.work, body_velocity)
    slip = h * (table.work.target[r] - rate) / (1.0 + y)
    k = grips.node[i]
    mean = 0.5 * (nodes_out.tension_impulse[k - 1] + nodes_out.tension_impulse[k]) / h
    rope = slip / (1.0 + cables.compliance_per_length[c] * mean)
    nodes_out.rest_length[k] += rope
    nodes_out.rest_length[k - 1] -= rope
    return max(slip * table.state.impulse[r] / h, 0.0)


@kernel
def update_slip(
    h: float, grips: Grips, table: Table, body_velocity: Floats, lines_out: Lines, nodes_out: Nodes
) -> None:
    """Let the rope of all cables slip over its grips, and keep the tensions of its spans."""
    cables = lines_out.cables
    for c in range(cables.row.size):
        if not has_grips(c, grips, lines_out.cable_state):
            continue
        set_tensions(h, c, cables, grips, table, nodes_out)
        if not table.work.active[cables.row[c]]:
            continue
        for i in range(grips.start[c], grips.start[c] + grips.counts[c]):
            lines_out.cable_state.wave_loss[c, 0] += slip_rope(
                h, i, c, cables, grips, table, body_velocity, nodes_out
            )


@kernel
def take_tensions(
    h: float,
    cables: Cables,
    grips: GripConstants,
    tension_impulse: Floats,
    span_tension_out: Floats,
) -> None:
    """Set the tensions of the spans of cables with grips: those of the last step [N]."""
    for c in range(cables.row.size):
        if grips.start[c] < grips.start[c + 1]:
            for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
                span_tension_out[k] = tension_impulse[k] / h


@kernel
def difference_energy(
    h: float, c: int, cables: Cables, grips: Grips, compliance: float, tension_impulse: Floats
) -> float:
    """Return the energy of the springs of the parts under their tensions, less that under T [J]."""
    begin = grips.start[c]
    mean = 0.0
    energy = 0.0
    for j in range(grips.counts[c] + 1):
        part = part_share(j, begin, grips.counts[c], grips.share)
        k = grips.node[begin + j - 1] if j > 0 else cables.node_start[c]
        mean += part * tension_impulse[k] / h
        energy += 0.5 * compliance * part * (tension_impulse[k] / h) ** 2
    return energy - 0.5 * compliance * mean * mean


@kernel
def strain_energy(
    h: float, stepped: bool, c: int, cables: Cables, grips: Grips, table: Table, nodes: Nodes
) -> float:
    """Return the elastic energy of cable c beyond that of its mean tension [J].

    With damping it is the smaller of those of the strains and of the tensions, as on wheels.
    """
    base = cables.row[c]
    count = grips.counts[c]
    if grips.start[c] == grips.start[c + 1] or count == 0:
        return 0.0
    compliance = table.work.compliance[base]
    gap = table.work.gap[base]
    if not table.work.active[base] or gap >= 0.0 or compliance == 0.0:
        return 0.0
    begin = grips.start[c]
    energy = -0.5 * gap * gap / compliance
    before = gap
    for j in range(count + 1):
        behind = 0.0
        if j < count:
            behind = grips.beyond[begin + j] - nodes.remaining_path_length[grips.node[begin + j]]
        part = part_share(j, begin, count, grips.share)
        if part > 0.0:
            energy += 0.5 * min(before - behind, 0.0) ** 2 / (compliance * part)
        before = behind
    if stepped and table.rows.damping_time[base] > 0.0:
        return min(
            energy, difference_energy(h, c, cables, grips, compliance, nodes.tension_impulse)
        )
    return energy
