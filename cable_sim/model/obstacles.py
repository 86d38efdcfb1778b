"""Packs what cables run over: room for contact nodes, and faces and edges of the solids, grown by the rope's radius.

A cylinder becomes the prism about it whose edges stand off by ``FACET_ERROR``. A solid grown by a distance has its
faces moved out by as much; its corners are those of the intersection of the half spaces behind them.
"""

import dataclasses
import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection

from cable_sim.model.bodies import BodyIndex
from cable_sim.model.frames import Array, rotation
from cable_sim.spec import Cable, Eye, Obstacle, Scene

FACET_ERROR = 0.002
"""How far the edges of a cylinder's prism stand off it [m]."""
LEAST_FACETS = 8
SAME_PLANE = 1e-9
"""Faces whose planes differ by less, relative to the size of the solid, are one."""


def with_room(scene: Scene) -> Scene:
    """The scene with eyes that leave room for the contact nodes of its cables, each on the node that follows."""
    return dataclasses.replace(scene, cables=tuple(map(_with_room, scene.cables))) if scene.obstacles else scene


def slots(cable: Cable) -> list[int]:
    """Room for contact nodes behind each node of a cable."""
    return [cable.contacts if cable.touches else 0] * (len(cable.nodes) - 1) + [0]


def own_nodes(cable: Cable) -> NDArray[np.int64]:
    """Where the nodes of a cable stand among those with room."""
    return np.cumsum([0, *(room + 1 for room in slots(cable)[:-1])], dtype=np.int64)


def _with_room(cable: Cable) -> Cable:
    """A cable with eyes in the room for its contact nodes."""
    nodes: list[Any] = []
    for room, near, far in zip(slots(cable), cable.nodes, (*cable.nodes[1:], None), strict=True):
        nodes.append(near)
        if far is not None:
            nodes += [Eye(far.body, far.position)] * room
    return dataclasses.replace(cable, nodes=tuple(nodes))


def corners(obstacle: Obstacle) -> Array:
    """Corners of an obstacle in the frame of its body (n, 3) [m]."""
    shape = obstacle.shape
    if shape.kind == "box":
        signs = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
        points = signs * np.array([shape.x, shape.y, shape.z])
    elif shape.kind == "cylinder":
        points = _prism(shape.radius, shape.length)
    else:
        points = np.array(shape.corners)
    return np.asarray(points @ rotation(obstacle.orientation).T + np.array(obstacle.position), dtype=float)


def _prism(radius: float, length: float) -> Array:
    """Corners of the prism about a cylinder."""
    count = max(LEAST_FACETS, math.ceil(math.pi / math.acos(1.0 / (1.0 + FACET_ERROR / radius))))
    angles = 2.0 * math.pi * np.arange(count) / count
    ring = radius / math.cos(math.pi / count) * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate([np.column_stack([ring, np.full(count, z)]) for z in (-0.5 * length, 0.5 * length)])


def planes(points: Array) -> Array:
    """Faces of the convex hull of points (f, 4): outward unit normals, and their distances from the origin."""
    equations, size = ConvexHull(points).equations * (1.0, 1.0, 1.0, -1.0), float(np.ptp(points))
    found: list[Array] = []
    for plane in equations:
        if not any(np.abs(plane - other).max() < SAME_PLANE * max(size, 1.0) for other in found):
            found.append(plane)
    return np.array(found)


def grown(points: Array, distance: float) -> tuple[Array, Array]:
    """Faces (f, 4) and corners (n, 3) of the convex hull of points with its faces moved out by a distance [m]."""
    faces = planes(points) + np.array([0.0, 0.0, 0.0, distance])
    inside = points.mean(axis=0)
    halves = np.column_stack([faces[:, :3], -faces[:, 3]])
    return faces, np.asarray(HalfspaceIntersection(halves, inside).intersections, dtype=float)


def edges(faces: Array, points: Array) -> list[tuple[Array, Array]]:
    """Both ends of the edges of a polyhedron with these faces and corners [m]."""
    size = float(np.ptp(points))
    on_face = [points[np.abs(points @ face[:3] - face[3]) < 1e-7 * max(size, 1.0)] for face in faces]
    found = []
    for i, j in combinations(range(len(faces)), 2):
        shared = on_face[i][np.abs(on_face[i] @ faces[j][:3] - faces[j][3]) < 1e-7 * max(size, 1.0)]
        if len(shared) < 2:
            continue
        along = np.cross(faces[i][:3], faces[j][:3])
        places = shared @ along
        start, end = shared[places.argmin()], shared[places.argmax()]
        if np.linalg.norm(end - start) > 1e-7 * size:
            found.append((start, end))
    return found


def pack_touches(scene: Scene, index: BodyIndex, bodies_on: list[list[int]]) -> dict[str, Any]:
    """Model arrays of the solids that cables may touch. ``bodies_on`` are the bodies in each cable's rows, in order."""
    known = {obstacle.name: obstacle for obstacle in scene.obstacles}
    pairs = [(c, known[name]) for c, cable in enumerate(scene.cables) for name in cable.touches]
    solids = [grown(corners(obstacle), 0.5 * float(scene.cables[c].diameter)) for c, obstacle in pairs]
    lines = [edges(*solid) for solid in solids]
    bodies = [index.obstacle[obstacle.name] for _, obstacle in pairs]
    middles = [points.mean(axis=0) for _, points in solids]
    flat = [edge for found in lines for edge in found]
    ends = np.array(flat).reshape(-1, 2, 3)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    count = [sum(1 for owner, _ in pairs if owner == c) for c in range(len(scene.cables))]
    return {
        "cable_shortest": np.array([cable.elevation.shortest if cable.elevation else 0.0 for cable in scene.cables]),
        "cable_touch_start": np.cumsum([0, *count]),
        "touch_body": np.array(bodies, dtype=np.int64),
        "touch_slot": np.array(
            [bodies_on[c].index(body) if body else -1 for (c, _), body in zip(pairs, bodies, strict=True)], np.int64
        ),
        "touch_centre": np.array(middles).reshape(-1, 3),
        "touch_radius": np.array([_radius(points) for _, points in solids]),
        "touch_face_start": np.cumsum([0, *(len(faces) for faces, _ in solids)]),
        "face_normal": np.array([face[:3] for faces, _ in solids for face in faces]).reshape(-1, 3),
        "face_offset": np.array([face[3] for faces, _ in solids for face in faces]),
        "touch_edge_start": np.cumsum([0, *map(len, lines)]),
        "edge_point": ends[:, 0],
        "edge_direction": (ends[:, 1] - ends[:, 0]) / lengths[:, None],
        "edge_length": lengths,
    }  # fmt: skip


def _radius(points: Array) -> float:
    """Of a sphere about the mean of points that holds them [m]."""
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())
