"""Heightfields as convex parts: prisms under flat pieces of the surface.

A cell of the grid is two triangles. Cells in one plane are joined to rectangles, so that a flat
ground is one part. A part goes down to one depth. Its top is an outer face; its sides and its
bottom are inner ones (``parts.py``), so that whatever gets in comes out on top; but at the border
of the field the sides are outer ones.

Tops are moved out by the radius of a rope. Where two of slopes a and b meet, they then meet at
heights that differ by r (1 / cos a - 1 / cos b), and the higher one counts. Edges where the surface
goes up behind are left out: no cable bends there.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.model.basis.frames import Array
from cable_sim.model.shapes.grown import Grown
from cable_sim.spec import Heightfield

FLAT = 1e-9
"""Distance from a plane over the size of the field within which points are in it [-]."""
OVERLAP = 1e-6
"""Distance over the size of the field by which inner faces are grown [-]."""
BESIDE = 1e-3
"""Distance behind an edge over the width of a cell at which the surface is looked at [-]."""
TILE = 4
"""Cells along each side of the tiles in which parts stand behind one another."""


class _Piece(NamedTuple):
    """Flat piece of the surface: its corners (n, 3) anticlockwise from above, and (n,) True for
    sides at the border of the field."""

    corners: Array
    border: NDArray[np.bool_]


def count_parts(shape: Heightfield, time: int) -> int:
    """Return the number of convex parts of a heightfield, whose file was changed at a time."""
    return len(_pieces(shape, time))


@functools.lru_cache(maxsize=4)
def grow_heightfield(shape: Heightfield, distance: float, time: int) -> list[Grown]:
    """Return the parts of a heightfield, moved out by a distance [m], in its frame.

    ``time`` is that of the last change of its file.
    """
    points = shape.points
    bottom = float(points[..., 2].min()) - shape.depth
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max())
    return [
        _grow(piece, points, bottom, distance, OVERLAP * size) for piece in _pieces(shape, time)
    ]


@functools.lru_cache(maxsize=4)
def _pieces(shape: Heightfield, _time: int) -> list[_Piece]:
    """Return the flat pieces of the surface, tile by tile, for a file as it was changed last."""
    points = shape.points
    near = FLAT * float(np.ptp(points.reshape(-1, 3), axis=0).max())
    rows, columns = points.shape[0] - 1, points.shape[1] - 1
    taken = np.zeros((rows, columns), dtype=bool)
    found: list[tuple[tuple[int, int], _Piece]] = []
    for i in range(rows):
        for j in range(columns):
            if taken[i, j]:
                continue
            last = _flat_rectangle(points, taken, i, j, near)
            loops = (
                [[(i, j), (i, j + 1), (i + 1, j + 1)], [(i, j), (i + 1, j + 1), (i + 1, j)]]
                if last is None
                else [[(i, j), (i, last[1]), last, (last[0], j)]]
            )
            end = last or (i + 1, j + 1)
            taken[i : end[0], j : end[1]] = True
            for loop in loops:
                found.append(((i // TILE, j // TILE), _piece(points, loop)))
    return [piece for _, piece in sorted(found, key=lambda one: one[0])]


def _piece(points: Array, loop: list[tuple[int, int]]) -> _Piece:
    """Return the piece of the surface in a loop of grid points."""
    ends = (points.shape[0] - 1, points.shape[1] - 1)
    border = [
        any(a[k] == b[k] and a[k] in (0, ends[k]) for k in (0, 1))
        for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)
    ]
    return _Piece(np.array([points[at] for at in loop]), np.array(border))


def _flat_rectangle(
    points: Array, taken: NDArray[np.bool_], i: int, j: int, near: float
) -> tuple[int, int] | None:
    """Return the last grid point of the largest flat rectangle of free cells from cell (i, j) on.

    It grows along x, then along y. None if the cell itself is not flat.
    """
    origin = points[i, j]
    along = points[i, j + 1] - origin
    up = points[i + 1, j] - origin
    normal = np.cross(along, up)
    off = np.abs((points - origin) @ normal) / np.linalg.norm(normal) < near
    rows, columns = taken.shape
    if not off[i + 1, j + 1]:
        return None
    right = j + 1
    while right < columns and not taken[i, right] and off[i : i + 2, right + 1].all():
        right += 1
    top = i + 1
    while top < rows and not taken[top, j:right].any() and off[top + 1, j : right + 1].all():
        top += 1
    return top, right


def _grow(piece: _Piece, points: Array, bottom: float, distance: float, overlap: float) -> Grown:
    """Return the part under a piece, moved out by ``distance``, its inner faces by ``overlap``."""
    rim = piece.corners
    count = len(rim)
    top = np.cross(rim[1] - rim[0], rim[2] - rim[0])
    top /= np.linalg.norm(top)
    sides = np.cross(np.roll(rim, -1, axis=0) - rim, (0.0, 0.0, 1.0))
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    out = (sides * rim).sum(axis=1) + np.where(piece.border, distance, overlap)
    level = float(top @ rim[0]) + distance
    flat = np.array([_meet(sides[k - 1], out[k - 1], sides[k], out[k]) for k in range(count)])
    heights = (level - flat @ top[:2]) / top[2]
    upper = np.column_stack([flat, heights])
    lower = np.column_stack([flat, np.full(count, bottom - overlap)])
    faces = np.concatenate(
        [[(*top, level), (0.0, 0.0, -1.0, overlap - bottom)], np.column_stack([sides, out])]
    )
    edges = [
        (upper[k], upper[(k + 1) % count])
        for k in range(count)
        if piece.border[k] or not _goes_up(rim[k], rim[(k + 1) % count], sides[k], top, points)
    ]
    edges += [(lower[k], upper[k]) for k in range(count) if piece.border[k - 1] and piece.border[k]]
    inner = np.concatenate([[False, True], ~piece.border])
    return Grown(faces, np.concatenate([upper, lower]), edges, inner)


def _meet(first: Array, one: float, second: Array, other: float) -> Array:
    """Return the point (2,) where two vertical planes meet [m]."""
    return np.array([one * second[1] - other * first[1], other * first[0] - one * second[0]]) / (
        first[0] * second[1] - first[1] * second[0]
    )


def _goes_up(start: Array, end: Array, side: Array, top: Array, points: Array) -> bool:
    """Return True if the surface goes up behind all of an edge of a piece."""
    steps = np.array([points[0, 1, 0] - points[0, 0, 0], points[1, 0, 1] - points[0, 0, 1]])
    beside = BESIDE * float(steps.min())
    count = max(1, int(np.ceil((np.abs(end - start)[:2] / steps).max() - 1e-6)))
    places = (np.arange(count) + 0.5) / count
    behind = start + places[:, None] * (end - start) + beside * side
    heights = _heights(behind[:, :2], points, steps)
    own = (float(top @ start) - behind[:, :2] @ top[:2]) / top[2]
    return bool((heights - own > 1e-3 * beside).all())


def _heights(places: Array, points: Array, steps: Array) -> Array:
    """Return the heights of the surface at some places (n, 2) [m]."""
    rows, columns = points.shape[:2]
    at = (places - points[0, 0, :2]) / steps
    j = np.clip(np.floor(at[:, 0]).astype(int), 0, columns - 2)
    i = np.clip(np.floor(at[:, 1]).astype(int), 0, rows - 2)
    u = at[:, 0] - j
    v = at[:, 1] - i
    z = points[..., 2]
    base, far = z[i, j], z[i + 1, j + 1]
    right, left = z[i, j + 1], z[i + 1, j]
    return np.where(
        u >= v,
        base + u * (right - base) + v * (far - right),
        base + v * (left - base) + u * (far - left),
    )
