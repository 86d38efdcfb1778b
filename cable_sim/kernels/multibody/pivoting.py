"""A linear complementarity problem between given bounds, solved directly by pivoting.

Find z in [l, u] with w = S z - b and

    z = l and w >= 0,   or   l < z < u and w = 0,   or   z = u and w <= 0      for every row.

S is symmetric positive definite, so there is one solution: the minimum of z S z / 2 - b z within
the bounds. Rows are guessed to be free, at the lower or at the upper bound, as they were in the
last step; the free ones are solved for, and every row that disagrees with its guess changes it, all
at once (block pivoting, Judice & Pires 1994). That is one or two rounds as a rule, but need not
end. When the number of disagreements has not come down for PATIENCE rounds, the
solution is walked to instead: from a point within the bounds straight towards the solution for the
free rows, as far as the first bound, which is then held; once there, the row that is held most
wrongly is let go (as in bounded least squares, Stark & Parker 1995). Every round lowers the
minimised function, so no guess comes back.
"""

from math import isinf

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.envelope import factorise, solve
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.rows import RowState, RowWork, SolverWork
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED, SOLVED

FREE = 0
AT_LOWER = -1
AT_UPPER = 1
"""Values of ``row_status``."""
PATIENCE = 4
TOLERANCE = 1e-10
"""Tolerance relative to the largest impulse or demand."""


@kernel
def largest_magnitude(n: int, active: Ints, values: Floats) -> float:
    """Largest magnitude among the active rows."""
    top = 0.0
    for k in range(n):
        top = max(top, abs(values[active[k]]))
    return top


@kernel
def fill_right_side(n: int, row_work: RowWork, work_out: SolverWork, state_out: RowState) -> None:
    """Fill the right side: b - S z_bound for free rows, the bound impulse itself for others."""
    held = 0
    for k in range(n):
        r = work_out.active[k]
        work_out.solution[k] = row_work.demand[r]
        if not work_out.free[k]:
            held += 1
            state_out.impulse[r] = (
                row_work.lower[r] if state_out.status[r] == AT_LOWER else row_work.upper[r]
            )
    if held == 0:
        return
    for k in range(n):
        base = work_out.start[k] - work_out.first[k]
        if work_out.free[k]:
            for j in range(work_out.first[k], k):
                if not work_out.free[j]:
                    work_out.solution[k] -= (
                        work_out.matrix[base + j] * state_out.impulse[work_out.active[j]]
                    )
        else:
            z = state_out.impulse[work_out.active[k]]
            if z != 0.0:  # rows that are not free are overwritten below
                for j in range(work_out.first[k], k):
                    work_out.solution[j] -= work_out.matrix[base + j] * z
    for k in range(n):
        if not work_out.free[k]:
            work_out.solution[k] = state_out.impulse[work_out.active[k]]


@kernel
def take_slacks(n: int, row_work: RowWork, state: RowState, work_out: SolverWork) -> None:
    """Put the slacks w = S z - b of the rows that are not free in the place of the solution."""
    free = work_out.free
    slack_out = work_out.solution
    held = 0
    for k in range(n):
        slack_out[k] = -row_work.demand[work_out.active[k]]
        held += not free[k]
    if held == 0:
        return
    for k in range(n):
        base = work_out.start[k] - work_out.first[k]
        z = state.impulse[work_out.active[k]]
        total = 0.0
        for j in range(work_out.first[k], k):
            if not free[k]:
                total += work_out.matrix[base + j] * state.impulse[work_out.active[j]]
            if not free[j]:
                slack_out[j] += work_out.matrix[base + j] * z
        slack_out[k] += total + work_out.matrix[base + k] * z


@kernel
def count_rows(row_position: Ints) -> int:
    """Return the number of rows that the last step solved for."""
    n = 0
    for r in range(row_position.size):
        n = max(n, row_position[r] + 1)
    return n


@kernel
def residual(row_work: RowWork, state: RowState, work_out: SolverWork) -> float:
    """Return the relative residual of the last step's complementarity conditions.

    It is relative to the largest demand or impulse. For every row it is the larger of two numbers.
    One is the least of what is left of its demand and its distance from a bound that excuses it.
    The other is the part of its impulse beyond its bounds. ``slack`` and ``free`` are scratch.
    The softness with which ropes share loads does not count. Of a heap it is what its solution has
    left.
    """
    if row_work.heap[0]:
        return work_out.left[0]
    n = count_rows(work_out.position)
    work_out.free[:] = False
    take_slacks(n, row_work, state, work_out)
    demand = max(largest_magnitude(n, work_out.active, row_work.demand), 1e-300)
    impulse = max(largest_magnitude(n, work_out.active, state.impulse), 1e-300)
    worst = 0.0
    for k in range(n):
        r = work_out.active[k]
        z = state.impulse[r]
        w = (work_out.solution[k] - row_work.sharing[r] * z) / demand
        room = (z - row_work.lower[r]) if w > 0.0 else (row_work.upper[r] - z)
        worst = max(
            worst,
            min(abs(w), abs(room) / impulse),
            -min(z - row_work.lower[r], row_work.upper[r] - z) / impulse,
        )
    return worst


@kernel
def wanted_status(
    status: int,
    z: float,
    w: float,
    lower: float,
    upper: float,
    z_tolerance: float,
    w_tolerance: float,
) -> int:
    """Return the status that a row should have.

    The impulse decides if it is free, the slack if it is held.
    """
    if lower == upper:
        return AT_UPPER
    if status == FREE:
        if z < lower - z_tolerance:
            return AT_LOWER
        if z > upper + z_tolerance:
            return AT_UPPER
    elif (status == AT_LOWER and w < -w_tolerance) or (status == AT_UPPER and w > w_tolerance):
        return FREE
    return status


@kernel
def review_rows(
    n: int,
    z_tolerance: float,
    w_tolerance: float,
    rows: RowWork,
    work_out: SolverWork,
    state_out: RowState,
) -> int:
    """Change the status of all rows that disagree; return their number."""
    count = 0
    for k in range(n):
        r = work_out.active[k]
        status = wanted_status(
            state_out.status[r],
            state_out.impulse[r],
            work_out.solution[k],
            rows.lower[r],
            rows.upper[r],
            z_tolerance,
            w_tolerance,
        )
        if status != state_out.status[r]:
            count += 1
            state_out.status[r] = status
            work_out.free[k] = status == FREE
    return count


@kernel
def enter_bounds(n: int, rows: RowWork, work_out: SolverWork, state_out: RowState) -> None:
    """Start the walk: bring all impulses within their bounds and hold those that are at one."""
    for k in range(n):
        r = work_out.active[k]
        z = min(max(state_out.impulse[r], rows.lower[r]), rows.upper[r])
        state_out.status[r] = (
            AT_UPPER if z == rows.upper[r] else (AT_LOWER if z == rows.lower[r] else FREE)
        )
        state_out.impulse[r], work_out.free[k] = z, state_out.status[r] == FREE


@kernel
def walk_to_bound(n: int, rows: RowWork, work_out: SolverWork, state_out: RowState) -> int:
    """Move the free impulses towards the solution up to the first bound, and hold that row.

    Returns 1 if there was one.
    """
    share = 1.0
    stop = -1
    for k in range(n):
        if not work_out.free[k]:
            continue
        r = work_out.active[k]
        z = state_out.impulse[r]
        x = work_out.solution[k]
        if x < rows.lower[r]:
            reach = (z - rows.lower[r]) / (z - x)
        elif x > rows.upper[r]:
            reach = (rows.upper[r] - z) / (x - z)
        else:
            continue
        if reach < share:
            share = reach
            stop = k
    for k in range(n):
        if work_out.free[k]:
            r = work_out.active[k]
            state_out.impulse[r] += share * (work_out.solution[k] - state_out.impulse[r])
    if stop < 0:
        return 0
    r = work_out.active[stop]
    state_out.status[r] = AT_LOWER if work_out.solution[stop] < state_out.impulse[r] else AT_UPPER
    state_out.impulse[r] = rows.lower[r] if state_out.status[r] == AT_LOWER else rows.upper[r]
    work_out.free[stop] = False
    return 1


@kernel
def release_row(
    n: int, w_tolerance: float, rows: RowWork, work_out: SolverWork, state_out: RowState
) -> int:
    """Free the row that is held most wrongly; return 1 if there was one."""
    worst = -1
    most = w_tolerance
    for k in range(n):
        r = work_out.active[k]
        if work_out.free[k] or rows.lower[r] == rows.upper[r]:
            continue
        wrong = -work_out.solution[k] if state_out.status[r] == AT_LOWER else work_out.solution[k]
        if wrong > most:
            worst = k
            most = wrong
    if worst < 0:
        return 0
    state_out.status[work_out.active[worst]] = FREE
    work_out.free[worst] = True
    return 1


@kernel
def start_status(n: int, rows: RowWork, work_out: SolverWork, state_out: RowState) -> None:
    """Take over the last step's status.

    A row without room between its bounds stays at them; others are free to enter.
    """
    for k in range(n):
        r = work_out.active[k]
        bound = rows.upper[r] if state_out.status[r] == AT_UPPER else rows.lower[r]
        if rows.lower[r] == rows.upper[r]:
            state_out.status[r] = AT_UPPER
        elif isinf(bound):
            state_out.status[r] = FREE  # a limit that is gone since the last step
        work_out.free[k] = state_out.status[r] == FREE


@kernel
def block_round(
    n: int, w_tolerance: float, rows: RowWork, work_out: SolverWork, state_out: RowState
) -> int:
    """Take the solution and change the status of all rows that disagree; return their number."""
    for k in range(n):
        state_out.impulse[work_out.active[k]] = work_out.solution[k]
    take_slacks(n, rows, state_out, work_out)
    z_tolerance = TOLERANCE * largest_magnitude(n, work_out.active, state_out.impulse)
    return review_rows(n, z_tolerance, w_tolerance, rows, work_out, state_out)


@kernel
def walk_round(
    n: int, w_tolerance: float, rows: RowWork, work_out: SolverWork, state_out: RowState
) -> int:
    """Walk towards the solution; return 1 if a row changed its status.

    The row that stops the walk is held; at the end of the walk one that is held wrongly is freed.
    """
    if walk_to_bound(n, rows, work_out, state_out) > 0:
        return 1
    take_slacks(n, rows, state_out, work_out)
    return release_row(n, w_tolerance, rows, work_out, state_out)


@kernel
def refactor(n: int, work_out: SolverWork) -> int:
    """Factorise the free rows; returns LOST_PIVOT if one has no pivot."""
    lost = factorise(n, work_out)
    return LOST_PIVOT if lost > 0 else SOLVED


@kernel
def solve_bounded(
    n: int, rounds: int, factored: bool, rows: RowWork, work_out: SolverWork, state_out: RowState
) -> tuple[int, int]:
    """Solve between given bounds in at most ``rounds`` rounds; returns (flags, rounds taken).

    ``factored`` says that the factor is already that of the free rows.
    """
    flags = NOT_CONVERGED
    fewest = n + 1
    patience = PATIENCE
    w_tolerance = TOLERANCE * largest_magnitude(n, work_out.active, rows.demand)
    for taken in range(1, rounds + 1):
        flags |= SOLVED if factored else refactor(n, work_out)
        factored = False
        fill_right_side(n, rows, work_out, state_out)
        solve(n, work_out)
        if patience > 0:
            count = block_round(n, w_tolerance, rows, work_out, state_out)
        else:
            count = walk_round(n, w_tolerance, rows, work_out, state_out)
        if count == 0:
            return flags & ~NOT_CONVERGED, taken
        patience = PATIENCE if count < fewest and patience > 0 else patience - 1
        fewest = min(fewest, count)
        if patience == 0:
            enter_bounds(n, rows, work_out, state_out)
    return flags, rounds
