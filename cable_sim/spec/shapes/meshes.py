"""Checks that faces make a closed convex solid; errors name the wrong face, edge or corner."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import warn

Faces = Sequence[tuple[int, ...]]
FLAT = 1e-6
"""Largest distance of corners from the plane of a face, over the size of the solid [-].

A mesh in single precision has such distances.
"""
SAME = 1e-9
"""Distance over the size of the solid [-] below which corners are the same."""


def orient_faces(corners: NDArray[np.float64], faces: Faces) -> Faces:
    """Return the faces, anticlockwise as seen from outside.

    Raises ValueError for faces that make no convex solid.

    Warns of faces that were all clockwise, which are turned round, and of corners that no face
    uses.
    """
    size = float(np.ptp(corners, axis=0).max())
    _check_corners(corners, faces, size)
    _check_edges(faces)
    planes = np.array([_plane(corners, faces, f, size) for f in range(len(faces))])
    middle = corners[sorted({i for face in faces for i in face})].mean(axis=0)
    if (
        sum(
            (planes[f, :3] @ middle - planes[f, 3]) * _area(corners[list(face)])
            for f, face in enumerate(faces)
        )
        > 0.0
    ):
        warn(
            "Polyhedron: faces: all ran clockwise as seen from outside; they have been turned "
            "round",
            2,
        )
        faces = tuple(face[::-1] for face in faces)
        planes = -planes
    _check_convex(corners, faces, planes, size)
    unused = [i for i in range(len(corners)) if not any(i in face for face in faces)]
    if unused:
        warn(
            f"Polyhedron: corners: {', '.join(map(str, unused))}: no face has them, and they are "
            "left out",
            2,
        )
    return faces


def triangles(faces: Faces) -> NDArray[np.int64]:
    """Return the corners of triangles (n, 3) that fill convex faces, in the same sense."""
    return np.array(
        [(face[0], i, j) for face in faces for i, j in zip(face[1:], face[2:], strict=False)],
        np.int64,
    )


def _check_corners(corners: NDArray[np.float64], faces: Faces, size: float) -> None:
    """Refuse unknown corners, and those that appear twice."""
    for f, face in enumerate(faces):
        for i in face:
            if i >= len(corners):
                raise ValueError(
                    f"faces.{f}: corner {i} does not exist; there are 0 to {len(corners) - 1}"
                )
            if face.count(i) > 1:
                raise ValueError(f"faces.{f}: corner {i} is used twice in {list(face)}")
    for i, j in combinations(range(len(corners)), 2):
        if np.linalg.norm(corners[i] - corners[j]) <= SAME * size:
            raise ValueError(
                f"corners.{j}: {corners[j].tolist()} is corner {i} once more; let the faces share "
                "one"
            )


def _check_edges(faces: Faces) -> None:
    """Refuse open edges, edges of more than two faces, and edges that run twice in one sense."""
    found: dict[tuple[int, int], list[tuple[int, bool]]] = defaultdict(list)
    for f, face in enumerate(faces):
        for i, j in zip(face, face[1:] + face[:1], strict=True):
            found[min(i, j), max(i, j)].append((f, i < j))
    for (i, j), sides in found.items():
        edge = f"the edge of corners {i} and {j}"
        names = ", ".join(str(f) for f, _ in sides)
        if len(sides) == 1:
            raise ValueError(
                f"faces: {edge} is open: only face {names} has it; every edge is in two faces"
            )
        if len(sides) > 2:
            raise ValueError(
                f"faces: {edge} is in {len(sides)} faces, {names}; every edge is in two"
            )
        if sides[0][1] == sides[1][1]:
            raise ValueError(
                f"faces: faces {names} run along {edge} in the same sense; turn one of them "
                "round, so that all are anticlockwise as seen from outside"
            )


def newell(rim: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal of a polygon, as long as twice its area."""
    offsets = rim - rim.mean(axis=0)
    return np.asarray(np.cross(offsets, np.roll(offsets, -1, axis=0)).sum(axis=0))


def _area(rim: NDArray[np.float64]) -> float:
    return 0.5 * float(np.linalg.norm(newell(rim)))


def _plane(corners: NDArray[np.float64], faces: Faces, f: int, size: float) -> NDArray[np.float64]:
    """Return a face's unit normal and distance from the origin (4,).

    Refuses a face without area and one that is not flat.
    """
    rim = corners[list(faces[f])]
    normal = newell(rim)
    length = float(np.linalg.norm(normal))
    if length <= SAME * size**2:
        raise ValueError(f"faces.{f}: {list(faces[f])} has no area: its corners are in one line")
    normal /= length
    offset = float(normal @ rim.mean(axis=0))
    off = rim @ normal - offset
    worst = int(np.abs(off).argmax())
    if abs(off[worst]) > FLAT * size:
        raise ValueError(
            f"faces.{f}: {list(faces[f])} is not flat: corner {faces[f][worst]} is "
            f"{abs(off[worst]):.3g} m off its "
            f"plane, and {FLAT * size:.3g} m are allowed; make triangles of it"
        )
    return np.append(normal, offset)


def _check_convex(
    corners: NDArray[np.float64], faces: Faces, planes: NDArray[np.float64], size: float
) -> None:
    """Refuse a corner outside of a face, and faces that overlap."""
    beyond = corners @ planes[:, :3].T - planes[:, 3]
    i, f = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[i, f] > FLAT * size:
        raise ValueError(
            f"faces: not convex: corner {i} is {beyond[i, f]:.3g} m outside of face {f}, "
            f"{list(faces[int(f)])}; make several convex solids of it"
        )
    from scipy.spatial import ConvexHull  # takes longer to load than all of spec

    area = sum(_area(corners[list(face)]) for face in faces)
    whole = float(ConvexHull(corners).area)
    if abs(area - whole) > 1e3 * FLAT * whole:
        raise ValueError(
            f"faces: they have an area of {area:.6g} m^2, but the surface of the solid "
            f"{whole:.6g} m^2: faces overlap"
        )
