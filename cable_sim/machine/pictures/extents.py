"""Extents of bodies: boxes about their shapes and visuals, and tests for overlap."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import quat2mat

from cable_sim.spec import Body, Box, Cylinder, Polyhedron, Scene, Sphere

Array = NDArray[np.float64]

PARALLEL = 1e-9
"""Length of a cross product of two edges below which they count as parallel."""


class Block(NamedTuple):
    """A box.

    It has a centre (3,) [m], half lengths (3,) [m], and the rotation matrix (3, 3) that turns its
    axes into those outside.
    """

    centre: Array
    turn: Array
    half: Array

    def move(self, position: ArrayLike, orientation: ArrayLike) -> "Block":
        """Return the box in the frame in which its own has that position [m] and orientation.

        The orientation is a quaternion (w, x, y, z).
        """
        turn = quat2mat(orientation)
        return Block(np.asarray(position) + turn @ self.centre, turn @ self.turn, self.half)

    @property
    def corners(self) -> Array:
        """Return the corners (8, 3) [m]."""
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        return self.centre + (signs * self.half) @ self.turn.T

    def overlaps(self, other: "Block", depth: float = 0.0) -> bool:
        """Return True if the boxes overlap by more than ``depth`` [m] (separating axis theorem)."""
        edges = np.cross(self.turn.T[:, None], other.turn.T[None]).reshape(-1, 3)
        lengths = np.linalg.norm(edges, axis=1)
        own = edges[lengths > PARALLEL] / lengths[lengths > PARALLEL, None]
        axes = np.concatenate([self.turn.T, other.turn.T, own])
        reach = np.abs(axes @ self.turn) @ self.half + np.abs(axes @ other.turn) @ other.half
        return bool((np.abs(axes @ (other.centre - self.centre)) <= reach - depth).all())

    def meets_ball(self, centre: ArrayLike, radius: float) -> bool:
        """Return True if the box and a ball have a point in common."""
        beyond = np.abs(self.turn.T @ (np.asarray(centre) - self.centre)) - self.half
        return float(np.linalg.norm(np.maximum(beyond, 0.0))) <= radius


def block(
    shape: Any, position: ArrayLike = (0.0, 0.0, 0.0), orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
) -> Block:
    """Return the box about a shape at a pose, along the axes of the shape's frame."""
    if shape.kind in ("polyhedron", "mesh", "heightfield", "segments"):
        points = np.asarray(
            shape.ends if shape.kind == "segments" else shape.corners, float
        ).reshape(-1, 3)
        margin = shape.radius if shape.kind == "segments" else 0.0
        low = points.min(axis=0) - margin
        high = points.max(axis=0) + margin
    else:
        round_ = shape.kind != "box"
        size = (
            (shape.x, shape.y, shape.z)
            if not round_
            else (2.0 * shape.radius,) * 2
            + (shape.length if shape.kind == "cylinder" else 2.0 * shape.radius,)
        )
        low = -0.5 * np.array(size)
        high = 0.5 * np.array(size)
    return Block(0.5 * (low + high), np.eye(3), 0.5 * (high - low)).move(position, orientation)


def half_height(body: Body) -> float:
    """Return the height [m] of a level body's centre above its underside; 0 without a shape."""
    if isinstance(body.shape, Box):
        return 0.5 * body.shape.z
    if isinstance(body.shape, Sphere):
        return body.shape.radius
    if isinstance(body.shape, Polyhedron):
        return -min(z for _, _, z in body.shape.corners)
    return 0.5 * body.shape.length if isinstance(body.shape, Cylinder) else 0.0


def extents(scene: Scene) -> dict[str, tuple[Block, ...]]:
    """Return boxes about each body's shape and visuals, in its frame.

    A body without either is a point.
    """
    made = {}
    for body in scene.bodies:
        own = [block(body.shape)] if body.shape is not None else []
        own += [
            block(v.shape, v.position, v.orientation) for v in scene.drawn if v.body == body.name
        ]
        made[body.name] = tuple(own) or (Block(np.zeros(3), np.eye(3), np.zeros(3)),)
    return made
