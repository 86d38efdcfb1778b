"""The lumped rope: masses and springs, as in ``tutorial.py``, with what the tutorial left out.

For a spring from x_1 to x_2, u = (x_2 - x_1) / r, r = |x_2 - x_1|, stretch r - l and its rate u .
(v_2 - v_1),

    pull  T = k (r - l) + c u . (v_2 - v_1),    F_1 = T u,    F_2 = -T u    (``rope_objective``)
or  pull  T = k (r - l),    F_1 = T u + c (v_2 - v_1),    F_2 = -F_1    (else, as the tutorial)

in N, N/m and N s/m. The objective one acts along the spring alone: a rope that turns as a whole
feels none of it, and angular momentum is conserved. With ``rope_pull_only`` a spring that is not
stretched does nothing, and T >= 0 as far as the objective one goes: a rope carries no compression.
Bending: ``bending.py``; ground and friction: the soft plane of ``ground.py``; air: -b v for each
mass. Each mass then moves as in the tutorial, velocity first,

    v* = v + (h / m) (F + N n),    v+ = v* slowed by friction,    x+ = x + h v+.

Conserved to rounding without air, ground and held ends: momentum; angular momentum with objective
friction or none (the step conserves it: F_1 is along x_2 - x_1, and x+ x v+ = x x v+). Energy is
not: without friction it oscillates with the part w h about a constant, w the frequency of the
motion, as long as the step is stable (``model/cables/lumped.py``).

A held end takes the velocity it is given and moves with it; nothing pushes it. What pulls on it is
reported, for the body that holds it: the mean force over the tick on the mass there, its weight in
it but not its inertia, so a body that holds an end should have that mass as its own.
"""

from math import ceil

from cable_sim.kernels.cables.particles import bending
from cable_sim.kernels.cables.particles.bending import add_to_row
from cable_sim.kernels.cables.particles.ground import has_plane, height, plane_force, reduce_sliding
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, dot, load, norm, scale, store, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork

ALIKE = 1e-9
"""Relative difference of two steps that differ by rounding alone."""


@kernel
def substeps(dt: float, largest_step: float) -> int:
    """Return the number of equal steps of a tick: a tick of exactly the largest step is one."""
    return max(1, int(ceil(dt / largest_step * (1.0 - ALIKE))))


@kernel
def spring_tension(
    stiffness: float,
    rest_length: float,
    friction: float,
    objective: bool,
    pull_only: bool,
    length: float,
    rate: float,
) -> float:
    """Return the tension of a spring [N], without the part of its friction that is not along it."""
    stretch = length - rest_length
    if pull_only and stretch <= 0.0:
        return 0.0
    tension = stiffness * stretch + (friction * rate if objective else 0.0)
    return max(0.0, tension) if pull_only and objective else tension


@kernel
def damped_spring_force(
    stiffness: float,
    rest_length: float,
    friction: float,
    objective: bool,
    pull_only: bool,
    reach: Vector,
    drift: Vector,
) -> Vector:
    """Force [N] on the first mass of a spring: ``reach`` is x_2 - x_1 [m], ``drift`` v_2 - v_1
    [m/s]."""
    length = norm(reach)
    if length == 0.0:
        return ZERO
    along = scale(1.0 / length, reach)
    tension = spring_tension(
        stiffness, rest_length, friction, objective, pull_only, length, dot(along, drift)
    )
    force = scale(tension, along)
    if objective or (pull_only and length <= rest_length):
        return force
    return axpy(friction, drift, force)


@kernel
def compute_forces(r: int, gravity: Vector, ropes: Ropes, work_out: RopeWork) -> None:
    """Compute the forces on the masses of rope r without the ground's [N].

    They are those of springs, bending, weight and air.
    """
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    stiffness = ropes.stiffness[r]
    rest = ropes.rest_length[r]
    friction = ropes.friction[r]
    air = ropes.air_friction[r]
    objective = ropes.objective[r]
    pull_only = ropes.pull_only[r]
    position = load(work_out.particle_position, begin)
    velocity = load(work_out.particle_velocity, begin)
    before = ZERO
    for i in range(begin, last + 1):
        force = axpy(-air, velocity, axpy(ropes.particle_mass[i], gravity, before))
        if i < last:
            ahead = load(work_out.particle_position, i + 1)
            ahead_velocity = load(work_out.particle_velocity, i + 1)
            reach = sub(ahead, position)
            drift = sub(ahead_velocity, velocity)
            spring_force = damped_spring_force(
                stiffness, rest, friction, objective, pull_only, reach, drift
            )
            force = axpy(1.0, spring_force, force)
            before = scale(-1.0, spring_force)
            position = ahead
            velocity = ahead_velocity
        store(force, i, work_out.particle_force)
    if ropes.bending[r] > 0.0:
        bending.add_bending_forces(
            ropes.bending[r] / rest,
            begin,
            last + 1,
            work_out.particle_position,
            work_out.particle_force,
        )


@kernel
def advance(h: float, r: int, ropes: Ropes, work_out: RopeWork) -> None:
    """Advance the masses of rope r by one step.

    Adds h times the pull at its held ends to ``end_force_out``.
    """
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    point = load(ropes.ground_point, r)
    normal = load(ropes.ground_normal, r)
    repulsion = ropes.repulsion[r]
    absorption = ropes.absorption[r]
    friction = ropes.ground_friction[r]
    grounded = has_plane(normal)
    for i in range(begin, last + 1):
        position = load(work_out.particle_position, i)
        velocity = load(work_out.particle_velocity, i)
        force = load(work_out.particle_force, i)
        if (i == begin and ropes.attached[r, 0]) or (i == last and ropes.attached[r, 1]):
            e = 0 if i == begin else 1
            add_to_row(scale(h, force), e, work_out.end_force[r])
            velocity = load(work_out.end_velocity[r], e)
        else:
            gain = h / ropes.particle_mass[i]
            press = 0.0
            if grounded:
                press = plane_force(
                    repulsion, absorption, height(position, point, normal), dot(normal, velocity)
                )
            velocity = axpy(gain, axpy(press, normal, force), velocity)
            if press > 0.0:
                velocity = reduce_sliding(velocity, normal, friction * press * gain)
        store(velocity, i, work_out.particle_velocity)
        store(axpy(h, velocity, position), i, work_out.particle_position)


@kernel
def run(
    dt: float, gravity: Vector, first: int, last: int, ropes: Ropes, work_out: RopeWork
) -> None:
    """Advance ropes ``first`` to ``last`` - 1 by a tick of ``dt`` [s].

    Each takes its own number of steps. ``end_velocity`` of the work is the velocity of attached
    first and last masses [m/s]. ``end_force`` becomes the mean force of the tick on those masses
    [N]; ``particle_force`` is scratch.
    """
    for r in range(first, last):
        count = substeps(dt, ropes.largest_step[r])
        store(ZERO, 0, work_out.end_force[r])
        store(ZERO, 1, work_out.end_force[r])
        for _ in range(count):
            compute_forces(r, gravity, ropes, work_out)
            advance(dt / count, r, ropes, work_out)
        for e in range(2):
            store(scale(1.0 / dt, load(work_out.end_force[r], e)), e, work_out.end_force[r])


@kernel
def segment_tension(i: int, r: int, ropes: Ropes, particles: ParticleState) -> float:
    """Return the tension of the spring from mass i to i + 1 of rope r [N]."""
    reach = sub(load(particles.position, i + 1), load(particles.position, i))
    drift = sub(load(particles.velocity, i + 1), load(particles.velocity, i))
    length = norm(reach)
    rate = dot(reach, drift) / length if length > 0.0 else 0.0
    return spring_tension(
        ropes.stiffness[r],
        ropes.rest_length[r],
        ropes.friction[r],
        ropes.objective[r],
        ropes.pull_only[r],
        length,
        rate,
    )


@kernel
def compute_tensions(
    count: int, ropes: Ropes, particles: ParticleState, segment_tension_out: Floats
) -> None:
    """Tension of every segment of the first ``count`` ropes [N], from mass i to i + 1 at place i.

    It is 0 at the last place of a rope.
    """
    for r in range(count):
        last = ropes.start[r + 1] - 1
        for i in range(ropes.start[r], last):
            segment_tension_out[i] = segment_tension(i, r, ropes, particles)
        segment_tension_out[last] = 0.0


@kernel
def motion_energies(
    r: int, gravity: Vector, ropes: Ropes, particle_position: Floats, particle_velocity: Floats
) -> tuple[float, float]:
    """Kinetic energy and potential energy in the weight of rope r [J]."""
    kinetic = 0.0
    weight = 0.0
    for i in range(ropes.start[r], ropes.start[r + 1]):
        velocity = load(particle_velocity, i)
        kinetic += 0.5 * ropes.particle_mass[i] * dot(velocity, velocity)
        weight -= ropes.particle_mass[i] * dot(gravity, load(particle_position, i))
    return kinetic, weight


@kernel
def sum_elastic_energies(r: int, ropes: Ropes, particle_position: Floats) -> Vector:
    """Return the energies of stretch, bending and soft ground in rope r [J].

    The held ends feel no ground but are counted.
    """
    begin = ropes.start[r]
    end = ropes.start[r + 1]
    stretched = 0.0
    pressed = 0.0
    rest = ropes.rest_length[r]
    normal = load(ropes.ground_normal, r)
    for i in range(begin, end):
        if i + 1 < end:
            stretch = norm(sub(load(particle_position, i + 1), load(particle_position, i))) - rest
            if stretch > 0.0 or not ropes.pull_only[r]:
                stretched += 0.5 * ropes.stiffness[r] * stretch * stretch
        if has_plane(normal):
            above = min(
                0.0, height(load(particle_position, i), load(ropes.ground_point, r), normal)
            )
            pressed += 0.5 * ropes.repulsion[r] * above * above
    return (
        stretched,
        bending.bending_energy(ropes.bending[r] / rest, begin, end, particle_position),
        pressed,
    )
