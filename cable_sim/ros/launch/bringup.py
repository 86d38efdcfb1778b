"""Processes of the launch files: simulators, displays, recorders and controllers.

One set of arguments describes them all.

Listing the arguments needs nothing but ROS' launch: the package's own dependencies are imported
when they are used.
"""

import math
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_description import LaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

SWITCH = ("true", "false")
AS_FILE = "; left empty, as in the file of parameters"
SECOND_PAGE = 1
"""Offset of the port of the second crane's page from that of the first."""

Given = dict[str, str]


class Bringup:
    """Crane with everything around it.

    Parameters
    ----------
    crane: default of the argument ``config``: a name of the catalogue.
    display: file name of the RViz configuration.
    share: folder that holds config and rviz: the source tree's root, or share/cable_sim of an
        installation.
    """

    def __init__(self, crane: str, display: str, share: Path) -> None:
        self.display = share / "rviz" / display
        self.arguments = (*_crane_arguments(crane), *_arguments(share / "config"))

    def description(self) -> LaunchDescription:
        """Return the launch description for ``ros2 launch``."""
        return LaunchDescription([*self.arguments, OpaqueFunction(function=self.start)])

    def start(self, context: Any, *_: Any) -> list[Any]:
        """Return the processes for the launch's arguments."""
        return self.processes(
            {
                argument.name: LaunchConfiguration(argument.name).perform(context)
                for argument in self.arguments
            }
        )

    def processes(self, given: Given) -> list[Any]:
        """Return the processes for these values of the arguments."""
        return [*_crane(given), *_rviz(given, self.display, given["namespace"])]


class Pair(Bringup):
    """Two cranes in one graph, a node each, with the clock of the first.

    Their names are ``crane_1`` and ``crane_2``, which are also their namespaces and the prefixes of
    their frames. The arguments place the second one's world in that of the first.
    """

    def __init__(self, crane: str, display: str, share: Path) -> None:
        super().__init__(crane, display, share)
        clock = ("publish_clock", "follow_clock")
        shared = [
            argument for argument in _arguments(share / "config") if argument.name not in clock
        ]
        self.arguments = (*_two_crane_arguments(crane), *shared)

    def processes(self, given: Given) -> list[Any]:
        """Return the processes of both cranes, and the transform that places the second one."""
        first = given | {
            "namespace": "crane_1",
            "frame_prefix": "crane_1/",
            "world_frame": "world",
            "publish_clock": "true",
            "follow_clock": "false",
        }
        port = int(_number(given, "port"))
        next_port = str(port + SECOND_PAGE if port else 0)
        second = given | {
            "namespace": "crane_2",
            "frame_prefix": "crane_2/",
            "world_frame": "crane_2/world",
            "publish_clock": "false",
            "follow_clock": "true",
            "config": given["second_config"],
            "port": next_port,
            "lockstep": "off" if given["lockstep"] else "",
        }
        if given["record"]:
            first["record"], second["record"] = (
                str(Path(given["record"]) / name) for name in ("crane_1", "crane_2")
            )
        place = ["--x", given["second_x"], "--y", given["second_y"], "--yaw", given["second_yaw"]]
        frames = ["--frame-id", "world", "--child-frame-id", second["world_frame"]]
        stand = Node(
            package="tf2_ros",
            executable="static_transform_publisher",
            arguments=[*place, *frames],
            name="place_of_crane_2",
            output="screen",
        )
        return [*_crane(first), *_crane(second), stand, *_rviz(first, self.display, "")]


def _crane_arguments(crane: str) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments for the crane and its names."""
    return (
        DeclareLaunchArgument(
            "namespace", default_value="", description="namespace of the crane's nodes and topics"
        ),
        DeclareLaunchArgument(
            "frame_prefix",
            default_value="",
            description="in front of every frame but the world's, e.g. crane_1/",
        ),
        DeclareLaunchArgument(
            "world_frame", default_value="world", description="name of the fixed frame"
        ),
        DeclareLaunchArgument(
            "config",
            default_value=crane,
            description="crane: a name of the catalogue or the path of a YAML file",
        ),
    )


def _two_crane_arguments(crane: str) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments for two cranes, and the place of the second."""
    named = [
        ("config", crane, "first crane: a name of the catalogue or the path of a YAML file"),
        ("second_config", crane, "second crane, likewise"),
        ("second_x", "0.0", "where the second crane's world stands in the first one's [m]"),
        ("second_y", "150.0", "likewise [m]"),
        (
            "second_yaw",
            "0.0",
            "how it is turned there, anticlockwise from above [rad]; its wind turns with it",
        ),
    ]
    return tuple(
        DeclareLaunchArgument(name, default_value=value, description=text)
        for name, value, text in named
    )


def _arguments(config: Path) -> tuple[DeclareLaunchArgument, ...]:
    """Return the other arguments, with their defaults."""
    return (*_values(config), *_switches())


def _values(config: Path) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments that take any value."""
    named = [
        (
            "parameters",
            str(config / "crane_node.yaml"),
            "YAML file with the simulator node's parameters",
        ),
        (
            "real_time_factor",
            "",
            f"simulated seconds per second of wall time; 0 is as fast as possible{AS_FILE}",
        ),
        (
            "lockstep",
            "",
            f"whether time waits for who asks or commands: off, service, command{AS_FILE}",
        ),
        ("lockstep_timeout", "", f"how long it waits at most [s, wall time]{AS_FILE}"),
        (
            "publish_clock",
            "",
            f"whether the simulator is the graph's time source on /clock: true, false{AS_FILE}",
        ),
        ("follow_clock", "", f"whether it ticks with another node's /clock: true, false{AS_FILE}"),
        (
            "record",
            "",
            "folder to make and to record the crane's topics to; left empty, nothing is recorded",
        ),
        ("port", "8080", "where the operator's page is served; 0 is a free one"),
        (
            "controllers",
            str(config / "ros2_control.yaml"),
            "YAML file with the parameters of ros2_control",
        ),
    ]
    return tuple(
        DeclareLaunchArgument(name, default_value=value, description=text)
        for name, value, text in named
    )


def _switches() -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments that are true or false."""
    named = [
        (
            "use_sim_time",
            "true",
            "whether the other nodes follow the simulator's /clock; the simulator never does",
        ),
        (
            "robot_state_publisher",
            "true",
            "let robot_state_publisher do the frames of base and trolley; else the simulator does",
        ),
        ("ros2_control", "false", "start ros2_control with controllers for the crane's joints"),
        ("rviz", "false", "open RViz"),
        ("viewer", "false", "serve the operator's page for a browser"),
    ]
    return tuple(
        DeclareLaunchArgument(name, default_value=value, description=text, choices=SWITCH)
        for name, value, text in named
    )


def _crane(given: Given) -> list[Any]:
    """Return the processes of a simulator and its companions."""
    controlled = given["ros2_control"] == "true"
    if controlled and given["robot_state_publisher"] == "false":
        raise RuntimeError(
            "ros2_control:=true needs robot_state_publisher:=true, which tells it of the joints"
        )
    common = {"namespace": given["namespace"], "output": "screen"}
    simulator = _simulator(given, common)
    # without its simulator nothing else is of use; and its message, why it could not start, should
    # be the last one
    together = RegisterEventHandler(
        OnProcessExit(
            target_action=simulator,
            on_exit=[EmitEvent(event=Shutdown(reason="the simulator has ended"))],
        )
    )
    return [
        simulator,
        together,
        *(_state_publisher(given, common) if given["robot_state_publisher"] == "true" else ()),
        *(_control(given, common) if controlled else ()),
        *(_recorder(given) if given["record"] else ()),
        *(_viewer(given, common) if given["viewer"] == "true" else ()),
    ]


def _simulator(given: Given, common: dict[str, str]) -> Node:
    """Return the simulator's node; topics that other nodes publish get names of their own."""
    parameters: dict[str, Any] = {
        name: _text(given[name]) for name in ("frame_prefix", "world_frame")
    }
    parameters["crane_config"] = _text(given["config"])
    parameters["publish_tf"] = "floating" if given["robot_state_publisher"] == "true" else "all"
    for name in ("real_time_factor", "lockstep_timeout"):
        if given[name]:
            parameters[name] = _number(given, name)
    for name in ("publish_clock", "follow_clock"):
        if given[name]:
            parameters[name] = _switch(given, name)
    if given["lockstep"]:
        parameters["lockstep"] = _text(given["lockstep"])
    remappings = []
    if given["robot_state_publisher"] == "true":
        remappings.append(("robot_description", "cable_sim/robot_description"))
    if given["ros2_control"] == "true":
        remappings.append(("joint_states", "cable_sim/joint_states"))
    return Node(
        package="cable_sim",
        executable="cable_sim_node",
        name="cable_sim",
        remappings=remappings,
        parameters=[given["parameters"], parameters],
        **common,
    )


def _state_publisher(given: Given, common: dict[str, str]) -> tuple[Node, ...]:
    """Return robot_state_publisher, with the description of the simulator's crane."""
    from cable_sim.ros.launch.description import robot_description
    from cable_sim.ros.launch.ros2_control import description_with_control

    crane = _load_crane(given)
    if crane is None:
        return ()
    controlled = given["ros2_control"] == "true"
    description = (
        description_with_control(crane, given["namespace"])
        if controlled
        else robot_description(crane)
    )
    parameters = {
        "robot_description": _text(description),
        "frame_prefix": _text(given["frame_prefix"]),
        "publish_frequency": 50.0,
        "use_sim_time": _switch(given, "use_sim_time"),
    }
    return (
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            parameters=[parameters],
            **common,
        ),
    )


def _control(given: Given, common: dict[str, str]) -> tuple[Node, ...]:
    """Return the controller manager, and the process that loads its controllers.

    One controller follows speeds from the start, one follows trajectories on request.
    """
    from cable_sim.ros.launch.ros2_control import BROADCASTER, FORWARD, TRAJECTORY, joint_parameters

    crane = _load_crane(given)
    if crane is None:
        return ()
    time = {"use_sim_time": _switch(given, "use_sim_time")}
    files = [
        "--param-file",
        given["controllers"],
        "--param-file",
        str(_write_parameters(joint_parameters(crane))),
    ]
    # no name: it would be that of every node in the controller manager's process
    manager = Node(
        package="controller_manager",
        executable="ros2_control_node",
        parameters=[given["controllers"], time],
        **common,
    )
    spawn = {
        "package": "controller_manager",
        "executable": "spawner",
        "parameters": [time],
        **common,
    }
    return (
        manager,
        Node(arguments=[BROADCASTER, FORWARD, *files], **spawn),
        Node(arguments=[TRAJECTORY, "--inactive", *files], **spawn),
    )


def _recorder(given: Given) -> tuple[ExecuteProcess]:
    """Return the recorder; the launch's interrupt ends it properly."""
    words = ["record", given["config"], "--out", given["record"], "--namespace", given["namespace"]]
    return (
        ExecuteProcess(
            cmd=[sys.executable, "-m", "cable_sim.cli", *words], name="record", output="screen"
        ),
    )


def _viewer(given: Given, common: dict[str, str]) -> tuple[Node, RegisterEventHandler]:
    """Return the process of the page in the browser; if it ends, the crane runs on."""
    frames = ["--frame-prefix", given["frame_prefix"], "--world-frame", given["world_frame"]]
    words = ["view", given["config"], *frames, "--port", given["port"]]
    page = Node(package="cable_sim", executable="cable_sim_viewer", arguments=words, **common)
    again = shlex.join(["cable-sim", *words, "--namespace", given["namespace"]])

    def tell(_: Any, context: Any) -> list[LogInfo]:
        told = f"the page has ended, the crane runs on; open it again by: {again}"
        return [] if context.is_shutdown else [LogInfo(msg=told)]

    return page, RegisterEventHandler(OnProcessExit(target_action=page, on_exit=tell))


def _rviz(given: Given, display: Path, namespace: str) -> tuple[Node, ...]:
    """Return RViz, if wanted."""
    if given["rviz"] != "true":
        return ()
    time = {"use_sim_time": _switch(given, "use_sim_time")}
    words = ["-d", str(display), "--fixed-frame", given["world_frame"]]
    return (
        Node(
            package="rviz2",
            executable="rviz2",
            parameters=[time],
            arguments=words,
            namespace=namespace,
            output="screen",
        ),
    )


def _load_crane(given: Given) -> Any:
    """Return the crane; None if its file is wrong, which the simulator reports."""
    from cable_sim.errors import CableSimError
    from cable_sim.scenes.machines import load_machine

    try:
        return load_machine(given["config"])
    except CableSimError:
        return None


def _text(value: str) -> ParameterValue:
    """Return a parameter that is text, even if YAML would read it as a boolean, such as ``off``."""
    return ParameterValue(value, value_type=str)


def _number(given: Given, name: str) -> float:
    """Return an argument as a number."""
    try:
        number = float(given[name])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RuntimeError(f"{name}:={given[name]} is no number")
    return number


def _switch(given: Given, name: str) -> bool:
    """Return an argument that is true or false."""
    if given[name] not in SWITCH:
        raise RuntimeError(f"{name}:={given[name]} is neither true nor false")
    return given[name] == "true"


def _write_parameters(parameters: dict[str, Any]) -> Path:
    """Write a parameter file for programs that take parameters in no other form; returns its path.

    The file stays, because the processes may read it at any time.
    """
    from ruamel.yaml import YAML

    with tempfile.NamedTemporaryFile(
        "w", prefix="cable_sim_", suffix=".yaml", delete=False
    ) as file:
        YAML(typ="safe").dump(parameters, file)
    return Path(file.name)
