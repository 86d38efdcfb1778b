"""Parts for drawing cranes: bars, boxes, wheels, and their colours.

For display only; nothing here has mass.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from cable_sim.spec import Box, Cylinder, Segments, Visual
from cable_sim.spec.quantities import Vector

YELLOW: Vector = (0.96, 0.72, 0.08)
STEEL: Vector = (0.36, 0.38, 0.41)
DARK: Vector = (0.15, 0.16, 0.18)
CONCRETE: Vector = (0.63, 0.63, 0.61)
WHITE: Vector = (0.92, 0.93, 0.94)
GLASS: Vector = (0.13, 0.22, 0.30)

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


def wheel(
    name: str,
    body: str,
    radius: float,
    width: float,
    at: Vector,
    color: Vector = STEEL,
    facing: tuple[float, float, float, float] = LYING,
) -> Visual:
    """A wheel [m]; its axle is along y, or where ``facing`` turns it."""
    return Visual(name, Cylinder(radius, width), body, at, facing, color)


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


def box_edges(size: Vector, middle: Vector = (0.0, 0.0, 0.0)) -> list[Bar]:
    """The twelve edges of a block of edge lengths ``size`` [m]."""
    a, b, c = (0.5 * side for side in size)
    x, y, z = middle
    signs = (1.0, -1.0)
    edges: list[Bar] = [
        ((x + a * s, y + b * t, z - c), (x + a * s, y + b * t, z + c)) for s in signs for t in signs
    ]
    edges += [
        ((x + a * s, y - b, z + c * t), (x + a * s, y + b, z + c * t)) for s in signs for t in signs
    ]
    edges += [
        ((x - a, y + b * s, z + c * t), (x + a, y + b * s, z + c * t)) for s in signs for t in signs
    ]
    return edges
