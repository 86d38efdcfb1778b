"""Control by energy: the proof of its docstring, on the reduced crane."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from slow_cases import slow_but

from cable_sim.control.controllers.energy import BRAKE, PULL, EnergyGains
from cable_sim.control.methods.reduced_crane import Pivot, Sway, deflection, sway_accelerations
from cable_sim.control.methods.tracking import Off
from cable_sim.spec.scene import GRAVITY

LENGTH = 10.0
FREQUENCY = math.sqrt(GRAVITY / LENGTH)


def swing_energy(sway: Sway, length: float) -> float:
    """Energy of the swing over the load's mass [J/kg]; 0 at rest below the trolley."""
    a, a_rate, b, b_rate = sway
    speed = (a_rate * math.cos(b)) ** 2 + b_rate**2
    return 0.5 * length**2 * speed + GRAVITY * length * (1.0 - math.cos(a) * math.cos(b))


def stored(gains: EnergyGains, sway: Sway, offs: list[Off], most: float) -> float:
    """V: coupling times energy of the swing, half the trolley's speed squared, integral of f up to
    xi."""
    value = gains.coupling * swing_energy(sway, LENGTH)
    stiffness = FREQUENCY**2 * gains.place
    bound = PULL * most
    for off in offs:
        xi = abs(off.way - gains.coupling * off.swing)
        near = min(xi, bound / stiffness)
        value += 0.5 * off.speed**2 + 0.5 * stiffness * near**2 + bound * (xi - near)
    return value


@pytest.mark.parametrize(
    ("damping", "most"),
    slow_but({(0.3, 0.3), (1.0, 100.0)}, product((0.3, 0.7, 1.0), (100.0, 0.3))),
)
def test_the_energy_falls_to_nothing_however_large_the_swing(damping: float, most: float) -> None:
    """A trolley in a plane, 3 and 2 m from its place, its load at 50 degrees and moving aside; with
    the acceleration of a gantry, far below what the law would ask for, and with more than it asks
    for. V' = -xi' . h(xi') at all times."""
    gains = EnergyGains.of(damping)

    def offs(y: np.ndarray) -> list[Off]:
        x, x_rate, across, across_rate = deflection(Sway(*y[4:]), LENGTH)
        return [Off(y[0], y[1], x, x_rate), Off(y[2], y[3], across, across_rate)]

    def slopes(t: float, y: np.ndarray) -> list[float]:
        a, b = (
            -pull - brake
            for pull, _, brake in (gains.terms(off, FREQUENCY, most) for off in offs(y))
        )
        assert max(abs(a), abs(b)) <= (PULL + BRAKE) * most + 1e-12
        along, across = sway_accelerations(Sway(*y[4:]), Pivot(a, b), LENGTH, 0.0)
        return [y[1], a, y[3], b, y[5], along, y[7], across]

    begin, h = np.arange(0.0, 240.0, 0.25), 1e-3
    times = np.column_stack([begin, begin + h]).ravel()
    start = [3.0, 0.5, -2.0, 0.2, 0.9, 0.1, -0.5, 0.3]
    solved = solve_ivp(
        slopes, (0.0, 240.0), start, "DOP853", times, rtol=1e-9, atol=1e-9, max_step=0.1
    ).y.T
    v = np.array([stored(gains, Sway(*y[4:]), offs(y), most) for y in solved])
    lost = [
        sum(rate * brake for _, rate, brake in (gains.terms(o, FREQUENCY, most) for o in offs(y)))
        for y in solved
    ]
    mean = 0.5 * (np.array(lost[::2]) + lost[1::2])
    assert (v[::2] - v[1::2]) / h == pytest.approx(mean, abs=1e-3 * max(lost))
    assert (np.diff(v) <= 1e-9 * v[0]).all()
    assert v[-1] < 1e-3 * v[0]


def loop(place: np.ndarray, rate: np.ndarray, coupling: np.ndarray) -> np.ndarray:
    """(n, 4, 4) scaled systems of (e, e', s, s') under gains of the law."""
    system = np.zeros((place.size, 4, 4))
    system[:, 0, 1] = system[:, 2, 3] = 1.0
    system[:, 3, 2] = -1.0
    gains = np.stack([place, rate, -coupling * place, -coupling * rate], axis=1)
    return system - np.array([0.0, 1.0, 0.0, -1.0])[:, None] * gains[:, None, :]


def test_no_gains_damp_all_modes_faster_than_one_over_root_five() -> None:
    """A hundred thousand of them, of all sizes; those of zeta = 1 get there."""
    gains = np.exp(np.random.default_rng(1).uniform(-4.0, 2.0, (3, 100_000)))
    slowest = np.linalg.eigvals(loop(*gains)).real.max(axis=1)
    assert -1.0 / math.sqrt(5.0) <= slowest.min() < -0.38
    best = np.linalg.eigvals(loop(*np.array(EnergyGains.of(1.0))[:, None]))
    assert best.real == pytest.approx(
        np.full((1, 4), -1.0 / math.sqrt(5.0)), abs=1e-3
    )  # four equal ones, by rounding


@pytest.mark.parametrize("damping", [0.2, 0.5, 0.7, 1.0])
def test_small_swings_have_the_damping_that_is_asked_for(damping: float) -> None:
    """Four poles in two equal pairs: (p^2 + 2 zeta b p + b^2)^2 in the scaled system."""
    polynomial = np.poly(loop(*np.array(EnergyGains.of(damping))[:, None])[0])
    square = 1.0 / (1.0 + 4.0 * damping**2)
    pair = np.array([1.0, 2.0 * damping * math.sqrt(square), square])
    assert polynomial == pytest.approx(np.polymul(pair, pair), abs=1e-12)
