"""Side views of a scene with hybrid wires, seen along y: masses black, contact nodes yellow, as in the paper."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim import Scene
from cable_sim.sim.observation import Observation

Array = NDArray[np.float64]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def draw_scene(axes: Any, scene: Scene, seen: Observation) -> None:
    """Draw bodies, obstacles and what else there is to see, and wires as observed."""
    at = {body.name: (seen.body(body.name).position, seen.body(body.name).orientation) for body in scene.bodies}
    solids = [(body.name, body.shape, (0.0, 0.0, 0.0), UPRIGHT) for body in scene.bodies if body.shape]
    solids += [(part.body, part.shape, part.position, part.orientation) for part in scene.drawn]
    for body, shape, position, orientation in solids:
        place, turn = at.get(body, (np.zeros(3), np.array(UPRIGHT)))
        points = place + (_corners(shape) @ rotation(np.array(orientation)).T + position) @ rotation(turn).T
        axes.fill(*_hull(points[:, [0, 2]]).T, facecolor="#c9d3de", edgecolor="#3b4754", linewidth=0.7, alpha=0.8)
    for cable in scene.cables:
        view = seen.cable(cable.name)
        axes.plot(view.curve[:, 0], view.curve[:, 2], color="#d9682b", linewidth=1.0)
        axes.plot(view.mass_position[:, 0], view.mass_position[:, 2], "o", color="black", markersize=2.5)
        axes.plot(view.contact_position[:, 0], view.contact_position[:, 2], "o", color="#e8c020", markersize=4.0)
    axes.grid(False)


def _corners(shape: Any) -> Array:
    """Corners of a shape, or of the box about it [m], in its frame."""
    if shape.kind == "polyhedron":
        return np.array(shape.corners)
    if shape.kind == "box":
        size = (shape.x, shape.y, shape.z)
    else:
        size = (2.0 * shape.radius,) * 2 + (shape.length if shape.kind == "cylinder" else 2.0 * shape.radius,)
    return 0.5 * np.array(size) * np.array(list(product((-1.0, 1.0), repeat=3)))


def rotation(quaternion: Array) -> Array:
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def _hull(points: Array) -> Array:
    """Corners of the convex hull, anticlockwise."""
    from scipy.spatial import ConvexHull

    return points[ConvexHull(points).vertices]
