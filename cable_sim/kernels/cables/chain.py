"""The multibody chain: particles joined by distances, solved in linear time, condensed to its two
ends.

Particles i with positions x_i and masses m_i; segment k joins k and k + 1. With d_k the unit vector
from k to k + 1 and the rest length l_k [m]

    g_k = l_k - |x_{k+1} - x_k|,     J_k v = d_k . (v_k - v_{k+1}),     eps_k = l_k / EA [m/N],

g > 0 slack and lambda > 0 pulling, as with the other cables; the tension is lambda / h. A segment
holds both ways: it pushes where it has to. Each is a row under SPOOK (``rows.py``; Servin et al.
2011 eq. 4-10, eq. 8 with its sign corrected; the MBC of its section III),

    J_k v+ + sigma_k lambda_k = rhs_k,        m (v+ - v) = h m g - h b v+ + J^T lambda,

with air friction b [N s/m] at the new velocity. So v+ = v~ + W J^T lambda, with w = 1 / (m + h b)
in the place of 1 / m and v~ = (v + h g) m w, and (J W J^T + Sigma) lambda = rhs - J v~ =: y,
tridiagonal:

    diagonal  w_k + w_{k+1} + sigma_k,        between k-1 and k   o_k = -(d_{k-1} . d_k) w_k.

*Ends.* An end is free, or it is attached: its node is a point of something outside, has w = 0 and
v~ = 0 here, and its segment's row also has d . v_b+ (first end, - at the last) of that point. These
rows are not eliminated: the others are, first to last, and each passes on to the next row k and, by
its fill q, to the first row, if that is kept:

    f_k = o_k / D_{k-1},   D_k = diagonal_k - f_k o_k,   y_k -= f_k y_{k-1},   q_k = -f_k q_{k-1};
    sigma_1 -= q_k^2 / D_k,   y_1 -= q_k y_k / D_k

with q = o, f = 0 in the row after a kept first one. The last row, if it is kept, is reached by the
same formulas; its D is its sigma, its q the coupling. What the outside has to solve is

    d_1 . v_b+  + sigma_1 lambda_1 + kappa lambda_2 = y_1,
    -d_2 . v_c+ + kappa lambda_1 + sigma_2 lambda_2 = y_2,

a 2 x 2 matrix that is positive definite on its own unless the chain is rigid and straight; the
outside adds its own J_b M_b^-1 J_b^T. An end that is moved with a given velocity has M_b^-1 = 0:
:func:`solve_end_rows`. Then, backwards,

    lambda_k = (y_k - q_k lambda_1 - o_{k+1} lambda_{k+1}) / D_k.

A rope of one segment between two attached ends has one row for both: the first; its second is
switched off.

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
Under a thrust -T it grows by exp(h w) a step instead; beyond h w = 1 it has other energy than the
thrust gave.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import cos, pi, sqrt

from cable_sim.kernels.cables.ground import apply_hard_plane, has_plane, height
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import RESOLVED, effective_damping_time, spook_row, strain_energy
from cable_sim.kernels.status import LOST_PIVOT, NOT_FINITE, SOLVED, TOO_FINE
from cable_sim.kernels.vec3 import ZERO, axpy, dot, load, norm, scale, store, sub

CALMING = (sqrt(3.0) - 1.0) / 4.0
"""Least gamma / h of a stiff segment with which no velocity that contradicts it grows."""
TINY = 1e-200
"""Fill below which it is taken as zero. Numbers near the smallest are slow, and no sum notices
them."""
SINGULAR = 1e-13
"""Least determinant, as a part of the product of the end rows' softness. A smaller one is
rounding."""
PUSHED = 4.0
"""Ratio of the tension to the thrust that a step can follow: (2 / 1)^2 of h w."""


@kernel
def direction(reach):
    """Unit vector and length [m] from one particle to the next; downwards where they meet."""
    length = norm(reach)
    if length == 0.0:
        return (0.0, 0.0, -1.0), 0.0
    return scale(1.0 / length, reach), length


@kernel
def mobility(h, air_friction, inverse_mass):
    """w = 1 / (m + h b) of a particle [1/kg]."""
    return inverse_mass / (1.0 + h * air_friction * inverse_mass)


@kernel
def free_velocity(h, gravity, inverse_mass, moves, velocity):
    """Return the velocity at the end of a step without segments [m/s]; zero of an attached end.

    An attached end belongs to the outside.
    """
    if inverse_mass == 0.0:
        return ZERO
    return scale(moves / inverse_mass, axpy(h, gravity, velocity))


@kernel
def segment_row(h, compliance, damping_time, rest_length, moves, reach, drift):
    """Return the direction of a segment, and sigma and rhs of its row.

    ``reach`` is x_{k+1} - x_k, ``drift`` v_k - v_{k+1}. ``moves`` is w_k + w_{k+1}. Its double is
    the mobility in the fastest motion along the chain.
    """
    along, length = direction(reach)
    stretch = compliance * rest_length
    soft = 2.0 * h * h * moves / RESOLVED
    damping_time = effective_damping_time(h, stretch, damping_time, 0.0)
    if 0.0 < stretch < soft:
        damping_time = max(damping_time, CALMING * h * (1.0 - stretch / soft))
    softness, rhs = spook_row(
        h, rest_length - length, dot(along, drift), stretch, damping_time, 2.0 * moves
    )
    return along, softness, rhs


@kernel
def free_particle(h, r, i, gravity, ropes, particles):
    """Return w [1/kg] of particle i of rope r, and its :func:`free_velocity` [m/s]."""
    inverse_mass = ropes.particle_inverse_mass[i]
    moves = mobility(h, ropes.air_friction[r], inverse_mass)
    return moves, free_velocity(h, gravity, inverse_mass, moves, load(particles.velocity, i))


@kernel
def rope_segment_row(h, r, k, moves, ropes, particles):
    """Return direction, sigma and rhs of segment k of rope r, as :func:`segment_row` does."""
    reach = sub(load(particles.position, k + 1), load(particles.position, k))
    drift = sub(load(particles.velocity, k), load(particles.velocity, k + 1))
    compliance = ropes.compliance[r]
    damping_time = ropes.damping_time[r]
    rest_length = ropes.segment_rest_length[k]
    return segment_row(h, compliance, damping_time, rest_length, moves, reach, drift)


@kernel
def clear_first_end(r, work_out):
    """Clear what the sweep of rope r adds up for its first end."""
    work_out.end_softness[r, 0] = 0.0
    work_out.end_demand[r, 0] = 0.0
    work_out.end_coupling[r] = 0.0


@kernel
def condense_rope(h, r, gravity, ropes, particles, work_out):
    """Sweep one rope: eliminate its rows except those of attached ends.

    The results are as in :func:`condense`.
    """
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 2
    moves, free = free_particle(h, r, begin, gravity, ropes, particles)
    store(free, begin, work_out.particle_free)
    before = ZERO
    pivot = 0.0
    demand = 0.0
    fill = 0.0
    clear_first_end(r, work_out)
    for k in range(begin, last + 1):
        ahead_moves, ahead_free = free_particle(h, r, k + 1, gravity, ropes, particles)
        along, softness, rhs = rope_segment_row(h, r, k, moves + ahead_moves, ropes, particles)
        store(ahead_free, k + 1, work_out.particle_free)
        store(along, k, work_out.segment_direction)
        off = -dot(before, along) * moves
        share = off * pivot
        diagonal = softness + moves + ahead_moves - share * off
        demand = rhs - dot(along, sub(free, ahead_free)) - share * demand
        fill = off if k == begin + 1 and ropes.attached[r, 0] else -share * fill
        fill = 0.0 if abs(fill) < TINY else fill
        if k == begin and ropes.attached[r, 0]:
            work_out.end_softness[r, 0] = diagonal
            work_out.end_demand[r, 0] = demand
            pivot = 0.0
            demand = 0.0
        elif k == last and ropes.attached[r, 1]:
            work_out.end_softness[r, 1] = diagonal
            work_out.end_demand[r, 1] = demand
            work_out.end_coupling[r] = fill
        else:
            pivot = 1.0 / diagonal
            work_out.end_softness[r, 0] -= fill * fill * pivot
            work_out.end_demand[r, 0] -= fill * demand * pivot
        work_out.segment_demand[k] = demand * pivot
        work_out.segment_fill[k] = fill * pivot
        work_out.segment_share[k] = share
        moves = ahead_moves
        free = ahead_free
        before = along
    work_out.segment_share[last + 1] = 0.0


@kernel
def condense(h, gravity, first, ropes, particles, work_out):
    """Sweep the ropes from ``first`` on: find softness, demand and coupling of their end rows.

    Attached ends have inverse mass 0, and the position and velocity of what they are attached to as
    it is at the start of the step. Directions of the first and last segment are those of the end
    rows. Returns NOT_FINITE if anything in a rope is not finite: the sweep carries it to the end.
    """
    total = 0.0
    for r in range(first, ropes.start.size - 1):
        several = ropes.start[r + 1] - ropes.start[r] > 2
        work_out.end_active[r, 0] = ropes.attached[r, 0]
        work_out.end_active[r, 1] = ropes.attached[r, 1] and (several or not ropes.attached[r, 0])
        work_out.end_softness[r, 1] = 0.0
        work_out.end_demand[r, 1] = 0.0
        condense_rope(h, r, gravity, ropes, particles, work_out)
        total += work_out.segment_demand[ropes.start[r + 1] - 2] + work_out.end_softness[r, 0]
        total += work_out.end_demand[r, 0] + work_out.end_demand[r, 1]
    return SOLVED if total - total == 0.0 else NOT_FINITE


@kernel
def solve_two_rows(softness_1, softness_2, coupling, demand_1, demand_2):
    """Solve two coupled rows; return their impulses, and a flag that tells whether that worked."""
    determinant = softness_1 * softness_2 - coupling * coupling
    if determinant <= SINGULAR * softness_1 * softness_2:
        return 0.0, 0.0, LOST_PIVOT
    first = (demand_1 * softness_2 - coupling * demand_2) / determinant
    return first, (demand_2 * softness_1 - coupling * demand_1) / determinant, SOLVED


@kernel
def solve_end_rows(ropes, work_out):
    """Find the impulses of end rows [N s] for ends with given velocities; return status flags."""
    flags = SOLVED
    for r in range(ropes.start.size - 1):
        first = load(work_out.segment_direction, ropes.start[r])
        last = load(work_out.segment_direction, ropes.start[r + 1] - 2)
        near = load(work_out.end_velocity[r], 0)
        far = load(work_out.end_velocity[r], 1)
        demand_1 = 0.0
        demand_2 = 0.0
        softness_1 = 1.0
        softness_2 = 1.0
        if work_out.end_active[r, 0]:
            softness_1 = work_out.end_softness[r, 0]
            demand_1 = work_out.end_demand[r, 0] - dot(first, near)
        if work_out.end_active[r, 1]:
            softness_2 = work_out.end_softness[r, 1]
            demand_2 = work_out.end_demand[r, 1] + dot(last, far)
        elif ropes.attached[r, 0] and ropes.attached[r, 1]:
            demand_1 += dot(first, far)
        both = work_out.end_active[r, 0] and work_out.end_active[r, 1]
        coupling = work_out.end_coupling[r] if both else 0.0
        work_out.end_impulse[r, 0], work_out.end_impulse[r, 1], flag = solve_two_rows(
            softness_1, softness_2, coupling, demand_1, demand_2
        )
        flags |= flag
    return flags


@kernel
def solve_segments(first, ropes, work, particles_out):
    """Find the impulses of all segments [N s] from those of the end rows.

    An end that is not attached takes no part.
    """
    for r in range(first, ropes.start.size - 1):
        begin = ropes.start[r]
        last = ropes.start[r + 1] - 2
        near = work.end_impulse[r, 0] if ropes.attached[r, 0] else 0.0
        impulse = 0.0
        for k in range(last, begin - 1, -1):
            if k == begin and ropes.attached[r, 0]:
                impulse = near
            elif k == last and ropes.attached[r, 1]:
                impulse = work.end_impulse[r, 1]
            else:
                impulse = (
                    work.segment_demand[k]
                    - work.segment_fill[k] * near
                    - work.segment_share[k + 1] * impulse
                )
            particles_out.segment_impulse[k] = impulse
        particles_out.segment_impulse[last + 1] = 0.0


@kernel
def advance(h, first, ropes, work, particles_out):
    """Advance velocities and positions of all particles by a step.

    Attached ends move with ``end_velocity`` (n, 2, 3).
    """
    for r in range(first, ropes.start.size - 1):
        begin = ropes.start[r]
        end = ropes.start[r + 1]
        point = load(ropes.ground_point, r)
        normal = load(ropes.ground_normal, r)
        grounded = has_plane(normal)
        friction = ropes.ground_friction[r]
        before = ZERO
        for i in range(begin, end):
            pull = (
                scale(particles_out.segment_impulse[i], load(work.segment_direction, i))
                if i + 1 < end
                else ZERO
            )
            position = load(particles_out.position, i)
            if i == begin and ropes.attached[r, 0]:
                velocity = load(work.end_velocity[r], 0)
            elif i + 1 == end and ropes.attached[r, 1]:
                velocity = load(work.end_velocity[r], 1)
            else:
                moves = mobility(h, ropes.air_friction[r], ropes.particle_inverse_mass[i])
                velocity = axpy(moves, sub(pull, before), load(work.particle_free, i))
                if grounded:
                    velocity = apply_hard_plane(
                        h, friction, normal, height(position, point, normal), velocity
                    )
            store(velocity, i, particles_out.velocity)
            store(axpy(h, velocity, position), i, particles_out.position)
            before = pull


@kernel
def check_fineness(
    h, rope_start, rope_attached, particle_inverse_mass, segment_rest_length, segment_impulse
):
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
def elastic_energy(h, r, stepped, ropes, position, segment_impulse):
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
def run(h, count, gravity, ropes, particles_out, work_out):
    """Run ``count`` steps of all ropes with given velocities of attached ends; return status flags.

    Stops before a step in which something is not finite.
    """
    flags = SOLVED
    for _ in range(count):
        flags |= condense(h, gravity, 0, ropes, particles_out, work_out)
        if flags & NOT_FINITE:
            return flags
        flags |= solve_end_rows(ropes, work_out)
        solve_segments(0, ropes, work_out, particles_out)
        advance(h, 0, ropes, work_out, particles_out)
    return flags
