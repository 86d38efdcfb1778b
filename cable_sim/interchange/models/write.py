"""Models for other programs, from scenes and cranes."""

from pathlib import Path

from cable_sim.atomic_files import write_atomically, write_text
from cable_sim.cranes.crane import Crane
from cable_sim.interchange.models.files import problem
from cable_sim.interchange.models.gltf import glb_of
from cable_sim.interchange.models.mjcf import MjcfWriter
from cable_sim.spec import Scene

ENDINGS = {".xml": "MJCF, for MuJoCo", ".glb": "glTF, a picture with a node for each body"}
"""Formats by the ending of their files."""


def export_model(model: Scene | Crane, path: str | Path) -> tuple[str, ...]:
    """Write a scene, or that of a crane, as an MJCF or glTF file; return what it does not have.

    What an MJCF has not is told by name. Its keyframe ``start`` has the commands and speeds of the
    start. Drives are actuators by their names; that of a winch takes the unstretched length of its
    rope [m]. A glTF file (``.glb``) is a picture of the start.

    Raises ConfigError for a file of another ending, a folder that is not there and a model that
    MuJoCo does not take, and CableSimError, which names it, without a package of the extra
    ``models``.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        known = ", ".join(f"{ending} ({told})" for ending, told in ENDINGS.items())
        raise problem(path, 1, "", f"the ending {path.suffix!r} is not known; known are {known}")
    if not path.parent.is_dir():
        raise problem(path, 1, "", f"there is no folder {str(path.parent)!r}")
    scene = model.scene if isinstance(model, Crane) else model
    if path.suffix.lower() == ".glb":
        write_atomically(path, lambda file: file.write(glb_of(scene)))
        return ()
    writer = MjcfWriter(scene)
    try:
        text = writer.write()
    except ValueError as error:
        raise problem(path, 1, "", f"MuJoCo does not take the model: {error}") from None
    write_text(path, text)
    return tuple(writer.left_out)
