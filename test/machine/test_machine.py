"""Commands in axis terms, watchdog, brakes, ends of the range, emergency stop."""

import math

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine

HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 30.0}


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t", HANGING)


def run(machine: Machine, seconds: float, **speeds: float):
    """Repeat commands for a while; the last observation."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return seen


@pytest.mark.parametrize(("axis", "speed"), [("slewing", 0.03), ("trolley", -0.4), ("hoist", 0.3), ("hoist", -0.3)])
def test_axis_reaches_its_speed_in_its_own_sense(crane, axis: str, speed: float) -> None:
    """Also the thing itself moves so: jib angle, trolley radius, hook depth."""
    machine = Machine(crane)
    before = machine.observe()
    seen = run(machine, 12.0 if axis == "slewing" else 4.0, **{axis: speed})
    state = machine.axis_state(seen, axis)
    assert state.velocity == pytest.approx(speed, rel=1e-2)
    moved = {
        "slewing": seen.joint("slewing").position - before.joint("slewing").position,
        "trolley": seen.body("trolley").position[0] - before.body("trolley").position[0],
        "hoist": before.body("hook_block").position[2] - seen.body("hook_block").position[2],
    }[axis]
    assert moved == pytest.approx(state.position - machine.axis_state(before, axis).position, rel=0.02)
    assert math.copysign(1.0, moved) == math.copysign(1.0, speed)


def test_other_axes_stay_put(crane) -> None:
    machine = Machine(crane)
    before, seen = machine.observe(), run(machine, 5.0, trolley=0.4)
    for axis in ("slewing", "hoist"):
        assert machine.axis_state(seen, axis).position == pytest.approx(
            machine.axis_state(before, axis).position, abs=1e-6
        )


def test_silence_ramps_down_and_brakes(crane) -> None:
    """Command timeout 0.5 s: the ramp starts then, not before, and the brake closes at rest."""
    machine = Machine(crane, command_timeout=0.5)
    run(machine, 4.0, trolley=0.4)
    assert machine.axis_state(run(machine, 0.4), "trolley").velocity == pytest.approx(0.4, rel=1e-2)
    halfway = machine.axis_state(run(machine, 0.6), "trolley").velocity
    assert halfway == pytest.approx(0.4 - 0.4 * 0.5, abs=0.03)
    seen = run(machine, 2.0)
    assert machine.axis_state(seen, "trolley").velocity == pytest.approx(0.0, abs=1e-6)
    assert machine.timed_out("trolley")


def test_emergency_stop_brakes_at_once_and_ignores_commands(crane) -> None:
    """The hoist stops within its brake's deceleration; release does not start it again."""
    machine = Machine(crane)
    run(machine, 4.0, hoist=0.5)
    machine.emergency_stop(True)
    seen = run(machine, 2.0, hoist=0.5)
    assert machine.axis_state(seen, "hoist").velocity == pytest.approx(0.0, abs=1e-3)
    machine.emergency_stop(False)
    assert machine.axis_state(run(machine, 0.2), "hoist").velocity == pytest.approx(0.0, abs=1e-3)
    assert machine.axis_state(run(machine, 3.0, hoist=0.5), "hoist").velocity == pytest.approx(0.5, rel=1e-2)


def test_value_beyond_the_limit_is_clamped_counted_and_noted(crane) -> None:
    machine = Machine(crane)
    limit = crane.axis("slewing").max_speed
    assert machine.command("slewing", 5.0)
    assert machine.orders["slewing"].value == limit
    assert machine.counts["clamped"] == 1
    assert "slewing" in machine.notices[-1] and f"{limit:g}" in machine.notices[-1]
    assert not machine.command("slewing", -limit)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("boom", 1.0), ["'boom'", "slewing, trolley, hoist"]),
        (("hoist", math.nan), ["'hoist'", "nan"]),
        (("hoist", math.inf), ["'hoist'", "inf"]),
        (("hoist", 1.0, "fast"), ["'fast'", "speed, position, effort"]),
    ],
)
def test_wrong_command_is_refused_and_counted(crane, arguments, words) -> None:
    machine = Machine(crane)
    before = dict(machine.orders)
    with pytest.raises(CommandError) as error:
        machine.command(*arguments)
    assert all(word in str(error.value) for word in words)
    assert machine.counts["rejected"] == 1
    assert machine.orders == before


def test_axis_slows_down_and_stops_at_the_end_of_its_range(crane) -> None:
    """Full speed towards the outer end: it arrives within 5 cm and never passes it."""
    machine = Machine(load_crane("tower_12t", HANGING | {"rig.start.radius": 60.0}))
    upper = crane.axis("trolley").upper
    farthest = 0.0
    for _ in range(2500):
        machine.command("trolley", 1.333)
        farthest = max(farthest, machine.axis_state(machine.tick(), "trolley").position)
    assert upper - 0.05 < farthest < upper + 1e-3


def test_position_command_goes_there(crane) -> None:
    machine = Machine(crane)
    for _ in range(2000):
        machine.command("trolley", 25.0, "position")
        seen = machine.tick()
    assert machine.axis_state(seen, "trolley").position == pytest.approx(25.0, abs=1e-2)


def test_reset_goes_back_and_keeps_the_counters(crane) -> None:
    machine = Machine(crane)
    run(machine, 2.0, trolley=1.0)
    with pytest.raises(CommandError):
        machine.command("boom", 1.0)
    machine.reset()
    assert machine.time == 0.0
    assert machine.counts["rejected"] == 1
    assert machine.timed_out("trolley")


def test_sway_is_that_of_the_geometry(crane) -> None:
    """At rest zero; after a push outward the angle is atan of the offset, in the jib's own axes."""
    machine = Machine(load_crane("tower_12t", HANGING | {"rig.start.slewing_angle_deg": 90.0}))
    sway = machine.sway(run(machine, 1.0))
    assert abs(sway.radial) < 1e-4 and abs(sway.tangential) < 1e-4
    machine.simulator.push("hook_block", (0.0, 3000.0, 0.0))  # outward, the jib points along y
    seen = run(machine, 2.0)
    offset = seen.body("hook_block").position - seen.body("trolley").position
    sway = machine.sway(seen)
    assert sway.radial == pytest.approx(math.atan2(offset[1], -offset[2]), abs=1e-3)
    assert sway.radial > 0.005
    assert abs(sway.tangential) < 1e-3
    rate = (machine.sway(run(machine, machine.tick_time)).radial - sway.radial) / machine.tick_time
    assert sway.radial_rate == pytest.approx(rate, rel=0.05)


def test_frame_is_complete_and_finite(crane) -> None:
    machine = Machine(crane)
    frame = machine.frame(machine.tick())
    assert set(frame.poses) == {body.name for body in crane.scene.bodies}
    assert set(frame.cables) == {cable.name for cable in crane.scene.cables}
    assert set(frame.axes) == {axis.name for axis in crane.axes}
    for position, orientation in frame.poses.values():
        assert np.isfinite(position).all()
        assert np.linalg.norm(orientation) == pytest.approx(1.0)
