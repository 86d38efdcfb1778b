"""Second order: with half the step the error is a quarter, against exact runs."""

import numpy as np
import pytest

from benchmarks.order import Problem, errors, orders, problems

EXACT = [problem for problem in problems() if problem.exact]
LEAST = 1.9
"""What an order is at least: the next power of the step is still seen at 4 ms."""


@pytest.mark.parametrize("problem", EXACT, ids=lambda problem: problem.name)
def test_half_the_step_leaves_a_quarter(problem: Problem) -> None:
    found = errors(problem)
    assert min(orders(found)) >= LEAST, found
    assert found[-1] < 1e-5


def test_orders_of_errors_that_fall_to_a_half_and_a_quarter() -> None:
    assert orders([8.0, 4.0, 1.0]) == [1.0, 2.0]


def test_without_an_exact_run_a_finer_one_is_right() -> None:
    problem = Problem("square", 1.0, lambda h, end: np.array([end + h * h]))
    assert errors(problem, (0.2, 0.1)) == pytest.approx(
        [0.2**2 - (0.1 / 8) ** 2, 0.1**2 - (0.1 / 8) ** 2]
    )
