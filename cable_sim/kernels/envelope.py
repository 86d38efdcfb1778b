"""Symmetric systems in envelope (skyline) storage: assembly, LDL^T factorisation, solution.

The Schur complement of eq. 11 in Servin et al. 2011, S = J M^-1 J^T + Sigma, has an entry where two rows share a
body that can move. Row k of its lower triangle is kept from its first non-zero column ``first[k]`` to the diagonal,
at ``start[k]``: entry (k, j) stands at start[k] + j - first[k]. Factors fill the envelope and nothing else, so rows
in chain order cost linear time, and a crane, where nearly everything meets, a dense one: one solver for both.

    S = L D L^T,    L_kj D_j = S_kj - sum_{i < j} L_ki D_i L_ji,    D_k = S_kk - sum_{i < k} L_ki^2 D_i.

Rows may be left out (``free[k]`` false): they keep a unit diagonal and no coupling. A pivot that is not positive
against its diagonal means rows that contradict or repeat each other without any softness; it is replaced by a huge
one, which takes that row out, and is counted.
"""

from cable_sim.kernels.jit import kernel

TINY_PIVOT = 1e-13
"""A pivot below this fraction of its diagonal is lost in rounding."""
HUGE_PIVOT = 1e30
"""What replaces it, as a multiple of the diagonal."""


@kernel
def dot6(a, i, b, k):
    """Row i of a times row k of b, both (n, 6)."""
    return (
        a[i, 0] * b[k, 0] + a[i, 1] * b[k, 1] + a[i, 2] * b[k, 2]
        + a[i, 3] * b[k, 3] + a[i, 4] * b[k, 4] + a[i, 5] * b[k, 5]
    )  # fmt: skip


@kernel
def inverse_mass_times(
    r,
    # Model
    row_entry_start, entry_body, body_inverse_mass,
    # State
    world_inverse_inertia, entry_jacobian,
    # Out
    entry_response_out,
):  # fmt: skip
    """M^-1 J^T of row r: what a unit impulse of the row does to each body's velocity."""
    for e in range(row_entry_start[r], row_entry_start[r + 1]):
        b = entry_body[e]
        x, y, z = entry_jacobian[e, 3], entry_jacobian[e, 4], entry_jacobian[e, 5]
        for i in range(3):
            entry_response_out[e, i] = body_inverse_mass[b] * entry_jacobian[e, i]
            entry_response_out[e, 3 + i] = (
                world_inverse_inertia[b, i, 0] * x + world_inverse_inertia[b, i, 1] * y
                + world_inverse_inertia[b, i, 2] * z
            )  # fmt: skip


@kernel
def layout(
    # Model
    row_order, row_entry_start, entry_body, body_inverse_mass,
    # State
    row_active,
    # Out
    active_out, first_out, start_out, body_first_out,
):  # fmt: skip
    """The active rows in elimination order and their envelope; returns how many there are.

    ``body_first`` is scratch: the first active row that moves each body.
    """
    body_first_out[:] = -1
    n, profile = 0, 0
    for r in row_order:
        if not row_active[r]:
            continue
        first = n
        for e in range(row_entry_start[r], row_entry_start[r + 1]):
            b = entry_body[e]
            if body_inverse_mass[b] == 0.0:
                continue
            if body_first_out[b] < 0:
                body_first_out[b] = n
            first = min(first, body_first_out[b])
        active_out[n], first_out[n], start_out[n] = r, first, profile
        profile += n - first + 1
        n += 1
    start_out[n] = profile
    return n


@kernel
def assemble(
    n,
    # Model
    row_entry_start, entry_body,
    # State
    active, first, start, entry_jacobian, entry_response, row_softness,
    # Out
    matrix_out, body_row_out, body_entry_out,
):  # fmt: skip
    """S = J M^-1 J^T + Sigma of the active rows. ``body_row`` and ``body_entry`` are scratch."""
    body_row_out[:] = -1
    for k in range(n):
        r = active[k]
        for e in range(row_entry_start[r], row_entry_start[r + 1]):
            body_row_out[entry_body[e]], body_entry_out[entry_body[e]] = k, e
        base = start[k] - first[k]
        for j in range(first[k], k + 1):
            total = 0.0
            for e in range(row_entry_start[active[j]], row_entry_start[active[j] + 1]):
                b = entry_body[e]
                if body_row_out[b] == k:
                    total += dot6(entry_jacobian, e, entry_response, body_entry_out[b])
            matrix_out[base + j] = total
        matrix_out[base + k] += row_softness[r]


@kernel
def factorise(n, first, start, matrix, free, factor_out, diagonal_out):
    """L D L^T of the free rows; returns the number of lost pivots."""
    lost = 0
    for k in range(n):
        base, left = start[k] - first[k], first[k]
        if not free[k]:
            factor_out[start[k] : start[k + 1]] = 0.0
            diagonal_out[k] = 1.0
            continue
        pivot = matrix[base + k]
        for j in range(left, k):
            if not free[j]:
                factor_out[base + j] = 0.0
                continue
            total, other = matrix[base + j], start[j] - first[j]
            for i in range(max(left, first[j]), j):
                total -= factor_out[base + i] * factor_out[other + i]
            factor_out[base + j] = total  # L_kj D_j for now
        for j in range(left, k):
            scaled = factor_out[base + j]
            factor_out[base + j] = scaled / diagonal_out[j]
            pivot -= scaled * factor_out[base + j]
        if pivot <= TINY_PIVOT * matrix[base + k]:
            lost += 1
            pivot = HUGE_PIVOT * max(matrix[base + k], 1.0 / HUGE_PIVOT)
        diagonal_out[k] = pivot
    return lost


@kernel
def solve(n, first, start, factor, diagonal, solution_out):
    """Replace a right side by the solution of L D L^T x = b; fixed rows keep what they hold."""
    for k in range(n):
        base, total = start[k] - first[k], solution_out[k]
        for j in range(first[k], k):
            total -= factor[base + j] * solution_out[j]
        solution_out[k] = total
    for k in range(n):
        solution_out[k] /= diagonal[k]
    for k in range(n - 1, -1, -1):
        base, value = start[k] - first[k], solution_out[k]
        for j in range(first[k], k):
            solution_out[j] -= factor[base + j] * value
