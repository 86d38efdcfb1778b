"""The multibody chain: particles joined by distances, solved in linear time, condensed to its two
ends.

Particles i with positions x_i and masses m_i; segment k joins k and k + 1. With d_k the unit vector
from k to k + 1 and the rest length l_k [m]

    g_k = l_k - |x_{k+1} - x_k|,     J_k v = d_k . (v_k - v_{k+1}),     eps_k = l_k / EA [m/N],

g > 0 slack and lambda > 0 pulling, as with the other cables; the tension is lambda / h. A segment
of a rope pulls only (``slack_segments.py``); one of a rod holds both ways. Each is a row under
SPOOK (``rows.py``; Servin et al. 2011 eq. 4-10, eq. 8 with its sign corrected; the MBC of its
section III),

    J_k v+ + sigma_k lambda_k = rhs_k,        m (v+ - v) = h m g - h b v+ + J^T lambda,

with air friction b [N s/m] at the new velocity. So v+ = v~ + W J^T lambda, with w = 1 / (m + h b)
in the place of 1 / m and v~ = (v + h g) m w, and (J W J^T + Sigma) lambda = rhs - J v~ =: y,
tridiagonal:

    diagonal  w_k + w_{k+1} + sigma_k,        between k-1 and k   o_k = -(d_{k-1} . d_k) w_k.

*Ends.* An end is free, or it is attached: its node is a point of something outside, has w = 0 and
v~ = 0 here, and its segment's row also has d . v_b+ (first end, - at the last) of that point. These
rows are kept, the others eliminated: ``chain_elimination.py``.

*Conserved*: momentum and angular momentum of a free chain without weight and air, to rounding:
impulses act along d_k, and x+ x v+ = (x + h v+) x v+ = x x v+. Energy is, with gamma = 0 in motions
along the chain: with s = -(g + h J v+ / 2) / eps half way through the step they keep m v+^2 / 2 +
eps s^2 / 2. A turn of the segments adds as much to g as it takes from h J v / 2, up to the third
power of the angle a step.

*Energy read* is that of eps s^2 / 2, s read off the pose at the time of the velocities
(``instant.py``). A turn of a segment by theta makes it shorter there by l theta^2 / 8, which is no
strain. So of a segment that the step does not resolve, z^2 > RESOLVED, what is stored is the energy
of the smaller of that strain and of the tension of the last step, as of rows (``rows.py``):
:func:`elastic_energy`.

*Contradictions*: velocities at the start, a landing or a blow may contradict a stiff segment by J v
= u. With Y = 1 / (1 + 4 gamma / h) and eps = 0, velocity and gap go on as

    u' = Y u - 4 Y g / h,    g' = g + h u',    u_{n+2} = (1 - 3 Y) u_{n+1} - Y u_n,
    u_1 = Y u,  u_2 = -3 Y^2 u.

With Y = 1 that is 1, 1, -3, 5, -7, ...: -1 is a double root, and the energy h^2 u^2 / (8 eps) that
g - h u / 2 seems to have in it, z^2 / 4 times that of u, becomes motion. From Y = 1 / sqrt(3) down
it stays below u. So a segment gets at least

    gamma = h (sqrt(3) - 1) / 4 (1 - RESOLVED / z^2)
    where z^2 = 2 h^2 (w_k + w_{k+1}) / eps > RESOLVED,

z that of the fastest motion along a chain of such segments. At no z does a contradiction then grow
by more than 3 %. A load that bounces with the frequency W loses to it 0.09 h W of the critical
damping at most. A rigid chain has gamma = 2 h, which takes what the segments themselves vibrate
with.

*Limit*: tension T bends a straight chain back like springs, explicitly: N segments of length l
between fixed ends stay stable only for T < m l / (h^2 cos^2(pi / 2 N)) (eq. 24-26 print a quarter
of it; misprint 40). The peak of the tension counts: a load that is let go bounces up to 2 T, and
undamped it pumps motion across the chain as well. Beyond it the chain flies apart within a second,
while every step solves its equations: :func:`check_fineness` tells. By Gershgorin's circles no
motion across is faster than w^2 = 2 (T_k-1 + T_k) / (m l) of some mass, and h w < 2 is stable.
Under the thrust -T of a rod it grows by exp(h w) a step instead; beyond h w = 1 it has other energy
than the thrust gave.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import cos, pi, sqrt

from cable_sim.kernels.cables.particles.chain_elimination import (
    eliminate_halves,
    join_halves,
    middle_segment,
    solve_end_rows,
    solve_segments,
)
from cable_sim.kernels.cables.particles.ground import apply_hard_plane, has_plane, height
from cable_sim.kernels.cables.particles.slack_segments import (
    CAUGHT,
    REVIEWS,
    TAUT,
    TOGETHER,
    judge_segments,
    pulls,
    review_segments,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rows import (
    RESOLVED,
    effective_damping_time,
    spook_row,
    strain_energy,
)
from cable_sim.kernels.multibody.vec3 import (
    Vector,
    add,
    axpy,
    dot,
    load,
    load_flat,
    norm,
    scale,
    store,
    store_flat,
    sub,
)
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork
from cable_sim.kernels.status import NOT_FINITE, SOLVED, TOO_FINE

CALMING = (sqrt(3.0) - 1.0) / 4.0
"""Least gamma / h of a stiff segment with which no velocity that contradicts it grows."""
PUSHED = 4.0
"""Ratio of the tension to the thrust that a step can follow: (2 / 1)^2 of h w."""


@kernel
def direction(reach: Vector) -> tuple[Vector, float]:
    """Unit vector and length [m] from one particle to the next; downwards where they meet."""
    length = norm(reach)
    if length == 0.0:
        return (0.0, 0.0, -1.0), 0.0
    return scale(1.0 / length, reach), length


@kernel
def mobility(h: float, air_friction: float, inverse_mass: float) -> float:
    """w = 1 / (m + h b) of a particle [1/kg]."""
    return inverse_mass / (1.0 + h * air_friction * inverse_mass)


@kernel
def segment_rule(
    h: float, compliance: float, damping_time: float, rest_length: float, moves: float
) -> Vector:
    """Return sigma of a segment, and a [-] and b [1/s] of rhs = a J v - b g.

    ``moves`` is w_k + w_{k+1}. Its double is the mobility in the fastest motion along the chain.
    """
    stretch = compliance * rest_length
    soft = 2.0 * h * h * moves / RESOLVED
    damping_time = effective_damping_time(h, stretch, damping_time, 0.0)
    if 0.0 < stretch < soft:
        damping_time = max(damping_time, CALMING * h * (1.0 - stretch / soft))
    softness, share = spook_row(h, 0.0, 1.0, stretch, damping_time, 2.0 * moves)
    _, recovery = spook_row(h, -1.0, 0.0, stretch, damping_time, 2.0 * moves)
    return softness, share, recovery


@kernel
def prepare(h: float, first: int, ropes: Ropes, work_out: RopeWork) -> None:
    """Fill what the sweep needs of the ropes from ``first`` on and no pose changes.

    It is for steps of ``h`` [s], once a run of steps: seven of ten divisions of a segment.
    """
    for r in range(first, ropes.start.size - 1):
        for i in range(ropes.start[r], ropes.start[r + 1]):
            inverse_mass = ropes.particle_inverse_mass[i]
            moves = mobility(h, ropes.air_friction[r], inverse_mass)
            work_out.particle_mobility[i] = moves
            work_out.particle_slowing[i] = moves / inverse_mass if inverse_mass > 0.0 else 0.0
        for k in range(ropes.start[r], ropes.start[r + 1] - 1):
            moves = work_out.particle_mobility[k] + work_out.particle_mobility[k + 1]
            softness, share, recovery = segment_rule(
                h, ropes.compliance[r], ropes.damping_time[r], ropes.segment_rest_length[k], moves
            )
            work_out.segment_diagonal[k] = moves + softness
            work_out.segment_rate_share[k] = share
            work_out.segment_recovery[k] = recovery
            work_out.segment_state[k] = TAUT


@kernel
def measure_segments(
    begin: int, end: int, position: Floats, direction_out: Floats, length_out: Floats
) -> None:
    """Fill directions and lengths [m] of segments ``begin`` to ``end`` - 1.

    Arrays of vectors are flat in the loops over segments: where LLVM knows how far apart two
    vectors are it takes several segments at a time.
    """
    for k in range(begin, end):
        along, length = direction(sub(load_flat(position, k + 1), load_flat(position, k)))
        store_flat(along, k, direction_out)
        length_out[k] = length


@kernel
def fill_demands(
    begin: int,
    end: int,
    step_gravity: Vector,
    rest_length: Floats,
    velocity: Floats,
    along: Floats,
    work_out: RopeWork,
) -> None:
    """Fill J v, J v~ and y = rhs - J v~ of segments [m/s]; ``step_gravity`` is h g."""
    for k in range(begin, end):
        near = load_flat(velocity, k)
        far = load_flat(velocity, k + 1)
        free = sub(
            scale(work_out.particle_slowing[k], add(near, step_gravity)),
            scale(work_out.particle_slowing[k + 1], add(far, step_gravity)),
        )
        rate = dot(load_flat(along, k), sub(near, far))
        free_rate = dot(load_flat(along, k), free)
        gap = rest_length[k] - work_out.segment_length[k]
        work_out.segment_rate[k] = rate
        work_out.segment_free_rate[k] = free_rate
        work_out.segment_demand[k] = (
            work_out.segment_rate_share[k] * rate - work_out.segment_recovery[k] * gap - free_rate
        )


@kernel
def fill_couplings(
    begin: int, end: int, particle_mobility: Floats, along: Floats, coupling_out: Floats
) -> None:
    """Fill o_k of segments [1/kg]; the first has none."""
    coupling_out[begin] = 0.0
    for k in range(begin + 1, end):
        bend = dot(load_flat(along, k - 1), load_flat(along, k))
        coupling_out[k] = -bend * particle_mobility[k]


@kernel
def condense_rope(
    h: float,
    r: int,
    gravity: Vector,
    judges: bool,
    ropes: Ropes,
    particles: ParticleState,
    work_out: RopeWork,
) -> None:
    """Eliminate the rows of rope r but those of attached ends, which become as in
    :func:`condense`."""
    begin = ropes.start[r]
    end = ropes.start[r + 1]
    middle = middle_segment(begin, end)
    along = work_out.segment_direction.reshape(-1)
    velocity = particles.velocity.reshape(-1)
    position = particles.position.reshape(-1)
    rest_length = ropes.segment_rest_length
    measure_segments(begin, end - 1, position, along, work_out.segment_length)
    fill_demands(begin, end - 1, scale(h, gravity), rest_length, velocity, along, work_out)
    fill_couplings(begin, end - 1, work_out.particle_mobility, along, work_out.segment_share)
    if ropes.pull_only[r]:
        if judges:
            judge_segments(h, r, ropes, particles, work_out)
        for k in range(begin, end - 1):
            if work_out.segment_state[k] == CAUGHT:
                caught = work_out.segment_catch[k, 1]
                work_out.segment_demand[k] = caught - work_out.segment_free_rate[k]
    near, far = eliminate_halves(begin, middle, end - 2, ropes.attached[r], work_out)
    join_halves(r, middle, near, far, ropes, work_out)


@kernel
def condense(
    h: float,
    gravity: Vector,
    first: int,
    judges: bool,
    ropes: Ropes,
    particles: ParticleState,
    work_out: RopeWork,
) -> int:
    """Sweep the ropes from ``first`` on: find softness, demand and coupling of their end rows.

    It ``judges`` which segments take part, or takes them as they have been judged.

    Attached ends have inverse mass 0, and the position and velocity of what they are attached to as
    it is at the start of the step. Directions of the first and last segment are those of the end
    rows. Returns NOT_FINITE if anything in a rope is not finite: the sweep carries it to the
    middle.
    """
    total = 0.0
    for r in range(first, ropes.start.size - 1):
        begin = ropes.start[r]
        last = ropes.start[r + 1] - 2
        several = last > begin
        condense_rope(h, r, gravity, judges, ropes, particles, work_out)
        work_out.end_active[r, 0] = ropes.attached[r, 0] and pulls(begin, work_out)
        work_out.end_active[r, 1] = (
            ropes.attached[r, 1] and (several or not ropes.attached[r, 0]) and pulls(last, work_out)
        )
        total += work_out.segment_demand[middle_segment(begin, ropes.start[r + 1])]
        for e in range(2):
            total += work_out.end_softness[r, e] + work_out.end_demand[r, e]
    return SOLVED if total - total == 0.0 else NOT_FINITE


@kernel
def pull_particle(
    i: int, pull: Vector, step_gravity: Vector, work: RopeWork, velocity_out: Floats
) -> None:
    """Add gravity, air and the segments' ``pull`` [N s] to the velocity of particle i."""
    free = scale(work.particle_slowing[i], add(load_flat(velocity_out, i), step_gravity))
    store_flat(axpy(work.particle_mobility[i], pull, free), i, velocity_out)


@kernel
def pull_particles(
    begin: int,
    end: int,
    step_gravity: Vector,
    work: RopeWork,
    impulse: Floats,
    velocity_out: Floats,
) -> None:
    """Find the velocities of particles ``begin`` to ``end`` - 1 at the end of the step [m/s]."""
    along = work.segment_direction.reshape(-1)
    pull = scale(impulse[begin], load_flat(along, begin))
    pull_particle(begin, pull, step_gravity, work, velocity_out)
    for i in range(begin + 1, end - 1):
        before = scale(impulse[i - 1], load_flat(along, i - 1))
        pull = sub(scale(impulse[i], load_flat(along, i)), before)
        pull_particle(i, pull, step_gravity, work, velocity_out)
    pull = scale(-impulse[end - 2], load_flat(along, end - 2))
    pull_particle(end - 1, pull, step_gravity, work, velocity_out)


@kernel
def land_particles(h: float, r: int, ropes: Ropes, position: Floats, velocity_out: Floats) -> None:
    """Stop the particles of rope r at its ground."""
    point = load(ropes.ground_point, r)
    normal = load(ropes.ground_normal, r)
    if not has_plane(normal):
        return
    friction = ropes.ground_friction[r]
    for i in range(ropes.start[r], ropes.start[r + 1]):
        above = height(load(position, i), point, normal)
        velocity = load(velocity_out, i)
        store(apply_hard_plane(h, friction, normal, above, velocity), i, velocity_out)


@kernel
def advance(
    h: float,
    gravity: Vector,
    first: int,
    ropes: Ropes,
    work: RopeWork,
    particles_out: ParticleState,
) -> None:
    """Advance velocities and positions of all particles by a step.

    Attached ends move with ``end_velocity`` (n, 2, 3).
    """
    velocity = particles_out.velocity.reshape(-1)
    position = particles_out.position.reshape(-1)
    impulse = particles_out.segment_impulse
    for r in range(first, ropes.start.size - 1):
        begin = ropes.start[r]
        end = ropes.start[r + 1]
        pull_particles(begin, end, scale(h, gravity), work, impulse, velocity)
        land_particles(h, r, ropes, particles_out.position, particles_out.velocity)
        for e in range(2):
            if ropes.attached[r, e]:
                given = load(work.end_velocity[r], e)
                store(given, end - 1 if e == 1 else begin, particles_out.velocity)
        for i in range(3 * begin, 3 * end):
            position[i] += h * velocity[i]


@kernel
def check_fineness(
    h: float,
    rope_start: Ints,
    rope_attached: Flags,
    particle_inverse_mass: Floats,
    segment_rest_length: Floats,
    segment_impulse: Floats,
) -> int:
    """Return TOO_FINE if a rope is divided too finely for its tensions, that is if h^2 T > m l.

    The step is ``h`` [s]. T is the mean of both sides of a mass, thrust times PUSHED. N segments
    between attached ends are allowed more by 1 / cos^2(pi / 2 N).
    """
    for r in range(rope_start.size - 1):
        begin = rope_start[r]
        last = rope_start[r + 1] - 1
        both = rope_attached[r, 0] and rope_attached[r, 1]
        share = 0.5 * cos(0.5 * pi / (last - begin)) ** 2 if both else 0.5
        before = 0.0
        for i in range(begin, last + 1):
            pull = segment_impulse[i] if i < last else 0.0
            pull = max(pull, -PUSHED * pull)
            length = segment_rest_length[min(i, last - 1)]
            if h * share * (before + pull) * particle_inverse_mass[i] > length:
                return TOO_FINE
            before = pull
    return SOLVED


@kernel
def elastic_energy(
    h: float, r: int, stepped: bool, ropes: Ropes, position: Floats, segment_impulse: Floats
) -> float:
    """Return the elastic energy of rope r at the time of the velocities [J]; 0 of a rigid one.

    The positions are of that time. The impulses are those of the last step, if one was taken:
    ``stepped``.
    """
    total = 0.0
    if ropes.compliance[r] == 0.0:
        return total
    for k in range(ropes.start[r], ropes.start[r + 1] - 1):
        rest = ropes.segment_rest_length[k]
        length = norm(sub(load(position, k + 1), load(position, k)))
        if ropes.pull_only[r] and length <= rest:
            continue
        total += strain_energy(
            h,
            rest - length,
            ropes.compliance[r] * rest,
            0.0,
            ropes.particle_inverse_mass[k] + ropes.particle_inverse_mass[k + 1],
            segment_impulse[k],
            stepped,
            True,
        )
    return total


@kernel
def review(
    h: float,
    gravity: Vector,
    first: int,
    round: int,
    ropes: Ropes,
    particles: ParticleState,
    end_velocity: Floats,
    work_out: RopeWork,
) -> int:
    """Review which segments take part in a solution; return the number of changes.

    After some, everything has to be solved for again. ``end_velocity`` (n, 2, 3) is that of the
    ends at the end of the step.
    """
    changes = 0
    for r in range(first, ropes.start.size - 1):
        if ropes.pull_only[r] and (round < TOGETHER or changes == 0):
            changes += review_segments(
                h, r, round < TOGETHER, scale(h, gravity), ropes, particles, end_velocity, work_out
            )
    return changes


@kernel
def take_impulses(first: int, ropes: Ropes, work: RopeWork, particles_out: ParticleState) -> None:
    """Take the impulses of the segments as those of the step."""
    for i in range(ropes.start[first], ropes.start[ropes.start.size - 1]):
        particles_out.segment_impulse[i] = work.segment_impulse[i]


@kernel
def run(
    h: float,
    count: int,
    gravity: Vector,
    ropes: Ropes,
    particles_out: ParticleState,
    work_out: RopeWork,
) -> int:
    """Run ``count`` steps of all ropes with given velocities of attached ends; return status flags.

    Stops before a step in which something is not finite.
    """
    flags = SOLVED
    prepare(h, 0, ropes, work_out)
    for _ in range(count):
        for round in range(REVIEWS):
            flags |= condense(h, gravity, 0, round == 0, ropes, particles_out, work_out)
            if flags & NOT_FINITE:
                return flags
            flags |= solve_end_rows(ropes, work_out)
            solve_segments(0, ropes, work_out)
            ends = work_out.end_velocity
            if review(h, gravity, 0, round, ropes, particles_out, ends, work_out) == 0:
                break
        take_impulses(0, ropes, work_out, particles_out)
        advance(h, gravity, 0, ropes, work_out, particles_out)
    return flags
