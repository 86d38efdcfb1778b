"""Decides which spans get the inertia rows of ``kernels/cables/transverse.py``, and packs them.

The criterion is z^2 = h^2 K (1/m + r^2/I) with the largest tension to be expected: a few times the weight of all
bodies, the tension at the start, and what their kinetic energy could do along the cable. Where that stays small, as
in a crane at a millisecond, there are no rows and no cost.
"""

from typing import Any

import numpy as np

from cable_sim.kernels.cables.transverse import ACROSS, AT_END, AT_START
from cable_sim.kernels.rows import INERTIA
from cable_sim.model.bodies import BodyIndex, inertia_of
from cable_sim.model.frames import Array
from cable_sim.model.rows import RowTable
from cable_sim.spec import Cable, Scene
from cable_sim.spec.quantities import WORLD

DYNAMIC_FACTOR = 4.0
"""Largest tension to be expected over the weight of all bodies."""
CALM = 0.1
"""Up to this z^2 a span or arm needs no help; several on one body add up, and the limit is 4."""


def largest_tension(scene: Scene, path: float, length: float, cable: Cable) -> float:
    """Tension that a cable may come under [N]; ``path`` and unstretched ``length`` [m] as at the start."""
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    weight = float(np.linalg.norm(scene.gravity)) * sum(body.mass for body in moving)
    energy = 0.5 * sum(body.mass * float(np.dot(body.velocity, body.velocity)) for body in moving)
    stiffness = cable.stiffness or (cable.axial_rigidity or 0.0) / length
    return DYNAMIC_FACTOR * (weight + max(stiffness * (path - length), 0.0)) + 2.0 * energy / path


def pack_transverse(scene: Scene, index: BodyIndex, rows: RowTable, lengths: Array, dt: float) -> dict[str, Any]:
    """Model array of the inertia rows; adds them. ``lengths`` are the cables' unstretched lengths [m]."""
    mobility = {body.name: _mobility(body) for body in scene.bodies if body.motion == "dynamic"}
    calm_row: list[list[int]] = []
    for cable, length in zip(scene.cables, lengths, strict=True):
        points = np.array([index.to_world(node.body, node.position) for node in cable.nodes])
        spans = np.linalg.norm(np.diff(points, axis=0), axis=1)
        tension = dt * dt * largest_tension(scene, float(spans.sum()), float(length), cable)
        for k, span in enumerate(spans):
            calm_row.append(_add_rows(cable, k, tension, float(span), mobility, index, rows))
        calm_row.append([-1, -1, -1])
    return {"span_calm_row": np.array(calm_row, dtype=np.int64).reshape(-1, 3)}


def _mobility(body: Any) -> tuple[float, float]:
    """1/m and the largest 1/I of a body."""
    return 1.0 / body.mass, 1.0 / float(np.linalg.eigvalsh(inertia_of(body))[0])


def _add_rows(
    cable: Cable, k: int, tension: float, span: float, mobility: dict[str, tuple[float, float]], index: BodyIndex,
    rows: RowTable,
) -> list[int]:  # fmt: skip
    """First rows of the pairs that span k needs, -1 for none; ``tension`` is h^2 T."""
    found, ends = [-1, -1, -1], cable.nodes[k : k + 2]
    if ends[0].body == ends[1].body:
        return found
    across = 0.0
    for place, node in zip((AT_START, AT_END), ends, strict=True):
        if node.body not in mobility:
            continue
        per_mass, per_inertia = mobility[node.body]
        arm = float(np.linalg.norm(node.position))
        across += tension / span * (per_mass + arm**2 * per_inertia)
        if tension * arm * per_inertia > CALM:
            found[place] = _pair(rows, [index.row[node.body]])
    if across > CALM:
        found[ACROSS] = _pair(rows, [index.row[node.body] for node in ends if node.body != WORLD])
    return found


def _pair(rows: RowTable, bodies: list[int]) -> int:
    """Two rows on the same bodies; the first of them."""
    first = rows.add(INERTIA, bodies)
    rows.add(INERTIA, bodies)
    return first
