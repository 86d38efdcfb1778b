"""Contacts at the end of a step: what is kept of them, and events.

A pair touches in a step if one of its contacts has an impulse along the normal. An event is that a
pair begins to touch, with the largest speed at which its points approached in that step, or that it
no longer does. Events go round in a list of so many.

A soft contact stores g^2 / 2 eps. At the time of the velocities its gap is g + t J v+, with t the
time from the pose of the step to that of the velocities at its end (``instant.py``).
"""

from cable_sim.kernels.collision.adhesion import REACH
from cable_sim.kernels.collision.candidates import shapes_of
from cable_sim.kernels.collision.impacts import parting
from cable_sim.kernels.collision.pool import COMPLIANCE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.pivoting import FREE
from cable_sim.kernels.multibody.vec3 import ZERO, axpy, load, scale, store
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.collision import Pool, PoolState, PoolWork
from cable_sim.kernels.records.rows import Rows, RowState, RowWork

STEP = 0
PAIR = 1
BEGINS = 2
SPEED = 3
"""Columns of ``pool.event``."""


@kernel
def add_event(step: int, key: int, begins: float, speed: float, state_out: PoolState) -> None:
    """Add an event to the list."""
    at = state_out.events[0] % state_out.event.shape[0]
    state_out.event[at, STEP] = step
    state_out.event[at, PAIR] = key
    state_out.event[at, BEGINS] = begins
    state_out.event[at, SPEED] = speed
    state_out.events[0] += 1


@kernel
def skip_pair(at: int, count: int, keys: Ints, pressed: Floats) -> tuple[int, bool]:
    """Return the first contact behind those of a pair, and True if one of these is pressed."""
    touches = False
    key = keys[at]
    while at < count and keys[at] == key:
        touches |= pressed[at] > 0.0
        at += 1
    return at, touches


@kernel
def note_events(
    step: int, count: int, position: Floats, velocity: Floats, work: PoolWork, state_out: PoolState
) -> None:
    """Note which pairs begin or end to touch, of ``count`` contacts whose impulses are ``push``."""
    old = 0
    new = 0
    last = 1 << 62
    while old < state_out.used[0] or new < count:
        before = state_out.key[old] if old < state_out.used[0] else last
        now = work.key[new] if new < count else last
        touched = False
        touches = False
        first = new
        if before <= now:
            old, touched = skip_pair(old, state_out.used[0], state_out.key, state_out.impulse[:, 0])
        if now <= before:
            new, touches = skip_pair(new, count, work.key, work.push)
        if touched != touches:
            speed = 0.0
            for c in range(first, new):
                speed = max(speed, -parting(c, position, velocity, work))
            add_event(step, min(before, now), 1.0 if touches else 0.0, speed, state_out)


@kernel
def keep_friction(
    r: int, c: int, rows: Rows, row_work: RowWork, row_state: RowState, state_out: PoolState
) -> None:
    """Keep the friction of contact c, whose rows begin at r, as vectors of the world."""
    push = ZERO
    turn = ZERO
    for k in range(1, rows.own[1]):
        e = rows.entry_start[r + k]
        if k < 3:
            push = axpy(row_state.impulse[r + k], load(row_work.jacobian, e), push)
        elif k > 3:
            turn = axpy(row_state.impulse[r + k], load(row_work.jacobian[:, 3:], e), turn)
        if k % 3 == 1:
            state_out.slides[c, k // 3] = row_state.status[r + k] != FREE
    store(push, c, state_out.impulse[:, 1:])
    store(turn, c, state_out.impulse[:, 4:])
    state_out.impulse[c, 7] = row_state.impulse[r + 3] if rows.own[1] > 3 else 0.0


@kernel
def keep_contacts(
    h: float,
    count: int,
    rows: Rows,
    row_work: RowWork,
    row_state: RowState,
    work: PoolWork,
    state_out: PoolState,
) -> None:
    """Keep the contacts of a step for the next one."""
    state_out.used[0] = count
    for c in range(count):
        state_out.key[c] = work.key[c]
        state_out.feature[c] = work.feature[c]
        store(load(work.point, c), c, state_out.point)
        store(load(work.normal, c), c, state_out.normal)
        state_out.impulse[c, 0] = work.push[c]
        keep_friction(rows.own[0] + c * rows.own[1], c, rows, row_work, row_state, state_out)
        gamma = row_work.damping_time[rows.own[0] + c * rows.own[1]]
        friction = load(state_out.impulse[:, 1:], c)
        give = axpy(-work.compliance[c], friction, scale(gamma, load(work.way, c)))
        store(scale(1.0 / (h + gamma), give), c, state_out.way)
        for side in range(2):
            state_out.body[c, side] = work.body[c, side]


@kernel
def press_watched(h: float, count: int, pool: Pool, work: PoolWork, state_out: PoolState) -> None:
    """Write the mean normal force of pairs that are watched in a step [N]."""
    for k in range(state_out.pressed.size):
        state_out.pressed[k] = 0.0
    for q in range(pool.watch.shape[0]):
        one, other, k = pool.watch[q, 0], pool.watch[q, 1], pool.watch[q, 2]
        for c in range(count):
            i, j = shapes_of(work.key[c], pool.body.size)
            if (i == one and j == other) or (i == other and j == one):
                state_out.pressed[k] += work.push[c] / h


@kernel
def keep_pulls(h: float, count: int, work: PoolWork, state_out: PoolState) -> None:
    """Keep the adhesion of all contacts in a step with their friction."""
    for c in range(count):
        if work.pull[c] > 0.0:
            friction = axpy(
                -h * work.pull[c], load(work.normal, c), load(state_out.impulse[:, 1:], c)
            )
            store(friction, c, state_out.impulse[:, 1:])


@kernel
def keep_energies(
    time: float,
    count: int,
    pool: Pool,
    position: Floats,
    velocity: Floats,
    work: PoolWork,
    state_out: PoolState,
) -> None:
    """Keep the energy that each contact stores a ``time`` behind its pose [J]."""
    for c in range(count):
        compliance = pool.material[work.material[c], COMPLIANCE]
        gap = work.gap[c] + time * parting(c, position, velocity, work)
        deep = min(gap, 0.0)
        stored = 0.5 * deep * deep / compliance if compliance > 0.0 else 0.0
        state_out.stored[c] = stored + work.pull[c] * (min(gap, REACH) - REACH)
