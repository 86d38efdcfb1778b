"""Packing of drives and their rows, and of the controls that they start with."""

from typing import Any

import numpy as np

from cable_sim.kernels.multibody.drives import (
    BY_EFFORT,
    BY_POSITION,
    BY_SPEED,
    EFFORT,
    EVEN,
    ON_CABLE,
    ON_JOINT,
    ON_WINCH,
)
from cable_sim.kernels.multibody.rows import SPEED
from cable_sim.kernels.records.world import Floats
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints
from cable_sim.model.basis.rows import INFINITE, RowTable
from cable_sim.model.cables.paths import bodies_on
from cable_sim.model.rails import joint_bodies
from cable_sim.spec import Drive, Scene

MODES = {"speed": BY_SPEED, "position": BY_POSITION, "effort": BY_EFFORT}


def pack_drives(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of the drives; adds their rows."""
    joints = {joint.name: j for j, joint in enumerate(scene.joints)}
    tabled = {motion.of for motion in scene.motions}
    cables = {cable.name: c for c, cable in enumerate(scene.cables)}
    kind = []
    on = []
    row = []
    for drive in scene.drives:
        lower = -INFINITE
        if drive.on in joints:
            joint = scene.joints[joints[drive.on]]
            bodies = joint_bodies(joint, index)
            kind.append(ON_JOINT)
            on.append(joints[drive.on])
        elif drive.on in index.winch:
            bodies = [index.winch[drive.on]]
            kind.append(ON_WINCH)
            on.append(index.winch[drive.on])
        else:
            cable = scene.cables[cables[drive.on]]
            bodies = bodies_on(cable, index)
            lower = 0.0 if cable.pulls_only else -INFINITE
            kind.append(ON_CABLE)
            on.append(cables[drive.on])
        row.append(rows.add(SPEED, bodies, lower=lower))
    return {
        "drives.kind": ints(kind),
        "drives.on": ints(on),
        "drives.motor": pack_motors(scene),
        "drives.brakes": floats(
            [
                (one.brake_effort, one.brake_close_delay, one.brake_open_delay, one.brake_wear)
                for one in scene.drives
            ],
            4,
        ),
        "drives.row": ints(row),
        "drives.jumps": flags(_jumps(drive) and drive.name not in tabled for drive in scene.drives),
    }


def pack_motors(scene: Scene) -> Floats:
    """Rows of ``drive_motor``."""
    return floats([_motor(drive) for drive in scene.drives], 9)


def _motor(drive: Drive) -> tuple[float, ...]:
    """A row of ``drive_motor``."""
    slower = drive.max_acceleration if drive.max_deceleration is None else drive.max_deceleration
    return (
        drive.max_effort,
        drive.max_speed,
        drive.max_acceleration,
        slower,
        drive.max_jerk,
        drive.damping_time,
        drive.lag,
        drive.rise_time,
        drive.power,
    )


def _jumps(drive: Drive) -> bool:
    """Return True if neither a ramp nor a lag is between the set-point and the held speed."""
    return drive.lag == 0.0 and drive.max_acceleration == drive.max_jerk == INFINITE


def standing_drives(scene: Scene) -> dict[str, Any]:
    """State arrays of the drives at the start: at rest, with open brakes."""
    motion = np.zeros((len(scene.drives), 7))
    motion[:, [EFFORT, EVEN]] = INFINITE
    return {
        "drives.reference": np.zeros(len(scene.drives)),
        "drives.motion": motion,
        "drives.brake_closed": np.zeros(len(scene.drives), dtype=np.bool_),
    }


def start_drives(scene: Scene) -> dict[str, Any]:
    """Control arrays of the drives at the start."""
    return {
        "drives.mode": ints(MODES[drive.mode] for drive in scene.drives),
        "drives.target": floats(drive.target for drive in scene.drives),
        "drives.brake": np.zeros(len(scene.drives), dtype=np.bool_),
        "drives.powered": np.ones(len(scene.drives), dtype=np.bool_),
        "drives.effort_share": np.ones(len(scene.drives)),
        "drives.brake_share": np.ones(len(scene.drives)),
        "drives.slip": floats(drive.slip for drive in scene.drives),
    }
