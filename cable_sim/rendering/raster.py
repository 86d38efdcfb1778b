"""Rasterisation of triangles: the visible one in every pixel.

A triangle covers the pixels whose middles are inside of it. Row by row that is one span, whose ends
are where the row's middle line crosses the edges: the edge from the highest to the lowest corner,
and one of the two others. All spans of all triangles are made at once, then all of their pixels. In
the picture of a plane 1/depth is linear, so each span takes it from the triangle's own plane, and
in each pixel the largest one wins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


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
    pixel, depth, span, triangle = _fragments(corners[before], width, height)
    np.maximum.at(inverse, pixel, depth)
    won = np.flatnonzero(depth >= inverse[pixel])
    owner[pixel[won]] = before[triangle[span[won]]]
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


def _fragments(corners: Array, width: int, height: int) -> tuple[Indices, Array, Indices, Indices]:
    """Return the covered pixels: number of the pixel, 1/depth there, number of the span.

    The last array is the triangle of every span.
    """
    triangle, row, begin, end = _spans(corners, width, height)
    first, right, down = _planes(corners)
    low = corners[:, :, 2].min(axis=1)[triangle]
    high = corners[:, :, 2].max(axis=1)[triangle]
    count = end - begin
    left = first[triangle] + right[triangle] * (begin + 0.5) + down[triangle] * (row + 0.5)
    last = np.clip(left + right[triangle] * (count - 1), low, high)
    left = np.clip(left, low, high)  # the plane of a triangle seen along its edge is ill defined
    slope = (last - left) / np.maximum(count - 1, 1)
    span, place = _count_up(count)
    pixel = np.repeat(row * width + begin, count) + place
    return pixel, np.repeat(left, count) + np.repeat(slope, count) * place, span, triangle


def _spans(corners: Array, width: int, height: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Return the spans, row by row of each triangle: triangle, row, first pixel, end pixel.

    The end pixel is the one after the last.
    """
    order = np.argsort(corners[:, :, 1], axis=1)
    u, v = (np.take_along_axis(corners[:, :, i], order, axis=1) for i in (0, 1))
    first = np.clip(np.ceil(v[:, 0] - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.ceil(v[:, 2] - 0.5), 0, height).astype(np.int64)
    beside = (u.max(axis=1) < 0.0) | (u.min(axis=1) > width)
    triangle, place = _count_up(np.where(beside, 0, last - first))
    row = first[triangle] + place
    level = row + 0.5
    # A row has the edge from the first corner to the last, and that above or below the middle one.
    # An edge is always followed downwards, so two triangles with a common one leave no gap.
    short = 2 * triangle + (level >= v[:, 1][triangle])
    crossings = [
        u[:, 0][triangle] + (level - v[:, 0][triangle]) * _slope(u, v, 0, 2)[triangle],
        u[:, :2].ravel()[short]
        + (level - v[:, :2].ravel()[short])
        * np.stack([_slope(u, v, 0, 1), _slope(u, v, 1, 2)], axis=1).ravel()[short],
    ]
    begin, end = (
        np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64)
        for x in (np.minimum(*crossings), np.maximum(*crossings))
    )
    seen = np.flatnonzero(end > begin)
    return triangle[seen], row[seen], begin[seen], end[seen]


def _slope(u: Array, v: Array, a: int, b: int) -> Array:
    """Return du/dv along edges (n,) from corner a down to b; 0 along level ones, in no row."""
    down = v[:, b] - v[:, a]
    return np.divide(u[:, b] - u[:, a], down, out=np.zeros_like(down), where=down > 0.0)


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
