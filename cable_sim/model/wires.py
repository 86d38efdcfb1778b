"""Packs hybrid wires: the rows of pieces that touch moving bodies, those that hold their ends, and where they start."""

from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.bodies import DYNAMIC
from cable_sim.kernels.cables.pieces import COLUMNS, MARKS
from cable_sim.kernels.cables.strand import MASSIVE, UNUSED
from cable_sim.kernels.rows import CONDENSED
from cable_sim.kernels.step import LOOK, SETTLE, run
from cable_sim.model.bodies import BodyIndex, exposed_rows, hybrid_cables
from cable_sim.model.damping import PROBE_STEP
from cable_sim.model.frames import Array
from cable_sim.model.particles import along, hanging
from cable_sim.model.rows import RowTable
from cable_sim.model.types import Control, Model, State, Workspace
from cable_sim.spec import Cable, Ground, Hybrid, Scene

NO_GROUND = Ground()
ROUNDS = 10
"""How often a wire is laid around solids at the start, for its nodes to come to rest."""
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
        **_pack_crossings(index, [cable.name for cable in cables], [bodies_on[c] for c in owner]),
        "wire_finest": np.array([finest(cable, float(lengths[c])) for cable, c in zip(cables, owner, strict=True)]),
        "wire_least": np.array([made(cable).least for cable in cables], dtype=np.int64),
        "wire_most": np.array([made(cable).most for cable in cables], dtype=np.int64),
        "wire_edges": np.array([made(cable).edges for cable in cables], dtype=np.bool_),
        "wire_strength": np.array([float(cable.breaking_force) for cable in cables]),
        "wire_rigidity": np.array([made(cable).bending for cable in cables]),
        "wire_rough": np.array([bool(rough.intersection(cable.touches)) for cable in cables], dtype=np.bool_),
        "wire_hmr": np.array([made(cable).friction_law == "hmr_2011" for cable in cables], dtype=np.bool_),
        "wire_air_damping": np.array([made(cable).damping for cable in cables]),
        "wire_ground_point": np.array([ground.point for ground in grounds]).reshape(-1, 3),
        "wire_ground_normal": np.array(normals).reshape(-1, 3),
        "wire_ground_friction": np.array([ground.friction for ground in grounds]),
    }


def _pack_crossings(index: BodyIndex, names: list[str], bodies_on: list[list[int]]) -> dict[str, Any]:
    """Model arrays of the wires that may cross."""
    pairs = np.array([[names.index(name) for name in pair] for pair in index.crossings], np.int64).reshape(-1, 2)
    first = [index.coupling[" x ".join(pair)] for pair in index.crossings]
    slots = [[bodies_on[n].index(body) for n in pair] for pair, body in zip(pairs, first, strict=True)]
    return {
        "wire_crosses": np.isin(np.arange(len(names)), pairs),
        "crossing_wire": pairs, "crossing_body": np.array(first, dtype=np.int64),
        "crossing_slot": np.array(slots, dtype=np.int64).reshape(-1, 2),
    }  # fmt: skip


def _add_exposed(scene: Scene, cable: Cable, index: BodyIndex, rows: RowTable, bodies: list[int]) -> list[int]:
    """Rows for pieces that touch moving bodies; each has entries on what couples it with the ones before and after."""
    first, winch = index.coupling[cable.name], [index.winch[cable.winch.name]] if cable.winch else []
    return [
        rows.add(CONDENSED, [*bodies, *winch, first + p, first + p + 1], lower=0.0)
        for p in range(exposed_rows(scene, cable))
    ]


def _add_ends(cable: Cable, index: BodyIndex, rows: RowTable, body_kind: Array) -> list[int]:
    """First of the three rows that hold the mass of each end to a body; -1 where none that it may be on is dynamic."""
    found = []
    for node in (cable.nodes[0], cable.nodes[-1]):
        bodies = dict.fromkeys(index.row[name] for name in (node.body, *made(cable).attaches))
        dynamic = [body for body in bodies if body_kind[body] == DYNAMIC]
        found.append([rows.add(CONDENSED, dynamic) for _ in range(3)][0] if dynamic else -1)
    return found


def start_wires(scene: Scene, model: Model, state: State, control: Control, work: Workspace, dt: float) -> None:
    """Give the wires, which have been laid, their rope, and slack ones between two ends in the air their masses."""
    wound = []
    for cable, c in zip(hybrid_cables(scene), model.wire_cable, strict=True):
        begin, end = int(model.cable_node_start[c]), int(model.cable_node_start[c + 1]) - 1
        winch = int(model.cable_winch[c])
        length = float(model.cable_length[c]) + (float(state.body_position[winch, 0]) if winch >= 0 else 0.0)
        for node, k in ((cable.nodes[0], begin), (cable.nodes[-1], end)):
            if node.kind == "loose":
                state.node_touch[k] = MASSIVE
        spans = work.span_length[begin:end]
        state.span_rest[begin:end] = length * spans / spans.sum()
        strained = float(spans.sum()) + cable.torque_arm * cable.twist
        if cable.axial_rigidity:
            state.span_pull[begin:end] = dt * cable.axial_rigidity * max(strained / length - 1.0, 0.0)
        if made(cable).path and len(cable.nodes) != 2:
            raise ModelError(f"cable {cable.name!r}: hybrid: path: goes from one end to the other; leave out the eyes")
        hangs = length > strained * (1.0 + 1e-9) and (state.node_touch[begin + 1 : end] == UNUSED).all()
        if len(cable.nodes) == 2 and made(cable).wound:
            corners = np.array(made(cable).path)
            _set_masses(0.5 * (corners[1:] + corners[:-1]), state, begin, end)
            wound.append((begin, end, length))
        elif len(cable.nodes) == 2 and (hangs or made(cable).path):
            _hang(cable, model, state, work, begin, end, length, c)
    if wound:
        _wind(wound, model, state, control, work)


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
    _set_masses(points[1:-1], state, begin, end)
    state.span_rest[begin:end] = 0.0
    state.span_rest[begin : begin + count + 1] = length / (count + 1)


def _set_masses(points: Array, state: State, begin: int, end: int) -> None:
    """Make points [m] the only nodes of a wire between its ends."""
    inside, room = slice(begin + 1, begin + 1 + len(points)), slice(begin + 1 + len(points), end)
    state.node_body[inside], state.node_slot[inside], state.node_touch[inside] = 0, -1, MASSIVE
    state.node_point[inside], state.node_touch[room] = points, UNUSED
    for nodes in (state.node_body, state.node_point, state.node_slot):
        nodes[room] = nodes[end]


def _wind(wound: list[tuple[int, int, float]], model: Model, state: State, control: Control, work: Workspace) -> None:
    """Contact nodes of wires that start wound around solids, and their rope; what is too long is spread over all of it.

    Masses in the middle of every part of the path lead the wires around its corners, and are taken out once they have
    caught them. ``wound`` has the first and last node of each wire, and its length [m].
    """
    smooth = np.zeros_like(model.touch_friction)  # friction is there when the wire has been laid
    smooth.flags.writeable = False
    laid = model._replace(touch_friction=smooth)
    for leads in (True, False):
        for _ in range(ROUNDS):
            run(laid, state, control, work, PROBE_STEP, SETTLE)
        for begin, end, _ in wound if leads else ():
            _keep_contacts(begin, end, state)
    state.node_excess[:] = 0.0
    run(laid, state, control, work, PROBE_STEP, LOOK)
    for begin, end, length in wound:
        spans = work.span_length[begin:end]
        state.span_rest[begin:end] = length * spans / spans.sum()


def _keep_contacts(begin: int, end: int, state: State) -> None:
    """Take the masses out of a wire between its ends."""
    kept = begin + np.flatnonzero(state.node_touch[begin:end] >= 0)
    inside, room = slice(begin + 1, begin + 1 + kept.size), slice(begin + 1 + kept.size, end)
    for nodes in (state.node_body, state.node_point, state.node_slot, state.node_touch, state.node_line):
        nodes[inside], nodes[room] = nodes[kept], nodes[end]
    state.node_touch[room] = UNUSED


def wire_scratch(model: Model) -> dict[str, Any]:
    """Shapes of the scratch of hybrid wires."""
    nodes = model.node_row.size if model.wire_cable.size else 0
    return {
        "wire_pieces": model.wire_cable.size, "piece_mark": (nodes, MARKS), "piece_number": (nodes, COLUMNS),
        "span_weight": nodes, "span_lift": nodes, "node_ahead": (model.node_row.size, 3),
        "node_slide": model.node_row.size,
    }  # fmt: skip
