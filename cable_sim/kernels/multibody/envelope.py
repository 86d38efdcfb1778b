"""Symmetric systems in envelope (skyline) storage: assembly, LDL^T factorisation, solution.

The Schur complement of eq. 11 in Servin et al. 2011, S = J M^-1 J^T + Sigma, has an entry where two
rows share a body that can move. Row k of its lower triangle is kept from its first non-zero column
``first[k]`` to the diagonal, at ``start[k]``: entry (k, j) stands at start[k] + j - first[k].
Its factor stands by panels of four rows:

    S = L D L^T,    K_kj = L_kj D_j = S_kj - sum_{i < j} K_ki L_ji,
    D_k = S_kk - sum_{i < k} K_ki L_ki.

Factors fill the envelope and nothing else, so rows in chain order cost linear time, and a crane,
where nearly everything meets, a dense one: one solver for both.

Each sum is long and waits for each of its additions, so sixteen are formed at a time: those of four
columns, each for the four rows of a panel. A processor adds four neighbours in memory at once. So a
panel stands by columns: that of row k = 4 p + lane and column i is

    factor[panel_base[p] + 4 i + lane],

from column ``panel_left[p]`` on, a multiple of four. What is outside of the envelope there is zero,
and adds zeros. Each sum goes by columns, so numbers do not depend on the processor.

Rows may be left out (``free[k]`` false): they keep a unit diagonal and no coupling. A pivot that is
not positive against its diagonal means rows that contradict or repeat each other without any
softness, or what no body moves; that row is taken out, 1 / D = 0, and is counted.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import COUPLING, WINCH
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, load, scale, store
from cable_sim.kernels.records.arrays import Floats
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
Lanes = tuple[float, float, float, float]
"""Numbers of four rows."""
NONE: Lanes = (0.0, 0.0, 0.0, 0.0)


@kernel
def load_lanes(array: Floats, at: int) -> Lanes:
    """Four numbers on end."""
    return array[at], array[at + 1], array[at + 2], array[at + 3]


@kernel
def store_lanes(lanes: Lanes, at: int, array_out: Floats) -> None:
    """Write four numbers on end."""
    array_out[at], array_out[at + 1], array_out[at + 2], array_out[at + 3] = lanes


@kernel
def scale_lanes(s: float, a: Lanes) -> Lanes:
    """s a."""
    return s * a[0], s * a[1], s * a[2], s * a[3]


@kernel
def add_lanes(a: Lanes, b: Lanes) -> Lanes:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@kernel
def subtract_lanes(a: Lanes, b: Lanes) -> Lanes:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]


@kernel
def add_times(s: float, a: Lanes, b: Lanes) -> Lanes:
    """b + s a."""
    return b[0] + s * a[0], b[1] + s * a[1], b[2] + s * a[2], b[3] + s * a[3]


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
    for i in range(6):
        work_out.gathered[i * (work_out.place.size + 3) + count] = row_work.jacobian[e, i]
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
def multiply_entries(k: int, j: int, width: int, work: SolverWork) -> Lanes:
    """Return J M^-1 J^T of entry k with four entries from j on."""
    given, step = work.gathered, work.place.size + 3
    one = scale_lanes(work.response[k, 0], load_lanes(given, j))
    if width == 1:
        return one
    linear = scale_lanes(work.response[k, 1], load_lanes(given, step + j))
    linear = add_times(work.response[k, 2], load_lanes(given, 2 * step + j), linear)
    angular = scale_lanes(work.response[k, 3], load_lanes(given, 3 * step + j))
    angular = add_times(work.response[k, 4], load_lanes(given, 4 * step + j), angular)
    last = load_lanes(given, 5 * step + j)
    return add_lanes(one, add_times(work.response[k, 5], last, add_lanes(linear, angular)))


@kernel
def add_products(count: int, width: int, work_out: SolverWork) -> None:
    """Add J_b M_b^-1 J_b^T of one body.

    ``width`` is the number of its coordinates that matter: one for a winch.
    """
    place = work_out.place
    for k in range(count):
        base = work_out.start[place[k]] - work_out.first[place[k]]
        for j in range(0, k + 1, 4):
            products = multiply_entries(k, j, width, work_out)
            at = base + place[j]
            if j + 3 <= k and place[j + 3] == place[j] + 3:
                sums = add_lanes(load_lanes(work_out.matrix, at), products)
                store_lanes(sums, at, work_out.matrix)
            else:
                for lane in range(min(4, k + 1 - j)):
                    work_out.matrix[base + place[j + lane]] += products[lane]


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
def lay_out_panels(n: int, work_out: SolverWork) -> None:
    """Find where the panels of n rows begin, from the first columns of their rows."""
    at = 0
    for k in range(0, n, 4):
        left = k
        for row in range(k, min(k + 4, n)):
            left = min(left, work_out.first[row])
        left -= left % 4
        work_out.panel_left[k // 4] = left
        work_out.panel_base[k // 4] = at - 4 * left
        at += 4 * (k + 4 - left)


@kernel
def spread_rows(k: int, n: int, work_out: SolverWork) -> None:
    """Write S of four rows from k on by columns.

    Zeros stand before the envelope, and for rows that are left out.
    """
    left = work_out.panel_left[k // 4]
    for lane in range(4):
        row = k + lane
        begin = work_out.first[row] if row < n and work_out.free[row] else k + 4
        for i in range(left, begin):
            work_out.panel[4 * i + lane] = 0.0
        end = min(row + 1, k + 4)
        if begin < end:
            place = work_out.start[row] - begin
            for i in range(begin, end):
                work_out.panel[4 * i + lane] = work_out.matrix[place + i]


@kernel
def sum_products(
    begin: int, end: int, base: int, factor: Floats, panel: Floats
) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Sum K_ki L_ji over columns i, for four j whose panel is at ``base`` and four rows k."""
    a, b, c, d = NONE, NONE, NONE, NONE
    for i in range(begin, end):
        rows = load_lanes(panel, 4 * i)
        at = base + 4 * i
        a = add_times(factor[at], rows, a)
        b = add_times(factor[at + 1], rows, b)
        c = add_times(factor[at + 2], rows, c)
        d = add_times(factor[at + 3], rows, d)
    return a, b, c, d


@kernel
def eliminate_block(k: int, j: int, work_out: SolverWork) -> None:
    """Fill columns j to j + 3 of four rows from k on with K, for j below k."""
    base = work_out.panel_base[j // 4]
    begin = max(work_out.panel_left[k // 4], work_out.panel_left[j // 4])
    panel, factor = work_out.panel, work_out.factor
    a, b, c, d = sum_products(begin, j, base, factor, panel)
    at = base + 4 * j
    one = subtract_lanes(load_lanes(panel, 4 * j), a) if work_out.free[j] else NONE
    b = add_times(factor[at + 1], one, b)
    two = subtract_lanes(load_lanes(panel, 4 * j + 4), b) if work_out.free[j + 1] else NONE
    c = add_times(factor[at + 6], two, add_times(factor[at + 2], one, c))
    three = subtract_lanes(load_lanes(panel, 4 * j + 8), c) if work_out.free[j + 2] else NONE
    d = add_times(factor[at + 7], two, add_times(factor[at + 3], one, d))
    d = add_times(factor[at + 11], three, d)
    four = subtract_lanes(load_lanes(panel, 4 * j + 12), d) if work_out.free[j + 3] else NONE
    store_lanes(one, 4 * j, panel)
    store_lanes(two, 4 * j + 4, panel)
    store_lanes(three, 4 * j + 8, panel)
    store_lanes(four, 4 * j + 12, panel)


@kernel
def divide_panel(k: int, work_out: SolverWork) -> Lanes:
    """Divide K of four rows from k on by D, as far as column k; return sums for their pivots.

    They are the diagonal less K_ki L_ki, term by term.
    """
    panel = work_out.panel
    base = work_out.panel_base[k // 4]
    at = 4 * k
    pivots = panel[at], panel[at + 5], panel[at + 10], panel[at + 15]
    for i in range(work_out.panel_left[k // 4], k):
        rows = load_lanes(panel, 4 * i)
        divided = scale_lanes(work_out.inverse[i], rows)
        store_lanes(divided, base + 4 * i, work_out.factor)
        a, b, c, d = divided
        pivots = subtract_lanes(pivots, (rows[0] * a, rows[1] * b, rows[2] * c, rows[3] * d))
    return pivots


@kernel
def invert_pivot(row: int, n: int, pivot: float, given: float, work_out: SolverWork) -> int:
    """Write 1 / D of a row, zero where its pivot is lost; return 1 then, else 0."""
    if row >= n:
        return 0
    lost = work_out.free[row] and pivot <= TINY_PIVOT * given
    work_out.inverse[row] = 0.0 if lost else 1.0 / pivot if work_out.free[row] else 1.0
    return 1 if lost else 0


@kernel
def finish_column(row: int, n: int, rest: Lanes, work_out: SolverWork) -> tuple[Lanes, Lanes]:
    """Return K and L of a column of the block on the diagonal, of which those below it count."""
    if row >= n or not work_out.free[row]:
        return NONE, NONE
    return rest, scale_lanes(work_out.inverse[row], rest)


@kernel
def finish_panel(k: int, n: int, pivots: Lanes, work_out: SolverWork) -> int:
    """Factorise the block on the diagonal of four rows from k on; return the pivots lost."""
    panel, factor = work_out.panel, work_out.factor
    base = work_out.panel_base[k // 4]
    at = 4 * k
    a, b, c, d = sum_products(work_out.panel_left[k // 4], k, base, factor, panel)
    lost = invert_pivot(k, n, pivots[0], panel[at], work_out)
    one, by_one = finish_column(k, n, subtract_lanes(load_lanes(panel, at), a), work_out)
    lost += invert_pivot(k + 1, n, pivots[1] - one[1] * by_one[1], panel[at + 5], work_out)
    b = add_times(by_one[1], one, b)
    two, by_two = finish_column(k + 1, n, subtract_lanes(load_lanes(panel, at + 4), b), work_out)
    pivot = pivots[2] - one[2] * by_one[2] - two[2] * by_two[2]
    lost += invert_pivot(k + 2, n, pivot, panel[at + 10], work_out)
    c = add_times(by_two[2], two, add_times(by_one[2], one, c))
    three, by_three = finish_column(
        k + 2, n, subtract_lanes(load_lanes(panel, at + 8), c), work_out
    )
    pivot = pivots[3] - one[3] * by_one[3] - two[3] * by_two[3] - three[3] * by_three[3]
    lost += invert_pivot(k + 3, n, pivot, panel[at + 15], work_out)
    store_lanes(by_one, base + at, factor)
    store_lanes(by_two, base + at + 4, factor)
    store_lanes(by_three, base + at + 8, factor)
    return lost


@kernel
def factorise(n: int, work_out: SolverWork) -> int:
    """Factorise the free ones of n rows, with 1 / D in ``inverse``; return the pivots lost."""
    lay_out_panels(n, work_out)
    lost = 0
    for k in range(0, n, 4):
        spread_rows(k, n, work_out)
        for j in range(work_out.panel_left[k // 4], k, 4):
            eliminate_block(k, j, work_out)
        lost += finish_panel(k, n, divide_panel(k, work_out), work_out)
    return lost


@kernel
def reduce_panel(k: int, n: int, work_out: SolverWork) -> None:
    """Take from the right sides of four rows from k on what the columns before say."""
    base = work_out.panel_base[k // 4]
    sums = NONE
    for i in range(work_out.panel_left[k // 4], k):
        rows = load_lanes(work_out.factor, base + 4 * i)
        sums = add_times(work_out.solution[i], rows, sums)
    for lane in range(min(4, n - k)):
        total = sums[lane]
        for i in range(k, k + lane):
            total += work_out.factor[base + 4 * i + lane] * work_out.solution[i]
        work_out.solution[k + lane] -= total


@kernel
def expand_panel(k: int, n: int, work_out: SolverWork) -> None:
    """Take from the solution of the columns before what four rows from k on say, last row first."""
    base = work_out.panel_base[k // 4]
    factor, solution = work_out.factor, work_out.solution
    for lane in range(min(4, n - k) - 1, -1, -1):
        for i in range(k, k + lane):
            solution[i] -= factor[base + 4 * i + lane] * solution[k + lane]
    a = solution[k]
    b = solution[k + 1] if k + 1 < n else 0.0
    c = solution[k + 2] if k + 2 < n else 0.0
    d = solution[k + 3] if k + 3 < n else 0.0
    for i in range(work_out.panel_left[k // 4], k):
        at = base + 4 * i
        value = solution[i] - factor[at + 3] * d
        value = value - factor[at + 2] * c
        solution[i] = (value - factor[at + 1] * b) - factor[at] * a


@kernel
def solve(n: int, work_out: SolverWork) -> None:
    """Replace a right side by the solution of L D L^T x = b; rows left out keep what they hold."""
    for k in range(0, n, 4):
        reduce_panel(k, n, work_out)
    for k in range(n):
        work_out.solution[k] *= work_out.inverse[k]
    for k in range((n - 1) // 4 * 4, -1, -4):
        expand_panel(k, n, work_out)
