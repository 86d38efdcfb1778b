"""Processes of the launch files: simulators, displays, recorders and controllers.

One set of arguments describes them all. Runs in ROS' launch, whose Python may lack what the package
depends on: nothing but launch and the standard library is imported here.
"""

import shlex
from pathlib import Path
from typing import Any

from launch.actions import EmitEvent, ExecuteProcess, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_description import LaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from cable_sim.ros.launch.arguments import (
    Given,
    common_arguments,
    crane_arguments,
    number,
    refuse_unknown,
    switch,
    two_crane_arguments,
    whole_number,
)
from cable_sim.ros.launch.controllers import BROADCASTER, FORWARD, TRAJECTORY
from cable_sim.ros.launch.requirements import check_packages, command_line, note_interrupts, prepare

SECOND_PAGE = 1
"""Offset of the port of the second crane's page from that of the first."""


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
        self.arguments = (*crane_arguments(crane), *common_arguments(share / "config"))

    def description(self) -> LaunchDescription:
        """Return the launch description for ``ros2 launch``."""
        return LaunchDescription([*self.arguments, OpaqueFunction(function=self.start)])

    def start(self, context: Any, *_: Any) -> list[Any]:
        """Return the processes for the launch's arguments."""
        given = {
            argument.name: LaunchConfiguration(argument.name).perform(context)
            for argument in self.arguments
        }
        messages = refuse_unknown(context, self.arguments, given)
        check_packages(given)
        with note_interrupts() as interrupts:
            processes = self.processes(given)
        return messages if interrupts else [*messages, *processes]

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
            argument
            for argument in common_arguments(share / "config")
            if argument.name not in clock
        ]
        self.arguments = (*two_crane_arguments(crane), *shared)

    def processes(self, given: Given) -> list[Any]:
        """Return the processes of both cranes, and the transform that places the second one."""
        first = given | {
            "namespace": "crane_1",
            "frame_prefix": "crane_1/",
            "world_frame": "world",
            "publish_clock": "true",
            "follow_clock": "false",
        }
        port = whole_number(given, "port")
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


def _crane(given: Given) -> list[Any]:
    """Return the processes of a simulator and its companions."""
    controlled = switch(given, "ros2_control")
    described = switch(given, "robot_state_publisher")
    if controlled and not described:
        raise RuntimeError(
            "ros2_control:=true needs robot_state_publisher:=true, which sends it the robot "
            "description"
        )
    given = prepare(given)
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
        *([_state_publisher(given, common)] if described else []),
        *(_control(given, common) if controlled else ()),
        *([_recorder(given)] if given["record"] else []),
        *(_viewer(given, common) if switch(given, "viewer") else ()),
        *([_cameras(given, common)] if number(given, "camera_rate") else []),
    ]


def _simulator(given: Given, common: dict[str, str]) -> Node:
    """Return the simulator's node; topics that other nodes publish get names of their own."""
    parameters: dict[str, Any] = {
        name: _text(given[name]) for name in ("frame_prefix", "world_frame")
    }
    parameters["crane_config"] = _text(given["config"])
    described = switch(given, "robot_state_publisher")
    parameters["publish_tf"] = "floating" if described else "all"
    for name in ("real_time_factor", "lockstep_timeout"):
        if given[name]:
            parameters[name] = number(given, name)
    for name in ("publish_clock", "follow_clock", "managed"):
        if given[name]:
            parameters[name] = switch(given, name)
    if given["lockstep"]:
        parameters["lockstep"] = _text(given["lockstep"])
    if given["seed"]:
        parameters["noise.seed"] = whole_number(given, "seed")
    if given["socket"]:
        parameters["ros2_control_socket"] = _text(given["socket"])
    remappings = []
    if switch(given, "ros2_control"):
        remappings.append(("joint_states", "cable_sim/joint_states"))
    return Node(
        package="cable_sim",
        executable="cable_sim_node",
        name="cable_sim",
        remappings=remappings,
        parameters=[given["parameters"], parameters],
        **common,
    )


def _state_publisher(given: Given, common: dict[str, str]) -> Node:
    """Return robot_state_publisher, with the description of the simulator's crane."""
    parameters = {
        "robot_description": _text(Path(given["description_file"]).read_text(encoding="utf-8")),
        "frame_prefix": _text(given["frame_prefix"]),
        "publish_frequency": 50.0,
        "use_sim_time": switch(given, "use_sim_time"),
    }
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        parameters=[parameters],
        **common,
    )


def _control(given: Given, common: dict[str, str]) -> tuple[Node, ...]:
    """Return the controller manager, and the process that loads its controllers.

    One controller follows speeds from the start, one follows trajectories on request.
    """
    time = {"use_sim_time": switch(given, "use_sim_time")}
    files = ["--param-file", given["controllers"], "--param-file", given["joints_file"]]
    # no name: it would be that of every node in the controller manager's process
    manager = Node(
        package="controller_manager",
        executable="ros2_control_node",
        parameters=[given["controllers"], time],
        **common,
    )
    spawn = common | {"package": "controller_manager", "executable": "spawner"}
    return (
        manager,
        Node(arguments=[BROADCASTER, FORWARD, *files], parameters=[time], **spawn),
        Node(arguments=[TRAJECTORY, "--inactive", *files], parameters=[time], **spawn),
    )


def _recorder(given: Given) -> ExecuteProcess:
    """Return the recorder; the launch's interrupt ends it properly."""
    words = ["record", given["config"], "--out", given["record"], "--namespace", given["namespace"]]
    return ExecuteProcess(cmd=[command_line(), *words], name="record", output="screen")


def _viewer(given: Given, common: dict[str, str]) -> tuple[Node, RegisterEventHandler]:
    """Return the process of the page in the browser; if it ends, the crane keeps running."""
    frames = ["--frame-prefix", given["frame_prefix"], "--world-frame", given["world_frame"]]
    words = ["view", given["config"], *frames, "--port", given["port"]]
    page = Node(package="cable_sim", executable="cable_sim_viewer", arguments=words, **common)
    again = shlex.join(["cable-sim", *words, "--namespace", given["namespace"]])

    def tell(_: Any, context: Any) -> list[LogInfo]:
        told = f"the page has ended, but the crane keeps running; to open it again: {again}"
        return [] if context.is_shutdown else [LogInfo(msg=told)]

    return page, RegisterEventHandler(OnProcessExit(target_action=page, on_exit=tell))


def _cameras(given: Given, common: dict[str, str]) -> Node:
    """Return the process that draws the crane's cameras; if it ends, the crane keeps running."""
    if number(given, "camera_rate") < 0.0:
        raise RuntimeError(f"camera_rate:={given['camera_rate']} is below 0")
    size = [
        word
        for name in ("width", "height")
        for word in (f"--{name}", str(whole_number(given, f"camera_{name}")))
    ]
    frames = ["--frame-prefix", given["frame_prefix"], "--world-frame", given["world_frame"]]
    words = ["cameras", given["config"], "--rate", given["camera_rate"], *size, *frames]
    return Node(package="cable_sim", executable="cable-sim", arguments=words, **common)


def _rviz(given: Given, display: Path, namespace: str) -> list[Node]:
    """Return RViz, if wanted."""
    if not switch(given, "rviz"):
        return []
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            parameters=[{"use_sim_time": switch(given, "use_sim_time")}],
            arguments=["-d", str(display), "--fixed-frame", given["world_frame"]],
            namespace=namespace,
            output="screen",
        )
    ]


def _text(value: str) -> ParameterValue:
    """Return a parameter that is text, even if YAML would read it as a boolean, such as ``off``."""
    return ParameterValue(value, value_type=str)
