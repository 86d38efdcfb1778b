"""Implicit ropes in the step of another engine, which knows nothing of them but a force.

*The engine* goes on by v+ = v + h M^-1 (f + J^T z), q+ = q + h v+, with its own forces f and the
ropes' unknowns z: the tension T of each rope and the friction F of its sheaves, with the rows J of
``lengths.py`` and -dS/dt = J_T v. A rope of unstretched length L that a winch pays out at u, strain
e = S - L, stiffness K = EA / L and damping c = gamma K has

    T = max(0, K x + c y),      x = e + a de+ - b de-,      y = (1 - g) de- + g de+,

de = -J_T v - u before the step (-) and behind it (+). With A = J M^-1 J^T, the acceleration a_f
without ropes, and impulses p = h z that is

    p / (h D) + (A p)_T = de_f + (K (e - b de-) + c (1 - g) de-) / D,     D = K a + c g,
    de_f = - J_T (v + h a_f) - u+,

a symmetric problem in as many unknowns as there are rows, p >= 0. Of a_f that of the last step
is taken: what the engine says less M^-1 J^T z, contacts, motors and all. It has the weight of a,
and is right where f does not change from step to step.

*Resolved* ropes, w = h sqrt(K A_TT) <= 1, have a = b = beta h. A load that hangs on one rope then
goes by e+ - 2 e + e- = -w^2 ((1 - 2 beta) e + beta (e+ + e-)), Newmark's step, with the velocities
of the engine in the middle of steps. It takes no energy, and turns by phi a step,

    4 sin^2(phi / 2) = w^2 (1 - 4 beta sin^2(phi / 2)),

so with beta = 1 / (4 sin^2(w / 2)) - 1 / w^2, near 1/12, the period is the true one, phi = w. It
is stable as (1/4 - beta) w^2 < 1, also for several ropes with w^2 = h^2 sum_j |A_ij| sqrt(K_i K_j),
which bounds their fastest oscillation (Gershgorin). The force of damping is that in the middle, g =
1/2, or a later one, g = 1 - 1 / (h c A_TT), so that it never rings.

*Unresolved* ropes, w > 1, have a = h, b = 0, g = 1: implicit Euler, which catches a load without a
bounce at any stiffness, and damps slower oscillations on the same rope, of omega, with the ratio
omega h / 2. To keep energy would not do here: with beta = 1/4 a rope that gets taut within a step
throws the load back with up to three times its speed. Below w = 1 such a catch errs by up to w^2
/ 4 of the energy, to either side.

*Friction* at node i, where the rope runs at r_i = J_i v+ - f_i u+, is elastic up to its bound,
which is kappa_i times the mean tension there (``node_law.py``). With F' for F of the last step

    r_i + sum_k C_ik (F_k - F'_k) / h = 0,      C_ik = (L / EA) f_k (1 - f_i),   k beyond i,

the compliance of the spans under differences of tension (``wheels.py``). So a hoist that stops
keeps the tensions that it stopped with. It is solved together with the tensions by
``kernels/multibody/solver.py``.

*Contacts of the engine* see the force of this step, the ropes see contacts of the last one. Where a
load stands, a_f holds the ground's force of a step ago. What T lacks of K e falls to the part h D A
/ (1 + h D A) of it each step: at once for w << 1, and within some w^2 steps for w >> 1.
"""

from math import sin, sqrt

from cable_sim.interchange.ropes.records import Ropes, World
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.pivoting import solve_bounded, start_status
from cable_sim.kernels.multibody.solver import (
    MIXED_TOLERANCE,
    RENEWALS,
    ROUNDS,
    clamp,
    mix_bounds,
    renew_limits,
    start_mixing,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.rows import SolverWork, Table
from cable_sim.kernels.status import NOT_CONVERGED, SOLVED

RESOLVED = 1.0
"""Largest omega h of a rope whose energy is kept [rad]: six steps a period."""
SHORTEST = 1e-3
"""Length that a winch leaves [m]."""
NOTHING = 1e-12
"""Impulse that counts as none [N s]."""
UNSETTLED = 1 << 40
"""Status flag beside those of ``kernels/status.py``: bounds of friction went on changing."""
SWIFT = 1 << 41
"""Status flag: a body swings across its rope faster than the engine's step follows."""
SERIES = 1e-2
"""Value of w^2 below which rounding would spoil the formula of beta, and its series is exact."""


@kernel
def exact_weight(square: float) -> float:
    """Return beta, with which an oscillation of w^2 = (omega h)^2 has its own period [-]."""
    if square < SERIES:
        return 1.0 / 12.0 + square / 240.0 + square * square / 6048.0
    half = sin(0.5 * sqrt(square))
    return 0.25 / (half * half) - 1.0 / square


@kernel
def product(a: Floats, b: Floats) -> float:
    """Scalar product."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel
def take_free(acceleration: Floats, ropes_out: Ropes) -> None:
    """Take the part of the ropes out of the last acceleration (v,)."""
    for i in range(acceleration.size):
        ropes_out.free[i] = acceleration[i]
    for r in range(ropes_out.tension.size):
        for i in range(acceleration.size):
            ropes_out.free[i] -= ropes_out.response[r, i] * ropes_out.tension[r]


@kernel
def couple_rows(ropes_out: Ropes) -> None:
    """Fill A."""
    for r in range(ropes_out.tension.size):
        for q in range(r + 1):
            ropes_out.matrix[r, q] = product(ropes_out.jacobian[r], ropes_out.response[q])
            ropes_out.matrix[q, r] = ropes_out.matrix[r, q]


@kernel
def fastest(c: int, ropes: Ropes) -> float:
    """Return a bound of the square of the fastest oscillation that rope c takes part in [1/s^2]."""
    total = 0.0
    own = ropes.ea[c] / ropes.length[c]
    for other in range(ropes.ea.size):
        entry = ropes.matrix[ropes.row_start[c], ropes.row_start[other]]
        total += abs(entry) * sqrt(own * ropes.ea[other] / ropes.length[other])
    return total


@kernel
def damping_time(c: int, square: float, ropes_out: Ropes) -> float:
    """Return gamma of rope c [s], at its first step from its ratio; ``square`` is omega^2."""
    ratio = -ropes_out.damping_time[c]
    if ratio > 0.0:
        ropes_out.damping_time[c] = 2.0 * ratio / sqrt(square) if square > 0.0 else 0.0
    return ropes_out.damping_time[c]


@kernel
def turn_winches(h: float, ropes_out: Ropes) -> None:
    """Change the speeds of winches towards their commands."""
    for i in range(ropes_out.rate.size):
        ropes_out.rate_before[i] = ropes_out.rate[i]
        most = h * ropes_out.ramp[i]
        ropes_out.rate[i] += min(max(ropes_out.command[i] - ropes_out.rate[i], -most), most)


@kernel
def pay_out(h: float, ropes_out: Ropes) -> None:
    """Let winches pay out rope for a time [s]."""
    for c in range(ropes_out.ea.size):
        if ropes_out.rate[c] != 0.0:
            ropes_out.length[c] = max(ropes_out.length[c] + h * ropes_out.rate[c], SHORTEST)


@kernel
def fill_tension(c: int, w: World, ropes_out: Ropes, table_out: Table) -> float:
    """Fill the demand of the tension of rope c; return what it adds to the diagonal."""
    r = ropes_out.row_start[c]
    h = w.time[0]
    k = ropes_out.ea[c] / ropes_out.length[c]
    square = fastest(c, ropes_out)
    damping = k * damping_time(c, square, ropes_out)
    square *= h * h
    ropes_out.resolved[c] = square <= RESOLVED * RESOLVED
    speed = -product(ropes_out.jacobian[r], w.velocity)
    before = speed - ropes_out.rate_before[c]
    free = speed - ropes_out.rate[c]
    free -= h * product(ropes_out.jacobian[r], ropes_out.free)
    ahead, behind, late = h, 0.0, 1.0
    if ropes_out.resolved[c]:
        ahead = behind = h * exact_weight(square)
        late = max(0.5, 1.0 - 1.0 / max(h * damping * ropes_out.matrix[r, r], 1e-300))
    d = k * ahead + damping * late
    strain = ropes_out.path[c] - ropes_out.length[c]
    known = k * (strain - behind * before) + damping * (1.0 - late) * before
    table_out.work.demand[r] = free + known / d
    return 1.0 / (h * d)


@kernel
def fill_friction(r: int, c: int, w: World, table_out: Table, matrix_out: Floats) -> None:
    """Fill the row r of friction of rope c, and the factors of its bound.

    ``matrix_out`` is its row of the problem.
    """
    ropes = w.ropes
    h = w.time[0]
    k = ropes.row_node[r]
    demand = ropes.share[k] * ropes.rate[c]
    demand -= product(ropes.jacobian[r], w.velocity) + h * product(ropes.jacobian[r], ropes.free)
    softness = ropes.length[c] / (ropes.ea[c] * h * h)
    q = table_out.rows.limit_start[r]
    table_out.work.limit_factor[q] = ropes.loss[k]
    for other in range(ropes.row_start[c] + 1, ropes.row_start[c + 1]):
        j = ropes.row_node[other]
        shared = softness * ropes.share[max(j, k)] * (1.0 - ropes.share[min(j, k)])
        demand += shared * h * ropes.tension[other]
        if other <= r:
            matrix_out[other] += shared
        beyond = 1.0 if k > j else (0.5 if k == j else 0.0)
        q += 1
        table_out.work.limit_factor[q] = ropes.loss[k] * (beyond - ropes.share[j])
    table_out.work.demand[r] = demand


@kernel
def fill_problem(w: World, ropes_out: Ropes, table_out: Table, solver_out: SolverWork) -> None:
    """Fill the symmetric problem of all rows."""
    for c in range(ropes_out.ea.size):
        for r in range(ropes_out.row_start[c], ropes_out.row_start[c + 1]):
            row = solver_out.matrix[solver_out.start[r] : solver_out.start[r + 1]]
            for q in range(r + 1):
                row[q] = ropes_out.matrix[r, q]
            if ropes_out.row_node[r] < 0:
                row[r] += fill_tension(c, w, ropes_out, table_out)
            else:
                fill_friction(r, c, w, table_out, row)


@kernel
def solve_rows(n: int, table_out: Table, work_out: SolverWork) -> int:
    """Solve for all rows, with bounds of friction that stand still; return flags of the status.

    UNSETTLED is the solution for the last bounds, which may not be quite those of its tensions. It
    is the loop of ``kernels/multibody/solver.py`` for rows of ropes alone, which compiles fast.
    """
    renew_limits(n, 1.0, work_out, table_out)
    start_mixing(table_out, work_out)
    start_status(n, table_out.work, work_out, table_out.state)
    factored = False
    flags = SOLVED
    most = 0.0
    for _ in range(RENEWALS):
        flags, taken = solve_bounded(n, ROUNDS, factored, table_out.work, work_out, table_out.state)
        if flags & NOT_CONVERGED or table_out.rows.mixed.size == 0:
            return flags
        change, limit, opened = renew_limits(n, 1.0, work_out, table_out)
        mix_bounds(taken > 1, table_out, work_out)
        most = max(most, limit)
        factored = opened == 0
        if not factored:
            start_status(n, table_out.work, work_out, table_out.state)
        elif change <= max(MIXED_TOLERANCE * most, NOTHING):
            return flags
    return flags | UNSETTLED


@kernel
def pull(h: float, w: World, ropes_out: Ropes, force_out: Floats) -> None:
    """Take the tensions from impulses, and add their generalised forces (v,)."""
    for r in range(ropes_out.tension.size):
        ropes_out.tension[r] = w.table.state.impulse[r] / h
        for i in range(force_out.size):
            force_out[i] += ropes_out.jacobian[r, i] * ropes_out.tension[r]


@kernel
def find_swift(h: float, w: World) -> int:
    """Return SWIFT if h^2 T m / l > 2 for a span with the mobility m of its ends across it.

    That swing is the engine's own, explicit: with two such spans it is unstable.
    """
    for c in range(w.ropes.ea.size):
        tension = w.ropes.tension[w.ropes.row_start[c]]
        for k in range(w.ropes.node_start[c], w.ropes.node_start[c + 1] - 1):
            mobility = w.ropes.mobility[k] + w.ropes.mobility[k + 1]
            if h * h * tension * mobility > 2.0 * w.paths.span_work.length[k]:
                return SWIFT
    return 0


@kernel
def pull_implicitly(world_out: World) -> int:
    """Find tensions and friction, and add their force; return flags of ``kernels/status.py``."""
    w = world_out
    h = w.time[0]
    n = w.ropes.tension.size
    pay_out(h, w.ropes)  # by the speeds of the step before: as far as the pose
    turn_winches(h, w.ropes)
    fill_problem(w, w.ropes, w.table, w.solver)
    flags = solve_rows(n, w.table, w.solver)
    clamp(n, w.solver.active, w.table.work.lower, w.table.work.upper, w.table.state.impulse)
    pull(h, w, w.ropes, w.force)
    return flags | find_swift(h, w)


@kernel
def pull_explicitly(world_out: World) -> None:
    """Take the tensions of the pose and the velocities, and add their force.

    The engine's step is stable with (omega h)^2 (1 + 2 gamma / h) < 4.
    """
    w = world_out
    ropes = w.ropes
    if w.time[1] > 0.0:
        turn_winches(w.time[1], ropes)
        pay_out(w.time[1], ropes)
    for c in range(ropes.ea.size):
        r = ropes.row_start[c]
        square = fastest(c, ropes)
        late = damping_time(c, square, ropes)
        ropes.longest[c] = sqrt(late * late + 4.0 / max(square, 1e-300)) - late
        speed = -product(ropes.jacobian[r], w.velocity) - ropes.rate[c]
        strain = ropes.path[c] - ropes.length[c] + late * speed
        w.table.state.impulse[r] = w.time[0] * max(ropes.ea[c] / ropes.length[c] * strain, 0.0)
    pull(w.time[0], w, ropes, w.force)
