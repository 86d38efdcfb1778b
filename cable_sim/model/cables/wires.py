"""Packing of hybrid wires: rows of segments that touch moving bodies, and rows that hold their
ends and clamps."""

from typing import Any

import numpy as np

from cable_sim.kernels.cables.contact.contact_path import CLAMP, SLIDES
from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE
from cable_sim.kernels.cables.crossing.span_search import SWEPT
from cable_sim.kernels.cables.hybrid.adaptive_resolution import FADES, TIPS
from cable_sim.kernels.cables.hybrid.segments import COLUMNS, MARKS
from cable_sim.kernels.multibody.bodies import DYNAMIC
from cable_sim.kernels.multibody.rows import CONDENSED
from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.crossings import crossing_friction, hybrid_cables, hybrid_layer
from cable_sim.model.basis.frames import Array
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.paths import bodies_on
from cable_sim.model.cables.transverse import own_among
from cable_sim.spec import Cable, Ground, Scene
from cable_sim.spec.quantities import Vector

NO_GROUND = Ground()


def shortest_spacing(cable: Cable, length: float) -> float:
    """Return the shortest length of rope between two masses [m].

    Halving the longest segment leads to any number of masses up to ``least``, as that segment has
    the length over ``least`` if there are fewer.
    """
    layer = hybrid_layer(cable)
    return layer.finest or length / max(layer.most + 1, 2 * layer.least)


def bend_length(cable: Cable, length: float) -> float:
    """Return the length of rope that bends at an eye or on an edge [m]: between two masses."""
    layer = hybrid_layer(cable)
    return layer.finest or length / (layer.most + 1)


def pack_wires(
    scene: Scene, index: BodyIndex, rows: RowTable, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Return the model arrays of the hybrid wires; add their rows."""
    cables = hybrid_cables(scene)
    owner = [index.cable[cable.name] for cable in cables]
    carriers = [bodies_on(cable, index) for cable in cables]
    pool = [
        _add_exposed(cable, index, rows, bodies)
        for cable, bodies in zip(cables, carriers, strict=True)
    ]
    starts = arrays["cables.node_start"].tolist()
    parts = [slice(*starts[c : c + 2]) for c in owner]
    nodes = [[part.start + k for k in own_among(arrays["spans.slots"][part])] for part in parts]
    held = _pack_holding_rows(cables, nodes, index, rows, arrays["bodies.kind"])
    rough = {obstacle.name for obstacle in scene.obstacles if obstacle.friction > 0.0}
    lossy = [bool((arrays["nodes.loss"][part] > 0.0).any()) for part in parts]
    friction = [crossing_friction(scene, pair) for pair in index.crossings]
    pairs = zip(index.crossings, friction, strict=True)
    rubbing = {name for pair, mu in pairs if mu > 0.0 for name in pair}
    rubs = [
        bool(rough.intersection(cable.touches)) or loses or cable.name in rubbing
        for cable, loses in zip(cables, lossy, strict=True)
    ]
    return {
        "cables.wire": flags(cable.hybrid is not None for cable in scene.cables),
        "wires.cable": ints(owner),
        "wires.row_start": offsets(pool),
        "wires.row": ints(row for found in pool for row in found),
        "wires.bodies": ints(map(len, carriers)),
        "wires.runs": ints(index.runs[cable.name] for cable in cables),
        **held,
        **_pack_guides(scene, owner, nodes, arrays["nodes.body"].size),
        "wires.damping_time": floats(cable.damping_time or 0.0 for cable in cables),
        **_pack_crossings(index, cables, carriers),
        "crossings.friction": floats(friction),
        **_pack_resolution(cables, arrays["cables.length"][owner], scene.gravity),
        "wires.strength": floats(float(cable.breaking_force) for cable in cables),
        "wires.rigidity": floats(hybrid_layer(cable).bending for cable in cables),
        "wires.has_friction": flags(rubs),
        "wires.hmr": flags(hybrid_layer(cable).friction_law == "hmr_2011" for cable in cables),
        "wires.air_damping": floats(hybrid_layer(cable).damping for cable in cables),
        **_pack_grounds(cables),
    }


def _pack_resolution(cables: list[Cable], lengths: Array, gravity: Vector) -> dict[str, Any]:
    """Return the model arrays of how fine the wires may be, and of what is left of masses."""
    shortest = [
        shortest_spacing(cable, float(length))
        for cable, length in zip(cables, lengths, strict=True)
    ]
    return {
        "wires.fading": FADES * np.sqrt(np.linalg.norm(gravity) / lengths),
        "wires.finest": np.array(shortest),
        "wires.bend_length": np.array(list(map(bend_length, cables, lengths))),
        "wires.least": ints(hybrid_layer(cable).least for cable in cables),
        "wires.most": ints(hybrid_layer(cable).most for cable in cables),
        "wires.edges": flags(hybrid_layer(cable).edges for cable in cables),
    }


def _pack_grounds(cables: list[Cable]) -> dict[str, Any]:
    """Return the model arrays of the wires' grounds; the normal is zero without one."""
    grounds = [hybrid_layer(cable).ground or NO_GROUND for cable in cables]
    normals = [
        np.array(ground.normal)
        / np.linalg.norm(ground.normal)
        * (hybrid_layer(cable).ground is not None)
        for cable, ground in zip(cables, grounds, strict=True)
    ]
    return {
        "wires.ground_point": floats([ground.point for ground in grounds], 3),
        "wires.ground_normal": floats(normals, 3),
        "wires.ground_friction": floats(ground.friction for ground in grounds),
    }


def _pack_crossings(
    index: BodyIndex, cables: list[Cable], carriers: list[list[int]]
) -> dict[str, Any]:
    """Model arrays of the wires that may cross."""
    names = [cable.name for cable in cables]
    pairs = ints([[names.index(name) for name in pair] for pair in index.crossings], 2)
    first = [index.coupling[" x ".join(pair)] for pair in index.crossings]
    slots = [
        [carriers[n].index(body) for n in pair] for pair, body in zip(pairs, first, strict=True)
    ]
    return {
        "wires.crosses": np.isin(np.arange(len(names)), pairs),
        "crossings.wire": pairs,
        "crossings.body": ints(first),
        "crossings.thickness": floats(
            0.5 * sum(float(cables[n].diameter) for n in pair) for pair in pairs
        ),
        "crossings.row_entry": ints(slots, 2),
    }


def _add_exposed(cable: Cable, index: BodyIndex, rows: RowTable, bodies: list[int]) -> list[int]:
    """Add the rows for segments that touch moving bodies.

    Each has entries on the bodies for the runs of the wire, and on those that couple it with the
    ones before and after.
    """
    first = index.coupling[cable.name]
    after = first + index.exposed[cable.name] + 1
    runs = range(after + index.runs[cable.name] - 1, after - 1, -1)
    winch = [index.winch[cable.winch.name]] if cable.winch else []
    return [
        rows.add(CONDENSED, [*bodies, *winch, *runs, first + p, first + p + 1], lower=0.0)
        for p in range(index.exposed[cable.name])
    ]


def _pack_holding_rows(
    cables: list[Cable], nodes: list[list[int]], index: BodyIndex, rows: RowTable, body_kind: Array
) -> dict[str, Any]:
    """Return the model arrays of the ends and clamps that bodies may hold; add their rows."""
    held = [
        _add_holding_rows(cable, own, index, rows, body_kind)
        for cable, own in zip(cables, nodes, strict=True)
    ]
    return {
        "wires.held_start": offsets(held),
        "wires.held_node": ints(k for found in held for k, _ in found),
        "wires.held_row": ints(row for found in held for _, row in found),
    }


def _add_holding_rows(
    cable: Cable, own: list[int], index: BodyIndex, rows: RowTable, body_kind: Array
) -> list[tuple[int, int]]:
    """Add the rows that hold the masses of ends and clamps to bodies.

    Returns the node and the first of three rows of each for which a dynamic body may hold it.
    ``own`` are the nodes of the cable that are no room.
    """
    found = []
    first = own[0]
    for k in own:
        node = cable.nodes[k - first]
        if k not in (first, own[-1]) and node.kind != "anchor":
            continue
        attaches = hybrid_layer(cable).attaches if k in (first, own[-1]) else ()
        bodies = dict.fromkeys(index.row[name] for name in (node.body, *attaches))
        dynamic = [body for body in bodies if body_kind[body] == DYNAMIC]
        if dynamic:
            found.append((k, [rows.add(CONDENSED, dynamic) for _ in range(3)][0]))
    return found


def _pack_guides(
    scene: Scene, owner: list[int], nodes: list[list[int]], count: int
) -> dict[str, Any]:
    """Return what the wires' own nodes do to the rope, for all ``count`` nodes of cables."""
    guide = np.full(count, SLIDES)
    direction = np.zeros((count, 3))
    for c, own in zip(owner, nodes, strict=True):
        for k in own:
            node = scene.cables[c].nodes[k - own[0]]
            if node.kind == "anchor":
                guide[k] = CLAMP if k not in (own[0], own[-1]) else SLIDES
                if node.direction is not None:
                    direction[k] = np.array(node.direction) / np.linalg.norm(node.direction)
    return {"nodes.guide": guide, "nodes.held_direction": direction}


def whole_wires(
    scene: Scene, index: BodyIndex, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Return the state arrays of the hybrid wires: none has parted."""
    count = arrays["wires.cable"].size
    return {
        "wires.steps_since_removal": np.zeros(count, np.int64),
        "wires.cut_place": np.full(count, -1.0),
    }


def room(cable: Cable) -> int:
    """Return the room for masses between two nodes of a wire, and for where it parts."""
    own = cable.name in cable.model.crosses  # both nodes of a crossing are its own
    return hybrid_layer(cable).most + TIPS + AT_ONCE * (2 if own else 1)


def has_wires(model: Model) -> bool:
    """Return True if a model has hybrid wires."""
    return model.wires.cable.size > 0


def wire_scratch(model: Model) -> dict[str, Any]:
    """Shapes of the scratch of hybrid wires."""
    nodes = model.cables.node_row.size if model.wires.cable.size else 0
    crossed = model.cables.node_row.size if model.crossings.body.size else 0
    return {
        "segments.segment_count": model.wires.cable.size,
        "segments.bend_share": model.bodies.kind.size,
        "segments.mark": (nodes, MARKS),
        "segments.number": (nodes, COLUMNS),
        "segments.start": (crossed, 3),
        "segments.swept": (crossed, SWEPT),
        "spans.tension_ratio": nodes,
        "spans.weight_impulse": nodes,
        "nodes.predicted_position": (model.cables.node_row.size, 3),
    }
