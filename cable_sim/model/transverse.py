"""Choice and packing of the spans with inertia rows of ``kernels/cables/transverse.py``.

The criterion is z^2 = h^2 K (1/m + r^2/I) with the largest tension to be expected: a few times the
weight of all bodies, the tension at the start, and what their kinetic energy could do along the
cable. Where that stays small, as in a crane at a millisecond, there are no rows and no cost.
"""

from typing import Any

import numpy as np

from cable_sim.kernels.cables.transverse import ACROSS, AT_END, AT_START, CALM
from cable_sim.kernels.rows import INERTIA
from cable_sim.model.bodies import BodyIndex, inertia_of
from cable_sim.model.frames import Array
from cable_sim.model.rows import RowTable
from cable_sim.spec import Cable, Scene

DYNAMIC_FACTOR = 4.0
"""Largest tension to be expected over the weight of all bodies."""


def weight_and_energy(scene: Scene) -> tuple[float, float]:
    """Weight [N] and kinetic energy of translation [J] at the start of all bodies that obey
    forces."""
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    weight = float(np.linalg.norm(scene.gravity)) * sum(body.mass for body in moving)
    return weight, 0.5 * sum(
        body.mass * float(np.dot(body.velocity, body.velocity)) for body in moving
    )


def largest_tension(
    weight: float, energy: float, path: float, length: float, cable: Cable
) -> float:
    """Return the tension that a cable may come under [N].

    ``path`` and unstretched ``length`` are those at the start [m].
    """
    stiffness = cable.stiffness or (cable.axial_rigidity or 0.0) / length
    return DYNAMIC_FACTOR * (weight + max(stiffness * (path - length), 0.0)) + 2.0 * energy / path


def pack_transverse(
    scene: Scene, index: BodyIndex, rows: RowTable, lengths: Array, dt: float
) -> dict[str, Any]:
    """Return the model arrays of the inertia rows, and add the rows.

    ``lengths`` are the cables' unstretched lengths [m].
    """
    light = [cable for cable in scene.cables if not cable.made_of_masses]
    held = {node.body for cable in light for node in cable.nodes}
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    mobility = {body.name: _mobility(body) for body in moving if body.name in held}
    nodes = sum(len(cable.nodes) for cable in scene.cables)
    calm_row = np.full((nodes, 3), -1)
    span_mobility = np.zeros((nodes, 3))
    first = 0
    calm = np.ones(len(scene.cables), dtype=bool)
    weight, energy = weight_and_energy(scene)
    for c, (cable, length) in enumerate(zip(scene.cables, lengths, strict=True)):
        if cable.made_of_masses:
            first += len(cable.nodes)
            continue
        points = np.array(index.places(cable))
        spans = np.linalg.norm(np.diff(points, axis=0), axis=1)
        tension = (
            dt * dt * largest_tension(weight, energy, float(spans.sum()), float(length), cable)
        )
        for k, span in enumerate(spans):
            row = first + k
            span_mobility[row] = _span_mobility(cable, k, mobility)
            arms = [np.linalg.norm(node.position) for node in cable.nodes[k : k + 2]]
            if span == 0.0:
                continue  # room for a contact node
            springs = tension * np.array([1.0 / span, *arms])
            needed = springs * span_mobility[row] > CALM
            calm_row[row] = _add_rows(cable, k, needed, index, rows)
            calm[c] &= not needed.any()
        first += len(cable.nodes)
    return {
        "cables.lacks_inertia_rows": calm,
        "spans.inertia_row": calm_row,
        "spans.mobility": span_mobility,
    }


def _mobility(body: Any) -> tuple[float, float]:
    """1/m and the largest 1/I of a body."""
    return 1.0 / body.mass, 1.0 / float(np.linalg.eigvalsh(inertia_of(body))[0])


def _span_mobility(cable: Cable, k: int, mobility: dict[str, tuple[float, float]]) -> list[float]:
    """Return the largest J M^-1 J^T of span k.

    It is that across the span [1/kg], and about the normals at its two ends [1/(kg m^2)].
    """
    near, far = cable.nodes[k : k + 2]
    across = 0.0
    about = []
    for node in (near, far):
        per_mass, per_inertia = mobility.get(node.body, (0.0, 0.0))
        across += per_mass + float(np.dot(node.position, node.position)) * per_inertia
        about.append(per_inertia)
    return [0.0, 0.0, 0.0] if near.body == far.body else [across, *about]


def _add_rows(cable: Cable, k: int, needed: Any, index: BodyIndex, rows: RowTable) -> list[int]:
    """Add the pairs of rows that span k needs; return their first rows, -1 for none."""
    ends = [index.row[node.body] for node in cable.nodes[k : k + 2]]
    bodies = {ACROSS: [body for body in ends if body != 0], AT_START: ends[:1], AT_END: ends[1:]}
    return [
        _pair(rows, bodies[place]) if needed[place] else -1 for place in (ACROSS, AT_START, AT_END)
    ]


def _pair(rows: RowTable, bodies: list[int]) -> int:
    """Add two rows on the same bodies; return the first."""
    first = rows.add(INERTIA, bodies)
    rows.add(INERTIA, bodies)
    return first
