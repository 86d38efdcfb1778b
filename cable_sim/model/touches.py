"""Contact nodes at the start: those of cables that run over obstacles in the scene as it is built."""

from typing import Any

import numpy as np

from cable_sim.kernels.cables.massless import compliance
from cable_sim.kernels.cables.strand import NORMAL
from cable_sim.kernels.step import find_contacts, place_cables
from cable_sim.model.frames import Array
from cable_sim.model.types import Model, State, Workspace
from cable_sim.spec import Scene

SETTLING, SETTLED = 100, 1e-12
"""How often the contact nodes of the start are set at most, and by how much the ways change when they rest [m]."""


def start_nodes(arrays: dict[str, Any]) -> dict[str, Any]:
    """State arrays of the nodes before any contact; takes those that contacts change out of the model's ``arrays``."""
    count = arrays["node_body"].size
    return {name: arrays.pop(name) for name in ("node_body", "node_point", "node_slot")} | {
        "node_touch": np.full(count, -1), "node_line": np.zeros((count, NORMAL + 3)), "node_excess": np.zeros(count),
    }  # fmt: skip


def settle(scene: Scene, model: Model, state: State, work: Workspace) -> Array:
    """Lay the cables over the obstacles in their way, and lengthen those whose length was left out by the detour.

    Such a cable then carries its pretension on the way that it takes: its strain stays, or its elongation if it has
    the same stiffness at any length. Changes the state, and returns the lengths of the cables [m].
    """
    place_cables(model, state, work)
    first = model.cable_node_start[:-1]
    before = work.node_beyond[first].copy()
    for _ in range(SETTLING):
        path = work.node_beyond[first].copy()
        find_contacts(model, state, work)
        state.node_excess[:] = 0.0
        place_cables(model, state, work)
        if np.abs(work.node_beyond[first] - path).max(initial=0.0) < SETTLED:
            break
    lengths = model.cable_length.copy()
    for c, cable in enumerate(scene.cables):
        if cable.length is not None or cable.driven:
            continue
        after, winch = float(work.node_beyond[first[c]]), int(model.cable_winch[c])
        length = float(state.body_position[winch, 0] if winch >= 0 else lengths[c])
        fixed = compliance(float(model.cable_compliance[c]), float(model.cable_compliance_per_length[c]), 0.0) > 0.0
        longer = length + after - before[c] if fixed else length * after / before[c]
        if winch >= 0:
            state.body_position[winch, 0] = longer
        else:
            lengths[c] = longer
    return lengths
