"""Faults that come and go: what each does to the machine, and that nothing of it is left when it is
cleared."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, SpecError
from cable_sim.machine.faults import KINDS, Fault, value_meaning
from cable_sim.machine.machine import ACTING, Machine

HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}


def hanging(**changes) -> Machine:
    return Machine(load_crane("tower_12t", HANGING | changes), dt=2e-3, substeps=5)


@pytest.fixture(scope="module")
def shared() -> Machine:
    """A machine that each example resets."""
    return hanging()


def run(machine: Machine, seconds: float, **speeds: float):
    """Run with orders repeated; returns the last observation."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return seen


def held(machine: Machine) -> list[np.ndarray]:
    """What faults set: powers and shares of drives, losses of sheaves, errors of sensors, factors
    of quantities, limiters that are off."""
    control, plc = machine.simulator._control, machine.plc
    return [
        control.drives.powered.copy(),
        control.drives.effort_share.copy(),
        control.drives.brake_share.copy(),
        machine.simulator._state.nodes.loss.copy(),
        plc._settings.sensor_fault[:, :-1].copy(),
        plc._settings.quantity_factor.copy(),
        plc._settings.limiter_bypass.copy(),
    ]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"kind": "brake_slip"}, "target brake_slip name axis"),
        ({"kind": "power_loss", "target": "hoist"}, "target power_loss 'hoist'"),
        ({"kind": "brake_slip", "target": "hoist", "value": 1.5}, "0 1 1.5"),
        ({"kind": "drive_trip", "target": "hoist", "value": 0.5}, "value drive_trip"),
        ({"kind": "meteor"}, "kind"),
        ({"kind": "power_loss", "start": -1.0}, "start"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(fault, says) -> None:
    with pytest.raises(SpecError, match=naming(says)):
        Fault(**fault)


def test_an_unknown_target_is_refused_with_the_known_ones(shared) -> None:
    shared.reset()
    for kind, known in (
        ("brake_slip", "slewing trolley hoist"),
        ("rope_break", "hoist_rope"),
        ("sensor_dead", "wind.speed"),
        ("limiter_bypass", "load_limiter"),
    ):
        with pytest.raises(CommandError, match=naming(f"'nix' {known}")):
            shared.faults.inject(Fault(kind, "nix"))
    assert shared.faults.active == ()


def test_values_have_the_units_of_what_they_change() -> None:
    tower = load_crane("tower_12t")
    meant = {
        ("brake_slip", "hoist"): "remaining share of the brake torque [-]",
        ("sensor_bias", "hoist_rope.pull"): "error of the reading [N]",
        ("sensor_bias", "slewing.position"): "error of the reading [rad]",
        ("sensor_bias", "wind.speed"): "error of the reading [m/s]",
        ("sensor_bias", "hook.acceleration.x"): "error of the reading [m/s^2]",
        ("sensor_drift", "trolley.position"): "growth of that error [m/s]",
        ("drive_trip", "hoist"): "",
    }
    assert {key: value_meaning(tower, *key) for key in meant} == meant
    for name in ("tower_12t", "rtg_41t", "two_towers", "lab_inteco"):
        crane = load_crane(name)
        assert all(crane.unit_of(sensor.signal) for sensor in crane.sensors)


def test_a_rope_that_cannot_part_is_no_target() -> None:
    """To come later, it would otherwise be an error in the middle of a run."""
    machine = Machine(load_crane("nehe_rope"))
    with pytest.raises(CommandError, match=naming("rope 'rope'")):
        machine.faults.inject(Fault("rope_break", "rope", start=1.0))


def test_a_fault_comes_at_its_time_and_goes(shared) -> None:
    shared.reset()
    shared.faults.inject(Fault("drive_trip", "trolley", start=0.1, duration=0.2))
    seen = []
    for _ in range(50):
        shared.tick()
        seen.append(bool(shared.faults.active))
    first, last = seen.index(True), len(seen) - 1 - seen[::-1].index(True)
    assert (first, last) == (10, 29)
    notices = [notice for notice in shared.notices if "drive_trip" in notice]
    assert notices[-2:] == ["fault drive_trip trolley: active", "fault drive_trip trolley: gone"]


def test_a_fault_that_falls_between_two_ticks_acts_for_one(shared) -> None:
    shared.reset()
    shared.faults.inject(Fault("drive_trip", "trolley", start=0.013, duration=0.002))
    seen = []
    for _ in range(5):
        shared.tick()
        seen.append(bool(shared.faults.active))
    assert seen == [False, False, True, False, False]


def test_a_slipping_brake_lets_the_load_down() -> None:
    """With the share f of what holds the load it falls with (1 - f) m g / (m + m_eq), all as of the
    rope."""
    machine = hanging()
    run(machine, 1.0)
    spec = machine.crane.details
    weight = (spec.rig.load.mass + spec.hooks["hook_block"].mass) * 9.81
    falls = machine.crane.suspension.n_falls
    holds = spec.axes["hoist"].brake * falls
    machine.faults.inject(Fault("brake_slip", "hoist", 0.8 * weight / holds))
    before = machine.axis_state(machine.observe(), "hoist").velocity
    after = machine.axis_state(run(machine, 0.5), "hoist").velocity
    inertia = weight / 9.81 + spec.ropes["hoist_rope"].winch_mass * falls**2
    assert (after - before) / 0.5 == pytest.approx(0.2 * weight / inertia, rel=0.1)


def test_a_tripped_drive_brakes_and_obeys_again_when_it_is_whole() -> None:
    machine = hanging()
    assert machine.axis_state(run(machine, 2.0, trolley=0.5), "trolley").velocity == pytest.approx(
        0.5, abs=0.02
    )
    machine.faults.inject(Fault("drive_trip", "trolley"))
    assert abs(machine.axis_state(run(machine, 3.0, trolley=0.5), "trolley").velocity) < 1e-3
    machine.faults.clear()
    assert machine.axis_state(run(machine, 3.0, trolley=0.5), "trolley").velocity == pytest.approx(
        0.5, abs=0.02
    )


def test_without_power_everything_stops_and_the_load_stays() -> None:
    machine = hanging()
    run(machine, 2.0, trolley=0.5, hoist=0.3, slewing=0.02)
    machine.faults.inject(Fault("power_loss"))
    seen = run(machine, 8.0, trolley=0.5, hoist=0.3, slewing=0.02)
    for axis in machine.crane.axes:
        assert abs(machine.axis_state(seen, axis.name).velocity) < 1e-3, axis.name
    assert not machine.simulator._control.drives.powered.any()


def test_power_loss_stops_the_gantrys_micro_motion_and_wheels() -> None:
    machine = Machine(load_crane("rtg_41t", {"rig.start.state": "hanging"}))
    slow = {"skew": 0.01, "trim": 0.01, "wheel_turn": 0.02}
    moved = run(machine, 0.2, **slow)
    machine.faults.inject(Fault("power_loss"))
    seen = run(machine, 0.2, **slow)
    for axis in slow:
        stands = machine.axis_state(moved, axis).position
        assert machine.axis_state(seen, axis).position == stands > 1e-3, axis


def test_a_dead_load_pin_makes_its_limiters_invalid(shared) -> None:
    shared.reset()
    run(shared, 0.5)
    shared.faults.inject(Fault("sensor_dead", "hoist_rope.pull"))
    run(shared, 0.5)
    assert math.isnan(shared.readings["load"])
    assert shared.limits["load_moment_limiter"] == shared.limits["load_limiter"] == "invalid"
    shared.faults.clear()
    run(shared, 0.5)
    assert shared.limits["load_moment_limiter"] == "ok"


def test_a_bypassed_limiter_is_seen_and_comes_back(shared) -> None:
    """Also when its fault is injected again, and whatever else comes and goes."""
    shared.reset()
    shared.plc.bypass("wind", True)
    shared.faults.inject(Fault("limiter_bypass", "load_limiter"))
    shared.faults.inject(Fault("limiter_bypass", "load_limiter", duration=0.2))
    shared.faults.inject(Fault("sensor_bias", "wind.speed", 1.0))
    run(shared, 0.1)
    assert {name for name, state in shared.limits.items() if state == "bypassed"} == {
        "load_limiter",
        "wind",
    }
    run(shared, 0.2)
    assert {name for name, state in shared.limits.items() if state == "bypassed"} == {"wind"}


def test_a_drift_goes_on_when_another_fault_comes(shared) -> None:
    shared.reset()
    shared.faults.inject(Fault("sensor_drift", "trolley.position", 10.0))
    run(shared, 0.5)
    shared.faults.inject(Fault("sensor_bias", "wind.speed", 1.0))
    seen = run(shared, 0.5)
    error = shared.readings["trolley.position"] - shared.axis_state(seen, "trolley").position
    assert error == pytest.approx(10.0, rel=0.05)


def test_a_control_that_believes_in_half_the_falls_weighs_half(shared) -> None:
    shared.reset()
    run(shared, 2.0)
    load, block = shared.readings["load"], shared.crane.details.hooks["hook_block"].mass
    shared.faults.inject(Fault("wrong_falls", "load", 0.5))
    run(shared, 0.1)
    assert shared.readings["load"] + block == pytest.approx(0.5 * (load + block), rel=0.02)


def test_a_broken_rope_stays_broken_until_the_machine_is_reset(shared) -> None:
    shared.reset()
    run(shared, 0.5)
    shared.faults.inject(Fault("rope_break", "hoist_rope", duration=0.1))
    seen = run(shared, 1.0)
    assert seen.cable("hoist_rope").parted and seen.body("load").velocity[2] < -5.0
    shared.faults.inject(Fault("rope_break", "hoist_rope", start=5.0))
    assert [fault.kind for fault in shared.faults.active] == [
        "rope_break"
    ] and shared.faults.coming == ()
    shared.faults.clear()
    assert [fault.kind for fault in shared.faults.active] == ["rope_break"]
    shared.reset()
    assert shared.faults.active == () and not shared.observe().cable("hoist_rope").parted


def test_a_snapshot_has_the_faults_that_act_and_those_to_come() -> None:
    machine = hanging()
    machine.faults.inject(Fault("sensor_drift", "hoist_rope.pull", 500.0, start=0.1))
    machine.faults.inject(Fault("sheave_seizure", "hoist_rope/2", start=0.5, duration=0.3))
    run(machine, 0.3, hoist=0.2)
    saved = machine.save()
    first = [
        (run(machine, 0.1, hoist=0.2).body_position.copy(), machine.readings) for _ in range(8)
    ]
    machine.restore(saved)
    again = [
        (run(machine, 0.1, hoist=0.2).body_position.copy(), machine.readings) for _ in range(8)
    ]
    for (there, read), (here, same) in zip(first, again, strict=True):
        np.testing.assert_array_equal(there, here)
        np.testing.assert_array_equal(list(read.values()), list(same.values()))


TARGETS = {
    "axis": ("slewing", "trolley", "hoist"),
    "rope": ("hoist_rope", "sling_1"),
    "quantity": ("load", "load_moment"),
    "sensor": (
        "hoist_rope.pull",
        "hoist_rope.lead",
        "hoist.position",
        "trolley.position",
        "hoist.speed",
        "wind.speed",
    ),
    "sheave": ("hoist_rope/1", "hoist_rope/3"),
    "limiter": ("load_moment_limiter", "overspeed_trip"),
    "": ("",),
}


@st.composite
def any_fault(draw) -> Fault:
    kind = draw(st.sampled_from(sorted(KINDS)))
    needs, value = KINDS[kind], None
    if needs.value:
        value = draw(st.none() | st.floats(max(needs.lower, -1e4), min(needs.upper, 1e4)))
    start, duration = draw(st.floats(0.0, 0.3)), draw(st.floats(0.05, 0.5) | st.just(math.inf))
    return Fault(kind, draw(st.sampled_from(TARGETS[needs.target])), value, start, duration)


ORDERS = st.fixed_dictionaries(
    {
        "slewing": st.floats(-0.07, 0.07),
        "trolley": st.floats(-1.3, 1.3),
        "hoist": st.floats(-1.0, 1.0),
    }
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(any_fault(), min_size=1, max_size=5), st.lists(ORDERS, min_size=2, max_size=2))
def test_any_sequence_of_faults_is_reported_and_recovered_from(shared, faults, orders) -> None:
    """Nothing becomes NaN; a limiter without its reading is never ``ok``; what acts is told;
    cleared, nothing stays."""
    shared.reset()
    whole = held(shared)
    for fault in faults:
        shared.faults.inject(fault)
    for order in orders:
        for _ in range(30):
            for axis, speed in order.items():
                shared.command(axis, speed)
            seen = shared.tick()
            assert np.isfinite(seen.body_position).all() and np.isfinite(seen.body_velocity).all()
            read, limits = shared.readings, shared.limits
            for limiter in shared.crane.limiters:
                if math.isnan(read[limiter.quantity]):
                    assert limits[limiter.name] in (*ACTING, "bypassed"), limiter.name
            due = {
                one.name
                for one in faults
                if one.start + 0.02 < shared.time < one.start + one.duration - 0.02
            }
            assert due <= {one.name for one in shared.faults.active} | {
                one.name for one in faults if sum(other.name == one.name for other in faults) > 1
            }
    shared.faults.clear()
    left = {one.kind for one in shared.faults.active}
    assert left <= {"rope_break"}
    run(shared, 1.0)  # as long as readings are late, and a speed takes to come down
    shared.reset_latches()
    run(shared, 0.02)
    for before, after in zip(whole, held(shared), strict=True):
        np.testing.assert_array_equal(before, after)
    assert "invalid" not in shared.limits.values() and shared.stop_category is None


def test_every_name_among_the_limits_can_be_bypassed(shared) -> None:
    shared.reset()
    for name in shared.limits:
        shared.faults.inject(Fault("limiter_bypass", name))
    shared.tick()
    assert set(shared.limits.values()) == {"bypassed"}
    shared.faults.clear()
    shared.tick()
    assert set(shared.limits.values()) == {"ok"}


def test_a_bypassed_stop_or_dead_man_stops_nothing(shared) -> None:
    shared.reset()
    shared.emergency_stop(True)
    shared.enable(False)
    for name in ("estop", "enable"):
        shared.faults.inject(Fault("limiter_bypass", name, duration=1.0))
    assert not shared.stopped and shared.enabled
    run(shared, 0.5, trolley=0.4)
    saved = shared.save()
    shared.emergency_stop(True)
    shared.enable(False)
    assert shared.stop_category is None
    seen = run(shared, 0.3, trolley=0.4)
    assert shared.axis_state(seen, "trolley").velocity > 0.2
    shared.faults.clear()
    shared.emergency_stop(True)
    assert shared.limits["estop"] == "tripped" and shared.stop_category == 0
    shared.restore(saved)
    shared.emergency_stop(True)
    assert shared.limits["estop"] == "bypassed"
