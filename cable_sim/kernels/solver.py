"""The mixed linear complementarity problem of a step, solved directly by pivoting between bounds.

Eq. 4-6 of Servin et al. 2011 in Schur form: find impulses z in [l, u] with w = S z - b and

    z = l and w >= 0,   or   l < z < u and w = 0,   or   z = u and w <= 0      for every row,

which says: a row holds its demand unless its impulse is at a bound. S is symmetric positive definite, so there is one
solution. Rows are guessed to be free, at the lower or at the upper bound, as they were in the last step; the free ones
are solved for, and every row that disagrees with its guess changes it, all at once (Judice & Pires 1994). When that
does not bring the number of disagreements down for PATIENCE rounds, only the last disagreeing row changes, which ends
for every positive definite S (Murty 1974), before blocks are tried again.

Dry friction makes bounds that depend on other impulses: |z_r| <= sum_k factor_k z_k over the rows listed for r (the
normal impulse of a contact, the rope tension at a sheave). Those bounds are first taken from the last step; each time
the problem is solved they are renewed from its solution, until they stand still. That problem may have no solution or
several, as dry friction has; the loop then ends at its limit and says so.
"""

from math import isinf

from cable_sim.kernels.envelope import assemble, factorise, layout, solve
from cable_sim.kernels.jit import kernel

FREE, AT_LOWER, AT_UPPER = 0, -1, 1
"""Values of ``row_status``."""
SOLVED, NOT_CONVERGED, LOST_PIVOT, NOT_FINITE = 0, 1, 2, 4
"""Status flags; several may be set."""
ROUNDS = 100
PATIENCE = 4
TOLERANCE = 1e-10
"""Relative to the largest impulse or demand."""
LIMIT_TOLERANCE = 1e-7
"""Relative change of a friction bound that counts as standing still."""


@kernel
def renew_limits(
    n,
    # Model
    row_limit_start, limit_row,
    # State
    active, row_limit_factor, row_impulse,
    # Out
    row_lower_out, row_upper_out,
):  # fmt: skip
    """Bounds of the friction rows from the present impulses; returns the largest change and the largest bound."""
    change, largest = 0.0, 0.0
    for k in range(n):
        r = active[k]
        begin, end = row_limit_start[r], row_limit_start[r + 1]
        if begin == end:
            continue
        limit = 0.0
        for q in range(begin, end):
            limit += row_limit_factor[q] * row_impulse[limit_row[q]]
        limit = max(limit, 0.0)
        change, largest = max(change, abs(limit - row_upper_out[r])), max(largest, limit)
        row_lower_out[r], row_upper_out[r] = -limit, limit
    return change, largest


@kernel
def right_side(
    n,
    # State
    active, first, start, matrix, free, row_demand, row_lower, row_upper, row_status,
    # Out
    row_impulse_out, solution_out,
):  # fmt: skip
    """b - S z_bound for the free rows; the bound impulse itself for the others."""
    for k in range(n):
        r = active[k]
        solution_out[k] = row_demand[r]
        if not free[k]:
            row_impulse_out[r] = row_lower[r] if row_status[r] == AT_LOWER else row_upper[r]
    for k in range(n):
        base = start[k] - first[k]
        if free[k]:
            for j in range(first[k], k):
                if not free[j]:
                    solution_out[k] -= matrix[base + j] * row_impulse_out[active[j]]
        else:
            z = row_impulse_out[active[k]]
            if z != 0.0:
                for j in range(first[k], k):
                    solution_out[j] -= matrix[base + j] * z  # rows that are not free are overwritten below
    for k in range(n):
        if not free[k]:
            solution_out[k] = row_impulse_out[active[k]]


@kernel
def largest(n, active, values):
    """Largest magnitude among the active rows."""
    top = 0.0
    for k in range(n):
        top = max(top, abs(values[active[k]]))
    return top


@kernel
def slacks(n, active, first, start, matrix, free, row_demand, row_impulse, slack_out):
    """w = S z - b of the rows that are not free."""
    for k in range(n):
        slack_out[k] = -row_demand[active[k]]
    for k in range(n):
        base, z, total = start[k] - first[k], row_impulse[active[k]], 0.0
        for j in range(first[k], k):
            if not free[k]:
                total += matrix[base + j] * row_impulse[active[j]]
            if not free[j]:
                slack_out[j] += matrix[base + j] * z
        slack_out[k] += total + matrix[base + k] * z


@kernel
def residual(n, active, first, start, matrix, row_demand, row_impulse, row_lower, row_upper, slack_out, free_out):
    """How far the last solution is from the complementarity conditions, relative to the largest demand or impulse.

    Of every row the least of: what is left of its demand, and its distance from a bound that excuses it; and what its
    impulse is beyond its bounds. ``slack`` and ``free`` are scratch.
    """
    free_out[:] = False
    slacks(n, active, first, start, matrix, free_out, row_demand, row_impulse, slack_out)
    demand = max(largest(n, active, row_demand), 1e-300)
    impulse = max(largest(n, active, row_impulse), 1e-300)
    worst = 0.0
    for k in range(n):
        r = active[k]
        z, w = row_impulse[r], slack_out[k] / demand
        room = (z - row_lower[r]) if w > 0.0 else (row_upper[r] - z)
        worst = max(worst, min(abs(w), abs(room) / impulse), -min(z - row_lower[r], row_upper[r] - z) / impulse)
    return worst


@kernel
def wanted_status(status, z, w, lower, upper, z_tolerance, w_tolerance):
    """Where a row belongs, and by how much it disagrees with where it is."""
    if lower == upper:
        return AT_UPPER, 0.0
    if status == FREE:
        if z < lower - z_tolerance:
            return AT_LOWER, lower - z
        if z > upper + z_tolerance:
            return AT_UPPER, z - upper
    elif status == AT_LOWER and w < -w_tolerance:
        return FREE, -w
    elif status == AT_UPPER and w > w_tolerance:
        return FREE, w
    return status, 0.0


@kernel
def review(
    n, one_only,
    # State
    active, row_impulse, slack, row_lower, row_upper, z_tolerance, w_tolerance,
    # Out
    row_status_out, free_out,
):  # fmt: skip
    """Change the status of the rows that disagree, all or only the last; returns how many disagree."""
    count = 0
    for k in range(n - 1, -1, -1):
        r = active[k]
        status, _ = wanted_status(
            row_status_out[r], row_impulse[r], slack[k], row_lower[r], row_upper[r], z_tolerance, w_tolerance
        )
        if status == row_status_out[r]:
            continue
        count += 1
        if count == 1 or not one_only:
            row_status_out[r] = status
            free_out[k] = status == FREE
    return count


@kernel
def start_status(n, active, row_lower, row_upper, row_status_out, free_out):
    """Take over last step's status; a row without room between its bounds stays at them, others are free to enter."""
    for k in range(n):
        r = active[k]
        bound = row_upper[r] if row_status_out[r] == AT_UPPER else row_lower[r]
        if row_lower[r] == row_upper[r]:
            row_status_out[r] = AT_UPPER
        elif isinf(bound):
            row_status_out[r] = FREE  # a limit that is gone since the last step
        free_out[k] = row_status_out[r] == FREE


@kernel
def pivot(
    n,
    # Model
    row_limit_start, limit_row,
    # State
    active, first, start, matrix, row_demand, row_limit_factor, has_limits,
    # Out
    row_lower_out, row_upper_out, row_status_out, row_impulse_out, free_out, factor_out, diagonal_out, solution_out,
):  # fmt: skip
    """Solve for all active rows; returns (status flags, rounds)."""
    flags, fewest, patience, refactor = NOT_CONVERGED, n + 1, PATIENCE, True
    demand = largest(n, active, row_demand)
    for rounds in range(1, ROUNDS + 1):
        if refactor and factorise(n, first, start, matrix, free_out, factor_out, diagonal_out) > 0:
            flags |= LOST_PIVOT
        right_side(
            n, active, first, start, matrix, free_out, row_demand, row_lower_out, row_upper_out, row_status_out,
            row_impulse_out, solution_out,
        )  # fmt: skip
        solve(n, first, start, factor_out, diagonal_out, solution_out)
        for k in range(n):
            row_impulse_out[active[k]] = solution_out[k]
        slacks(n, active, first, start, matrix, free_out, row_demand, row_impulse_out, solution_out)
        z_tolerance = TOLERANCE * largest(n, active, row_impulse_out)
        count = review(
            n, patience <= 0, active, row_impulse_out, solution_out, row_lower_out, row_upper_out,
            z_tolerance, TOLERANCE * demand, row_status_out, free_out,
        )  # fmt: skip
        refactor = count > 0
        patience = PATIENCE if count < fewest else patience - 1
        fewest = min(fewest, count)
        if count > 0:
            continue
        if not has_limits:
            return flags & ~NOT_CONVERGED, rounds
        change, limit = renew_limits(
            n, row_limit_start, limit_row, active, row_limit_factor, row_impulse_out, row_lower_out, row_upper_out
        )
        if change <= max(LIMIT_TOLERANCE * limit, z_tolerance):  # the bounds of a slack rope shrink without end
            return flags & ~NOT_CONVERGED, rounds
        fewest, patience = n + 1, PATIENCE
    return flags, ROUNDS


@kernel
def solve_rows(
    # Model
    row_order, row_entry_start, entry_body, entry_row, body_entry_start, body_entry, row_limit_start, limit_row,
    body_kind, body_inverse_mass,
    # State
    world_inverse_inertia, row_active, row_softness, row_demand, row_limit_factor, entry_jacobian,
    # Out
    row_lower_out, row_upper_out, row_status_out, row_impulse_out, active_out, position_out, first_out, start_out,
    free_out, matrix_out, factor_out, diagonal_out, solution_out, body_first_out, place_out, gathered_out,
    response_out,
):  # fmt: skip
    """Impulses of all rows, zero for those that take no part; returns (status flags, rounds)."""
    n = layout(
        row_order, row_entry_start, entry_body, body_inverse_mass, row_active, active_out, position_out, first_out,
        start_out, body_first_out,
    )  # fmt: skip
    assemble(
        n, body_entry_start, body_entry, entry_row, body_kind, body_inverse_mass, row_limit_start, active_out,
        position_out, first_out, start_out, world_inverse_inertia, entry_jacobian, row_softness, matrix_out, place_out,
        gathered_out, response_out,
    )  # fmt: skip
    has_limits = False
    for r in range(row_active.size):
        if not row_active[r]:
            row_impulse_out[r], row_status_out[r] = 0.0, FREE
        else:
            has_limits |= row_limit_start[r] < row_limit_start[r + 1]
    if has_limits:
        renew_limits(
            n, row_limit_start, limit_row, active_out, row_limit_factor, row_impulse_out, row_lower_out, row_upper_out
        )
    start_status(n, active_out, row_lower_out, row_upper_out, row_status_out, free_out)
    return pivot(
        n, row_limit_start, limit_row, active_out, first_out, start_out, matrix_out, row_demand, row_limit_factor,
        has_limits, row_lower_out, row_upper_out, row_status_out, row_impulse_out, free_out, factor_out,
        diagonal_out, solution_out,
    )  # fmt: skip
