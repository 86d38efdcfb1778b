"""Control by energy: the proof of its docstring, on the reduced crane."""

import math

import numpy as np
import pytest

from cable_sim.control.controllers.energy import BRAKE, PULL, EnergyGains
from cable_sim.control.crane_model import Pivot, Sway, deflection, step, swing_energy
from cable_sim.control.tracking import Off
from cable_sim.spec.scene import GRAVITY

LENGTH = 10.0
FREQUENCY = math.sqrt(GRAVITY / LENGTH)


def stored(gains: EnergyGains, sway: Sway, offs: list[Off], most: float) -> float:
    """V: coupling times energy of the swing, half the trolley's speed squared, integral of f up to xi."""
    value, stiffness, bound = gains.coupling * swing_energy(sway, LENGTH), FREQUENCY**2 * gains.place, PULL * most
    for off in offs:
        xi = abs(off.way - gains.coupling * off.swing)
        near = min(xi, bound / stiffness)
        value += 0.5 * off.speed**2 + 0.5 * stiffness * near**2 + bound * (xi - near)
    return value


@pytest.mark.parametrize("most", [100.0, 0.3])
@pytest.mark.parametrize("damping", [0.3, 0.7, 1.0])
def test_the_energy_falls_to_nothing_however_large_the_swing(damping: float, most: float) -> None:
    """A trolley in a plane, 3 and 2 m from its place, its load at 50 degrees and moving aside; with the acceleration of
    a gantry, far below what the law would ask for, and with more than it asks for. V' = -xi' . h(xi') at all times."""
    gains, sway, h = EnergyGains.of(damping), Sway(0.9, 0.1, -0.5, 0.3), 1e-3
    ways, speeds = [3.0, -2.0], [0.5, 0.2]
    values, losses = [], []
    for k in range(60000 if most < 1.0 else 30000):
        x, x_rate, y, y_rate = deflection(sway, LENGTH)
        offs = [Off(ways[0], speeds[0], x, x_rate), Off(ways[1], speeds[1], y, y_rate)]
        terms = [gains.terms(off, FREQUENCY, most) for off in offs]
        if k % 100 < 2:
            values.append(stored(gains, sway, offs, most))
            losses.append(sum(rate * brake for _, rate, brake in terms))
        pushes = [-pull - brake for pull, _, brake in terms]
        assert max(map(abs, pushes)) <= (PULL + BRAKE) * most + 1e-12
        sway = step(sway, Pivot(*pushes), LENGTH, 0.0, h)
        ways = [way + h * (speed + 0.5 * h * push) for way, speed, push in zip(ways, speeds, pushes, strict=True)]
        speeds = [speed + h * push for speed, push in zip(speeds, pushes, strict=True)]
    v, fall = np.array(values).reshape(-1, 2), -np.diff(np.array(values).reshape(-1, 2))[:, 0] / h
    assert fall == pytest.approx(np.array(losses).reshape(-1, 2)[:, 0], abs=0.02 * np.max(losses))
    assert (np.diff(v[:, 0]) <= 1e-6 * v[0, 0]).all()
    assert v[-1, 0] < 1e-3 * v[0, 0]


@pytest.mark.parametrize("damping", [0.2, 0.5, 0.7, 1.0])
def test_small_swings_have_the_damping_that_is_asked_for(damping: float) -> None:
    """Four poles in two equal pairs: (p^2 + 2 zeta b p + b^2)^2 in the scaled system."""
    k_p, k_d, coupling = EnergyGains.of(damping)
    a, b = np.zeros((4, 4)), np.array([0.0, 1.0, 0.0, -1.0])
    a[0, 1] = a[2, 3] = 1.0
    a[3, 2] = -1.0
    polynomial = np.poly(a - np.outer(b, [k_p, k_d, -coupling * k_p, -coupling * k_d]))
    square = 1.0 / (1.0 + 4.0 * damping**2)
    pair = np.array([1.0, 2.0 * damping * math.sqrt(square), square])
    assert polynomial == pytest.approx(np.polymul(pair, pair), abs=1e-12)
