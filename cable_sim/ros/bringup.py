"""What a crane's launch file starts: simulator, robot_state_publisher, RViz and the page, from one set of arguments.

Listing the arguments needs nothing but ROS' launch: the package's own dependencies are imported when they are used.
"""

from pathlib import Path
from typing import Any

from launch.actions import DeclareLaunchArgument, EmitEvent, OpaqueFunction, RegisterEventHandler
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_description import LaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

SWITCH = ("true", "false")


class Bringup:
    """A crane with everything around it.

    Parameters
    ----------
    crane: the default of the argument ``config``: a name of the catalogue.
    display: file name of the RViz configuration.
    share: folder that holds config and rviz: the source tree's root, or share/cable_sim of an installation.
    """

    def __init__(self, crane: str, display: str, share: Path) -> None:
        self.display = share / "rviz" / display
        self.arguments = _arguments(crane, share / "config" / "crane_node.yaml")

    def description(self) -> LaunchDescription:
        """What ``ros2 launch`` asks for."""
        return LaunchDescription([*self.arguments, OpaqueFunction(function=self.start)])

    def start(self, context: Any, *_: Any) -> list[Any]:
        """The nodes, now that the arguments are known."""
        given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in self.arguments}
        publisher = given["robot_state_publisher"] == "true"
        common = {"namespace": given["namespace"], "output": "screen"}
        simulator = Node(
            package="cable_sim", executable="cable_sim_node", name="cable_sim", **common,
            parameters=[
                given["parameters"],
                {
                    "crane_config": given["config"],
                    "real_time_factor": float(given["real_time_factor"]),
                    "frame_prefix": given["frame_prefix"],
                    "publish_tf": "floating" if publisher else "all",
                },
            ],
        )  # fmt: skip
        # without its simulator nothing else is of use; and its message, why it could not start, should be the last one
        together = RegisterEventHandler(
            OnProcessExit(
                target_action=simulator, on_exit=[EmitEvent(event=Shutdown(reason="the simulator has ended"))]
            )
        )
        return [
            simulator,
            together,
            *(_state_publisher(given, common) if publisher else ()),
            *_displays(given, common, self.display),
        ]


def _arguments(crane: str, parameters: Path) -> tuple[DeclareLaunchArgument, ...]:
    """The arguments, with their defaults."""
    return (
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the crane's nodes and topics"),
        DeclareLaunchArgument(
            "config", default_value=crane, description="crane: a name of the catalogue or the path of a YAML file"
        ),
        DeclareLaunchArgument(
            "parameters", default_value=str(parameters),
            description="YAML file with the simulator node's parameters",
        ),
        DeclareLaunchArgument(
            "real_time_factor", default_value="1.0",
            description="simulated seconds per second of wall time; 0.0 is as fast as possible",
        ),
        DeclareLaunchArgument(
            "use_sim_time", default_value="true", choices=SWITCH,
            description="whether the other nodes follow the simulator's /clock; the simulator itself never does",
        ),
        DeclareLaunchArgument(
            "frame_prefix", default_value="", description="in front of every frame but the world's, e.g. crane_1/"
        ),
        DeclareLaunchArgument(
            "robot_state_publisher", default_value="true", choices=SWITCH,
            description="let robot_state_publisher do the frames of base and trolley; else the simulator does",
        ),
        DeclareLaunchArgument("rviz", default_value="false", choices=SWITCH, description="open RViz"),
        DeclareLaunchArgument(
            "viewer", default_value="false", choices=SWITCH, description="serve the operator's page for a browser"
        ),
    )  # fmt: skip


def _state_publisher(given: dict[str, str], common: dict[str, str]) -> tuple[Node, ...]:
    """robot_state_publisher, with the description of the crane that the simulator runs."""
    from cable_sim.errors import CableSimError
    from cable_sim.ros.description import robot_description
    from cable_sim.scenes.machines import load_machine

    try:
        description = robot_description(load_machine(given["config"]))
    except CableSimError:
        return ()  # the simulator reads the same file, and says what is wrong with it
    parameters = {
        "robot_description": description,
        "frame_prefix": given["frame_prefix"],
        "publish_frequency": 50.0,
        "use_sim_time": given["use_sim_time"] == "true",
    }
    return (
        Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[parameters], **common),
    )


def _displays(given: dict[str, str], common: dict[str, str], display: Path) -> tuple[Node, Node]:
    """RViz and the page in the browser, each if wanted."""
    time = {"use_sim_time": given["use_sim_time"] == "true"}
    rviz = Node(
        package="rviz2", executable="rviz2", parameters=[time], condition=IfCondition(given["rviz"]),
        arguments=["-d", str(display)], **common,
    )  # fmt: skip
    viewer = Node(
        package="cable_sim", executable="cable_sim_viewer", condition=IfCondition(given["viewer"]),
        arguments=["view", given["config"], "--frame-prefix", given["frame_prefix"]], **common,
    )  # fmt: skip
    return rviz, viewer
