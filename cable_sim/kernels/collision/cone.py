"""Friction on a cone: |p| <= L = mu lambda_n of two rows, alike in all directions, sticking or not.

For a given bound L friction is the p within the disc that minimises p S p / 2 - b p, S and b those
of the two rows: on the rim it has (S + a 1) p = b, and slides against p with the speed u = a L.
Between bounds along axes (``pivoting.py``) that is a box. But seen along p itself the rim goes
through the middle of a side. There, with t1 along p, p = L (cos x, sin x), and with z = L sin x

    p S p / 2 - b p = const + (linear in z) + (S_22 + |u| / L) z^2 / 2,

because the rim bends away by z^2 / 2 L from the side, against the slack u of the first row. So a
contact that slides has the bounds +-L on the first row, and the softness a = |u| / L on the second
one; its solution z is Newton's step along the rim. The axes are turned so that p is the first one
again, until z is nothing. From fast sliding a is large and z follows the velocity; near sticking a
is small and z does what a row that sticks would do. A contact that sticks has no softness, and
turns to p if |p| > L.

To turn axes by an angle is to turn two rows and columns of S: no contact has to be filled anew. An
impulse across is worth the speed S_kk z, for which S_kk is the mean mobility of the two rows, which
no turn changes.
"""

from math import isinf, sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.pivoting import AT_LOWER, AT_UPPER, FREE
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.rows import SolverWork, Table

SETTLED = 1e-7
"""Change of a speed, over the largest that is asked for of any row, at which friction has settled.

The bounded solution is no more exact than that. Bodies that a joint holds may touch with noise.
A change of a bound, or an impulse across, counts with the mobility of its row: on light bodies
under heavy ones little of an impulse is much.
"""
ROUNDED = 1e-9
"""Part of a bound by which it, or an impulse across, may be wrong by rounding."""
NEAREST = 0.1
NEARER = 0.5
"""Least softness along the rim over the mobility at first, and its part from each renewal to
the next. Where rows repeat each other, many impulses are as good; it is the nearest that is looked
for. It takes nothing from the result, in which there is no impulse across."""
PATIENT = 5
FARTHER = 3.0
FARTHEST = 27.0
"""Renewals that are to halve the change; factor of the share if they do not, and its limit."""
BEYOND = 1e-9
"""Part of the bound by which a sticking impulse may be beyond it."""


@kernel
def count_own(n: int, own: int, active: Ints) -> int:
    """Return the number of active rows that are no contacts of the pool."""
    while n > 0 and active[n - 1] >= own:
        n -= 1
    return n


@kernel
def turn_pair(k: int, c: float, s: float, array_out: Floats) -> None:
    """Turn numbers k and k + 1 of an array by an angle of given cosine and sine."""
    first = array_out[k]
    array_out[k] = c * first + s * array_out[k + 1]
    array_out[k + 1] = c * array_out[k + 1] - s * first


@kernel
def turn_columns(
    k: int, n: int, c: float, s: float, first: Ints, start: Ints, matrix_out: Floats
) -> None:
    """Turn rows and columns k and k + 1 of S."""
    upper = start[k] - first[k]
    lower = start[k + 1] - first[k]
    for j in range(first[k], k):
        x = matrix_out[upper + j]
        y = matrix_out[lower + j]
        matrix_out[upper + j] = c * x + s * y
        matrix_out[lower + j] = c * y - s * x
    x = matrix_out[upper + k]
    y = matrix_out[lower + k + 1]
    both = matrix_out[lower + k]
    matrix_out[upper + k] = c * c * x + 2.0 * c * s * both + s * s * y
    matrix_out[lower + k + 1] = s * s * x - 2.0 * c * s * both + c * c * y
    matrix_out[lower + k] = c * s * (y - x) + (c * c - s * s) * both
    for i in range(k + 2, n):
        if first[i] <= k:
            turn_pair(start[i] - first[i] + k, c, s, matrix_out)


@kernel
def turn_rows(k: int, n: int, c: float, s: float, table_out: Table, work_out: SolverWork) -> None:
    """Turn the axes of the active rows k and k + 1, which are neighbours on the same bodies."""
    row_work_out = table_out.work
    r = work_out.active[k]
    if work_out.matrix.size > 0:  # the sparse solver makes its matrix anew
        turn_columns(k, n, c, s, work_out.first, work_out.start, work_out.matrix)
    turn_pair(r, c, s, row_work_out.demand)
    turn_pair(r, c, s, table_out.state.impulse)
    first = table_out.rows.entry_start[r]
    sides = table_out.rows.entry_start[r + 1] - first
    for e in range(first, first + sides):
        for i in range(6):
            x = row_work_out.jacobian[e, i]
            y = row_work_out.jacobian[e + sides, i]
            row_work_out.jacobian[e, i] = c * x + s * y
            row_work_out.jacobian[e + sides, i] = c * y - s * x


@kernel
def set_arc(k: int, arc: float, work_out: SolverWork) -> None:
    """Give the second of two rows another softness along the rim."""
    if work_out.matrix.size > 0:
        work_out.matrix[work_out.start[k + 2] - 1] += arc - work_out.arc[k + 1]
    work_out.arc[k + 1] = arc


@kernel
def renew_bound(r: int, limit: float, share: float, table_out: Table) -> tuple[float, bool]:
    """Move the bounds of row r towards a limit; return the change, and True if they opened."""
    before = table_out.work.upper[r]
    opened = before == 0.0 and limit > 0.0
    if opened:
        table_out.state.status[r] = FREE
    moved = opened or share == 1.0
    table_out.work.upper[r] = limit if moved else max(before + share * (limit - before), 0.0)
    table_out.work.lower[r] = -table_out.work.upper[r]
    return limit - before, opened


@kernel
def start_cones(own_count: int, n: int, table_out: Table, work_out: SolverWork) -> None:
    """Take the bounds of contacts from their last impulses, and softness of those that slid from
    the speed of a free step."""
    for k in range(n):
        work_out.arc[k] = 0.0
    renew_contacts(own_count, n, 1.0, 0.0, table_out, work_out)
    for k in range(own_count, n):
        r = work_out.active[k]
        role = (r - table_out.rows.own[0]) % table_out.rows.own[1]
        if role % 3 == 1 and table_out.state.status[r] != FREE and table_out.work.upper[r] > 0.0:
            set_arc(k, abs(table_out.work.demand[r]) / table_out.work.upper[r], work_out)


@kernel
def turn_to_impulse(k: int, n: int, table_out: Table, work_out: SolverWork) -> None:
    """Turn the axes of two friction rows so that the first one has all of their impulse."""
    r = work_out.active[k]
    along = table_out.state.impulse[r]
    across = table_out.state.impulse[r + 1]
    size = sqrt(along * along + across * across)
    sign = 1.0 if along >= 0.0 else -1.0
    c = sign * along / size
    s = sign * across / size
    set_arc(k, 0.0, work_out)
    turn_rows(k, n, c, s, table_out, work_out)
    table_out.state.status[r] = AT_UPPER if along >= 0.0 else AT_LOWER
    table_out.state.status[r + 1] = FREE


@kernel
def turn_cone(
    k: int, n: int, nearness: float, tolerance: float, table_out: Table, work_out: SolverWork
) -> float:
    """Turn the axes and set the softness of two friction rows with new bounds.

    The softness is at least ``nearness`` of the mobility. Returns the speed that the impulse
    across the first axis is worth, if that is above the tolerance [m/s].
    """
    r = work_out.active[k]
    bound = table_out.work.upper[r]
    slides = table_out.state.status[r] != FREE
    arc = abs(work_out.solution[k]) / bound if slides and bound > 0.0 else 0.0
    across = abs(table_out.state.impulse[r + 1])
    size = sqrt(table_out.state.impulse[r] ** 2 + across * across)
    turns = slides or size > bound * (1.0 + BEYOND)
    mobility = table_out.work.mobility[r]
    speed = mobility * across
    tolerance = max(tolerance, mobility * ROUNDED * bound)
    if speed <= tolerance or not (turns or work_out.arc[k + 1] > 0.0):
        return 0.0
    if turns:
        turn_to_impulse(k, n, table_out, work_out)
        arc = max(arc, nearness * mobility)
    set_arc(k, arc, work_out)
    return speed


@kernel
def renew_contacts(
    own_count: int, n: int, share: float, nearness: float, table_out: Table, work_out: SolverWork
) -> tuple[float, float, bool]:
    """Renew the friction of all contacts of the pool from the present impulses.

    Returns the largest change of a speed over the one that counts as nothing, the sum of all
    changes of bounds, as speeds [m/s], and True if the factor is another one. Axes stay as they are
    with a ``nearness`` of 0.
    """
    most = 1e-300
    for k in range(n):
        most = max(most, abs(table_out.work.demand[work_out.active[k]]))
    change = 0.0
    drift = 0.0
    anew = False
    pressure = 0.0
    for k in range(own_count, n):
        r = work_out.active[k]
        role = (r - table_out.rows.own[0]) % table_out.rows.own[1]
        if role == 0:
            pressure = max(table_out.state.impulse[r], 0.0)
            continue
        limit = table_out.work.limit_factor[table_out.rows.limit_start[r]] * pressure
        found, opened = renew_bound(r, limit, share, table_out)
        rounded = abs(found) <= ROUNDED * limit or isinf(found)
        found = 0.0 if rounded else found * table_out.work.mobility[r]
        drift += found
        left = 0.0
        if nearness > 0.0 and role % 3 == 2 and not opened:
            left = turn_cone(k - 1, n, nearness, SETTLED * most, table_out, work_out)
        change = max(change, abs(found), left)
        anew |= opened or left > 0.0
    return change / (SETTLED * most), drift, anew


@kernel
def choose_share(
    renewal: int, change: float, drift: float, share: float, last: tuple[float, float]
) -> tuple[float, tuple[float, float]]:
    """Return the share of the change for the next renewals, and what :func:`choose_share` has to
    know of the present one.

    ``last`` are the change at the last look, and the drift of the last renewal. Where friction
    presses what it holds, as in a wedge, each renewal adds nearly as much as the one before: then
    more than all of a change is taken, as long as it goes the same way.
    """
    before, way = last
    onwards = drift * way > 0.0
    if share > 1.0 and not onwards:
        share = 1.0
    if renewal % PATIENT == PATIENT - 1:
        if change >= 0.5 * before:
            share = min(FARTHER * share, FARTHEST) if onwards else 0.5 * share
        before = change
    return share, (before, drift)
