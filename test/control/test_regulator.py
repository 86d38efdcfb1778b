"""The regulator and the sway observer against closed forms of a linear pendulum."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cable_sim.control.controllers import lqr
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.methods.regulator import SCALED, SwayObserver, regulator
from cable_sim.control.methods.tracking import Off
from cable_sim.spec.scene import GRAVITY

PERIOD, LATE, LENGTH, PUSH = 0.01, 8, 10.0, 0.3
FREQUENCY = math.sqrt(GRAVITY / LENGTH)


def model(time: float) -> float:
    """L theta'' = -g theta - a from rest, for a constant acceleration from 0 on."""
    return PUSH / GRAVITY * (math.cos(FREQUENCY * max(time, 0.0)) - 1.0)


def observed(truth, seconds: float, settling: float = 0.5) -> tuple[SwayObserver, float, float]:
    """An observer after that time, and what it says of the sway and of its rate at the end, from
    pictures of a truth that come every 40 ms, 80 ms late."""
    observer, found, rate = SwayObserver(PERIOD, LATE, settling), 0.0, 0.0
    for k in range(1, round(seconds / PERIOD) + 1):
        time = k * PERIOD
        late = time - LATE * PERIOD
        seen = truth(late) if k % 4 == 0 and late >= 0.0 else None
        found, rate = observer.update(model(time), FREQUENCY, seen, 4 * PERIOD)
    return observer, model(time) + found, rate


def test_the_observer_follows_a_late_camera_to_the_present() -> None:
    """The load swings by 3 degrees before the trolley starts, of which the model knows nothing."""
    start = math.radians(3.0)

    def truth(time: float) -> float:
        return model(time) + start * math.cos(FREQUENCY * time)

    _, found, rate = observed(truth, 20.0)
    assert found == pytest.approx(truth(20.0), abs=1e-4)
    assert rate == pytest.approx(-FREQUENCY * start * math.sin(FREQUENCY * 20.0), abs=1e-4)


def test_the_observer_takes_what_stays_for_the_place_of_rest() -> None:
    """Wind puts the load aside by a degree: no swing is left to be fed back."""
    aside = math.radians(1.0)
    observer, found, rate = observed(lambda time: model(time) + aside, 150.0)
    assert observer.rest == pytest.approx(aside, rel=1e-3)
    assert found == pytest.approx(model(150.0), abs=1e-5) and rate == pytest.approx(0.0, abs=1e-5)


def test_a_model_that_is_right_is_not_corrected() -> None:
    observer, found, rate = observed(model, 5.0)
    assert found == pytest.approx(model(5.0), abs=1e-12) and rate == pytest.approx(0.0, abs=1e-12)


def test_the_regulator_of_a_double_integrator_is_the_known_one() -> None:
    """x'' = u with weights 1, 0 and 1: K = (1, sqrt 2)."""
    gain = regulator([[0.0, 1.0], [0.0, 0.0]], [0.0, 1.0], np.diag([1.0, 0.0]), 1.0)
    assert gain == pytest.approx([1.0, math.sqrt(2.0)])


@pytest.mark.parametrize("length", [0.5, 10.0, 45.0])
def test_one_gain_is_the_regulator_of_every_length(
    length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of x' = v, v' = a, s' = s_1, s_1' = -(g / l) s - a, solved for the length itself."""
    controller, stiffness = Lqr(effort=2.0, swing=0.7), GRAVITY / length
    state = np.zeros((4, 4))
    state[0, 1] = state[2, 3] = 1.0
    state[3, 2] = -stiffness
    weights = np.diag([1.0, 0.0, controller.swing, 0.0])
    solved = regulator(state, [0.0, 1.0, 0.0, -1.0], weights, controller.effort / stiffness**2)
    w = math.sqrt(stiffness)
    monkeypatch.setattr(
        lqr, "Tracking", lambda task, settings: SimpleNamespace(law=lambda correct: correct)
    )
    correct: Any = controller.start(None)  # type: ignore[arg-type]
    told = [correct(SimpleNamespace(most=1e6), Off(*unit), w, 0.0) for unit in np.eye(4)]
    assert solved == pytest.approx(-np.array(told), rel=1e-6)


def test_the_loop_settles_about_as_fast_as_the_load_swings() -> None:
    poles = np.linalg.eigvals(SCALED[0] - np.outer(SCALED[1], Lqr().gain))
    assert poles.real.max() < -0.3
