"""What is imported is declared: in setup.py for pip, in package.xml for rosdep; and both say the
same."""

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
ROSDEP = {
    "numpy": "python3-numpy",
    "scipy": "python3-scipy",
    "transforms3d": "python3-transforms3d",
    "ruamel.yaml": "python3-ruamel.yaml",
    "regex": "python3-regex",
    "rich": "python3-rich",
    "pillow": "python3-pil",
    "jinja2": "python3-jinja2",
}
"""rosdep's key for what pip calls by another name, where Ubuntu's version will do."""
WITH_ROS = {"python3-matplotlib"}
"""rosdep's keys for extras that come along with ROS, whose commands write reports."""
PIP_ONLY = {"numba", "pydantic", "typer"}
"""What comes by pip on top of a ROS distribution as well, by requirements/beside_ros.txt;
package.xml says why."""
COMES_WITH = {
    "cycler": "matplotlib",
    "PIL": "pillow",
    "cryptography": "asyncua",
    "pxr": "usd_core",
    "typing_extensions": "pydantic",
    "yaml": "",
    "dask": "distributed",
    "ruamel": "ruamel.yaml",
    "mcap": "mcap",
    "llvmlite": "numba",
    "resolve_robotics_uri_py": "rod",
}
"""Whose dependency a module is that is imported, or whose distribution has another name."""
OPTIONAL = {"simulation_interfaces", "controller_manager", "rviz2", "pandas"}
"""Packages, of ROS and of pip, that are used where they are."""
LOOKED_UP = {
    "ament_cmake",
    "ament_cmake_pytest",
    "ament_cmake_python",
    "ament_index_python",
    "builtin_interfaces",
    "control_msgs",
    "diagnostic_msgs",
    "geometry_msgs",
    "launch",
    "launch_ros",
    "nav_msgs",
    "rcl_interfaces",
    "rclpy",
    "robot_state_publisher",
    "ros2launch",
    "rosgraph_msgs",
    "rosidl_default_generators",
    "rosidl_default_runtime",
    "sensor_msgs",
    "simulation_interfaces",
    "std_msgs",
    "std_srvs",
    "tf2_msgs",
    "tf2_ros",
    "trajectory_msgs",
    "urdfdom_py",
    "visualization_msgs",
    "python3-pytest",
    *ROSDEP.values(),
    *WITH_ROS,
}
"""Keys and packages for Jazzy, Kilted, Lyrical and Rolling in github.com/ros/rosdistro, commit
8468e88c of 2026-08-22 (``<distribution>/distribution.yaml``, ``rosdep/python.yaml``); look new ones
up."""


def names(entries: list[str]) -> set[str]:
    """Distributions in a list of requirements."""
    return {re.split(r"[<>=\[]", entry)[0] for entry in entries}


def declared() -> tuple[set[str], set[str]]:
    """Distributions that setup.py wants: always, and for an extra."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    call = next(
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "setup"
    )
    said = {keyword.arg: keyword.value for keyword in call.keywords}
    extras = ast.literal_eval(said["extras_require"])
    return names(ast.literal_eval(said["install_requires"])), {
        name for one in extras.values() for name in names(one)
    }


def depends(*kinds: str) -> set[str]:
    """Names in package.xml; ``depend`` counts for all kinds but tests."""
    return {element.text or "" for kind in kinds for element in MANIFEST.findall(kind)}


def imported(*folders: str) -> set[str]:
    """Packages of others that Python files import, wherever in the file, and that launch starts
    programs of."""
    found = set()
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
        found |= set(re.findall(r"package\"?[=:] ?\"(\w+)\"", text))
    return found - sys.stdlib_module_names - {"cable_sim", "cable_sim_studies", "validation"}


def test_what_is_imported_is_declared() -> None:
    always, extra = declared()
    pip = {name.replace("-", "_") for name in always | extra}
    ros = depends("depend", "exec_depend") | OPTIONAL
    others = {
        name
        for name in imported("cable_sim", "cable_sim_studies", "launch", "validation")
        if COMES_WITH.get(name, name) not in pip | always
    }
    assert others - ros == set()
    used = others | {"rosidl_default_runtime"}  # of the messages
    assert {name for name in ros - OPTIONAL if not name.startswith("python3-")} - used == set()


def test_rosdep_and_pip_want_the_same() -> None:
    always, _ = declared()
    assert always == ROSDEP.keys() | PIP_ONLY
    assert {name for name in depends("depend", "exec_depend") if name.startswith("python3-")} == {
        *ROSDEP.values(),
        *WITH_ROS,
    }


def test_what_comes_by_pip_beside_ros_is_what_setup_wants() -> None:
    """With its bounds, and with page and recordings, for which rosdep has no keys."""
    tree = ast.unparse(ast.parse((ROOT / "setup.py").read_text()))
    lines = [
        line
        for line in (ROOT / "requirements" / "beside_ros.txt").read_text().splitlines()
        if line[0] != "#"
    ]
    assert names(lines) == PIP_ONLY | {"viser", "rosbags", "mcap", "mcap-ros2-support"}
    assert [line for line in lines if repr(line) not in tree] == []


def test_every_key_of_rosdep_was_looked_up() -> None:
    keys = depends("depend", "exec_depend", "test_depend", "build_depend", "buildtool_depend")
    assert keys - LOOKED_UP == set()
