"""What is read off a state: joint reactions, drive efforts, tensions, forces on sheaves, energies.

Impulses are those of the last step, so every force is its mean over that step; directions are those of the present
pose. Reactions of a row on a body are J^T lambda / h; the torque of a joint is referred to the joint's point:
tau_point = tau_centre - r x f. Energies: 1/2 m v^2 + 1/2 w I w (a winch's rotor too), -m g . x, and that of every row
that is strained (``rows.strain_energy``); of chains that of the tension of the last step (``cables/chain.py``).
"""

from cable_sim.kernels import drives, joints, wires
from cable_sim.kernels.bodies import DYNAMIC, WINCH
from cable_sim.kernels.boxes import POINTS
from cable_sim.kernels.cables import chain, elevation, lumped, massless, particles, parting, torsion
from cable_sim.kernels.drums import paid_out
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.rotation import load_quaternion, multiply3, rotate_back
from cable_sim.kernels.rows import GAP, row_rate, strain_energy, timely_gap
from cable_sim.kernels.solid_contact import rows_of
from cable_sim.kernels.vec3 import axpy, cross, dot, load, store, sub


@inlined
def joint_reaction(m, s, w, h, j):
    """Force [N] and torque about the joint's point [N m] of the parent on the child."""
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first = m.joint_row[j]
    rows = joints.POINT_ROWS[m.joint_kind[j]] + joints.ANGLE_ROWS[m.joint_kind[j]]
    for i in range(rows + 2):
        r = first + i if i < rows else (m.joint_stop_row[j] if i == rows else m.joint_spring_row[j])
        if r < 0 or s.joint_open[j]:
            continue
        e, push = m.row_entry_start[r], s.row_impulse[r] / h
        force = axpy(push, load(w.entry_jacobian, e), force)
        torque = axpy(push, load(w.entry_jacobian[:, 3:], e), torque)
    _, child_arm, _ = joints.joint_points(m.joint_body, s.joint_point, j, s.body_position, s.body_orientation)
    return force, sub(torque, cross(child_arm, force))


@inlined
def joint_rate(m, s, j):
    """Rate of the coordinate of joint j [rad/s or m/s], from the bodies' velocities."""
    if m.joint_kind[j] != joints.HINGE and m.joint_kind[j] != joints.PRISMATIC:
        return 0.0
    parent, child = m.joint_body[j, 0], m.joint_body[j, 1]
    axis = joints.joint_axis(s.joint_axes, j, 0, 2, s.body_orientation, parent)
    spin = sub(load(s.body_velocity[:, 3:], child), load(s.body_velocity[:, 3:], parent))
    if m.joint_kind[j] == joints.HINGE:
        return dot(axis, spin)
    separation, child_arm, parent_arm = joints.joint_points(
        m.joint_body, s.joint_point, j, s.body_position, s.body_orientation
    )
    _, child_angular, parent_angular = joints.point_row(axis, separation, child_arm, parent_arm)
    slide = sub(load(s.body_velocity, child), load(s.body_velocity, parent))
    return (
        dot(axis, slide) + dot(child_angular, load(s.body_velocity[:, 3:], child))
        + dot(parent_angular, load(s.body_velocity[:, 3:], parent))
    )  # fmt: skip


@inlined
def read_joints(m, s, w, o, h):
    """Rates and reactions of all joints."""
    for j in range(m.joint_kind.size):
        o.joint_velocity[j] = joint_rate(m, s, j)
        force, torque = joint_reaction(m, s, w, h, j)
        store(force, j, o.joint_force)
        store(torque, j, o.joint_torque)


@inlined
def read_drives(m, s, w, o, h):
    """Coordinate, rate, effort and saturation of all drives."""
    for d in range(m.drive_on.size):
        r, sign = m.drive_row[d], drives.sense(m.drive_kind[d])
        o.drive_position[d] = drives.drive_position(
            m.drive_kind, m.drive_on, m.cable_node_start, d, s.joint_position, s.body_position, w.node_beyond
        )
        o.drive_velocity[d] = sign * row_rate(r, m.row_entry_start, m.entry_body, s.body_velocity, w.entry_jacobian)
        o.drive_effort[d] = sign * s.row_impulse[r] / h
        # a drive whose cable is slack stands at a bound, too
        o.drive_saturated[d] = s.row_status[r] != 0 and (m.row_lower[r] < 0.0 or s.row_impulse[r] > 0.0)


@inlined
def read_lengths(m, s, w, o):
    """Paid-out lengths of all cables, and their rates."""
    for c in range(m.cable_row.size):
        winch = m.cable_winch[c]
        o.cable_length_paid_out[c] = massless.unstretched_length(
            m.cable_winch, m.cable_length, m.cable_layer_start, m.drum_layer, c, s.body_position
        )
        if m.cable_row[c] < 0 and not m.cable_wire[c]:
            o.cable_length_paid_out[c] = w.node_beyond[m.cable_node_start[c]]
        _, ratio = paid_out(m.cable_winch, m.cable_layer_start, m.drum_layer, c, s.body_position)
        o.cable_length_rate[c] = ratio * s.body_velocity[winch, 0] if winch >= 0 else 0.0


@inlined
def read_cables(m, s, w, o, h):
    """Lengths, tensions and node forces of all cables."""
    read_lengths(m, s, w, o)
    for c in range(m.cable_row.size):
        o.cable_slack[c] = massless.pull(m.cable_row, m.cable_drive_row, c, s.row_impulse) == 0.0
    massless.tensions(
        h, m.cable_node_start, m.cable_row, m.cable_drive_row, m.cable_pull_row, m.cable_winch, m.cable_length,
        m.cable_layer_start, m.drum_layer, m.node_row, m.row_lower, s.body_position, w.node_beyond, s.row_impulse,
        o.span_tension,
    )  # fmt: skip
    for n in range(m.wire_cable.size):
        c, most = m.wire_cable[n], 0.0
        for k in range(m.cable_node_start[c], m.cable_node_start[c + 1] - 1):
            o.span_tension[k] = s.span_pull[k] / h
            most = max(most, o.span_tension[k])
        o.cable_slack[c] = most == 0.0
    massless.node_forces(m.cable_node_start, o.span_tension, w.span_direction, o.node_force)
    elevation.node_forces(
        (m.gravity[0], m.gravity[1], m.gravity[2]), m.cable_node_start, m.cable_waves, m.cable_wave_kind,
        m.cable_density, m.span_wave_start, m.span_intervals, s.span_waves, o.span_tension, s.wave, w.span_normal,
        w.span_length, w.span_direction, o.node_force,
    )  # fmt: skip
    torsion.torques(
        h, m.cable_node_start, m.cable_row, m.cable_twist_row, m.cable_torque_arm, m.span_slots, s.node_touch,
        s.cable_twist_expected, s.span_pull, s.row_impulse, o.cable_torque,
    )  # fmt: skip
    torsion.node_wrenches(
        m.cable_node_start, m.cable_twist_row, m.span_slots, o.cable_torque, w.span_shaft, w.span_lever, o.node_force,
        o.node_torque,
    )  # fmt: skip


@inlined
def read_ropes(m, s, w, o, h):
    """Tensions, lengths and node forces of cables made of masses; forces on bodies act along the end segments."""
    b = m.rope_kinds[1]
    lumped.tensions(
        m.rope_start[: b + 1], m.rope_stiffness, m.rope_rest_length, m.rope_friction, m.rope_objective,
        m.rope_pull_only, s.particle_position, s.particle_velocity, o.segment_tension,
    )  # fmt: skip
    particles.chain_tensions(h, b, m.rope_start, s.segment_impulse, o.segment_tension)
    for r in range(m.rope_cable.size):
        c = m.rope_cable[r]
        o.cable_length_paid_out[c] = m.cable_length[c]
        largest = particles.reading(
            r, m.rope_start, m.rope_attached, m.rope_cable, m.cable_node_start, s.particle_position,
            o.segment_tension, o.segment_length, o.node_force,
        )  # fmt: skip
        o.cable_slack[c] = largest <= 0.0


@inlined
def rope_energies(m, s, h):
    """Kinetic, potential and elastic energy of all cables made of masses, and that of their soft grounds [J]."""
    kinetic, potential, elastic, ground = 0.0, 0.0, 0.0, 0.0
    for r in range(m.rope_cable.size):
        motion, height = lumped.motion(
            r, (m.gravity[0], m.gravity[1], m.gravity[2]), m.rope_start, m.particle_mass, s.particle_position,
            s.particle_velocity,
        )  # fmt: skip
        stretched, bent, pressed = lumped.elastic_energies(
            r, m.rope_start, m.rope_stiffness, m.rope_rest_length, m.rope_pull_only, m.rope_bending,
            m.rope_ground_point, m.rope_ground_normal, m.rope_repulsion, s.particle_position,
        )  # fmt: skip
        if r >= m.rope_kinds[1]:
            stretched = chain.elastic_energy(
                h, r, m.rope_start, m.rope_compliance, m.segment_rest_length, s.segment_impulse
            )
        kinetic, potential, elastic = kinetic + motion, potential + height, elastic + stretched + bent
        ground += pressed
    return kinetic, potential, elastic, ground


@inlined
def read_contacts(m, s, w, o, h):
    """Force of all surfaces, boxes and obstacles on each body [N]."""
    o.body_contact_force[:] = 0.0
    for c in range(m.contact_body.size):
        for k in range(3):
            r = m.contact_row[c] + k
            for i in range(3):
                push = w.entry_jacobian[m.row_entry_start[r], i] * s.row_impulse[r] / h
                o.body_contact_force[m.contact_body[c], i] += push
    o.pair_force[:] = 0.0
    for p in range(m.pair_row.size):
        for r in range(m.pair_row[p], m.pair_row[p] + 3 * POINTS):
            if w.row_active[r]:
                read_pair_row(m, s, w, o, h, p, r)
    read_solids(m, s, w, o, h)


@inlined
def read_solids(m, s, w, o, h):
    """Add the forces of the obstacles that stop bodies to those of the bodies [N]."""
    for p in range(m.stopped_row.size):
        for r in range(m.stopped_row[p], m.stopped_row[p] + rows_of(m.stopped_half[p, 0])):
            if w.row_active[r]:
                for e in range(m.row_entry_start[r], m.row_entry_start[r + 1]):
                    for i in range(3):
                        push = w.entry_jacobian[e, i] * s.row_impulse[r] / h
                        o.body_contact_force[m.entry_body[e], i] += push


@inlined
def read_pair_row(m, s, w, o, h, p, r):
    """Add the force of row r of pair p of boxes to those of the pair and of the bodies [N]."""
    second = m.box_body[m.pair_box[p, 1]]
    for e in range(m.row_entry_start[r], m.row_entry_start[r + 1]):
        b = m.entry_body[e]
        for i in range(3):
            push = w.entry_jacobian[e, i] * s.row_impulse[r] / h
            o.body_contact_force[b, i] += push
            if (b == second) or second == 0:
                o.pair_force[p, i] += push if b == second else -push


@inlined
def row_energy(m, w, r):
    """Energy in what gives of row r [J]."""
    if not w.row_active[r] or w.row_compliance[r] == 0.0 or (w.row_gap[r] >= 0.0 and m.row_one_sided[r]):
        return 0.0
    return 0.5 * w.row_gap[r] ** 2 / w.row_compliance[r]


@inlined
def contact_energy(m, w):
    """Energy in what gives of contacts with surfaces and between boxes [J]."""
    total = 0.0
    for r in m.contact_row:
        total += row_energy(m, w, r)
    for r in m.pair_row:
        for corner in range(POINTS):
            total += row_energy(m, w, r + 3 * corner)
    return total


@inlined
def gap_energy(m, s, w, h, r):
    """Energy in what gives of a row that is no contact [J]."""
    if not w.row_active[r] or w.row_compliance[r] == 0.0 or (w.row_gap[r] >= 0.0 and m.row_one_sided[r]):
        return 0.0
    mobility = drives.mobility_of(
        r, m.row_entry_start, m.entry_body, m.body_inverse_mass, w.world_inverse_inertia, w.entry_jacobian
    )
    gap, stepped = w.row_gap[r], s.steps[0] > 0 and w.row_inner[r, 0] == 0.0  # not a curve (``cables/giving.py``)
    if stepped:
        rate = row_rate(r, m.row_entry_start, m.entry_body, s.body_velocity, w.entry_jacobian)
        gap = timely_gap(h, m.stepper[0], gap, rate + w.row_inner[r, 1])
        if gap >= 0.0 and m.row_one_sided[r]:
            return 0.0
    return strain_energy(
        h, gap, w.row_compliance[r], m.row_damping_time[r], mobility, s.row_impulse[r], stepped, m.row_one_sided[r]
    )


@inlined
def read_energy(m, s, w, o, h):
    """Kinetic, potential and elastic energy, and that of what bodies and ropes made of masses press in [J]."""
    kinetic, potential, elastic, ground = 0.0, 0.0, 0.0, 0.0
    gravity = (m.gravity[0], m.gravity[1], m.gravity[2])
    for b in range(1, m.body_kind.size):
        if m.body_kind[b] != DYNAMIC and m.body_kind[b] != WINCH:
            continue
        mass, velocity = 1.0 / m.body_inverse_mass[b], load(s.body_velocity, b)
        kinetic += 0.5 * mass * dot(velocity, velocity)
        if m.body_kind[b] == DYNAMIC:
            spin = rotate_back(load_quaternion(s.body_orientation, b), load(s.body_velocity[:, 3:], b))
            kinetic += 0.5 * dot(spin, multiply3(m.body_inertia, b, spin))
            potential -= mass * dot(gravity, load(s.body_position, b))
    for r in range(m.row_kind.size):
        elastic += gap_energy(m, s, w, h, r) if m.row_kind[r] == GAP else 0.0
    for r in m.joint_stop_row:
        elastic += gap_energy(m, s, w, h, r) if r >= 0 else 0.0
    ground += contact_energy(m, w)
    for c in range(m.cable_waves.size):
        if m.cable_waves[c] and s.cable_off[c] == parting.ON:
            motion, height = elevation.energies(
                c, gravity, m.cable_node_start, m.cable_density, m.span_wave_start, m.span_intervals, s.node_body,
                s.wave, s.wave_rate, s.body_velocity, w.node_position, w.node_arm, w.span_normal, w.span_length,
                w.span_direction,
            )  # fmt: skip
            kinetic += motion
            potential += height
    if s.particle_position.size > 0:
        rope_kinetic, rope_potential, rope_elastic, rope_ground = rope_energies(m, s, h)
        ground += rope_ground
        kinetic, potential, elastic = kinetic + rope_kinetic, potential + rope_potential, elastic + rope_elastic
    if m.wire_cable.size > 0:
        wire_kinetic, wire_potential, wire_elastic = wires.wire_energies(m, s, w, h)
        kinetic, potential, elastic = kinetic + wire_kinetic, potential + wire_potential, elastic + wire_elastic
    o.energy[0], o.energy[1], o.energy[2], o.energy[3] = kinetic, potential, elastic, ground


@kernel
def observe(m, s, w, o, h):
    """Fill the readings ``o`` from the state and a workspace whose rows are those of its pose (``run`` with LOOK)."""
    read_joints(m, s, w, o, h)
    read_drives(m, s, w, o, h)
    read_cables(m, s, w, o, h)
    if s.particle_position.size > 0:
        read_ropes(m, s, w, o, h)
    read_contacts(m, s, w, o, h)
    read_energy(m, s, w, o, h)
