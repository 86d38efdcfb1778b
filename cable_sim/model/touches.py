"""Contact nodes at the start: those of cables that run over obstacles in the scene as it is built."""

from typing import Any

import numpy as np

from cable_sim.kernels.cables.strand import COLUMNS
from cable_sim.kernels.step import LOOK, SETTLE, run
from cable_sim.model.cables import on_winches
from cable_sim.model.damping import PROBE_STEP
from cable_sim.model.frames import Array
from cable_sim.model.types import Control, Model, State, Workspace
from cable_sim.spec import Scene

SETTLING, SETTLED = 100, 1e-12
"""How often the contact nodes of the start are set at most, and by how much the ways change when they rest [m]."""


def start_nodes(arrays: dict[str, Any]) -> dict[str, Any]:
    """State arrays of the nodes before any contact; takes those that contacts change out of the model's ``arrays``."""
    count = arrays["node_body"].size
    return {name: arrays.pop(name) for name in ("node_body", "node_point", "node_slot")} | {
        "node_touch": np.full(count, -1), "node_line": np.zeros((count, COLUMNS)), "node_excess": np.zeros(count),
        "node_velocity": np.zeros((count, 3)), "span_rest": np.zeros(count), "span_pull": np.zeros(count),
        "node_slip": np.zeros(count, dtype=np.int64),
    }  # fmt: skip


def settle(scene: Scene, model: Model, state: State, control: Control, work: Workspace) -> Array:
    """Lay the cables over the obstacles in their way, and lengthen those whose length was left out by the detour.

    Such a cable then carries its pretension on the way that it takes: its strain stays, or its elongation if it has
    the same stiffness at any length. Changes the state, and returns ``cable_length`` of the model.
    """
    run(model, state, control, work, PROBE_STEP, LOOK)
    first, winch = model.cable_node_start[:-1], model.cable_winch
    before = work.node_beyond[first].copy()
    for _ in range(SETTLING):
        path = work.node_beyond[first].copy()
        run(model, state, control, work, PROBE_STEP, SETTLE)
        state.node_excess[:] = 0.0
        run(model, state, control, work, PROBE_STEP, LOOK)
        if np.abs(work.node_beyond[first] - path).max(initial=0.0) < SETTLED:
            break
    lengths = model.cable_length + np.where(winch >= 0, state.body_position[winch, 0], 0.0)
    for c, cable in enumerate(scene.cables):
        if cable.length is None and not cable.driven:
            after, strains = work.node_beyond[first[c]], cable.axial_rigidity is not None
            lengths[c] *= after / before[c] if strains else 1.0
            lengths[c] += 0.0 if strains else after - before[c]
    start, lengths = on_winches(scene, lengths)
    for c, cable in enumerate(scene.cables):
        if cable.winch:
            state.body_position[winch[c], 0] = start[cable.winch.name]
    return lengths
