"""The true state that is read at once has the bits of the views of an observation."""

import dataclasses
import math

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import crane_names
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine

TICKS = 3


def moved(crane):
    """A machine that has gone for some ticks, with all of its axes in motion."""
    machine = Machine(crane)
    for axis in crane.axes:
        if "speed" in axis.modes:
            machine.command(axis.name, 0.3 * axis.max_speed)
    machine.tick(TICKS)
    return machine


def assert_true(machine):
    """Compare with axes, sway, load and pull one by one."""
    seen = machine.seen
    true = machine.readout(seen)
    crane = machine.crane
    assert true.axes == {a.name: machine.axis_state(seen, a.name) for a in crane.axes}
    assert list(true.axes) == list(machine.motions)
    assert true.sway == machine.sway(seen)
    if crane.ropes:
        assert true.pull == seen.tension(crane.ropes[0])
    else:
        assert math.isnan(true.pull)
    if crane.suspension is None:
        assert true.load is None
    else:
        load = seen.body(crane.suspension.load)
        assert true.load == (tuple(load.position.tolist()), tuple(load.velocity.tolist()))


@pytest.mark.parametrize("name", sorted(crane_names()))
def test_the_readout_has_the_bits_of_the_views(name):
    assert_true(moved(load_crane(name)))


def test_a_suspension_beside_its_trolley_s_origin_is_read_alike():
    crane = load_crane("tower_crane")
    hung = crane.suspension._replace(trolley_point=(0.1, 0.2, -0.3))
    assert_true(moved(dataclasses.replace(crane, suspensions=(hung, *crane.suspensions[1:]))))


def test_an_older_observation_is_read_as_it_was():
    machine = moved(load_crane("lab_gantry"))
    seen = machine.seen
    before = machine.readout(seen)
    machine.tick(TICKS)
    assert machine.readout(seen) == before != machine.readout(machine.seen)


def test_a_reader_of_flags_is_refused():
    simulator = Machine(load_crane("lab_gantry")).simulator
    cable = simulator.names.cables[0]
    with pytest.raises(SpecError, match=naming(f"{cable}.slack' flag")):
        simulator.reader([f"{cable}.slack"])
