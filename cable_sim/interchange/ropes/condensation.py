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

*Resolved* ropes, omega^2 = K A_TT, z = omega h <= 1, have a = b = beta h. On a load that hangs on
one rope the step is x+ - 2 x + x- = -z^2 ((1 - 2 beta) x + beta (x+ + x-)), Newmark's, with the
velocities of the engine in the middle of steps. It takes no energy, and x turns by phi a step,

    4 sin^2(phi / 2) = z^2 (1 - 4 beta sin^2(phi / 2)),

so with beta = 1 / (4 sin^2(z / 2)) - 1 / z^2, near 1/12, the period is the true one, phi = z. The
step is stable: K J^T (1/4 - beta) J h^2 < M, as (1/4 - beta) z^2 < 1, also for several ropes with
z^2 = h^2 sum_j |A_ij| sqrt(K_i K_j), which bounds their fastest oscillation (Gershgorin). The force
of damping is in the middle, g = 1/2, or behind, g = 1 - 1 / (h c A_TT), so that it never rings.

*Unresolved* ropes, z > 1, have a = h, b = 0, g = 1: implicit Euler, which catches a load without a
bounce at any stiffness, and damps oscillations of omega h << 1 on such a rope with the ratio omega
h / 2. Kept energy would not do: a rope that gets taut within a step throws the load back, with
up to three times its speed for z >> 1, and neutral on the average below 1.

*Friction* of node i: w_i = J_i v+ - f_i u+ = 0, unless |F_i| is at its bound kappa_i times the mean
tension there, kappa of ``node_law.py``. It is solved with the tensions by
``kernels/multibody/solver.py``.

*Contacts of the engine* see the force of this step, the ropes see contacts of the last one. Where a
load stands, a_f holds the ground's force of a step ago, and T goes to K e by D A / (1/h + D A) a
step: at once for z << 1, and in z^2 steps for z >> 1.
"""

from math import sin, sqrt

from cable_sim.interchange.ropes.records import Ropes, Winches, World
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.envelope import SLIP
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
from cable_sim.kernels.status import NOT_CONVERGED

RESOLVED = 1.0
"""Largest omega h of a rope whose energy is kept [rad]: six steps a period."""
SHORTEST = 1e-3
"""Length that a winch leaves [m]."""
SERIES = 1e-2
"""Below it, z^2 makes rounding of the formula of beta, and its series is exact."""


@kernel
def exact_weight(square: float) -> float:
    """Return beta, with which an oscillation of z^2 = (omega h)^2 has its own period [-]."""
    if square < SERIES:
        return 1.0 / 12.0 + square / 240.0 + square * square / 6048.0
    half = sin(0.5 * sqrt(square))
    return 0.25 / (half * half) - 1.0 / square


@kernel
def spring(c: int, ropes: Ropes) -> float:
    """Return the spring constant of rope c [N/m]."""
    return ropes.spring[c] + ropes.stiffness[c] / ropes.length[c]


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
        total = acceleration[i]
        for r in range(ropes_out.tension.size):
            total -= ropes_out.response[r, i] * ropes_out.tension[r]
        ropes_out.free[i] = total


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
    own = spring(c, ropes)
    for other in range(ropes.winch.size):
        entry = ropes.matrix[ropes.row_start[c], ropes.row_start[other]]
        total += abs(entry) * sqrt(own * spring(other, ropes))
    return total


@kernel
def turn_winches(h: float, winches_out: Winches) -> None:
    """Change the speeds of winches towards their commands."""
    for i in range(winches_out.rate.size):
        winches_out.before[i] = winches_out.rate[i]
        most = h * winches_out.ramp[i]
        change = winches_out.command[i] - winches_out.rate[i]
        winches_out.rate[i] += min(max(change, -most), most)


@kernel
def damping_time(c: int, square: float, ropes_out: Ropes) -> float:
    """Return gamma of rope c [s], at its first step from its ratio; ``square`` is omega^2."""
    ratio = -ropes_out.damping_time[c]
    if ratio > 0.0:
        ropes_out.damping_time[c] = 2.0 * ratio / sqrt(square) if square > 0.0 else 0.0
    return ropes_out.damping_time[c]


@kernel
def winch_rate(c: int, rate: Floats, ropes: Ropes) -> float:
    """Return the speed at which rope c is paid out, of speeds of winches [m/s]."""
    return rate[ropes.winch[c]] if ropes.winch[c] >= 0 else 0.0


@kernel
def pay_out(h: float, winches: Winches, ropes_out: Ropes) -> None:
    """Let winches pay out rope for a time [s]."""
    for c in range(ropes_out.winch.size):
        if ropes_out.winch[c] >= 0:
            length = ropes_out.length[c] + h * winch_rate(c, winches.rate, ropes_out)
            ropes_out.length[c] = max(length, SHORTEST)


@kernel
def fill_tension(c: int, world_out: World) -> None:
    """Fill the row of the tension of rope c."""
    w = world_out
    ropes = w.ropes
    r = ropes.row_start[c]
    h = w.step[0]
    k = spring(c, ropes)
    square = fastest(c, ropes)
    damping = k * damping_time(c, square, ropes)
    square *= h * h
    ropes.resolved[c] = square <= RESOLVED * RESOLVED
    before = -product(ropes.jacobian[r], w.motion.velocity)
    free = before - h * product(ropes.jacobian[r], ropes.free)
    free -= winch_rate(c, w.winches.rate, ropes)
    before -= winch_rate(c, w.winches.before, ropes)
    ahead, behind, late = h, 0.0, 1.0
    if ropes.resolved[c]:
        ahead = behind = h * exact_weight(square)
        late = max(0.5, 1.0 - 1.0 / max(h * damping * ropes.matrix[r, r], 1e-300))
    d = k * ahead + damping * late
    strain = ropes.path[c] - ropes.length[c]
    known = k * (strain - behind * before) + damping * (1.0 - late) * before
    w.table.work.demand[r] = free + known / d
    w.solver.matrix[w.solver.start[r] + r] += 1.0 / (h * d)


@kernel
def fill_friction(r: int, c: int, world_out: World) -> None:
    """Fill the row r of friction of rope c, and the factors of its bound."""
    w = world_out
    ropes = w.ropes
    k = ropes.row_node[r]
    speed = product(ropes.jacobian[r], w.motion.velocity)
    speed += w.step[0] * product(ropes.jacobian[r], ropes.free)
    w.table.work.demand[r] = ropes.share[k] * winch_rate(c, w.winches.rate, ropes) - speed
    w.solver.matrix[w.solver.start[r] + r] += SLIP * ropes.matrix[r, r]
    q = w.table.rows.limit_start[r]
    w.table.work.limit_factor[q] = ropes.loss[k]
    for other in range(ropes.row_start[c] + 1, ropes.row_start[c + 1]):
        j = ropes.row_node[other]
        beyond = 1.0 if k > j else (0.5 if k == j else 0.0)
        q += 1
        w.table.work.limit_factor[q] = ropes.loss[k] * (beyond - ropes.share[j])


@kernel
def solve_rows(n: int, table_out: Table, work_out: SolverWork) -> int:
    """Solve for all rows, with bounds of friction that stand still; return flags of the status.

    It is the loop of ``kernels/multibody/solver.py`` for rows of ropes alone, which compiles fast.
    """
    renew_limits(n, 1.0, work_out, table_out)
    start_mixing(table_out, work_out)
    start_status(n, table_out.work, work_out, table_out.state)
    factored = False
    for _ in range(RENEWALS):
        flags, taken = solve_bounded(n, ROUNDS, factored, table_out.work, work_out, table_out.state)
        if flags & NOT_CONVERGED or table_out.rows.mixed.size == 0:
            return flags
        _, _, opened = renew_limits(n, 1.0, work_out, table_out)
        missed = mix_bounds(taken > 1, table_out, work_out)
        factored = opened == 0
        if not factored:
            start_status(n, table_out.work, work_out, table_out.state)
        elif missed <= MIXED_TOLERANCE:
            return flags
    return NOT_CONVERGED


@kernel
def pull(world_out: World) -> None:
    """Take the tensions from the impulses, and add their generalised forces."""
    w = world_out
    for r in range(w.ropes.tension.size):
        w.ropes.tension[r] = w.table.state.impulse[r] / w.step[0]
        for i in range(w.motion.force.size):
            w.motion.force[i] += w.ropes.jacobian[r, i] * w.ropes.tension[r]


@kernel
def solve_ropes(world_out: World) -> int:
    """Find tensions and friction, and add their force; return flags of ``kernels/status.py``."""
    w = world_out
    ropes = w.ropes
    h = w.step[0]
    n = ropes.tension.size
    couple_rows(ropes)
    for r in range(n):
        for q in range(r + 1):
            w.solver.matrix[w.solver.start[r] + q] = ropes.matrix[r, q]
    turn_winches(h, w.winches)
    for c in range(ropes.winch.size):
        fill_tension(c, w)
        for r in range(ropes.row_start[c] + 1, ropes.row_start[c + 1]):
            fill_friction(r, c, w)
    flags = solve_rows(n, w.table, w.solver)
    clamp(n, w.solver.active, w.table.work.lower, w.table.work.upper, w.table.state.impulse)
    pull(w)
    pay_out(h, w.winches, ropes)
    return flags


@kernel
def pull_explicitly(world_out: World) -> None:
    """Take the tensions of the pose and the velocities, and add their force.

    The engine's step is stable with (omega h)^2 (1 + 2 gamma / h) < 4.
    """
    w = world_out
    ropes = w.ropes
    if w.step[1] > 0.0:
        turn_winches(w.step[1], w.winches)
        pay_out(w.step[1], w.winches, ropes)
    for c in range(ropes.winch.size):
        r = ropes.row_start[c]
        square = fastest(c, ropes)
        late = damping_time(c, square, ropes)
        ropes.longest[c] = sqrt(late * late + 4.0 / max(square, 1e-300)) - late
        speed = -product(ropes.jacobian[r], w.motion.velocity)
        speed -= winch_rate(c, w.winches.rate, ropes)
        force = spring(c, ropes) * (ropes.path[c] - ropes.length[c] + late * speed)
        w.table.state.impulse[r] = w.step[0] * max(force, 0.0)
    pull(w)
