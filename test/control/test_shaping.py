"""Shapers against the closed forms of a linear pendulum."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.control.methods.shaping import NONE, Shaper, ei, zv, zvd, zvdd
from cable_sim.errors import SpecError
from validation.acceptance.pendulum import Trapezoid


def left(shaper: Shaper, omega: float, damping_ratio: float = 0.0) -> float:
    """Sway that impulses leave at that frequency, over that of one impulse: Singer and Seering's
    residual."""
    rate = omega * math.sqrt(1.0 - damping_ratio**2)
    parts = [
        share * np.exp(complex(damping_ratio * omega, rate) * delay)
        for share, delay in zip(shaper.shares, shaper.delays, strict=True)
    ]
    return float(abs(sum(parts)) * math.exp(-damping_ratio * omega * shaper.longer))


@pytest.mark.parametrize("damping_ratio", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("shaper", [zv, zvd, zvdd])
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
    assert left(zvdd(2.0 * math.pi), ratio) == pytest.approx(kept**3, rel=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_extra_insensitive_by_its_design_law(share) -> None:
    """V with zero slope where it is tuned to, nothing on either side of it, and V again at the ends
    of its width."""
    shaper, h = ei(2.0 * math.pi, 0.0, share), 1e-4
    assert sum(shaper.shares) == pytest.approx(1.0) and min(shaper.shares) > 0.0
    assert left(shaper, 1.0) == pytest.approx(share, rel=1e-9)
    assert (left(shaper, 1.0 + h) - left(shaper, 1.0 - h)) / (2.0 * h) == pytest.approx(
        0.0, abs=1e-9
    )
    nothing = math.acos((1.0 - share) / (1.0 + share)) / math.pi
    width = math.acos((1.0 - 3.0 * share) / (1.0 + share)) / math.pi
    for sign in (-1.0, 1.0):
        assert left(shaper, 1.0 + sign * nothing) == pytest.approx(0.0, abs=1e-9)
        assert left(shaper, 1.0 + sign * width) == pytest.approx(share, rel=1e-9)
    within = np.linspace(1.0 - width, 1.0 + width, 101)
    assert max(left(shaper, ratio) for ratio in within) <= share * (1.0 + 1e-9)
    assert left(shaper, 1.0 + 1.1 * width) > share


def test_extra_insensitive_is_as_wide_as_published() -> None:
    """Insensitivity at 5 %: 0.06 of ZV, 0.29 of ZVD, 0.40 of EI (Singhose, Seering and Singer
    1994)."""
    ratios = np.linspace(0.5, 1.5, 20001)
    for shaper, width in ((zv, 0.06), (zvd, 0.29), (ei, 0.40)):
        made = shaper(2.0 * math.pi)
        below = [ratio for ratio in ratios if left(made, ratio) <= 0.05 * (1.0 + 1e-9)]
        assert below[-1] - below[0] == pytest.approx(width, abs=5e-3)


@pytest.mark.parametrize("damping_ratio", [0.02, 0.1, 0.2])
def test_extra_insensitive_with_damping(damping_ratio) -> None:
    """The tolerable share of a damped sway, little slope, and low on either side, as without."""
    damped = 2.0 * math.pi / math.sqrt(1.0 - damping_ratio**2)
    shaper = ei(damped, damping_ratio, 0.05)
    assert sum(shaper.shares) == pytest.approx(1.0) and min(shaper.shares) > 0.0
    assert left(shaper, 1.0, damping_ratio) == pytest.approx(0.05, rel=1e-9)
    assert left(zvd(damped, damping_ratio), 1.2, damping_ratio) > left(shaper, 1.2, damping_ratio)
    lowest = [
        min(left(shaper, 1.0 + sign * x, damping_ratio) for x in np.linspace(0.0, 0.2, 41))
        for sign in (-1, 1)
    ]
    assert max(lowest) < 0.035


def test_ei_without_tolerance_is_zvd_and_too_much_is_refused() -> None:
    assert ei(6.0, 0.1, 0.0).shares == pytest.approx(zvd(6.0, 0.1).shares)
    with pytest.raises(SpecError, match=naming("tolerable 0 1 damping 1")):
        ei(6.0, 0.0, 1.0)
    with pytest.raises(SpecError, match="tolerable"):
        ei(6.0, 0.5, 0.1)


def test_a_shaped_move_goes_as_far_and_ends_later() -> None:
    profile, shaper = Trapezoid(1.0, 2.0, 3.0, 2.0), zvd(6.0)
    move, end = shaper(profile.at), profile.stops + shaper.longer
    assert move(end)[0] == pytest.approx(5.0) and move(end)[1] == pytest.approx(0.0, abs=1e-12)
    assert move(end - 0.1)[1] > 0.0
    assert max(abs(move(t)[2]) for t in np.arange(0.0, end, 0.05)) <= 0.5 + 1e-12
    h = 1e-6
    for time in (0.5, 3.3, 7.7, 10.1):
        way, speed, acceleration = move(time)
        assert (move(time + h)[0] - way) / h == pytest.approx(speed, abs=1e-5)
        assert (move(time + h)[1] - speed) / h == pytest.approx(acceleration, abs=1e-5)
