"""The direct solver against scipy's bounded least squares, which solves the same problem another
way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from cable_sim.kernels.multibody import envelope, pivoting, solver
from cable_sim.kernels.multibody.rows import SPOOK
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.rows import Rows, RowState, RowWork, SolverWork, Table
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED, SOLVED


def random_problem(random: np.random.Generator, n: int, band: int):
    """A banded positive definite matrix, demands, and bounds of which some are infinite and some
    equal."""
    lower = np.tril(np.triu(random.normal(size=(n, n)), -band))
    matrix = lower @ lower.T + 0.05 * np.eye(n)
    upper = np.where(random.random(n) < 0.3, np.inf, random.random(n))
    lower_bound = np.where(random.random(n) < 0.3, -np.inf, -random.random(n))
    fixed = random.random(n) < 0.1
    upper[fixed] = lower_bound[fixed] = random.normal(size=fixed.sum())
    return matrix, random.normal(size=n), lower_bound, upper


def pack(matrix: np.ndarray):
    """Envelope of a symmetric matrix."""
    n = len(matrix)
    first = np.array([int(np.flatnonzero(matrix[k, : k + 1])[0]) for k in range(n)])
    start = np.concatenate([[0], np.cumsum(np.arange(n) - first + 1)])
    return first, start, np.concatenate([matrix[k, first[k] : k + 1] for k in range(n)])


def run_pivot(matrix, demand, lower, upper, status):
    """Solve by the kernel; impulses, flags and rounds."""
    n = len(demand)
    free = np.zeros(n, dtype=bool)
    none, state = np.zeros(n + 1, dtype=np.int64), RowState(status, np.zeros(n))
    rows = record_of(
        Rows,
        limit_start=none,
        limit_row=np.zeros(0, dtype=np.int64),
        mixed=np.zeros(0, dtype=np.int64),
        own=np.array([n, 3]),
        entry_start=np.zeros(n + 1, dtype=np.int64),
    )
    row_work = record_of(
        RowWork,
        demand=demand,
        jacobian=np.zeros((0, 6)),
        limit_factor=np.zeros(0),
        lower=lower,
        upper=upper,
        active=np.ones(n, dtype=bool),
        mobility=np.zeros(0),
    )
    work = solver_work(matrix, free)
    pivoting.start_status(n, row_work, work, state)
    flags, rounds = solver.solve_with_friction(n, False, table(rows, state, row_work), work)
    return state.impulse, flags, rounds


def table(rows: Rows, state: RowState, work: RowWork) -> Table:
    """Table of rows under spook."""
    return Table(rows, state, work, np.array([SPOOK]))


def solver_work(matrix: np.ndarray, free: np.ndarray) -> SolverWork:
    """Scratch of the solver for all rows of a matrix."""
    n, (first, start, packed) = len(matrix), pack(matrix)
    return record_of(
        SolverWork,
        active=np.arange(n),
        first=first,
        start=start,
        matrix=packed,
        free=free,
        factor=np.zeros((n + 3) * (n + 7) // 2),
        panel_left=np.zeros(n, dtype=np.int64),
        panel_base=np.zeros(n, dtype=np.int64),
        panel=np.zeros(4 * n + 12),
        inverse=np.zeros(n),
        solution=np.zeros(n),
        mixing=np.zeros((0, 1)),
        arc=np.zeros(n),
    )


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 30), band=st.integers(0, 30))
def test_agrees_with_bounded_least_squares(seed: int, n: int, band: int) -> None:
    """min 1/2 z S z - b z within bounds has the complementarity conditions as its optimality
    conditions."""
    random = np.random.default_rng(seed)
    matrix, demand, lower, upper = random_problem(random, n, band)
    status = random.integers(-1, 2, size=n)
    impulse, flags, _ = run_pivot(matrix, demand, lower.copy(), upper.copy(), status)
    assert flags == SOLVED
    room = upper > lower
    known = np.where(room, 0.0, upper)
    expected = known.copy()
    if room.any():
        reduced = demand - matrix @ known
        part = np.linalg.cholesky(matrix[np.ix_(room, room)])
        expected[room] = lsq_linear(
            part.T,
            np.linalg.solve(part, reduced[room]),
            (lower[room], upper[room]),
            method="bvls",
            tol=1e-14,
        ).x
    np.testing.assert_allclose(impulse, expected, atol=1e-7)


@pytest.mark.parametrize("kept", [0.7, 0.95, 1.0])
@pytest.mark.parametrize("stairs", [1, 4, 7, 30])
@pytest.mark.parametrize("band", [0, 1, 3, 12, 30])
def test_factor_and_solve_match_numpy(band: int, stairs: int, kept: float) -> None:
    """L D L^T x = b on an envelope, with some rows left out, and groups that begin alike."""
    random = np.random.default_rng(band)
    n = 30
    rows = np.arange(n)
    begin = np.maximum(rows // stairs * stairs - band, 0)
    lower = np.where(
        (rows <= rows[:, None]) & (rows >= begin[:, None]), random.normal(size=(n, n)), 0.0
    )
    matrix = lower @ lower.T + 0.05 * np.eye(n)
    demand = random.normal(size=n)
    free = random.random(n) < kept
    work = solver_work(matrix, free)
    work.solution[:] = demand
    assert envelope.factorise(n, work) == 0
    envelope.solve(n, work)
    expected = demand.copy()
    expected[free] = np.linalg.solve(matrix[np.ix_(free, free)], demand[free])
    np.testing.assert_allclose(work.solution, expected, rtol=1e-8, atol=1e-10)


def test_repeated_rows_lose_a_pivot_and_stay_finite() -> None:
    """Two equal rows without softness: one of them is taken out, and the flag says so."""
    matrix = np.array([[2.0, 2.0], [2.0, 2.0]])
    free = np.zeros(2, dtype=np.int64)
    impulse, flags, _ = run_pivot(
        matrix, np.array([2.0, 2.0]), np.full(2, -np.inf), np.full(2, np.inf), free
    )
    assert flags & LOST_PIVOT
    np.testing.assert_allclose(matrix @ impulse, [2.0, 2.0])


def slide(friction: float) -> tuple[np.ndarray, int, np.ndarray, np.ndarray]:
    """Impulses of a contact whose friction row pushes it open, flags, matrix and demand.

    Sliding, z_f = mu z_n and z_n = d - 3 z_f: a renewal of the bound takes its error times -3 mu.
    """
    matrix, demand = np.array([[1.0, 3.0], [3.0, 20.0]]), np.array([1.0, 20.0])
    state = RowState(np.zeros(2, dtype=np.int64), np.zeros(2))
    rows = record_of(
        Rows,
        limit_start=np.array([0, 0, 1]),
        limit_row=np.zeros(1, dtype=np.int64),
        mixed=np.zeros(0, dtype=np.int64),
        own=np.array([2, 3]),
        entry_start=np.zeros(3, dtype=np.int64),
    )
    lower, upper = np.array([0.0, -0.0]), np.array([np.inf, 0.0])
    row_work = record_of(
        RowWork,
        demand=demand,
        jacobian=np.zeros((0, 6)),
        limit_factor=np.array([friction]),
        lower=lower,
        upper=upper,
        active=np.ones(2, dtype=bool),
        mobility=np.zeros(0),
    )
    work = solver_work(matrix, np.ones(2, dtype=bool))
    flags, _ = solver.solve_with_friction(2, True, table(rows, state, row_work), work)
    return state.impulse, flags, matrix, demand


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8, 0.95, 3.0])
def test_bounds_that_renewals_overshoot_are_found(friction: float) -> None:
    impulse, flags, _, _ = slide(friction)
    assert flags == SOLVED
    np.testing.assert_allclose(
        impulse, np.array([1.0, friction]) / (1.0 + 3.0 * friction), rtol=1e-4
    )


def test_what_does_not_settle_is_told_and_gives_no_energy() -> None:
    """z S z / 2 - b z is what the impulses add to the energy, less what they should: below zero
    between any bounds."""
    impulse, flags, matrix, demand = slide(100.0)
    assert flags == NOT_CONVERGED
    assert 0.5 * impulse @ matrix @ impulse - demand @ impulse <= 0.0


def solve_contact(matrix, demand, friction):
    """Impulses of one contact in its axes of the start, and the flags; S stays as it was."""
    state = RowState(np.zeros(3, dtype=np.int64), np.zeros(3))
    rows = record_of(
        Rows,
        limit_start=np.array([0, 0, 1, 2]),
        limit_row=np.zeros(2, dtype=np.int64),
        mixed=np.zeros(0, dtype=np.int64),
        own=np.array([0, 3]),
        entry_start=np.arange(4),
    )
    row_work = record_of(
        RowWork,
        demand=demand.copy(),
        jacobian=np.eye(3, 6),
        limit_factor=np.array([friction, friction]),
        lower=np.array([0.0, -0.0, -0.0]),
        upper=np.array([np.inf, 0.0, 0.0]),
        active=np.ones(3, dtype=bool),
        mobility=np.full(3, 0.5 * (matrix[1, 1] + matrix[2, 2])),
    )
    work = solver_work(matrix, np.ones(3, dtype=bool))
    flags, _ = solver.solve_with_friction(3, True, table(rows, state, row_work), work)
    return state.impulse @ row_work.jacobian[:, :3], flags


@pytest.mark.parametrize("seed", range(300))
def test_one_contact_obeys_the_law_of_the_cone(seed) -> None:
    """Random mobilities and speeds: sticks within the cone, or slides against its own friction."""
    random = np.random.default_rng(seed)
    friction = random.uniform(0.1, 1.0)
    root = np.eye(3) + 0.3 * random.uniform(-1.0, 1.0, (3, 3))
    matrix = root @ root.T
    demand = random.normal(size=3) * [1.0, *2 * [10.0 ** random.uniform(-2.0, 2.0)]]
    impulse, flags = solve_contact(matrix, demand, friction)
    speed = matrix @ impulse - demand
    bound = friction * impulse[0]
    settled = 1e-6 * np.abs(demand).max()  # as speeds; mobilities are about one
    assert flags == 0
    assert impulse[0] >= 0.0
    assert abs(min(impulse[0], speed[0])) < settled
    assert np.hypot(*impulse[1:]) <= bound + settled
    sliding = np.hypot(*speed[1:])
    if sliding > 10.0 * settled:
        np.testing.assert_allclose(impulse[1:], -bound / sliding * speed[1:], atol=settled)
