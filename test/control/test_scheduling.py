"""Shaping by the phase of a pendulum whose length changes, against its equation integrated by
another method."""

import math

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim.control.methods import scheduling
from cable_sim.control.methods.scheduling import phase_of, schedule_move
from cable_sim.control.methods.shaping import ei, zv, zvd, zvdd
from cable_sim.control.profiles import Profile, Ramps
from cable_sim.errors import SpecError

G = 9.81
TROLLEY = Ramps(20.0, 1.333, 0.4, 1.0)
UP, DOWN = Ramps(-20.0, 1.2, 0.6, 2.0), Ramps(20.0, 1.2, 0.6, 2.0)
QUICK_LENGTH, QUICK = 12.0, Ramps(-9.0, 3.0, 1.5, 4.0)
"""A hoist that takes three quarters of the falls in, in less than a period."""


def left(trolley: Profile, start: float, hoist: Profile, end: float) -> float:
    """Sway at the end [rad] of a mass on falls of the length ``start + hoist``, the larger of angle
    and rate over w.

    X'' = -(g - L'') (X - s) / L with X the mass' place and s the trolley's: nothing of the shaper's
    own equation.
    """
    from scipy.integrate import solve_ivp

    def rates(time: float, y: np.ndarray) -> list[float]:
        way, _, lift = hoist(time)
        return [y[1], -(G - lift) * (y[0] - trolley(time)[0]) / (start + way)]

    solved = solve_ivp(
        rates, (0.0, end), [0.0, 0.0], "DOP853", rtol=1e-10, atol=1e-10, max_step=0.05
    )
    way, speed, _ = trolley(end)
    length = start + hoist(end)[0]
    offset, drift = solved.y[0, -1] - way, solved.y[1, -1] - speed
    return math.hypot(offset, drift / math.sqrt(G / length)) / length


def hoisted(start: float, hoist: Profile, end: float):
    """The phase of that pendulum."""
    return phase_of(lambda time: start + hoist(time)[0], end)


def test_at_constant_length_the_phase_is_frequency_times_time() -> None:
    found, frequency = phase_of(lambda time: 12.0, 20.0), math.sqrt(G / 12.0)
    assert found.phase == pytest.approx(frequency * found.time, abs=1e-9)
    assert found.rate == pytest.approx(np.full(found.time.size, frequency), rel=1e-9)
    assert found.time[-1] >= 20.0 + 3.0 * 2.0 * math.pi / frequency


def test_with_one_length_it_is_the_shaper_of_that_period() -> None:
    shaper, period = zvd(2.0 * math.pi), 2.0 * math.pi * math.sqrt(12.0 / G)
    by_phase = schedule_move(TROLLEY, shaper, phase_of(lambda time: 12.0, TROLLEY.end))
    by_time = zvd(period)(TROLLEY)
    for time in np.arange(0.0, 40.0, 0.37):
        assert by_phase(time)[:2] == pytest.approx(by_time(time)[:2], abs=1e-3)


def test_in_slow_hoisting_the_phase_rate_nears_the_frequency() -> None:
    """WKB's approximation: f' = w but for (L' / L)^2 / w^2 and L'' / g, by which it is wrong."""
    slow = Ramps(-20.0, 0.2, 0.01)
    found = hoisted(40.0, slow, slow.end)
    frequency = np.sqrt(G / np.array([40.0 + slow(t)[0] for t in found.time]))
    assert found.rate == pytest.approx(frequency, rel=1e-3)
    assert np.abs(found.rate / frequency - 1.0).max() > 1e-5


@pytest.mark.parametrize(
    ("shaper", "start", "hoist"),
    slow_but(
        [(zv, 40.0, UP), (zvd, 15.0, DOWN)],
        [(zv, 40.0, UP), (zv, QUICK_LENGTH, QUICK), (zvd, 15.0, DOWN), (zvdd, 40.0, UP)],
    ),
)
def test_nothing_is_left_while_the_hoist_moves(shaper, start, hoist) -> None:
    phase = hoisted(start, hoist, max(TROLLEY.end, hoist.end))
    by_phase = schedule_move(TROLLEY, shaper(2.0 * math.pi), phase)
    end = float(phase.time[-1])
    by_time = left(shaper(2.0 * math.pi * math.sqrt(start / G))(TROLLEY), start, hoist, end)
    ours = left(by_phase, start, hoist, end)
    assert ours < 1e-5 < 1e-2 * by_time, (ours, by_time)


def test_a_shaper_that_leaves_a_share_leaves_that_share() -> None:
    """EI's share, of what each impulse leaves by itself: no more than the impulses of a ramp
    together can leave."""
    phase = hoisted(40.0, UP, max(TROLLEY.end, UP.end))
    made = schedule_move(TROLLEY, ei(2.0 * math.pi, 0.0, 0.05), phase)
    ours = left(made, 40.0, UP, float(phase.time[-1]))
    none = left(schedule_move(TROLLEY, zvd(2.0 * math.pi), phase), 40.0, UP, float(phase.time[-1]))
    bound = 0.05 * 2.0 * TROLLEY.speed / math.sqrt(G * 20.0) * (40.0 / 20.0) ** 0.25
    assert none < 1e-2 * ours < 1e-2 * bound


@pytest.mark.parametrize("distance", [20.0, -20.0, 3.0])
@pytest.mark.parametrize(("start", "hoist"), [(40.0, UP), (15.0, DOWN)], ids="up down".split())
def test_a_scheduled_move_ends_in_place_within_its_limits(start, hoist, distance) -> None:
    ramps = Ramps(distance, 1.333, 0.4, 1.0)
    made = schedule_move(ramps, zv(2.0 * math.pi), hoisted(start, hoist, max(ramps.end, hoist.end)))
    assert made(0.9) == (0.0, 0.0, 0.0)
    assert made(100.0) == pytest.approx((distance, 0.0, 0.0), abs=2e-6)
    times = np.arange(0.0, 60.0, 0.01)
    way, speed, acceleration = np.array([made(time) for time in times]).T
    assert np.abs(speed).max() <= 1.333 * (1.0 + 1e-6)
    assert np.abs(acceleration).max() <= 0.4 * (1.0 + 1e-5)
    assert np.abs(np.diff(speed)).max() <= 0.4 * 0.01 * (1.0 + 1e-3)
    assert np.diff(way) == pytest.approx(0.005 * (speed[1:] + speed[:-1]), abs=1e-6)
    assert (speed * math.copysign(1.0, distance)).min() > -1e-6


def test_what_does_not_come_to_its_place_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(scheduling, "TRIES", 1)
    with pytest.raises(SpecError, match=naming("move 20 shaped hoist moves fast")):
        schedule_move(TROLLEY, zv(2.0 * math.pi), hoisted(40.0, UP, TROLLEY.end))
