"""The estimate of scenario 9, beside the equation of motion; the numbers themselves: scenario 9."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry import hoist_rope, read_gantry
from validation.acceptance.snag import DELAY, ROPE, SPEED, TORQUE, coasting_estimate


@pytest.mark.parametrize(
    ("inertia", "brake_from"), [(4.0, math.inf), (8.0, math.inf), (4.0, DELAY), (8.0, 0.1)]
)
def test_the_estimate_is_what_the_rotor_does(inertia: float, brake_from: float) -> None:
    """m s'' = -k s - B after the brake has closed, until it stands."""
    stiffness = 16.0 * hoist_rope().ea / ROPE
    mass, brake = inertia * (1800.0 * math.pi / 30.0 / SPEED) ** 2, TORQUE * 51e3 * GRAVITY

    def rates(time: float, y: np.ndarray) -> list[float]:
        return [y[1], -(stiffness * y[0] + (brake if time > brake_from else 0.0)) / mass]

    def stands(time: float, y: np.ndarray) -> float:
        return float(y[1])

    stands.terminal = True  # type: ignore[attr-defined]
    start = [10e3 * GRAVITY / stiffness, SPEED * 0.867 / read_gantry().axes["hoist"].v_max]
    run = solve_ivp(rates, (0.0, 1.0), start, events=stands, rtol=1e-9, atol=1e-12, max_step=1e-4)
    estimate = coasting_estimate(inertia, brake_from)
    assert estimate.peak == pytest.approx(stiffness * run.y[0, -1], rel=1e-3)
    assert estimate.when == pytest.approx(run.t[-1], rel=1e-3)
