"""Commands in axis terms, watchdog, brakes, ends of the range, emergency stop."""

import math

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import axangle2quat, qmult

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, ModelError
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import nearest_turn, yaw_between
from cable_sim.spec.wind import Steady, Turbulence

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


@pytest.mark.parametrize(
    ("axis", "speed"), [("slewing", 0.03), ("trolley", -0.4), ("hoist", 0.3), ("hoist", -0.3)]
)
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
    assert moved == pytest.approx(
        state.position - machine.axis_state(before, axis).position, rel=0.02
    )
    assert math.copysign(1.0, moved) == math.copysign(1.0, speed)


def test_a_tick_looks_at_its_poses_once(crane, monkeypatch) -> None:
    """The compiled one, from which commands and observations read.

    Python sees the start alone, as a command may still change its forces.
    """
    machine, looks = Machine(crane), []
    running = machine.simulator._running
    see = running._see
    monkeypatch.setattr(running, "_see", lambda *given: (looks.append(machine.time), see(*given)))
    run(machine, 0.1, slewing=0.01, trolley=0.2, hoist=0.1)
    assert looks == [0.0]
    machine.observe()
    assert len(looks) == 2


def test_other_axes_stay_put(crane) -> None:
    machine = Machine(crane)
    before, seen = machine.observe(), run(machine, 5.0, trolley=0.4)
    for axis in ("slewing", "hoist"):
        assert machine.axis_state(seen, axis).position == pytest.approx(
            machine.axis_state(before, axis).position, abs=1e-6
        )


def test_silence_ramps_down_and_brakes(crane) -> None:
    """Command timeout 0.5 s: the ramp starts then, not before, and the brake closes at rest.

    The speed loop's lag is exact for a ramp.
    """
    machine = Machine(crane, command_timeout=0.5)
    run(machine, 4.0, trolley=0.4)
    assert machine.axis_state(run(machine, 0.4), "trolley").velocity == pytest.approx(0.4, rel=1e-2)
    halfway = machine.axis_state(run(machine, 0.6), "trolley").velocity
    behind = 0.4 * 0.2 * (1.0 - math.exp(-0.5 / 0.2))  # a T (1 - exp(-t / T)) of the speed loop
    assert halfway == pytest.approx(0.4 - 0.4 * 0.5 + behind, abs=1e-9)
    seen = run(machine, 2.0)
    assert machine.axis_state(seen, "trolley").velocity == pytest.approx(0.0, abs=1e-6)
    assert seen.drive("trolley").brake_closed
    assert machine.timed_out("trolley")


def test_emergency_stop_brakes_at_once_and_ignores_commands(crane) -> None:
    """The hoist stops within its brake's deceleration; release does not start it again, nor does a
    lever that is still held."""
    machine = Machine(crane)
    run(machine, 4.0, hoist=0.5)
    machine.emergency_stop(True)
    seen = run(machine, 2.0, hoist=0.5)
    assert machine.axis_state(seen, "hoist").velocity == pytest.approx(0.0, abs=1e-3)
    machine.emergency_stop(False)
    assert machine.axis_state(run(machine, 0.2), "hoist").velocity == pytest.approx(0.0, abs=1e-3)
    seen = run(machine, 1.0, hoist=0.5)
    assert machine.axis_state(seen, "hoist").velocity == pytest.approx(0.0, abs=1e-3)
    run(machine, 0.01, hoist=0.0)
    assert machine.axis_state(run(machine, 3.0, hoist=0.5), "hoist").velocity == pytest.approx(
        0.5, rel=1e-2
    )


def driven(machine: Machine) -> float:
    """Speed of the trolley after two seconds of a command of 0.3 m/s."""
    return machine.axis_state(run(machine, 2.0, trolley=0.3), "trolley").velocity


NEUTRAL = {
    "speed": ("speed", 0.0, False),
    "lever": ("lever", 0.0, False),
    "brake": ("speed", 0.5, True),
}


@pytest.mark.parametrize("neutral", NEUTRAL)
def test_after_a_stop_an_axis_moves_once_its_command_was_zero(crane, neutral) -> None:
    machine = Machine(crane)
    machine.emergency_stop(True)
    machine.emergency_stop(False)
    assert machine.limits["estop"] == "latched"
    for mode, value in (("speed", 0.3), ("lever", 0.4), ("position", 25.0), ("effort", 0.0)):
        assert not machine.command("trolley", value, mode)
        run(machine, 0.3)
        assert machine.orders["trolley"].brake, "ignored"
    mode, value, brake = NEUTRAL[neutral]
    machine.command("trolley", value, mode, brake)
    assert machine.restart.waiting == {"slewing", "hoist"}, "each axis by itself"
    assert driven(machine) == pytest.approx(0.3, rel=0.02)
    told = "trolley waits for a command of zero or a reset after the emergency stop"
    assert list(machine.notices).count(told) == 1


def test_a_lever_in_the_middle_at_the_release_may_move_after_it(crane) -> None:
    machine = Machine(crane)
    run(machine, 1.0, trolley=0.5)
    machine.emergency_stop(True)
    run(machine, 0.1, trolley=0.0, hoist=0.0)
    run(machine, 0.1, hoist=0.2)
    machine.emergency_stop(False)
    assert machine.restart.waiting == {"slewing", "hoist"}
    assert driven(machine) == pytest.approx(0.3, rel=0.02)


def test_a_reset_of_limiters_also_lets_axes_move_after_a_stop(crane) -> None:
    machine = Machine(crane)
    machine.emergency_stop(True)
    machine.emergency_stop(False)
    saved = machine.save()
    machine.reset_latches()
    assert machine.limits["estop"] == "ok" and not machine.restart.waiting
    machine.restore(saved)
    assert machine.restart.waiting == {"slewing", "trolley", "hoist"}, "a part of the state"
    machine.reset()
    assert driven(machine) == pytest.approx(0.3, rel=0.02)


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


@pytest.mark.parametrize("s_time", [0.0, 0.5])
def test_axis_slows_down_and_stops_at_the_end_of_its_range(crane, s_time: float) -> None:
    """Full speed towards the outer end: it arrives within 5 cm and never passes it."""
    changes = {
        "rig.start.radius": 60.0,
        "rig.load.mass": 2000.0,
        "drives.trolley.control.s_time": s_time,
    }
    machine = Machine(load_crane("tower_12t", HANGING | changes))
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
    """At rest zero; after a push outward the angle is atan of the offset, in the jib's own axes.

    Over a tick T it changes by the mean of its rates, but for (omega T)^2 / 12 of them: less than
    1e-3 for block and slings. Half a step more would be 2e-3.
    """
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
    later = machine.sway(run(machine, machine.tick_time))
    rate = (later.radial - sway.radial) / machine.tick_time
    assert 0.5 * (sway.radial_rate + later.radial_rate) == pytest.approx(rate, rel=1e-3)


def test_frame_is_complete_and_finite(crane) -> None:
    machine = Machine(crane)
    frame = machine.frame(machine.tick())
    assert set(frame.poses) == {body.name for body in crane.scene.bodies}
    assert set(frame.cables) == {cable.name for cable in crane.scene.cables}
    assert set(frame.axes) == {axis.name for axis in crane.axes}
    assert frame.hook_yaw == machine.hook_yaw(machine.observe())
    for position, orientation in frame.poses.values():
        assert np.isfinite(position).all()
        assert np.linalg.norm(orientation) == pytest.approx(1.0)


def test_a_frame_has_the_curve_of_a_heavy_rope_and_its_nodes(crane) -> None:
    spans = len(crane.scene.cables[0].nodes) - 1
    for model, points in (("massless", spans + 1), ("elevation", 5 * 32 + 2)):
        machine = Machine(load_crane("tower_12t", {**HANGING, "reeving.model": model}))
        for seen in (machine.tick(), run(machine, 0.5, trolley=0.3)):
            picture, cable = machine.frame(seen).cables["hoist_rope"], seen.cable("hoist_rope")
            assert (
                picture.points.shape == (points, 3)
                and len(picture.nodes) == len(picture.tension) + 1 == spans + 1
            )
            assert (picture.points[picture.nodes] == cable.node_position).all()
        along_jib = picture.points[picture.nodes[-2] :, 2]
        assert (along_jib.min() < along_jib[[0, -1]].min() - 0.1) == (model == "elevation")


@pytest.mark.parametrize("degrees", [-179.0, -90.0, 0.0, 0.5, 90.0, 179.0])
def test_yaw_is_about_the_upper_bodys_z_axis_and_ignores_tilt(degrees: float) -> None:
    """Turned by an angle and then tilted about any level axis of the upper body, however both stand
    in the world."""
    yaw = math.radians(degrees)
    turned = axangle2quat((0.0, 0.0, 1.0), yaw)
    assert yaw_between((1.0, 0.0, 0.0, 0.0), turned) == pytest.approx(yaw, abs=1e-12)
    for axis in ((1.0, 0.0, 0.0), (0.6, -0.8, 0.0)):
        tilted = qmult(axangle2quat(axis, 0.4), turned)
        upper = axangle2quat((0.3, -0.5, 0.8), 2.0)
        assert yaw_between(upper, qmult(upper, tilted)) == pytest.approx(yaw, abs=1e-12)
        assert yaw_between(upper, -qmult(upper, tilted)) == pytest.approx(yaw, abs=1e-12)


def test_nearest_turn() -> None:
    assert nearest_turn(0.1, 0.0) == pytest.approx(0.1)
    assert nearest_turn(-3.0, 3.0) == pytest.approx(2.0 * math.pi - 3.0)
    assert nearest_turn(1.0, -22.0 * math.pi) == pytest.approx(1.0 - 22.0 * math.pi)


@pytest.mark.parametrize("falls", [2, 4])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_hook_yaw_counts_turns_on_a_turned_jib_and_starts_anew(falls: int, sense: float) -> None:
    """A block that is driven round and round against its inertia: its yaw is the integral of its
    speed of turning.

    Half a step of it is 3e-4 of the way by then, which would be seen.
    """
    turned_jib = HANGING | {
        "rig.start.slewing_angle_deg": 100.0,
        "reeving.n_falls": falls,
        "reeving.swivel": False,
    }
    machine = Machine(load_crane("tower_12t", turned_jib))
    at_start = machine.hook_yaw(machine.observe())
    assert 0.0 < at_start < math.radians(5.0)  # from the jib, not from north
    machine.simulator.push("hook_block", torque=(0.0, 0.0, 300.0 * sense))
    turned = at_start
    for _ in range(300):
        before = machine.observe().body("hook_block").angular_velocity[2]
        seen = machine.tick()
        turned += 0.5 * machine.tick_time * (before + seen.body("hook_block").angular_velocity[2])
    assert sense * turned > 4.0 * math.pi
    assert machine.hook_yaw(seen) == pytest.approx(turned, rel=3e-5)
    assert machine.frame(seen).hook_yaw == machine.hook_yaw(seen)
    machine.reset()
    assert machine.hook_yaw(machine.observe()) == pytest.approx(at_start)


def test_yaw_of_a_crane_with_a_swivel_has_no_turns() -> None:
    """Such a rope does not measure its twist: the angle stays within half a turn, and is still the
    block's."""
    machine = Machine(load_crane("tower_12t", HANGING | {"reeving.swivel": True}))
    machine.simulator.push("hook_block", torque=(0.0, 0.0, 300.0))
    yaws = [machine.hook_yaw(machine.tick()) for _ in range(200)]
    assert max(yaws) > 3.0
    assert min(yaws) < -3.0
    assert np.abs(yaws).max() <= math.pi


@pytest.mark.parametrize(
    ("name", "axis", "changes"),
    [("tower_crane", "trolley", {"rig.load.mass": 2000.0}), ("nehe_rope", "x", {})],
)
def test_a_speed_commanded_at_an_axis_end_does_not_push_its_stop(name, axis, changes):
    crane = load_crane(name, changes)
    machine, limits = Machine(crane), crane.axis(axis)
    while machine.time < 2.0 + limits.upper / limits.max_speed * 1.5:
        machine.command(axis, limits.max_speed)
        state = machine.axis_state(machine.tick(), axis)
    assert limits.upper - 2e-3 < state.position < limits.upper
    assert abs(state.effort) < 0.2 * machine.simulator.drives[crane.axis(axis).drive].max_effort


def test_a_snapshot_knows_which_wind_blew(crane) -> None:
    machine = Machine(crane, wind=Turbulence(speed=10.0, seed=3))
    machine.tick()
    saved = machine.save()
    blown = [machine.tick() and tuple(machine.wind_now) for _ in range(5)]
    machine.wind = Steady(2.0)
    machine.restore(saved)
    assert [machine.tick() and tuple(machine.wind_now) for _ in range(5)] == blown
    assert len(set(blown)) == 5


def test_release_of_the_emergency_stop_is_noted_once(crane) -> None:
    machine = Machine(crane)
    for engaged in (False, True, True, False, False):
        machine.emergency_stop(engaged)
    assert list(machine.notices) == ["emergency stop engaged", "emergency stop released"]


def test_notices_name_tripped_limiters_and_repeat_no_old_stop(crane) -> None:
    machine = Machine(crane)
    run(machine, 0.1)
    machine.emergency_stop(True)
    machine.enable(False)
    run(machine, 0.1)
    machine.plc.fault("hoist.speed", bias=5.0)
    run(machine, 0.1)
    assert list(machine.notices) == [
        "emergency stop engaged",
        "dead-man control released",
        "limiter 'overspeed_trip': tripped",
    ]


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"substeps": 0}, "substeps 1 0"),
        ({"command_timeout": -0.1}, "command_timeout 0 -0.1"),
        ({"command_timeout": math.nan}, "command_timeout 0 nan"),
    ],
)
def test_a_machine_that_could_not_tick_is_refused(crane, numbers, says) -> None:
    with pytest.raises(ModelError, match=naming(says)):
        Machine(crane, **numbers)
