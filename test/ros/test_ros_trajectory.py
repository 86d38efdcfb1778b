"""Trajectories over the wire: the action of control_msgs with a real client, and the topic."""

import os
import signal
import subprocess
import sys

import pytest
from conftest import Probe
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
pytest.importorskip("control_msgs", reason="needs control_msgs: scripts/setup test builds it")

from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration, Time
from cable_sim.msg import AxisCommand
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from cable_sim.ros import interface
from cable_sim.ros.node import parameter_server

PARAMETERS = {"real_time_factor": 4.0, "diagnostics_period": 0.1}
ACTION = "/cable_sim/follow_joint_trajectory"
Result = FollowJointTrajectory.Result
DIES = """
import rclpy, sys
from rclpy.action import ActionClient
from rclpy.serialization import deserialize_message
from control_msgs.action import FollowJointTrajectory
rclpy.init()
node = rclpy.create_node("planner")
client = ActionClient(node, FollowJointTrajectory, "/cable_sim/follow_joint_trajectory")
client.wait_for_server()
goal = deserialize_message(bytes.fromhex(sys.argv[1]), FollowJointTrajectory.Goal)
future = client.send_goal_async(goal)
rclpy.spin_until_future_complete(node, future)
sys.stdin.readline()
client.destroy()
node.destroy_node()
rclpy.shutdown()
"""


@pytest.fixture(autouse=True)
def _fresh_start(node, probe):
    """Every test begins with the crane at its start and at rest."""
    assert probe.call(Trigger, "/cable_sim/reset").success
    yield
    assert node.alive(), node.said()


@pytest.fixture(scope="module")
def client(node, probe):
    made = ActionClient(probe.node, FollowJointTrajectory, ACTION)
    probe.until(made.server_is_ready, "the action")
    yield made
    made.destroy()


def trajectory(places, time=10.0, stamp=0.0):
    """A cubic from rest to rest."""
    point = JointTrajectoryPoint(
        positions=[float(place) for place in places.values()],
        velocities=[0.0] * len(places),
        time_from_start=Duration(sec=int(time), nanosec=int(time % 1 * 1e9)),
    )
    made = JointTrajectory(joint_names=list(places), points=[point])
    made.header.stamp = Time(sec=int(stamp), nanosec=int(stamp % 1 * 1e9))
    return made


def send(probe, client, made, told=None, **fields):
    """Send a goal; its handle."""
    goal = FollowJointTrajectory.Goal(trajectory=made, **fields)
    sent = client.send_goal_async(
        goal, (lambda m: told.append(m.feedback)) if told is not None else None
    )
    probe.until(sent.done, "the answer to the goal")
    assert sent.result().accepted
    return sent.result()


def end(probe, handle):
    """Status and result of a goal."""
    got = handle.get_result_async()
    probe.until(got.done, "the result")
    return got.result().status, got.result().result


def joints(probe):
    """Position and speed by joint."""
    message = probe.fresh(interface.JOINT_STATES)
    return dict(
        zip(message.name, zip(message.position, message.velocity, strict=True), strict=True)
    )


def test_a_goal_moves_three_joints_and_tells_of_its_way(probe, client):
    begin, told = joints(probe), []
    ways = {"hoist": -3.0, "slewing": 0.1, "trolley": 2.0}
    there = {name: begin[name][0] + way for name, way in ways.items()}
    status, result = end(probe, send(probe, client, trajectory(there), told))
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL)
    assert not result.error_string
    arrived = joints(probe)
    for name, place in there.items():
        assert arrived[name][0] == pytest.approx(place, abs=0.01)
    assert told and told[-1].joint_names == list(ways)
    halfway = min(told, key=lambda m: abs(m.desired.time_from_start.sec - 5))
    for desired, actual, error in zip(
        *(getattr(halfway, of).positions for of in ("desired", "actual", "error")), strict=True
    ):
        assert error == pytest.approx(desired - actual) and abs(error) < 0.01
    assert len(halfway.desired.accelerations) == 3 and halfway.header.stamp.sec > 0


def test_a_cancelled_goal_brakes(probe, client):
    place = joints(probe)["trolley"][0]
    handle = send(probe, client, trajectory({"trolley": place + 8.0}))
    probe.until(lambda: joints(probe)["trolley"][1] > 0.3, "moving")
    cancelling = handle.cancel_goal_async()
    probe.until(cancelling.done, "the answer to the cancelling")
    status, result = end(probe, handle)
    assert status == GoalStatus.STATUS_CANCELED and "cancelled" in result.error_string
    probe.until(lambda: abs(joints(probe)["trolley"][1]) < 1e-3, "standing")
    assert joints(probe)["trolley"][0] < place + 7.0


def tolerance(name, position):
    return [JointTolerance(name=name, position=position)]


REFUSED = {
    "joint": ({"boom": 1.0}, {}, Result.INVALID_JOINTS, ("'boom'", "slewing, trolley, hoist")),
    "place": ({"trolley": 99.0}, {}, Result.INVALID_GOAL, ("'trolley'", "99 m", "2.8 ... 69.5")),
    "path": (
        {"trolley": 24.0},
        {"path_tolerance": tolerance("trolley", 1e-5)},
        Result.PATH_TOLERANCE_VIOLATED,
        ("'trolley'", "1e-05 are allowed"),
    ),
    "goal": (
        {"trolley": 24.0},
        {"goal_tolerance": tolerance("trolley", 1e-9), "goal_time_tolerance": Duration(sec=1)},
        Result.GOAL_TOLERANCE_VIOLATED,
        ("'trolley'", "1e-09 are allowed", "1 s after"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_failed_goal_tells_code_joint_value_and_limit(probe, client, case):
    places, fields, code, words = REFUSED[case]
    status, result = end(probe, send(probe, client, trajectory(places), **fields))
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, code), result.error_string
    assert all(word in result.error_string for word in words), result.error_string


def test_a_goal_of_the_past_has_an_old_stamp(probe, client):
    probe.until(lambda: probe.fresh(interface.CLOCK).clock.sec > 3, "time")
    made = trajectory({"trolley": 21.0}, 1.0, stamp=0.5)
    _, result = end(probe, send(probe, client, made))
    assert result.error_code == Result.OLD_HEADER_TIMESTAMP and "s past" in result.error_string


def test_a_new_goal_ends_the_one_before(probe, client):
    first = send(probe, client, trajectory({"trolley": 28.0}))
    probe.until(lambda: joints(probe)["trolley"][1] > 0.3, "moving")
    second = send(probe, client, trajectory({"trolley": 21.0}))
    status, result = end(probe, first)
    assert status == GoalStatus.STATUS_ABORTED and "another" in result.error_string
    assert end(probe, second)[0] == GoalStatus.STATUS_SUCCEEDED
    assert joints(probe)["trolley"][0] == pytest.approx(21.0, abs=0.01)


def test_emergency_stop_reset_and_a_foreign_command_abort_a_goal(probe, client):
    axis = interface.axis_command("hoist")
    acts = {
        "emergency stop": lambda: probe.call(SetBool, "/cable_sim/emergency_stop", data=True),
        "put elsewhere": lambda: probe.call(Trigger, "/cable_sim/reset"),
        "another command has come to hoist": lambda: probe.publisher(axis).publish(
            AxisCommand(enable=True)
        ),
    }
    for words, act in acts.items():
        place = joints(probe)["hoist"][0]
        handle = send(probe, client, trajectory({"hoist": place - 4.0}))
        probe.until(lambda: joints(probe)["hoist"][1] < -0.2, "moving")
        act()
        status, result = end(probe, handle)
        assert status == GoalStatus.STATUS_ABORTED and words in result.error_string
        assert result.error_code == Result.PATH_TOLERANCE_VIOLATED
        probe.call(SetBool, "/cable_sim/emergency_stop", data=False)
        probe.call(Trigger, "/cable_sim/reset")


def test_a_goal_whose_client_left_brakes(probe, client):
    from rclpy.serialization import serialize_message

    goal = FollowJointTrajectory.Goal(trajectory=trajectory({"trolley": 60.0}, 120.0))
    planner = subprocess.Popen(
        [sys.executable, "-c", DIES, serialize_message(goal).hex()], stdin=subprocess.PIPE
    )
    try:
        probe.until(lambda: joints(probe)["trolley"][1] > 0.05, "moving")
        probe.until(lambda: probe.node.count_clients(f"{ACTION}/_action/send_goal") > 1, "both")
        probe.until(lambda: joints(probe)["trolley"][1] > 0.2, "faster")
        planner.communicate(b"\n", 60.0)
        probe.until(lambda: abs(joints(probe)["trolley"][1]) < 1e-3, "standing")
        assert joints(probe)["trolley"][0] < 58.0
    finally:
        if planner.poll() is None:
            os.kill(planner.pid, signal.SIGKILL)
        planner.wait()


def test_the_topic_moves_a_joint_and_tells_of_what_is_wrong(probe):
    out = probe.publisher(interface.JOINT_TRAJECTORY)
    out.publish(trajectory({"trolley": 22.0}))
    probe.until(lambda: abs(joints(probe)["trolley"][0] - 22.0) < 0.01, "22 m")
    out.publish(trajectory({"boom": 1.0}))

    def told():
        (status,) = [
            s for s in probe.fresh(interface.DIAGNOSTICS).status if s.name.endswith("commands")
        ]
        return any(naming("joint 'boom'").search(pair.value) for pair in status.values)

    probe.until(told, "a notice")


@pytest.mark.skipif(
    not parameter_server.senders_told(), reason="rclpy tells no senders before Kilted"
)
def test_command_source_names_the_action_like_a_node(probe, client):
    made = trajectory({"trolley": 21.0}, 5.0)
    try:
        probe.change(command_source="planner")
        status, result = end(probe, send(probe, client, made))
        assert status == GoalStatus.STATUS_ABORTED and "command_source" in result.error_string
        probe.change(command_source="follow_joint_trajectory")
        assert end(probe, send(probe, client, made))[0] == GoalStatus.STATUS_SUCCEEDED
    finally:
        probe.change(command_source="any")


def test_a_node_that_ends_amid_a_goal_ends_well(start_node, domain):
    probe = Probe(domain, "planner")
    made = start_node("-r", "__ns:=/ends")
    action = ActionClient(
        probe.node, FollowJointTrajectory, "/ends/cable_sim/follow_joint_trajectory"
    )
    try:
        probe.until(action.server_is_ready, "the action")
        told = []
        send(probe, action, trajectory({"trolley": 40.0}, 60.0), told)
        probe.until(lambda: told, "feedback")
        assert made.end() == 0
        assert len(made.complaints()) == 0, made.said()
    finally:
        action.destroy()
        probe.close()
