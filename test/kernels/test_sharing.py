"""Shares of rows that repeat each other, beside numpy's least squares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cable_sim.kernels.multibody import envelope, sharing
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.rows import RowState, RowWork, SolverWork
from cable_sim.kernels.status import LOST_PIVOT, SOLVED


def share(
    matrix: np.ndarray, softness: np.ndarray, demand: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the first impulses, those after sharing, and flags; rows not free have none."""
    n = len(demand)
    start = np.arange(n + 1) * np.arange(1, n + 2) // 2
    packed = (matrix + np.diag(softness))[np.tril_indices(n)]
    work = record_of(
        SolverWork,
        active=np.arange(n),
        first=np.zeros(n, dtype=np.int64),
        start=start,
        matrix=packed,
        free=free,
        factor=np.zeros((n + 3) * (n + 7) // 2),
        panel_left=np.zeros(n, dtype=np.int64),
        panel_base=np.zeros(n, dtype=np.int64),
        panel=np.zeros(4 * n + 12),
        inverse=np.zeros(n),
        solution=np.where(free, demand, 0.0),
        gathered=np.zeros(n),
    )
    envelope.factorise(n, work)
    envelope.solve(n, work)
    state = RowState(np.zeros(n, dtype=np.int64), work.solution.copy())
    first = work.solution.copy()
    flags = sharing.share_loads(n, record_of(RowWork, sharing=softness, demand=demand), work, state)
    return first, state.impulse, flags


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 10**9), n=st.integers(2, 12), own=st.integers(1, 6))
def test_shares_are_those_of_least_squares(seed: int, n: int, own: int) -> None:
    """S lambda = b with the least sum of L lambda^2, whatever n has that no lambda satisfies."""
    random = np.random.default_rng(seed)
    jacobian = random.normal(size=(n, own))
    free = random.random(n) < 0.8
    free[: min(n, own + 1)] = True
    axes, _, _ = np.linalg.svd(jacobian[free], full_matrices=False)
    jacobian[free] = np.pad(axes, ((0, 0), (0, own - axes.shape[1])))
    matrix = jacobian @ jacobian.T
    length = np.exp(random.normal(size=n))
    right = random.normal(size=n)
    demand = matrix[:, free] @ right[free]
    apart = np.linalg.svd(jacobian[free])[0][:, np.linalg.matrix_rank(jacobian[free]) :]
    demand[free] += 1e-9 * apart @ random.normal(size=apart.shape[1])
    _, found, flags = share(matrix, 1e-6 * length, demand, free)
    weight = 1.0 / np.sqrt(length[free])
    near = weight[:, None] * np.linalg.lstsq(
        jacobian[free].T * weight, jacobian[free].T @ right[free], rcond=1e-9
    )[0].reshape(-1, 1)
    assert flags == SOLVED
    np.testing.assert_allclose(found[free], near.ravel(), atol=1e-6)
    assert not found[~free].any()


@pytest.mark.parametrize("part", [1e-9, 1e-2])
def test_what_rows_contradict_each_other_has_no_impulse(part: float) -> None:
    """Two equal rows that ask for different rates: half of the sum each, told from 1e-4 on."""
    demand = np.array([1.0 + part, 1.0 - part])
    first, found, flags = share(
        np.ones((2, 2)), np.full(2, 1e-6), demand, np.ones(2, dtype=np.bool_)
    )
    assert abs(first[0] - first[1]) > 1e5 * part
    np.testing.assert_allclose(found, 0.5, atol=1e-5)
    assert flags == (LOST_PIVOT if part > 1e-4 else SOLVED)
