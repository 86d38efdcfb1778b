"""The mixed linear complementarity problem of a step: impulses of all rows, with dry friction.

Eq. 4-6 of Servin et al. 2011 in Schur form: a row holds its demand unless its impulse is at a
bound. Between given bounds ``pivoting.py`` solves it. Dry friction makes bounds that depend on
other impulses: |z_r| <= sum_k factor_k z_k over the rows listed for r (the normal impulse of a
contact, the rope tension at a sheave). Those bounds are first taken from the last step; each time
the problem is solved they are renewed from its solution, until they stand still. That problem may
have no solution or several, as dry friction has. Renewals may also go to and fro between two
guesses, each right for the bounds of the other; so the share of the way that the bounds go is
halved where ``PATIENT`` of them have not halved the error. A loop that does not end stops at its
limit with the solution for the last bounds, and says so: |z_r| of a friction row is then not quite
what the pressure allows, but friction between given bounds takes energy and never gives any.

*Wheels.* A rope that slips on a wheel has a bound that depends on its own impulse, nearly one to
one where it is wound round the wheel: renewals alone would take hundreds, and several wheels hand
their errors to and fro. But while no row changes its status, what a solution asks for is linear in
the bounds that it was found with; so ``cables/friction/mixing.py`` finds the bounds of m such rows
in m + 1 renewals. They are found to ``MIXED_TOLERANCE``: a small tension is what a bound leaves of
a large one.
"""

from math import inf

from cable_sim.kernels.cables.friction.mixing import mix_guesses
from cable_sim.kernels.cables.hybrid.segments import APPLIED, MISSED, MIXED, NEXT
from cable_sim.kernels.collision.cone import (
    NEARER,
    NEAREST,
    choose_share,
    count_own,
    renew_contacts,
    start_cones,
)
from cable_sim.kernels.collision.heaps import (
    DEMAND,
    ENOUGH,
    FEW,
    NOW,
    SETTLED,
    SWEEPS,
    accelerate,
    push,
    start_heap,
    sweep_contacts,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate
from cable_sim.kernels.multibody.envelope import assemble_matrix, lay_out_rows
from cable_sim.kernels.multibody.pivoting import (
    FREE,
    TOLERANCE,
    largest_magnitude,
    solve_bounded,
    start_status,
)
from cable_sim.kernels.multibody.sharing import share_loads
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import Bodies, BodyWork
from cable_sim.kernels.records.rows import SolverWork, Table
from cable_sim.kernels.status import NOT_CONVERGED, SOLVED

ROUNDS = 300
"""Most rounds between given bounds. A loop that is cut off there leaves no solution, and its
numbers may be huge."""
RENEWALS = 150
PATIENT = 20
"""Most renewals of the friction bounds in a step, and those that are to halve the error."""
SWEPT = 1e-5
"""Change of a speed, over the largest demand, at which sweeps over hard contacts end."""
LIMIT_TOLERANCE = 1e-5
"""Relative change of a friction bound that counts as standing still."""
MIXED_TOLERANCE = 1e-9
"""The same of a bound that is mixed of earlier ones."""


@kernel
def renew_limits(
    n: int, share: float, work: SolverWork, table_out: Table
) -> tuple[float, float, int]:
    """Renew the bounds of the friction rows from the present impulses.

    Returns the largest change, the largest bound, and the number of rows that opened. Bounds go the
    given share of the way; the change is that of all of it. Rows that open had no room before. They
    start free: a row that rests at its bound for no reason would stay there.
    """
    row_work_out = table_out.work
    change = 0.0
    most = 0.0
    opened = 0
    for k in range(n):
        r = work.active[k]
        begin = table_out.rows.limit_start[r]
        end = table_out.rows.limit_start[r + 1]
        if begin == end:
            continue
        limit = 0.0
        for q in range(begin, end):
            limit += (
                row_work_out.limit_factor[q] * table_out.state.impulse[table_out.rows.limit_row[q]]
            )
        limit = max(limit, 0.0)
        change = max(change, abs(limit - row_work_out.upper[r]))
        most = max(most, limit)
        if row_work_out.upper[r] == 0.0 and limit > 0.0:
            table_out.state.status[r] = FREE
            opened += 1
        if share < 1.0:
            limit = row_work_out.upper[r] + share * (limit - row_work_out.upper[r])
        row_work_out.lower[r] = -limit
        row_work_out.upper[r] = limit
    return change, most, opened


@kernel
def start_mixing(table: Table, work_out: SolverWork) -> None:
    """Begin with the present bounds of the rows whose bounds are mixed."""
    for i in range(table.rows.mixed.size):
        r = table.rows.mixed[i]
        work_out.mixing[i, APPLIED] = table.work.upper[r] if table.work.active[r] else 0.0
        work_out.mixing[0, MIXED] = -1.0


@kernel
def mix_bounds(begins: bool, table_out: Table, work_out: SolverWork) -> float:
    """Replace renewed bounds by mixed ones; return the largest relative change that was asked for.

    The bounds that the last solution asks for stand in ``lower`` and ``upper``. ``begins`` says
    that what is known of earlier bounds no longer holds.
    """
    rows = table_out.rows
    most = 0.0
    count = rows.mixed.size
    mixing = work_out.mixing
    for i in range(count):
        asked = table_out.work.upper[rows.mixed[i]] if table_out.work.active[rows.mixed[i]] else 0.0
        mixing[i, MISSED] = asked - mixing[i, APPLIED]
        most = max(most, abs(mixing[i, MISSED]) / max(asked, mixing[i, APPLIED], 1e-300))
    if most <= MIXED_TOLERANCE:
        return most
    if begins:
        mixing[0, MIXED] = -1.0
    mix_guesses(0, count, mixing)
    for i in range(count):
        mixing[i, APPLIED] = max(mixing[i, NEXT], 0.0)
        table_out.work.lower[rows.mixed[i]] = -mixing[i, APPLIED]
        table_out.work.upper[rows.mixed[i]] = mixing[i, APPLIED]
    return most


@kernel
def choose_renewal_share(
    touches: bool,
    renewal: int,
    change: float,
    drift: float,
    share: float,
    last: tuple[float, float],
) -> tuple[float, tuple[float, float]]:
    """Return the share of the change for the next renewals, and the last change and drift to know.

    The share is halved if the error was not. With contacts that is for ``cone.py`` to say.
    """
    if touches:
        return choose_share(renewal, change, drift, share, last)
    if renewal % PATIENT > 0:
        return share, last
    return share if change < 0.5 * last[0] else 0.5 * share, (change, drift)


@kernel
def start_bounds(n: int, own: int, table_out: Table, work_out: SolverWork) -> None:
    """Take the bounds of friction from the last impulses, and the status from the last step.

    ``own`` of the n active rows are no contacts.
    """
    renew_limits(own, 1.0, work_out, table_out)
    start_mixing(table_out, work_out)
    start_cones(own, n, table_out, work_out)
    start_status(n, table_out.work, work_out, table_out.state)


@kernel
def renew_bounds(
    n: int,
    own: int,
    share: float,
    nearness: float,
    begins: bool,
    table_out: Table,
    work_out: SolverWork,
) -> tuple[float, float, bool, bool]:
    """Renew all bounds of friction from the last solution, of which ``own`` rows are no contacts.

    ``nearness`` is that of ``cone.py``. Returns the largest change, as one of an impulse, or if
    there are contacts over what counts as nothing; the drift of contacts; True if the change is
    nothing; and True if the factor is another one.
    """
    change, limit, opened = renew_limits(own, share, work_out, table_out)
    missed = mix_bounds(begins, table_out, work_out)
    # the second: the bounds of a slack rope shrink without end
    least = max(
        LIMIT_TOLERANCE * limit,
        TOLERANCE * largest_magnitude(n, work_out.active, table_out.state.impulse),
    )
    settled = missed <= MIXED_TOLERANCE and change <= least
    if own == n:
        return change, 0.0, settled, opened > 0
    rubbed, drift, anew = renew_contacts(own, n, share, nearness, table_out, work_out)
    most = max(change / max(least, 1e-300), rubbed)
    return most, drift, settled and rubbed <= 1.0, opened > 0 or anew


@kernel
def solve_with_friction(
    n: int, has_limits: bool, table_out: Table, work_out: SolverWork
) -> tuple[int, int]:
    """Solve for all active rows, friction bounds included; returns (status flags, rounds)."""
    rounds = 0
    flags = SOLVED
    factored = False
    share = 1.0
    last = (inf, 0.0)
    own = count_own(n, table_out.rows.own[0], work_out.active)
    for renewal in range(RENEWALS):
        flag, taken = solve_bounded(n, ROUNDS, factored, table_out.work, work_out, table_out.state)
        rounds = rounds + taken
        flags = flags | flag
        factored = True
        if flag & NOT_CONVERGED or not has_limits:
            return flags, rounds
        if renewal == RENEWALS - 1:
            break  # the bounds stay those that are solved for
        nearness = NEAREST * NEARER**renewal
        change, drift, settled, anew = renew_bounds(
            n, own, share, nearness, taken > 1, table_out, work_out
        )
        if anew:
            start_status(n, table_out.work, work_out, table_out.state)
            factored = False
        share, last = choose_renewal_share(own < n, renewal, change, drift, share, last)
        if settled:
            return flags, rounds
    return flags | NOT_CONVERGED, rounds


@kernel
def solve_directly(
    n: int, has_limits: bool, table_out: Table, work_out: SolverWork
) -> tuple[int, int]:
    """Solve for all active rows, let rigid ropes share loads; returns (status flags, rounds)."""
    flags, rounds = solve_with_friction(n, has_limits, table_out, work_out)
    return flags | share_loads(n, table_out.work, work_out, table_out.state), rounds


@kernel
def solve_between(
    n: int, has_limits: bool, table_out: Table, work_out: SolverWork
) -> tuple[int, int]:
    """Solve for the n rows that are no contacts, amid what contacts of a heap do to velocities.

    Returns (status flags, rounds).
    """
    change = work_out.change[:, NOW]
    kept = work_out.response[:, DEMAND]
    for k in range(n):
        r = work_out.active[k]
        push(r, -table_out.state.impulse[r], table_out, work_out.answer, change)
    for k in range(n):
        r = work_out.active[k]
        kept[r] = table_out.work.demand[r]
        table_out.work.demand[r] -= row_rate(r, table_out.rows, table_out.work, change)
    flags, rounds = solve_directly(n, has_limits, table_out, work_out)
    for k in range(n):
        r = work_out.active[k]
        table_out.work.demand[r] = kept[r]
        push(r, table_out.state.impulse[r], table_out, work_out.answer, change)
    return flags, rounds


@kernel
def solve_heap(
    n: int,
    has_limits: bool,
    bodies: Bodies,
    body_work: BodyWork,
    enough: float,
    table_out: Table,
    work_out: SolverWork,
) -> tuple[int, int]:
    """Solve for n rows that are no contacts directly, and for a heap of contacts by sweeps.

    ``enough`` is the change of a speed, over the largest demand, at which many sweeps end; what is
    left of it stands in ``left``. Returns (status flags, rounds).
    """
    demand = start_heap(table_out, bodies, body_work, work_out)
    flags = SOLVED
    settled = False
    rounds = 0
    size = 0.0
    while not settled and rounds < SWEEPS:
        if rounds > 0:
            size = accelerate(size, table_out, work_out)
        if n > 0:
            flags, _ = solve_between(n, has_limits, table_out, work_out)
        most = sweep_contacts(table_out, work_out)
        work_out.left[0] = most / demand
        rounds += 1
        settled = most <= (SETTLED if rounds < FEW else enough) * demand
    for r in range(table_out.rows.own[0], table_out.work.used[0]):
        if table_out.work.active[r]:
            work_out.active[n], work_out.position[r] = r, n
            n += 1
    return flags if settled else flags | NOT_CONVERGED, rounds


@kernel
def settle_contacts(
    own: int,
    n: int,
    has_limits: bool,
    bodies: Bodies,
    body_work: BodyWork,
    table_out: Table,
    work_out: SolverWork,
) -> tuple[int, int]:
    """Sweep over contacts whose friction renewed bounds did not find; ``own`` of n rows are none.

    Sweeps that do not settle either may have given energy. Then the solution between the last
    bounds is taken, which never does. Returns (status flags, rounds).
    """
    flags, rounds = solve_heap(own, has_limits, bodies, body_work, SWEPT, table_out, work_out)
    if flags & NOT_CONVERGED:
        start_status(n, table_out.work, work_out, table_out.state)
        flag, taken = solve_bounded(n, ROUNDS, False, table_out.work, work_out, table_out.state)
        return flags | flag, rounds + taken
    return flags, rounds


@kernel
def clamp(
    n: int, active: Ints, row_lower: Floats, row_upper: Floats, row_impulse_out: Floats
) -> None:
    """Cut off the part of an impulse beyond its bounds that rounding left.

    A cable then never pushes. NaN stays NaN.
    """
    for k in range(n):
        r = active[k]
        if row_impulse_out[r] < row_lower[r]:
            row_impulse_out[r] = row_lower[r]
        elif row_impulse_out[r] > row_upper[r]:
            row_impulse_out[r] = row_upper[r]


@kernel
def solve_rows(
    bodies: Bodies, body_work: BodyWork, table_out: Table, work_out: SolverWork
) -> tuple[int, int]:
    """Solve for the impulses of all rows, zero for inactive ones; return (status flags, rounds)."""
    row_work = table_out.work
    is_heap = row_work.heap[0]
    end = table_out.rows.own[0] if is_heap else row_work.used[0]
    n = lay_out_rows(end, table_out, bodies, work_out)
    assemble_matrix(n, table_out, bodies, body_work, work_out)
    has_limits = False
    for r in range(row_work.used[0]):
        if not row_work.active[r]:
            table_out.state.impulse[r] = 0.0
            table_out.state.status[r] = FREE
        elif r < end:
            has_limits |= table_out.rows.limit_start[r] < table_out.rows.limit_start[r + 1]
    own = count_own(n, table_out.rows.own[0], work_out.active)
    start_bounds(n, own, table_out, work_out)
    if is_heap:
        flags, rounds = solve_heap(n, has_limits, bodies, body_work, ENOUGH, table_out, work_out)
    else:
        flags, rounds = solve_directly(n, has_limits, table_out, work_out)
        if flags & NOT_CONVERGED and own < n:
            flag, rounds = settle_contacts(
                own, n, has_limits, bodies, body_work, table_out, work_out
            )
            flags = flags & ~NOT_CONVERGED | flag
    clamp(n, work_out.active, row_work.lower, row_work.upper, table_out.state.impulse)
    return flags, rounds


@kernel
def save_impulses(table_out: Table) -> None:
    """Keep the impulses of the last step, which a step that fails must leave unchanged."""
    for r in range(table_out.work.used[0]):
        table_out.work.impulse_before[r] = table_out.state.impulse[r]
        table_out.work.status_before[r] = table_out.state.status[r]


@kernel
def restore_impulses(table_out: Table) -> None:
    """Restore the impulses that a failed step has changed."""
    for r in range(table_out.work.used[0]):
        table_out.state.impulse[r] = table_out.work.impulse_before[r]
        table_out.state.status[r] = table_out.work.status_before[r]
