"""Requirements of a launch before anything starts: packages of others, files about the crane.

Needs nothing but ROS' launch and the standard library; cranes are read by a process of the
package's own interpreter.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from cable_sim.ros.launch.arguments import Given, number, switch
from cable_sim.ros.launch.controllers import HARDWARE

PACKAGES = {
    "robot_state_publisher": ("robot_state_publisher",),
    "ros2_control": (
        "controller_manager",
        "joint_state_broadcaster",
        "forward_command_controller",
        "joint_trajectory_controller",
    ),
    "rviz": ("rviz2",),
}
"""Packages that an argument needs when it is true; those of ros2_control are in
``config/ros2_control.yaml``, and one is that of its hardware."""
OWN = HARDWARE["lockstep"]
"""Package of this repository, which is built, not installed."""
BETWEEN = re.compile(r",(?=[\w.]+=)")
"""Comma between changes of a crane's file, not one within a value."""


def check_packages(given: Given) -> None:
    """Raise RuntimeError, which says what to install, if an argument needs an absent package."""
    for name, packages in PACKAGES.items():
        if not switch(given, name):
            continue
        wanted = (*packages, HARDWARE[given["hardware"]]) if name == "ros2_control" else packages
        absent = [package for package in wanted if not _is_there(package)]
        if absent:
            raise RuntimeError(
                f"{name}:=true needs {', '.join(absent)}: {_how_to_get(absent)}, or give "
                f"{name}:=false"
            )


def command_line() -> str:
    """Return the path of the entry script of the command line."""
    folder = Path(get_package_prefix("cable_sim")) / "lib" / "cable_sim"
    return str(folder / "cable-sim")


def prepare(given: Given) -> Given:
    """Return arguments with the files that a process of the package writes for them.

    ``config`` becomes the file of the changed crane if anything of it is changed;
    ``description_file``, ``joints_file`` and ``socket`` are new; the last is empty without hardware
    in lockstep. Raises RuntimeError with the sentence of that process if the crane or a change can
    not be. The files stay, because programs may read them at any time.
    """
    words = ["describe", given["config"], "--namespace", given["namespace"]]
    folder = tempfile.mkdtemp(prefix="cable_sim_launch_")
    socket = ""
    if switch(given, "ros2_control"):
        words.append("--ros2-control")
        if given["hardware"] == "lockstep":
            socket = str(Path(folder) / "ros2_control.sock")
            words += ["--socket", socket]
    if given["load_mass"]:
        words += ["--load-mass", repr(number(given, "load_mass"))]
    start = [f"rig.start.state={given['start']}"] if given["start"] else []
    for change in [*start, *filter(None, BETWEEN.split(given["changes"]))]:
        words += ["--change", change]
    # apart from the terminal: Ctrl-C is launch's to handle, and this takes no longer than a second
    done = subprocess.run(
        [command_line(), *words, "--folder", folder],
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"{words[0]} ended with {done.returncode}")
    written = json.loads(done.stdout)
    return given | {
        "config": written["crane"],
        "description_file": written["description"],
        "joints_file": written["controllers"],
        "socket": socket,
    }


@contextmanager
def note_interrupts() -> Iterator[list[int]]:
    """Note the interrupts within the block, in which launch can not look at them.

    It does so afterwards, by its wake-up file. A process that is started then would be left behind.
    """
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _how_to_get(packages: list[str]) -> str:
    """Return how absent packages are installed, or built if they are this repository's."""
    distribution = os.environ.get("ROS_DISTRO", "<distro>")
    debs = [f"ros-{distribution}-{name.replace('_', '-')}" for name in packages if name != OWN]
    install = [f"apt install {' '.join(debs)}"] if debs else []
    build = [f"colcon build with --base-paths src src/cable_sim/{OWN}"] if OWN in packages else []
    return " and ".join([*install, *build])


def _is_there(package: str) -> bool:
    """Return True if a package is installed."""
    try:
        return bool(get_package_prefix(package))
    except PackageNotFoundError:
        return False
