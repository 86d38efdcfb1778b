"""The crane operator's trick on the linear pendulum, to 1e-6, and on cranes."""

import cmath
import math
from dataclasses import replace

import numpy as np
import pytest
from messages import naming

from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.operators_trick import OperatorsTrick, stop_and_go
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.profiles import Ramps, total
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.errors import SpecError

G = 9.81
CASES = {
    "rest": (12.0, 1.167, 0.29, 0.0, 0.0),
    "rest, backward": (-5.0, 1.167, 0.29, 0.0, 0.0),
    "rest, too short for full speed": (1.5, 1.333, 0.4, 0.0, 0.0),
    "rest, next to constant speeds": (8.0, 1.0, 1e7, 0.0, 0.0),
    "swings ahead": (12.0, 1.167, 0.29, 0.05, 0.0),
    "swings back": (12.0, 1.167, 0.29, -0.04, 0.02),
    "swings, backward": (-9.0, 1.0, 0.5, 0.03, -0.05),
    "swings, constant speeds": (8.0, 1.0, 1e7, 0.06, 0.03),
    "swings, a short way": (2.0, 1.0, 0.5, 0.02, 0.02),
}
"""Way, speed, acceleration, and at the start angle and rate over w [rad]."""


def left(moves: tuple[Ramps, Ramps], length: float, swing: complex, lag: float = 0.0) -> float:
    """Swing after two moves [rad]: X'' = -w^2 (X - s), s' = u, T u' = v - u, integrated from one
    kink to the next."""
    from scipy.integrate import solve_ivp

    move, frequency = total(moves), math.sqrt(G / length)

    def rates(time: float, y: np.ndarray) -> list[float]:
        way, speed, _ = move(time)
        place = y[2] if lag else way
        return [y[1], -(frequency**2) * (y[0] - place), y[3], (speed - y[3]) / lag if lag else 0.0]

    kinks = sorted(
        {0.0, *(time for r in moves for time in (r.start, r.start + r.ramp, r.end - r.ramp, r.end))}
    )
    kinks.append(kinks[-1] + 40.0 * lag + 1.0)
    y = np.array([length * swing.imag / frequency, length * swing.real, 0.0, 0.0])
    for begin, end in zip(kinks, kinks[1:], strict=False):
        y = solve_ivp(rates, (begin, end), y, "DOP853", rtol=1e-11, atol=1e-12, max_step=0.2).y[
            :, -1
        ]
    place = y[2] if lag else move(kinks[-1])[0]
    return math.hypot(y[0] - place, y[1] / frequency) / length


def swinging(length: float, angle: float, rate: float) -> complex:
    """Rate plus i w times angle [rad/s]."""
    frequency = math.sqrt(G / length)
    return complex(rate * frequency, angle * frequency)


@pytest.mark.parametrize("length", [5.0, 12.0, 40.0])
@pytest.mark.parametrize("case", CASES)
def test_two_moves_cancel_every_swing(case, length) -> None:
    distance, speed, acceleration, *state = CASES[case]
    swing, frequency = swinging(length, *state), math.sqrt(G / length)
    first, second = stop_and_go(distance, speed, acceleration, frequency, length * swing)
    assert first.distance + second.distance == pytest.approx(distance)
    assert 0.0 <= first.start + 1e-6 and first.end <= second.start + 1e-6
    plain = left((Ramps(0.5 * distance, speed, acceleration),) * 2, length, 0j)
    assert left((first, second), length, swing) < 1e-6 * max(plain, abs(swing) / frequency), plain


def test_from_rest_they_go_half_the_way_each_half_a_period_apart() -> None:
    frequency = math.sqrt(G / 12.0)
    first, second = stop_and_go(6.0, 1.167, 0.29, frequency)
    assert first.distance == second.distance == pytest.approx(3.0)
    halves = (second.start - first.start) / (math.pi / frequency)
    assert first.start == pytest.approx(0.0, abs=1e-6) and halves == pytest.approx(
        1.0 + 2.0 * ((halves - 1.0) // 2.0)
    )
    assert second.start >= first.end - 1e-6


def test_a_move_at_constant_speed_sways_as_its_two_steps_do() -> None:
    """2 v sin(w b / 2): the steps of the speed are impulses, +v at 0 and -v at b."""
    from cable_sim.control.controllers.operators_trick import _side

    frequency, speed, time = 0.9, 1.1, 2.3
    steps = speed * (1.0 - cmath.exp(-1j * frequency * time))
    assert _side(Ramps(speed * time, speed, 1e9), frequency) == pytest.approx(abs(steps), rel=1e-6)


def test_the_lag_of_the_drive_is_reckoned_with() -> None:
    length, swing = 12.0, swinging(12.0, 0.05, 0.02)
    frequency = math.sqrt(G / length)
    known = stop_and_go(10.0, 1.167, 0.29, frequency, length * swing, 0.15)
    unknown = stop_and_go(10.0, 1.167, 0.29, frequency, length * swing)
    assert (
        left(known, length, swing, 0.15)
        < 1e-6 * abs(swing)
        < 0.05 * left(unknown, length, swing, 0.15)
    )
    rest = stop_and_go(10.0, 1.167, 0.29, frequency)
    assert left(rest, length, 0j, 0.15) < 1e-8


def test_of_a_swing_that_is_too_large_as_much_is_taken_as_can_be() -> None:
    """Both sides along the swing: what two moves of half the way can do, or any other share, if it
    can do more."""
    length, frequency = 12.0, math.sqrt(G / 12.0)
    swing = swinging(length, 0.5, 0.0)
    ours = left(stop_and_go(6.0, 1.0, 0.4, frequency, length * swing), length, swing)
    starts = np.arange(0.0, 7.0)
    tried = [
        left((Ramps(3.0, 1.0, 0.4, one), Ramps(3.0, 1.0, 0.4, one + 5.5 + more)), length, swing)
        for one in starts
        for more in starts
    ]
    assert 0.1 < ours <= min(tried) + 1e-9


def test_a_move_nowhere_is_none() -> None:
    assert [move.duration for move in stop_and_go(0.0, 1.0, 0.5, 0.9)] == [0.0, 0.0]


class Pushed(LocalPlant):
    """A crane whose load is pushed along x in the first two seconds."""

    force = 0.0

    def step(self, control):
        load = self.crane.suspension.load
        self.machine.simulator.push(
            load, (self.force if self.observation.time < 2.0 else 0.0, 0.0, 0.0)
        )
        return super().step(control)


def swing_after(seen: Run) -> float:
    """Largest sway of the hook along the trolley's way after the last move [deg]."""
    speeds = np.abs(seen.velocity[:, seen.axes.index("trolley")])
    stopped = np.flatnonzero(speeds > 1e-3 * speeds.max())[-1]
    return math.degrees(float(np.abs(seen.sway[stopped + 1 :, 0]).max()))


TOWER = Scenario(
    "tower_12t",
    (Move("trolley", by=12.0, start=4.0),),
    load=3000.0,
    rope_length=30.0,
    start={"trolley": 25.0},
    watch=15.0,
    dt=4e-3,
    period=0.02,
)


@pytest.mark.parametrize("force", [0.0, 900.0])
def test_on_the_tower_crane(force) -> None:
    """From rest and from a swing of some degrees; friction of sheaves and the second pendulum leave
    a little."""
    after = {}
    for controller in (Operator(), OperatorsTrick()):
        scenario = replace(TOWER, controller=controller)
        plant = Pushed(scenario.build(), scenario.dt, scenario.period)
        plant.force = force
        seen = run(scenario, plant)
        assert seen.position[-1, seen.axes.index("trolley")] == pytest.approx(37.0, abs=2e-3)
        after[controller.kind] = swing_after(seen)
    assert after["operators_trick"] < 0.05 * after["operator"], after


def test_what_it_is_not_made_for_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("operators_trick move slewing trolley gantry")):
        run(replace(TOWER, controller=OperatorsTrick(), moves=(Move("slewing", by_deg=30.0),)))
