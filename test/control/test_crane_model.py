"""The reduced crane against a point mass that is integrated in the world, with its rope as a
constraint."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_energy import swing_energy

from cable_sim.control.methods.reduced_crane import (
    CraneState,
    Pivot,
    Sway,
    deflection,
    step,
    sway_accelerations,
    trolley_motion,
)
from cable_sim.spec.scene import GRAVITY

Smooth = Callable[[float], tuple[float, float, float]]


class CraneInput(NamedTuple):
    """Accelerations of trolley [m/s^2], slewing or gantry [rad/s^2 or m/s^2], and of the pendulum's
    length [m/s^2]."""

    reach: float = 0.0
    travel: float = 0.0
    length: float = 0.0


def rates(state: CraneState, inputs: CraneInput, slews: bool) -> CraneState:
    """Derivative of the state over time; ``slews`` of a tower crane, not of a gantry."""
    if slews:
        pivot = trolley_motion(
            state.reach, state.reach_rate, inputs.reach, state.travel_rate, inputs.travel
        )
    else:
        pivot = Pivot(inputs.reach, inputs.travel)
    along, across = sway_accelerations(Sway(*state[6:]), pivot, state.length, state.length_rate)
    return CraneState(
        state.reach_rate,
        inputs.reach,
        state.travel_rate,
        inputs.travel,
        state.length_rate,
        inputs.length,
        state.radial_rate,
        along,
        state.tangential_rate,
        across,
    )


def wave(middle: float, size: float, frequency: float, phase: float) -> Smooth:
    """A coordinate, its speed and its acceleration over time."""

    def at(time: float) -> tuple[float, float, float]:
        angle = frequency * time + phase
        return (
            middle + size * math.sin(angle),
            size * frequency * math.cos(angle),
            -size * frequency**2 * math.sin(angle),
        )

    return at


def in_the_world(
    slews: bool, reach: Smooth, travel: Smooth, length: Smooth, time: np.ndarray
) -> np.ndarray:
    """(n, 2) sway angles of a mass m that begins at rest beside its trolley, from r'' = g + lambda
    d and |d| = l.

    d . d = l^2, differentiated twice: d'' . d = l'^2 + l l'' - d' . d', with d'' = g + lambda d -
    P''.
    """

    def pivot(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (r, r1, r2), (q, q1, q2) = reach(t), travel(t)
        if not slews:
            return np.array([r, q, 0.0]), np.array([r1, q1, 0.0]), np.array([r2, q2, 0.0])
        out = np.array([math.cos(q), math.sin(q), 0.0])
        left = np.array([-math.sin(q), math.cos(q), 0.0])
        change = (r2 - r * q1**2) * out + (r * q2 + 2.0 * r1 * q1) * left
        return r * out, r1 * out + r * q1 * left, change

    def slopes(t: float, y: np.ndarray) -> np.ndarray:
        place, speed, change = pivot(t)
        l, l1, l2 = length(t)  # noqa: E741
        d, d1 = y[:3] - place, y[3:] - speed
        gravity = np.array([0.0, 0.0, -GRAVITY])
        pull = (l1**2 + l * l2 - d1 @ d1 - d @ (gravity - change)) / l**2
        return np.concatenate([y[3:], gravity + pull * d])

    place, speed, _ = pivot(0.0)
    l, l1, _ = length(0.0)  # noqa: E741
    start = np.concatenate([place - [0.0, 0.0, l], speed - [0.0, 0.0, l1]])
    solved = solve_ivp(slopes, (0.0, time[-1]), start, "DOP853", time, rtol=1e-10, atol=1e-10)
    found = []
    for i, t in enumerate(time):
        d, heading = solved.y[:3, i] - pivot(t)[0], travel(t)[0] if slews else 0.0
        x = math.cos(heading) * d[0] + math.sin(heading) * d[1]
        y = math.cos(heading) * d[1] - math.sin(heading) * d[0]
        found.append((math.atan2(x, -d[2]), math.asin(y / length(t)[0])))
    return np.array(found)


@pytest.mark.parametrize("slews", [False, True])
def test_it_sways_like_a_mass_in_the_world_while_all_axes_move(slews: bool) -> None:
    """Hoisting, trolley and slewing or travel at once, with sways of tens of degrees."""
    reach, length = wave(20.0, 3.0, 0.9, 0.4), wave(15.0, 4.0, 0.5, 1.0)
    travel = wave(0.0, 0.8, 0.4, 0.2) if slews else wave(0.0, 4.0, 0.7, 0.2)
    time = np.linspace(0.0, 12.0, 25)

    def slopes(t: float, y: np.ndarray) -> list[float]:
        (r, r1, r2), (q, q1, q2), (l, l1, l2) = reach(t), travel(t), length(t)  # noqa: E741
        return list(rates(CraneState(r, r1, q, q1, l, l1, *y), CraneInput(r2, q2, l2), slews)[6:])

    # at rest in the world's axes, as the mass begins: in axes that turn it does not move either, as
    # it hangs below
    solved = solve_ivp(slopes, (0.0, 12.0), [0.0] * 4, "DOP853", time, rtol=1e-10, atol=1e-10)
    world = in_the_world(slews, reach, travel, length, time)
    assert np.abs(world).max() > 0.2
    assert solved.y[[0, 2]].T == pytest.approx(world, abs=1e-7)


def test_nothing_but_the_trolley_changes_the_energy_of_the_swing() -> None:
    """E' = -A . d', by finite differences along the motion."""
    sway, pivot, length, h = Sway(0.5, -0.2, -0.3, 0.4), Pivot(0.7, -0.4), 12.0, 1e-6
    along, across = sway_accelerations(sway, pivot, length, 0.0)

    def moved(time: float) -> Sway:
        a, a_rate, b, b_rate = sway
        return Sway(
            a + time * a_rate, a_rate + time * along, b + time * b_rate, b_rate + time * across
        )

    change = (swing_energy(moved(h), length) - swing_energy(moved(-h), length)) / (2.0 * h)
    _, x_rate, _, y_rate = deflection(sway, length)
    assert change == pytest.approx(-pivot.along * x_rate - pivot.across * y_rate, rel=1e-6)


def test_rates_of_the_deflection_are_its_derivative() -> None:
    sway, h = Sway(0.4, 0.3, -0.2, 0.5), 1e-6
    ahead, behind = (
        deflection(Sway(0.4 + t * 0.3, 0.3, -0.2 + t * 0.5, 0.5), 9.0) for t in (h, -h)
    )
    x, x_rate, y, y_rate = deflection(sway, 9.0)
    assert x_rate == pytest.approx((ahead[0] - behind[0]) / (2.0 * h), rel=1e-7)
    assert y_rate == pytest.approx((ahead[2] - behind[2]) / (2.0 * h), rel=1e-7)
    assert math.hypot(x, y) < 9.0


@pytest.mark.parametrize(
    "start, pivot, order",
    [([0.3, 0.0, 0.0, 0.0], Pivot(0.4, 0.0), 2), ([0.2, 0.0, -0.1, 0.0], Pivot(0.4, -0.3), 1)],
)
def test_a_step_is_of_second_order_in_a_plane(start: list[float], pivot: Pivot, order: int) -> None:
    """Half the step, a quarter of the error, for a trolley that accelerates evenly; in space half,
    and little."""
    length, duration = 8.0, 4.0

    def slopes(t: float, y: np.ndarray) -> list[float]:
        along, across = sway_accelerations(Sway(*y), pivot, length, 0.0)
        return [y[1], along, y[3], across]

    exact = solve_ivp(slopes, (0.0, duration), start, "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    errors = []
    for n in (400, 800):
        sway = Sway(*start)
        for _ in range(n):
            sway = step(sway, pivot, length, 0.0, duration / n)
        errors.append(float(np.abs(np.array(sway) - exact).max()))
    assert errors[0] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.1)


@pytest.mark.parametrize(
    "start, grown",
    [(Sway(0.2), 1e-4), (Sway(0.1, 0.0, 0.05, 0.03), 2e-3), (Sway(0.3, 0.0, 0.2, 0.1), 2e-2)],
)
def test_a_free_swing_goes_on_for_minutes_as_it_began(start: Sway, grown: float) -> None:
    """In a plane for ever; in space it grows, by a per mille and in large swings by a per cent in
    two minutes."""
    sway, length = start, 10.0
    for _ in range(12000):
        sway = step(sway, Pivot(0.0, 0.0), length, 0.0, 0.01)
    assert swing_energy(sway, length) == pytest.approx(swing_energy(start, length), rel=grown)
