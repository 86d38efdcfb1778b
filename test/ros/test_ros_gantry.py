"""The gantry crane in the node: its axes on every topic that names one, and its levers on keyboard
and pad."""

import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim.cranes import load_crane

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from sensor_msgs.msg import JointState, Joy

from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.basis.frames import floating_bodies, links
from cable_sim.ros.client.remote_crane import RosSource
from cable_sim.ros.command import teleop
from cable_sim.ros.command.joystick import Joystick
from cable_sim.ros.interface import (
    CABLE_STATES,
    GROUND_TRUTH,
    JOINT_COMMANDS,
    JOINT_STATES,
    SWAY_STATE,
    TF,
    axis_command,
)
from cable_sim.ros.publish.markers import scene_markers

PARAMETERS = {"crane_config": "gantry_crane", "real_time_factor": 2.0}


@pytest.fixture(scope="module")
def crane():
    return load_crane("gantry_crane")


def test_the_node_publishes_gantry_axes_and_takes_commands(node, probe, crane):
    from cable_sim.msg import AxisCommand

    joints, sway = probe.listen(JOINT_STATES), probe.listen(SWAY_STATE)
    probe.until(lambda: joints and sway, "joint states and sway")
    assert list(joints[-1].name) == ["gantry", "trolley", "hoist", "skew", "trim", "wheel_turn"]
    assert joints[-1].position[1] == pytest.approx(-9.0, abs=1e-6)
    publisher = probe.publisher(axis_command("gantry"))

    def travelled():
        publisher.publish(AxisCommand(axis="gantry", value=1.0, enable=True))
        return joints[-1].velocity[0] > 0.2

    probe.until(travelled, "the gantry's travel on gantry_command")
    commands = probe.publisher(JOINT_COMMANDS)

    def hoisted():
        commands.publish(JointState(name=["hoist", "trolley"], velocity=[-0.3, 0.4]))
        return joints[-1].velocity[2] < -0.2 and joints[-1].velocity[1] > 0.2

    probe.until(hoisted, "hoist and trolley on joint_commands")
    assert sway[-1].valid and sway[-1].header.frame_id == "trolley"


def test_axes_without_a_topic_are_moved_by_page_and_keyboard(node, probe, crane):
    """Several at once, on joint_commands."""
    joints, source = probe.listen(JOINT_STATES), RosSource(crane, name="watcher")
    speeds = {name: 0.5 * crane.axis(name).max_speed for name in ("skew", "trim")}

    def command():
        for name, speed in speeds.items():
            source.command(name, speed)

    def moving():
        now = dict(zip(joints[-1].name, joints[-1].velocity, strict=True)) if joints else {}
        return now and all(
            now[name] == pytest.approx(speed, rel=0.1) for name, speed in speeds.items()
        )

    try:
        probe.until(moving, "skew and trim", every=command)
    finally:
        source.close()


def test_every_rope_and_body_is_told(node, probe, crane):
    ropes, truth, frames = probe.listen(CABLE_STATES), probe.listen(GROUND_TRUTH), probe.listen(TF)
    probe.until(lambda: ropes and truth and frames, "ropes, load and frames")
    assert [cable.name for cable in ropes[-1].cables] == [f"hoist_rope_{i}" for i in (1, 2, 3, 4)]
    assert all(
        len(cable.span_tension) == 4 and len(cable.sheave_angle) == 2 for cable in ropes[-1].cables
    )
    assert truth[-1].child_frame_id == "container"
    probe.until(
        lambda: (
            {t.child_frame_id for m in frames for t in m.transforms}
            >= {"gantry", "trolley", "spreader", "container"}
        ),
        "frames of all bodies",
    )


def test_the_description_ties_the_container_to_the_spreader(crane, place):
    from xml.etree import ElementTree

    robot = ElementTree.fromstring(robot_description(crane))
    kinds = {joint.get("name"): joint.get("type") for joint in robot.iter("joint")}
    assert kinds == {
        "gantry": "prismatic",
        "trolley": "prismatic",
        "spreader_floating": "floating",
        "twistlocks": "fixed",
    }
    assert floating_bodies(crane) == ("spreader",)
    bodies = {body.name: body for body in crane.scene.bodies}
    for name in ("gantry", "trolley", "container"):
        pose = place(robot, name, {"gantry": 0.0, "trolley": -9.0})
        assert pose[:3, 3] == pytest.approx(bodies[name].position, abs=1e-9)
        assert pose[:3, :3] == pytest.approx(quat2mat(bodies[name].orientation), abs=1e-9)
    assert [link.name for link in links(crane)] == ["gantry", "trolley", "spreader", "container"]


def test_every_part_has_a_marker_on_its_body(crane):
    markers = scene_markers(crane, "", "world").markers[1:]
    assert {marker.header.frame_id for marker in markers} == {
        "world",
        "gantry",
        "trolley",
        "spreader",
        "container",
    }
    assert len({(marker.ns, marker.id) for marker in markers}) == len(markers)


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("sts_51t", ["gantry", "trolley", "spreader", "container"]),
        ("lab_inteco", ["bridge", "trolley", "hook_block"]),
        ("lab_gantry", ["trolley", "hook_block"]),
    ],
)
def test_other_cranes_on_rails_are_described_drawn_and_driven(name, chain, place):
    """What the launch file asks of any crane that its argument ``config`` names."""
    from xml.etree import ElementTree

    crane = load_crane(name)
    assert [link.name for link in links(crane)] == chain
    assert floating_bodies(crane) == (crane.suspension.hook,)
    robot = ElementTree.fromstring(robot_description(crane))
    bodies = {body.name: body for body in crane.scene.bodies}
    at = {joint.name: joint.position for joint in crane.scene.joints if joint.kind == "prismatic"}
    assert place(robot, "trolley", at)[:3, 3] == pytest.approx(bodies["trolley"].position, abs=1e-9)
    markers = scene_markers(crane, "", "world").markers[1:]
    assert {marker.header.frame_id for marker in markers} == {"world", *chain}
    levers = teleop.Levers(crane)
    for key in ("\x1b[D", "\x1b[A", "s"):
        levers.press(key)
    assert set(levers.speeds()) == {axis.name for axis in crane.axes}


def test_keys_drive_the_gantry_sideways(crane):
    levers = teleop.Levers(crane)
    for key in ("\x1b[D", "\x1b[A", "s"):
        assert levers.press(key)
    speeds, keyed = levers.speeds(), ("gantry", "trolley", "hoist")
    assert all(speeds[name] == pytest.approx(0.2 * crane.axis(name).max_speed) for name in keyed)
    assert {name: speed for name, speed in speeds.items() if name not in keyed} == dict.fromkeys(
        ("skew", "trim", "wheel_turn"), 0.0
    )
    assert "gantry: first along +y" in levers.help() and "hoist: first up" in levers.help()
    assert naming("slewing first anticlockwise above").search(
        teleop.Levers(load_crane("tower_12t")).help()
    )


def test_a_pad_drives_the_gantry_sideways(crane):
    wishes = Joystick(crane).read(Joy(axes=[1.0, -1.0, 0.0, 0.0, -1.0], buttons=[1]))
    assert {wish.axis: wish.value for wish in wishes} == pytest.approx(
        {
            "gantry": crane.axis("gantry").max_speed,
            "trolley": -crane.axis("trolley").max_speed,
            "hoist": -crane.axis("hoist").max_speed,
        }
    )
