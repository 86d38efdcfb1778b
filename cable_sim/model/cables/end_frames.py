"""Frames of the ends of ropes that carry torque, fixed in the bodies there
(``kernels/cables/stiffness/torsion.py``)."""

from typing import Any

import numpy as np

from cable_sim.kernels.records.world import Model, State
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.frames import Array, rotation, triad
from cable_sim.spec import Scene


def pack_end_frames(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Return tangent and normal of every span at the start, in the frames of its two bodies.

    The bodies are those at the ends of the span.
    """
    count = sum(len(cable.nodes) for cable in scene.cables)
    tangent = np.zeros((count, 2, 3))
    normal = np.zeros((count, 2, 3))
    k = 0
    for cable in scene.cables:
        for i, (start, end, room) in enumerate(index.chords(cable)):
            if room:
                continue
            axes = triad(end - start)
            for side in (0, 1):
                turn = index.rotation[index.row[cable.nodes[i + side].body]].T
                tangent[k + i, side] = turn @ axes[2]
                normal[k + i, side] = turn @ axes[0]
        k += len(cable.nodes)
    return {"twist.tangent": tangent, "twist.normal": normal}


def lay_end_frames(model: Model, state: State, position: Array) -> dict[str, Any]:
    """Return the frames where wires bend over edges at the start, which is without twist there.

    ``position`` (k, 3) are the nodes [m]. The result is empty if none does. Sets the offset of the
    twist of such wires in the state.
    """
    tangent = model.twist.tangent.copy()
    normal = model.twist.normal.copy()
    bent = False
    for c in model.wires.cable[model.twist.row[model.wires.cable] >= 0]:
        begin, end = model.cables.node_start[c : c + 2]
        first = begin
        while first < end - 1:
            last = first + model.spans.slots[first] + 1
            corners = np.flatnonzero(state.nodes.contact_solid[first + 1 : last] >= 0) + first + 1
            if corners.size:
                frames = _line_frames(position[[first, *corners, last]])
                for side, node in enumerate((first, last)):
                    turn = rotation(state.bodies.orientation[state.nodes.body[node]]).T
                    tangent[first, side] = turn @ frames[side][0]
                    normal[first, side] = turn @ frames[side][1]
                state.cables.twist_offset[c] = state.cables.twist_expected[c]
                bent = True
            first = last
    return {"twist.tangent": tangent, "twist.normal": normal} if bent else {}


def _line_frames(points: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return tangent and normal at both ends of a line, parallel along it."""
    spans = np.diff(points, axis=0)
    lengths = np.linalg.norm(spans, axis=1)
    directions = spans[lengths > 0.0] / lengths[lengths > 0.0, None]
    first = directions[0]
    start = normal = triad(first)[0]
    for before, after in zip(directions, directions[1:], strict=False):
        normal = normal - (after @ normal) / (1.0 + before @ after) * (before + after)
    return (first, start), (directions[-1], normal)
