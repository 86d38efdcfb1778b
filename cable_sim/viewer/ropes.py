"""The cables as tubes coloured by tension that run tangentially around their wheels.

All cables of a scene are instances of one unit tube: a frame sends where each piece starts, which way it
points, how long it is and its colour (43 bytes a piece), never a mesh.

The solver knows a wheel as a point; for the eye the rope leaves it tangentially. With the unit direction d
of a span and the wheel's axis a, the rope touches the wheel at s R d x a from its centre, where s = 1 if the
path turns anticlockwise about a and -1 otherwise. That is exact between wheels of one size turned the same
way, and off by less than R else. The arc between the two touching points is drawn as ``ARC`` chords.

A wheel that turns the rope by half a circle may come as two nodes of one body, its tangent points: the first
a sheave that is small against their distance, the second anything the rope slides through. Then the arc
between them is half a circle that goes on in the direction in which the rope arrives.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.frame import CablePicture, Frame
from cable_sim.sim.colors import full_scale, tension_colors
from cable_sim.spec import Cable, Drum, Scene, Sheave
from cable_sim.viewer import meshes
from cable_sim.viewer.drawing import Extent

Array = NDArray[np.float64]
ARC = 8
"""Chords per wheel."""
THINNEST = 8.0e-4
"""Least drawn radius in distances of the nearest camera: two to three pixels across; a real rope of 16 mm is
below one from 20 m on."""
STILL = 5e-4
"""Pieces that have moved less than this [m] are not sent again."""


class Wheel(NamedTuple):
    """A node that is drawn as a wheel: index in its cable, radius [m], carrying body, axis in that body.

    A ``pair`` is the first of two tangent points of one wheel.
    """

    node: int
    radius: float
    body: str
    axis: Array
    kind: Literal["sheave", "drum", "pair"]


class Rope:
    """One cable's way from its nodes to the pieces that are drawn."""

    def __init__(self, cable: Cable) -> None:
        self.n_nodes = len(cable.nodes)
        found = (wheel_at(cable.nodes, i) for i in range(self.n_nodes))
        self.wheels = {wheel.node: wheel for wheel in found if wheel is not None}
        self._sides: dict[int, float] = {}

    def pieces(self, picture: CablePicture, frame: Frame) -> tuple[Array, Array]:
        """Points (n, 3) [m] of the drawn line and tension (n - 1,) [N] of the pieces between them.

        A cable that comes with other nodes than the scene's, as a discretised one does, is drawn as it comes.
        """
        points, tension = np.asarray(picture.points, dtype=float), np.asarray(picture.tension, dtype=float)
        if len(points) != self.n_nodes or not self.wheels:
            return points, tension
        ways = np.diff(points, axis=0)
        ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
        # Spans before and after each node; the ends have one only.
        before, after = (
            np.maximum(np.arange(self.n_nodes) - 1, 0),
            np.minimum(np.arange(self.n_nodes), len(ways) - 1),
        )
        line, pulls = [], []
        for i, point in enumerate(points):
            wheel = self.wheels.get(i)
            if wheel is None:
                lying, pull = point[None], 0.0
            elif wheel.kind == "pair":
                lying, pull = half_turn(point, points[i + 1], ways[before[i]])[:-1], tension[i]
            else:
                lying = self._arc(wheel, point, ways[before[i]], ways[after[i]], frame)
                pull = 0.5 * (tension[before[i]] + tension[after[i]])
            line.append(lying)
            pulls += [tension[i - 1]] * (i > 0) + [pull] * (len(lying) - 1)
        return np.concatenate(line), np.array(pulls)

    def _arc(self, wheel: Wheel, center: Array, arriving: Array, leaving: Array, frame: Frame) -> Array:
        """Points where the rope lies on a wheel, from where it arrives to where it leaves."""
        axis = wheel.axis
        if wheel.body in frame.poses:
            axis = meshes.rotation_matrix(frame.poses[wheel.body][1]) @ axis
        if wheel.node not in self._sides:
            # Chosen once: a path that swings through straight must not jump to the wheel's other side.
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
        return center + wheel.radius * (np.cos(turned) * first + np.sin(turned) * np.cross(axis, first))


def wheel_at(nodes: Sequence[Any], i: int) -> Wheel | None:
    """How node ``i`` of a cable is drawn, or None for a plain point."""
    node = nodes[i]
    if not isinstance(node, (Sheave, Drum)):
        return None
    axis = np.array(node.axis) / np.linalg.norm(node.axis)
    if isinstance(node, Drum):
        return Wheel(i, node.radius, node.body, axis, "drum")
    if 0 < i < len(nodes) - 2 and nodes[i + 1].body == node.body:
        gap = float(np.linalg.norm(np.subtract(nodes[i + 1].position, node.position)))
        if node.radius < 0.4 * gap < 2.0:
            return Wheel(i, 0.5 * gap, node.body, axis, "pair")
    previous = wheel_at(nodes, i - 1) if i else None
    if previous is not None and previous.kind == "pair":
        return None
    return Wheel(i, node.radius, node.body, axis, "sheave")


def half_turn(first: Array, last: Array, arriving: Array) -> Array:
    """Points (ARC + 1, 3) of half a circle between two points that sets out the way the rope arrives."""
    center, out = 0.5 * (first + last), 0.5 * (first - last)
    radius = float(np.linalg.norm(out))
    onward = radius * _unit(arriving - (arriving @ out) * out / max(radius**2, 1e-18))
    angle = np.pi * np.arange(ARC + 1)[:, None] / ARC
    return center + np.cos(angle) * out + np.sin(angle) * onward


class Ropes:
    """All cables of a scene in a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    scene: whose cables.
    extent: of the whole scene.
    """

    def __init__(self, api: Any, scene: Scene, extent: Extent) -> None:
        self._api, self._scale = api, extent.scale
        self._scales = {cable.name: full_scale(cable.breaking_force) for cable in scene.cables}
        self._ropes = {cable.name: Rope(cable) for cable in scene.cables}
        self._real = {cable.name: 0.5 * cable.diameter for cable in scene.cables}
        self._handle: Any = None
        self._sent = np.zeros((0, 2, 3))
        self._least = 0.0
        self.seen_from(3.0 * extent.radius)

    def seen_from(self, distance: float) -> None:
        """Draw the ropes thick enough to be seen from a distance [m], in steps of a quarter."""
        least = THINNEST * 1.25 ** round(np.log(max(distance, 1e-3)) / np.log(1.25))
        if least != self._least:
            self._least = least
            self._sent = np.full_like(self._sent, np.inf)

    def update(self, frame: Frame) -> bool:
        """Draw the cables of the frame; returns whether anything was sent."""
        lines, radii, colors = [], [], []
        for name, picture in frame.cables.items():
            rope = self._ropes.get(name)
            if rope is None or len(picture.points) < 2 or not np.isfinite(picture.points).all():
                continue
            points, tension = rope.pieces(picture, frame)
            lines.append(np.stack([points[:-1], points[1:]], axis=1))
            radii.append(np.full(len(points) - 1, max(self._real[name], self._least)))
            colors.append(tension_colors(tension, self._scales[name], picture.slack))
        if not lines:
            return False
        return self._send(np.concatenate(lines), np.concatenate(radii), np.rint(255.0 * np.concatenate(colors)))

    def _send(self, lines: Array, radii: Array, colors: Array) -> bool:
        """Send pieces (n, 2, 3) that have moved or changed colour; a new number of pieces is a new node."""
        colors = colors.astype(np.uint8)
        if self._handle is None or len(lines) != len(self._sent):
            positions, turns, scales = instances(self._scale * lines, self._scale * radii)
            vertices, faces = meshes.bars([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], 1.0, sides=8)
            self._handle = self._api.add_batched_meshes_simple(
                "/ropes", vertices, faces, turns, positions,
                batched_scales=scales, batched_colors=colors, lod="off", side="double",
            )  # fmt: skip
            self._sent = lines
            return True
        moved = np.abs(lines - self._sent).max() > STILL
        if moved:
            positions, turns, scales = instances(self._scale * lines, self._scale * radii)
            self._handle.batched_positions = positions
            self._handle.batched_wxyzs = turns
            self._handle.batched_scales = scales
            self._sent = lines
        self._handle.batched_colors = colors  # viser compares and drops what is the same
        return bool(moved)


def instances(lines: Array, radii: Array) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Unit tubes along z as pieces: positions (n, 3), orientations (n, 4) and scales (n, 3)."""
    along = lines[:, 1] - lines[:, 0]
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-6)
    turns = meshes.quaternions_from_z(along / length[:, None])
    scales = np.column_stack([radii, radii, length])
    return lines[:, 0].astype(np.float32), turns.astype(np.float32), scales.astype(np.float32)


def _unit(vector: Array) -> Array:
    """The vector at length one; zero stays zero."""
    length = np.linalg.norm(vector)
    return vector / length if length > 1e-9 else np.zeros(3)
