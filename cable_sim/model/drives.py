"""Packs drives and their rows, and the controls that they start with."""

from typing import Any

import numpy as np

from cable_sim.kernels.drives import BY_EFFORT, BY_POSITION, BY_SPEED, ON_CABLE, ON_JOINT, ON_WINCH
from cable_sim.kernels.rows import SPEED
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.cables import bodies_on
from cable_sim.model.rows import INFINITE, RowTable
from cable_sim.spec import Scene

MODES = {"speed": BY_SPEED, "position": BY_POSITION, "effort": BY_EFFORT}


def pack_drives(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of the drives; adds their rows."""
    joints = {joint.name: j for j, joint in enumerate(scene.joints)}
    cables = {cable.name: c for c, cable in enumerate(scene.cables)}
    kind, on, row = [], [], []
    for drive in scene.drives:
        lower = -INFINITE
        if drive.on in joints:
            joint = scene.joints[joints[drive.on]]
            bodies = [index.row[joint.child], index.row[joint.parent]]
            kind.append(ON_JOINT)
            on.append(joints[drive.on])
        elif drive.on in index.winch:
            bodies = [index.winch[drive.on]]
            kind.append(ON_WINCH)
            on.append(index.winch[drive.on])
        else:
            cable = scene.cables[cables[drive.on]]
            bodies, lower = bodies_on(cable, index), 0.0 if cable.pulls_only else -INFINITE
            kind.append(ON_CABLE)
            on.append(cables[drive.on])
        row.append(rows.add(SPEED, bodies, lower=lower))
    return {
        "drive_kind": np.array(kind, dtype=np.int64),
        "drive_on": np.array(on, dtype=np.int64),
        "drive_max_effort": np.array([drive.max_effort for drive in scene.drives]),
        "drive_brake_effort": np.array([drive.brake_effort for drive in scene.drives]),
        "drive_max_speed": np.array([drive.max_speed for drive in scene.drives]),
        "drive_max_acceleration": np.array([drive.max_acceleration for drive in scene.drives]),
        "drive_damping_time": np.array([drive.damping_time for drive in scene.drives]),
        "drive_row": np.array(row, dtype=np.int64),
    }


def start_drives(scene: Scene) -> dict[str, Any]:
    """Control arrays of the drives at the start."""
    return {
        "drive_mode": np.array([MODES[drive.mode] for drive in scene.drives], dtype=np.int64),
        "drive_target": np.array([drive.target for drive in scene.drives]),
        "drive_brake": np.zeros(len(scene.drives), dtype=np.bool_),
        "drive_slip": np.array([drive.slip for drive in scene.drives]),
    }
