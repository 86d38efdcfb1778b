"""Arguments of the launch files: names, defaults, and checks of what is given.

Needs nothing but ROS' launch and the standard library.
"""

import difflib
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from launch.actions import DeclareLaunchArgument, LogInfo

from cable_sim.ros.launch.controllers import HARDWARE

Given = dict[str, str]

SWITCH = ("true", "false")
SPELLINGS = (*SWITCH, "True", "False")
"""What a switch takes: Python's spelling, too, as in launch's own conditions."""
AS_FILE = "; if empty, as in the parameter file"
OF_CRANE = "; if empty, as in the crane file"
OTHER_NAMES = {
    "crane": "config",
    "crane_config": "config",
    "ns": "namespace",
    "rtf": "real_time_factor",
    "params_file": "parameters",
}
"""Names of arguments elsewhere, of the node's parameter or of other packages' launch files."""
ALIKE = 0.9
"""Similarity from which a name is taken for another one that is misspelt; ``speed`` is no ``seed``.
See ``difflib.get_close_matches``."""
OF_LAUNCH = ("launch-prefix", "launch-prefix-filter", "log_level", "emulate_tty")
"""Arguments that launch and launch_ros themselves read."""

VALUES = {
    "parameters": "YAML file with the simulator node's parameters",
    "real_time_factor": (
        f"simulated seconds per second of wall time; 0 is as fast as possible{AS_FILE}"
    ),
    "lockstep": f"what advances time: off (the clock), service, command{AS_FILE}",
    "lockstep_timeout": f"time-out of lockstep [s, wall time]{AS_FILE}",
    "publish_clock": (
        f"the simulator is the time source of the graph on /clock: true, false{AS_FILE}"
    ),
    "follow_clock": f"the simulator follows the /clock of another node: true, false{AS_FILE}",
    "managed": f"the simulator waits for a lifecycle manager: true, false{AS_FILE}",
    "load_mass": f"mass of the load [kg]{OF_CRANE}",
    "start": f"how the load starts: on_ground, hanging{OF_CRANE}",
    "changes": "other values of the crane's file: rig.start.hook_depth=12.5,rig.start.radius=30.0",
    "seed": f"seed of the sensors' noise{AS_FILE}",
    "record": "new folder for a recording of the crane's topics; if empty, nothing is recorded",
    "camera_rate": "pictures per second of the crane's cameras; 0 switches them off",
    "camera_width": "width of their pictures [pixels]",
    "camera_height": "height of their pictures [pixels]",
    "port": "port of the operator's page; 0 picks a free port",
    "controllers": "YAML file with the parameters of ros2_control",
}
"""Arguments that take any value; most are left empty."""


def crane_arguments(crane: str) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments for the crane and its names."""
    return _declare(
        ("namespace", "", "namespace of the crane's nodes and topics"),
        ("frame_prefix", "", "prefix of every frame except the world frame, e.g. crane_1/"),
        ("world_frame", "world", "name of the fixed frame"),
        ("config", crane, "crane: a name of the catalogue or the path of a YAML file"),
    )


def two_crane_arguments(crane: str) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments for two cranes, and the place of the second."""
    return _declare(
        ("config", crane, "first crane: a name of the catalogue or the path of a YAML file"),
        ("second_config", crane, "second crane, in the same way"),
        ("second_x", "0.0", "position of the second crane's world in that of the first, x [m]"),
        ("second_y", "150.0", "the same, y [m]"),
        ("second_yaw", "0.0", "its turn, anticlockwise from above [rad]; its wind turns with it"),
    )


def common_arguments(config: Path) -> tuple[DeclareLaunchArgument, ...]:
    """Return the other arguments, with their defaults."""
    reach = "how ros2_control reaches the simulator: by topics, or in lockstep by a socket"
    defaults = {
        "parameters": str(config / "crane_node.yaml"),
        "camera_rate": "0",
        "camera_width": "640",
        "camera_height": "480",
        "port": "8080",
        "controllers": str(config / "ros2_control.yaml"),
    }
    values = ((name, defaults.get(name, ""), text) for name, text in VALUES.items())
    hardware = _declare(("hardware", "topics", reach), choices=tuple(HARDWARE))
    return (*_declare(*values), *_switches(), *hardware)


def _switches() -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments that are true or false."""
    return _declare(
        (
            "use_sim_time",
            "true",
            "the other nodes follow the simulator's /clock; the simulator itself never does",
        ),
        (
            "robot_state_publisher",
            "true",
            "robot_state_publisher publishes the frames of base and trolley; otherwise the "
            "simulator does",
        ),
        ("ros2_control", "false", "start ros2_control with controllers for the crane's joints"),
        ("rviz", "false", "open RViz"),
        ("viewer", "false", "serve the operator's page for a browser"),
        choices=SPELLINGS,
    )


def _declare(
    *named: tuple[str, str, str], choices: tuple[str, ...] | None = None
) -> tuple[DeclareLaunchArgument, ...]:
    """Return arguments by name, default and description."""
    return tuple(
        DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
        for name, value, text in named
    )


def refuse_unknown(
    context: Any, arguments: Iterable[DeclareLaunchArgument], given: Given
) -> list[Any]:
    """Return messages about words ``name:=value`` of the command line that no argument takes.

    Raises RuntimeError for one that seems to mean another argument, which was not given. A launch
    file that includes this one may have arguments of its own.
    """
    defaults = {argument.name: argument.default_value for argument in arguments}
    messages = []
    for name in (word.partition(":=")[0] for word in context.argv if ":=" in word):
        if name in defaults or name in OF_LAUNCH:
            continue
        near = difflib.get_close_matches(name.lower(), defaults, 1, ALIKE)
        like = OTHER_NAMES.get(name) or "".join(near)
        if like in defaults and given[like] == _default_text(context, defaults[like]):
            raise RuntimeError(
                f"{name}:= is not an argument; did you mean {like}:=? (--show-args lists all)"
            )
        messages.append(LogInfo(msg=f"unknown argument, ignored: {name}:= (--show-args lists all)"))
    return messages


def number(given: Given, name: str) -> float:
    """Return an argument as a number."""
    try:
        value = float(given[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RuntimeError(f"{name}:={given[name]} is not a number")
    return value


def whole_number(given: Given, name: str) -> int:
    """Return an argument as a whole number."""
    value = number(given, name)
    if value != int(value):
        raise RuntimeError(f"{name}:={given[name]} is not a whole number")
    return int(value)


def switch(given: Given, name: str) -> bool:
    """Return an argument that is true or false."""
    if given[name] not in SPELLINGS:
        raise RuntimeError(f"{name}:={given[name]} is neither true nor false")
    return given[name].lower() == "true"


def _default_text(context: Any, default: Any) -> str:
    """Return the text of a default, which launch keeps as substitutions."""
    return "".join(part.perform(context) for part in default or ())
