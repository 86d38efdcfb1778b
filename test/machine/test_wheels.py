"""Micro-motion and wheel turn of the gantry crane, as axes of its machine."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine

HANGING = {"rig.start.state": "hanging", "rig.start.depth": 8.0, "rig.start.trolley": 0.0}
SLOW = HANGING | {
    "drives.micro": {"skew_deg": 5.0, "trim_m": 0.3},
    "crane.wheels": {"turn_time": 6.0},
}


def run(machine: Machine, seconds: float, **speeds: float):
    """Keep the axes at speeds, in the axes' sense."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return seen


def test_spreader_follows_skew_and_trim() -> None:
    """Mean yaw of the container over a period of its skew is the skew, its mean place moves by the
    trim."""
    machine = Machine(load_crane("gantry_crane", SLOW))
    start = machine.tick().body("container").position.copy()
    for axis, value in (("skew", math.radians(3.0)), ("trim", 0.15)):
        machine.command(axis, value, "position")
    yaws, places = [], []
    for i in range(4000):
        for axis, value in (("skew", math.radians(3.0)), ("trim", 0.15)):
            machine.command(axis, value, "position")
        seen = machine.tick()
        if i >= 800:
            q = seen.body("container").orientation
            yaws.append(2.0 * math.atan2(q[3], q[0]))
            places.append(seen.body("container").position[:2].copy())
    assert machine.axis_state(seen, "skew").position == pytest.approx(math.radians(3.0), abs=1e-9)
    assert machine.axis_state(seen, "trim").position == pytest.approx(0.15, abs=1e-9)
    assert np.mean(yaws) == pytest.approx(math.radians(3.0), rel=0.05)
    np.testing.assert_allclose(np.mean(places, axis=0) - start[:2], (0.0, 0.15), atol=0.01)


def test_gantry_travels_where_its_wheels_point() -> None:
    """Along the runway, not while they turn, then across it, and back again; it never leaves its
    line."""
    machine = Machine(load_crane("gantry_crane", SLOW))
    place = run(machine, 3.0, gantry=0.5).body("gantry").position.copy()
    assert place[1] > 0.1
    assert place[0] == pytest.approx(0.0, abs=1e-6)
    run(machine, 4.0, gantry=0.0)
    before = run(machine, 3.0, wheel_turn=1.0, gantry=0.5).body("gantry").position.copy()
    assert machine.wheels is not None
    assert machine.wheels.angle == pytest.approx(0.25 * math.pi, abs=0.02)
    held = run(machine, 1.0, gantry=0.5).body("gantry").position
    np.testing.assert_allclose(held, before, atol=1e-3)
    run(machine, 4.0, wheel_turn=1.0)
    reading = machine.axis_state(machine.observe(), "gantry").position
    run(machine, 0.3, gantry=0.5)  # its brake takes a tenth to open
    across = run(machine, 2.7, gantry=0.5, wheel_turn=-1.0)
    assert machine.wheels.angle == pytest.approx(
        0.5 * math.pi, abs=2e-3
    )  # they stay while the gantry travels
    moved = across.body("gantry").position - held
    assert moved[0] > 0.1
    assert moved[1] == pytest.approx(0.0, abs=1e-3)
    assert machine.axis_state(across, "gantry").position - reading == pytest.approx(
        moved[0], abs=1e-3
    )
    run(machine, 4.0, gantry=0.0)
    run(machine, 7.0, wheel_turn=-1.0)
    place = machine.observe().body("gantry").position.copy()
    back = run(machine, 3.0, gantry=-0.5).body("gantry").position - place
    assert back[1] < -0.1
    assert back[0] == pytest.approx(0.0, abs=1e-3)


def test_reset_has_the_wheels_along_the_runway_again() -> None:
    machine = Machine(load_crane("gantry_crane", SLOW))
    run(machine, 7.0, wheel_turn=1.0)
    machine.tick()
    assert machine.simulator.joint_axis("gantry") == pytest.approx((1.0, 0.0, 0.0))
    machine.reset()
    assert machine.simulator.joint_axis("gantry") == pytest.approx((0.0, 1.0, 0.0))
    assert run(machine, 2.0, gantry=0.5).body("gantry").position[1] > 0.05


def test_micro_motion_goes_with_sensors_and_limiters() -> None:
    """Its axes have no sensors of their own, and the others keep theirs."""
    without = HANGING | {"drives.micro": None, "crane.wheels": None}
    slow, plain = (Machine(load_crane("rtg_41t", changes)) for changes in (SLOW, without))
    run(slow, 0.1, skew=0.01)
    run(plain, 0.1)
    assert set(slow.readings) == set(plain.readings)
    assert slow.readings["hoist.position"] == pytest.approx(
        plain.readings["hoist.position"], abs=2e-3
    )


def test_effort_of_a_carriage_is_refused() -> None:
    machine = Machine(load_crane("gantry_crane", SLOW))
    with pytest.raises(CommandError, match=naming("axis 'skew' effort command")):
        machine.command("skew", 1.0, "effort")


def test_a_gantry_without_micro_motion_and_wheels_has_three_axes() -> None:
    crane = load_crane("gantry_crane", HANGING | {"drives.micro": None, "crane.wheels": None})
    assert [axis.name for axis in crane.axes] == ["gantry", "trolley", "hoist"]
    assert Machine(crane).wheels is None
