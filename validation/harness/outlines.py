"""Outlines of shapes seen along y, for side views of scenes."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def corners(shape: Any) -> Array:
    """Return the corners (n, 3) of a shape, or of its bounding box [m], in its frame."""
    if shape.kind == "polyhedron":
        return np.array(shape.corners)
    if shape.kind == "box":
        size = (shape.x, shape.y, shape.z)
    else:
        size = (2.0 * shape.radius,) * 2 + (
            shape.length if shape.kind == "cylinder" else 2.0 * shape.radius,
        )
    return np.asarray(
        0.5 * np.array(size) * np.array(list(product((-1.0, 1.0), repeat=3))), dtype=float
    )


def rotation(quaternion: Array) -> Array:
    """Return the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross, dtype=float)


def outline(points: Array) -> Array:
    """Return the convex hull of points (n, 3) seen along y.

    Its corners (m, 2) in x and z are anticlockwise.
    """
    from scipy.spatial import ConvexHull  # takes long to load, and most studies draw no scene

    flat = points[:, [0, 2]]
    return np.asarray(flat[ConvexHull(flat).vertices], dtype=float)
