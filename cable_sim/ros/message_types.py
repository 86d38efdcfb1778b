"""Message types by name: classes for publishing and subscribing, and definitions for bags."""

import importlib
import os
from pathlib import Path
from typing import Any

from cable_sim.errors import CableSimError
from cable_sim.shared_files import shared_folders


def typestore() -> Any:
    """Return the message types of this ROS and of the package."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    wanted = f"ROS2_{os.environ.get('ROS_DISTRO', 'kilted').upper()}"
    store = get_typestore(Stores[wanted] if wanted in Stores.__members__ else Stores.ROS2_KILTED)
    types: dict[str, Any] = {}
    for path in sorted(_message_folder().glob("*.msg")):
        types.update(
            get_types_from_msg(path.read_text(encoding="utf-8"), f"cable_sim/msg/{path.stem}")
        )
    store.register(types)
    return store


def define(types: Any, name: str) -> None:
    """Add a type, and all types in it, to a store, from ``.msg`` files of installed packages.

    CableSimError if there is no such file.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_share_path
    from rosbags.typesys import get_types_from_msg

    if name in types.fielddefs:
        return
    package, _, kind = name.partition("/msg/")
    try:
        text = (get_package_share_path(package) / "msg" / f"{kind}.msg").read_text(encoding="utf-8")
    except (PackageNotFoundError, OSError):
        raise CableSimError(f"type {name}: its definition was not found") from None
    found = get_types_from_msg(text, name)
    types.register(found)
    for _, fields in found.values():
        for inner in _names(fields):
            define(types, inner)


def type_name(kind: Any) -> str:
    """Return ROS' name of a message class, such as ``sensor_msgs/msg/JointState``."""
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


def message_class(name: str, topic: str) -> Any:
    """Return the class of a type such as ``sensor_msgs/msg/JointState``.

    CableSimError if it is not known here.
    """
    package, _, kind = name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError):
        raise CableSimError(
            f"type {name} of topic {topic} is not known here; source a workspace that has it, or "
            "leave the topic out"
        ) from None


def _names(fields: Any) -> list[str]:
    """Return the message types among the fields of a type, including those in arrays."""
    found: list[str] = []
    for _, (kind, value) in fields:
        inner = (kind, value) if kind.name in ("NAME", "BASE") else value[0]
        if inner[0].name == "NAME":
            found.append(inner[1])
    return found


def _message_folder() -> Path:
    """Return the folder of the package's message definitions, in the source tree or installed."""
    folders = shared_folders("msg")
    for folder in folders:
        if (folder / "AxisCommand.msg").is_file():
            return folder
    looked = ", ".join(map(str, folders)) or "nowhere"
    raise CableSimError(f"the package's message definitions were not found; looked in {looked}")
