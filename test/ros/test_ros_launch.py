"""The launch files, with the real launch where it is installed; their text where it is not.

Where launch starts them, programs of other packages are stand-ins that write down how they were
called.
"""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from messages import naming
from ruamel.yaml import YAML

from cable_sim.cranes import load_crane

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "launch" / "tower_crane.launch.py"
DISPLAYS = pytest.mark.parametrize(
    "family, prefixes",
    [
        *((name, ("",)) for name in ("tower_crane", "gantry_crane", "held_rope", "bridge_crane")),
        ("two_cranes", ("/crane_1/", "/crane_2/")),
    ],
)
FAMILIES = pytest.mark.parametrize(
    "family, crane",
    [
        ("tower_crane", "tower_12t"),
        ("gantry_crane", "rtg_41t"),
        ("held_rope", "nehe_rope"),
        ("bridge_crane", "lab_inteco"),
    ],
)


def launch_is_here():
    """Whether ROS' launch can be imported; plain ``launch`` could be this project's folder."""
    try:
        return all(
            importlib.util.find_spec(name)
            for name in ("launch.actions", "launch_ros.actions", "ros2launch")
        )
    except ModuleNotFoundError:
        return False


needs_launch = pytest.mark.skipif(
    not launch_is_here(), reason="launch, launch_ros, ros2launch are not installed"
)


def launch_file(family):
    """Path of a family's launch file."""
    return ROOT / "launch" / f"{'rope' if family == 'held_rope' else family}.launch.py"


def load(family="tower_crane"):
    """A launch file as a module."""
    path = launch_file(family)
    spec = importlib.util.spec_from_file_location(f"{family}_launch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def started(family, command_line=(), **arguments):
    """The nodes that the file would start, by executable."""
    from launch import LaunchContext

    bringup, context = load(family).CRANE, LaunchContext(argv=list(command_line))
    for argument in bringup.arguments:
        argument.execute(context)
    context.launch_configurations.update(arguments)
    nodes = [action for action in bringup.start(context) if hasattr(action, "node_executable")]
    return {
        node.node_executable: node
        for node in nodes
        if node.condition is None or node.condition.evaluate(context)
    }


@needs_launch
@FAMILIES
def test_every_argument_is_described(family, crane):
    from launch.actions import DeclareLaunchArgument

    arguments = [
        a
        for a in load(family).generate_launch_description().entities
        if isinstance(a, DeclareLaunchArgument)
    ]
    names = {argument.name for argument in arguments}
    assert {
        "namespace",
        "config",
        "rviz",
        "use_sim_time",
        "real_time_factor",
        "viewer",
        "frame_prefix",
    } <= names
    assert all(
        argument.description and argument.default_value is not None for argument in arguments
    )
    (config,) = [argument for argument in arguments if argument.name == "config"]
    assert config.default_value[0].text == crane


@needs_launch
@pytest.mark.parametrize("family", ["tower_crane", "two_cranes"])
def test_every_argument_is_documented(family):
    page = (ROOT / "docs" / "reference" / "ros_launch.md").read_text(encoding="utf-8")
    names = [argument.name for argument in load(family).CRANE.arguments]
    assert len(set(names)) == len(names)
    assert [name for name in names if f"`{name}`" not in page] == []


@needs_launch
@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({}, {"cable_sim_node", "robot_state_publisher"}),
        ({"robot_state_publisher": "false"}, {"cable_sim_node"}),
        (
            {"rviz": "true", "viewer": "true", "ros2_control": "true", "camera_rate": "5"},
            {
                "cable-sim",
                "cable_sim_node",
                "robot_state_publisher",
                "rviz2",
                "cable_sim_viewer",
                "ros2_control_node",
                "spawner",
            },
        ),
    ],
    ids=["default", "alone", "everything"],
)
@FAMILIES
def test_what_is_asked_for_is_started(family, crane, arguments, expected, others_installed):
    assert set(started(family, **arguments)) == expected


@needs_launch
def test_load_start_and_seed_are_arguments(others_installed):
    from launch_ros.utilities import evaluate_parameters

    from launch import LaunchContext

    words = {
        "load_mass": "3000",
        "start": "hanging",
        "changes": "rig.start.hook_depth=20.0,rig.load.size=[1.5, 2, 1]",
    }
    node = started("tower_crane", seed="7", **words)["cable_sim_node"]
    given = {}
    for part in evaluate_parameters(LaunchContext(), node._Node__parameters):
        given |= part if isinstance(part, dict) else {}
    changes = {"rig.load.mass": 3000.0, "rig.start.state": "hanging"}
    changes |= {"rig.start.hook_depth": 20.0, "rig.load.size": (1.5, 2.0, 1.0)}
    assert load_crane(given["crane_config"]) == load_crane("tower_12t", changes)
    assert given["noise.seed"] == 7


@needs_launch
def test_hardware_in_lockstep_and_simulator_have_one_socket(others_installed):
    from launch_ros.utilities import evaluate_parameters

    from launch import LaunchContext

    def given(name):
        node = nodes[name]
        found = {}
        for part in evaluate_parameters(LaunchContext(), node._Node__parameters):
            found |= part if isinstance(part, dict) else {}
        return found

    nodes = started("bridge_crane", ros2_control="true", hardware="lockstep")
    robot = ElementTree.fromstring(given("robot_state_publisher")["robot_description"].encode())
    hardware = robot.find("ros2_control/hardware")
    socket = hardware.find("param[@name='socket']").text
    assert given("cable_sim_node")["ros2_control_socket"] == socket
    assert hardware.find("plugin").text == "cable_sim_ros2_control/CraneSystem"
    nodes = started("bridge_crane", ros2_control="true")
    assert "ros2_control_socket" not in given("cable_sim_node")


@needs_launch
def test_an_absent_package_of_this_repository_is_to_be_built(others_installed, monkeypatch):
    from cable_sim.ros.launch import requirements

    monkeypatch.setattr(requirements, "_is_there", lambda name: name != requirements.OWN)
    words = "colcon build --base-paths src src/cable_sim/cable_sim_ros2_control"
    with pytest.raises(RuntimeError, match=naming(words)):
        started("bridge_crane", ros2_control="true", hardware="lockstep")


@needs_launch
@pytest.mark.parametrize("spelt", ["true", "True"])
def test_switches_take_pythons_spelling(spelt, others_installed):
    assert "rviz2" in started("tower_crane", rviz=spelt)


@needs_launch
@pytest.mark.parametrize("argument", ["robot_state_publisher", "rviz", "ros2_control"])
def test_an_absent_package_is_told_before_anything_starts(argument, others_installed, monkeypatch):
    from cable_sim.ros.launch import requirements

    monkeypatch.setitem(requirements.PACKAGES, argument, ("nobody_has_this",))
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    words = f"{argument}:=true nobody_has_this apt install ros-jazzy-nobody-has-this"
    with pytest.raises(RuntimeError, match=naming(words)):
        started("tower_crane", **{argument: "true"})


@needs_launch
@pytest.mark.parametrize(
    "word, meant",
    [
        ("crane_config:=x", "config"),
        ("reel_time_factor:=2", "real_time_factor"),
        ("RViz:=1", "rviz"),
    ],
)
def test_an_argument_of_another_name_is_told_the_right_one(word, meant):
    refused = f"{word.partition(':=')[0]}:= argument {meant}:="
    with pytest.raises(RuntimeError, match=naming(refused)):
        started("tower_crane", command_line=[word])


@needs_launch
@pytest.mark.parametrize("word", ["speed:=3", "crane_config:=lab_inteco"])
def test_arguments_of_an_including_launch_file_pass(word, others_installed):
    assert started("tower_crane", command_line=[word], config="lab_inteco")


@needs_launch
@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"config": "tower_13t"}, "such tower_12t"),
        ({"load_mass": "heavy"}, "load_mass:=heavy number"),
        ({"seed": "1.5"}, "seed:=1.5 whole number"),
        ({"camera_rate": "-1"}, "camera_rate:=-1 below 0"),
        ({"start": "flying"}, "'on_ground' 'hanging' 'flying'"),
        ({"real_time_factor": "fast"}, "real_time_factor:=fast number"),
        ({"publish_clock": "maybe"}, "publish_clock:=maybe true false"),
        ({"ros2_control": "true", "robot_state_publisher": "false"}, "robot_state_publisher:=true"),
    ],
)
def test_an_argument_that_can_not_be_is_refused_by_its_name(arguments, words, others_installed):
    with pytest.raises(RuntimeError, match=naming(words)):
        started("tower_crane", **arguments)


@needs_launch
def test_nothing_is_started_after_ctrl_c_while_it_is_prepared(others_installed, monkeypatch):
    from cable_sim.ros.launch import bringup

    prepare = bringup.prepare

    def interrupted(given):
        os.kill(os.getpid(), signal.SIGINT)
        return prepare(given)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(bringup, "prepare", interrupted)
    assert started("tower_crane") == {}
    assert signal.getsignal(signal.SIGINT) is before


STAND_IN = """#!{python}
import json, os, signal, sys
files = [word for word in sys.argv if word.endswith(".yaml") or "launch_params" in word]
texts = {{word: open(word).read() for word in files}}
with open(os.path.join({folder!r}, f"{program}_{{os.getpid()}}.json"), "w") as file:
    json.dump({{"words": sys.argv[1:], "files": texts}}, file)
if {stays}:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    signal.pause()
"""
OTHERS = {
    "robot_state_publisher": ("robot_state_publisher",),
    "tf2_ros": ("static_transform_publisher",),
    "controller_manager": ("ros2_control_node", "spawner"),
    "rviz2": ("rviz2",),
    "joint_state_broadcaster": (),
    "forward_command_controller": (),
    "joint_trajectory_controller": (),
    "joint_state_topic_hardware_interface": (),
    "cable_sim_ros2_control": (),
}
FOREIGN = {"pydantic", "numba", "scipy", "typer", "ruamel", "transforms3d", "rosbags", "rich"}
GUARDED = f"""
import sys
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FOREIGN}:
            raise ImportError(f"ROS' Python may have no {{name}}")
sys.meta_path.insert(0, Guard())
from ros2cli.cli import main
sys.exit(main())
"""
"""Program `ros2` in a Python without the package's dependencies."""


@pytest.fixture
def stand_ins(tmp_path):
    """A prefix with stand-ins for programs of other packages, and a function that gives the calls
    of one."""
    prefix, notes = tmp_path / "prefix", tmp_path / "notes"
    notes.mkdir()
    for package, programs in OTHERS.items():
        for folder in (
            "share/ament_index/resource_index/packages",
            f"share/{package}",
            f"lib/{package}",
        ):
            (prefix / folder).mkdir(parents=True, exist_ok=True)
        (prefix / "share/ament_index/resource_index/packages" / package).touch()
        (prefix / "share" / package / "package.xml").touch()
        for program in programs:
            path, stays = prefix / "lib" / package / program, program != "spawner"
            path.write_text(
                STAND_IN.format(
                    python=sys.executable, folder=str(notes), program=program, stays=stays
                )
            )
            path.chmod(0o755)

    def calls(program):
        return [
            json.loads(path.read_text())
            for path in sorted(notes.glob(f"{program}_*.json"))
            if path.stat().st_size
        ]

    return prefix, calls


@pytest.fixture
def others_installed(stand_ins, monkeypatch):
    """An environment in which the packages of others are found."""
    prefixes = f"{stand_ins[0]}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    monkeypatch.setenv("AMENT_PREFIX_PATH", prefixes)


def parameters(call):
    """Parameters that a call gives in files, those of later files instead of those of earlier
    ones."""
    given, words = {}, call["words"]
    for flag, name in zip(words, words[1:], strict=False):
        if flag == "--params-file":
            for node in YAML(typ="safe").load(call["files"][name]).values():
                given.update(node["ros__parameters"])
    return given


def controllers(call):
    """Parameters of controllers by name, from the files that a spawner gets."""
    words, given = call["words"], {}
    for flag, name in zip(words, words[1:], strict=False):
        if flag == "--param-file":
            for key, value in YAML(typ="safe").load(call["files"][name]).items():
                given.setdefault(key, {}).update(value["ros__parameters"])
    return given


@needs_launch
def test_two_ros2_control_cranes_start_with_one_clock_and_a_bag(probe, stand_ins, tmp_path):
    from rosbags.rosbag2 import Reader

    from cable_sim.ros import interface
    from cable_sim.ros.basis.description import robot_description

    prefix, calls = stand_ins
    log, bag = tmp_path / "launch.txt", tmp_path / "bag"
    words = [
        "ros2_control:=true",
        f"record:={bag}",
        "rviz:=true",
        "config:=lab_inteco",
        "second_config:=lab_gantry",
        "second_x:=2.5",
        "second_y:=-1.0",
        "second_yaw:=0.3",
        "viewer:=true",
        "port:=0",
    ]
    path = f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    with open(log, "w") as out:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                GUARDED,
                "launch",
                str(ROOT / "launch" / "two_cranes.launch.py"),
                *words,
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, "ROS_LOG_DIR": str(tmp_path), "AMENT_PREFIX_PATH": path},
        )
    try:
        own = {
            name: interface.JOINT_STATES._replace(topic=f"/{name}/cable_sim/joint_states")
            for name in ("crane_1", "crane_2")
        }
        got = {name: probe.listen(endpoint) for name, endpoint in own.items()}

        def in_step():
            stamps = [messages[-1].header.stamp for messages in got.values() if messages]
            return len(stamps) == 2 and stamps[0] == stamps[1] and stamps[1].sec >= 2

        probe.until(
            lambda: in_step() or process.poll() is not None, f"two cranes in step, see {log}", 300.0
        )
        assert process.poll() is None, log.read_text()
        assert [list(messages[-1].name) for messages in got.values()] == [
            ["gantry", "trolley", "hoist"],
            ["trolley", "hoist"],
        ]
        assert probe.node.count_publishers("/clock") == 1
        pages = re.findall(
            r"cable_sim_viewer-\d+\]: process started with pid \[(\d+)\]", log.read_text()
        )
        told = [Path(f"/proc/{page}/cmdline").read_text().replace("\0", " ") for page in pages]
        assert len(told) == 2 and "--frame-prefix crane_1/ --world-frame world --port 0" in told[0]
        assert "--frame-prefix crane_2/ --world-frame crane_2/world --port 0" in told[1]
        assert probe.node.count_publishers("/crane_2/robot_description") == 0, (
            "left to robot_state_publisher"
        )
        counts = {
            program: len(calls(program)) for programs in OTHERS.values() for program in programs
        }
        assert counts == {
            "robot_state_publisher": 2,
            "static_transform_publisher": 1,
            "ros2_control_node": 2,
            "spawner": 4,
            "rviz2": 1,
        }
        process.send_signal(signal.SIGINT)
        assert process.wait(300.0) == 0
    finally:
        process.kill()
        process.wait()
    (look,) = calls("rviz2")
    assert look["words"][look["words"].index("--fixed-frame") + 1] == "world"
    (stand,) = calls("static_transform_publisher")
    place = [
        "--x",
        "2.5",
        "--y",
        "-1.0",
        "--yaw",
        "0.3",
        "--frame-id",
        "world",
        "--child-frame-id",
        "crane_2/world",
    ]
    assert stand["words"][: len(place)] == place
    told = {
        parameters(call)["frame_prefix"]: parameters(call)
        for call in calls("robot_state_publisher")
    }
    for number, crane in enumerate(map(load_crane, ("lab_inteco", "lab_gantry")), 1):
        robot = ElementTree.fromstring(told[f"crane_{number}/"]["robot_description"])
        given = {
            param.get("name"): param.text
            for param in robot.iter("param")
            if "topic" in param.get("name")
        }
        assert given == {
            "joint_commands_topic": f"/crane_{number}/joint_commands",
            "joint_states_topic": f"/crane_{number}/cable_sim/joint_states",
        }
        plain = ElementTree.fromstring(robot_description(crane).encode())
        assert {link.get("name") for link in plain.iter("link")} <= {
            link.get("name") for link in robot.iter("link")
        }
    for manager in calls("ros2_control_node"):
        assert (
            parameters(manager)["update_rate"] == 100
            and parameters(manager)["use_sim_time"] is True
        )
        assert not any("__node" in word for word in manager["words"]), (
            "it would rename every controller"
        )
    for spawner in calls("spawner"):
        space = next(word for word in spawner["words"] if word.startswith("__ns:="))
        joints = [
            axis.joint
            for axis in load_crane("lab_inteco" if space.endswith("1") else "lab_gantry").axes
        ]
        loaded = [word for word in spawner["words"] if f"/**/{word}" in controllers(spawner)]
        inactive = "--inactive" in spawner["words"]
        assert loaded == (
            ["trajectory_controller"]
            if inactive
            else ["joint_state_broadcaster", "velocity_controller"]
        )
        for name in loaded[-1:]:
            assert controllers(spawner)[f"/**/{name}"]["joints"] == joints
            assert controllers(spawner)[f"/**/{name}"]["type"]
    for name in ("crane_1", "crane_2"):
        with Reader(bag / name) as reader:
            topics = {connection.topic: connection.msgcount for connection in reader.connections}
        assert topics[f"/{name}/cable_states"] > 50 and topics["/clock"] > 50, topics
    assert "Traceback" not in log.read_text()


@needs_launch
def test_ros2_launch_starts_the_node_and_ends_it_cleanly(probe, tmp_path):
    from rcl_interfaces.srv import GetParameters

    log = tmp_path / "launch.txt"
    words = [
        "namespace:=crane_1",
        "frame_prefix:=crane_1/",
        "robot_state_publisher:=false",
        "real_time_factor:=2.0",
        "lockstep:=off",
        "lockstep_timeout:=3",
    ]
    with open(log, "w") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", GUARDED, "launch", str(FILE), *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, "ROS_LOG_DIR": str(tmp_path)},
        )
    try:
        names = ["real_time_factor", "frame_prefix", "publish_tf", "lockstep", "lockstep_timeout"]
        values = probe.call(
            GetParameters, "/crane_1/cable_sim/get_parameters", 60.0, names=names
        ).values
        assert (values[0].double_value, values[1].string_value, values[2].string_value) == (
            2.0,
            "crane_1/",
            "all",
        )
        assert (values[3].string_value, values[4].double_value) == ("off", 3.0)
        process.send_signal(signal.SIGINT)
        process.wait(300.0)
    finally:
        process.kill()
        process.wait()
    assert naming("process finished cleanly").search(log.read_text())


@FAMILIES
def test_the_files_of_a_family_stand_beside_its_launch_file(family, crane):
    text = launch_file(family).read_text()
    assert f'Bringup("{crane}", "{family}.rviz"' in text
    assert load_crane(family) == load_crane(crane) and load_crane(crane).family == family


@DISPLAYS
def test_the_display_configuration_shows_what_is_published(family, prefixes):
    config = YAML(typ="safe").load(ROOT / "rviz" / f"{family}.rviz")["Visualization Manager"]
    latched = {
        d["Topic"]["Value"]: d["Topic"]["Durability Policy"]
        for d in config["Displays"]
        if "Topic" in d
    }
    robots = {
        d["Description Topic"]["Value"]: d["TF Prefix"]
        for d in config["Displays"]
        if "Description Topic" in d
    }
    for prefix in prefixes:
        assert latched[f"{prefix}scene_markers"] == "Transient Local"
        assert latched[f"{prefix}cable_markers"] == "Volatile"
    assert robots == {
        f"{prefix}cable_sim/robot_description": prefix.strip("/") for prefix in prefixes
    }
    assert config["Global Options"]["Fixed Frame"] == "world"


@FAMILIES
def test_rviz_opens_with_the_configuration_of_the_cranes_family(family, crane, monkeypatch):
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    from cable_sim.ros.launch import run_command

    monkeypatch.setattr(run_command.shutil, "which", lambda _: "/opt/rviz2")
    command = run_command._rviz_command(crane)
    assert command[:2] == ["/opt/rviz2", "-d"] and command[2].endswith(f"{family}.rviz")
