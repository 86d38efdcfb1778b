"""Slip of massless and elevation cables over what holds them by friction: tensions, heat, energy.

The rows and their law are those of ``grips.py``.
"""

from cable_sim.kernels.cables.friction.grips import has_grips
from cable_sim.kernels.cables.massless.massless import mean_tension_impulse
from cable_sim.kernels.cables.massless.wheels import part_share, step_weights
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.pivoting import FREE
from cable_sim.kernels.multibody.rows import row_rate


@kernel
def set_tensions(h, c, cables, grips, work, row_state, nodes_out):
    """Set the tension impulses of the spans of cable c from those of its rows."""
    begin = grips.start[c]
    impulse = mean_tension_impulse(cables.row, cables.drive_row, c, row_state.impulse)
    for i in range(begin, begin + work.counts[c]):
        impulse -= work.share[i] * row_state.impulse[grips.row[i]]
    i = begin
    for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
        if i < begin + work.counts[c] and work.node[i] == k:
            impulse += row_state.impulse[grips.row[i]]
            i += 1
        nodes_out.tension_impulse[k] = max(impulse, 0.0)


@kernel
def slip_rope(
    h, stepper, i, c, cables, grips, rows, body_velocity, work, row_work, row_state, nodes_out
):
    """Let rope slip over grip i of cable c as its row says; return the heat [J].

    ``body_velocity`` are those of the end of the step.
    """
    r = grips.row[i]
    base = cables.row[c]
    if row_state.status[r] == FREE:
        return 0.0
    y, _ = step_weights(h, stepper, row_work.compliance[base], rows.damping_time[base])
    rate = row_rate(r, rows.entry_start, rows.entry_body, body_velocity, row_work.jacobian)
    slip = h * (row_work.target[r] - rate) / (1.0 + y)
    k = work.node[i]
    mean = 0.5 * (nodes_out.tension_impulse[k - 1] + nodes_out.tension_impulse[k]) / h
    rope = slip / (1.0 + cables.compliance_per_length[c] * mean)
    nodes_out.rest_length[k] += rope
    nodes_out.rest_length[k - 1] -= rope
    return max(slip * row_state.impulse[r] / h, 0.0)


@kernel
def update_slip(
    h,
    stepper,
    cables,
    grips,
    rows,
    body_velocity,
    work,
    row_work,
    row_state,
    nodes_out,
    cable_state_out,
):
    """Let the rope of all cables slip over its grips, and keep the tensions of its spans."""
    for c in range(cables.row.size):
        if not has_grips(c, grips, cable_state_out):
            continue
        set_tensions(h, c, cables, grips, work, row_state, nodes_out)
        if not row_work.active[cables.row[c]]:
            continue
        for i in range(grips.start[c], grips.start[c] + work.counts[c]):
            cable_state_out.wave_loss[c, 0] += slip_rope(
                h,
                stepper,
                i,
                c,
                cables,
                grips,
                rows,
                body_velocity,
                work,
                row_work,
                row_state,
                nodes_out,
            )


@kernel
def take_tensions(h, cables, grips, tension_impulse, span_tension_out):
    """Set the tensions of the spans of cables with grips: those of the last step [N]."""
    for c in range(cables.row.size):
        if grips.start[c] < grips.start[c + 1]:
            for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
                span_tension_out[k] = tension_impulse[k] / h


@kernel
def difference_energy(h, c, cables, grips, compliance, work, tension_impulse):
    """Return the energy of the springs of the parts under their tensions, less that under T [J]."""
    begin = grips.start[c]
    mean = 0.0
    energy = 0.0
    for j in range(work.counts[c] + 1):
        part = part_share(j, begin, work.counts[c], work.share)
        k = work.node[begin + j - 1] if j > 0 else cables.node_start[c]
        mean += part * tension_impulse[k] / h
        energy += 0.5 * compliance * part * (tension_impulse[k] / h) ** 2
    return energy - 0.5 * compliance * mean * mean


@kernel
def strain_energy(
    h, stepped, c, cables, grips, rows, row_work, work, remaining_path_length, tension_impulse
):
    """Return the elastic energy of cable c beyond that of its mean tension [J].

    With damping it is the smaller of those of the strains and of the tensions, as on wheels.
    """
    base = cables.row[c]
    count = work.counts[c]
    if grips.start[c] == grips.start[c + 1] or count == 0:
        return 0.0
    compliance = row_work.compliance[base]
    gap = row_work.gap[base]
    if not row_work.active[base] or gap >= 0.0 or compliance == 0.0:
        return 0.0
    begin = grips.start[c]
    energy = -0.5 * gap * gap / compliance
    before = gap
    for j in range(count + 1):
        behind = 0.0
        if j < count:
            behind = work.beyond[begin + j] - remaining_path_length[work.node[begin + j]]
        part = part_share(j, begin, count, work.share)
        if part > 0.0:
            energy += 0.5 * min(before - behind, 0.0) ** 2 / (compliance * part)
        before = behind
    if stepped and rows.damping_time[base] > 0.0:
        return min(
            energy, difference_energy(h, c, cables, grips, compliance, work, tension_impulse)
        )
    return energy
