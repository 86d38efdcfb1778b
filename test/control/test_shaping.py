"""Shapers against the closed forms of a linear pendulum."""

import math

import numpy as np
import pytest

from cable_sim.acceptance.pendulum import Trapezoid
from cable_sim.control.shaping import NONE, Shaper, zv, zvd


def left(shaper: Shaper, omega: float, damping_ratio: float = 0.0) -> float:
    """Sway that impulses leave at that frequency, over that of one impulse: Singer and Seering's residual."""
    rate = omega * math.sqrt(1.0 - damping_ratio**2)
    parts = [
        share * np.exp(complex(damping_ratio * omega, rate) * delay)
        for share, delay in zip(shaper.shares, shaper.delays, strict=True)
    ]
    return float(abs(sum(parts)) * math.exp(-damping_ratio * omega * shaper.longer))


@pytest.mark.parametrize("damping_ratio", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("shaper", [zv, zvd])
def test_nothing_is_left_at_the_frequency_it_is_tuned_to(shaper, damping_ratio) -> None:
    damped = 2.0 * math.pi / math.sqrt(1.0 - damping_ratio**2)
    made = shaper(damped, damping_ratio)
    assert sum(made.shares) == pytest.approx(1.0)
    assert left(made, 1.0, damping_ratio) < 1e-12
    assert left(NONE, 1.0) == 1.0


@pytest.mark.parametrize("ratio", [0.6, 0.9129, 1.1, 1.3])
def test_off_tune_they_leave_the_cosine_and_its_square(ratio) -> None:
    kept = abs(math.cos(0.5 * math.pi * ratio))
    assert left(zv(2.0 * math.pi), ratio) == pytest.approx(kept, rel=1e-12)
    assert left(zvd(2.0 * math.pi), ratio) == pytest.approx(kept**2, rel=1e-12)


def test_a_shaped_move_goes_as_far_and_ends_later() -> None:
    profile, shaper = Trapezoid(1.0, 2.0, 3.0, 2.0), zvd(6.0)
    move, end = shaper(profile.at), profile.stops + shaper.longer
    assert move(end)[0] == pytest.approx(5.0) and move(end)[1] == pytest.approx(0.0, abs=1e-12)
    assert move(end - 0.1)[1] > 0.0
    h = 1e-6
    for time in (0.5, 3.3, 7.7, 10.1):
        way, speed, acceleration = move(time)
        assert (move(time + h)[0] - way) / h == pytest.approx(speed, abs=1e-5)
        assert (move(time + h)[1] - speed) / h == pytest.approx(acceleration, abs=1e-5)
