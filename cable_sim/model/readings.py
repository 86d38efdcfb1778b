"""Arrays for the readings of a state."""

from typing import Any

import numpy as np

from cable_sim.model.records.arrays import zero_record
from cable_sim.model.types import Model, Readings


def readings(model: Model) -> Readings:
    """Return the arrays for the readings of a state."""
    joints = model.joints.kind.size
    drives = model.drives.on.size
    cables = model.cables.row.size
    nodes = model.cables.node_row.size
    particles = model.ropes.particle_mass.size
    shapes: dict[str, Any] = {
        "joints.velocity": joints,
        "joints.force": (joints, 3),
        "joints.torque": (joints, 3),
        "drives.position": drives,
        "drives.velocity": drives,
        "drives.effort": drives,
        "drives.saturated": drives,
        "cables.length_paid_out": cables,
        "cables.length_rate": cables,
        "cables.slack": cables,
        "cables.torque": cables,
        "spans.tension": nodes,
        "nodes.force": (nodes, 3),
        "nodes.torque": (nodes, 3),
        "segments.tension": particles,
        "segments.length": particles,
        "bodies.contact_force": (model.bodies.kind.size, 3),
        "pairs.force": (model.pairs.row.size, 3),
        "energy": 4,
    }
    return zero_record(Readings, shapes, {"drives.saturated": np.bool_, "cables.slack": np.bool_})
