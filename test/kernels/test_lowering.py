"""Variables of kernels that are values, and those that need a place on the stack."""

from collections.abc import Callable
from typing import Any

import pytest
from numba.core.compiler import run_frontend

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.lowering import find_values


def before_loop(n: int) -> int:
    step = n * n
    total = 0
    for _ in range(n):
        total += step
    return total + step


def in_branch(n: int) -> int:
    if n > 3:
        step = 2
    else:
        step = 5
    return step + n


def last_of_loop(n: int) -> int:
    last = -1 * n
    for i in range(n):
        square = i * i
        last = square
    return last


def only_in_loop(n: int) -> int:
    for i in range(n + 1):
        last = i * i
    return last


def values_of(function: Callable[..., Any]) -> set[str]:
    return find_values(run_frontend(function).blocks)


def test_a_variable_assigned_once_before_all_its_uses_is_a_value() -> None:
    assert "step" in values_of(before_loop)
    assert "n" in values_of(before_loop)


@pytest.mark.parametrize(
    ("function", "name"),
    [(before_loop, "total"), (in_branch, "step"), (last_of_loop, "last"), (only_in_loop, "last")],
)
def test_a_variable_of_several_assignments_is_no_value(
    function: Callable[..., Any], name: str
) -> None:
    assert name not in values_of(function)


def test_a_variable_inside_of_a_loop_is_a_value() -> None:
    assert "square" in values_of(last_of_loop)


@pytest.mark.parametrize("function", [before_loop, in_branch, last_of_loop, only_in_loop])
@pytest.mark.parametrize("n", [0, 1, 4, 7])
def test_a_kernel_returns_what_its_function_does(function: Callable[..., Any], n: int) -> None:
    assert kernel(function)(n) == function(n)
