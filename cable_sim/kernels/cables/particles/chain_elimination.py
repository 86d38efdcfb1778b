"""Elimination of the rows of a multibody chain (``chain.py``) but those of its attached ends.

Row k has the diagonal w_k + w_{k+1} + sigma_k, o_k to row k - 1, and the right side y_k. Rows are
eliminated from both ends to one in the middle: each waits for the division of the one before it,
and two that do not wait for each other take the time of one. From the first end on a row passes on
to the next one and, by its fill q, to the first row, if that is kept; from the last end the same
goes backwards, with o_{k+1} in the place of o_k:

    f_k = o_k / D_{k-1},   D_k = diagonal_k - f_k o_k,   y_k -= f_k y_{k-1},   q_k = -f_k q_{k-1};
    sigma_1 -= q_k^2 / D_k,   y_1 -= q_k y_k / D_k

with q = o, f = 0 in the row after a kept one: in terms of y / D and q / D, which are what is
stored, a kept row has 1 / D = 0, y / D = 0 and q / D = -1. The row in the middle takes from both
sides. Its fills q and p from the first and the last row couple these: kappa = -q p / D. Where it is
a kept row itself, of two segments or one, its D is its sigma, and its q is kappa. What the outside
has to solve is

    d_1 . v_b+  + sigma_1 lambda_1 + kappa lambda_2 = y_1,
    -d_2 . v_c+ + kappa lambda_1 + sigma_2 lambda_2 = y_2,

a 2 x 2 matrix that is positive definite on its own unless the chain is rigid and straight; the
outside adds its own J_b M_b^-1 J_b^T. An end that is moved with a given velocity has M_b^-1 = 0:
:func:`solve_end_rows`. Then, from the middle to the ends,

    lambda_m = (y_m - q_m lambda_1 - p_m lambda_2) / D_m,
    lambda_k = (y_k - q_k lambda_1 - o_{k+1} lambda_{k+1}) / D_k.

A rope of one segment between two attached ends has one row for both: the first; its second is
switched off. A segment that takes no part (``slack_segments.py``) has lambda = 0, 1 / D = 0 and
y / D = q / D = 0.
"""

from cable_sim.kernels.cables.particles.slack_segments import CAUGHT, pulls
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import dot, load
from cable_sim.kernels.records.arrays import Flags
from cable_sim.kernels.records.ropes import Ropes, RopeWork
from cable_sim.kernels.status import LOST_PIVOT, SOLVED

TINY = 1e-200
"""Fill below which it is taken as zero. Numbers near the smallest are slow, and no sum notices
them."""
SINGULAR = 1e-13
"""Least determinant, as a part of the product of the end rows' softness. A smaller one is
rounding."""
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Parts of a row before the first one."""


@kernel
def eliminate_row(
    diagonal: float,
    demand: float,
    coupling: float,
    before: tuple[float, float, float, float, float],
) -> tuple[float, float, float, float, float]:
    """Eliminate a row; return 1 / D, y / D, q / D, and sigma and y of its end's row.

    ``before`` has those of the row before it, to which it has the ``coupling``.
    """
    pivot, solved, fill, end_softness, end_demand = before
    pivot = 1.0 / (diagonal - coupling * coupling * pivot)
    solved = pivot * (demand - coupling * solved)
    fill = -coupling * fill
    fill = 0.0 if abs(fill) < TINY else fill
    end_softness -= fill * fill * pivot
    return pivot, solved, fill * pivot, end_softness, end_demand - fill * solved


@kernel
def diagonal_of(k: int, work: RopeWork) -> float:
    """Return w_k + w_{k+1} + sigma_k of segment k [1/kg]."""
    if work.segment_state[k] == CAUGHT:
        return work.segment_catch[k, 0]
    return work.segment_diagonal[k]


@kernel
def take_row(
    k: int, slot: int, before: tuple[float, float, float, float, float], work_out: RopeWork
) -> tuple[float, float, float, float, float]:
    """Eliminate row k, whose coupling to the row before it is in ``slot``; return its parts."""
    coupling = work_out.segment_share[slot]
    work_out.segment_share[slot] = coupling * before[0]
    if pulls(k, work_out):
        after = eliminate_row(
            diagonal_of(k, work_out), work_out.segment_demand[k], coupling, before
        )
    else:
        work_out.segment_share[slot] = 0.0
        after = (0.0, 0.0, 0.0, before[3], before[4])
    work_out.segment_demand[k] = after[1]
    work_out.segment_fill[k] = after[2]
    return after


@kernel
def take_end(k: int, kept: bool, work_out: RopeWork) -> tuple[float, float, float, float, float]:
    """Eliminate the row of an end, or keep it; return its parts."""
    diagonal = diagonal_of(k, work_out)
    demand = work_out.segment_demand[k]
    if not pulls(k, work_out):
        after = NOTHING
    elif kept:
        after = (0.0, 0.0, -1.0, diagonal, demand)
    else:
        after = eliminate_row(diagonal, demand, 0.0, NOTHING)
    work_out.segment_demand[k] = after[1]
    work_out.segment_fill[k] = after[2]
    return after


@kernel
def eliminate_halves(
    begin: int, middle: int, last: int, attached: Flags, work_out: RopeWork
) -> tuple[tuple[float, float, float, float, float], tuple[float, float, float, float, float]]:
    """Eliminate the rows on both sides of ``middle``; return the parts of both neighbours.

    Both sides go on together, because a row waits for the division of the one before it.
    """
    near = take_end(begin, attached[0], work_out) if begin < middle else NOTHING
    far = take_end(last, attached[1], work_out) if last > middle else NOTHING
    for j in range(1, middle - begin):
        near = take_row(begin + j, begin + j, near, work_out)
        if last - j > middle:
            far = take_row(last - j, last - j + 1, far, work_out)
    return near, far


@kernel
def join_halves(
    r: int,
    middle: int,
    near: tuple[float, float, float, float, float],
    far: tuple[float, float, float, float, float],
    ropes: Ropes,
    work_out: RopeWork,
) -> None:
    """Eliminate the middle row of rope r, unless it is an end's, and fill the rows of the ends.

    ``near`` and ``far`` are the parts of its neighbours.
    """
    last = ropes.start[r + 1] - 2
    before = work_out.segment_share[middle]
    after = work_out.segment_share[middle + 1] if middle < last else 0.0
    if not pulls(middle, work_out):
        before = 0.0
        after = 0.0
    work_out.segment_share[middle] = before * near[0]
    work_out.segment_share[middle + 1] = after * far[0]
    diagonal = diagonal_of(middle, work_out) - before * before * near[0] - after * after * far[0]
    demand = work_out.segment_demand[middle] - before * near[1] - after * far[1]
    fill = (-before * near[2], -after * far[2])
    work_out.end_softness[r, 0], work_out.end_demand[r, 0] = near[3], near[4]
    work_out.end_softness[r, 1], work_out.end_demand[r, 1] = far[3], far[4]
    e = own_end(r, middle, ropes)
    if e >= 0 and pulls(middle, work_out):
        work_out.end_softness[r, e] = diagonal
        work_out.end_demand[r, e] = demand
        work_out.end_coupling[r] = fill[1 - e]
        work_out.segment_demand[middle] = 0.0
        work_out.middle_fill[r, 1 - e] = 0.0
        work_out.middle_fill[r, e] = -1.0
        return
    pivot = 1.0 / diagonal if pulls(middle, work_out) else 0.0
    work_out.end_coupling[r] = -fill[0] * fill[1] * pivot
    work_out.segment_demand[middle] = demand * pivot
    for e in range(2):
        work_out.middle_fill[r, e] = fill[e] * pivot
        work_out.end_softness[r, e] -= fill[e] * fill[e] * pivot
        work_out.end_demand[r, e] -= fill[e] * demand * pivot


@kernel
def own_end(r: int, k: int, ropes: Ropes) -> int:
    """Return the attached end whose row is that of segment k, -1 if it is that of neither."""
    if k == ropes.start[r] and ropes.attached[r, 0]:
        return 0
    return 1 if k == ropes.start[r + 1] - 2 and ropes.attached[r, 1] else -1


@kernel
def middle_segment(begin: int, end: int) -> int:
    """Return the segment at which both halves of a rope's particles ``begin`` to ``end`` - 1
    meet."""
    return begin + (end - begin - 1) // 2


@kernel
def solve_two_rows(
    softness_1: float, softness_2: float, coupling: float, demand_1: float, demand_2: float
) -> tuple[float, float, int]:
    """Solve two coupled rows; return their impulses, and a flag that tells whether that worked."""
    determinant = softness_1 * softness_2 - coupling * coupling
    if determinant <= SINGULAR * softness_1 * softness_2:
        return 0.0, 0.0, LOST_PIVOT
    first = (demand_1 * softness_2 - coupling * demand_2) / determinant
    return first, (demand_2 * softness_1 - coupling * demand_1) / determinant, SOLVED


@kernel
def solve_end_rows(ropes: Ropes, work_out: RopeWork) -> int:
    """Find the impulses of end rows [N s] for ends with given velocities; return status flags."""
    flags = SOLVED
    for r in range(ropes.start.size - 1):
        first = load(work_out.segment_direction, ropes.start[r])
        last = load(work_out.segment_direction, ropes.start[r + 1] - 2)
        near = load(work_out.end_velocity[r], 0)
        far = load(work_out.end_velocity[r], 1)
        demand_1 = 0.0
        demand_2 = 0.0
        softness_1 = 1.0
        softness_2 = 1.0
        if work_out.end_active[r, 0]:
            softness_1 = work_out.end_softness[r, 0]
            demand_1 = work_out.end_demand[r, 0] - dot(first, near)
        if work_out.end_active[r, 1]:
            softness_2 = work_out.end_softness[r, 1]
            demand_2 = work_out.end_demand[r, 1] + dot(last, far)
        elif ropes.start[r + 1] - ropes.start[r] == 2 and work_out.end_active[r, 0]:
            demand_1 += dot(first, far) if ropes.attached[r, 1] else 0.0
        both = work_out.end_active[r, 0] and work_out.end_active[r, 1]
        coupling = work_out.end_coupling[r] if both else 0.0
        work_out.end_impulse[r, 0], work_out.end_impulse[r, 1], flag = solve_two_rows(
            softness_1, softness_2, coupling, demand_1, demand_2
        )
        flags |= flag
    return flags


@kernel
def solve_segments(first: int, ropes: Ropes, work_out: RopeWork) -> None:
    """Find the impulses of all segments [N s] from those of the end rows.

    An end that is not attached takes no part.
    """
    for r in range(first, ropes.start.size - 1):
        begin = ropes.start[r]
        last = ropes.start[r + 1] - 2
        middle = middle_segment(begin, last + 2)
        near = work_out.end_impulse[r, 0] if ropes.attached[r, 0] else 0.0
        far = work_out.end_impulse[r, 1] if ropes.attached[r, 1] else 0.0
        before = work_out.segment_demand[middle]
        before -= work_out.middle_fill[r, 0] * near + work_out.middle_fill[r, 1] * far
        after = before
        work_out.segment_impulse[middle] = before
        for j in range(1, middle - begin + 1):
            k = middle - j
            before = (
                work_out.segment_demand[k]
                - work_out.segment_fill[k] * near
                - work_out.segment_share[k + 1] * before
            )
            work_out.segment_impulse[k] = before
            k = middle + j
            if k <= last:
                after = (
                    work_out.segment_demand[k]
                    - work_out.segment_fill[k] * far
                    - work_out.segment_share[k] * after
                )
                work_out.segment_impulse[k] = after
        work_out.segment_impulse[last + 1] = 0.0
