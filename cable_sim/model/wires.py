"""Packs hybrid wires: the rows of pieces that touch moving bodies, those that hold their ends, and where they start."""

from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.bodies import DYNAMIC
from cable_sim.kernels.cables.pieces import COLUMNS, MARKS
from cable_sim.kernels.cables.strand import MASSIVE
from cable_sim.kernels.rows import CONDENSED
from cable_sim.kernels.step import SETTLE, run
from cable_sim.model.bodies import BodyIndex, exposed_rows, hybrid_cables
from cable_sim.model.damping import PROBE_STEP
from cable_sim.model.frames import Array
from cable_sim.model.particles import along, hanging
from cable_sim.model.rows import RowTable
from cable_sim.model.types import Control, Model, State, Workspace
from cable_sim.spec import Cable, Ground, Hybrid, Scene

NO_GROUND = Ground()
SETTLING = 20
"""How often the contact nodes of the start are set."""


def made(cable: Cable) -> Hybrid:
    """What the wire is made of."""
    assert cable.hybrid is not None
    return cable.hybrid


def finest(cable: Cable, length: float) -> float:
    """Shortest length of rope between two masses [m]."""
    return made(cable).finest or length / (made(cable).most + 1)


def pack_wires(
    scene: Scene, index: BodyIndex, rows: RowTable, lengths: Array, bodies_on: list[list[int]], body_kind: Array
) -> dict[str, Any]:
    """Model arrays of the hybrid wires; adds their rows. ``bodies_on`` has the bodies in each cable's rows."""
    cables = hybrid_cables(scene)
    pool = [_add_exposed(scene, cable, index, rows, bodies_on[scene.cables.index(cable)]) for cable in cables]
    grounds = [made(cable).ground or NO_GROUND for cable in cables]
    normals = [
        np.array(ground.normal) / np.linalg.norm(ground.normal) * (made(cable).ground is not None)
        for cable, ground in zip(cables, grounds, strict=True)
    ]
    rough = {obstacle.name for obstacle in scene.obstacles if obstacle.friction > 0.0}
    owner = [scene.cables.index(cable) for cable in cables]
    return {
        "cable_wire": np.array([cable.hybrid is not None for cable in scene.cables], dtype=np.bool_),
        "wire_cable": np.array(owner, dtype=np.int64),
        "wire_row_start": np.cumsum([0, *map(len, pool)], dtype=np.int64),
        "wire_row": np.array([row for found in pool for row in found], dtype=np.int64),
        "wire_bodies": np.array([len(bodies_on[c]) for c in owner], dtype=np.int64),
        "wire_end_row": np.array([_add_ends(cable, index, rows, body_kind) for cable in cables], np.int64).reshape(
            len(cables), 2
        ),
        "wire_damping_time": np.array([cable.damping_time or 0.0 for cable in cables]),
        "wire_finest": np.array([finest(cable, float(lengths[c])) for cable, c in zip(cables, owner, strict=True)]),
        "wire_least": np.array([made(cable).least for cable in cables], dtype=np.int64),
        "wire_most": np.array([made(cable).most for cable in cables], dtype=np.int64),
        "wire_edges": np.array([made(cable).edges for cable in cables], dtype=np.bool_),
        "wire_rough": np.array([bool(rough.intersection(cable.touches)) for cable in cables], dtype=np.bool_),
        "wire_air_damping": np.array([made(cable).damping for cable in cables]),
        "wire_ground_point": np.array([ground.point for ground in grounds]).reshape(-1, 3),
        "wire_ground_normal": np.array(normals).reshape(-1, 3),
        "wire_ground_friction": np.array([ground.friction for ground in grounds]),
    }


def _add_exposed(scene: Scene, cable: Cable, index: BodyIndex, rows: RowTable, bodies: list[int]) -> list[int]:
    """Rows for pieces that touch moving bodies; each has entries on what couples it with the ones before and after."""
    first, winch = index.coupling[cable.name], [index.winch[cable.winch.name]] if cable.winch else []
    return [
        rows.add(CONDENSED, [*bodies, *winch, first + p, first + p + 1], lower=0.0)
        for p in range(exposed_rows(scene, cable))
    ]


def _add_ends(cable: Cable, index: BodyIndex, rows: RowTable, body_kind: Array) -> list[int]:
    """First of the three rows that hold the mass of each end to its body, -1 where that does not obey forces."""
    found = []
    for node in (cable.nodes[0], cable.nodes[-1]):
        body = index.row[node.body]
        dynamic = body_kind[body] == DYNAMIC
        found.append([rows.add(CONDENSED, [body]) for _ in range(3)][0] if dynamic else -1)
    return found


def start_wires(scene: Scene, model: Model, state: State, work: Workspace, dt: float) -> None:
    """Give the wires, which have been laid, their rope, and slack ones between two ends in the air their masses."""
    for cable, c in zip(hybrid_cables(scene), model.wire_cable, strict=True):
        begin, end = int(model.cable_node_start[c]), int(model.cable_node_start[c + 1]) - 1
        winch = int(model.cable_winch[c])
        length = float(model.cable_length[c]) + (float(state.body_position[winch, 0]) if winch >= 0 else 0.0)
        for node, k in ((cable.nodes[0], begin), (cable.nodes[-1], end)):
            if node.kind == "loose":
                state.node_touch[k] = MASSIVE
        spans = work.span_length[begin:end]
        state.span_rest[begin:end] = length * spans / spans.sum()
        if cable.axial_rigidity:
            state.span_pull[begin:end] = dt * cable.axial_rigidity * max(float(spans.sum()) / length - 1.0, 0.0)
        if made(cable).path and len(cable.nodes) != 2:
            raise ModelError(f"cable {cable.name!r}: hybrid: path: goes from one end to the other; leave out the eyes")
        slack = length > spans.sum() * (1.0 + 1e-9)
        if (slack or made(cable).path) and len(cable.nodes) == 2 and (state.node_touch[begin + 1 : end] == -1).all():
            _hang(cable, model, state, work, begin, end, length, c)


def settle_wires(model: Model, state: State, control: Control, work: Workspace) -> None:
    """Contact nodes where the masses of the start lay the wires through solids, with the whole detour: none is owed."""
    for _ in range(SETTLING):
        run(model, state, control, work, PROBE_STEP, SETTLE)
        state.node_excess[:] = 0.0


def _hang(
    cable: Cable, model: Model, state: State, work: Workspace, begin: int, end: int, length: float, c: int
) -> None:
    """Masses of a wire between two ends, along its path or, of a slack one, the curve in which it hangs."""
    count = min(made(cable).most, int(length / finest(cable, length) + 1e-9) - 1)
    if count < 1:
        return
    places = np.linspace(0.0, 1.0, count + 2)
    ends = work.node_position[begin], work.node_position[end]
    path = made(cable).path
    points = along([ends[0], *path, ends[1]], places) if path else hanging(*ends, length, places)
    inside = slice(begin + 1, begin + 1 + count)
    state.node_body[inside], state.node_slot[inside], state.node_touch[inside] = 0, -1, MASSIVE
    state.node_point[inside] = points[1:-1]
    state.span_rest[begin:end] = 0.0
    state.span_rest[begin : begin + count + 1] = length / (count + 1)


def wire_scratch(model: Model) -> dict[str, Any]:
    """Shapes of the scratch of hybrid wires."""
    nodes = model.node_row.size if model.wire_cable.size else 0
    return {
        "wire_pieces": model.wire_cable.size, "piece_mark": (nodes, MARKS), "piece_number": (nodes, COLUMNS),
        "span_weight": nodes, "span_lift": nodes, "node_ahead": (model.node_row.size, 3),
        "node_slide": model.node_row.size,
    }  # fmt: skip
