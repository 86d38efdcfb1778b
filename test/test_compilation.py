"""Compilation of kernels: functions taken into their callers, and Python's collector meanwhile."""

import copy
import gc
from typing import Any

import numba
import pytest
from numba.core import ir
from numba.core.errors import TypingError

from cable_sim.kernels.jit import inlined, kernel

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT,
    reason="nothing is compiled",  # type: ignore[attr-defined]
)


@inlined
def power_sum(x: float, n: int) -> float:
    """Return the sum of the first n powers of x."""
    total = 0.0
    term = 1.0
    for _ in range(n):
        if term > 1e6:
            return total
        total += term
        term *= x
    return total


@inlined
def two_sums(x: float, n: int) -> float:
    """Return the sums of two sets of powers."""
    total = power_sum(x, n)
    return total + 10.0 * power_sum(2.0 * x, n)


@kernel
def all_sums(x: float, n: int) -> Any:
    """Return sums of powers, each by a call of its own."""
    first = power_sum(x, n)
    second = 0.0
    for k in range(n):
        second += power_sum(x, k)
    return first, second, two_sums(x, n), two_sums(first, 2)


def test_a_function_is_taken_in_anew_for_each_call() -> None:
    """Variables of one call are not those of another, in loops and through two levels."""
    assert all_sums(3.0, 4) == all_sums.py_func(3.0, 4) == (40.0, 18.0, 2630.0, 851.0)


def test_code_is_copied_as_ever_after_a_compilation() -> None:
    """numba's own users need copies."""
    all_sums(2.0, 3)
    block = ir.Block(ir.Scope(None, ir.unknown_loc), ir.unknown_loc)
    assert copy.deepcopy(block) is not block


def test_the_collector_is_as_before_after_a_compilation() -> None:
    """After one that fails, too."""

    @kernel
    def halve(x: Any) -> Any:
        return x / 2.0

    before = gc.get_threshold()
    assert halve(3.0) == 1.5
    with pytest.raises(TypingError):
        halve("three")
    assert gc.get_threshold() == before
