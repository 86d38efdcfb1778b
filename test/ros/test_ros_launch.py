"""The launch file, with the real launch where it is installed; its text where it is not."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "launch" / "tower_crane.launch.py"
FAMILIES = pytest.mark.parametrize(
    "family, crane", [("tower_crane", "tower_12t"), ("gantry_crane", "rtg_41t"), ("held_rope", "nehe_rope"),
                     ("bridge_crane", "lab_inteco")]
)


def launch_is_here():
    """Whether ROS' launch can be imported; plain ``launch`` could be this project's folder."""
    try:
        return all(importlib.util.find_spec(name) for name in ("launch.actions", "launch_ros.actions", "ros2launch"))
    except ModuleNotFoundError:
        return False


needs_launch = pytest.mark.skipif(not launch_is_here(), reason="launch, launch_ros, ros2launch are not installed")


def load(family="tower_crane"):
    """A launch file as a module."""
    path = ROOT / "launch" / f"{family}.launch.py"
    spec = importlib.util.spec_from_file_location(f"{family}_launch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def started(family, **arguments):
    """The nodes that the file would start, by executable."""
    from launch import LaunchContext

    bringup, context = load(family).CRANE, LaunchContext()
    for argument in bringup.arguments:
        argument.execute(context)
    context.launch_configurations.update(arguments)
    nodes = [action for action in bringup.start(context) if hasattr(action, "node_executable")]
    return {node.node_executable: node for node in nodes if node.condition is None or node.condition.evaluate(context)}


@needs_launch
@FAMILIES
def test_every_argument_is_described(family, crane):
    from launch.actions import DeclareLaunchArgument

    arguments = [a for a in load(family).generate_launch_description().entities if isinstance(a, DeclareLaunchArgument)]
    names = {argument.name for argument in arguments}
    assert {"namespace", "config", "rviz", "use_sim_time", "real_time_factor", "viewer", "frame_prefix"} <= names
    assert all(argument.description and argument.default_value is not None for argument in arguments)
    (config,) = [argument for argument in arguments if argument.name == "config"]
    assert config.default_value[0].text == crane


@needs_launch
@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({}, {"cable_sim_node", "robot_state_publisher"}),
        ({"robot_state_publisher": "false"}, {"cable_sim_node"}),
        ({"rviz": "true", "viewer": "true"},
         {"cable_sim_node", "robot_state_publisher", "rviz2", "cable_sim_viewer"}),
    ],
    ids=["default", "alone", "everything"],
)  # fmt: skip
@FAMILIES
def test_what_is_asked_for_is_started(family, crane, arguments, expected):
    assert set(started(family, **arguments)) == expected


@needs_launch
def test_ros2_launch_starts_the_node_and_ends_it_cleanly(probe, tmp_path):
    from rcl_interfaces.srv import GetParameters

    log = tmp_path / "launch.txt"
    words = ["namespace:=crane_1", "frame_prefix:=crane_1/", "robot_state_publisher:=false", "real_time_factor:=2.0"]
    code = "import sys; from ros2cli.cli import main; sys.exit(main())"
    with open(log, "w") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", code, "launch", str(FILE), *words],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, "ROS_LOG_DIR": str(tmp_path)},
        )  # fmt: skip
    try:
        names = ["real_time_factor", "frame_prefix", "publish_tf"]
        values = probe.call(GetParameters, "/crane_1/cable_sim/get_parameters", 60.0, names=names).values
        assert (values[0].double_value, values[1].string_value, values[2].string_value) == (2.0, "crane_1/", "all")
        process.send_signal(signal.SIGINT)
        process.wait(20.0)
    finally:
        process.kill()
        process.wait()
    assert "process has finished cleanly" in log.read_text()


@FAMILIES
def test_the_files_of_a_family_stand_beside_its_launch_file(family, crane):
    from cable_sim.cranes import load_crane

    text = (ROOT / "launch" / f"{family}.launch.py").read_text()
    assert f'Bringup("{crane}", "{family}.rviz"' in text
    assert load_crane(family) == load_crane(crane) and load_crane(crane).family == family


@FAMILIES
def test_the_display_configuration_is_yaml_and_shows_what_is_published(family, crane):
    from ruamel.yaml import YAML

    config = YAML(typ="safe").load(ROOT / "rviz" / f"{family}.rviz")["Visualization Manager"]
    topics = {d["Topic"]["Value"] for d in config["Displays"] if "Topic" in d}
    assert {"scene_markers", "cable_markers"} <= topics
    latched = {d["Topic"]["Value"]: d["Topic"]["Durability Policy"] for d in config["Displays"] if "Topic" in d}
    assert latched["scene_markers"] == "Transient Local" and latched["cable_markers"] == "Volatile"
    assert config["Global Options"]["Fixed Frame"] == "world"


@FAMILIES
def test_rviz_opens_with_the_configuration_of_the_cranes_family(family, crane, monkeypatch):
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    from cable_sim.ros import together

    monkeypatch.setattr(together.shutil, "which", lambda _: "/opt/rviz2")
    command = together._rviz_command(crane)
    assert command[:2] == ["/opt/rviz2", "-d"] and command[2].endswith(f"{family}.rviz")
