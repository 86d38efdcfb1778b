"""Cables as lines along their curves and tangentially around their wheels, coloured by tension.

The solver knows a wheel as a point; for the eye the rope leaves it tangentially. With the unit
direction d of a span and the wheel's axis a, the rope touches the wheel at s R d x a from its
centre, where s = 1 if the path turns anticlockwise about a and -1 otherwise. That is exact between
wheels of one size turned the same way, and off by less than R else. The arc between the two
touching points is drawn as ``ARC`` chords. Where a span sags, d is that of its curve at the wheel,
and the curve is shifted so that it ends where the rope touches.

A wheel that turns the rope by half a circle comes as two nodes of one body, its tangent points: a
sheave that says so (``half_turn``) and the node after it. The arc between them is half a circle
that goes on in the direction in which the rope arrives.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.pictures.frame import CablePicture, Frame, move_with_ends, smooth, smooth_at
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import NO_BARS, Array, Bars, Poses
from cable_sim.sim.readings.colors import DEFAULT_FULL_SCALE, color_limits, tension_colors
from cable_sim.spec import Cable, Drum, Scene, Sheave

Indices = NDArray[np.int64]
ARC = 8
"""Chords per wheel."""
ROUNDING = 3
"""Pieces between neighbouring masses of a cable made of masses."""
MOST_PIECES = 400
"""Pieces of a hybrid wire at most; one of more points is not rounded, or less."""


class Wheel(NamedTuple):
    """A node drawn as a wheel: index in its cable, radius [m], carrying body, axis in its frame.

    A ``pair`` is the first of two tangent points of one wheel.
    """

    node: int
    radius: float
    body: str
    axis: Array
    kind: Literal["sheave", "drum", "pair"]


class Line(NamedTuple):
    """The line drawn of a cable: points (n, 3) [m], and n - 1 pieces between them.

    A piece has a tension [N] and a colour in 0...1, and is not ``there`` where the rope has parted.
    """

    points: Array
    tension: Array
    colors: Array
    there: NDArray[np.bool_]


class Rope:
    """A cable as every display draws it.

    A cable made of masses is drawn smoothly, with ``rounding`` pieces from one mass to the next; a
    hybrid wire is smooth at its masses, and kinks where it touches something. All but the first run
    around their wheels, or past them if not ``on_wheels``. The colours end at a tension of
    ``limit`` [N].
    """

    def __init__(
        self,
        cable: Cable,
        rounding: int = ROUNDING,
        on_wheels: bool = True,
        limit: float = DEFAULT_FULL_SCALE,
    ) -> None:
        self.radius = 0.5 * cable.diameter
        self.n_nodes = len(cable.nodes)
        self._rounding = rounding
        self._model = cable.model
        found = (wheel_at(cable.nodes, i) for i in range(self.n_nodes) if on_wheels)
        self.wheels = {wheel.node: wheel for wheel in found if wheel is not None}
        self._limit = limit
        self._sides: dict[int, float] = {}

    def parts(self, count: int) -> int:
        """Return the number of drawn pieces from one point of a curve of ``count`` to the next."""
        if self._model.segments:
            return self._rounding
        if not (self._model.adaptive and self._model.has_masses):
            return 1
        return max(1, min(self._rounding, MOST_PIECES // max(count - 1, 1)))

    def line(self, picture: CablePicture, poses: Poses) -> Line:
        """Return the drawn line of a cable, on wheels at those poses of their bodies."""
        points, source = self._way(picture, poses)
        tension = np.repeat(picture.tension, np.diff(picture.nodes))[source].mean(axis=1)
        there = np.isin(source, picture.severed, invert=True).min(axis=1)
        colors = tension_colors(tension, self._limit, picture.slack)
        return Line(points, tension, colors, there)

    def _rounded(self, picture: CablePicture) -> Array:
        """Return the curve with :meth:`parts` pieces for each of its own [m]."""
        parts = self.parts(len(picture.points))
        if parts == 1:
            return picture.points
        if self._model.segments:
            return smooth(picture.points, parts)
        bends = (picture.points[:, None] == picture.masses).all(axis=2).any(axis=1)
        return smooth_at(picture.points, bends, picture.severed, parts)

    def _way(self, picture: CablePicture, poses: Poses) -> tuple[Array, Indices]:
        """Return the drawn points (n, 3) [m], and the curve's pieces (n - 1, ...) that they show.

        An arc on a wheel shows the two pieces before and after it.
        """
        curve = self._rounded(picture)
        parts = self.parts(len(picture.points))
        at = parts * picture.nodes
        if len(at) != self.n_nodes or not self.wheels:
            return curve, np.arange(len(curve) - 1)[:, None] // parts
        lying = self._contact_points(curve, at, poses)
        line = [lying[0]]
        source = [np.zeros((len(lying[0]) - 1, 2), dtype=np.int64)]
        for i in range(1, self.n_nodes):
            # A pair's half turn ends where the second node is: what lies between them is not drawn.
            pieces = np.arange(at[i - 1], at[i - 1] + 1 if self._is_pair(i - 1) else at[i])[:, None]
            line += [
                move_with_ends(curve[[*pieces[:, 0], at[i]]], line[-1][-1], lying[i][0])[1:-1],
                lying[i],
            ]
            after = min(at[i], len(curve) - 2)
            before = after if self._is_pair(i) else at[i] - 1
            source += [np.tile(pieces, 2), np.tile([before, after], (len(lying[i]) - 1, 1))]
        return np.concatenate(line), np.concatenate(source) // parts

    def _contact_points(self, curve: Array, at: Indices, poses: Poses) -> list[Array]:
        """Return the contact points [m] of the rope on each node's wheel, one at a plain node."""
        ways = np.diff(curve, axis=0)
        ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
        lying = []
        for i, point in enumerate(curve[at]):
            wheel = self.wheels.get(i)
            # The pieces before and after the node; the ends have one only.
            arriving = ways[max(at[i] - 1, 0)]
            leaving = ways[min(at[i], len(ways) - 1)]
            if wheel is None:
                lying.append(point[None])
            elif wheel.kind == "pair":
                lying.append(half_turn(point, curve[at[i + 1]], arriving)[:-1])
            else:
                lying.append(self._arc(wheel, point, arriving, leaving, poses))
        return lying

    def _is_pair(self, i: int) -> bool:
        """Return True if node ``i`` is the first tangent point of a wheel that comes as two."""
        return i in self.wheels and self.wheels[i].kind == "pair"

    def _arc(
        self, wheel: Wheel, center: Array, arriving: Array, leaving: Array, poses: Poses
    ) -> Array:
        """Return the points of the rope on a wheel, from its arriving to its leaving point."""
        axis = wheel.axis
        if wheel.body in poses:
            axis = meshes.rotation_matrix(poses[wheel.body][1]) @ axis
        if wheel.node not in self._sides:
            # Chosen once: a path that swings through straight must not jump to the wheel's other
            # side.
            turn = axis @ np.cross(arriving, leaving)
            if wheel.kind == "drum" or abs(turn) < 1e-6:
                turn = np.cross(leaving, axis)[2]
            self._sides[wheel.node] = -1.0 if turn < 0.0 else 1.0
        side = self._sides[wheel.node]
        first, last = (side * _unit(np.cross(way, axis)) for way in (arriving, leaving))
        if wheel.kind == "drum":
            return (center + wheel.radius * last)[None]
        angle = np.arctan2(axis @ np.cross(first, last), first @ last)
        if side * angle < -0.2:
            angle += side * 2.0 * np.pi
        turned = angle * np.arange(ARC + 1)[:, None] / ARC
        return center + wheel.radius * (
            np.cos(turned) * first + np.sin(turned) * np.cross(axis, first)
        )


def wheel_at(nodes: Sequence[Any], i: int) -> Wheel | None:
    """Return the wheel drawn at node ``i`` of a cable, or None for a plain point."""
    node = nodes[i]
    if not isinstance(node, (Sheave, Drum)):
        return None
    axis = np.array(node.axis) / np.linalg.norm(node.axis)
    if isinstance(node, Drum):
        return Wheel(i, node.radius, node.body, axis, "drum")
    if node.half_turn:
        gap = float(np.linalg.norm(np.subtract(nodes[i + 1].position, node.position)))
        return Wheel(i, 0.5 * gap, node.body, axis, "pair")
    if getattr(nodes[i - 1], "half_turn", False):
        return None
    return Wheel(i, node.radius, node.body, axis, "sheave")


def half_turn(first: Array, last: Array, arriving: Array) -> Array:
    """Return points (ARC + 1, 3) of half a circle between two points, in the arriving direction."""
    center = 0.5 * (first + last)
    out = 0.5 * (first - last)
    radius = float(np.linalg.norm(out))
    onward = radius * _unit(arriving - (arriving @ out) * out / max(radius**2, 1e-18))
    angle = np.pi * np.arange(ARC + 1)[:, None] / ARC
    return center + np.cos(angle) * out + np.sin(angle) * onward


class SceneRopes:
    """All cables of a scene."""

    def __init__(self, scene: Scene) -> None:
        limits = color_limits(scene)
        self._ropes = {c.name: Rope(c, limit=limits[c.name].tension) for c in scene.cables}

    def pieces(self, frame: Frame) -> Bars:
        """Return the drawn pieces of the cables in a frame, without cables that are not finite."""
        found = [NO_BARS]
        for name, picture in frame.cables.items():
            rope = self._ropes.get(name)
            if rope is None or len(picture.points) < 2 or not np.isfinite(picture.points).all():
                continue
            line = rope.line(picture, frame.poses)
            ends = np.stack([line.points[:-1], line.points[1:]], axis=1)[line.there]
            found.append(Bars(ends, np.full(len(ends), rope.radius), line.colors[line.there]))
        return Bars(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _unit(vector: Array) -> Array:
    """Return the vector at length one; zero stays zero."""
    length = np.linalg.norm(vector)
    return vector / length if length > 1e-9 else np.zeros(3)
