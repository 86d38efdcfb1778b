"""Segments of a chain of masses that pull and never push: which of them take part in a step.

A segment of ``chain.py`` is a row whose impulse is at least zero. It takes part as the row of a
massless rope does (``rows.py``): if it is too long now or at the end of the step, g < 0 or
g + h J v+ < 0. One that was slack half a step before is CAUGHT, with the compliance eps / f and the
gap g + s / 2, or with the damping of a rope that the step does not resolve. The others are APART.
Of those that take part some carry nothing in the solution; they are HELD at zero, as long as

    w = J v+ - rhs >= 0.

The elimination leaves out segments that are apart or held, so it stays linear in time: behind them
1 / D, y / D and q / D are zero, and nothing is passed on.

Which ones these are is guessed from the rates of a free step and then reviewed: the impulses of a
solution give the velocities of all masses, and every segment that disagrees changes, all at once.
That need not end; after TOGETHER rounds the last one alone changes (Murty 1974), which ends, as the
matrix is positive definite and a segment that was apart is taken in only once. A taut rope needs
one look at signs.

A rigid segment whose gap is rounding takes part at once, as do those that pulled in the last step.
It is never CAUGHT: its damping exceeds half a step, so a part of the step counts as all of it.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rows import catch_taut, effective_damping_time, spook_row
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, axpy, dot, load, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork

TAUT = 0
CAUGHT = 1
HELD = 2
APART = 4
"""Values of ``segment_state``. A segment that is held has its former one, TAUT or CAUGHT, plus
HELD."""
TOGETHER = 12
"""Reviews in which all segments that disagree change."""
REVIEWS = 400
"""Most reviews of a step."""
TOLERANCE = 1e-10
"""Thrust over the largest impulse, and slack over the largest rate, that are rounding."""
CLOSE = 1e-12
"""Gap over length of a rigid segment that is rounding."""


@kernel
def pulls(k: int, work: RopeWork) -> bool:
    """Return True if segment k takes part and is not held."""
    return work.segment_state[k] < HELD


@kernel
def judge_rigid(h: float, rest: float, gap: float, end_rate: float, pulled: bool) -> int:
    """Return the state of a segment that cannot stretch, in a form without branches."""
    apart = (gap > CLOSE * rest) & (gap + h * end_rate >= 0.0) & (not pulled)
    return APART if apart else TAUT


@kernel
def catch_segment(
    h: float, r: int, k: int, end_rate: float, ropes: Ropes, work_out: RopeWork
) -> None:
    """Judge segment k of rope r, whose gap is g + h ``end_rate`` at the end of the step."""
    rest = ropes.segment_rest_length[k]
    gap = rest - work_out.segment_length[k]
    stretch = ropes.compliance[r] * rest
    if stretch == 0.0:
        pulled = work_out.segment_impulse[k] > 0.0
        work_out.segment_state[k] = judge_rigid(h, rest, gap, end_rate, pulled)
        return
    work_out.segment_state[k] = APART
    if gap >= 0.0 and gap + h * end_rate >= 0.0:
        return
    moves = 2.0 * (work_out.particle_mobility[k] + work_out.particle_mobility[k + 1])
    part, gap, stretch = catch_taut(
        h, gap, work_out.segment_rate[k], end_rate, stretch, ropes.damping_time[r], moves
    )
    if part > 0.0:
        enough = effective_damping_time(h, stretch, ropes.damping_time[r], moves)
        softness, rhs = spook_row(h, gap, work_out.segment_rate[k], stretch, enough, moves)
        work_out.segment_state[k] = CAUGHT
        work_out.segment_catch[k, 0] = 0.5 * moves + softness
        work_out.segment_catch[k, 1] = rhs


@kernel
def judge_segments(
    h: float, r: int, ropes: Ropes, particles: ParticleState, work_out: RopeWork
) -> None:
    """Guess which segments of rope r take part, from the rates of a free step."""
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 2
    rigid = ropes.compliance[r] == 0.0
    if rigid:
        for k in range(begin + 1, last):
            rest = ropes.segment_rest_length[k]
            gap = rest - work_out.segment_length[k]
            pulled = particles.segment_impulse[k] > 0.0
            end_rate = work_out.segment_free_rate[k]
            work_out.segment_state[k] = judge_rigid(h, rest, gap, end_rate, pulled)
    for k in range(begin, last + 1, last - begin if rigid and last > begin else 1):
        rest = ropes.segment_rest_length[k]
        strain = work_out.segment_length[k] - rest
        work_out.segment_state[k] = TAUT
        if strain > 0.0 and strain + 0.5 * h * work_out.segment_rate[k] >= 0.0:
            continue  # strained half a step before, and now
        work_out.segment_impulse[k] = particles.segment_impulse[k]
        end_rate = work_out.segment_free_rate[k]
        along = load(work_out.segment_direction, k)
        if k == begin and ropes.attached[r, 0]:
            end_rate += dot(along, load(work_out.end_velocity[r], 0))
        if k == last and ropes.attached[r, 1]:
            end_rate -= dot(along, load(work_out.end_velocity[r], 1))
        catch_segment(h, r, k, end_rate, ropes, work_out)


@kernel
def next_velocity(
    r: int,
    i: int,
    step_gravity: Vector,
    ropes: Ropes,
    particles: ParticleState,
    end_velocity: Floats,
    work: RopeWork,
) -> Vector:
    """Return the velocity of particle i of rope r at the end of the step [m/s]."""
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 1
    if i == begin and ropes.attached[r, 0]:
        return load(end_velocity[r], 0)
    if i == last and ropes.attached[r, 1]:
        return load(end_velocity[r], 1)
    pull = ZERO
    if i > begin:
        pull = scale(-work.segment_impulse[i - 1], load(work.segment_direction, i - 1))
    if i < last:
        pull = axpy(work.segment_impulse[i], load(work.segment_direction, i), pull)
    free = scale(work.particle_slowing[i], add(load(particles.velocity, i), step_gravity))
    return axpy(work.particle_mobility[i], pull, free)


@kernel
def segment_demand(r: int, k: int, ropes: Ropes, work: RopeWork) -> float:
    """Return rhs of segment k of rope r, if it takes part [m/s]."""
    if work.segment_state[k] == CAUGHT or work.segment_state[k] == CAUGHT + HELD:
        return work.segment_catch[k, 1]
    gap = ropes.segment_rest_length[k] - work.segment_length[k]
    return work.segment_rate_share[k] * work.segment_rate[k] - work.segment_recovery[k] * gap


@kernel
def disagrees(
    h: float, r: int, k: int, end_rate: float, least: float, ropes: Ropes, work: RopeWork
) -> bool:
    """Return True if segment k should change: a thrust, or a slack segment that gets too long.

    ``end_rate`` is J v+ [m/s], ``least`` the impulse that is rounding [N s].
    """
    if pulls(k, work):
        return work.segment_impulse[k] < -least
    if work.segment_state[k] == APART:
        gap = ropes.segment_rest_length[k] - work.segment_length[k]
        return gap + h * end_rate < -CLOSE * ropes.segment_rest_length[k]
    demand = segment_demand(r, k, ropes, work)
    return end_rate < demand - TOLERANCE * (abs(end_rate) + abs(demand))


@kernel
def change_segment(
    h: float, r: int, k: int, end_rate: float, ropes: Ropes, work_out: RopeWork
) -> None:
    """Change the state of segment k of rope r, which disagrees."""
    if pulls(k, work_out):
        work_out.segment_state[k] += HELD
    elif work_out.segment_state[k] == APART:
        catch_segment(h, r, k, end_rate, ropes, work_out)
    else:
        work_out.segment_state[k] -= HELD


@kernel
def is_taut(begin: int, end: int, work: RopeWork) -> bool:
    """Return True if segments ``begin`` to ``end`` - 1 all take part, and none pushes."""
    others = 0
    for k in range(begin, end):
        others += (work.segment_impulse[k] < 0.0) | (work.segment_state[k] >= HELD)
    return others == 0


@kernel
def review_segments(
    h: float,
    r: int,
    all_at_once: bool,
    step_gravity: Vector,
    ropes: Ropes,
    particles: ParticleState,
    end_velocity: Floats,
    work_out: RopeWork,
) -> int:
    """Change the segments of rope r that disagree with a solution; return their number.

    ``end_velocity`` (n, 2, 3) is that of the ends at the end of the step.
    """
    begin = ropes.start[r]
    if is_taut(begin, ropes.start[r + 1] - 1, work_out):
        return 0
    largest = 0.0
    for k in range(begin, ropes.start[r + 1] - 1):
        largest = max(largest, abs(work_out.segment_impulse[k]))
    count = 0
    for k in range(ropes.start[r + 1] - 2, begin - 1, -1):
        end_rate = 0.0
        if not pulls(k, work_out):
            near = next_velocity(r, k, step_gravity, ropes, particles, end_velocity, work_out)
            far = next_velocity(r, k + 1, step_gravity, ropes, particles, end_velocity, work_out)
            end_rate = dot(load(work_out.segment_direction, k), sub(near, far))
        if disagrees(h, r, k, end_rate, TOLERANCE * largest, ropes, work_out):
            before = work_out.segment_state[k]
            change_segment(h, r, k, end_rate, ropes, work_out)
            count += work_out.segment_state[k] != before
            if count > 0 and not all_at_once:
                return count
    return count
