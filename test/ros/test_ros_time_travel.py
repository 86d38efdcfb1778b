"""Past times in /tf as a buffer of tf2 looks them up: between the two stamps around each, across
pause, steps, resets and snapshots. A buffer refuses older stamps and takes equal ones once."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from cable_sim.msg import AxisCommand
from rclpy.qos import QoSProfile
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes import load_crane
from cable_sim.ros import interface

PARAMETERS = {"crane_config": "lab_inteco", "command_timeout": 60.0}
TICK = 10_000_000
MOST_ACCELERATION = 2.0
"""More than the load has anywhere here [m/s^2]."""
DEEP = QoSProfile(depth=5000)


def nanoseconds(stamp):
    """A stamp as one number."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def vector(point):
    """Its coordinates."""
    return np.array([point.x, point.y, point.z])


@pytest.fixture(scope="module")
def crane():
    """One whose load hangs from the start."""
    return load_crane("lab_inteco")


@pytest.fixture(scope="module")
def history(node, probe, crane):
    """Transforms by frame, and true places of the load by stamp [ns], of an eventful run."""
    moving = probe.listen(interface.TF, DEEP)
    truths = probe.listen(interface.GROUND_TRUTH, DEEP)
    for axis, speed in {"gantry": 0.2, "trolley": 0.2}.items():
        out = probe.publisher(interface.axis_command(axis))
        out.publish(AxisCommand(value=speed, enable=True))

    def call(kind, name, **fields):
        answer = probe.call(kind, f"/cable_sim/{name}", **fields)
        assert answer.success, answer.message

    def go_on(ticks=60):
        probe.fresh(interface.CLOCK, ticks)

    go_on(200)
    call(Trigger, "save_snapshot")
    go_on()
    call(SetBool, "pause", data=True)
    topic, kind, qos = interface.TF
    late = probe.node.create_subscription(kind, topic, lambda _: None, qos)
    go_on(12)  # the state is sent again for who came late
    probe.node.destroy_subscription(late)
    for _ in range(3):
        call(Trigger, "step")
    call(Trigger, "reset")
    call(SetBool, "pause", data=False)
    for name in ("reset", "load_snapshot"):
        go_on()
        call(Trigger, name)
    go_on()
    transforms = {}
    for message in moving:
        for one in message.transforms:
            transforms.setdefault(one.child_frame_id, []).append(one)
    true = {nanoseconds(m.header.stamp): vector(m.pose.pose.position) for m in truths}
    return transforms, true


def test_stamps_never_fall_and_equal_ones_tell_the_same(history):
    transforms, _ = history
    repeated = 0
    for told in transforms.values():
        for before, after in zip(told, told[1:], strict=False):
            forward = nanoseconds(after.header.stamp) - nanoseconds(before.header.stamp)
            assert forward >= 0
            assert forward > 0 or before == after
            repeated += forward == 0
    assert repeated > 0  # else there was nothing to see


def test_a_place_between_two_stamps_is_where_the_load_was(history, crane):
    """A straight line over h leaves a path of acceleration a by a h^2 / 8 at most."""
    transforms, true = history
    told = transforms[crane.suspension.load]
    most = MOST_ACCELERATION * (2e-9 * TICK) ** 2 / 8
    speeds = []
    for before, after in zip(told, told[1:], strict=False):
        begin = nanoseconds(before.header.stamp)
        middle = true.get(begin + TICK)
        if nanoseconds(after.header.stamp) - begin != 2 * TICK or middle is None:
            continue
        ends = [vector(one.transform.translation) for one in (before, after)]
        jump = np.linalg.norm(ends[1] - ends[0])
        if jump < 0.1:  # no reset lies between the two
            assert np.linalg.norm((ends[0] + ends[1]) / 2 - middle) < most
            speeds.append(jump)
    assert len(speeds) > 100
    assert max(speeds) > 20 * most  # a stamp of another tick would show
