"""Machines by name or file: cranes, and any scene with its drives as axes."""

import math
from pathlib import Path

from cable_sim.cranes import crane_names, load_crane
from cable_sim.cranes.catalogue import crane_file, is_crane, labels
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.scenes.catalogue import CATALOGUE, load_scene
from cable_sim.spec import Drive, Scene
from cable_sim.spec.files import read_text

FULL_SPEED = 1.0
TIME_TO_FULL_SPEED = 1.0
"""Speed [rad/s or m/s] of a drive without limits, and time to reach it [s]."""


def load_machine(name_or_path: str | Path) -> Crane:
    """Return the crane or the scene of a catalogue name or of a YAML file.

    A name that both catalogues have is the crane. Raises ConfigError, which names every mistake of
    the file and, for an unknown name, the known ones.
    """
    name = str(name_or_path)
    path = crane_file(name_or_path)
    if name in CATALOGUE and name not in crane_names():
        return scene_machine(load_scene(name))
    if path.is_file() and not is_crane(path):
        return scene_machine(load_scene(path))
    scenes = (scene for scene in CATALOGUE if scene not in crane_names())
    read_text(path, [*labels(), *scenes])  # so that who has misspelt a name is told of all
    return load_crane(name_or_path)


def scene_machine(scene: Scene) -> Crane:
    """Return a scene as a machine whose axes are its drives, except those that it moves itself."""
    own = {motion.of for motion in scene.motions} | {
        drive.name for drive in scene.drives if drive.target
    }
    return Crane(
        name=scene.name,
        family="scene",
        scene=scene,
        axes=tuple(_axis(scene, drive) for drive in scene.drives if drive.name not in own),
        ropes=tuple(cable.name for cable in scene.cables),
        watched=scene.bodies[-1].name if scene.bodies else "",
    )


def _axis(scene: Scene, drive: Drive) -> Axis:
    """Return the drive's own coordinate as an axis, with the same sense."""
    joint = next((joint for joint in scene.joints if joint.name == drive.on), None)
    turns = joint is not None and joint.kind == "hinge"
    lower, upper = (joint.lower, joint.upper) if joint else (-math.inf, math.inf)
    speed = drive.max_speed if math.isfinite(drive.max_speed) else FULL_SPEED
    ramp = (
        drive.max_acceleration
        if math.isfinite(drive.max_acceleration)
        else speed / TIME_TO_FULL_SPEED
    )
    return Axis(
        drive.name,
        drive.name,
        joint.name if joint else drive.name,
        "rad" if turns else "m",
        "as the joint counts" if joint else "paying out",
        lower,
        upper,
        speed,
        ramp,
        *(("deg/s", math.degrees(1.0)) if turns else ("m/s", 1.0)),
    )
