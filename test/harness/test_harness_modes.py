"""Fitting a mode: periods and decay rates of known sines, to rounding and in noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming

from cable_sim.errors import CableSimError
from validation.harness import fit_mode

H = 0.01


def samples(
    steps: float, factor: float, amplitude: float = 1.0, phase: float = 0.3, count: int = 400
) -> np.ndarray:
    """A decaying sine with a period of so many steps."""
    n = np.arange(count)
    return amplitude * factor**n * np.sin(2.0 * math.pi * n / steps + phase)


@given(
    st.floats(2.5, 150.0),
    st.floats(0.9, 1.01),
    st.floats(1e-3, 10.0),
    st.floats(0.0, 6.28),
    st.integers(380, 1000),
)
@settings(max_examples=200, deadline=None)
def test_known_sines_come_back(
    steps: float, factor: float, amplitude: float, phase: float, count: int
) -> None:
    mode = fit_mode(samples(steps, factor, amplitude, phase, count), H)
    assert mode.period == pytest.approx(steps * H, rel=1e-9)
    assert mode.factor == pytest.approx(factor, rel=1e-10)
    assert mode.amplitude == pytest.approx(amplitude, rel=1e-8)
    assert mode.residual < 1e-8


def test_a_slow_mode_is_not_worse_than_a_fast_one() -> None:
    """A period of 4443 steps, where neighbouring samples differ by a thousandth: 1e-12 with
    rounding errors alone."""
    mode = fit_mode(samples(4443.0, 1.0 - 1e-6, count=10_000), H)
    assert mode.period == pytest.approx(44.43, rel=1e-12)
    assert mode.decay_rate(H) == pytest.approx(1e-4, rel=1e-6)


def test_noise_comes_through_undiminished_but_not_enlarged() -> None:
    noise = 1e-6 * np.random.default_rng(1).standard_normal(10_000)
    mode = fit_mode(samples(4443.0, 1.0, count=10_000) + noise, H)
    assert mode.period == pytest.approx(44.43, rel=1e-6)
    assert 1e-6 < mode.residual < 1e-5


@pytest.mark.parametrize(
    "values", [np.zeros(100), np.ones(100), np.linspace(-1.0, 1.0, 101), np.exp(np.arange(9.0))]
)
def test_what_does_not_swing_has_no_period(values: np.ndarray) -> None:
    with pytest.raises(CableSimError, match=naming("changes sign")):
        fit_mode(values, H)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_sample_that_is_not_finite_is_told(wrong: float) -> None:
    values = samples(20.0, 0.99)
    values[7] = wrong
    with pytest.raises(CableSimError, match=f"sample 7 of 400 is {wrong}"):
        fit_mode(values, H)


def test_samples_may_be_exactly_zero() -> None:
    assert fit_mode(np.tile([0.0, 2.0, 0.0, -2.0], 10), H) == pytest.approx(
        (4.0 * H, 1.0, 2.0, 0.0), abs=1e-12
    )


def test_what_is_no_sine_is_refused() -> None:
    zigzag = np.where(np.arange(50) % 2, 1.0, -1.0)
    with pytest.raises(CableSimError, match=naming("decaying sine")):
        fit_mode(zigzag, H)
