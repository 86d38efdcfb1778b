"""Side views of a scene: bodies as outlines, cables as lines, seen along y."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim import Scene
from cable_sim.sim.observation import Observation

Array = NDArray[np.float64]


def draw_scene(axes: Any, scene: Scene, seen: Observation, alpha: float = 1.0) -> None:
    """Draw bodies and cables as observed; ``alpha`` below 1 for what has been."""
    for body in scene.bodies:
        if body.shape is None:
            continue
        view = seen.body(body.name)
        corners = view.position + _corners(body.shape) @ _rotation(view.orientation).T
        axes.fill(*_hull(corners[:, [0, 2]]).T, facecolor="#c9d3de", edgecolor="#3b4754", linewidth=0.9, alpha=alpha)
    for cable in scene.cables:
        nodes = seen.cable(cable.name).node_position
        axes.plot(nodes[:, 0], nodes[:, 2], color="#d9682b", linewidth=1.0, alpha=alpha)


def _corners(shape: Any) -> Array:
    """Corners of a box, or of the box about a cylinder [m], in the body frame."""
    size = (shape.x, shape.y, shape.z) if shape.kind == "box" else (2 * shape.radius, 2 * shape.radius, shape.length)
    return 0.5 * np.array(size) * np.array(list(product((-1.0, 1.0), repeat=3)))


def _rotation(quaternion: Array) -> Array:
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def _hull(points: Array) -> Array:
    """Corners of the convex hull, anticlockwise."""
    from scipy.spatial import ConvexHull

    return points[ConvexHull(points).vertices]
