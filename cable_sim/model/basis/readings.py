"""Arrays for the readings of a state."""

from typing import Any

from cable_sim.kernels.multibody.balance import NEVER
from cable_sim.kernels.multibody.bodies import PRESCRIBED
from cable_sim.kernels.records.arrays import zero_record
from cable_sim.kernels.records.world import Model, Readings


def readings(model: Model) -> Readings:
    """Return the arrays for the readings of a state."""
    made = zero_record(Readings, _shapes(model))
    made.balance.watched[0] = is_watched(model)
    made.balance.last_step[0] = NEVER
    return made


def _shapes(model: Model) -> dict[str, Any]:
    """Return the shapes of the arrays that are zero at first."""
    joints = model.joints.kind.size
    cables = model.cables.row.size
    nodes = model.cables.node_row.size
    return {
        "joints": joints,
        "joints.force": (joints, 3),
        "joints.torque": (joints, 3),
        "drives": model.drives.on.size,
        "cables": cables,
        "spans": nodes,
        "nodes": nodes,
        "nodes.force": (nodes, 3),
        "nodes.torque": (nodes, 3),
        "segments": model.ropes.particle_mass.size,
        "bodies.contact_force": (model.bodies.kind.size, 3),
        "energy": 4,
        "balance": 1,
        "balance.told": 2,
        "balance.start": 6,
        "balance.last": 4,
        "balance.curves": (cables, 5),
    }


def is_watched(model: Model) -> bool:
    """Return True for a model that nothing drives but forces from outside and wind."""
    driven = model.drives.on, model.motions.body, model.carriages.limit
    return not any(part.size for part in driven) and not (model.bodies.kind == PRESCRIBED).any()
