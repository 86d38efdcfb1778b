"""What a step does with ropes made of masses: unpacks Model, State and Workspace for their kernels."""

from cable_sim.kernels import status, straining
from cable_sim.kernels.cables import chain, lumped, particles, tutorial
from cable_sim.kernels.jit import inlined, kernel


@kernel
def finite(array):
    """Whether every number of an (n, k) array is finite."""
    total = 0.0
    for i in range(array.shape[0]):
        row = 0.0  # on its own, so that one row does not wait for the other
        for k in range(array.shape[1]):
            row += array[i, k]
        total += row
    return total - total == 0.0


@inlined
def run_springs(m, s, w, h):
    """Ropes of masses and springs a step on, in the workspace, and their pull on the bodies; returns status flags."""
    if m.rope_kinds[1] == 0:
        return status.SOLVED
    a, b, gravity = m.rope_kinds[0], m.rope_kinds[1], (m.gravity[0], m.gravity[1], m.gravity[2])
    particles.copy_particles(
        m.rope_start[b], s.particle_position, s.particle_velocity, w.particle_position, w.particle_velocity
    )
    tutorial.run(
        h, gravity, m.rope_start[: a + 1], m.rope_attached, m.rope_largest_step, m.rope_stiffness, m.rope_rest_length,
        m.rope_friction, m.rope_air_friction, m.rope_repulsion, m.rope_ground_friction, m.rope_absorption,
        m.rope_height, m.particle_mass, w.particle_position, w.particle_velocity, w.rope_end_velocity,
        w.rope_end_force,
    )  # fmt: skip
    lumped.run(
        h, gravity, m.rope_start[a : b + 1], m.rope_attached[a:], m.rope_largest_step[a:], m.rope_stiffness[a:],
        m.rope_rest_length[a:], m.rope_friction[a:], m.rope_air_friction[a:], m.rope_objective[a:],
        m.rope_pull_only[a:], m.rope_bending[a:], m.rope_ground_point[a:], m.rope_ground_normal[a:],
        m.rope_repulsion[a:], m.rope_absorption[a:], m.rope_ground_friction[a:], m.particle_mass,
        w.rope_end_velocity[a:], w.particle_position, w.particle_velocity, w.particle_force, w.rope_end_force[a:],
    )  # fmt: skip
    particles.push_ends(
        h, b, m.rope_attached, m.rope_cable, m.cable_node_start, m.body_kind, m.body_inverse_mass, s.node_body,
        w.node_arm, w.world_inverse_inertia, w.rope_end_force, w.next_velocity,
    )  # fmt: skip
    return status.SOLVED if finite(w.particle_velocity[: m.rope_start[b]]) else status.NOT_FINITE


@inlined
def condense_chains(m, s, w, h):
    """Chains of masses, solved but for the rows of their ends; returns status flags."""
    if m.rope_kinds[1] == m.rope_cable.size:
        return status.SOLVED
    b = m.rope_kinds[1]
    flags = chain.condense(
        h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.rope_start[b:], m.rope_attached[b:], m.rope_compliance[b:],
        m.rope_damping_time[b:], m.rope_air_friction[b:], m.particle_inverse_mass, m.segment_rest_length,
        s.particle_position, s.particle_velocity, w.particle_free, w.segment_direction, w.segment_demand,
        w.segment_fill, w.segment_share, w.rope_end_active[b:], w.rope_end_softness[b:], w.rope_end_demand[b:],
        w.rope_end_coupling[b:],
    )  # fmt: skip
    particles.end_rows(
        b, m.rope_start, m.rope_attached, m.rope_cable, m.rope_row, m.cable_node_start, m.row_entry_start,
        s.node_body, w.node_arm, w.segment_direction, w.rope_end_softness, w.rope_end_demand, w.rope_end_coupling,
        w.row_target, w.row_compliance, w.entry_jacobian,
    )  # fmt: skip
    return flags


@inlined
def check_strains(m, s, w, h):
    """OVERSTRAINED if a rope is stretched too far at the present pose, for which the rows have been filled."""
    c = straining.overstrained_cable(
        m.cable_row, m.cable_compliance_per_length, w.row_active, w.row_gap, w.row_compliance
    )
    if c < 0 and m.particle_mass.size > 0:
        c = straining.overstrained_rope(
            h, m.rope_start, m.rope_cable, m.particle_inverse_mass, m.segment_rest_length, s.particle_position,
            s.segment_impulse,
        )  # fmt: skip
    if c < 0 and m.wire_cable.size > 0:
        c = straining.overstrained_wire(h, m.wire_cable, m.cable_node_start, m.cable_compliance_per_length, s.span_pull)
    return status.SOLVED if c < 0 else status.OVERSTRAINED


@inlined
def attach_particles(m, s):
    """Attached ends of ropes made of masses at the present pose."""
    particles.place_ends(
        m.rope_start, m.rope_attached, m.rope_cable, m.cable_node_start, s.node_body, s.node_point, s.body_position,
        s.body_orientation, s.body_velocity, s.particle_position, s.particle_velocity,
    )  # fmt: skip


@inlined
def advance_particles(m, s, w, h):
    """Masses at the end of the step: springs as they ran ahead, chains from the impulses of their ends."""
    b = m.rope_kinds[1]
    particles.copy_particles(
        m.rope_start[b], w.particle_position, w.particle_velocity, s.particle_position, s.particle_velocity
    )
    particles.end_impulses(b, m.rope_row, s.row_impulse, w.rope_end_impulse)
    chain.resolve(
        m.rope_start[b:], m.rope_attached[b:], w.segment_demand, w.segment_fill, w.segment_share,
        w.rope_end_impulse[b:], s.segment_impulse,
    )  # fmt: skip
    chain.advance(
        h, m.rope_start[b:], m.rope_attached[b:], m.rope_air_friction[b:], m.rope_ground_point[b:],
        m.rope_ground_normal[b:], m.rope_ground_friction[b:], m.particle_inverse_mass, w.particle_free,
        w.segment_direction, s.segment_impulse, w.rope_end_velocity[b:], s.particle_position, s.particle_velocity,
    )  # fmt: skip
