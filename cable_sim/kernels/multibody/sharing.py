"""Loads that several ropes share which cannot stretch, such as four slings on one hook.

Rigid rows that repeat each other have no unique impulses: with lambda, lambda + n solves S lambda =
b as well for every n of S n = 0. Ropes of one kind share a load by their stretch, however small it
is: with EA alike, the sum of L_r T_r^2 is least. Hence rows of rigid ropes get a trace of softness

    sigma_r = kappa L_r,

kappa the same for all ropes that hang together (``model/sharing.py``). It chooses which ropes pull,
too. But it makes a load sink by Sigma lambda a step, until the gaps are those of ropes of this
softness. And what rounding leaves of gaps that cannot be met together, b n, is pulled on with b n /
n Sigma n. So, between the bounds that were found,

    (S + Sigma) x_1 = b,     (S + Sigma) x_{j+1} = Sigma x_j,
    lambda = x_1 + ... + x_k - k x_{k+1}.

Let Sigma^-1 S have the eigenvalue mu, and d be that part of Sigma^-1 b. Then x_j = d / (1 +
mu)^j, and that part of lambda is

    d / mu (1 - (1 + mu)^-k) - k d / (1 + mu)^(k+1).

Of mu = 0, rows that repeat each other, it is k d - k d = 0: no impulse for what they contradict
each other, and L_r T_r has no part of n. Elsewhere it is d / mu, the solution without softness, but
for (k + 1) mu^-k of it. x_j stands still once that is nothing.

What no impulse satisfies is left of the rows, S lambda - b = -Sigma x_k. Where that is more than
rounding, the rows contradict each other.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.envelope import solve
from cable_sim.kernels.multibody.pivoting import TOLERANCE, largest_magnitude
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.rows import RowState, RowWork, SolverWork
from cable_sim.kernels.status import LOST_PIVOT, SOLVED

PASSES = 8
"""Most solutions after the first. Two to four do, unless what hangs together differs by a million
in mass."""
CONTRADICTS = 1e-4
"""Part of the largest demand that is left of rows that contradict each other."""


@kernel
def fill_yields(n: int, row_work: RowWork, part: Floats, work_out: SolverWork) -> float:
    """Set the right side Sigma x; return its largest magnitude [m/s]."""
    most = 0.0
    for k in range(n):
        work_out.solution[k] = row_work.sharing[work_out.active[k]] * part[k]
        most = max(most, abs(work_out.solution[k]))
    return most


@kernel
def share_loads(n: int, row_work: RowWork, work_out: SolverWork, state_out: RowState) -> int:
    """Take the softness of rigid ropes out of a solution, but for the choice of it.

    The factor is that of the free rows. Returns LOST_PIVOT if rows contradict each other.
    """
    part = work_out.gathered
    for k in range(n):
        part[k] = state_out.impulse[work_out.active[k]] if work_out.free[k] else 0.0
    left = fill_yields(n, row_work, part, work_out)
    if left == 0.0:
        return SOLVED
    least = TOLERANCE * largest_magnitude(n, work_out.active, state_out.impulse)
    for passed in range(1, PASSES + 1):
        solve(n, work_out)
        change = 0.0
        for k in range(n):
            change = max(change, abs(work_out.solution[k] - part[k]))
            part[k] = work_out.solution[k]
        is_last = change <= least or passed == PASSES
        for k in range(n):
            state_out.impulse[work_out.active[k]] += -passed * part[k] if is_last else part[k]
        left = fill_yields(n, row_work, part, work_out)
        if is_last:
            break
    demand = largest_magnitude(n, work_out.active, row_work.demand)
    return LOST_PIVOT if left > CONTRADICTS * demand else SOLVED
