"""Symmetric systems in envelope (skyline) storage: assembly, LDL^T factorisation, solution.

The Schur complement of eq. 11 in Servin et al. 2011, S = J M^-1 J^T + Sigma, has an entry where two
rows share a body that can move. Row k of its lower triangle is kept from its first non-zero column
``first[k]`` to the diagonal, at ``start[k]``: entry (k, j) stands at start[k] + j - first[k].
Factors fill the envelope and nothing else, so rows in chain order cost linear time, and a crane,
where nearly everything meets, a dense one: one solver for both.

    S = L D L^T,    L_kj D_j = S_kj - sum_{i < j} L_ki D_i L_ji,
    D_k = S_kk - sum_{i < k} L_ki^2 D_i.

Rows may be left out (``free[k]`` false): they keep a unit diagonal and no coupling. A pivot that is
not positive against its diagonal means rows that contradict or repeat each other without any
softness, or what no body moves; that row is taken out, 1 / D = 0, and is counted.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import COUPLING, WINCH
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, load, scale, store
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.bodies import Bodies, BodyWork
from cable_sim.kernels.records.rows import RowWork, SolverWork, Table

SLIP = 1e-7
"""Softness of a friction row as a fraction of its own diagonal. It makes sticking rows that repeat
each other solvable, and shares the force evenly among them. Such rows are those of a box's four
corners, of which three would do, and of the sheaves of one rope. Sticking points creep by that
fraction of the speed that one step's friction impulse would give the free body, or the lightest
where no body moves: what slips there is at its bound."""
TINY_PIVOT = 1e-13
"""Fraction of its diagonal below which a pivot is lost in rounding."""


@kernel
def lay_out_rows(end: int, table: Table, bodies: Bodies, work_out: SolverWork) -> int:
    """Order the active rows for elimination and find their envelope; return the number of rows.

    Rows from ``end`` on are left out. ``position`` is where an active row stands among them, -1 for
    the others. ``body_first`` is scratch: the first active row that moves each body.
    """
    for b in range(work_out.body_first.size):
        work_out.body_first[b] = -1
    for r in range(end, table.rows.order.size):  # those of the pool, which come last in any order
        work_out.position[r] = -1
    n = 0
    profile = 0
    for i in range(end):
        r = table.rows.order[i]
        if not table.work.active[r]:
            work_out.position[r] = -1
            continue
        first = n
        for e in range(table.rows.entry_start[r], table.rows.entry_start[r + 1]):
            b = table.work.entry_body[e]
            if bodies.inverse_mass[b] == 0.0:
                continue
            if work_out.body_first[b] < 0:
                work_out.body_first[b] = n
            first = min(first, work_out.body_first[b])
        work_out.active[n] = r
        work_out.position[r] = n
        work_out.first[n] = first
        work_out.start[n] = profile
        profile += n - first + 1
        n += 1
    work_out.start[n] = profile
    return n


@kernel
def first_contact_entry(b: int, table: Table) -> int:
    """Return the first entry of the pool of contacts on body b, -1 for none."""
    return table.work.body_head[b] if table.work.used[0] > table.rows.own[0] else -1


@kernel
def next_contact_entry(e: int, table: Table) -> int:
    """Return the entry of the pool on the same body that follows entry e, -1 for none."""
    return table.work.next_entry[e - table.rows.entry_start[table.rows.own[0]]]


@kernel
def gather_entry(
    e: int,
    b: int,
    count: int,
    bodies: Bodies,
    body_work: BodyWork,
    row_work: RowWork,
    place: int,
    work_out: SolverWork,
) -> int:
    """Gather entry e on body b of the row at a place; return the number of entries."""
    if place < 0:
        return count
    linear = load(row_work.jacobian, e)
    angular = load(row_work.jacobian[:, 3:], e)
    work_out.place[count] = place
    store(linear, count, work_out.gathered)
    store(angular, count, work_out.gathered[:, 3:])
    store(scale(bodies.inverse_mass[b], linear), count, work_out.response)
    store(multiply3(body_work.inverse_inertia, b, angular), count, work_out.response[:, 3:])
    return count + 1


@kernel
def gather_entries(
    b: int, table: Table, bodies: Bodies, body_work: BodyWork, work_out: SolverWork
) -> int:
    """Gather the active entries on body b; return their number.

    An entry has the place of its row, J, and M^-1 J^T.
    """
    rows = table.rows
    count = 0
    for q in range(rows.body_entry_start[b], rows.body_entry_start[b + 1]):
        e = rows.body_entry[q]
        place = work_out.position[rows.entry_row[e]]
        count = gather_entry(e, b, count, bodies, body_work, table.work, place, work_out)
    e = first_contact_entry(b, table)
    while e >= 0:
        place = work_out.position[rows.entry_row[e]]
        count = gather_entry(e, b, count, bodies, body_work, table.work, place, work_out)
        e = next_contact_entry(e, table)
    return count


@kernel
def add_products(count: int, width: int, work_out: SolverWork) -> None:
    """Add J_b M_b^-1 J_b^T of one body.

    ``width`` is the number of its coordinates that matter: one for a winch.
    """
    for k in range(count):
        base = work_out.start[work_out.place[k]] - work_out.first[work_out.place[k]]
        linear = load(work_out.response, k)
        angular = load(work_out.response[:, 3:], k)
        for j in range(k + 1):
            total = linear[0] * work_out.gathered[j, 0]
            if width > 1:
                total += (
                    (linear[1] * work_out.gathered[j, 1] + linear[2] * work_out.gathered[j, 2])
                    + (angular[0] * work_out.gathered[j, 3] + angular[1] * work_out.gathered[j, 4])
                    + angular[2] * work_out.gathered[j, 5]
                )
            work_out.matrix[base + work_out.place[j]] += total


@kernel
def assemble_matrix(
    n: int, table: Table, bodies: Bodies, body_work: BodyWork, work_out: SolverWork
) -> None:
    """Assemble S = sum of J_b M_b^-1 J_b^T over bodies, plus Sigma, plus SLIP on friction rows.

    The last three arguments are scratch. The entries of a body stand in elimination order, so the
    pairs of a body fill the lower triangle.
    """
    for i in range(work_out.start[n]):
        work_out.matrix[i] = 0.0
    for k in range(n):
        work_out.matrix[work_out.start[k + 1] - 1] = table.work.softness[work_out.active[k]]
    lightest = 0.0
    for b in range(bodies.kind.size):
        if bodies.inverse_mass[b] == 0.0:
            continue
        if bodies.kind[b] != COUPLING:
            lightest = max(lightest, bodies.inverse_mass[b])
        count = gather_entries(b, table, bodies, body_work, work_out)
        width = 1 if bodies.kind[b] == WINCH or bodies.kind[b] == COUPLING else 6
        add_products(count, width, work_out)
    for k in range(n):
        r = work_out.active[k]
        if r < table.rows.own[0] and table.rows.limit_start[r] < table.rows.limit_start[r + 1]:
            own = work_out.matrix[work_out.start[k + 1] - 1]
            work_out.matrix[work_out.start[k + 1] - 1] += SLIP * (own if own > 0.0 else lightest)


@kernel
def add_push(
    e: int, table: Table, work: SolverWork, sums: tuple[Vector, Vector]
) -> tuple[Vector, Vector]:
    """Add what the impulse of entry e does to the sums of linear and angular impulses."""
    if work.position[table.rows.entry_row[e]] < 0:
        return sums
    impulse = table.state.impulse[table.rows.entry_row[e]]
    return (
        axpy(impulse, load(table.work.jacobian, e), sums[0]),
        axpy(impulse, load(table.work.jacobian[:, 3:], e), sums[1]),
    )


@kernel
def apply_impulses(table: Table, bodies: Bodies, work: SolverWork, body_work_out: BodyWork) -> None:
    """Set v+ = v_free + M^-1 J^T lambda, body by body."""
    for b in range(bodies.inverse_mass.size):
        if bodies.inverse_mass[b] == 0.0:
            continue
        sums = (ZERO, ZERO)
        for q in range(table.rows.body_entry_start[b], table.rows.body_entry_start[b + 1]):
            sums = add_push(table.rows.body_entry[q], table, work, sums)
        e = first_contact_entry(b, table)
        while e >= 0:
            sums = add_push(e, table, work, sums)
            e = next_contact_entry(e, table)
        push, turn = sums
        spin = multiply3(body_work_out.inverse_inertia, b, turn)
        for i in range(3):
            body_work_out.next_velocity[b, i] += bodies.inverse_mass[b] * push[i]
            body_work_out.next_velocity[b, 3 + i] += spin[i]


@kernel
def begin_alike(k: int, n: int, first: Ints) -> bool:
    """Return True if there are four rows from k on, which begin in the same column."""
    if k + 4 > n:
        return False
    left = first[k]
    return first[k + 1] == left and first[k + 2] == left and first[k + 3] == left


@kernel
def rows_from(k: int, first: Ints, start: Ints) -> tuple[int, int, int, int]:
    """Return where column 0 of the four rows from k on, which begin alike, would stand."""
    left = first[k]
    return start[k] - left, start[k + 1] - left, start[k + 2] - left, start[k + 3] - left


@kernel
def are_alike(k: int, n: int, first: Ints, free: Flags) -> bool:
    """Return True if the four rows from k on are free and begin in the same column."""
    return begin_alike(k, n, first) and free[k] and free[k + 1] and free[k + 2] and free[k + 3]


@kernel
def begin_together(j: int, left: int, first: Ints, free: Flags) -> bool:
    """Return True if columns j and j + 1 are free, and their sums over columns from ``left`` on
    begin in the same one."""
    alike = max(left, first[j]) == max(left, first[j + 1])
    return alike and free[j] and free[j + 1]


@kernel
def eliminate_column(
    j: int,
    left: int,
    rows: tuple[int, int, int, int],
    first: Ints,
    start: Ints,
    matrix: Floats,
    factor_out: Floats,
) -> None:
    """Fill column j of four rows with L_kj D_j."""
    a, b, c, d = rows
    other = start[j] - first[j]
    in_a, in_b, in_c, in_d = 0.0, 0.0, 0.0, 0.0
    for i in range(max(left, first[j]), j):
        value = factor_out[other + i]
        in_a += factor_out[a + i] * value
        in_b += factor_out[b + i] * value
        in_c += factor_out[c + i] * value
        in_d += factor_out[d + i] * value
    factor_out[a + j], factor_out[b + j] = matrix[a + j] - in_a, matrix[b + j] - in_b
    factor_out[c + j], factor_out[d + j] = matrix[c + j] - in_c, matrix[d + j] - in_d


@kernel
def eliminate_columns(
    j: int,
    left: int,
    rows: tuple[int, int, int, int],
    first: Ints,
    start: Ints,
    matrix: Floats,
    factor_out: Floats,
) -> None:
    """Do what :func:`eliminate_column` does for columns j and j + 1, which begin together."""
    a, b, c, d = rows
    one, two = start[j] - first[j], start[j + 1] - first[j + 1]
    in_a, in_b, in_c, in_d = 0.0, 0.0, 0.0, 0.0
    to_a, to_b, to_c, to_d = 0.0, 0.0, 0.0, 0.0
    for i in range(max(left, first[j]), j):
        value, other = factor_out[one + i], factor_out[two + i]
        in_a += factor_out[a + i] * value
        to_a += factor_out[a + i] * other
        in_b += factor_out[b + i] * value
        to_b += factor_out[b + i] * other
        in_c += factor_out[c + i] * value
        to_c += factor_out[c + i] * other
        in_d += factor_out[d + i] * value
        to_d += factor_out[d + i] * other
    last = factor_out[two + j]
    for row, own, more in ((a, in_a, to_a), (b, in_b, to_b), (c, in_c, to_c), (d, in_d, to_d)):
        factor_out[row + j] = matrix[row + j] - own
        factor_out[row + j + 1] = matrix[row + j + 1] - (more + factor_out[row + j] * last)


@kernel
def eliminate_four(
    k: int, first: Ints, start: Ints, matrix: Floats, free: Flags, factor_out: Floats
) -> None:
    """Fill four rows of L from k on with L_kj D_j, as far as column k.

    Together, and where possible by two columns, because each sum waits for each of its additions.
    """
    left = first[k]
    rows = rows_from(k, first, start)
    j = left
    while j < k:
        if j + 1 < k and begin_together(j, left, first, free):
            eliminate_columns(j, left, rows, first, start, matrix, factor_out)
            j += 1
        elif free[j]:
            eliminate_column(j, left, rows, first, start, matrix, factor_out)
        else:
            for row in rows:
                factor_out[row + j] = 0.0
        j += 1


@kernel
def eliminate_row(
    k: int, column: int, first: Ints, start: Ints, matrix: Floats, free: Flags, factor_out: Floats
) -> None:
    """Fill row k of L with L_kj D_j, j from a column on."""
    left = first[k]
    mine = start[k] - left
    for j in range(column, k):
        total = 0.0
        if free[j]:
            other = start[j] - first[j]
            for i in range(max(left, first[j]), j):
                total += factor_out[mine + i] * factor_out[other + i]
            total = matrix[mine + j] - total
        factor_out[mine + j] = total


@kernel
def divide_row(
    k: int, first: Ints, start: Ints, matrix: Floats, factor_out: Floats, inverse_out: Floats
) -> bool:
    """Divide row k of L by D, and find 1 / D_k; return True if its pivot is lost."""
    mine = start[k] - first[k]
    given = matrix[mine + k]
    pivot = given
    for i in range(first[k], k):
        scaled = factor_out[mine + i]
        factor_out[mine + i] = scaled * inverse_out[i]
        pivot -= scaled * factor_out[mine + i]
    lost = pivot <= TINY_PIVOT * given
    inverse_out[k] = 0.0 if lost else 1.0 / pivot
    return lost


@kernel
def leave_out(k: int, start: Ints, factor_out: Floats, inverse_out: Floats) -> None:
    """Keep row k out: it has a unit diagonal and no coupling."""
    for i in range(start[k], start[k + 1]):
        factor_out[i] = 0.0
    inverse_out[k] = 1.0


@kernel
def factorise(
    n: int,
    first: Ints,
    start: Ints,
    matrix: Floats,
    free: Flags,
    factor_out: Floats,
    inverse_out: Floats,
) -> int:
    """Factorise the free rows as L D L^T, with 1 / D; return the number of lost pivots."""
    lost = 0
    begin = 0
    ready = 0
    for k in range(n):
        if not free[k]:
            leave_out(k, start, factor_out, inverse_out)
            continue
        if k >= ready and are_alike(k, n, first, free):
            eliminate_four(k, first, start, matrix, free, factor_out)
            begin, ready = k, k + 4
        column = begin if k < ready else first[k]
        eliminate_row(k, column, first, start, matrix, free, factor_out)
        lost += divide_row(k, first, start, matrix, factor_out, inverse_out)
    return lost


@kernel
def reduce_row(
    k: int,
    column: int,
    total: float,
    first: Ints,
    start: Ints,
    factor: Floats,
    solution_out: Floats,
) -> None:
    """Take from the right side of row k what the columns before it say.

    ``total`` is what those before ``column`` say.
    """
    mine = start[k] - first[k]
    for i in range(column, k):
        total += factor[mine + i] * solution_out[i]
    solution_out[k] -= total


@kernel
def reduce_four(k: int, first: Ints, start: Ints, factor: Floats, solution_out: Floats) -> None:
    """Do what :func:`reduce_row` does for four rows from k on, as :func:`eliminate_four` does."""
    a, b, c, d = rows_from(k, first, start)
    in_a, in_b, in_c, in_d = 0.0, 0.0, 0.0, 0.0
    for i in range(first[k], k):
        value = solution_out[i]
        in_a += factor[a + i] * value
        in_b += factor[b + i] * value
        in_c += factor[c + i] * value
        in_d += factor[d + i] * value
    reduce_row(k, k, in_a, first, start, factor, solution_out)
    reduce_row(k + 1, k, in_b, first, start, factor, solution_out)
    reduce_row(k + 2, k, in_c, first, start, factor, solution_out)
    reduce_row(k + 3, k, in_d, first, start, factor, solution_out)


@kernel
def solve(
    n: int, first: Ints, start: Ints, factor: Floats, inverse: Floats, solution_out: Floats
) -> None:
    """Replace a right side by the solution of L D L^T x = b; fixed rows keep what they hold."""
    k = 0
    while k < n:
        if begin_alike(k, n, first):
            reduce_four(k, first, start, factor, solution_out)
            k += 4
        else:
            reduce_row(k, first[k], 0.0, first, start, factor, solution_out)
            k += 1
    for k in range(n):
        solution_out[k] *= inverse[k]
    for k in range(n - 1, -1, -1):
        mine = start[k] - first[k]
        value = solution_out[k]
        for i in range(first[k], k):
            solution_out[i] -= factor[mine + i] * value
