"""A scene as a machine: its drives are its axes."""

import math

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.spec import Drive, Scene

FULL_SPEED = 1.0
TIME_TO_FULL_SPEED = 1.0
"""Speed [rad/s or m/s] of a drive without limits, and time to reach it [s]."""


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
