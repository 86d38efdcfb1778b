"""Solids of any shape as convex parts, which cables and bodies meet one by one.

*Inner faces.* Where parts lie side by side, a face of one is covered by others. No cable may rest
on it, and nothing leaves a part through it: the depth of a point in a part is that below its outer
faces (``kernels/cables/contact/polyhedron.py``). Outer faces are grown by the radius of a rope,
inner ones by ``OVERLAP`` alone: so the grown faces of two parts that meet on a ridge meet on the
grown ridge, and there is no slit between parts. A face that is covered in part is an outer one, and
grown; what of it comes out of the cover's surface beyond a convex ridge stands off by up to the
radius more.

*Edges.* What of an edge is inside of another part, both as they are grown, is left out, and so are
edges between two inner faces, and seams where the surface goes up behind: next to the edge, on the
other side of its inner face, is a point in another part. What is left is where a cable may bend:
outer edges, ridges and seams on a flat surface. Over one of these a cable runs straight, so that
its node goes again.
"""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.model.basis.frames import Array
from cable_sim.model.shapes.decomposition import convex_parts
from cable_sim.model.shapes.grown import Grown
from cable_sim.model.shapes.heightfields import count_parts, grow_heightfield
from cable_sim.model.shapes.hulls import cut_corners, edges, planes
from cable_sim.spec import Heightfield, Mesh, Obstacle, Scene
from cable_sim.spec.quantities import copy_unchecked

BETWEEN = "/"
"""Character between the name of an obstacle and the number of its part."""
BESIDE = 1e-3
"""Distance over the size of the solid at which a face is looked at for a cover [-]."""
SLACK = 2e-4
"""Gap between parts over the size of the solid that counts as closed [-]."""
OVERLAP = 1e-6
"""Distance over the size of the solid by which inner faces are grown [-]."""
HIDDEN = 1e-5
"""Depth in another part over the size of the solid from which on an edge is left out [-]."""


class Part(NamedTuple):
    """Number of a part of a solid, in place of the shape of an obstacle."""

    whole: Mesh | Heightfield
    number: int

    @property
    def kind(self) -> str:
        """Kind of shape."""
        return "part"


class _Convex(NamedTuple):
    """Part of a solid: corners (n, 3), faces (f, 4) and (f,) True for inner ones, and the size of
    the whole [m]."""

    corners: Array
    faces: Array
    inner: NDArray[np.bool_]
    size: float


def divide_obstacles(scene: Scene) -> Scene:
    """Return the scene with the convex parts of its obstacles in their place.

    A part has the name of its obstacle and, behind ``BETWEEN``, its number.
    """
    parts: dict[str, list[Obstacle]] = {}
    for obstacle in scene.obstacles:
        parts[obstacle.name] = [obstacle]
        if isinstance(obstacle.shape, Mesh | Heightfield):
            parts[obstacle.name] = [
                copy_unchecked(
                    obstacle, name=f"{obstacle.name}{BETWEEN}{i}", shape=Part(obstacle.shape, i)
                )
                for i in range(_count_parts(obstacle.shape))
            ]
    if not any(isinstance(o.shape, Mesh | Heightfield) for o in scene.obstacles):
        return scene
    cables = tuple(
        copy_unchecked(
            cable, touches=tuple(part.name for name in cable.touches for part in parts[name])
        )
        for cable in scene.cables
    )
    obstacles = tuple(part for found in parts.values() for part in found)
    return copy_unchecked(scene, obstacles=obstacles, cables=cables)


def whole_name(name: str) -> str:
    """Return the name of the obstacle that a part belongs to."""
    return name.partition(BETWEEN)[0]


def grow_part(part: Part, distance: float) -> Grown:
    """Return a part of a solid in the solid's frame, moved out by a distance [m]."""
    if isinstance(part.whole, Heightfield):
        return grow_heightfield(part.whole, distance, _changed(part.whole))[part.number]
    return _grow_parts(part.whole, distance, _changed(part.whole))[part.number]


def _count_parts(shape: Mesh | Heightfield) -> int:
    """Return the number of parts of a solid."""
    if isinstance(shape, Heightfield):
        return count_parts(shape, _changed(shape))
    return len(_parts_of(shape))


def _changed(shape: Mesh | Heightfield) -> int:
    """Return the time of the last change of a solid's file [ns], 0 without one."""
    return Path(shape.file).stat().st_mtime_ns if shape.file else 0


def _parts_of(shape: Mesh) -> list[_Convex]:
    """Return the parts of a solid that have a part in its surface."""
    return _find_parts(shape, _changed(shape))


@functools.lru_cache(maxsize=8)
def _find_parts(shape: Mesh, _time: int) -> list[_Convex]:
    """Do :func:`_parts_of` for a file as it was changed last."""
    parts = convex_parts(shape.corners, shape.triangles(), shape.concavity)
    size = float(np.ptp(np.concatenate(parts), axis=0).max())
    faces = [planes(part) for part in parts]
    found = [
        _Convex(part, faces[i], _inner_faces(i, parts, faces, size), size)
        for i, part in enumerate(parts)
    ]
    return [part for part in found if not part.inner.all()]


@functools.lru_cache(maxsize=8)
def _grow_parts(shape: Mesh, distance: float, _time: int) -> list[Grown]:
    """Return all parts of a solid, moved out by a distance [m]."""
    parts = _parts_of(shape)
    grown = [
        part.faces
        + np.where(part.inner, OVERLAP * part.size, distance)[:, None] * (0.0, 0.0, 0.0, 1.0)
        for part in parts
    ]
    made = []
    for i, part in enumerate(parts):
        corners = cut_corners(grown[i], part.corners.mean(axis=0))
        others = [face for j, face in enumerate(grown) if j != i]
        found = [
            piece
            for edge, pair in edges(grown[i], corners)
            if not _goes_up(edge, part.faces[list(pair)], part.inner[list(pair)], others, part.size)
            for piece in _outer_pieces(edge, others, HIDDEN * part.size)
        ]
        made.append(Grown(grown[i], corners, found, part.inner))
    return made


def _inner_faces(i: int, parts: list[Array], faces: list[Array], size: float) -> NDArray[np.bool_]:
    """Return True for the faces of part i that other parts cover (f,)."""
    covered = np.zeros(len(faces[i]), dtype=bool)
    for f, face in enumerate(faces[i]):
        rim = parts[i][np.abs(parts[i] @ face[:3] - face[3]) < 1e-6 * size]
        middle = rim.mean(axis=0)
        points = np.concatenate([rim, 0.5 * (rim[:, None] + rim[None]).reshape(-1, 3)])
        points = middle + (1.0 - 10.0 * BESIDE) * (points - middle) + BESIDE * size * face[:3]
        found = np.zeros(len(points), dtype=bool)
        for j, other in enumerate(faces):
            if j != i:
                found |= (points @ other[:, :3].T - other[:, 3] < SLACK * size).all(axis=1)
        covered[f] = found.all()
    return covered


def _goes_up(
    edge: tuple[Array, Array],
    faces: Array,
    inner: NDArray[np.bool_],
    others: list[Array],
    size: float,
) -> bool:
    """Return True for an edge between inner faces, and at a seam where the surface goes up."""
    if inner.all() or not inner.any():
        return bool(inner.all())
    up = faces[~inner][0, :3]
    along = edge[1] - edge[0]
    beyond = np.cross(along, up)
    beyond *= np.sign(beyond @ faces[inner][0, :3]) / np.linalg.norm(beyond)
    point = 0.5 * (edge[0] + edge[1]) + BESIDE * size * beyond
    return any(
        (other[:, :3] @ point - other[:, 3]).max() < -0.1 * BESIDE * size for other in others
    )


def _outer_pieces(
    edge: tuple[Array, Array], others: list[Array], deep: float
) -> list[tuple[Array, Array]]:
    """Return the pieces of an edge that are no deeper than ``deep`` in other solids [m]."""
    start, end = edge
    pieces = [(0.0, 1.0)]
    for faces in others:
        first = faces[:, :3] @ start - faces[:, 3] + deep
        last = faces[:, :3] @ end - faces[:, 3] + deep
        if ((first >= 0.0) & (last >= 0.0)).any():
            continue
        x = first / np.where(first == last, 1.0, first - last)
        enters = float(x[first > 0.0].max(initial=0.0))
        leaves = float(x[last > 0.0].min(initial=1.0))
        if enters < leaves:
            pieces = [
                piece
                for a, b in pieces
                for piece in ((a, min(b, enters)), (max(a, leaves), b))
                if piece[0] < piece[1]
            ]
    along = end - start
    shortest = 2.0 * deep / float(np.linalg.norm(along))
    return [(start + a * along, start + b * along) for a, b in pieces if b - a > shortest]
