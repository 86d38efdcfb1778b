"""The rope of a well-known tutorial, as it was written: masses, springs that push as well, a soft
ground.

E. Tunca, "Rope Physics" (NeHe, lesson 40), with its y axis turned to our z. For each mass, with d =
x_1 - x_2 from the second end of a spring to its first and r = |d|,

    spring      F_1 = -(d / r) (r - l) k - (v_1 - v_2) c,     F_2 = -F_1          [N]
    weight      m g                                                                [N]
    air         -v b                                                               b in N s/m
    ground, where z < z_0:
        slide       -(v_x, v_y, 0) b_s                                             b_s in N s/m
        absorption  -(0, 0, v_z) b_a, only while v_z < 0                           b_a in N s/m
        repulsion   (0, 0, k_g (z_0 - z))                                          k_g in N/m

and then, velocity first (lesson 39 has this order; the text does not print it),

    v+ = v + (F / m) h,      x+ = x + v+ h.

A held end is not pushed: it moves by x+ = x + u h with the velocity u that it was given, takes v+ =
u, and does not come below the ground: there z = z_0, and u_z becomes and stays 0. One that is below
already, as a body may take it there, stays with its body. A tick dt is int(dt / h_max) + 1 equal
substeps, so that a tick of exactly h_max is two.

What this is not: the springs' friction acts on the whole relative velocity, so it resists swinging
as well and takes angular momentum; springs push; the ground's friction is viscous, so that nothing
ever rests on a slope, and its repulsion lets a mass sink by m g / k_g. Linear momentum of free
ropes is conserved to rounding. The largest stable step stands in ``model/cables/lumped.py``. 80
masses make 79 springs: the rope of "4 m" is 3.95 m long.

Forces are added in the tutorial's order, so that nothing but rounding is between this and a loop
written from its text. The springs of a rope come first, then its masses: each is a loop of which
the processor takes several at a time.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    load,
    load_flat,
    norm,
    scale,
    store,
    store_flat,
    sub,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.ropes import Ropes, RopeWork


@kernel
def spring_force(
    stiffness: float, rest_length: float, friction: float, reach: Vector, drift: Vector
) -> Vector:
    """Force [N] on the first mass of a spring: ``reach`` is x_1 - x_2 [m], ``drift`` v_1 - v_2
    [m/s]."""
    length = norm(reach)
    force = ZERO
    if length != 0.0:
        stretch = length - rest_length
        force = (
            -(reach[0] / length) * stretch * stiffness,
            -(reach[1] / length) * stretch * stiffness,
            -(reach[2] / length) * stretch * stiffness,
        )
    return axpy(-friction, drift, force)


@kernel
def add_ground_force(
    repulsion: float, slide: float, absorption: float, depth: float, velocity: Vector, force: Vector
) -> Vector:
    """Return ``force`` [N] with the ground's added, on a mass ``depth`` [m] below it."""
    upward = force[2]
    if velocity[2] < 0.0:
        upward -= velocity[2] * absorption
    return (
        force[0] - velocity[0] * slide,
        force[1] - velocity[1] * slide,
        upward + repulsion * depth,
    )


@kernel
def move_mass(
    h: float, mass: float, force: Vector, position: Vector, velocity: Vector
) -> tuple[Vector, Vector]:
    """Return position and velocity of a mass after a step."""
    velocity = (
        velocity[0] + force[0] / mass * h,
        velocity[1] + force[1] / mass * h,
        velocity[2] + force[2] / mass * h,
    )
    return axpy(h, velocity, position), velocity


@kernel
def carry_end(h: float, height: float, position: Vector, velocity: Vector) -> tuple[Vector, Vector]:
    """Return position and velocity of a held end after a step.

    It does not come below the ground.
    """
    ahead = axpy(h, velocity, position)
    if ahead[2] < height <= position[2]:
        return (ahead[0], ahead[1], height), (velocity[0], velocity[1], 0.0)
    return ahead, velocity


@kernel
def substeps(dt: float, largest_step: float) -> int:
    """Return the number of equal steps of a tick."""
    return int(dt / largest_step) + 1


@kernel
def pull_springs(
    begin: int,
    last: int,
    r: int,
    ropes: Ropes,
    position: Floats,
    velocity: Floats,
    force_out: Floats,
) -> None:
    """Fill the forces of the springs on their first masses [N]; arrays of vectors are flat."""
    stiffness = ropes.stiffness[r]
    rest = ropes.rest_length[r]
    friction = ropes.friction[r]
    for i in range(begin, last):
        reach = sub(load_flat(position, i), load_flat(position, i + 1))
        drift = sub(load_flat(velocity, i), load_flat(velocity, i + 1))
        store_flat(spring_force(stiffness, rest, friction, reach, drift), i, force_out)


@kernel
def add_surroundings(
    r: int,
    mass: float,
    gravity: Vector,
    ropes: Ropes,
    position: Vector,
    velocity: Vector,
    force: Vector,
) -> Vector:
    """Return ``force`` [N] with weight, air and ground added."""
    force = axpy(-ropes.air_friction[r], velocity, axpy(mass, gravity, force))
    depth = ropes.height[r] - position[2]
    if position[2] < ropes.height[r]:
        return add_ground_force(
            ropes.repulsion[r],
            ropes.ground_friction[r],
            ropes.absorption[r],
            depth,
            velocity,
            force,
        )
    return force


@kernel
def move_masses(
    h: float,
    begin: int,
    end: int,
    r: int,
    gravity: Vector,
    ropes: Ropes,
    force: Floats,
    position_out: Floats,
    velocity_out: Floats,
) -> None:
    """Move masses ``begin`` to ``end`` - 1, each between two springs; arrays of vectors are flat.

    ``force`` has those of the springs.
    """
    for i in range(begin, end):
        mass = ropes.particle_mass[i]
        position = load_flat(position_out, i)
        velocity = load_flat(velocity_out, i)
        pull = add(sub(ZERO, load_flat(force, i - 1)), load_flat(force, i))
        pull = add_surroundings(r, mass, gravity, ropes, position, velocity, pull)
        position, velocity = move_mass(h, mass, pull, position, velocity)
        store_flat(position, i, position_out)
        store_flat(velocity, i, velocity_out)


@kernel
def move_end(h: float, e: int, r: int, gravity: Vector, ropes: Ropes, work_out: RopeWork) -> None:
    """Move the first or last mass of rope r; add h times the pull there if it is held."""
    last = ropes.start[r + 1] - 1
    i = last if e == 1 else ropes.start[r]
    force = load(work_out.particle_force, ropes.start[r])
    if e == 1:
        force = sub(ZERO, load(work_out.particle_force, last - 1))
    mass = ropes.particle_mass[i]
    position = load(work_out.particle_position, i)
    velocity = load(work_out.particle_velocity, i)
    force = add_surroundings(r, mass, gravity, ropes, position, velocity, force)
    if ropes.attached[r, e]:
        store(axpy(h, force, load(work_out.end_force[r], e)), e, work_out.end_force[r])
        given = load(work_out.end_velocity[r], e)
        position, velocity = carry_end(h, ropes.height[r], position, given)
        store(velocity, e, work_out.end_velocity[r])
    else:
        position, velocity = move_mass(h, mass, force, position, velocity)
    store(position, i, work_out.particle_position)
    store(velocity, i, work_out.particle_velocity)


@kernel
def substep(h: float, r: int, gravity: Vector, ropes: Ropes, work_out: RopeWork) -> None:
    """Advance rope r by one step; add h times the pull at its held ends to ``end_force_out``."""
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    position = work_out.particle_position.reshape(-1)
    velocity = work_out.particle_velocity.reshape(-1)
    force = work_out.particle_force.reshape(-1)
    pull_springs(begin, last, r, ropes, position, velocity, force)
    move_masses(h, begin + 1, last, r, gravity, ropes, force, position, velocity)
    for e in range(2):
        move_end(h, e, r, gravity, ropes, work_out)


@kernel
def run(dt: float, gravity: Vector, count: int, ropes: Ropes, work_out: RopeWork) -> None:
    """Advance the first ``count`` ropes by a tick of ``dt`` [s], each in its own number of steps.

    ``end_velocity`` of the work is the velocity of attached first and last masses [m/s].
    ``end_force`` becomes the mean force of the tick on those masses [N], their own weight in it.
    """
    for r in range(count):
        steps = substeps(dt, ropes.largest_step[r])
        store(ZERO, 0, work_out.end_force[r])
        store(ZERO, 1, work_out.end_force[r])
        for _ in range(steps):
            substep(dt / steps, r, gravity, ropes, work_out)
        for e in range(2):
            store(scale(1.0 / dt, load(work_out.end_force[r], e)), e, work_out.end_force[r])
