"""ros2_control by topic: the tag and the parameters; and a node against a program that sends what
the plugin sends."""

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from ruamel.yaml import YAML

from cable_sim.cranes import load_crane
from cable_sim.ros import interface
from cable_sim.ros.launch.controllers import BROADCASTER, FORWARD, HARDWARE, TRAJECTORY
from cable_sim.ros.launch.ros2_control import (
    COMMANDS_TOPIC,
    LOCKSTEP_PLUGIN,
    STATES_TOPIC,
    description_with_control,
    joint_parameters,
    topic_parameters,
)

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = {"crane_config": "lab_inteco", "diagnostics_period": 0.1, "command_timeout": 2.0}
STATES = interface.JOINT_STATES._replace(topic=STATES_TOPIC)
SPEEDS = {"gantry": 0.02, "trolley": -0.02, "hoist": 0.01}
CRANES = ("tower_12t", "rtg_41t", "lab_inteco", "nehe_rope", "two_towers")


# Without a graph


@pytest.mark.parametrize("name", CRANES)
def test_every_ros2_control_joint_is_described_with_one_command(name):
    """A joint that is not makes the controller manager give up; two kinds of commands make arrays
    of wrong lengths."""
    crane = load_crane(name)
    robot = ElementTree.fromstring(description_with_control(crane).encode())
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    controlled = [joint.get("name") for joint in robot.find("ros2_control").iter("joint")]
    assert controlled == [axis.joint for axis in crane.axes] and set(controlled) <= set(joints)
    children = [joint.find("child").get("link") for joint in joints.values()]
    links = {link.get("name") for link in robot.iter("link")}
    assert len(set(children)) == len(children) and links - set(children) == {"base_link"}
    for axis in crane.axes:
        limit = joints[axis.joint].find("limit")
        (tag,) = robot.findall(f"ros2_control/joint[@name='{axis.joint}']")
        assert joints[axis.joint].get("type") in ("revolute", "prismatic")
        assert (float(limit.get("lower")), float(limit.get("upper"))) == (axis.lower, axis.upper)
        assert [command.get("name") for command in tag.iter("command_interface")] == ["velocity"]
        ends = {param.get("name"): float(param.text) for param in tag.iter("param")}
        assert ends == {"min": -axis.max_speed, "max": axis.max_speed}
        assert [state.get("name") for state in tag.iter("state_interface")] == [
            "position",
            "velocity",
            "effort",
        ]


@pytest.mark.parametrize(
    "namespace, where", [("", "/"), ("crane_1", "/crane_1/"), ("/site/one/", "/site/one/")]
)
def test_topics_are_the_simulators_in_its_namespace(namespace, where):
    assert topic_parameters(namespace) == {
        "joint_commands_topic": f"{where}{COMMANDS_TOPIC}",
        "joint_states_topic": f"{where}{STATES_TOPIC}",
        "trigger_joint_command_threshold": "-1",
    }


def test_hardware_in_lockstep_has_the_socket_and_the_same_joints():
    crane = load_crane("rtg_41t")
    robot = ElementTree.fromstring(description_with_control(crane, socket="/run/a.sock").encode())
    by_topics = ElementTree.fromstring(description_with_control(crane).encode())
    hardware = robot.find("ros2_control/hardware")
    assert hardware.find("plugin").text == LOCKSTEP_PLUGIN
    assert {param.get("name"): param.text for param in hardware.iter("param")} == {
        "socket": "/run/a.sock",
        "crane": "rtg_41t",
    }
    assert len(robot.findall("ros2_control/sensor")) > 5
    for tree in (robot, by_topics):
        control = tree.find("ros2_control")
        for tag in (*control.findall("hardware"), *control.findall("sensor")):
            control.remove(tag)
        control.text = control[-1].tail = ""  # white space where the others were
    assert ElementTree.tostring(robot) == ElementTree.tostring(by_topics)


def test_shipped_plugins_are_those_of_the_description():
    package = ROOT / "cable_sim_ros2_control"
    build = (package / "CMakeLists.txt").read_text()
    names = {}
    for file in ("cable_sim_ros2_control.xml", "anti_sway_controller.xml"):
        declared = ElementTree.parse(package / file).getroot()
        (found,) = declared.iter("class")
        names[file] = found.get("name")
        exported = (
            f"PLUGINLIB_EXPORT_CLASS(\n  {found.get('type')}, {found.get('base_class_type')})"
        )
        assert sum(exported in source.read_text() for source in package.glob("src/*.cpp")) == 1
        library = declared.get("path").replace("cable_sim_ros2_control", "${PROJECT_NAME}")
        assert f"add_library({library} SHARED" in build
    name = names["cable_sim_ros2_control.xml"]
    manifest = ElementTree.parse(ROOT / "cable_sim_ros2_control" / "package.xml").getroot()
    own = ElementTree.parse(ROOT / "package.xml").getroot()
    assert name == LOCKSTEP_PLUGIN
    shipped = YAML(typ="safe").load(ROOT / "config" / "ros2_control_sensors.yaml")
    own_controller = shipped["/**/anti_sway_controller"]["ros__parameters"]
    assert own_controller["type"] == names["anti_sway_controller.xml"]
    assert LOCKSTEP_PLUGIN.split("/")[0] == manifest.find("name").text == HARDWARE["lockstep"]
    assert manifest.find("version").text == own.find("version").text


def test_shipped_and_crane_parameters_complete_the_controllers():
    shipped = YAML(typ="safe").load(ROOT / "config" / "ros2_control.yaml")
    made = joint_parameters(load_crane("rtg_41t"))
    assert set(shipped) == {
        f"/**/{name}" for name in ("controller_manager", BROADCASTER, FORWARD, TRAJECTORY)
    }
    assert set(made) == {f"/**/{name}" for name in (FORWARD, TRAJECTORY)}
    for key, value in made.items():
        given = shipped[key]["ros__parameters"]
        assert given["type"] and not set(given) & set(value["ros__parameters"])
        assert value["ros__parameters"]["joints"] == [
            "gantry",
            "trolley",
            "hoist",
            "skew",
            "trim",
            "wheel_turn",
        ]
    gains = made[f"/**/{TRAJECTORY}"]["ros__parameters"]["gains"]
    assert set(gains) == set(made[f"/**/{TRAJECTORY}"]["ros__parameters"]["joints"])


# With a node


@pytest.fixture(scope="module")
def node(start_node, probe):
    """A node whose states are on a topic of their own, as the launch file has it."""
    made = start_node("-r", f"joint_states:={STATES_TOPIC}", **PARAMETERS)
    states = probe.listen(STATES)
    probe.listen(interface.DIAGNOSTICS)
    probe.until(lambda: states or not made.alive(), "the first state", 300.0)
    assert made.alive(), made.said()
    yield made
    assert made.end() == 0
    assert "Traceback" not in made.said()


class System:
    """The other side, in a process of its own."""

    def __init__(self, folder, description):
        path, self.log = folder / "robot.urdf", folder / f"states_{time.monotonic_ns()}.txt"
        path.write_text(description)
        with open(self.log, "w") as out:
            program = str(Path(__file__).with_name("topic_system.py"))
            self.process = subprocess.Popen(
                [sys.executable, program, str(path)], stdin=subprocess.PIPE, stdout=out, text=True
            )

    def command(self, **values):
        self.process.stdin.write(json.dumps(values) + "\n")
        self.process.stdin.flush()

    def states(self):
        """The states that it has read."""
        lines = self.log.read_text().splitlines()[:-1]  # the last one may be half written
        return json.loads(lines[-1]) if lines else {}

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def system(node, tmp_path, request):
    """Starts the other side with a description."""
    made = []

    def start(description):
        made.append(System(tmp_path, description))
        return made[-1]

    yield start
    for one in made:
        one.kill()


def speeds(probe):
    """The newest speeds by joint."""
    last = probe.messages[STATES.topic][-1]
    return dict(zip(last.name, last.velocity, strict=True))


def at_rest(probe):
    return max(map(abs, speeds(probe).values())) < 1e-4


def counts(probe):
    """What the newest diagnostics count of commands."""
    (status,) = [
        s for s in probe.fresh(interface.DIAGNOSTICS, 2).status if s.name.endswith("commands")
    ]
    return {pair.key: pair.value for pair in status.values}


def test_commands_move_the_crane_and_states_come_back(probe, node, system):
    other = system(description_with_control(load_crane("lab_inteco")))
    other.command(**SPEEDS)
    there = lambda: np.allclose(  # noqa: E731
        [speeds(probe)[name] for name in SPEEDS], list(SPEEDS.values()), rtol=0.05
    )
    probe.until(there, "the speeds")
    assert probe.node.count_publishers("/joint_states") == 0, "left to the joint_state_broadcaster"
    other.command(gantry=0.0, trolley=0.0, hoist=0.0)
    probe.until(lambda: at_rest(probe), "rest")

    def same():
        states, last = other.states(), probe.messages[STATES.topic][-1]
        positions = dict(zip(last.name, last.position, strict=True))
        return all(abs(states[name]["position"] - positions[name]) < 1e-3 for name in SPEEDS)

    probe.until(same, "the same positions on both sides")
    assert all(
        set(state) == {"position", "velocity", "effort"} for state in other.states().values()
    )
    # NaN where no controller claims a joint: the others move on, and this one brakes by the
    # watchdog
    other.command(trolley=0.02, hoist=None)
    probe.until(lambda: speeds(probe)["trolley"] > 0.018, "the trolley alone")
    before, now = int(counts(probe)["not finite"]), counts(probe)
    probe.until(
        lambda: abs(speeds(probe)["hoist"]) < 1e-4 < speeds(probe)["trolley"], "the hoist at rest"
    )
    assert int(now["not finite"]) > before > 0 and now["rejected"] == "0"
    other.command(gantry=None, trolley=None)
    probe.until(lambda: at_rest(probe), "rest without a controller")
    # and when the controller manager dies
    other.command(trolley=0.02)
    probe.until(lambda: speeds(probe)["trolley"] > 0.018, "the trolley again")
    other.kill()
    probe.until(lambda: at_rest(probe), "rest without a controller manager")


def test_arrays_of_mixed_commands_are_rejected_with_a_reason(probe, node, system):
    """Two joints by speed and one by position: two speeds and one position for three names."""
    text = description_with_control(load_crane("lab_inteco"))
    robot = ElementTree.fromstring(text.encode())
    robot.find("ros2_control/joint[@name='trolley']/command_interface").set("name", "position")
    before = int(counts(probe)["rejected"])
    other = system(ElementTree.tostring(robot, encoding="unicode"))
    other.command(gantry=0.02, trolley=0.1, hoist=0.01)
    found = probe.until(
        lambda: (f := counts(probe)) and int(f["rejected"]) >= before + 20 and f, "refusals"
    )
    notices = [text for key, text in found.items() if key.startswith("notice")]
    assert any(
        naming("2 values velocity 3 joints gantry trolley hoist").search(text) for text in notices
    )
    assert at_rest(probe) and node.alive()
    other.kill()
    again = system(text)
    again.command(**SPEEDS)
    probe.until(lambda: speeds(probe)["trolley"] < -0.018, "one kind of command again")


def test_a_threshold_silences_commands_and_trips_the_watchdog(probe, node, system):
    """Why the threshold is -1: with a small one nothing is sent once the joint has the speed, and
    the axis brakes."""
    text = description_with_control(load_crane("lab_inteco")).replace(">-1<", ">0.005<")
    other = system(text)
    other.command(gantry=0.0, trolley=0.02, hoist=0.0)
    probe.until(lambda: speeds(probe)["trolley"] > 0.0195, "the speed")
    probe.until(lambda: speeds(probe)["trolley"] < 0.016, "braking, though the command stands")
