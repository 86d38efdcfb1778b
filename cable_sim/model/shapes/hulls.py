"""Convex solids: faces, corners and edges of hulls that are moved out by a distance."""

import numpy as np

from cable_sim.model.basis.frames import Array
from cable_sim.spec.shapes.meshes import Faces, newell

SAME_PLANE = 1e-9
"""Difference of planes below which two faces are one, relative to the size of the solid."""
SAME_FACE = 1e-5
SAME_CORNER = 1e-5
"""Differences below which given faces and their corners are one. In single precision they are not
quite flat."""


def planes(points: Array) -> Array:
    """Faces of the convex hull of points (f, 4): outward unit normals, and their distances from the
    origin."""
    from scipy.spatial import ConvexHull  # see cut_corners()

    return _distinct_rows(
        ConvexHull(points).equations * (1.0, 1.0, 1.0, -1.0),
        SAME_PLANE * max(float(np.ptp(points)), 1.0),
    )


def planes_of(points: Array, faces: Faces) -> Array:
    """Return the planes of given faces (f, 4); parts of one face count once."""
    normals = np.array([newell(points[list(face)]) for face in faces])
    places = np.array([points[list(face)].mean(axis=0) for face in faces])
    largest = np.argsort(-np.linalg.norm(normals, axis=1))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    found = np.column_stack([normals, (normals * places).sum(axis=1)])
    return _distinct_rows(found[largest], SAME_FACE * max(float(np.ptp(points)), 1.0))


def _distinct_rows(rows: Array, near: float) -> Array:
    """Return the rows that are not near to an earlier one."""
    found: list[Array] = []
    for row in rows:
        if not any(np.abs(row - other).max() < near for other in found):
            found.append(row)
    return np.array(found)


def grow(points: Array, distance: float, given: Faces | None = None) -> tuple[Array, Array]:
    """Return faces (f, 4) and corners (n, 3) of a convex hull moved out by a distance [m].

    The hull is that of points, or of given faces.
    """
    faces = planes(points) if given is None else planes_of(points, given)
    faces = faces + np.array([0.0, 0.0, 0.0, distance])
    found = cut_corners(faces, points.mean(axis=0))
    return faces, found if given is None else _distinct_rows(
        found, SAME_CORNER * float(np.ptp(points))
    )


def cut_corners(faces: Array, inside: Array) -> Array:
    """Return the corners (n, 3) of the solid behind some planes (f, 4), from a point inside [m]."""
    from scipy.spatial import (
        HalfspaceIntersection,  # slow to import, and most scenes have no obstacles
    )

    halves = np.column_stack([faces[:, :3], -faces[:, 3]])
    return np.asarray(HalfspaceIntersection(halves, inside).intersections, dtype=float)


def edges(
    faces: Array, points: Array, near: float = 1e-7
) -> list[tuple[tuple[Array, Array], tuple[int, int]]]:
    """Return the edges of a polyhedron with these faces and corners: both ends [m], and the faces.

    ``near`` is the distance of a corner from the plane of its face that is allowed, relative to the
    size.
    """
    size = float(np.ptp(points))
    on_face = np.abs(points @ faces[:, :3].T - faces[:, 3]) < near * max(size, 1.0)
    counts = on_face.T.astype(int) @ on_face
    found = []
    for i, j in np.argwhere(np.triu(counts, 1) > 1).tolist():
        shared = points[on_face[:, i] & on_face[:, j]]
        along = np.cross(faces[i][:3], faces[j][:3])
        places = shared @ along
        start = shared[places.argmin()]
        end = shared[places.argmax()]
        if np.linalg.norm(end - start) > near * size:
            found.append(((start, end), (i, j)))
    return found
