"""What a sensor makes of a number that it can't count in its quanta."""

from math import inf, isnan, nan

import pytest

from cable_sim.kernels.devices.sensors import MOST_QUANTA, quantise


@pytest.mark.parametrize("value", [0.0, 0.12, -0.12, 0.15, 1e6 + 0.26])
def test_a_reading_is_the_nearest_multiple(value: float) -> None:
    reading = quantise(value, 0.1, -inf, inf)
    assert abs(reading - value) <= 0.05 * (1.0 + 1e-9)
    assert reading / 0.1 == pytest.approx(round(reading / 0.1), abs=1e-6)


@pytest.mark.parametrize("value", [1e18, 9.3e18, -9.3e18, 1e30, inf, -inf])
def test_what_no_integer_counts_stays(value: float) -> None:
    """Beyond 2^63 quanta an integer would wrap around: a large pull would read as a large push."""
    assert quantise(value, 1e-3, -inf, inf) == value


def test_up_to_the_limit_halves_are_rounded() -> None:
    half = 2.0**51 + 0.5  # the largest numbers with halves
    assert quantise(half, 1.0, -inf, inf) == half + 0.5
    assert quantise(MOST_QUANTA, 1.0, -inf, inf) == MOST_QUANTA


def test_an_invalid_number_stays_invalid() -> None:
    assert isnan(quantise(nan, 0.1, -inf, inf))


def test_the_range_goes_first() -> None:
    assert quantise(1e30, 0.5, -10.0, 10.0) == 10.0
