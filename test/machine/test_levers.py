"""Levers: dead band and exponent, contactor steps and their times."""

import dataclasses
import math

import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.levers import DriveControl, Lever
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.devices.levers import lever_share, reset_lever
from cable_sim.machine.machine import Machine
from cable_sim.model.machine import pack_levers, start_machine

TICK = 0.01
CRANE = load_crane("lab_gantry")


class LeverAtWork:
    """A lever of an axis with a largest speed."""

    def __init__(self, lever: Lever, max_speed: float) -> None:
        axis = dataclasses.replace(CRANE.axes[0], control=DriveControl(lever=lever))
        self.levers = pack_levers(dataclasses.replace(CRANE, axes=(axis,)))
        self.state = start_machine(1, 1)
        self.max_speed = max_speed

    def speed(self, deflection: float, passed: float) -> float:
        return lever_share(0, deflection, passed, self.levers, self.state) * self.max_speed

    def reset(self) -> None:
        reset_lever(0, self.state)


def held(at_work: LeverAtWork, deflection: float, seconds: float) -> list[float]:
    """Speeds while a lever is held so long."""
    return [at_work.speed(deflection, TICK) for _ in range(round(seconds / TICK))]


@pytest.mark.parametrize("exponent", [1.0, 2.0])
@pytest.mark.parametrize("deflection", [-1.7, -1.0, -0.4, -0.1, 0.0, 0.05, 0.1, 0.55, 1.0])
def test_analogue_lever_is_a_power_beyond_its_dead_band(deflection: float, exponent: float) -> None:
    speed = LeverAtWork(Lever(dead_band=0.1, exponent=exponent), 2.0).speed(deflection, TICK)
    share = max(0.0, (min(abs(deflection), 1.0) - 0.1) / 0.9)
    assert speed == pytest.approx(math.copysign(2.0 * share**exponent, deflection), abs=1e-12)


@pytest.mark.parametrize(
    ("deflection", "speed"),
    [(0.0, 0.0), (0.09, 0.0), (0.11, 0.1), (0.39, 0.1), (0.41, 0.6), (0.8, 2.0), (-0.5, -0.6)],
)
def test_contactor_steps_share_the_way(deflection: float, speed: float) -> None:
    lever = LeverAtWork(Lever(dead_band=0.1, steps=(0.05, 0.3, 1.0)), 2.0)
    assert held(lever, deflection, 0.1)[-1] == pytest.approx(speed)


def test_steps_go_up_one_at_a_time_and_down_at_once() -> None:
    """0.5 s on each step: full speed 1 s after the first one; half a step back, and then the
    middle, at once."""
    lever = LeverAtWork(Lever(steps=(0.05, 0.3, 1.0), step_time=0.5), 1.0)
    seen = held(lever, 1.0, 1.5)
    assert seen[0] == 0.05
    assert [seen.count(speed) for speed in (0.05, 0.3, 1.0)] == [50, 50, 50]
    assert held(lever, 0.5, TICK) == [0.3]
    assert set(held(lever, 1.0, 0.49)) == {0.3}
    assert held(lever, 1.0, 2 * TICK)[-1] == 1.0
    assert held(lever, 0.0, TICK) == [0.0]
    assert held(lever, 1.0, TICK) == [0.05]


def test_across_the_middle_it_begins_anew() -> None:
    lever = LeverAtWork(Lever(steps=(0.1, 1.0), step_time=0.3), 1.0)
    held(lever, 1.0, 1.0)
    seen = held(lever, -1.0, 0.5)
    assert seen.count(-0.1) == 30 and seen.count(-1.0) == 20


def test_reset_is_the_middle() -> None:
    lever = LeverAtWork(Lever(steps=(0.1, 1.0), step_time=0.3), 1.0)
    held(lever, 1.0, 1.0)
    lever.reset()
    assert held(lever, 1.0, TICK) == [0.1]


def test_a_deflection_that_is_no_number_is_refused() -> None:
    with pytest.raises(CommandError, match="value nan"):
        Machine(CRANE).command("trolley", math.nan, "lever")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dead_band": 1.0}, ["dead_band", "1.0"]),
        ({"steps": (0.5, 0.3)}, ["steps", "increase", "0.5, 0.3"]),
        ({"steps": (0.5, 1.2)}, ["steps", "1.2"]),
        ({"steps": (0.5, 1.0), "exponent": 2.0}, ["exponent", "2", "analogue"]),
        ({"step_time": 0.5}, ["step_time", "0.5", "analogue"]),
    ],
)
def test_wrong_levers_are_refused(options, words) -> None:
    with pytest.raises(SpecError) as error:
        Lever(**options)
    assert all(word in str(error.value) for word in words)


def test_s_time_is_the_acceleration_over_the_jerk() -> None:
    assert DriveControl(s_time=0.5).of(0.4, 0.2)["max_jerk"] == pytest.approx(0.8)
    assert DriveControl().of(0.4, 0.2)["max_jerk"] == math.inf


def test_an_axis_is_ordered_by_its_lever() -> None:
    """Contactor steps of a tenth, half and all of the speed, a second each; let go it stands, and
    begins anew."""
    control = DriveControl(lever=Lever(steps=(0.1, 0.5, 1.0), step_time=1.0))
    crane = load_crane("tower_12t", {"drives.trolley.control": control, "rig.load.mass": 1000.0})
    machine, top = Machine(crane, dt=2e-3, substeps=5), crane.axis("trolley").max_speed

    def references(deflection: float, ticks: int) -> list[float]:
        found = []
        for _ in range(ticks):
            machine.command("trolley", deflection, "lever")
            machine.tick()
            found.append(machine.simulator.drives["trolley"].reference)
        return found

    first = references(1.0, 600)
    assert first[90] == pytest.approx(0.1 * top) and first[-1] == pytest.approx(top)
    saved = machine.save()
    after = references(0.1, 300)
    assert after[-1] == pytest.approx(0.1 * top)
    machine.restore(saved)
    assert references(0.1, 300) == after
    machine.emergency_stop(True)
    machine.tick()
    machine.emergency_stop(False)
    machine.command("trolley", 0.0, "lever")
    assert references(1.0, 90)[-1] == pytest.approx(0.1 * top)
    assert machine.command("trolley", 1.5, "lever")  # beyond its end, and counted as clamped
