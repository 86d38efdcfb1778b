"""Gusts on a container, beside the pendulum's equation and closed forms; the published numbers:
scenario 5."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from slow_cases import slow_but

from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry_move import own_period
from validation.acceptance.gust import BASE, EMPTY, FALLS, FULL, PEAK, peak_slope, swing_in_gust

AREA = 12.19 * 2.90
HALF_RHO_CD = 0.625 * 1.2


def slopes(
    mass: float, area: float, duration: float, times: np.ndarray, falls: float = FALLS
) -> np.ndarray:
    """Slopes of a pendulum in the gust [deg], at rest in the base wind before it."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        share = min(t / duration, 1.0)
        wind = BASE + 0.5 * (PEAK - BASE) * (1.0 - math.cos(2.0 * math.pi * share))
        u = wind - falls * y[1] * math.cos(y[0])
        drag = HALF_RHO_CD * area * abs(u) * u / (mass + 1e4)
        return [y[1], (drag * math.cos(y[0]) - GRAVITY * math.sin(y[0])) / falls]

    start = [math.atan(HALF_RHO_CD * area * BASE**2 / ((mass + 1e4) * GRAVITY)), 0.0]
    solution = solve_ivp(
        rates, (0.0, times[-1]), start, t_eval=times, rtol=1e-9, atol=1e-9, max_step=0.05
    )
    return np.degrees(solution.y[0])


@pytest.mark.parametrize(
    ("mass", "duration"), slow_but([(EMPTY, 3.0)], [(EMPTY, 7.0), (EMPTY, 3.0), (FULL, 7.0)])
)
def test_a_container_swings_as_a_pendulum_in_the_wind(mass: float, duration: float) -> None:
    """Through the gust and three swings behind it, within 2 % of the peak.

    The full one tilts on ropes that stretch, and swings with the period of longer falls.
    """
    run = swing_in_gust(mass, duration)
    falls = GRAVITY * (0.5 * own_period(FALLS) / math.pi) ** 2 if mass == FULL else FALLS
    expected = slopes(mass, AREA, duration, run.time, falls)
    assert run.slope == pytest.approx(expected, abs=0.02 * expected.max())
    for found, speed in ((run.mean, BASE), (peak_slope(mass), PEAK)):
        balance = math.degrees(math.atan(HALF_RHO_CD * AREA * speed**2 / ((mass + 1e4) * GRAVITY)))
        assert found == pytest.approx(balance, rel=0.01)


def test_spreader_and_ropes_take_their_part_of_the_wind() -> None:
    """35.35 m^2 of the container, 6 of the spreader, and half of 8 falls of 26 mm, all of them with
    1.2."""
    run, area = swing_in_gust(EMPTY, 7.0, everything=True), AREA + 6.0 + 4.0 * FALLS * 0.026
    balance = math.degrees(math.atan(HALF_RHO_CD * area * BASE**2 / ((EMPTY + 1e4) * GRAVITY)))
    assert run.mean == pytest.approx(balance, rel=0.01)
    assert run.slope.max() == pytest.approx(slopes(EMPTY, area, 7.0, run.time).max(), rel=0.02)
