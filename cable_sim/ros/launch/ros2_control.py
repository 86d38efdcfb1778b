"""Crane's part of ros2_control: the ``<ros2_control>`` tag, and the controllers' joints.

The hardware is the plugin of the package ``joint_state_topic_hardware_interface``, which talks to
the simulator by topics, or that of ``cable_sim_ros2_control``, in lockstep by a local socket. All
joints are commanded by velocity. With one kind of command alone, all arrays of the messages of the
first have the length that JointState requires. Sensors are there in lockstep only, as the plugin
that goes by topics reads joints alone. Needs no ROS to run.
"""

from typing import Any
from xml.etree import ElementTree

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.ros.basis.description import limits, robot_element, to_text
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.launch.controllers import FORWARD, TRAJECTORY
from cable_sim.ros.state_interfaces import components

TOPIC_PLUGIN = "joint_state_topic_hardware_interface/JointStateTopicSystem"
LOCKSTEP_PLUGIN = "cable_sim_ros2_control/CraneSystem"
COMMAND = "velocity"
COMMANDS_TOPIC = "joint_commands"
STATES_TOPIC = "cable_sim/joint_states"
"""Topic of the simulator's own states; ``joint_states`` then belongs to joint_state_broadcaster."""

TRACKING_GAIN = 1.0
"""Speed per position error in trajectories [1/s]: ten times slower than the slowest drive."""


def description_with_control(crane: Crane, namespace: str = "", socket: str = "") -> str:
    """Return the crane as URDF text with its hardware.

    ros2_control needs a joint in the description for each that it controls. A coordinate without a
    joint, such as a hoist's, gets one that carries nothing. ``namespace`` is that of the
    simulator's topics. With the path of its ``socket`` the hardware is in lockstep with it.
    """
    robot = robot_element(crane)
    there = {joint.get("name") for joint in robot.iter("joint")}
    for axis in crane.axes:
        if axis.joint not in there:
            _coordinate(robot, crane, axis)
    control = ElementTree.SubElement(robot, "ros2_control", name=crane.name, type="system")
    hardware = ElementTree.SubElement(control, "hardware")
    ElementTree.SubElement(hardware, "plugin").text = LOCKSTEP_PLUGIN if socket else TOPIC_PLUGIN
    given = {"socket": socket, "crane": crane.name} if socket else topic_parameters(namespace)
    for name, text in given.items():
        ElementTree.SubElement(hardware, "param", name=name).text = text
    speeds = {axis.joint: axis.max_speed for axis in crane.axes}
    for name, component in components(crane).items():
        if name not in speeds and not socket:
            continue
        kind = "joint" if name in speeds else "sensor"
        part = ElementTree.SubElement(control, kind, name=name)
        if name in speeds:
            command = ElementTree.SubElement(part, "command_interface", name=COMMAND)
            for end, value in (("min", -speeds[name]), ("max", speeds[name])):
                ElementTree.SubElement(command, "param", name=end).text = repr(value)
        for state in component.interfaces:
            ElementTree.SubElement(part, "state_interface", name=state)
    return to_text(robot)


def topic_parameters(namespace: str = "") -> dict[str, str]:
    """Return the parameters of the plugin that goes by topics.

    A threshold of -1 makes it send at every cycle, on which the command watchdog relies.
    """
    where = "/" + "".join(f"{part}/" for part in namespace.split("/") if part)
    return {
        "joint_commands_topic": where + COMMANDS_TOPIC,
        "joint_states_topic": where + STATES_TOPIC,
        "trigger_joint_command_threshold": "-1",
    }


def joint_parameters(crane: Crane) -> dict[str, Any]:
    """Return the controllers' parameters that depend on the crane, as in a parameter file."""
    joints = [axis.joint for axis in crane.axes]
    gains = {joint: {"p": TRACKING_GAIN, "ff_velocity_scale": 1.0} for joint in joints}
    return {
        f"/**/{FORWARD}": {"ros__parameters": {"joints": joints}},
        f"/**/{TRAJECTORY}": {"ros__parameters": {"joints": joints, "gains": gains}},
    }


def _coordinate(robot: ElementTree.Element, crane: Crane, axis: Axis) -> None:
    """Add a joint for a coordinate that moves no link of the description."""
    link = f"{axis.joint}_coordinate"
    ElementTree.SubElement(robot, "link", name=link)
    kind = "revolute" if axis.unit == "rad" else "prismatic"
    joint = ElementTree.SubElement(robot, "joint", name=axis.joint, type=kind)
    ElementTree.SubElement(joint, "parent", link=BASE)
    ElementTree.SubElement(joint, "child", link=link)
    ElementTree.SubElement(joint, "axis", xyz="0.0 0.0 1.0")
    limits(joint, crane, axis, (axis.lower, axis.upper))
