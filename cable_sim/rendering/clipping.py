"""Triangles and bars cut at planes across the view; what is behind the camera can't be projected.

The crossing of an edge from a point a at depth d_a to a point b at depth d_b with the plane at
depth n is a + (n - d_a) / (d_b - d_a) (b - a).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def clip_triangles(corners: Array, depth: Array, near: float) -> tuple[Array, Indices]:
    """Return the parts of triangles (n, 3, 3) beyond a depth, and the index of each one's triangle.

    ``depth`` (n, 3) is that of the corners [m]. The sense of rotation of a triangle stays.
    """
    before = depth >= near
    count = before.sum(axis=1)
    whole = np.flatnonzero(count == 3)
    tips = np.flatnonzero(count == 1)
    stumps = np.flatnonzero(count == 2)
    if len(tips) + len(stumps) == 0:
        return corners[whole], whole
    a, _, _, ab, ac = _cut(corners, depth, near, tips, before[tips].argmax(axis=1))
    _, b, c, cut_b, cut_c = _cut(corners, depth, near, stumps, before[stumps].argmin(axis=1))
    parts = [
        corners[whole],
        np.stack([a, ab, ac], axis=1),
        np.stack([cut_b, b, c], axis=1),
        np.stack([cut_b, c, cut_c], axis=1),
    ]
    return np.concatenate(parts), np.concatenate([whole, tips, stumps, stumps])


def clip_bars(ends: Array, depth: Array, near: float) -> tuple[Array, Indices]:
    """Return the parts of bars (n, 2, 3) beyond a depth, and the index of each one's bar.

    ``depth`` (n, 2) is that of the ends [m].
    """
    before = depth >= near
    kept = np.flatnonzero(before.any(axis=1))
    clipped = ends[kept].copy()
    for end in (0, 1):
        cut = np.flatnonzero(~before[kept, end])
        whose = kept[cut]
        clipped[cut, end] = _crossing(
            ends[whose, end], ends[whose, 1 - end], depth[whose, end], depth[whose, 1 - end], near
        )
    return clipped, kept


def split_bars(ends: Array, depth: Array, at: Array) -> tuple[Array, Indices]:
    """Return bars (n, 2, 3) in two parts where one passes its depth, and the index of each's bar.

    ``depth`` (n, 2) is that of the ends, ``at`` (n,) where to split each [m].
    """
    split = np.flatnonzero((depth.min(axis=1) < at) & (depth.max(axis=1) > at))
    middle = _crossing(ends[split, 0], ends[split, 1], depth[split, 0], depth[split, 1], at[split])
    parts = np.concatenate([ends, ends[split]])
    parts[split, 1] = middle
    parts[len(ends) :, 0] = middle
    return parts, np.concatenate([np.arange(len(ends)), split])


def _cut(
    corners: Array, depth: Array, near: float, whose: Indices, first: Indices
) -> tuple[Array, Array, Array, Array, Array]:
    """Return corners a, b, c of triangles from ``first`` on, and the crossings on ab and ac."""
    order = (first[:, None] + np.arange(3)) % 3
    a, b, c = (corners[whose, order[:, i]] for i in range(3))
    da, db, dc = (depth[whose, order[:, i]] for i in range(3))
    return a, b, c, _crossing(a, b, da, db, near), _crossing(a, c, da, dc, near)


def _crossing(a: Array, b: Array, da: Array, db: Array, near: float | Array) -> Array:
    """Return where edges from a to b cross the plane, or each its own plane (n,)."""
    return a + ((near - da) / (db - da))[:, None] * (b - a)
