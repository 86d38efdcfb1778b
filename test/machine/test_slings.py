"""Slings of a tower crane that are hooked on and unhooked."""

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine

SLINGS = tuple(f"sling_{i}" for i in range(1, 5))


def run(machine: Machine, seconds: float, hoist: float):
    for _ in range(round(seconds / machine.tick_time)):
        machine.command("hoist", hoist)
        seen = machine.tick()
    return seen


def test_a_load_is_left_and_taken_again() -> None:
    """Unhooked the hook goes up alone; from up there nobody hooks on; lowered again, it takes the
    load along."""
    machine = Machine(load_crane("tower_12t"), dt=2e-3)
    stands = machine.tick().body("load").position.copy()
    machine.unhook()
    up = run(machine, 4.0, hoist=-0.5)
    assert all(up.cable(name).off for name in SLINGS)
    assert up.body("load").position == pytest.approx(stands, abs=1e-4)
    with pytest.raises(CommandError, match=naming("hook 'sling_1' path")):
        machine.hook_on()
    assert all(machine.observe().cable(name).off for name in SLINGS)
    with pytest.raises(CommandError, match=naming("slings hooked")):
        machine.unhook()
    run(machine, 6.5, hoist=0.5)
    machine.hook_on()
    with pytest.raises(CommandError, match=naming("slings hooked")):
        machine.hook_on()
    lifted = run(machine, 6.0, hoist=-0.5)
    assert lifted.body("load").position[2] - stands[2] > 0.5


def test_slings_that_carry_are_not_unhooked() -> None:
    """4 t hang; 5 % of that, 1962 N, are allowed."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}))
    machine.tick()
    with pytest.raises(CommandError, match=naming("slings carry 3.9*e+04 N load down 1962")):
        machine.unhook()
    assert machine.notices[-1].startswith("slings: carry")
    assert not machine.observe().cable("sling_1").off


def test_unhooking_is_refused_before_sling_tensions_are_known() -> None:
    hanging = {"rig.start.state": "hanging", "rig.start.hook_depth": 30.0}
    machine = Machine(load_crane("tower_12t", hanging))
    with pytest.raises(CommandError, match=naming("before first step")):
        machine.unhook()
    machine.tick()
    with pytest.raises(CommandError, match=naming("load down")):
        machine.unhook()
