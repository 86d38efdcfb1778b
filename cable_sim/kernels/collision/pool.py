"""The pool of contacts: points where shapes touch, or may within the step, and their rows.

Each pair that may meet (``candidates.py``) has up to four points (``manifold.py``), each with a
normal n from B to A, a gap g, and rows on the two bodies that carry the shapes, r_A and r_B the
arms of the point from their centres of mass:

    J_A = (n, r_A x n),    J_B = -(n, r_B x n),        lambda >= 0;

the same with tangents t1, t2 for n in two rows of friction (``cone.py``). Materials with rolling or
drilling friction have three more rows on the bodies' relative spin, along n with |lambda| <= d
lambda_n, along t1 and t2 with the cone rho lambda_n; d and rho are lengths. So both bodies get
opposite impulses at one point: momentum is conserved whatever the impulses are.

Rows of the pool stand behind all others. Those of contact i begin at ``own + i width``, so what is
not in use is behind the end, and costs nothing. Which bodies they act on is found anew each step.
From step to step a contact is known by its pair and its feature; its last impulses are kept in the
world, and are the guess for the next ones whatever its axes are.

A point has rows if its gap is within the ways of both shapes in the step (``candidates.py``): a
rope that gets taut may turn a corner down that was going up. The row lets it close to a gap of
nothing, not beyond: so what is fast does not pass through what is thin. But it may be stopped by a
plane that its shape would have missed by less than its way in the step.

*Hard contacts* have the compliance t^2 J M^-1 J^T: a force that would push the lighter body at a
makes it overlap by t^2 a. That is more than the rounding of gaps, so that it shares forces among
points of which there are more than needed. With r the radius of the smallest shape that moves,

    t^2 = max(GIVE r / |gravity|, LEAST_GIVE h^2),

the first above the rounding of gaps, the second above that of the solver. Both are ratios, so that
a scene in other units does the same. An overlap goes in ``gamma``, two steps or more, and
what of it no impulse has pressed in at ``push_out`` at most (``rows.py``):

    rhs = min(-g, eps lambda_last / h + max((h + gamma) push_out, gamma J v)) / (h + gamma).

A soft contact is a spring up to SETTLED, so that what stands sunk in at the start is in balance.

A point that a spin w carries round at the arm r goes off its tangent by h^2 w x (w x r) / 2 in a
step, which is part of the rate that its row asks for. It counts of centres of balls, with ends of
ropes, which are balls without radius. Where other shapes touch is no point of their body: a wheel
would sink in as it rolls.

Friction that sticks has the same compliance, so it does not creep: with d the way that it gives, a
vector of the world that is kept from step to step,

    J v+ + eps lambda / h (h + gamma) = -d / (h + gamma),    d+ = d + h J v+
                                                                = (gamma d - eps p) / (h + gamma),

p the friction impulse, of which d+ takes -eps p / h in the end, whether it sticks or slides.

*Restitution* (``impacts.py``) takes the velocities of the step's start, so that with e = 1 a bounce
is its own reverse: the row has rhs >= e u, whatever forces do in that step.
"""

from cable_sim.kernels.collision.candidates import find_material, load_pose, shapes_of
from cable_sim.kernels.collision.impacts import find_aims, parting, relative_velocity, take_over
from cable_sim.kernels.collision.manifold import POINTS, manifold
from cable_sim.kernels.collision.rims import leave_rims
from cable_sim.kernels.collision.separation import separation
from cable_sim.kernels.collision.shapes import BALL, any_across, relate_shapes
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import velocity_between
from cable_sim.kernels.multibody.entries import clear_range, set_entry
from cable_sim.kernels.multibody.pivoting import AT_UPPER, FREE
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.rows import SETTLED
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    axpy,
    cross,
    dot,
    load,
    norm,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.collision import CollisionWork, Pool, PoolState, PoolWork, Shapes
from cable_sim.kernels.records.rows import Rows, RowState, RowWork

GIVE = 1e-10
"""Overlap of a body in a hard contact under its own weight, over its radius [-]: 0.1 nm for 1 m,
and a tenth of a millimetre under a million times as much."""
LEAST_GIVE = 3.6e-8
"""Least compliance of a hard contact over its mobility and the square of the step [-]."""
HEAPED = 1e-8
"""The same in a heap, where forces among more points than needed settle the sooner [s^2]."""
RIGID = 1e-11
"""Softness of an impact with restitution over its mobility [-]: it takes that part of the speed."""
STICKING = 1e-8
"""Softness of rolling and drilling friction over their mobility [-]."""
CALMED = 2.0
"""Least damping time of a contact over the step: an overlap falls to two thirds in each."""
SLIDING = 1e-4
"""Sliding speed [m/s] from which on the first tangent is along it."""
FRICTION = 0
RESTITUTION = 1
THRESHOLD = 2
ROLLING = 3
DRILLING = 4
COMPLIANCE = 5
DAMPING_TIME = 6
PUSH_OUT = 7
"""Columns of ``pool.material``."""


@kernel
def arms(c: int, bodies: Moving, work: PoolWork) -> tuple[Vector, Vector]:
    """Return the arms of contact c from the centres of mass of its bodies."""
    point = load(work.point, c)
    return (
        sub(point, load(bodies.position, work.body[c, 0])),
        sub(point, load(bodies.position, work.body[c, 1])),
    )


@kernel
def bend_rate(
    h: float, c: int, shapes: Shapes, pool: Pool, bodies: Moving, work: PoolWork
) -> float:
    """Return the mean rate at which centres of balls go off their tangents, along n [m/s]."""
    total = ZERO
    pair = shapes_of(work.key[c], pool.body.size)
    for side in range(2):
        b = work.body[c, side]
        i = pair[side]
        if b > 0 and shapes.kind[i] == BALL:
            arm = sub(load(work.pose[i], 0), load(bodies.position, b))
            spin = load(bodies.velocity[:, 3:], b)
            total = axpy(1.0 if side == 0 else -1.0, cross(spin, cross(spin, arm)), total)
    return 0.5 * h * dot(load(work.normal, c), total)


@kernel
def find_before(key: int, feature: int, at: int, state: PoolState) -> int:
    """Return the contact of the last step with the same feature, -1 for none."""
    while at < state.used[0] and state.key[at] == key:
        if state.feature[at] == feature:
            return at
        at += 1
    return -1


@kernel
def add_contacts(
    count: int, at: int, key: int, materials: tuple[int, int], state: PoolState, work_out: PoolWork
) -> int:
    """Add the points of a pair, of ``materials``.

    ``count`` are those of the pairs before; the points stand in ``work.spot``. Returns the number
    of contacts, larger than the room if there are more.
    """
    points, material = materials
    for p in range(min(points, work_out.key.size - count)):
        c = count + p
        store(load(work_out.spot, p), c, work_out.point)
        work_out.gap[c] = work_out.spot[p, 3]
        work_out.key[c] = key
        work_out.feature[c] = work_out.mark[p]
        work_out.material[c] = material
        work_out.before[c] = find_before(key, work_out.mark[p], at, state)
    return count + points


@kernel
def meet_pair(
    h: float,
    key: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    narrow_out: CollisionWork,
    work_out: PoolWork,
) -> tuple[int, Vector]:
    """Write up to four points of a pair; return their number and the normal."""
    i, j = shapes_of(key, pool.body.size)
    limit = work_out.slack[i] + (0.0 if pool.body[j] == 0 else work_out.slack[j])
    pose = load_pose(i, pool, work_out)
    pair = relate_shapes(shapes, i, pose, j, load_pose(j, pool, work_out))
    work_out.memory[0] = 0.0
    found = separation(shapes, pair, pose, limit, work_out.memory, narrow_out)
    if not found[0] <= limit:
        return 0, ZERO
    a, b = pool.body[i], pool.body[j]
    velocity = velocity_between(a, b, found[2], bodies.position, bodies.velocity)
    rim, way = leave_rims(h, shapes, pair, pose, velocity, found)
    spot, mark = work_out.spot, work_out.mark
    points = manifold(shapes, pair, pose, rim, limit, spot, mark, narrow_out)
    missed = way > 0.0
    for p in range(points):
        missed &= spot[p, 3] > way
    if not missed:
        return points, rim[1]
    return manifold(shapes, pair, pose, found, limit, spot, mark, narrow_out), found[1]


@kernel
def collect_contacts(
    h: float,
    pairs: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    state: PoolState,
    narrow_out: CollisionWork,
    work_out: PoolWork,
) -> int:
    """Write the contacts of all pairs; return their number, larger than the room if it is full."""
    count = 0
    at = 0
    room = work_out.key.size
    for q in range(pairs):
        key = work_out.pair[q]
        while at < state.used[0] and state.key[at] < key:
            at += 1
        points, normal = meet_pair(h, key, shapes, pool, bodies, narrow_out, work_out)
        i, j = shapes_of(key, pool.body.size)
        for c in range(count, min(count + POINTS, room)):
            store(normal, c, work_out.normal)
            work_out.body[c, 0] = pool.body[i]
            work_out.body[c, 1] = pool.body[j]
        if points > 0:
            known = (points, find_material(i, j, pool, work_out.open))
            count = add_contacts(count, at, key, known, state, work_out)
    return count


@kernel
def mobility_of(b: int, linear: Vector, angular: Vector, bodies: Moving) -> float:
    """Return the part of body b in J M^-1 J^T of a row along ``linear``, with its angular part."""
    if bodies.inverse_mass[b] == 0.0:
        return 0.0
    turn = multiply3(bodies.world_inverse_inertia, b, angular)
    return bodies.inverse_mass[b] * dot(linear, linear) + dot(angular, turn)


@kernel
def fill_row(
    r: int,
    linear: Vector,
    spin: Vector,
    sides: tuple[Vector, Vector, int, int],
    bodies: Moving,
    rows: Rows,
    row_work_out: RowWork,
) -> float:
    """Fill the entries of row r; return its mobility.

    ``linear`` is its direction, or ``spin`` the axis of a row on the relative spin. ``sides`` are
    the arms of the contact, and its bodies.
    """
    arm_a, arm_b, a, b = sides
    turn_a = axpy(1.0, spin, cross(arm_a, linear))
    turn_b = axpy(1.0, spin, cross(arm_b, linear))
    e = rows.entry_start[r]
    set_entry(linear, turn_a, e, row_work_out.jacobian)
    set_entry(scale(-1.0, linear), scale(-1.0, turn_b), e + 1, row_work_out.jacobian)
    row_work_out.entry_body[e] = a
    row_work_out.entry_body[e + 1] = b
    return mobility_of(a, linear, turn_a, bodies) + mobility_of(b, linear, turn_b, bodies)


@kernel
def give(h: float, mobility: float, pool: Pool, row_work: RowWork) -> float:
    """Return the compliance of a hard contact with a mobility [m/N]."""
    alone = max(pool.give[0], LEAST_GIVE * h * h)
    return max(alone * mobility, min(HEAPED * mobility, row_work.heap[0]))


@kernel
def press(
    h: float,
    r: int,
    c: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    state: PoolState,
    work: PoolWork,
    row_work_out: RowWork,
) -> None:
    """Give the normal row r of contact c its gap, own rate, compliance and damping time."""
    material = pool.material[work.material[c]]
    gamma = max(material[DAMPING_TIME], CALMED * h)
    compliance = material[COMPLIANCE]
    if compliance == 0.0:
        compliance = give(h, work.mobility[c], pool, row_work_out)
    m = work.before[c]
    pressed = compliance * state.impulse[m, 0] / h if m >= 0 else 0.0
    rate = parting(c, bodies.position, bodies.velocity, work)
    leaves = max(material[PUSH_OUT], rate * gamma / (h + gamma))
    row_work_out.damping_time[r] = gamma
    row_work_out.compliance[r] = compliance
    gap = work.gap[c]
    if material[COMPLIANCE] == 0.0 or gap < -SETTLED:
        gap = max(gap, -pressed - (h + gamma) * leaves)
    row_work_out.gap[r] = gap
    row_work_out.inner[r, 2] = bend_rate(h, c, shapes, pool, bodies, work)


@kernel
def first_tangent(c: int, bodies: Moving, state: PoolState, work: PoolWork) -> Vector:
    """Return the first tangent: along the sliding velocity, else the last friction, else any."""
    normal = load(work.normal, c)
    velocity = relative_velocity(c, bodies.position, bodies.velocity, work)
    sliding = axpy(-dot(velocity, normal), normal, velocity)
    m = work.before[c]
    if norm(sliding) <= SLIDING and m >= 0:
        friction = load(state.impulse[:, 1:], m)
        sliding = axpy(-dot(friction, normal), normal, friction)
        if norm(sliding) <= 1e-9 * state.impulse[m, 0]:
            sliding = ZERO
    elif norm(sliding) <= SLIDING:
        sliding = ZERO
    speed = norm(sliding)
    return scale(1.0 / speed, sliding) if speed > 0.0 else any_across(normal)


@kernel
def hold_still(
    h: float,
    r: int,
    c: int,
    rows: Rows,
    state: PoolState,
    work_out: PoolWork,
    row_work_out: RowWork,
) -> None:
    """Give the two friction rows of contact c the compliance of friction that sticks."""
    time = h + row_work_out.damping_time[r]
    m = work_out.before[c]
    way = load(state.way, m) if m >= 0 else ZERO
    store(way, c, work_out.way)
    for k in range(1, 3):
        axis = load(row_work_out.jacobian, rows.entry_start[r + k])
        row_work_out.compliance[r + k] = work_out.compliance[c] / time
        row_work_out.target[r + k] = -dot(way, axis) / time


@kernel
def fill_contact(
    h: float,
    c: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    rows: Rows,
    state: PoolState,
    work_out: PoolWork,
    row_work_out: RowWork,
) -> None:
    """Fill the rows of contact c: normal, two of friction, and drilling and rolling friction where
    there are such."""
    r = rows.own[0] + c * rows.own[1]
    normal = load(work_out.normal, c)
    first = first_tangent(c, bodies, state, work_out)
    second = cross(normal, first)
    material = pool.material[work_out.material[c]]
    sides = (*arms(c, bodies, work_out), work_out.body[c, 0], work_out.body[c, 1])
    for k in range(rows.own[1]):
        axis = normal if k % 3 == 0 else (first if k % 3 == 1 else second)
        slides = k < 3
        linear = axis if slides else ZERO
        spin = ZERO if slides else axis
        row_work_out.mobility[r + k] = fill_row(
            r + k, linear, spin, sides, bodies, rows, row_work_out
        )
        if k > 0:
            factor = material[FRICTION if slides else (DRILLING if k == 3 else ROLLING)]
            row_work_out.limit_factor[rows.limit_start[r + k]] = factor
    for k in range(1, rows.own[1], 3):
        mean = 0.5 * (row_work_out.mobility[r + k] + row_work_out.mobility[r + k + 1])
        row_work_out.mobility[r + k] = mean
        row_work_out.mobility[r + k + 1] = mean
    for k in range(3, rows.own[1]):
        row_work_out.compliance[r + k] = STICKING * row_work_out.mobility[r + k] * h
    work_out.mobility[c] = row_work_out.mobility[r]
    press(h, r, c, shapes, pool, bodies, state, work_out, row_work_out)
    work_out.compliance[c] = give(h, row_work_out.mobility[r + 1], pool, row_work_out)
    hold_still(h, r, c, rows, state, work_out, row_work_out)


@kernel
def link_entries(count: int, rows: Rows, row_work_out: RowWork) -> None:
    """Link the entries of the pool on each body, in the order of elimination."""
    for b in range(row_work_out.body_last.size):
        row_work_out.body_last[b] = -1
        row_work_out.body_head[b] = -1
    first = rows.entry_start[rows.own[0]]
    for e in range(first, rows.entry_start[rows.own[0] + count * rows.own[1]]):
        b = row_work_out.entry_body[e]
        row_work_out.next_entry[e - first] = -1
        if row_work_out.body_head[b] < 0:
            row_work_out.body_head[b] = e
        else:
            row_work_out.next_entry[row_work_out.body_last[b] - first] = e
        row_work_out.body_last[b] = e


@kernel
def fill_contacts(
    h: float,
    count: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    rows: Rows,
    state: PoolState,
    work_out: PoolWork,
    row_work_out: RowWork,
) -> None:
    """Fill the rows of all contacts, and link them to their bodies."""
    end = rows.own[0] + count * rows.own[1]
    clear_range(rows.own[0], end, rows, row_work_out)
    for c in range(count):
        fill_contact(h, c, shapes, pool, bodies, rows, state, work_out, row_work_out)
    row_work_out.used[0] = end
    link_entries(count, rows, row_work_out)


@kernel
def aim_contacts(
    h: float,
    count: int,
    pool: Pool,
    bodies: Moving,
    rows: Rows,
    work_out: PoolWork,
    row_work_out: RowWork,
    velocity_out: Floats,
) -> None:
    """Give contacts that hit the speeds at which they leave each other."""
    waves = find_aims(h, count, pool, bodies, (RESTITUTION, THRESHOLD), work_out)
    if waves > 1:
        take_over(bodies, work_out, velocity_out)
    for c in range(count):
        r = rows.own[0] + c * rows.own[1]
        row_work_out.target[r] = work_out.aim[c]
        if work_out.aim[c] > 0.0:
            row_work_out.compliance[r] = min(
                row_work_out.compliance[r], RIGID * h * h * work_out.mobility[c]
            )


@kernel
def start_contact(
    r: int,
    c: int,
    rows: Rows,
    state: PoolState,
    work: PoolWork,
    row_work: RowWork,
    row_state_out: RowState,
) -> None:
    """Take the impulses and the status of contact c in the last step over to its rows."""
    m = work.before[c]
    for k in range(rows.own[1]):
        row_state_out.status[r + k] = FREE
        row_state_out.impulse[r + k] = 0.0
        if m < 0:
            continue
        e = rows.entry_start[r + k]
        if k == 0 or k == 3:
            row_state_out.impulse[r + k] = state.impulse[m, 0 if k == 0 else 7]
        elif k < 3:
            friction = load(state.impulse[:, 1:], m)
            row_state_out.impulse[r + k] = dot(friction, load(row_work.jacobian, e))
        else:
            friction = load(state.impulse[:, 4:], m)
            row_state_out.impulse[r + k] = dot(friction, load(row_work.jacobian[:, 3:], e))
        if k % 3 == 1 and state.slides[m, k // 3]:
            row_state_out.status[r + k] = (
                AT_UPPER if row_state_out.impulse[r + k] >= 0.0 else -AT_UPPER
            )


@kernel
def start_contacts(
    rows: Rows, state: PoolState, work: PoolWork, row_work: RowWork, row_state_out: RowState
) -> None:
    """Take the impulses of the last step over to the rows of all contacts."""
    for r in range(rows.own[0], row_work.used[0], rows.own[1]):
        c = (r - rows.own[0]) // rows.own[1]
        start_contact(r, c, rows, state, work, row_work, row_state_out)
