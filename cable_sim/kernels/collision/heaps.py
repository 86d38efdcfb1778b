"""Heaps: contacts that are relaxed one by one, because pivoting them all takes too long.

Where many bodies lean on one another, the matrix of their rows is dense, and pivoting finds the
state of each row anew with every guess of friction. A sweep takes one contact after another
instead, and needs no matrix. With the velocities v as all impulses make them, w = J v + sigma
lambda - rhs is what a row misses, and of one contact alone

    lambda_n = max(0, lambda_n - w_n / S_nn),    p = P(p - w_t / s),

P the nearest point of the disc |p| <= mu lambda_n, and s the larger eigenvalue of the two rows'
block of S, at which this step never goes too far. Each changes v at once, so momentum is kept
whatever is left. Where no row changes any more, all conditions of ``cone.py`` hold: it is the same
problem, and friction is on the cone without bounds that have to be guessed.

A change of an impulse is worth the speed S_kk times it; sweeps end where the largest is below
``SETTLED`` of the largest demand. The speeds at which contacts that are still apart may close count
among the demands: half a metre per second for a body at rest (``candidates.py``).

*Acceleration.* Sweeps alone take a number that grows with the square of the height of a heap. The
change r of all impulses by a sweep is taken for a gradient, and the way p for its conjugate
(Silcowitz, Niebe & Erleben 2010: nonsmooth nonlinear conjugate gradients):

    lambda += beta p,    p = beta p + r,    beta = |r|^2 / |r_before|^2,

with S_kk for weights, so that |r|^2 is an energy. Where it grows, p begins anew with 0. The next
sweep takes back what has left its bounds. v goes along, as it is linear in the impulses.

Rows of joints, ropes and drives are solved directly, between the sweeps, for the velocities that
the contacts leave them (``solver.py``).
"""

from math import inf, sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import copy_velocities
from cable_sim.kernels.multibody.pivoting import AT_LOWER, AT_UPPER, FREE
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, dot, load, scale, store
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import Bodies, BodyWork
from cable_sim.kernels.records.rows import Rows, SolverWork, Table

LARGEST_WORK = 1e5
"""Multiplications that factorise the contacts' rows, of which more make a heap: 25 boxes on one
another, or nine stones in a skip. While these slide, sweeps take a thirtieth of the time."""
GIVING = 0.1
"""Largest compliance of a contact times the mass of the heaviest body in its heap, over the step
squared [-]: a light body between heavy ones gives at most at a third of that part of their speed.
"""
SETTLED = 1e-7
"""Change of a speed, over the largest that is asked for of any row, at which sweeps end."""
ENOUGH = 1e-4
FEW = 30
"""The same from so many sweeps on."""
SWEEPS = 2000
"""Most sweeps of a step."""
STEEP = 0
BEFORE = 1
WAY = 2
DEMAND = 3
EASE = 4
"""Columns of ``response`` in a heap: S_kk or s of a row, its impulse before a sweep, the way p,
what it asks for, and 1 / S_kk or 1 / s."""
Speeds = tuple[Vector, Vector, Vector, Vector]
"""Linear and angular velocities of the two bodies of a contact, as impulses have changed them."""
NOW = 0
"""Entries of ``change`` are those of velocities: now, by BEFORE, and by WAY."""


@kernel
def most_give(
    h: float, count: int, width: int, body: Ints, inverse_mass: Floats, first_out: Ints
) -> float:
    """Return the largest compliance of contacts that are a heap [m/N], 0 if they are none.

    ``body`` (c, 2) are the bodies of each, ``width`` is its number of rows. ``first_out`` is
    scratch: the first contact of each body.
    """
    for b in range(first_out.size):
        first_out[b] = count
    work = 0.0
    least = inf
    for c in range(count):
        first = c
        for side in range(2):
            b = body[c, side]
            if inverse_mass[b] > 0.0:
                least = min(least, inverse_mass[b])
                first_out[b] = min(first_out[b], c)
                first = min(first, first_out[b])
        work += width * (width * (c - first + 1.0)) ** 2
    return GIVING * h * h * least if work > LARGEST_WORK else 0.0


@kernel
def join_all(table_out: Table) -> None:
    """Let all contacts of a heap take part, whether they close or not.

    Their impulses are not below 0, so one that stays apart has none. Those with restitution are
    left out, as they ask for a speed.
    """
    if table_out.work.heap[0]:
        for r in range(table_out.rows.own[0], table_out.work.used[0], table_out.rows.own[1]):
            if table_out.work.target[r] == 0.0:
                table_out.work.closing[r] = -inf


@kernel
def answer_rows(table: Table, bodies: Bodies, body_work: BodyWork, work_out: SolverWork) -> None:
    """Write M^-1 J^T of all entries of active rows."""
    row_work = table.work
    for r in range(row_work.used[0]):
        if not row_work.active[r]:
            continue
        for e in range(table.rows.entry_start[r], table.rows.entry_start[r + 1]):
            b = row_work.entry_body[e]
            mass = bodies.inverse_mass[b]
            turn = multiply3(body_work.inverse_inertia, b, load(row_work.jacobian[:, 3:], e))
            store(scale(mass, load(row_work.jacobian, e)), e, work_out.answer)
            store(turn if mass > 0.0 else ZERO, e, work_out.answer[:, 3:])


@kernel
def push(r: int, impulse: float, table: Table, answer: Floats, change_out: Floats) -> None:
    """Add M^-1 J^T of an impulse on row r to the changes of velocities."""
    for e in range(table.rows.entry_start[r], table.rows.entry_start[r + 1]):
        b = table.work.entry_body[e]
        for i in range(6):
            change_out[b, i] += impulse * answer[e, i]


@kernel
def mobility_between(r: int, q: int, table: Table, answer: Floats) -> float:
    """Return J_r M^-1 J_q^T of two rows on the same bodies."""
    total = 0.0
    step = table.rows.entry_start[q] - table.rows.entry_start[r]
    for e in range(table.rows.entry_start[r], table.rows.entry_start[r + 1]):
        for i in range(6):
            total += table.work.jacobian[e, i] * answer[e + step, i]
    return total


@kernel
def is_disc(r: int, rows: Rows) -> bool:
    """Return True for the first of two rows whose impulses lie in a disc."""
    return (r - rows.own[0]) % rows.own[1] % 3 == 1


@kernel
def measure_rows(table: Table, work_out: SolverWork) -> None:
    """Write S_kk of all contacts' rows, of two in a disc the larger eigenvalue."""
    row_work = table.work
    steep = work_out.response[:, STEEP]
    for r in range(table.rows.own[0], row_work.used[0]):
        if row_work.active[r]:
            mobility = mobility_between(r, r, table, work_out.answer)
            steep[r] = mobility + row_work.softness[r]
    for r in range(table.rows.own[0], row_work.used[0]):
        if row_work.active[r] and is_disc(r, table.rows):
            mixed = mobility_between(r, r + 1, table, work_out.answer)
            mean = 0.5 * (steep[r] + steep[r + 1])
            half = 0.5 * (steep[r] - steep[r + 1])
            steep[r] = steep[r + 1] = mean + sqrt(half * half + mixed * mixed)
    for r in range(table.rows.own[0], row_work.used[0]):
        if row_work.active[r]:
            work_out.response[r, EASE] = 1.0 / steep[r]


@kernel
def start_heap(table: Table, bodies: Bodies, body_work: BodyWork, work_out: SolverWork) -> float:
    """Begin with the impulses of the last step; return the largest demand of any row."""
    answer_rows(table, bodies, body_work, work_out)
    measure_rows(table, work_out)
    change = work_out.change
    for b in range(change.shape[0]):
        for i in range(6):
            change[b, NOW, i] = change[b, WAY, i] = 0.0
    most = 1e-300
    for r in range(table.work.used[0]):
        if table.work.active[r]:
            most = max(most, abs(table.work.demand[r]))
            push(r, table.state.impulse[r], table, work_out.answer, change[:, NOW])
        work_out.response[r, BEFORE] = table.state.impulse[r]
        work_out.response[r, WAY] = 0.0
    copy_velocities(change[:, NOW], change[:, BEFORE])
    return most


@kernel
def load_speeds(e: int, table: Table, work: SolverWork) -> Speeds:
    """Velocities of the two bodies of a contact, of which e is the first entry."""
    now = work.change[:, NOW]
    a, b = table.work.entry_body[e], table.work.entry_body[e + 1]
    return load(now, a), load(now[:, 3:], a), load(now, b), load(now[:, 3:], b)


@kernel
def store_speeds(speeds: Speeds, e: int, table: Table, work_out: SolverWork) -> None:
    """Write the velocities of the two bodies of a contact."""
    now = work_out.change[:, NOW]
    a, b = table.work.entry_body[e], table.work.entry_body[e + 1]
    store(speeds[0], a, now)
    store(speeds[1], a, now[:, 3:])
    store(speeds[2], b, now)
    store(speeds[3], b, now[:, 3:])


@kernel
def push_speeds(impulse: float, e: int, answer: Floats, speeds: Speeds) -> Speeds:
    """Add what an impulse on the row of entries e and e + 1 does."""
    turn = answer[:, 3:]
    return (
        axpy(impulse, load(answer, e), speeds[0]),
        axpy(impulse, load(turn, e), speeds[1]),
        axpy(impulse, load(answer, e + 1), speeds[2]),
        axpy(impulse, load(turn, e + 1), speeds[3]),
    )


@kernel
def relaxed(r: int, e: int, speeds: Speeds, table: Table, work: SolverWork) -> float:
    """Return the impulse of row r with which it would miss nothing, were it alone."""
    jacobian = table.work.jacobian
    turn = jacobian[:, 3:]
    missing = dot(load(jacobian, e), speeds[0]) + dot(load(turn, e), speeds[1])
    missing += dot(load(jacobian, e + 1), speeds[2]) + dot(load(turn, e + 1), speeds[3])
    missing += table.work.softness[r] * table.state.impulse[r] - table.work.demand[r]
    return table.state.impulse[r] - missing * work.response[r, EASE]


@kernel
def relax_row(
    r: int, least: float, most: float, speeds: Speeds, work: SolverWork, table_out: Table
) -> tuple[float, Speeds]:
    """Relax row r between bounds; return the square of what its change is worth."""
    e = table_out.rows.entry_start[r]
    before = table_out.state.impulse[r]
    now = min(max(relaxed(r, e, speeds, table_out, work), least), most)
    table_out.state.impulse[r] = now
    speeds = push_speeds(now - before, e, work.answer, speeds)
    return ((now - before) * work.response[r, STEEP]) ** 2, speeds


@kernel
def relax_disc(
    r: int, bound: float, speeds: Speeds, work: SolverWork, table_out: Table
) -> tuple[float, Speeds]:
    """Relax rows r and r + 1, whose impulses lie in a disc; return the square of its worth."""
    row_state_out = table_out.state
    x, y = row_state_out.impulse[r], row_state_out.impulse[r + 1]
    if bound == x == y == 0.0:
        return 0.0, speeds
    e, f = table_out.rows.entry_start[r], table_out.rows.entry_start[r + 1]
    u = relaxed(r, e, speeds, table_out, work)
    v = relaxed(r + 1, f, speeds, table_out, work)
    square = u * u + v * v
    row_state_out.status[r] = FREE
    if square > bound * bound:
        share = bound / sqrt(square)
        u, v = share * u, share * v
        row_state_out.status[r] = AT_UPPER
    row_state_out.impulse[r], row_state_out.impulse[r + 1] = u, v
    speeds = push_speeds(u - x, e, work.answer, speeds)
    speeds = push_speeds(v - y, f, work.answer, speeds)
    steep = work.response[r, STEEP]
    return ((u - x) ** 2 + (v - y) ** 2) * (steep * steep), speeds


@kernel
def relax_contact(r: int, table_out: Table, work_out: SolverWork) -> float:
    """Relax the rows of a contact, from r on; return the square of the largest change's worth."""
    first = table_out.rows.entry_start[r]
    most, speeds = relax_row(
        r, 0.0, inf, load_speeds(first, table_out, work_out), work_out, table_out
    )
    pressure = table_out.state.impulse[r]
    table_out.state.status[r] = FREE if pressure > 0.0 else AT_LOWER
    for q in range(r + 1, r + table_out.rows.own[1]):
        bound = table_out.work.limit_factor[table_out.rows.limit_start[q]] * pressure
        if is_disc(q, table_out.rows):
            change, speeds = relax_disc(q, bound, speeds, work_out, table_out)
        elif is_disc(q - 1, table_out.rows):
            continue
        else:
            change, speeds = relax_row(q, -bound, bound, speeds, work_out, table_out)
        most = max(most, change)
    store_speeds(speeds, first, table_out, work_out)
    return most


@kernel
def sweep_contacts(table_out: Table, work_out: SolverWork) -> float:
    """Relax all contacts once; return the largest worth of a change [m/s]."""
    most = 0.0
    for r in range(table_out.rows.own[0], table_out.work.used[0], table_out.rows.own[1]):
        if table_out.work.active[r]:
            most = max(most, relax_contact(r, table_out, work_out))
    return sqrt(most)


@kernel
def change_energy(table: Table, work: SolverWork) -> float:
    """Return |r|^2 of the last sweep's change."""
    total = 0.0
    for r in range(table.rows.own[0], table.work.used[0]):
        if table.work.active[r]:
            change = table.state.impulse[r] - work.response[r, BEFORE]
            total += work.response[r, STEEP] * change * change
    return total


@kernel
def go_on(share: float, gain: float, now: float, before: float, way: float) -> tuple[float, float]:
    """Return a number that has gone from ``before`` to ``now``, moved further, and its new way."""
    way = share * way
    return now + way, gain * (way + now - before)


@kernel
def accelerate(last: float, table_out: Table, work_out: SolverWork) -> float:
    """Go on the way of the sweeps so far; return |r|^2 of the last one.

    ``last`` is that of the one before, 0 for none.
    """
    size = change_energy(table_out, work_out)
    begins_anew = size > last > 0.0
    share = 0.0 if begins_anew or last == 0.0 else size / last
    gain = 0.0 if begins_anew else 1.0
    response, change = work_out.response, work_out.change
    for r in range(table_out.work.used[0]):
        if table_out.work.active[r]:
            moved, response[r, WAY] = go_on(
                share, gain, table_out.state.impulse[r], response[r, BEFORE], response[r, WAY]
            )
            table_out.state.impulse[r] = response[r, BEFORE] = moved
    for b in range(change.shape[0]):
        for i in range(6):
            moved, change[b, WAY, i] = go_on(
                share, gain, change[b, NOW, i], change[b, BEFORE, i], change[b, WAY, i]
            )
            change[b, NOW, i] = change[b, BEFORE, i] = moved
    return size
