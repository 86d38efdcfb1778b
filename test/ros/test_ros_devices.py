"""Limits, readings, faults and wind over the wire, and that nonsense about them is refused and
survived."""

import math

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy")

from cable_sim.msg import FaultCommand, LimitState
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

from cable_sim.machine.states import STATES
from cable_sim.ros import interface
from cable_sim.ros.basis.crane_parameters import RATES

PARAMETERS = {"real_time_factor": 2.0, "diagnostics_period": 0.1}
NAN = math.nan


@pytest.fixture(autouse=True)
def _fresh_start(node, probe):
    """Every test begins with the crane at its start and whole."""
    assert probe.call(Trigger, "/cable_sim/reset").success
    yield
    assert node.alive(), node.said()


def states(message):
    """State of each limiter by name."""
    return {name: STATES[state] for name, state in zip(message.name, message.state, strict=True)}


def until_limits(probe, what, **wanted):
    """The first message in which limiters have these states."""
    got = probe.messages.get("limits") or probe.listen(interface.LIMITS)
    return probe.until(lambda: got and wanted.items() <= states(got[-1]).items() and got[-1], what)


def inject(probe, *values, **fields):
    """Have a fault come."""
    probe.publisher(interface.INJECT_FAULT).publish(FaultCommand(value=values, **fields))


def until_faults(probe, *wanted):
    """The first message in which exactly these faults act."""
    got = probe.messages.get("active_faults") or probe.listen(interface.ACTIVE_FAULTS)
    return probe.until(
        lambda: got and [f.kind for f in got[-1].faults] == list(wanted) and got[-1],
        wanted or "none",
    )


def finding(probe, name):
    """A diagnostic status, in the second message from now: the first may be older than its
    cause."""
    (status,) = [s for s in probe.fresh(interface.DIAGNOSTICS, 2).status if s.name.endswith(name)]
    return status, {pair.key: pair.value for pair in status.values}


def test_limits_name_every_limiter_and_reach_who_comes_late(probe, crane):
    message = until_limits(probe, "limits", load_moment_limiter="ok", estop="ok", enable="ok")
    assert message.name[:-2] == [limiter.name for limiter in crane.limiters]
    assert message.name[-2:] == ["estop", "enable"] and message.stop == -1
    for i, limiter in enumerate(crane.limiters):
        assert message.trip[i] == limiter.trip and message.trips_under[i] == (
            limiter.sense == "under"
        )
        beyond = (
            message.value[i] < limiter.trip
            if message.trips_under[i]
            else message.value[i] > limiter.trip
        )
        assert not beyond, limiter.name
    assert [getattr(LimitState, state.upper()) for state in STATES] == list(range(len(STATES)))


def test_emergency_stop_and_dead_man_control_are_limits_too(probe):
    assert probe.call(SetBool, "/cable_sim/enable", data=False).success
    assert until_limits(probe, "released", enable="tripped").stop == 1
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=True).success
    assert until_limits(probe, "engaged", estop="tripped").stop == 0
    probe.call(SetBool, "/cable_sim/enable", data=True)
    probe.call(SetBool, "/cable_sim/emergency_stop", data=False)
    assert until_limits(probe, "both", estop="latched", enable="ok").stop == -1
    assert probe.call(Trigger, "/cable_sim/reset_limiters").success
    assert until_limits(probe, "reset", estop="ok", enable="ok").stop == -1


def test_what_sensors_read_is_near_the_truth(probe, crane):
    noise = {sensor.name: sensor.noise + sensor.quantum for sensor in crane.sensors}
    cell, imu = probe.fresh(interface.LOAD_CELL, 20), probe.fresh(interface.HOOK_IMU, 2)
    truth = sum(cable.tension_dead_end for cable in probe.fresh(interface.CABLE_STATES).cables[:1])
    assert cell.header.frame_id == "trolley"
    assert cell.wrench.force.z == pytest.approx(
        truth, abs=6.0 * noise["hoist_rope.pull"] + 0.02 * truth
    )
    force = imu.linear_acceleration
    assert np.linalg.norm([force.x, force.y, force.z]) == pytest.approx(9.81, abs=0.5)
    assert imu.header.frame_id == crane.suspension.hook and imu.orientation_covariance[0] == -1.0
    measured = next(
        sensor.noise for sensor in crane.sensors if sensor.name == "hook.acceleration.y"
    )
    assert imu.linear_acceleration_covariance[4] == pytest.approx(measured**2)


def test_load_moment_is_the_load_over_the_capacity_of_the_chart(probe, crane):
    message = probe.fresh(interface.LOAD_MOMENT, 3)
    assert message.valid and message.radius == pytest.approx(20.0, abs=0.05)
    assert message.capacity == pytest.approx(crane.details.chart.capacity(message.radius))
    assert message.utilisation == pytest.approx(message.load / message.capacity)


def test_rates_count_simulated_time(probe):
    def stamps(topic):
        return [m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in probe.messages[topic]]

    for endpoint in (
        interface.LOAD_CELL,
        interface.HOOK_IMU,
        interface.WIND,
        interface.LOAD_MOMENT,
        interface.LIMITS,
        interface.CONTACTS,
    ):
        probe.fresh(endpoint)
    probe.fresh(interface.WIND, 8)
    for topic, rate in RATES.items():
        assert np.median(np.diff(stamps(topic)[-9:])) == pytest.approx(1.0 / rate, abs=1e-6), topic


def test_a_commanded_wind_blows_until_a_reset(probe):
    probe.listen(interface.WIND)
    out = probe.publisher(interface.WIND_COMMAND)
    out.publish(TwistStamped(twist=Twist(linear=Vector3(x=6.0, y=-8.0))))
    got = probe.messages["wind"]
    linear = probe.until(
        lambda: got and got[-1].twist.twist.linear.y < -4.0 and got[-1], "wind"
    ).twist.twist.linear
    assert linear.y / linear.x == pytest.approx(-8.0 / 6.0)
    probe.until(
        lambda: (
            abs(math.hypot(got[-1].twist.twist.linear.x, got[-1].twist.twist.linear.y) - 10.0) < 1.5
        ),
        "10",
    )
    assert probe.call(Trigger, "/cable_sim/reset").success
    probe.until(lambda: abs(got[-1].twist.twist.linear.y) < 2.0, "calm")


@pytest.mark.parametrize(
    "fields, angular, frame, says",
    [
        ({"x": 200.0}, 0.0, "", "200 m/s outside 0 100"),
        ({"x": NAN}, 0.0, "", "nan m/s outside"),
        ({"x": math.inf}, 0.0, "", "inf m/s outside"),
        ({"z": 1.0}, 0.0, "", "linear.x linear.y blow"),
        ({"x": 1.0}, 0.5, "", "linear.x linear.y blow"),
        ({"x": 1.0}, 0.0, "hook_block", "frame_id 'hook_block'"),
    ],
)
def test_a_wind_that_cannot_be_is_refused(probe, fields, angular, frame, says):
    twist = Twist(linear=Vector3(**fields), angular=Vector3(z=angular))
    probe.publisher(interface.WIND_COMMAND).publish(
        TwistStamped(header=Header(frame_id=frame), twist=twist)
    )
    refused(probe, says)


def refused(probe, says):
    """Wait for a rejection that says so."""

    def told():
        _, values = finding(probe, "commands")
        return values["rejected"] == "1" and any(
            naming(says).search(v) for k, v in values.items() if k.startswith("notice")
        )

    probe.until(told, says)


def test_a_dead_load_pin_is_seen_everywhere_until_it_is_cleared(probe):
    inject(probe, kind="sensor_dead", target="hoist_rope.pull")
    fault = until_faults(probe, "sensor_dead").faults[0]
    assert fault.target == "hoist_rope.pull" and math.isnan(fault.value) and fault.duration == 0.0
    until_limits(probe, "invalid", load_moment_limiter="invalid", load_limiter="invalid")
    assert not probe.fresh(interface.LOAD_MOMENT, 2).valid
    status, values = finding(probe, "limiters")
    assert status.level == status.ERROR and values["load_limiter"] == "invalid"
    status, values = finding(probe, "faults")
    assert status.level == status.WARN and "sensor_dead hoist_rope.pull" in values
    answer = probe.call(Trigger, "/cable_sim/clear_faults")
    assert answer.success and "still" not in answer.message
    until_faults(probe)
    until_limits(probe, "whole", load_moment_limiter="ok")
    assert finding(probe, "faults")[0].level == status.OK


def test_a_fault_comes_at_its_time_with_its_value_and_goes(probe):
    begun = probe.fresh(interface.CLOCK).clock
    # a second of wall time before it, and two with it
    inject(probe, 0.25, kind="brake_slip", target="hoist", start=2.0, duration=4.0)
    told = until_faults(probe, "brake_slip")
    got = probe.messages["active_faults"]
    (coming,) = next(message.coming for message in got if message.coming and not message.faults)
    assert not told.coming and coming == told.faults[0]  # which was told of before it came
    (fault,), stamp = told.faults, told.header.stamp
    begin = fault.begin.sec + 1e-9 * fault.begin.nanosec
    assert (fault.value, fault.duration) == (0.25, 4.0)
    assert begin - (begun.sec + 1e-9 * begun.nanosec) > 2.0 - 1e-6
    assert stamp.sec + 1e-9 * stamp.nanosec == pytest.approx(begin, abs=0.0201)
    until_faults(probe)


def test_a_bypassed_limiter_says_so(probe):
    inject(probe, kind="limiter_bypass", target="load_limiter")
    until_limits(probe, "bypassed", load_limiter="bypassed")
    status, _ = finding(probe, "limiters")
    assert status.level == status.WARN and "load_limiter bypassed" in status.message
    probe.call(Trigger, "/cable_sim/clear_faults")
    until_limits(probe, "back", load_limiter="ok")


def test_a_latched_limiter_stays_until_it_is_reset(probe):
    inject(probe, 10.0, kind="sensor_bias", target="hoist.speed")
    until_limits(probe, "tripped", overspeed_trip="tripped")
    probe.call(Trigger, "/cable_sim/clear_faults")
    until_limits(probe, "latched", overspeed_trip="latched")
    answer = probe.call(Trigger, "/cable_sim/reset_limiters")
    assert answer.success and "still" not in answer.message
    until_limits(probe, "reset", overspeed_trip="ok")


def test_in_a_pause_faults_and_limits_are_told_too(probe):
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    try:
        inject(probe, kind="power_loss")
        until_faults(probe, "power_loss")
        probe.call(SetBool, "/cable_sim/emergency_stop", data=True)
        until_limits(probe, "engaged", estop="tripped")
    finally:
        probe.call(SetBool, "/cable_sim/emergency_stop", data=False)
        probe.call(SetBool, "/cable_sim/pause", data=False)


@pytest.mark.parametrize(
    "fields, says",
    [
        ({"kind": "meteor"}, "kind"),
        ({"kind": "drive_trip", "target": "nix"}, "axis 'nix' slewing trolley hoist"),
        ({"kind": "limiter_bypass", "target": "hoist"}, "limiter 'hoist'"),
        ({"kind": "brake_slip", "target": "hoist", "value": [7.0]}, "0 1 7"),
        ({"kind": "sensor_bias", "target": "hoist.speed", "value": [NAN]}, "value"),
        ({"kind": "sensor_bias", "target": "hoist.speed", "value": [math.inf]}, "value"),
        ({"kind": "power_loss", "start": -1.0}, "start"),
        ({"kind": "power_loss", "start": NAN}, "start"),
        ({"kind": "power_loss", "duration": -1.0}, "duration"),
        ({"kind": "power_loss", "duration": NAN}, "duration"),
        ({"kind": "x" * 100_000}, "kind"),
    ],
    ids=range(11),
)
def test_a_fault_that_cannot_be_is_refused(probe, fields, says):
    probe.publisher(interface.INJECT_FAULT).publish(FaultCommand(**fields))
    refused(probe, says)
    status = finding(probe, "faults")[0]
    assert status.level == status.OK
