"""Commands over the wire: they move the crane, and what can't be obeyed is refused, counted and
survived."""

import os
import signal
import subprocess
import sys

import pytest
from messages import naming

pytest.importorskip("rclpy")

from cable_sim.msg import AxisCommand
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState, Joy
from std_srvs.srv import SetBool, Trigger

from cable_sim.ros import interface

PARAMETERS = {"real_time_factor": 4.0, "diagnostics_period": 0.1, "joystick": "true"}
NAN, INF = float("nan"), float("inf")
PUBLISH_FOR_EVER = """
import rclpy, time
from cable_sim.msg import AxisCommand
from cable_sim.ros.interface import axis_command
rclpy.init()
node = rclpy.create_node("controller")
end = axis_command("trolley")
out = node.create_publisher(end.type, end.topic, end.qos)
while True:
    out.publish(AxisCommand(value=0.5, enable=True))
    time.sleep(0.01)
"""


@pytest.fixture(autouse=True)
def _fresh_start(node, probe):
    """Every test begins with the crane at its start and at rest."""
    assert probe.call(Trigger, "/cable_sim/reset").success
    yield
    assert node.alive(), node.said()


def joints(message):
    """Position and speed by joint."""
    return dict(
        zip(message.name, zip(message.position, message.velocity, strict=True), strict=True)
    )


def now(probe):
    """The present joints."""
    return joints(probe.fresh(interface.JOINT_STATES))


def findings(probe, name):
    """The values of one diagnostic status, in the second message from now: the first may be older
    than its cause."""
    message = probe.fresh(interface.DIAGNOSTICS, 2)
    (status,) = [s for s in message.status if s.name.endswith(name)]
    return {pair.key: pair.value for pair in status.values}


def wait_for(probe, condition, what, message=None, endpoint=interface.JOINT_COMMANDS):
    """Wait for a condition on the joints, sending the message meanwhile."""
    states = probe.messages.get("joint_states") or probe.listen(interface.JOINT_STATES)
    out = probe.publisher(endpoint) if message is not None else None
    every = None if out is None else lambda: out.publish(message)
    probe.fresh(interface.JOINT_STATES)
    return probe.until(lambda: condition(joints(states[-1])), what, every=every)


def test_a_joint_state_moves_its_axes_and_nan_leaves_the_others(probe):
    command = JointState(name=["slewing", "trolley", "hoist"], velocity=[0.03, NAN, -0.3])
    wait_for(
        probe,
        lambda j: j["slewing"][1] > 0.01 and j["hoist"][1] < -0.2,
        "slewing and hoisting",
        command,
    )
    assert abs(now(probe)["trolley"][1]) < 0.01


@pytest.mark.parametrize(
    "axis, speed",
    [("slewing", -0.03), ("trolley", 0.5), ("hoist", -0.3)],
    ids=["slewing", "trolley", "hoist"],
)
def test_the_topic_of_an_axis_moves_that_axis_in_its_sense(probe, axis, speed):
    """And no other one, once what moved before has come to rest."""
    command = AxisCommand(mode=AxisCommand.VELOCITY, value=speed, enable=True)

    def moves_alone(j):
        moving = [name for name, (_, rate) in j.items() if abs(rate) > 0.2 * abs(speed)]
        return j[axis][1] / speed > 0.5 and moving == [axis]

    wait_for(probe, moves_alone, f"{axis} alone", command, interface.axis_command(axis))


def test_a_pad_drives_while_its_button_is_held(probe):
    axes = [0.0, 1.0, 0.0, 0.0, -1.0]
    held = Joy(axes=axes, buttons=[1])
    wait_for(
        probe,
        lambda j: j["trolley"][1] > 0.4 and j["hoist"][1] < -0.2,
        "out and up",
        held,
        interface.JOY,
    )
    released = Joy(axes=axes, buttons=[0])
    wait_for(
        probe,
        lambda j: all(abs(rate) < 1e-3 for _, rate in j.values()),
        "standing",
        released,
        interface.JOY,
    )


def test_a_position_is_gone_to_and_kept(probe):
    start = now(probe)["trolley"][0]
    command = JointState(name=["trolley"], position=[start + 0.5])
    wait_for(
        probe,
        lambda j: abs(j["trolley"][0] - start - 0.5) < 0.02 and abs(j["trolley"][1]) < 0.02,
        "the trolley 0.5 m further out",
        command,
    )


def test_the_field_axis_wins_over_the_topic(probe):
    command = AxisCommand(axis="trolley", value=0.5, enable=True)
    wait_for(
        probe,
        lambda j: j["trolley"][1] > 0.3,
        "trolley",
        command,
        interface.axis_command("slewing"),
    )


@pytest.mark.parametrize(
    "command, words",
    [
        (
            JointState(name=["trolley", "boom"], velocity=[0.5, 0.5]),
            ("'boom'", "slewing, trolley, hoist"),
        ),
        (
            JointState(name=["trolley", "hoist"], velocity=[0.5]),
            ("1 values of velocity for 2 joints",),
        ),
        (
            JointState(name=["trolley", "trolley"], velocity=[0.5, 0.5]),
            ("duplicate joint in trolley, trolley",),
        ),
        (JointState(name=["trolley"], velocity=[0.5], position=[30.0]), ("speed and a position",)),
        (AxisCommand(axis="boom", value=0.5, enable=True), ("'boom'", "trolley")),
        (AxisCommand(mode=7, value=0.5, enable=True), ("mode 7",)),
    ],
    ids=[
        "unknown joint",
        "wrong length",
        "duplicate",
        "two at once",
        "unknown axis",
        "unknown mode",
    ],
)
def test_a_malformed_command_is_refused_whole_and_explained(probe, command, words):
    endpoint = (
        interface.JOINT_COMMANDS
        if isinstance(command, JointState)
        else interface.axis_command("trolley")
    )
    out = probe.publisher(endpoint)
    out.publish(command)

    def explained():
        found = findings(probe, "commands")
        notices = " ".join(text for key, text in found.items() if key.startswith("notice"))
        return int(found["rejected"]) > 0 and all(word in notices for word in words)

    probe.until(explained, f"a notice with {words}")
    assert abs(now(probe)["trolley"][1]) < 1e-6


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_what_is_not_finite_is_ignored_and_counted(probe, value):
    before = int(findings(probe, "commands")["not finite"])
    probe.publisher(interface.axis_command("trolley")).publish(
        AxisCommand(value=value, enable=True)
    )
    probe.publisher(interface.JOINT_COMMANDS).publish(
        JointState(name=["trolley"], velocity=[value])
    )
    probe.until(
        lambda: int(findings(probe, "commands")["not finite"]) >= before + 2, "two more not finite"
    )
    assert abs(now(probe)["trolley"][1]) < 1e-6


def test_a_speed_beyond_the_limit_is_cut_down_and_counted(probe, crane):
    command = AxisCommand(value=50.0, enable=True)
    top = crane.axis("trolley").max_speed
    wait_for(
        probe,
        lambda j: j["trolley"][1] > 0.95 * top,
        "full speed",
        command,
        interface.axis_command("trolley"),
    )
    assert now(probe)["trolley"][1] < 1.05 * top
    assert int(findings(probe, "commands")["clamped"]) > 0
    assert probe.fresh(interface.SIM_STATS, 2).clamped_commands > 0


def test_brake_and_the_dead_man_stop_an_axis(probe):
    endpoint = interface.axis_command("trolley")
    for halt in (
        AxisCommand(value=0.5, enable=False),
        AxisCommand(value=0.5, enable=True, brake=True),
    ):
        wait_for(
            probe,
            lambda j: j["trolley"][1] > 0.4,
            "moving",
            AxisCommand(value=0.5, enable=True),
            endpoint,
        )
        wait_for(probe, lambda j: abs(j["trolley"][1]) < 1e-3, "standing", halt, endpoint)


def test_an_axis_stops_when_its_controller_is_killed(probe):
    states = probe.listen(interface.JOINT_STATES) if "joint_states" not in probe.messages else None
    states = states or probe.messages["joint_states"]
    controller = subprocess.Popen(
        [sys.executable, "-c", PUBLISH_FOR_EVER], stdin=subprocess.DEVNULL
    )
    try:
        probe.until(lambda: states and joints(states[-1])["trolley"][1] > 0.45, "moving")
        os.kill(controller.pid, signal.SIGKILL)
        controller.wait()
        killed = states[-1].header.stamp
        probe.until(lambda: abs(joints(states[-1])["trolley"][1]) < 1e-3, "standing")
    finally:
        controller.kill()
        controller.wait()
    stood = states[-1].header.stamp
    # half a second of silence, then a ramp of the trolley's; simulated time goes four times as fast
    # as the messages
    assert stood.sec + 1e-9 * stood.nanosec - killed.sec - 1e-9 * killed.nanosec < 6.0


@pytest.mark.parametrize("endpoint", [interface.JOINT_COMMANDS, interface.axis_command("hoist")])
@pytest.mark.parametrize(
    "junk", [b"", b"\x00\x01\x00\x00", b"\x00\x01\x00\x00" + b"\xff" * 64, b"\xff" * 9]
)
def test_garbage_on_the_wire_does_not_kill_the_node(probe, node, endpoint, junk):
    out = probe.publisher(endpoint)
    try:
        out.publish(junk)
    except Exception:
        pytest.skip("this middleware does not send such a message")
    assert probe.call(Trigger, "/cable_sim/reset").success
    assert node.alive()
    wait_for(
        probe,
        lambda j: j["trolley"][1] > 0.1,
        "it still obeys",
        AxisCommand(value=0.5, enable=True),
        interface.axis_command("trolley"),
    )


def test_text_that_is_no_text_is_counted_as_unreadable(probe):
    from rclpy.serialization import serialize_message

    good = serialize_message(JointState(name=["trolley"], velocity=[0.5]))
    bad = good.replace(b"trolley", b"\xff\xfe\xff\xfe\xff\xfe\xff")
    probe.publisher(interface.JOINT_COMMANDS).publish(bad)

    def counted():
        found = findings(probe, "commands")
        return int(found["unreadable"]) + int(found["rejected"]) > 0

    probe.until(counted, "counted")


def test_an_emergency_stop_overrides_commands_until_released(probe):
    endpoint, command = interface.axis_command("hoist"), AxisCommand(value=-0.3, enable=True)
    wait_for(probe, lambda j: j["hoist"][1] < -0.25, "hoisting", command, endpoint)
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=True).success
    probe.until(lambda: findings(probe, "drives")["emergency stop"] == "engaged", "diagnostics")
    wait_for(
        probe, lambda j: abs(j["hoist"][1]) < 0.01, "standing although commanded", command, endpoint
    )
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=False).success
    out = probe.publisher(endpoint)
    start = probe.fresh(interface.CLOCK).clock.sec
    probe.until(
        lambda: probe.fresh(interface.CLOCK).clock.sec > start + 3,
        "seconds with the lever held",
        every=lambda: out.publish(command),
    )
    assert abs(now(probe)["hoist"][1]) < 0.01
    limits = probe.listen(interface.LIMITS)
    probe.until(
        lambda: limits and limits[-1].state[list(limits[-1].name).index("estop")] == 4, "latched"
    )
    out.publish(AxisCommand(value=0.0, enable=True))
    wait_for(probe, lambda j: j["hoist"][1] < -0.25, "hoisting again", command, endpoint)
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=True).success
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=False).success
    assert probe.call(Trigger, "/cable_sim/reset_limiters").success
    wait_for(probe, lambda j: j["hoist"][1] < -0.25, "hoisting after a reset", command, endpoint)


@pytest.mark.parametrize(
    "endpoint", [interface.JOINT_COMMANDS, interface.axis_command("hoist"), interface.WIND_COMMAND]
)
def test_a_best_effort_publisher_is_told_by_its_name(probe, node, endpoint):
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    deaf = probe.node.create_publisher(endpoint.type, endpoint.topic, qos)
    told = f"{endpoint.topic} /probe heard Best effort publisher reliable subscription"

    def warned():
        (status,) = [
            s for s in probe.fresh(interface.DIAGNOSTICS).status if s.name.endswith("commands")
        ]
        return naming(told).search(status.message)

    try:
        probe.until(warned, told)
        probe.until(lambda: naming(told).search(node.said()), "in the log")
        assert any(naming(told).search(text) for text in findings(probe, "commands").values())
    finally:
        probe.node.destroy_publisher(deaf)
    probe.until(lambda: not warned(), "no warning any more")
    assert len(naming(told).findall(node.said())) == 1
