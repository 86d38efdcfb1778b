"""Symmetric systems in envelope (skyline) storage: assembly; ``panels.py`` solves them.

The Schur complement of eq. 11 in Servin et al. 2011, S = J M^-1 J^T + Sigma, has an entry where two
rows share a body that can move. Row k of its lower triangle is kept from its first non-zero column
``first[k]`` to the diagonal, at ``start[k]``: entry (k, j) stands at start[k] + j - first[k].
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import COUPLING, WINCH
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, load, scale, store
from cable_sim.kernels.records.arrays import Ints
from cable_sim.kernels.records.bodies import Bodies, BodyWork
from cable_sim.kernels.records.rows import RowWork, SolverWork, Table

SLIP = 1e-7
"""Softness of a friction row as a fraction of its own diagonal. It makes sticking rows that repeat
each other solvable, and shares the force evenly among them. Such rows are those of a box's four
corners, of which three would do, and of the sheaves of one rope. Sticking points creep by that
fraction of the speed that one step's friction impulse would give the free body, or the lightest
where no body moves: what slips there is at its bound."""


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
