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
    if m.ropes.kinds[1] == 0:
        return status.SOLVED
    a, b, gravity = m.ropes.kinds[0], m.ropes.kinds[1], (m.gravity[0], m.gravity[1], m.gravity[2])
    particles.copy_particles(
        m.ropes.start[b], s.particles.position, s.particles.velocity, w.ropes.particle_position,
        w.ropes.particle_velocity
    )  # fmt: skip
    tutorial.run(
        h, gravity, m.ropes.start[: a + 1], m.ropes.attached, m.ropes.largest_step, m.ropes.stiffness,
        m.ropes.rest_length, m.ropes.friction, m.ropes.air_friction, m.ropes.repulsion, m.ropes.ground_friction,
        m.ropes.absorption, m.ropes.height, m.ropes.particle_mass, w.ropes.particle_position, w.ropes.particle_velocity,
        w.ropes.end_velocity, w.ropes.end_force,
    )  # fmt: skip
    lumped.run(
        h, gravity, m.ropes.start[a : b + 1], m.ropes.attached[a:], m.ropes.largest_step[a:], m.ropes.stiffness[a:],
        m.ropes.rest_length[a:], m.ropes.friction[a:], m.ropes.air_friction[a:], m.ropes.objective[a:],
        m.ropes.pull_only[a:], m.ropes.bending[a:], m.ropes.ground_point[a:], m.ropes.ground_normal[a:],
        m.ropes.repulsion[a:], m.ropes.absorption[a:], m.ropes.ground_friction[a:], m.ropes.particle_mass,
        w.ropes.end_velocity[a:], w.ropes.particle_position, w.ropes.particle_velocity, w.ropes.particle_force,
        w.ropes.end_force[a:],
    )  # fmt: skip
    particles.push_ends(h, b, m.ropes, m.cables, m.bodies, s.nodes, w.nodes, w.ropes, w.bodies)
    return status.SOLVED if finite(w.ropes.particle_velocity[: m.ropes.start[b]]) else status.NOT_FINITE


@inlined
def condense_chains(m, s, w, h):
    """Chains of masses, solved but for the rows of their ends; returns status flags."""
    if m.ropes.kinds[1] == m.ropes.cable.size:
        return status.SOLVED
    b = m.ropes.kinds[1]
    flags = chain.condense(
        h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.ropes.start[b:], m.ropes.attached[b:], m.ropes.compliance[b:],
        m.ropes.damping_time[b:], m.ropes.air_friction[b:], m.ropes.particle_inverse_mass, m.ropes.segment_rest_length,
        s.particles.position, s.particles.velocity, w.ropes.particle_free, w.ropes.segment_direction,
        w.ropes.segment_demand, w.ropes.segment_fill, w.ropes.segment_share, w.ropes.end_active[b:],
        w.ropes.end_softness[b:], w.ropes.end_demand[b:], w.ropes.end_coupling[b:],
    )  # fmt: skip
    particles.end_rows(b, m.ropes, m.cables, m.rows, s.nodes, w.nodes, w.ropes, w.rows)
    return flags


@inlined
def check_strains(m, s, w, h):
    """OVERSTRAINED if a rope is stretched too far at the present pose, for which the rows have been filled."""
    c = straining.overstrained_cable(
        m.cables.row, m.cables.compliance_per_length, w.rows.active, w.rows.gap, w.rows.compliance
    )
    if c < 0 and m.ropes.particle_mass.size > 0:
        c = straining.overstrained_rope(h, m.ropes, s.particles)
    if c < 0 and m.wires.cable.size > 0:
        c = straining.overstrained_wire(
            h, m.wires.cable, m.cables.node_start, m.cables.compliance_per_length, s.spans.pull
        )
    return status.SOLVED if c < 0 else status.OVERSTRAINED


@inlined
def attach_particles(m, s):
    """Attached ends of ropes made of masses at the present pose."""
    particles.place_ends(m.ropes, m.cables, s.nodes, s.bodies, s.particles)


@inlined
def advance_particles(m, s, w, h):
    """Masses at the end of the step: springs as they ran ahead, chains from the impulses of their ends."""
    b = m.ropes.kinds[1]
    particles.copy_particles(
        m.ropes.start[b], w.ropes.particle_position, w.ropes.particle_velocity, s.particles.position,
        s.particles.velocity
    )  # fmt: skip
    particles.end_impulses(b, m.ropes.row, s.rows.impulse, w.ropes.end_impulse)
    chain.resolve(
        m.ropes.start[b:], m.ropes.attached[b:], w.ropes.segment_demand, w.ropes.segment_fill, w.ropes.segment_share,
        w.ropes.end_impulse[b:], s.particles.segment_impulse,
    )  # fmt: skip
    chain.advance(
        h, m.ropes.start[b:], m.ropes.attached[b:], m.ropes.air_friction[b:], m.ropes.ground_point[b:],
        m.ropes.ground_normal[b:], m.ropes.ground_friction[b:], m.ropes.particle_inverse_mass, w.ropes.particle_free,
        w.ropes.segment_direction, s.particles.segment_impulse, w.ropes.end_velocity[b:], s.particles.position,
        s.particles.velocity,
    )  # fmt: skip
