"""Exact shortest ways round convex solids, by unfolding; knows nothing of the engine.

A locally shortest way between two points outside of a convex solid goes straight to an edge, from
edge to edge over faces, and straight to its end; never over a corner, where a way to one side is
always shorter. Unfolded about its edges into one plane it is a straight line, and presses on the
solid at both edges where it meets and leaves it.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Solid(NamedTuple):
    """A convex solid: corners (n, 3) [m], faces by their corners, anticlockwise from outside, and
    their planes."""

    corners: Array
    faces: list[list[int]]
    normal: Array
    offset: Array
    edges: dict[tuple[int, int], int]
    """Face on whose rim the edge runs from the one corner to the other; the reverse is on its
    neighbour's."""
    lengths: dict[tuple[int, int], float]
    """Of the edges [m]."""
    directions: dict[tuple[int, int], Array]
    """Unit vectors along the edges."""
    inward: dict[tuple[int, int], Array]
    """Unit vectors from the edges into their faces."""


class Way(NamedTuple):
    """A locally shortest way: its length [m], its nodes with both ends (n, 3), and its edges."""

    length: float
    points: Array
    edges: tuple[tuple[int, int], ...]


def solid(corners: Array, faces: list[list[int]]) -> Solid:
    """The solid with these corners and faces."""
    rims = [corners[face] for face in faces]
    normal = np.array([np.cross(rim[1] - rim[0], rim[2] - rim[1]) for rim in rims])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    offset = np.array([n @ rim[0] for n, rim in zip(normal, rims, strict=True)])
    assert (corners @ normal.T < offset + 1e-9).all()
    edges = {
        (i, j): f
        for f, face in enumerate(faces)
        for i, j in zip(face, face[1:] + face[:1], strict=True)
    }
    along = {edge: corners[edge[1]] - corners[edge[0]] for edge in edges}
    lengths = {edge: float(np.linalg.norm(u)) for edge, u in along.items()}
    directions = {edge: u / lengths[edge] for edge, u in along.items()}
    inward = {edge: np.cross(normal[f], directions[edge]) for edge, f in edges.items()}
    return Solid(corners, faces, normal, offset, edges, lengths, directions, inward)


def box(x: float, y: float, z: float) -> Solid:
    """A cuboid about the origin."""
    return prism(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) / 2.0, z)


def prism(ring: Array, length: float) -> Solid:
    """A prism along z about the origin over a polygon (n, 2), which runs anticlockwise."""
    n = len(ring)
    corners = np.concatenate(
        [np.column_stack([ring, np.full(n, z)]) for z in (-0.5 * length, 0.5 * length)]
    )
    sides = [[i, (i + 1) % n, (i + 1) % n + n, i + n] for i in range(n)]
    return solid(corners, [*sides, list(range(n))[::-1], list(range(n, 2 * n))])


def polygon(count: int, inner_radius: float) -> Array:
    """A regular polygon about a circle, its first corner on x."""
    angles = 2.0 * math.pi * np.arange(count) / count
    return (
        inner_radius / math.cos(math.pi / count) * np.column_stack([np.cos(angles), np.sin(angles)])
    )


def moved(body: Solid, turn: Array, by: Array) -> Solid:
    """The solid turned by a matrix, then shifted [m]."""
    return solid(body.corners @ turn.T + by, body.faces)


class _Reach(NamedTuple):
    """What can be reached of an edge on straight lines, unfolded: from ``lower`` to ``upper`` along
    it [m].

    ``edge`` as it runs round the face ahead; ``seen`` is the start, turned into the plane of that
    face.
    """

    edge: tuple[int, int]
    seen: Array
    lower: float
    upper: float
    before: tuple[tuple[int, int], ...]


def ways(body: Solid, a: Array, b: Array, most: float) -> list[Way]:
    """All locally shortest ways from a to b that bend and are no longer than ``most`` [m], the
    shortest first."""
    above_a, above_b = body.normal @ a > body.offset, body.normal @ b > body.offset
    open_ = [
        _Reach(edge, _turned(body, edge, a), 0.0, body.lengths[edge], ())
        for edge, ahead in body.edges.items()
        if above_a[body.edges[edge[::-1]]] and not above_a[ahead]
    ]
    found: list[Way] = []
    while open_:
        reach = open_.pop()
        edges = (*reach.before, reach.edge)
        if above_b[body.edges[reach.edge]] and not above_b[body.edges[reach.edge[::-1]]]:
            way = follow(body, edges, a, b)
            if (
                way
                and way.length <= most
                and (len(edges) > 1 or _goes_through(body, reach.edge, a, b))
            ):
                found.append(way)
        open_ += [after for after in _across(body, reach) if _nearest(body, after) <= most]
    return sorted(found, key=lambda way: way.length)


def follow(body: Solid, edges: tuple[tuple[int, int], ...], a: Array, b: Array) -> Way | None:
    """The straight line from a over these edges to b, unfolded; None where it misses one of them.

    Each edge is given as it runs round the face behind it on the way.
    """
    seen = [a]
    for edge in edges:
        seen.append(_turned(body, edge, seen[-1]))
    target, points = b, [b]
    for edge, start in zip(edges[::-1], seen[:0:-1], strict=True):
        (z_0, r_0), (z_1, r_1) = _place(body, edge, start), _place(body, edge, target)
        z = z_0 + (z_1 - z_0) * r_0 / (r_0 + r_1)
        if not 0.0 < z < body.lengths[edge]:
            return None
        target = body.corners[edge[0]] + z * body.directions[edge]
        points.append(target)
    way = np.array([*points, a])[::-1]
    length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    (z_0, r_0), (z_1, r_1) = _place(body, edges[-1], seen[-1]), _place(body, edges[-1], b)
    assert math.isclose(length, math.hypot(z_1 - z_0, r_0 + r_1), rel_tol=1e-11)
    return Way(length, way, edges)


def _place(body: Solid, edge: tuple[int, int], point: Array) -> tuple[float, float]:
    """How far along the line of an edge a point is, and how far off it [m]."""
    offset = point - body.corners[edge[0]]
    along = float(offset @ body.directions[edge])
    return along, math.sqrt(max(float(offset @ offset) - along * along, 0.0))


def _turned(body: Solid, edge: tuple[int, int], point: Array) -> Array:
    """A point turned about an edge into the plane of the face ahead, to the side away from it."""
    along, off = _place(body, edge, point)
    moved_on = along * body.directions[edge] - off * body.inward[edge]
    return np.asarray(body.corners[edge[0]] + moved_on)


def _nearest(body: Solid, reach: _Reach) -> float:
    """Length of the shortest way to what can be reached of an edge [m]."""
    along, off = _place(body, reach.edge, reach.seen)
    return math.hypot(off, max(reach.lower - along, 0.0, along - reach.upper))


def _across(body: Solid, reach: _Reach) -> Iterator[_Reach]:
    """The edges that can be reached over the face ahead."""
    face = body.faces[body.edges[reach.edge]]
    z_s, r_s = _place(body, reach.edge, reach.seen)
    for edge in zip(face, face[1:] + face[:1], strict=True):
        if edge == reach.edge:
            continue
        (z_0, r_0), (z_1, r_1) = (_place(body, reach.edge, body.corners[i]) for i in edge)
        # the line to the part x of this edge comes over the other one at (p_0 + p_1 x) / (q_0 + q_1
        # x)
        p_0 = z_s * r_0 + r_s * z_0
        p_1 = z_s * (r_1 - r_0) + r_s * (z_1 - z_0)
        q_0 = r_s + r_0
        q_1 = r_1 - r_0
        first, last = p_0 / q_0, (p_0 + p_1) / (q_0 + q_1)
        inside = [
            min(max(z, min(first, last)), max(first, last)) for z in (reach.lower, reach.upper)
        ]
        if inside[0] >= inside[1] or first == last:
            continue
        x_0, x_1 = sorted((p_0 - z * q_0) / (z * q_1 - p_1) for z in inside)
        length, back = body.lengths[edge], edge[::-1]
        yield _Reach(
            back,
            _turned(body, back, reach.seen),
            (1.0 - x_1) * length,
            (1.0 - x_0) * length,
            (*reach.before, reach.edge),
        )


def _goes_through(body: Solid, edge: tuple[int, int], a: Array, b: Array) -> bool:
    """Whether the way over an edge alone presses on it: its chord, seen along the edge, cuts both
    faces off."""
    planes = [body.edges[edge[::-1]], body.edges[edge]]
    z_a, z_b = (body.normal[planes] @ p - body.offset[planes] for p in (a, b))
    enters, leaves = z_a[0] / (z_a[0] - z_b[0]), z_a[1] / (z_a[1] - z_b[1])
    # both places are those where the line cuts the planes; they do not change when it is moved
    # along the edge
    return bool(enters < leaves)


def round_polygon(ring: Array, a: Array, b: Array, turns: float) -> Array:
    """Nodes (n, 2) of the shortest way in the plane from a to b round a convex polygon about the
    origin.

    Both run anticlockwise. Of the ways that end at b it is the one whose turns about the origin are
    nearest to ``turns``.
    """
    k, last = _tangent(ring, a, 1.0), _tangent(ring, b, -1.0)
    nodes, angle = [a], _angle(a, ring[k])
    while True:
        nodes.append(ring[k])
        if k == last and abs(angle + _angle(ring[k], b) - 2.0 * math.pi * turns) < math.pi:
            return np.array([*nodes, b])
        k = (k + 1) % len(ring)
        angle += 2.0 * math.pi / len(ring)
        assert angle < 2.0 * math.pi * (turns + 1.5), "the way does not bend"


def _angle(a: Array, b: Array) -> float:
    """From one point to another about the origin, between -pi and pi."""
    return math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b))


def _tangent(ring: Array, point: Array, sense: float) -> int:
    """Corner of a polygon where a line from a point touches it, to go round it anticlockwise (sense
    1) or back."""
    for k, corner in enumerate(ring):
        u = corner - point
        offsets = [sense * (u[0] * (q - point)[1] - u[1] * (q - point)[0]) for q in ring]
        if min(offsets) >= -1e-12:
            return k
    raise AssertionError("the point is inside")


def helix(ring: Array, a: Array, b: Array, turns: float) -> Array:
    """Nodes (n, 3) of the shortest way from a to b round a prism along z without ends,
    anticlockwise; see above.

    Seen along the prism it is the shortest way round its polygon, and it climbs evenly.
    """
    flat = round_polygon(ring, a[:2], b[:2], turns)
    run = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(flat, axis=0), axis=1))])
    return np.column_stack([flat, a[2] + (b[2] - a[2]) * run / run[-1]])
