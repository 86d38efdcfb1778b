"""Brakes on drums that limiters close: when, what they hold, and that nothing of it is lost."""

import pytest

from cable_sim.cranes import load_crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY

FACTOR = 1.5
LOADED = {
    "rig.start.state": "hanging",
    "rig.load.mass": 6000.0,
    "reeving.sheave_efficiency": 1.0,
    "drum.layers": None,
    "axes.hoist.emergency_brake": FACTOR * 0.5 * 6350.0 * GRAVITY,
}


def slipping(**changes):
    """The tower crane whose brake holds half of its load, until the overspeed trip has acted, and
    some ticks more."""
    machine = Machine(load_crane("tower_12t", LOADED | changes))
    machine.tick()
    machine.faults.inject(Fault("brake_slip", "hoist", 0.5 / 1.8))
    while machine.limits["overspeed_trip"] != "tripped":
        machine.tick()
    return machine


def speed(machine):
    return machine.axis_state(machine.observe(), "hoist").velocity


def run(machine, seconds):
    for _ in range(round(seconds / machine.tick_time)):
        machine.tick()
    return machine


def effort(machine):
    """Of the hoist, over what 6 t and the block need."""
    return abs(machine.axis_state(machine.observe(), "hoist").effort) / (6350.0 * GRAVITY)


def test_an_emergency_brake_adds_its_effort_after_its_delay():
    machine = slipping()
    run(machine, 0.19)
    assert effort(machine) == pytest.approx(0.5, rel=1e-6)
    run(machine, 0.02)
    assert effort(machine) == pytest.approx(0.5 + FACTOR, rel=1e-6)
    run(machine, 3.0)
    assert abs(speed(machine)) < 1e-6 and machine.limits["overspeed_trip"] == "latched"


def test_without_one_a_slipping_brake_goes_on_slipping():
    machine = slipping(**{"axes.hoist.emergency_brake": 0.0})
    before = speed(machine)
    run(machine, 1.0)
    assert speed(machine) > before + 0.5


def test_a_reset_latch_opens_it_and_the_load_slips_again():
    machine = run(slipping(), 3.0)
    machine.reset_latches()
    run(machine, 0.5)
    assert effort(machine) == pytest.approx(0.5, rel=1e-6) and speed(machine) > 0.3


def test_a_restored_machine_closes_it_at_the_same_tick():
    machine = run(slipping(), 0.1)
    saved, found = machine.save(), []
    for _ in range(2):
        found.append([machine.tick().drive("hoist").effort for _ in range(60)])
        machine.restore(saved)
    assert found[0] == found[1] and len(set(found[0])) > 1
    machine.reset()
    run(machine, 0.1)
    assert effort(machine) == pytest.approx(1.0, rel=1e-2)


def test_the_gantry_has_one_too():
    brake = load_crane("rtg_41t").details.axes["hoist"].brake
    rig = {"rig.start.state": "hanging", "axes.hoist.emergency_brake": 1.5 * brake}
    assert load_crane("rtg_41t", rig).axis("hoist").emergency_brake == 1.5
    assert load_crane("rtg_41t").axis("hoist").emergency_brake == 0.0
    with pytest.raises((SpecError, ConfigError), match="emergency_brake"):
        load_crane("rtg_41t", {"axes.hoist.emergency_brake": -1.0})
