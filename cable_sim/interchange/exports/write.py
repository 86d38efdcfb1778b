"""Models for other programs, from scenes and cranes."""

from pathlib import Path

from cable_sim.atomic_files import write_atomically, write_text
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.interchange.models.files import problem
from cable_sim.spec import Scene

ENDINGS = {
    ".xml": "MJCF, for MuJoCo",
    ".urdf": "URDF, for ROS",
    ".sdf": "SDF, for Gazebo",
    ".glb": "glTF, a picture with a node for each body",
    ".usda": "USD, such a picture as text",
    ".usdc": "USD, such a picture as a packed file",
}
"""Formats by the ending of their files."""


def export_model(model: Scene | Crane, path: str | Path) -> tuple[str, ...]:
    """Write a scene, or that of a crane, as a model or a picture; return what it does not have.

    The ending tells the format: ``.xml`` MJCF, ``.urdf``, ``.sdf``, or as pictures of the start
    ``.glb``, ``.usda``, ``.usdc``. What a model has not is told by name. Meshes of URDF and SDF are
    in a folder beside.

    The keyframe ``start`` of an MJCF has the commands and speeds of the start. Drives are actuators
    by their names; that of a winch takes the unstretched length of its rope [m].

    Raises ConfigError for a file of another ending, a folder that is not there and a model that
    MuJoCo does not take, and CableSimError, which names it, without a package of the extra
    ``models``.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(f"{ending} ({told})" for ending, told in ENDINGS.items())
        raise problem(path, 1, "", f"the ending {path.suffix!r} is not known; known are {known}")
    if not path.parent.is_dir():
        raise problem(path, 1, "", f"there is no folder {str(path.parent)!r}")
    scene = model.scene if isinstance(model, Crane) else model
    try:
        return _WRITERS[ending](scene, path)
    except ModuleNotFoundError as error:
        extra = "usd" if error.name == "pxr" else "models"
        told = f"{error.name} is not installed: pip install 'cable_sim[{extra}]'"
        raise CableSimError(told) from None


def _write_glb(scene: Scene, path: Path) -> tuple[str, ...]:
    """Write a scene as glTF."""
    from cable_sim.interchange.exports.gltf import glb_of

    _write_bytes(path, glb_of(scene))
    return ()


def _write_usd(scene: Scene, path: Path) -> tuple[str, ...]:
    """Write a scene as USD."""
    from cable_sim.interchange.exports.usd import write_stage

    write_stage(scene, path)
    return ()


def _write_mjcf(scene: Scene, path: Path) -> tuple[str, ...]:
    """Write a scene as MJCF."""
    from cable_sim.interchange.exports.mjcf import MjcfWriter

    writer = MjcfWriter(scene)
    try:
        text = writer.write()
    except ValueError as error:
        raise problem(path, 1, "", f"MuJoCo does not take the model: {error}") from None
    write_text(path, text)
    return tuple(writer.left_out)


def _write_tree(scene: Scene, path: Path) -> tuple[str, ...]:
    """Write a scene as URDF or SDF, and its meshes beside."""
    from cable_sim.interchange.exports.trees import SdfWriter, UrdfWriter

    kind = UrdfWriter if path.suffix.lower() == ".urdf" else SdfWriter
    writer = kind(scene, path.stem)
    text = writer.write()
    for name, data in writer.meshes.items():
        mesh = path.parent / name
        mesh.parent.mkdir(exist_ok=True)
        _write_bytes(mesh, data)
    write_text(path, text)
    return tuple(writer.left_out)


def _write_bytes(path: Path, data: bytes) -> None:
    """Write bytes to a file."""
    write_atomically(path, lambda file: file.write(data))


_WRITERS = {
    ".xml": _write_mjcf,
    ".urdf": _write_tree,
    ".sdf": _write_tree,
    ".glb": _write_glb,
    ".usda": _write_usd,
    ".usdc": _write_usd,
}
"""Functions that write a format, whose packages they load; that of USD is of another extra."""
