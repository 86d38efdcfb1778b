"""Parts for drawing cranes: bars, boxes, and their colours.

For display only; nothing here has mass.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from cable_sim.spec import Box, Segments, Visual
from cable_sim.spec.quantities import Vector

YELLOW: Vector = (0.96, 0.72, 0.08)
STEEL: Vector = (0.36, 0.38, 0.41)
DARK: Vector = (0.15, 0.16, 0.18)
CONCRETE: Vector = (0.63, 0.63, 0.61)
WHITE: Vector = (0.92, 0.93, 0.94)
GLASS: Vector = (0.13, 0.22, 0.30)

SQUARE = ((1, 1), (-1, 1), (-1, -1), (1, -1))
"""Corners of a square, anticlockwise."""
Bar = tuple[Vector, Vector]
"""Both ends of a bar [m]."""
LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Rotation of a cylinder's axis from z to y."""
FACING = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Rotation of a cylinder's axis from z to x."""


def bars(
    name: str, body: str, ends: Sequence[Bar], radius: float, color: Vector = YELLOW
) -> Visual:
    """Bars of one thickness [m] and colour."""
    return Visual(name, Segments(tuple(ends), radius), body, color=color)


def box(name: str, body: str, size: Vector, at: Vector, color: Vector) -> Visual:
    """A block of edge lengths ``size`` [m] whose middle is ``at`` [m]."""
    return Visual(name, Box(*size), body, at, color=color)


def triangle_lattice(
    start: float,
    end: float,
    half_width: float,
    base: float,
    depths: tuple[float, float],
    panel: float = 2.0,
) -> tuple[list[Bar], list[Bar]]:
    """Chords and web of a jib along x: two chords below, one above, zigzag on the sides,
    cross-braced below.

    ``depths`` are the heights of the top chord above the bottom ones at the start and at the end
    [m].
    """
    stations = np.linspace(start, end, max(2, round((end - start) / panel) + 1)).tolist()
    tops = [
        (0.5 * (a + b), 0.0, base + float(np.interp(0.5 * (a + b), (start, end), depths)))
        for a, b in pairwise(stations)
    ]
    left = [(x, half_width, base) for x in stations]
    right = [(x, -half_width, base) for x in stations]
    chords = [(left[0], left[-1]), (right[0], right[-1]), (tops[0], tops[-1])]
    web: list[Bar] = list(zip(left, right, strict=True))
    for i, top in enumerate(tops):
        web += [(left[i], top), (top, left[i + 1]), (right[i], top), (top, right[i + 1])]
        web.append((left[i], right[i + 1]) if i % 2 else (right[i], left[i + 1]))
    return chords, web


def square_lattice(
    start: ArrayLike,
    end: ArrayLike,
    side: float,
    taper: float = 0.0,
    cut: tuple[float, float] = (0.0, 1.0),
) -> tuple[list[Bar], list[Bar]]:
    """Return chords and web of a square mast or boom between the ends (3,) of its middle line.

    It has about square panels, with one diagonal per face. ``side`` is its width, and ``taper`` the
    length over which it grows from a fifth of that at either end [m]. ``cut`` is the piece that is
    drawn, as shares of the length.
    """
    first, last = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(last - first))
    along = (last - first) / length
    across = np.cross((0.0, 1.0, 0.0) if abs(along[1]) < 0.9 else (1.0, 0.0, 0.0), along)
    across /= np.linalg.norm(across)
    corners = [a * across + b * np.cross(along, across) for a, b in SQUARE]
    rings = []
    panels = max(2, round((cut[1] - cut[0]) * length / side))
    for share in np.linspace(*cut, panels + 1).tolist():
        way = min(share, 1.0 - share) * length
        half = 0.5 * side * (min(1.0, max(0.2, way / taper)) if taper else 1.0)
        middle = first + share * (last - first)
        rings.append([tuple((middle + half * corner).tolist()) for corner in corners])
    bends = rings if taper else (rings[0], rings[-1])
    chords = [(low[i], high[i]) for low, high in pairwise(bends) for i in range(4)]
    web: list[Bar] = [(ring[i], ring[i - 1]) for ring in rings for i in range(4)]
    for k, (low, high) in enumerate(pairwise(rings)):
        for i in range(4):
            j = (i + 1) % 4
            web.append((low[i], high[j]) if (k + i) % 2 else (low[j], high[i]))
    return chords, web


def hook_bars(bowl: float, shank: float, size: float = 0.14) -> list[Bar]:
    """A single hook: shank, then an open arc of a radius ``size`` through the bowl [m]."""
    angles = np.radians(np.arange(90.0, -211.0, -30.0))
    arc = [(size * math.cos(a), 0.0, bowl + size + size * math.sin(a)) for a in angles.tolist()]
    return list(pairwise([(0.0, 0.0, shank), *arc]))


def crate(size: Vector) -> Iterator[Visual]:
    """Edges of a load of that size [m], and the lugs that the slings hold on to."""
    a, b, c = (0.5 * side for side in size)
    yield bars("load_edges", "load", box_edges(size), 0.03, DARK)
    corners = ((a, b), (-a, b), (-a, -b), (a, -b))
    for i, (x, y) in enumerate(corners, start=1):
        yield box(f"sling_lug_{i}", "load", (0.12, 0.12, 0.12), (x, y, c), STEEL)


def box_edges(size: Vector) -> list[Bar]:
    """The twelve edges of a block of edge lengths ``size`` [m]."""
    a, b, c = (0.5 * side for side in size)
    signs = (1.0, -1.0)
    edges: list[Bar] = [((a * s, b * t, -c), (a * s, b * t, c)) for s in signs for t in signs]
    edges += [((a * s, -b, c * t), (a * s, b, c * t)) for s in signs for t in signs]
    edges += [((-a, b * s, c * t), (a, b * s, c * t)) for s in signs for t in signs]
    return edges
