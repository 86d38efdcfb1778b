"""Gauss's linking number of wires, with the twist that their crossings keep."""

import math

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator
from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.cables.crossing.crossing_rows import TURNS
from cable_sim.kernels.cables.crossing.span_search import APART, ASIDE

Points = NDArray[np.float64]


def triangle(a: Points, b: Points, c: Points) -> Points:
    """Return the solid angles of triangles that are seen from the origin [sr]."""
    x, y, z = (np.linalg.norm(corner, axis=-1) for corner in (a, b, c))
    volume = np.einsum("...i,...i", a, np.cross(b, c))
    rest = x * y * z + sum(
        np.einsum("...i,...i", one, other) * size
        for one, other, size in ((a, b, z), (b, c, x), (c, a, y))
    )
    return np.asarray(2.0 * np.arctan2(volume, rest))


def linking_number(p: Points, q: Points) -> float:
    """Return Gauss's linking number of two closed polygons."""
    a, b = p[:, None], np.roll(p, -1, axis=0)[:, None]
    c, d = q[None], np.roll(q, -1, axis=0)[None]
    solid = triangle(c - a, d - a, d - b) + triangle(c - a, d - b, c - b)
    return float(solid.sum()) / (4.0 * math.pi)


def pairs(simulator: Simulator) -> list[tuple[int, int]]:
    """Return the two nodes of each crossing."""
    nodes = simulator._state.nodes
    crossed = np.flatnonzero(nodes.contact_solid == CROSSED)
    return [
        (int(a), int(b))
        for a in crossed
        for b in crossed
        if a < b and nodes.body[a] == nodes.body[b]
    ]


def points_apart(simulator: Simulator) -> Points:
    """Return the nodes [m]; at crossings they are a little apart, each on its side.

    Wires behind the first one stand aside of it, as kernels have it.
    """
    line = simulator._state.nodes.line
    points = simulator._work.nodes.position.copy()
    points[simulator._running.model.cables.node_start[1] :] += ASIDE
    common = simulator._state.nodes.point
    for a, b in pairs(simulator):
        points[[a, b]] = common[[a, b]]
        points[a] += APART * line[a, :3]
        points[b] -= APART * line[a, :3]
    return points


def turns(simulator: Simulator, first: range, second: range) -> float:
    """Return the linking number that the crossings of two parts of wires keep as their twist."""
    line = simulator._state.nodes.line
    return -sum(line[a, TURNS] for a, b in pairs(simulator) if a in first and b in second)


def closed(part: Points, height: float) -> Points:
    """Return a line that is closed by one far below or above it [m]."""
    far = part[[-1, 0]].copy()
    far[:, 2] = height
    return np.vstack([part, far])
