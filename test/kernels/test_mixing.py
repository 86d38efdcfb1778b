"""Mixing of guesses for the tensions of slipping pieces: linear maps, whether or not they
contract."""

import numpy as np
import pytest

from cable_sim.kernels.cables.friction.jamming import goes_slack
from cable_sim.kernels.cables.friction.mixing import mix_guesses
from cable_sim.kernels.cables.hybrid.segments import (
    APPLIED,
    APPLIED_BEFORE,
    COLUMNS,
    DEPTH,
    MISSED,
    MISSED_BEFORE,
    MIXED,
    NEXT,
    RUBS,
)
from cable_sim.kernels.jit import kernel


@kernel
def next_guess(begin, end, number):
    """Write the next guess."""
    mix_guesses(begin, end, number)


def fixed_point(matrix: np.ndarray, offset: np.ndarray, begin: int, rounds: int) -> np.ndarray:
    """Guesses, one a row, for x = matrix x + offset, in rows from ``begin`` on."""
    end = begin + len(offset)
    number, guesses = np.full((end + 1, COLUMNS), np.nan), [offset]
    number[begin, MIXED] = -1.0
    for _ in range(rounds):
        number[begin:end, APPLIED] = guesses[-1]
        number[begin:end, MISSED] = matrix @ guesses[-1] + offset - guesses[-1]
        next_guess(begin, end, number)
        guesses.append(number[begin:end, NEXT].copy())
    return np.array(guesses)


@pytest.mark.parametrize("begin", [0, 3])
@pytest.mark.parametrize("count", [1, 2, 5, DEPTH - 1])
@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_so_many_unknowns_need_one_guess_more(
    seed: int, spread: float, count: int, begin: int
) -> None:
    """Contracting or not: the plain iteration of most of these goes beyond all bounds."""
    random = np.random.default_rng(seed)
    matrix, offset = spread * random.normal(size=(count, count)), random.normal(size=count)
    exact = np.linalg.solve(np.eye(count) - matrix, offset)
    error = np.abs(fixed_point(matrix, offset, begin, count + 2)[-1] - exact).max()
    assert error < 1e-8 * np.abs(exact).max() * np.linalg.cond(np.eye(count) - matrix)


def test_mixing_solves_for_more_unknowns_than_stored_changes() -> None:
    random = np.random.default_rng(1)
    matrix, offset = 0.2 * random.normal(size=(20, 20)), random.normal(size=20)
    exact = np.linalg.solve(np.eye(20) - matrix, offset)
    errors = np.abs(fixed_point(matrix, offset, 0, 60) - exact).max(axis=1)
    assert errors[-1] < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_mixing_forgets_changes_that_were_not_accurate(seed: int) -> None:
    """The values come out of another iteration, which begins at the last one and stops half way, as
    the friction of other contacts does. What the changes seem to tell leads astray for ever."""
    random = np.random.default_rng(seed)
    matrix, offset = 1e-3 * random.normal(size=(3, 3)), 1.0 + random.random(3)
    exact = np.linalg.solve(np.eye(3) - matrix, offset)
    lag = random.normal(size=(3, 3))
    lag *= 0.5 / np.linalg.norm(lag, 2)
    number, guess = np.full((3, COLUMNS), np.nan), 1.1 * exact
    value = matrix @ guess + offset
    number[0, MIXED] = -1.0
    for _ in range(40):
        asked = matrix @ guess + offset
        value = asked + lag @ (value - asked)
        number[:, APPLIED] = guess
        number[:, MISSED] = value - guess
        next_guess(0, 3, number)
        guess = number[:, NEXT].copy()
    assert np.abs(guess - exact).max() < 1e-12


@kernel
def slack_by_itself(end, number):
    """Call :func:`goes_slack` for a wire that begins in row 0."""
    return goes_slack(0, end, number)


@pytest.mark.parametrize(
    ("before", "guess", "back"),
    [
        (0.0, 50.0, True),
        (0.0, 1.0, True),
        (0.0, 1e-3, False),
        (49.99, 50.0, True),
        (49.999, 50.0, False),
    ],
)
def test_a_guess_goes_back_to_a_taut_one_until_they_are_the_same(
    before: float, guess: float, back: bool
) -> None:
    """The guess before came out with a tension of 50 N s, this one with a slack rope."""
    number = np.zeros((1, COLUMNS))
    number[0, [RUBS, APPLIED, APPLIED_BEFORE]] = 1.0, guess, before
    number[0, MISSED_BEFORE] = 50.0 - before
    assert slack_by_itself(1, number) == back
