"""A tower crane with everything around it.

ros2 launch cable_sim tower_crane.launch.py rviz:=true
ros2 launch cable_sim tower_crane.launch.py namespace:=crane_1 frame_prefix:=crane_1/ config:=my_crane.yaml
ros2 launch cable_sim tower_crane.launch.py --show-args
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, EmitEvent, OpaqueFunction, RegisterEventHandler
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription

SHARE = Path(__file__).resolve().parents[1]
"""Folder that holds launch, config and rviz: the source tree's root, or share/cable_sim of an installation."""

SWITCH = ("true", "false")

ARGUMENTS = (
    DeclareLaunchArgument("namespace", default_value="", description="namespace of the crane's nodes and topics"),
    DeclareLaunchArgument(
        "config", default_value="tower_12t", description="crane: a name of the catalogue or the path of a YAML file"
    ),
    DeclareLaunchArgument(
        "parameters", default_value=str(SHARE / "config" / "tower_crane_node.yaml"),
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
        description="let robot_state_publisher do the frames of slewing part and trolley; else the simulator does",
    ),
    DeclareLaunchArgument("rviz", default_value="false", choices=SWITCH, description="open RViz"),
    DeclareLaunchArgument(
        "viewer", default_value="false", choices=SWITCH, description="serve the operator's page for a browser"
    ),
)  # fmt: skip


def start(context, *_):
    """The nodes, now that the arguments are known."""
    given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS}
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
        OnProcessExit(target_action=simulator, on_exit=[EmitEvent(event=Shutdown(reason="the simulator has ended"))])
    )
    return [simulator, together, *(_state_publisher(given, common) if publisher else ()), *_displays(given, common)]


def _state_publisher(given, common):
    """robot_state_publisher, with the description of the crane that the simulator runs."""
    # imported here and not above: listing the arguments should not need the package's Python dependencies
    from cable_sim.cranes import load_crane
    from cable_sim.errors import CableSimError
    from cable_sim.ros.description import robot_description

    try:
        description = robot_description(load_crane(given["config"]))
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


def _displays(given, common):
    """RViz and the page in the browser, each if wanted."""
    time = {"use_sim_time": given["use_sim_time"] == "true"}
    rviz = Node(
        package="rviz2", executable="rviz2", parameters=[time], condition=IfCondition(given["rviz"]),
        arguments=["-d", str(SHARE / "rviz" / "tower_crane.rviz")], **common,
    )  # fmt: skip
    viewer = Node(
        package="cable_sim", executable="cable_sim_viewer", condition=IfCondition(given["viewer"]),
        arguments=["view", given["config"], "--frame-prefix", given["frame_prefix"]], **common,
    )  # fmt: skip
    return rviz, viewer


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
