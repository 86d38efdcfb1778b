"""Cranes of parts that the catalogue has, beside the luffing jib: against closed forms."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.families.kit.parts import PartMotion
from cable_sim.machine.machine import Machine
from cable_sim.ros.interface import axis_topic
from cable_sim.spec import Sine

G = 9.81


def moved(machine, axis, speed, seconds):
    """How far each body has gone [m], by a speed of an axis for so long."""
    before = machine.observe().body_position.copy()
    for tick in range(round((seconds + 1.0) / machine.tick_time)):
        machine.command(axis, speed if tick * machine.tick_time < seconds else 0.0)
        seen = machine.tick()
    return dict(zip(seen.names.bodies, seen.body_position - before, strict=True))


def test_each_hoist_moves_its_own_hook() -> None:
    machine = Machine(load_crane("overhead_32t"))
    ways = moved(machine, "auxiliary_hoist", 0.2, 5.0)
    assert ways["auxiliary_hook"][2] == pytest.approx(-0.9, abs=0.1)
    assert abs(ways["load"]).max() < 1e-6 > abs(ways["main_hook"]).max()
    ways = moved(machine, "hoist", -0.1, 5.0)
    assert ways["load"][2] == pytest.approx(0.4, abs=0.1)
    assert abs(ways["auxiliary_hook"][2]) < 0.02


def test_both_hooks_sway_with_the_trolley() -> None:
    """The empty one with 2 pi sqrt(h / g) of its block's middle, as the falls run round wheels."""
    crane = load_crane("overhead_32t")
    machine, sways = Machine(crane), []
    while machine.time < 30.0:
        machine.command("gantry", 0.5 if machine.time < 2.0 else 0.0)
        seen = machine.tick()
        sways.append([machine.sway(seen, hung).tangential for hung in crane.suspensions])
    own = np.array(sways)[600:, 1]
    up = np.flatnonzero((own[:-1] < 0.0) & (own[1:] >= 0.0))
    period = (up[-1] - up[0]) / (up.size - 1) * machine.tick_time
    depth = 3.0 - 0.6  # of the block's middle, over the hook
    assert np.abs(sways).max(axis=0).min() > 0.01
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(depth / G), rel=0.05)
    assert axis_topic("auxiliary_hoist") == "auxiliary/winch_command"


def test_a_load_below_a_ship_that_heaves_is_pulled() -> None:
    """By m (g +- a w^2 s), s = 1 / (1 - (w / w_n)^2) of the rope's and slings' stretch."""
    period, amplitude = 7.0, 1.5
    w = 2.0 * math.pi / period
    heave = PartMotion(sines=(Sine(w, (0.0, 0.0, amplitude, 0.0, 0.0, 0.0)),), ramp=14.0)
    path = load_crane("offshore_25t").details.ropes["hoist_rope"].path
    smooth = (*path[:-1], dataclasses.replace(path[-1], efficiency=1.0))
    changes = {"parts.ship.motion": heave, "ropes.hoist_rope.path": smooth}
    crane = load_crane("offshore_25t", changes | {"parts.house.wheels.foot.efficiency": 1.0})
    machine, pulls = Machine(crane), []
    while machine.time < 49.0:
        seen = machine.tick()
        if machine.time > 28.0:
            pulls.append(seen.cable("hoist_rope").tension)
    mass = 10000.0 + 900.0
    rope = crane.details.ropes["hoist_rope"].rope
    length = seen.cable("hoist_rope").length
    natural = math.sqrt(16.0 * rope.ea / length / mass)
    share = 1.0 / (1.0 - (w / natural) ** 2)
    expected = mass * amplitude * w**2 * share / 4.0
    assert 0.5 * np.ptp(pulls) == pytest.approx(expected, rel=0.01)
    assert np.mean(pulls) == pytest.approx(0.25 * mass * G, rel=0.01)


def test_a_crane_on_a_ship_goes_with_it() -> None:
    """Its sway is told in the axes of its house, its rated load is that of its radius."""
    crane = load_crane("offshore_25t")
    machine = Machine(crane)
    for _ in range(6000):
        seen = machine.tick()
    ship = seen.body("ship").orientation
    assert 3e-4 < abs(ship[1]) < 0.1
    assert abs(seen.body("ship").position[2]) < 1.5
    assert machine.readings["radius"] == pytest.approx(
        2.0 + 40.0 * math.cos(math.radians(45.0)), abs=0.01
    )
    assert abs(machine.sway(seen).radial) < 0.2
    assert abs(machine.readings["structure.inclination.y"]) < 0.1
