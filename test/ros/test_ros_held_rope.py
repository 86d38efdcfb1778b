"""The rope in a hand as a node: what it tells, cmd_vel and its mistakes, a game pad, a keyboard, a
viewer's frames."""

import os
import pty
import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.msg import AxisCommand
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState, Joy
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.bags.recorder import endpoints_of
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.basis.frames import floating_bodies
from cable_sim.ros.command.commands import CommandReader, Counts
from cable_sim.ros.command.joystick import Joystick
from cable_sim.ros.publish.cable_markers import ROUNDING, CableMarkers
from cable_sim.ros.publish.markers import scene_markers

PARAMETERS = {"crane_config": "nehe_rope", "joystick": "true", "diagnostics_period": 0.1}
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def crane():
    return load_crane("nehe_rope")


def twist(x=0.0, y=0.0, z=0.0, frame="", **angular):
    """A TwistStamped."""
    return TwistStamped(
        header=Header(frame_id=frame),
        twist=Twist(linear=Vector3(x=x, y=y, z=z), angular=Vector3(**angular)),
    )


def wishes(message, crane, counts=None):
    return {
        wish.axis: wish.value for wish in CommandReader(crane, counts or Counts()).twist(message)
    }


# Without a graph


def test_a_twist_is_a_speed_for_each_axis_in_its_sense(crane):
    assert wishes(twist(1.0, -2.0, 0.5, "world"), crane) == {"x": 1.0, "y": -2.0, "z": 0.5}
    gantry = load_crane("gantry_crane")
    assert wishes(twist(1.0, -2.0, 0.5), gantry) == {"trolley": 1.0, "gantry": -2.0, "hoist": -0.5}
    assert interface.CMD_VEL not in interface.commanded_endpoints(load_crane("tower_12t"))


def test_non_finite_speeds_are_ignored_and_the_others_obeyed(crane):
    counts = Counts()
    assert wishes(twist(NAN, 1.0, INF), crane, counts) == {"y": 1.0}
    (told,) = counts.take_unlogged()
    assert counts.of["not_finite"] == 2 and naming("cmd_vel linear.z inf").search(told)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"frame": "hand"}, ["frame_id 'hand'", "'world'"]),
        ({"angular": {"z": 0.5}}, ["angular.z is 0.5 rad/s", "must be 0"]),
        ({"angular": {"x": INF}}, ["angular.x is inf"]),
    ],
)
def test_what_a_hand_can_not_do_is_refused(crane, message, words):
    made = twist(1.0, frame=message.get("frame", ""))
    made.twist.angular = Vector3(**message.get("angular", {}))
    with pytest.raises(CommandError) as caught:
        wishes(made, crane)
    assert all(word in str(caught.value) for word in words)


def test_a_component_that_nothing_moves_along_is_refused(crane):
    flat = SimpleNamespace(axes=crane.axes[:2], scene=crane.scene, suspension=None, watched="hand")
    assert wishes(twist(1.0, 0.0, 0.0), flat) == {"x": 1.0, "y": 0.0}
    with pytest.raises(CommandError, match=naming("linear.z 0.5 m/s x y")):
        wishes(twist(1.0, 0.0, 0.5), flat)


def test_the_sticks_of_a_pad_take_the_hand_with_them(crane):
    """Left stick right and forward, right stick up; and a hand at rest when the button is let
    go."""
    pad = Joystick(crane)
    told = {w.axis: w.value for w in pad.read(Joy(axes=[-1.0, 1.0, 0.0, 0.0, 1.0], buttons=[1]))}
    assert told == pytest.approx({"x": 3.0, "y": 3.0, "z": 3.0})
    assert all(
        wish.brake and wish.value == 0.0 for wish in pad.read(Joy(axes=[1.0] * 5, buttons=[0]))
    )
    assert pad.read(Joy(axes=[1.0] * 5, buttons=[0])) == []


def test_the_description_has_a_slide_for_each_axis(crane):
    robot = ElementTree.fromstring(robot_description(crane))
    joints = {joint.get("name"): joint for joint in robot.iter("joint")}
    assert {name: joint.get("type") for name, joint in joints.items()} == dict.fromkeys(
        "xyz", "prismatic"
    )
    assert (
        joints["z"].find("axis").get("xyz") == "0.0 0.0 1.0"
        and joints["z"].find("limit").get("upper") == "3.0"
    )
    assert joints["z"].find("limit").get("effort") == "500.0" and floating_bodies(crane) == ()


def test_the_rope_is_a_smooth_tube_coloured_piece_by_piece(crane):
    """Through all masses, with corners half as sharp, at its own width; and the ground below."""
    machine, markers = Machine(crane), CableMarkers(crane, "c/", "map")
    for _ in range(60):
        observation = machine.tick()
    seen = observation.cable("rope")
    array = deserialize_message(markers.fill(observation), MarkerArray)
    (strip,) = [m for m in array.markers if m.type == Marker.LINE_STRIP]
    drawn = np.array([(p.x, p.y, p.z) for p in strip.points])
    np.testing.assert_array_equal(drawn, seen.curve)
    assert len(strip.colors) == len(strip.points) == 80
    tubes = [m for m in array.markers if m.type == Marker.CYLINDER]
    assert len(tubes) == 79 * ROUNDING and {m.scale.x for m in tubes} == {0.03}
    shades = {(m.color.r, m.color.g, m.color.b) for m in tubes}
    assert len(shades) > 20, "every piece by its own tension"
    middles = np.array([(m.pose.position.x, m.pose.position.y, m.pose.position.z) for m in tubes])
    beside = middles.reshape(79, ROUNDING, 3).mean(axis=1) - 0.5 * (drawn[1:] + drawn[:-1])
    assert np.linalg.norm(beside, axis=1).max() < 0.01
    ground = [m for m in scene_markers(crane, "", "world").markers if m.type == Marker.CUBE]
    assert [m.pose.position.z + 0.5 * m.scale.z for m in ground] == [pytest.approx(-1.5)]


def test_what_there_is_to_record_leaves_out_the_load(crane):
    topics = [endpoint.topic for endpoint in endpoints_of(crane)]
    assert {"x_command", "y_command", "z_command", "cmd_vel", "joint_states"} <= set(topics)
    assert not {"sway_state", "payload_ground_truth", "winch_command"} & set(topics)


# With a node


@pytest.fixture
def at_start(node, probe):
    """The hand at its start, at rest; and a node that lives on, whatever the test sent."""
    assert probe.call(Trigger, "/cable_sim/reset").success
    yield
    assert node.alive(), node.said()


def moving(probe, endpoint, message, condition, what):
    """Repeat a message until the joints' (position, speed, effort) by name do what is wanted."""
    states, out = probe.listen(interface.JOINT_STATES), probe.publisher(endpoint)
    probe.until(lambda: states, "joint states")

    def joints():
        last = states[-1]
        rows = zip(last.position, last.velocity, last.effort, strict=True)
        return condition(dict(zip(last.name, rows, strict=True)))

    return probe.until(joints, what, every=lambda: out.publish(message))


def commands(probe):
    """The diagnostics of commands."""
    message = probe.fresh(interface.DIAGNOSTICS, 2)
    (status,) = [s for s in message.status if s.name.endswith("commands")]
    return {pair.key: pair.value for pair in status.values}


def test_topics_are_those_of_a_hand(probe, at_start):
    def listed():
        names = probe.published()
        if "/cable_states" not in names:
            return None
        taken = dict(probe.node.get_subscriber_names_and_types_by_node("cable_sim", "/"))
        return (names, taken) if "/cmd_vel" in taken else None

    names, taken = probe.until(listed, "topics")
    assert not {"/sway_state", "/payload_ground_truth"} & set(names)
    assert {"/x_command", "/y_command", "/z_command", "/joint_commands", "/cmd_vel", "/joy"} <= set(
        taken
    )
    assert taken["/cmd_vel"] == ["geometry_msgs/msg/TwistStamped"]


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_cmd_vel_moves_the_hand_along_each_axis(probe, at_start, axis):
    def there(joints):
        others = [abs(joints[name][1]) for name in "xyz" if name != axis]
        return joints[axis][1] > 0.9 and max(others) < 0.05

    moving(
        probe,
        interface.CMD_VEL,
        twist(**{axis: 1.0}, frame="world"),
        there,
        f"the hand along {axis}",
    )


def test_a_hand_that_is_told_nothing_more_stops(probe, at_start):
    moving(probe, interface.CMD_VEL, twist(x=1.0), lambda j: j["x"][1] > 0.9, "motion")
    states = probe.messages["joint_states"]
    probe.until(lambda: abs(states[-1].velocity[0]) < 1e-3, "rest after the timeout")


def test_a_wrong_frame_is_refused_and_counted(probe, at_start):
    probe.publisher(interface.CMD_VEL).publish(twist(x=1.0, frame="odom"))
    found = probe.until(lambda: (f := commands(probe))["rejected"] != "0" and f, "a refusal")
    assert any("frame_id 'odom'" in text for key, text in found.items() if key.startswith("notice"))
    assert abs(probe.fresh(interface.JOINT_STATES).velocity[0]) < 1e-6


def test_a_turn_is_refused_and_counted(probe, at_start):
    wrong = twist(x=1.0)
    wrong.twist.angular.z = 0.5
    probe.publisher(interface.CMD_VEL).publish(wrong)
    found = probe.until(lambda: (f := commands(probe))["rejected"] != "0" and f, "a refusal")
    assert any(
        "angular.z is 0.5" in text for key, text in found.items() if key.startswith("notice")
    )
    assert abs(probe.fresh(interface.JOINT_STATES).velocity[0]) < 1e-6


def test_no_number_leaves_an_axis_as_it_was_told(probe, at_start):
    moving(probe, interface.CMD_VEL, twist(x=0.8), lambda j: j["x"][1] > 0.7, "motion along x")
    moving(
        probe, interface.CMD_VEL, twist(NAN, 0.8, 0.0), lambda j: j["y"][1] > 0.7, "motion along y"
    )
    assert int(commands(probe)["not finite"]) > 0


def test_pad_topic_and_joint_state_move_the_hand_and_show_effort(probe, at_start):
    pad = Joy(axes=[-1.0, 0.0, 0.0, 0.0, 0.0], buttons=[1])
    moving(
        probe, interface.JOY, pad, lambda j: j["x"][1] > 2.0, "full speed to the right by the pad"
    )
    up = AxisCommand(value=1.0, enable=True)
    lifted = lambda j: j["z"][0] > 0.5 and j["z"][2] > 15.0  # noqa: E731
    moving(
        probe,
        interface.axis_command("z"),
        up,
        lifted,
        "up by z_command, with the weight of hand and rope",
    )
    left = JointState(name=["x", "y"], velocity=[-1.0, NAN])
    still = lambda j: j["x"][1] < -0.9 and abs(j["y"][1]) < 0.01  # noqa: E731
    moving(probe, interface.JOINT_COMMANDS, left, still, "left by joint_commands, y as it was")


def test_an_emergency_stop_holds_the_hand(probe, at_start):
    moving(probe, interface.CMD_VEL, twist(y=1.0), lambda j: j["y"][1] > 0.9, "motion")
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=True).success
    states = probe.messages["joint_states"]
    probe.until(lambda: abs(states[-1].velocity[1]) < 1e-3, "standstill")
    assert probe.call(SetBool, "/cable_sim/emergency_stop", data=False).success


def test_a_viewer_gets_the_rope_with_its_loose_end_where_it_is(probe, at_start, crane, domain):
    """Not where it was at the start; and a tension for every piece."""
    from cable_sim.ros.client.remote_crane import RosSource

    source = RosSource(crane, name="watcher")
    try:
        ropes = probe.listen(interface.CABLE_STATES)

        def lying():
            frame = source.latest()
            return (
                frame
                and (p := frame.cables["rope"])
                and len(p.points) == 80
                and p.points[-1, 2] < -1.4
                and frame
            )

        frame = probe.until(lambda: ropes and lying(), "the end on the ground")
        picture = frame.cables["rope"]
        assert len(picture.tension) == 79 and len(picture.nodes) == 80
        assert np.linalg.norm(np.diff(picture.points, axis=0), axis=1).max() < 0.06, (
            "no piece is pulled to the start"
        )
        np.testing.assert_allclose(picture.points[0], frame.poses["hand"][0], atol=1e-9)
        assert np.ptp(picture.tension) > 1.0 and len(ropes[-1].cables[0].span_tension) == 79
        assert frame.sway is None and frame.hook_yaw is None and set(frame.axes) == set("xyz")
    finally:
        source.close()


def test_home_and_end_in_a_terminal_move_the_hand_up_and_down(probe, at_start):
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "cable_sim.cli", "teleop", "nehe_rope"]
    told, states = probe.listen(interface.axis_command("z")), probe.listen(interface.JOINT_STATES)
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=subprocess.STDOUT)
    try:
        probe.until(lambda: len(told) > 3, "commands")
        probe.until(
            lambda: states[-1].velocity[2] > 0.3, "up", every=lambda: os.write(master, b"\x1b[1~")
        )
        probe.until(
            lambda: states[-1].velocity[2] < -0.3, "down", every=lambda: os.write(master, b"\x1bOF")
        )
        probe.until(lambda: abs(states[-1].velocity[2]) < 1e-3, "rest, with no key")
        os.write(master, b"q")
        assert process.wait(300.0) == 0
    finally:
        process.kill()
        os.close(master)
        os.close(slave)
