"""Packing of joints: frames on both bodies from their pose at the start, and their rows."""

from typing import Any

import numpy as np

from cable_sim.kernels.multibody.joints import ANGLE_ROWS, BALL, FIXED, HINGE, POINT_ROWS, PRISMATIC
from cable_sim.kernels.multibody.rows import GAP, SPEED, STABILISED
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints
from cable_sim.model.basis.frames import triad, turn_by
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.rails import coordinate_offset, joint_bodies, pack_rails
from cable_sim.spec import Joint, Scene

KINDS = {"fixed": FIXED, "hinge": HINGE, "prismatic": PRISMATIC, "ball": BALL}


def pack_joints(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of the joints, their frames at the start among them; adds their rows."""
    count = len(scene.joints)
    arrays: dict[str, Any] = {
        "joints.kind": ints(KINDS[joint.kind] for joint in scene.joints),
        "joints.body": ints(
            [(index.row[joint.parent], index.row[joint.child]) for joint in scene.joints], 2
        ),
        "joints.point": np.zeros((count, 2, 3)),
        "joints.axes": np.zeros((count, 2, 3, 3)),
        "joints.offset": floats(coordinate_offset(joint, index) for joint in scene.joints),
        "joints.open": flags(joint.open for joint in scene.joints),
        "joints.lower": floats(joint.lower for joint in scene.joints),
        "joints.upper": floats(joint.upper for joint in scene.joints),
        "joints.rest": floats(joint.rest for joint in scene.joints),
        "joints.dry_friction": floats(joint.dry_friction for joint in scene.joints),
        "joints.row": np.zeros(count, dtype=np.int64),
        "joints.end_row": np.zeros(count, dtype=np.int64),
        "joints.stop_row": np.full(count, -1, dtype=np.int64),
        "joints.spring_row": np.full(count, -1, dtype=np.int64),
        "joints.damper_row": np.full(count, -1, dtype=np.int64),
        "joints.dry_row": np.full(count, -1, dtype=np.int64),
    }
    for j, joint in enumerate(scene.joints):
        axes = triad(joint.axis, joint.across)
        for side, name in enumerate((joint.parent, joint.child)):
            arrays["joints.point"][j, side] = index.to_body(name, joint.point)
            arrays["joints.axes"][j, side] = axes @ index.rotation[index.row[name]]
        if joint.exerts:
            moved = np.broadcast_to(joint.compliance, 6) * joint.exerts
            turn = turn_by(-moved[3:] @ axes)
            own = index.rotation[index.row[joint.child]]
            arrays["joints.point"][j, 1] -= (moved[:3] @ axes) @ own
            arrays["joints.axes"][j, 1] = axes @ turn.T @ own
        if joint.seat is not None:
            arrays["joints.point"][j, 1] = joint.seat
        _add_rows(j, joint, arrays, rows, joint_bodies(joint, index))
    return arrays | pack_rails(scene, index)


def _add_rows(
    j: int, joint: Joint, arrays: dict[str, Any], rows: RowTable, bodies: list[int]
) -> None:
    """Add the rows of a joint between bodies: its own, of stops, spring and friction."""
    arrays["joints.row"][j] = len(rows.kind)
    count = POINT_ROWS[KINDS[joint.kind]] + ANGLE_ROWS[KINDS[joint.kind]]
    for compliance in np.broadcast_to(joint.compliance, count).tolist():
        rows.add(GAP, bodies, compliance=compliance, damping_time=joint.damping_time)
    if joint.stops:
        arrays["joints.stop_row"][j] = rows.add(
            STABILISED,
            bodies,
            one_sided=True,
            compliance=joint.stop_compliance,
            damping_time=joint.stop_damping_time,
        )
    if joint.stiffness:
        time = joint.damping / joint.stiffness
        arrays["joints.spring_row"][j] = rows.add(
            GAP, bodies, compliance=1.0 / joint.stiffness, damping_time=time
        )
    elif joint.damping:
        arrays["joints.damper_row"][j] = len(rows.kind)
        for _ in range(3 if joint.kind == "ball" else 1):
            rows.add(SPEED, bodies, compliance=1.0 / joint.damping)
    if joint.dry_friction:
        arrays["joints.dry_row"][j] = rows.add(SPEED, bodies)
    arrays["joints.end_row"][j] = len(rows.kind)


def start_joints(arrays: dict[str, Any]) -> dict[str, Any]:
    """Take the state arrays of the joints' frames at the start out of the model's ``arrays``."""
    return {
        name: arrays.pop(name)
        for name in ("joints.point", "joints.axes", "joints.offset", "joints.open")
    }
