"""Packing of boxes that touch boxes, and of their pairs with the rows."""

from typing import Any

import numpy as np

from cable_sim.kernels.boxes import MOST_CORNERS, POINTS
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.frames import Array, rotation
from cable_sim.model.rows import RowTable
from cable_sim.spec import Body, Box, BoxContact, Obstacle, Scene


def box_pairs(scene: Scene) -> list[tuple[str, str, BoxContact]]:
    """Return the names of the boxes of every pair, and the contact that declares it."""
    return [(contact.box, other, contact) for contact in scene.contacts for other in contact.others]


def pack_boxes(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of boxes and pairs; adds the rows of the pairs."""
    known: dict[str, Body | Obstacle] = {obstacle.name: obstacle for obstacle in scene.obstacles}
    known |= {body.name: body for body in scene.bodies}
    pairs = box_pairs(scene)
    place = {
        name: i for i, name in enumerate(dict.fromkeys(name for pair in pairs for name in pair[:2]))
    }
    boxes = [known[name] for name in place]
    body = np.array(
        [index.row[box.body if isinstance(box, Obstacle) else box.name] for box in boxes],
        dtype=np.int64,
    )
    first = [_add_rows(contact, [body[place[a]], body[place[b]]], rows) for a, b, contact in pairs]
    return {
        "boxes.body": body,
        "boxes.frame": np.array([_frame(box) for box in boxes]).reshape(-1, 4, 3),
        "boxes.half": np.array([_half(box) for box in boxes]).reshape(-1, 3),
        "pairs.box": np.array([(place[a], place[b]) for a, b, _ in pairs], dtype=np.int64).reshape(
            -1, 2
        ),
        "pairs.row": np.array(first, dtype=np.int64),
        "pairs.friction": np.array([contact.friction for _, _, contact in pairs], dtype=float),
    }


def box_scratch(boxes: int) -> dict[str, Any]:
    """Return the shapes of the workspace's arrays for a number of boxes."""
    return {
        "boxes.centre": (boxes, 3),
        "boxes.axes": (boxes, 3, 3),
        "boxes.polygon": (2, MOST_CORNERS, 3),
        "boxes.chosen": POINTS,
    }


def _add_rows(contact: BoxContact, bodies: list[int], rows: RowTable) -> int:
    """Add the rows of a pair; return the first."""
    return rows.add_contact(
        bodies, POINTS, compliance=1.0 / contact.stiffness, damping_time=contact.damping_time
    )


def _frame(box: Body | Obstacle) -> Array:
    """Centre of a box and its axes as rows, in the frame of the body that carries it."""
    if isinstance(box, Body):
        return np.concatenate([np.zeros((1, 3)), np.eye(3)])
    return np.concatenate([[box.position], rotation(box.orientation).T])


def _half(box: Body | Obstacle) -> tuple[float, float, float]:
    """Half edges [m]."""
    assert isinstance(box.shape, Box), "the spec lets only boxes touch"
    return 0.5 * box.shape.x, 0.5 * box.shape.y, 0.5 * box.shape.z
