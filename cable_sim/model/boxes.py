"""Packing of boxes that touch boxes or finite surfaces, and of their pairs with the rows."""

from itertools import product
from typing import Any

import numpy as np

from cable_sim.kernels.boxes import MOST_CORNERS, POINTS
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.contacts import surface_axes
from cable_sim.model.frames import Array, rotation
from cable_sim.model.rows import RowTable
from cable_sim.spec import Body, Box, BoxContact, Obstacle, Scene, Surface

Solid = Body | Obstacle | Surface
"""Thing that is a box to others."""


def box_pairs(scene: Scene) -> list[tuple[str, str, BoxContact]]:
    """Return the names of the boxes of every pair, and the contact that declares it."""
    return [(contact.box, other, contact) for contact in scene.contacts for other in contact.others]


def slab_pairs(scene: Scene) -> list[tuple[Surface, Body]]:
    """Return the surfaces that are boxes, each with every box that collides."""
    slabs = [s for s in scene.surfaces if s.is_slab and scene.collision is None]
    bodies = [body for body in scene.bodies if body.collides and isinstance(body.shape, Box)]
    return list(product(slabs, bodies))


def pack_boxes(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of boxes and pairs; adds the rows of the pairs."""
    known: dict[str, Solid] = {obstacle.name: obstacle for obstacle in scene.obstacles}
    known |= {body.name: body for body in scene.bodies}
    pairs: list[tuple[Solid, Solid, BoxContact | Surface]] = [
        (known[box], known[other], contact) for box, other, contact in box_pairs(scene)
    ]
    pairs += [(surface, body, surface) for surface, body in slab_pairs(scene)]
    boxes = list({id(box): box for pair in pairs for box in pair[:2]}.values())
    place = {id(box): i for i, box in enumerate(boxes)}
    body = np.array([_carrier(box, index) for box in boxes], dtype=np.int64)
    ends = [(place[id(a)], place[id(b)]) for a, b, _ in pairs]
    first = [
        _add_rows(material, [body[a], body[b]], rows)
        for (a, b), (_, _, material) in zip(ends, pairs, strict=True)
    ]
    return {
        "boxes.body": body,
        "boxes.frame": np.array([_frame(box) for box in boxes]).reshape(-1, 4, 3),
        "boxes.half": np.array([_half(box) for box in boxes]).reshape(-1, 3),
        "pairs.box": np.array(ends, dtype=np.int64).reshape(-1, 2),
        "pairs.row": np.array(first, dtype=np.int64),
        "pairs.friction": np.array([material.friction for _, _, material in pairs], dtype=float),
    }


def box_scratch(boxes: int) -> dict[str, Any]:
    """Return the shapes of the workspace's arrays for a number of boxes."""
    return {
        "boxes.centre": (boxes, 3),
        "boxes.axes": (boxes, 3, 3),
        "boxes.polygon": (2, MOST_CORNERS, 3),
        "boxes.chosen": POINTS,
    }


def _carrier(box: Solid, index: BodyIndex) -> int:
    """Return the row of the body that carries a box."""
    if isinstance(box, Surface):
        return 0
    return index.row[box.body if isinstance(box, Obstacle) else box.name]


def _add_rows(contact: BoxContact | Surface, bodies: list[int], rows: RowTable) -> int:
    """Add the rows of a pair; return the first."""
    return rows.add_contact(
        bodies, POINTS, compliance=1.0 / contact.stiffness, damping_time=contact.damping_time
    )


def _frame(box: Solid) -> Array:
    """Centre of a box and its axes as rows, in the frame of the body that carries it."""
    if isinstance(box, Body):
        return np.concatenate([np.zeros((1, 3)), np.eye(3)])
    if isinstance(box, Surface):
        axes = surface_axes(box)
        return np.concatenate([[np.array(box.point) - 0.5 * box.thickness * axes[2]], axes])
    return np.concatenate([[box.position], rotation(box.orientation).T])


def _half(box: Solid) -> tuple[float, float, float]:
    """Half edges [m]."""
    if isinstance(box, Surface):
        return *box.extent, 0.5 * box.thickness
    assert isinstance(box.shape, Box), "the spec lets only boxes touch"
    return 0.5 * box.shape.x, 0.5 * box.shape.y, 0.5 * box.shape.z
