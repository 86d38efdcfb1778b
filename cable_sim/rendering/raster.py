"""Rasterisation of triangles: the visible one in every pixel.

A triangle covers the pixels whose middles are inside of it. Row by row that is one span, whose ends
are where the row's middle line crosses the edges; all spans of all triangles are made at once, then
all of their pixels. In the picture of a plane 1/depth is linear, so each pixel takes it from the
triangle's own plane, and the largest one wins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
EDGES = ((0, 1), (1, 2), (2, 0))


class Seen(NamedTuple):
    """Visible triangle of every pixel, row by row, or -1; and its 1/depth [1/m], or 0."""

    owner: Indices
    inverse: Array


def visible_triangles(corners: Array, width: int, height: int) -> Seen:
    """Return the visible triangles, from corners (n, 3, 3), each u, v [pixels] and 1/depth [1/m].

    A triangle with a corner that is not before the camera is left out.
    """
    owner = np.full(width * height, -1, dtype=np.int64)
    inverse = np.zeros(width * height)
    before = np.flatnonzero(_before(corners))
    pixel, depth, triangle = _fragments(corners[before], width, height)
    np.maximum.at(inverse, pixel, depth)
    won = depth >= inverse[pixel]
    owner[pixel[won]] = before[triangle[won]]
    return Seen(owner, inverse)


def covered_pixels(corners: Array, width: int, height: int) -> NDArray[np.bool_]:
    """Return the pixels (height, width) that triangles cover, from corners as above.

    Along each row it counts the spans that have begun and not ended.
    """
    _, row, begin, end = _spans(corners[_before(corners)], width, height)
    first = row * (width + 1)
    size = height * (width + 1)
    begun = np.bincount(first + begin, minlength=size)
    ended = np.bincount(first + end, minlength=size)
    open_spans = (begun - ended).reshape(height, width + 1).cumsum(axis=1)
    return open_spans[:, :width] > 0


def _before(corners: Array) -> NDArray[np.bool_]:
    """Return which triangles are before the camera with all corners."""
    before = np.isfinite(corners).all(axis=(1, 2)) & (corners[:, :, 2] > 0.0).all(axis=1)
    return np.asarray(before, dtype=np.bool_)


def _fragments(corners: Array, width: int, height: int) -> tuple[Indices, Array, Indices]:
    """Return the covered pixels: number of the pixel, 1/depth there, and number of the triangle."""
    triangle, row, begin, end = _spans(corners, width, height)
    count = end - begin
    span, place = _count_up(count)
    u = begin[span] + place
    triangle = triangle[span]
    row = row[span]
    first, right, down = _planes(corners)
    depth = first[triangle] + right[triangle] * (u + 0.5) + down[triangle] * (row + 0.5)
    low = corners[:, :, 2].min(axis=1)
    high = corners[:, :, 2].max(axis=1)
    return row * width + u, np.clip(depth, low[triangle], high[triangle]), triangle


def _spans(corners: Array, width: int, height: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Return the spans, row by row of each triangle: triangle, row, first pixel, end pixel.

    The end pixel is the one after the last.
    """
    v = corners[:, :, 1]
    first = np.clip(np.ceil(v.min(axis=1) - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.ceil(v.max(axis=1) - 0.5), 0, height).astype(np.int64)
    triangle, place = _count_up(last - first)
    row = first[triangle] + place
    level = row + 0.5
    left = np.full(len(row), np.inf)
    right = np.full(len(row), -np.inf)
    for a, b in EDGES:
        ua, va = corners[triangle, a, :2].T
        ub, vb = corners[triangle, b, :2].T
        crossed = (np.minimum(va, vb) <= level) & (level <= np.maximum(va, vb)) & (va != vb)
        u = ua + (level - va) / np.where(crossed, vb - va, 1.0) * (ub - ua)
        left = np.where(crossed, np.minimum(left, u), left)
        right = np.where(crossed, np.maximum(right, u), right)
    begin, end = (
        np.clip(np.ceil(np.nan_to_num(x) - 0.5), 0, width).astype(np.int64) for x in (left, right)
    )
    return triangle, row, begin, np.maximum(begin, end)


def _planes(corners: Array) -> tuple[Array, Array, Array]:
    """Return 1/depth of triangles at the upper left corner, and its slopes right and down."""
    one = corners[:, 1] - corners[:, 0]
    two = corners[:, 2] - corners[:, 0]
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=np.abs(area) > 1e-12)
    right = (one[:, 2] * two[:, 1] - two[:, 2] * one[:, 1]) * scale
    down = (two[:, 2] * one[:, 0] - one[:, 2] * two[:, 0]) * scale
    return corners[:, 0, 2] - right * corners[:, 0, 0] - down * corners[:, 0, 1], right, down


def _count_up(counts: Indices) -> tuple[Indices, Indices]:
    """Return 0, 0, 0, 1, 1, ... as often as each count says, and 0, 1, 2, 0, 1, ... beside it."""
    whose = np.repeat(np.arange(len(counts)), counts)
    return whose, np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
