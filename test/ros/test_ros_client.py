"""RosSource: a viewer's and operator's view of a node in another process."""

import math
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from transforms3d.quaternions import axangle2quat

pytest.importorskip("rclpy")

from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.faults import Fault
from cable_sim.machine.pictures.frame import Source
from cable_sim.ros.basis.node_link import OwnNode
from cable_sim.ros.client import remote_crane
from cable_sim.ros.client.node_state_cache import axes_of
from cable_sim.ros.client.remote_crane import RosSource

DEADLINE = 120.0


def until(condition, what, deadline=DEADLINE, every=lambda: None):
    """Wait for a condition."""
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        every()
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    pytest.fail(f"not within {deadline} s: {what}")


@pytest.fixture(scope="module")
def source(domain, crane):
    """A source, at first without a node."""
    made: Source = RosSource(crane)
    yield made
    made.close()
    made.close()


def test_without_a_node_there_is_no_frame_and_nothing_waits(source):
    begin = time.monotonic()
    assert source.latest() is None and not source.connected
    source.command("hoist", 0.1)
    source.pause(False)  # what a node that comes up within seconds may well be told
    source.step()
    assert time.monotonic() - begin < 10.0


def test_until_the_first_frame_the_log_tells_of_the_start(source):
    """The node's, and no other's."""
    with closing(OwnNode("somebody_else")) as link:
        log = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        sender = link.node.create_publisher(Log, "/rosout", log)
        for name, text in (("cable_sim", "still compiling: 40 s"), ("rviz", "no shader")):
            sender.publish(Log(name=name, msg=text))
        until(lambda: source.progress, "the line")
        until(lambda: source.progress in ("still compiling: 41 s", "still compiling: 42 s"), "on")


def test_an_axis_that_is_not_there_is_refused(source):
    with pytest.raises(CommandError, match="'boom'.*hoist"):
        source.command("boom", 0.1)


def test_joint_states_of_somebody_else_leave_out_what_they_like(source, crane):
    """As joint_state_publisher does, which has positions alone, or a controller manager, with
    further joints."""
    joints = [axis.joint for axis in crane.axes]
    axes = axes_of(
        crane, JointState(name=["boom", *joints], position=[9.0, *map(float, range(len(joints)))])
    )
    assert [axes[axis.name].position for axis in crane.axes] == list(range(len(joints)))
    assert all(math.isnan(state.velocity) and math.isnan(state.effort) for state in axes.values())
    assert axes_of(crane, JointState(name=["boom"], velocity=[1.0])) == {}


def test_frames_come_and_are_complete(node, source, crane):
    until(
        lambda: source.connected and source.latest(), "a frame", 300.0
    )  # the node is just being started
    frame = until(
        lambda: (f := source.latest()) and f.cables[crane.ropes[0]].tension.all() and f, "tensions"
    )
    assert set(frame.poses) == {body.name for body in crane.scene.bodies}
    assert set(frame.axes) == {axis.name for axis in crane.axes}
    assert set(frame.cables) == {cable.name for cable in crane.scene.cables}
    for picture in frame.cables.values():
        assert len(picture.tension) == len(picture.nodes) - 1 and np.isfinite(picture.points).all()
    hook, trolley = frame.poses[crane.suspension.hook][0], frame.poses[crane.suspension.trolley][0]
    assert frame.sway.length == pytest.approx(np.linalg.norm(hook - trolley), abs=1e-2)
    block = next(body for body in crane.scene.bodies if body.name == crane.suspension.hook)
    yaw = 2.0 * math.atan2(block.orientation[3], block.orientation[0])
    assert frame.hook_yaw == pytest.approx(yaw, abs=2e-3)
    assert frame.cables[crane.ropes[0]].points[:, 2].min() == pytest.approx(hook[2], abs=1.0)


def test_hook_turns_are_counted_between_frames_until_a_reset(source, crane):
    def shown(ticks, yaw):
        angles = {crane.suspension.trolley: 2.0, crane.suspension.hook: 2.0 + yaw}
        orientations = {body: axangle2quat((0, 0, 1), angle) for body, angle in angles.items()}
        return source._hook_yaw(ticks, {name: (np.zeros(3), q) for name, q in orientations.items()})

    begun = source._turned
    try:
        for i, yaw in enumerate(np.linspace(0.5, -14.0, 40)):
            assert shown(begun[0] + 10 * (i // 5), yaw) == pytest.approx(
                yaw
            )  # the count comes less often than poses
        assert shown(begun[0] - 1, -14.0) == pytest.approx(-14.0 + 4.0 * math.pi)
    finally:
        source._turned = begun


def test_commands_move_the_crane(node, source):
    moved = until(
        lambda: (f := source.latest()).axes["hoist"].velocity < -0.2 and f,
        "hoisting",
        every=lambda: source.command("hoist", -0.3),
    )
    assert not moved.paused and not moved.emergency_stop


def test_requests_are_delivered_and_seen_in_the_frame(node, source):
    source.emergency_stop(True)
    until(lambda: source.latest().emergency_stop, "emergency stop")
    source.emergency_stop(False)
    until(lambda: not source.latest().emergency_stop, "release")
    source.pause(True)
    before = until(lambda: (f := source.latest()).paused and f, "pause").time
    before = source.latest().time
    source.step()
    until(lambda: source.latest().time == pytest.approx(before + 0.01), "a step")
    source.reset()
    until(lambda: source.latest().time == pytest.approx(before + 0.02), "a reset")
    source.pause(False)
    until(lambda: not source.latest().paused, "time goes on")


def test_limits_readings_and_faults_are_in_the_frame(node, source, crane):
    def told():
        """A frame with limits and a load; that has no reading before the first tick."""
        frame = source.latest()
        return frame.limits and math.isfinite(frame.readings.get("load", math.nan)) and frame

    frame = until(told, "load and limits")
    assert set(frame.limits) == {*(limiter.name for limiter in crane.limiters), "estop", "enable"}
    assert frame.readings["radius"] == pytest.approx(20.0, abs=1.0)
    assert {"load_moment", "wind.speed", "pull.least"} <= set(frame.readings) and frame.faults == ()
    source.inject(Fault("sensor_bias", "hoist.speed", 10.0))
    until(lambda: source.latest().faults == ("sensor_bias hoist.speed",), "the fault")
    until(lambda: source.latest().limits["overspeed_trip"] == "tripped", "overspeed")
    source.clear_faults()
    until(
        lambda: (
            source.latest().faults == () and source.latest().limits["overspeed_trip"] == "latched"
        ),
        "latched",
    )
    source.reset_limiters()
    until(lambda: source.latest().limits["overspeed_trip"] == "ok", "reset")


def test_the_last_frame_stays_until_a_killed_node_is_back(node, start_node, source):
    node.process.kill()
    node.ended()
    until(lambda: not source.connected, "silence noticed")
    last = source.latest()
    assert last.real_time_factor == 0.0 and "nothing" in last.condition
    assert not any("nothing" in message for message in last.messages)
    source.emergency_stop(True)
    again = start_node()
    try:
        until(lambda: source.connected, "connected again", 60.0)
        until(lambda: source.latest().time != last.time, "new frames")
        until(
            lambda: source.latest().emergency_stop,
            "the emergency stop asked for meanwhile is delivered",
        )
        source.emergency_stop(False)
        until(lambda: not source.latest().emergency_stop, "release")
        source.command("hoist", 0.0)
        until(
            lambda: source.latest().axes["hoist"].velocity < -0.2,
            "obeys again",
            every=lambda: source.command("hoist", -0.3),
        )
    finally:
        assert again.end() == 0


@pytest.fixture(scope="module")
def node(start_node):
    """A node that a test here kills, so it is not the common one."""
    return start_node()


def test_axes_without_a_topic_share_a_message_while_commanded():
    """The node keeps the newest message alone."""
    axes, sent = load_crane("rtg_41t").axes[3:], []
    take = lambda m: sent.append(dict(zip(m.name, m.velocity, strict=True)))  # noqa: E731
    publisher = SimpleNamespace(publish=take)
    others = remote_crane._JointCommands(
        SimpleNamespace(create_publisher=lambda *_: publisher), axes
    )
    for axis, speed, now in (
        ("skew", 0.1, 5.0),
        ("trim", -0.2, 5.0),
        ("skew", 0.0, 5.05),
        ("trim", -0.2, 5.2),
    ):
        others.command(axis, speed, now)
    assert sent == [
        {"skew": 0.1},
        {"skew": 0.1, "trim": -0.2},
        {"skew": 0.0, "trim": -0.2},
        {"trim": -0.2},
    ]


class Deaf:
    """A service's client that counts what waits for an answer, which never comes until it is
    given."""

    def __init__(self):
        self.waiting = []

    def service_is_ready(self):
        return True

    def call_async(self, request):
        self.waiting.append(Future())
        return self.waiting[-1]

    def remove_pending_request(self, future):
        self.waiting.remove(future)


def test_a_resent_request_takes_any_answer_and_leaves_none_open(crane, monkeypatch):
    """As `RosSource` does it, without its thread: time goes by by hand, and the node never answers,
    or answers late."""
    now, service = [100.0], Deaf()
    monkeypatch.setattr(remote_crane, "time", SimpleNamespace(monotonic=lambda: now[0]))
    mail = SimpleNamespace(heard=0.0, note=lambda text: None)
    source = SimpleNamespace(
        _wanted={}, _services={"emergency_stop": service}, _cache=mail, connected=True
    )
    for name in ("_forget", "_give_up"):
        setattr(source, name, partial(getattr(RosSource, name), source))
    RosSource._want(source, "emergency_stop", SetBool.Request(data=True), math.inf)
    for _ in range(100):
        RosSource._deliver(source)
        now[0] += remote_crane.RESEND + 0.01
    assert len(service.waiting) == remote_crane.MOST_SENT and source._wanted
    service.waiting[3].set_result(None)  # late, and not that of what was sent last
    RosSource._deliver(source)
    assert not source._wanted and service.waiting == []


def test_who_looks_at_a_node_elsewhere_loads_no_solver():
    code = (
        "import sys, cable_sim.ros.client.remote_crane; print({'numba', 'scipy'} & "
        "set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "set()"
    )
