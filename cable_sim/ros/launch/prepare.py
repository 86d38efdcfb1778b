"""Files that a launch of a crane needs, written by the command ``cable-sim describe``.

ROS' launch runs in a Python that may lack all that reads cranes. So it has them written by a
process of the package's own interpreter.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import read_crane, save_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, SpecError
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


def parse_changes(words: Sequence[str]) -> dict[str, Any]:
    """Return values by path of words such as ``rig.start.hook_depth=12.5``; values are YAML.

    Raises CableSimError for a word that is no such pair.
    """
    found: dict[str, Any] = {}
    for word in words:
        path, equals, value = word.partition("=")
        if not path or not equals:
            raise CableSimError(
                f"{word!r} is not a change; expected is, for example, 'rig.start.hook_depth=12.5'"
            )
        try:
            found[path.strip()] = YAML(typ="safe").load(value)
        except YAMLError:
            raise CableSimError(f"{word!r}: the value is not valid YAML") from None
    return found


def mass_path(name_or_path: str) -> str:
    """Return the path of the load's mass in a crane's file.

    Raises SpecError where the file has none.
    """
    file = read_crane(name_or_path)
    path = next(iter(file.load_changes(1.0) or ()), "")
    if not path or path.startswith("rig.load") and file.rig.load is None:
        raise SpecError(f"{name_or_path}: there is no load in its file, so no load mass to set")
    return path


def _changed_file(crane: Crane, folder: Path) -> str:
    """Write the file of a crane with changes, from which it gets its name; return its path."""
    path = folder / f"{crane.name}.yaml"
    save_crane(crane, path)
    return str(path)
