"""Step functions for ropes made of masses: unpack Model, State and Workspace for their kernels."""

from math import isinf

from cable_sim.kernels import status, wires
from cable_sim.kernels.cables.massless import breakage
from cable_sim.kernels.cables.particles import chain, chain_elimination, lumped, particles, tutorial
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.multibody import overstrain
from cable_sim.kernels.multibody.wind import Wind, apply_particle_wind
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.world import Model, State, Workspace


@kernel
def finite(array: Floats) -> bool:
    """Return True if every number of an (n, k) array is finite."""
    total = 0.0
    for i in range(array.shape[0]):
        row = 0.0  # on its own, so that one row does not wait for the other
        for k in range(array.shape[1]):
            row += array[i, k]
        total += row
    return total - total == 0.0


@inlined
def run_springs(m: Model, s: State, w: Workspace, h: float) -> int:
    """Advance ropes of springs in the workspace, and pull on the bodies; return status flags."""
    if m.ropes.kinds[1] == 0:
        return status.SOLVED
    a = m.ropes.kinds[0]
    b = m.ropes.kinds[1]
    gravity = wires.gravity(m)
    particles.copy_particles(
        m.ropes.start[b],
        s.particles.position,
        s.particles.velocity,
        w.ropes.particle_position,
        w.ropes.particle_velocity,
    )
    tutorial.run(h, gravity, a, m.ropes, w.ropes)
    lumped.run(h, gravity, a, b, m.ropes, w.ropes)
    particles.push_ends(h, b, m.ropes, m.bodies, w.ropes, wires.lines(m, s, w))
    return (
        status.SOLVED
        if finite(w.ropes.particle_velocity[: m.ropes.start[b]])
        else status.NOT_FINITE
    )


@inlined
def weigh_ends(m: Model, s: State, w: Workspace, h: float) -> None:
    """Push the weights of the masses at the ends of chains on their bodies."""
    b = m.ropes.kinds[1]
    if b < m.ropes.cable.size:
        gravity = wires.gravity(m)
        particles.weigh_ends(h, gravity, b, m.ropes, m.bodies, wires.lines(m, s, w))


@inlined
def prepare_chains(m: Model, w: Workspace, h: float) -> None:
    """Fill what the sweeps of chains need in a run of steps of ``h`` [s]."""
    if m.ropes.kinds[1] < m.ropes.cable.size:
        chain.prepare(h, m.ropes.kinds[1], m.ropes, w.ropes)


@inlined
def condense_chains(m: Model, s: State, w: Workspace, h: float) -> int:
    """Solve chains of masses except for the rows of their ends; return status flags."""
    if m.ropes.kinds[1] == m.ropes.cable.size:
        return status.SOLVED
    b = m.ropes.kinds[1]
    gravity = wires.gravity(m)
    flags = chain.condense(h, gravity, b, True, m.ropes, s.particles, w.ropes)
    particles.fill_end_rows(b, m.ropes, wires.lines(m, s, w), w.ropes, wires.table(m, s, w))
    return flags


@inlined
def solve_chains(m: Model, s: State, w: Workspace) -> None:
    """Find the impulses of all segments of chains from those of the rows of their ends."""
    b = m.ropes.kinds[1]
    if b < m.ropes.cable.size:
        particles.copy_end_impulses(b, m.ropes.row, s.rows.impulse, w.ropes.end_impulse)
        chain_elimination.solve_segments(b, m.ropes, w.ropes)


@inlined
def review_chains(m: Model, s: State, w: Workspace, h: float, round: int) -> int:
    """Review which segments of chains pull; return the number of changes.

    The velocities are those at the end of the step. After a change the rows ask for other impulses.
    """
    b = m.ropes.kinds[1]
    if b == m.ropes.cable.size:
        return 0
    gravity = wires.gravity(m)
    solve_chains(m, s, w)
    particles.move_ends(b, m.ropes, wires.lines(m, s, w), w.ropes)
    changes = chain.review(
        h, gravity, b, round, m.ropes, s.particles, w.ropes.end_next_velocity, w.ropes
    )
    if changes > 0:
        chain.condense(h, gravity, b, False, m.ropes, s.particles, w.ropes)
        particles.fill_end_rows(b, m.ropes, wires.lines(m, s, w), w.ropes, wires.table(m, s, w))
    return changes


@inlined
def check_strains(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> int:
    """Return OVERSTRAINED if a rope is stretched too far at the present pose.

    The rows have been filled for that pose.
    """
    c = overstrain.overstrained_cable(
        m.cables.row, m.cables.compliance_per_length, w.rows.active, w.rows.gap, w.rows.compliance
    )
    if extras is not None:
        if c < 0 and m.ropes.particle_mass.size > 0:
            c = overstrain.overstrained_rope(h, m.ropes, s.particles)
        if c < 0 and m.wires.cable.size > 0:
            c = overstrain.overstrained_wire(
                h,
                m.wires.cable,
                m.cables.node_start,
                m.cables.compliance_per_length,
                s.spans.tension_impulse,
            )
    return status.SOLVED if c < 0 else status.OVERSTRAINED


@inlined
def attach_particles(m: Model, s: State) -> None:
    """Put attached ends of ropes made of masses where they are at the present pose."""
    particles.place_ends(m.ropes, m.cables, s.nodes, s.bodies, s.particles)


@inlined
def check_loads(m: Model, s: State, h: float) -> int:
    """Hold the largest tensions of ropes made of masses; return status flags."""
    flags = status.SOLVED
    gravity = wires.gravity(m)
    for r in range(m.ropes.cable.size):
        c = m.ropes.cable[r]
        if isinf(m.breakage.force[c]):
            continue
        tension = particles.largest_tension(h, r, gravity, m.ropes, s.particles, s.rows)
        if breakage.hold_peak(c, tension, m.breakage.force[c], s.time[0], s.cables):
            flags |= status.OVERLOADED
    return flags


@inlined
def advance_particles(m: Model, s: State, w: Workspace, h: float, wind: Wind) -> None:
    """Advance masses to the end of the step, and let the wind blow on them.

    Springs are taken as they ran ahead, chains from the impulses of their ends.
    """
    if s.particles.position.size == 0:
        return
    b = m.ropes.kinds[1]
    particles.copy_particles(
        m.ropes.start[b],
        w.ropes.particle_position,
        w.ropes.particle_velocity,
        s.particles.position,
        s.particles.velocity,
    )
    chain.take_impulses(b, m.ropes, w.ropes, s.particles)
    gravity = wires.gravity(m)
    chain.advance(h, gravity, b, m.ropes, w.ropes, s.particles)
    apply_particle_wind(h, wind, m.ropes, m.wind, s.particles)


@inlined
def check_fineness(m: Model, s: State, h: float) -> int:
    """Return TOO_FINE if a chain of masses has too short segments for its tension."""
    first = m.ropes.kinds[1]
    if first == m.ropes.cable.size:
        return status.SOLVED
    return chain.check_fineness(
        h,
        m.ropes.start[first:],
        m.ropes.attached[first:],
        m.ropes.particle_inverse_mass,
        m.ropes.segment_rest_length,
        s.particles.segment_impulse,
    )
