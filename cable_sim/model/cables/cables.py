"""Packing of cables: nodes, lengths, compliances, and rows of stretch, twist, stops and lossy
sheaves."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.multibody.rows import CONDENSED, GAP, HAULING, SPEED, STABILISED
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.frames import Array
from cable_sim.model.basis.rows import INFINITE, RowTable
from cable_sim.model.cables.cable_models import packing
from cable_sim.model.cables.end_frames import pack_end_frames
from cable_sim.model.cables.obstacles import pack_touches
from cable_sim.model.cables.paths import bodies_on
from cable_sim.model.cables.wheels import bearing_loss, pack_wheels, rope_behind, way_round
from cable_sim.spec import Cable, Scene, Wheel

SHORT = 1e-9
"""Part of its path that a cable may be too short at the start: rounding."""


def unstretched_length(cable: Cable, index: BodyIndex, gravity: Any) -> float:
    """Return the length at the start [m].

    It is the given one, or such that the cable carries its pretension; of a driven cable it is its
    path.
    """
    path = packing(cable).way(cable, index, gravity)
    if cable.length is not None:
        refuse_short(cable, cable.length, path)
        return cable.length
    if cable.wheels:
        return rope_behind(cable, way_round(cable, index))[0]
    path += cable.torque_arm * cable.twist  # a laid rope is strained by its twist as well
    if cable.axial_rigidity is not None:
        return path / (1.0 + cable.pretension / cable.axial_rigidity)
    length = path - (cable.pretension / cable.stiffness if cable.stiffness else 0.0)
    if length <= 0.0:
        raise ModelError(
            f"cable {cable.name!r}: pretension {cable.pretension} N would need an unstretched "
            f"length of 0; "
            f"allowed is less than {path * (cable.stiffness or 0.0)} N"
        )
    return length


def refuse_short(cable: Cable, length: float, path: float) -> None:
    """Refuse a cable that can't stretch and is shorter than its path [m] at the start."""
    stretches = cable.axial_rigidity or cable.stiffness or cable.model.segment_stiffness
    if not stretches and length < path * (1.0 - SHORT):
        raise ModelError(
            f"cable {cable.name!r}: its length of {length:.6g} m is less than its path at the "
            f"start and it can't stretch; allowed is {path:.10g} m or more, or an ea"
        )


def pack_cables(scene: Scene, index: BodyIndex, rows: RowTable, drive_row: Array) -> dict[str, Any]:
    """Model arrays of the cables and their nodes; adds their rows. ``drive_row`` holds the rows of
    the drives."""
    cables = scene.cables
    nodes = [node for cable in cables for node in cable.nodes]
    arrays: dict[str, Any] = {
        "cables.node_start": offsets(cable.nodes for cable in cables),
        "cables.winch": ints(
            index.winch[cable.winch.name] if cable.winch else -1 for cable in cables
        ),
        "cables.length": floats(
            unstretched_length(cable, index, scene.gravity) for cable in cables
        ),
        "cables.compliance": _inverse(cable.stiffness for cable in cables),
        "cables.compliance_per_length": _inverse(cable.axial_rigidity for cable in cables),
        "cables.density": floats(
            cable.density if cable.model.spans_weigh else 0.0 for cable in cables
        ),
        **_twist_arrays(cables),
        "breakage.force": floats(float(cable.breaking_force) for cable in cables),
        "breakage.parts": flags(cable.parts for cable in cables),
        "nodes.body": ints(index.row[node.body] for node in nodes),
        "nodes.point": floats([node.position for node in nodes], 3),
        "nodes.loss": floats(
            bearing_loss(node.efficiency if node.kind == "sheave" else 1.0) for node in nodes
        ),
    }
    for name in ("cables.row", "cables.drive_row", "cables.pull_row", "twist.row"):
        arrays[name] = np.full(len(cables), -1, dtype=np.int64)
    for name in ("nodes.row_entry", "cables.node_row", "spans.stop_row"):
        arrays[name] = np.full(len(nodes), -1, dtype=np.int64)
    drives = {drive.on: int(row) for drive, row in zip(scene.drives, drive_row, strict=True)}
    for c, cable in enumerate(cables):
        _add_rows(c, cable, arrays, rows, index, drives.get(cable.name, -1))
        _add_wheel_rows(c, cable, arrays, rows, bodies_on(cable, index), index)
    carriers = [bodies_on(cable, index) for cable in cables]
    arrays |= pack_wheels(scene, index, arrays["cables.length"])
    return arrays | pack_touches(scene, index, carriers) | pack_end_frames(scene, index)


def hauling_speeds(scene: Scene, arrays: dict[str, Any], count: int) -> Array:
    """Return the speeds (r,) of ``count`` rows at which ropes are hauled in, see
    ``kernels/multibody/rows.py``; 0 of rows that stretch no rope."""
    speeds = np.zeros(count)
    stretched = arrays["cables.row"] >= 0
    falls = np.linalg.norm(scene.gravity) * arrays["cables.length"][stretched]
    speeds[arrays["cables.row"][stretched]] = HAULING * np.sqrt(falls)
    return speeds


def _twist_arrays(cables: Sequence[Cable]) -> dict[str, Any]:
    """Return the model arrays of the cables' torsion."""
    return {
        "twist.compliance": np.where(
            [cable.twists for cable in cables],
            _inverse(cable.twist_stiffness for cable in cables),
            INFINITE,
        ),
        "twist.compliance_per_length": _inverse(cable.torsional_rigidity for cable in cables),
        "twist.radius": floats(0.5 * float(cable.diameter) for cable in cables),
        "twist.torque_arm": floats(cable.torque_arm for cable in cables),
    }


def winch_coordinates(scene: Scene, lengths: Array) -> tuple[dict[str, float], Array]:
    """Return the coordinate of each winch at the start [m], and the lengths less those.

    The coordinate is the length of its first cable.
    """
    start: dict[str, float] = {}
    for cable, length in zip(scene.cables, lengths.tolist(), strict=True):
        if cable.winch:
            start.setdefault(cable.winch.name, length)
    for winch in scene.winches:
        start.setdefault(winch.name, 0.0)  # the rim of a wheel
    return start, lengths - [
        start[cable.winch.name] if cable.winch else 0.0 for cable in scene.cables
    ]


def _inverse(values: Iterable[float | None]) -> Array:
    """Return stiffnesses as compliances; no stiffness is rigid."""
    return np.array([1.0 / value if value else 0.0 for value in values])


def _add_rows(
    c: int, cable: Cable, arrays: dict[str, Any], rows: RowTable, index: BodyIndex, drive_row: int
) -> None:
    """Add the rows of one cable.

    Each has an entry for every body on it, those of the stretch one for the winch, too. Cables made
    of masses have rows of their own, see ``particles.py``; hybrid wires ``wires.py``.
    """
    if cable.model.segments:
        return
    bodies = bodies_on(cable, index)
    first = arrays["cables.node_start"][c]
    last = arrays["cables.node_start"][c + 1]
    on_nodes = arrays["nodes.body"][first:last]
    arrays["nodes.row_entry"][first:last] = [
        bodies.index(body) if body != 0 else -1 for body in on_nodes
    ]
    if cable.made_of_masses:
        _add_twist(c, cable, arrays, rows, bodies)
        return
    entries = bodies + ([int(arrays["cables.winch"][c])] if cable.winch else [])
    damping_time = cable.damping_time or 0.0
    pulls = [drive_row] if drive_row >= 0 else []
    if not cable.driven:
        arrays["cables.row"][c] = rows.add(
            GAP, entries, one_sided=cable.pulls_only, damping_time=damping_time
        )
        pulls.append(int(arrays["cables.row"][c]))
    arrays["cables.drive_row"][c] = drive_row
    arrays["cables.pull_row"][c] = pulls[-1]
    _add_twist(c, cable, arrays, rows, bodies)
    for k, (near, far) in enumerate(pairwise(int(body) for body in on_nodes), start=int(first)):
        if near != far:
            arrays["spans.stop_row"][k] = rows.add(STABILISED, [near, far], lower=0.0)
    if cable.name in index.grips:  # its sheaves with losses are grips
        return
    lossy = [k for k in range(first + 1, last - 1) if arrays["nodes.loss"][k] > 0.0]
    for k in lossy:
        arrays["cables.node_row"][k] = rows.add(SPEED, entries)
    for k in lossy:
        rows.limits[arrays["cables.node_row"][k]] = [
            *pulls,
            *(int(arrays["cables.node_row"][i]) for i in lossy),
        ]


def _add_wheel_rows(
    c: int,
    cable: Cable,
    arrays: dict[str, Any],
    rows: RowTable,
    bodies: list[int],
    index: BodyIndex,
) -> None:
    """Add the rows of the wheels of one cable: those of its bodies, of the rim and of its parts."""
    if not cable.wheels:
        return
    first = int(arrays["cables.node_start"][c])
    begins = cable.wheels[0] if cable.closed else None
    count = len(cable.wheels) + (0 if begins else 1)
    parts = [index.coupling[cable.name] + j for j in range(count)]
    last = [int(arrays["cables.winch"][c])] if cable.winch else []
    back = [index.winch[begins.name]] if begins and begins.rotor else []
    made = []
    for k, node in enumerate(cable.nodes, start=first):
        if isinstance(node, Wheel) and node is not begins:
            rim = [index.winch[node.name]] if node.rotor else []
            made.append(rows.add(CONDENSED, [*bodies, *rim, *back, *parts, *last]))
            arrays["cables.node_row"][k] = made[-1]
    drive = int(arrays["cables.drive_row"][c])
    rows.mixed += made
    for row in made:
        pulls = [drive] if drive >= 0 else []
        rows.limits[row] = [*pulls, int(arrays["cables.row"][c]), *made]


def _add_twist(
    c: int, cable: Cable, arrays: dict[str, Any], rows: RowTable, bodies: list[int]
) -> None:
    """Add the twist row of a cable that carries torque."""
    if cable.measures_twist:
        arrays["twist.row"][c] = rows.add(GAP, bodies, damping_time=cable.damping_time or 0.0)
