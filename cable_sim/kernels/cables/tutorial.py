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
ropes is conserved to rounding. The largest stable step stands in ``model/lumped.py``. 80 masses
make 79 springs: the rope of "4 m" is 3.95 m long.

Forces are added in the tutorial's order, so that nothing but rounding is between this and a loop
written from its text. The order lets one pass do it all: a mass can move once both its springs were
read.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import ZERO, add, axpy, load, norm, scale, store, sub


@kernel
def spring_force(stiffness, rest_length, friction, reach, drift):
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
def add_ground_force(repulsion, slide, absorption, depth, velocity, force):
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
def move_mass(h, mass, force, position, velocity):
    """Return position and velocity of a mass after a step."""
    velocity = (
        velocity[0] + force[0] / mass * h,
        velocity[1] + force[1] / mass * h,
        velocity[2] + force[2] / mass * h,
    )
    return axpy(h, velocity, position), velocity


@kernel
def carry_end(h, height, position, velocity):
    """Return position and velocity of a held end after a step.

    It does not come below the ground.
    """
    ahead = axpy(h, velocity, position)
    if ahead[2] < height <= position[2]:
        return (ahead[0], ahead[1], height), (velocity[0], velocity[1], 0.0)
    return ahead, velocity


@kernel
def substeps(dt, largest_step):
    """Return the number of equal steps of a tick."""
    return int(dt / largest_step) + 1


@kernel
def substep(h, r, gravity, ropes, work_out):
    """Advance rope r by one step; add h times the pull at its held ends to ``end_force_out``."""
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    height = ropes.height[r]
    stiffness = ropes.stiffness[r]
    rest = ropes.rest_length[r]
    friction = ropes.friction[r]
    air = ropes.air_friction[r]
    repulsion = ropes.repulsion[r]
    slide = ropes.ground_friction[r]
    absorption = ropes.absorption[r]
    position = load(work_out.particle_position, begin)
    velocity = load(work_out.particle_velocity, begin)
    before = ZERO
    for i in range(begin, last + 1):
        force = sub(ZERO, before)
        next_position = position
        next_velocity = velocity
        if i < last:
            next_position = load(work_out.particle_position, i + 1)
            next_velocity = load(work_out.particle_velocity, i + 1)
            reach = sub(position, next_position)
            drift = sub(velocity, next_velocity)
            before = spring_force(stiffness, rest, friction, reach, drift)
            force = add(force, before)
        mass = ropes.particle_mass[i]
        force = axpy(-air, velocity, axpy(mass, gravity, force))
        if position[2] < height:
            depth = height - position[2]
            force = add_ground_force(repulsion, slide, absorption, depth, velocity, force)
        if (i == begin and ropes.attached[r, 0]) or (i == last and ropes.attached[r, 1]):
            e = 0 if i == begin else 1
            store(axpy(h, force, load(work_out.end_force[r], e)), e, work_out.end_force[r])
            position, velocity = carry_end(h, height, position, load(work_out.end_velocity[r], e))
            store(velocity, e, work_out.end_velocity[r])
        else:
            position, velocity = move_mass(h, mass, force, position, velocity)
        store(position, i, work_out.particle_position)
        store(velocity, i, work_out.particle_velocity)
        position = next_position
        velocity = next_velocity


@kernel
def run(dt, gravity, count, ropes, work_out):
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
