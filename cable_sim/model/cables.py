"""Packs cables: nodes, unstretched lengths, compliances, and the rows of stretch and of sheaves with losses."""

from itertools import pairwise
from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.rows import GAP, SPEED
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.rows import RowTable
from cable_sim.spec import Cable, Scene


def path_length(cable: Cable, index: BodyIndex) -> float:
    """Length of the path over the cable's nodes at the start [m]; ModelError if a span has none."""
    points = [index.to_world(node.body, node.position) for node in cable.nodes]
    lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(points)]
    for k, length in enumerate(lengths):
        if length == 0.0:
            raise ModelError(
                f"cable {cable.name!r}: nodes {k} and {k + 1} stand on one another at {points[k].tolist()}; "
                "a span needs a length above 0 m"
            )
    return sum(lengths)


def unstretched_length(cable: Cable, index: BodyIndex) -> float:
    """Length at the start [m]: as given, or such that the cable carries its pretension."""
    path = path_length(cable, index)
    if cable.length is not None:
        return cable.length
    if cable.ea is not None:
        return path / (1.0 + cable.pretension / cable.ea)
    length = path - (cable.pretension / cable.stiffness if cable.stiffness else 0.0)
    if length <= 0.0:
        raise ModelError(
            f"cable {cable.name!r}: pretension {cable.pretension} N would stretch it from nothing; "
            f"allowed is less than {path * (cable.stiffness or 0.0)} N"
        )
    return length


def pack_cables(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of the cables and their nodes; adds their rows."""
    nodes = [node for cable in scene.cables for node in cable.nodes]
    efficiency = np.array([getattr(node, "efficiency", 1.0) for node in nodes])
    arrays: dict[str, Any] = {
        "cable_node_start": np.cumsum([0, *(len(cable.nodes) for cable in scene.cables)], dtype=np.int64),
        "cable_row": np.zeros(len(scene.cables), dtype=np.int64),
        "cable_winch": np.array(
            [index.winch[cable.winch.name] if cable.winch else -1 for cable in scene.cables], dtype=np.int64
        ),
        "cable_length": np.array([unstretched_length(cable, index) for cable in scene.cables]),
        "cable_compliance": np.array([1.0 / cable.stiffness if cable.stiffness else 0.0 for cable in scene.cables]),
        "cable_compliance_per_length": np.array([1.0 / cable.ea if cable.ea else 0.0 for cable in scene.cables]),
        "node_body": np.array([index.row[node.body] for node in nodes], dtype=np.int64),
        "node_point": np.array([node.position for node in nodes]).reshape(len(nodes), 3),
        "node_slot": np.full(len(nodes), -1, dtype=np.int64),
        "node_row": np.full(len(nodes), -1, dtype=np.int64),
        "node_loss": 2.0 * (1.0 - efficiency) / (1.0 + efficiency),
    }
    for c, cable in enumerate(scene.cables):
        _add_rows(c, cable, arrays, rows)
    return arrays


def _add_rows(c: int, cable: Cable, arrays: dict[str, Any], rows: RowTable) -> None:
    """The rows of one cable: each has an entry for every body on it, then one for the winch."""
    first, last = arrays["cable_node_start"][c], arrays["cable_node_start"][c + 1]
    on_nodes = arrays["node_body"][first:last]
    bodies = list(dict.fromkeys(int(body) for body in on_nodes if body != 0))
    arrays["node_slot"][first:last] = [bodies.index(body) if body != 0 else -1 for body in on_nodes]
    entries = bodies + ([int(arrays["cable_winch"][c])] if cable.winch else [])
    damping_time = cable.damping_time or 0.0
    arrays["cable_row"][c] = stretch = rows.add(GAP, entries, one_sided=cable.pulls_only, damping_time=damping_time)
    lossy = [k for k in range(first + 1, last - 1) if arrays["node_loss"][k] > 0.0]
    for k in lossy:
        arrays["node_row"][k] = rows.add(SPEED, entries)
    for k in lossy:
        rows.limits[arrays["node_row"][k]] = [stretch, *(int(arrays["node_row"][i]) for i in lossy)]
