"""Files that a launch of a crane needs, written by the command ``cable-sim describe``.

ROS' launch runs in a Python that may lack all that reads cranes. So it has them written by a
process of the package's own interpreter.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import save_crane
from cable_sim.cranes.crane import Crane
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.launch.ros2_control import description_with_control, joint_parameters
from cable_sim.scenes.machines import load_machine


class Prepared(NamedTuple):
    """Paths of what was written.

    ``crane`` is what was asked for where nothing of it was changed; ``controllers`` is empty
    without ros2_control.
    """

    crane: str
    description: str
    controllers: str


def prepare(
    name_or_path: str,
    folder: Path,
    changes: Mapping[str, Any],
    *,
    control: bool = False,
    namespace: str = "",
    socket: str = "",
) -> Prepared:
    """Write a crane's description, and with ``control`` its part of ros2_control, to a folder.

    The crane's own file is written where ``changes`` replace values of it. ``namespace`` is that of
    the simulator's topics, ``socket`` the path of its socket for hardware in lockstep. Raises
    CableSimError for a crane or changes that can not be.
    """
    crane = load_crane(name_or_path, changes) if changes else load_machine(name_or_path)
    text = (
        description_with_control(crane, namespace, socket) if control else robot_description(crane)
    )
    folder.mkdir(parents=True, exist_ok=True)
    description = folder / f"{crane.name}.urdf"
    description.write_text(text, encoding="utf-8")
    controllers = folder / f"{crane.name}_controllers.yaml"
    if control:
        with controllers.open("w", encoding="utf-8") as file:
            YAML(typ="safe").dump(joint_parameters(crane), file)
    return Prepared(
        _changed_file(crane, folder) if changes else name_or_path,
        str(description),
        str(controllers) if control else "",
    )


def _changed_file(crane: Crane, folder: Path) -> str:
    """Write the file of a crane with changes, from which it gets its name; return its path."""
    path = folder / f"{crane.name}.yaml"
    save_crane(crane, path)
    return str(path)
