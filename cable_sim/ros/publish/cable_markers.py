"""Markers for RViz of the cables: lines and tubes coloured by tension, balls for nodes of wires.

They are sent many times a second. The head of ``ros/publish/markers.py`` explains how RViz draws,
and the consequences. An array has the same parts from one time to the next. So it is built once,
and then numbers are written into its bytes (``ros/publish/preserialized_message.py``).
"""

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.frame import CablePicture
from cable_sim.rendering.meshes import quaternions_from_z
from cable_sim.rendering.ropes import Rope
from cable_sim.rendering.wire_nodes import Kind, kinds_of
from cable_sim.ros.basis.messages import set_vector
from cable_sim.ros.publish.markers import new_marker
from cable_sim.ros.publish.preserialized_message import Place, PreserializedMessage
from cable_sim.sim.readings.colors import color_limits
from cable_sim.spec import Cable

if TYPE_CHECKING:
    from cable_sim.sim.observation import Observation
    from cable_sim.sim.readings.views import CableView

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MARKER_POINTS = 200
"""Default of the largest number of points drawn of a cable's curve."""

LEAST_CABLE_WIDTH = 0.10
"""Least width of a drawn cable [m]: a pixel at the distance that shows a whole tower crane.

RViz knows no widths in pixels.
"""

ROUNDING = 2
"""Pieces of tube from one mass to the next, of a cable made of masses."""

PIECE_SHARE = 0.6
"""Width of a drawn cable made of masses over their distance, if more than its diameter [-].

If it were as wide as its pieces are long, its bends would not show.
"""

LINE_SHARE = 0.8
"""Width of the line in a cable over that of the tube, which has to hide it [-]."""

SHORTEST_TUBE = 1e-3
"""Length of the piece of tube between coincident points [m]: RViz refuses shapes without extent."""

NODE_SHARE = 3.0
"""Diameter of the ball at a node of a wire over the width of its tube [-].

RViz draws it as a disc through its middle, and the front half of the tube hides a stripe of that.
"""


def spans_of(cable: str, prefix: str) -> str:
    """Return the namespace of a cable's line strips, one per span from the first node on."""
    return f"{prefix}cables/{cable}"


def tubes_of(cable: str, prefix: str) -> str:
    """Return the namespace of a cable's tubes, one per drawn piece from the first node on."""
    return f"{prefix}tubes/{cable}"


def nodes_of(number: int, prefix: str) -> tuple[tuple[str, int], ...]:
    """Return namespace and id of the lists of nodes of the scene's cable ``number``.

    The lists are masses, contact nodes, and sticking contact nodes. All cables share the namespace,
    so that one tick in RViz hides the nodes.
    """
    return tuple((f"{prefix}wire_nodes", 3 * number + kind) for kind in range(3))


class CableMarkers:
    """Message cable_markers: line strips and cylinders in the world frame, coloured by tension.

    A span has a line strip with cylinders around it. Masses and contact nodes are lists of balls.
    RViz complains about a list without points. So a list that has lost its points becomes an order
    to forget it, and one that never had any is left out.

    After Garcia-Fernandez, Pla-Castells & Martinez-Dura 2008, section 4.3: from near the cylinders
    show a body with light and shade. From afar they have gaps, which the line within fills. The
    number of points is always the same: two on a straight span, those of its wave on one that sags.
    A cable made of masses has one strip through all of them, with a colour at each, and a rounded
    tube.

    The stamp is zero, RViz' word for "the latest". Markers follow the wall clock, TF the simulated
    one; so no cable is refused because the transform of its instant is not there yet.

    Parameters
    ----------
    most: largest number of points drawn of a cable's curve; its nodes are always drawn.
    """

    def __init__(self, crane: Crane, prefix: str, world: str, most: int = MARKER_POINTS) -> None:
        self.specs = crane.scene.cables
        limits = color_limits(crane.scene)
        self.cables = [
            CableLook(i, cable, limits[cable.name].tension, prefix, world, most)
            for i, cable in enumerate(crane.scene.cables)
        ]
        self._imprint: PreserializedMessage | None = None
        self._counts: list[int] = []

    def fill(self, observation: "Observation") -> bytes:
        """Return the serialized array, from curves [m] and tensions [N]."""
        looks = [cable.fill(observation.cable(cable.spec.name)) for cable in self.cables]
        counts = [len(kind.places) for look in looks for kind in look.balls]
        if self._imprint is None or counts != self._counts:
            self._counts = counts
            self._imprint = self._build(looks)
        if not looks:
            return self._imprint.fill(np.zeros(0), np.zeros(0))
        begins = np.concatenate([look.tube[:-1] for look in looks])
        ends = np.concatenate([look.tube[1:] for look in looks])
        doubles = [*(look.line.ravel() for look in looks), _cylinders(begins, ends).ravel()]
        doubles += [kind.places.ravel() for look in looks for kind in look.balls]
        singles = [
            *(look.line_color.ravel() for look in looks),
            *(look.tube_color.ravel() for look in looks),
        ]
        return self._imprint.fill(np.nan_to_num(np.concatenate(doubles)), np.concatenate(singles))

    def replacing_array(self, observation: "Observation") -> MarkerArray:
        """Return the array, preceded by an order to forget the topic's earlier markers.

        It is for a late joiner; the earlier markers may have been of another crane.
        """
        array = deserialize_message(self.fill(observation), MarkerArray)
        forget = Marker(action=Marker.DELETEALL)
        forget.header.frame_id = self.cables[0].world if self.cables else ""
        array.markers = [forget, *array.markers]
        return array

    def _build(self, looks: list["Look"]) -> PreserializedMessage:
        """Make all markers, and find their numbers."""
        markers: list[Marker] = []
        lines: list[Place] = []
        tubes: list[Place] = []
        points: list[Place] = []
        colors: list[list[Place]] = [[], []]
        for cable, look in zip(self.cables, looks, strict=True):
            strips, cylinders, balls = cable.build(look)
            markers += [*strips, *cylinders, *balls]
            lines += [(p, axis) for strip in strips for p in strip.points for axis in "xyz"]
            for tube in cylinders:
                tubes += [(tube.pose.position, axis) for axis in "xyz"]
                tubes += [(tube.pose.orientation, axis) for axis in "wxyz"]
                tubes.append((tube.scale, "z"))
            points += [(p, axis) for ball in balls for p in ball.points for axis in "xyz"]
            shades = [*(strip.color for strip in strips), *(c for s in strips for c in s.colors)]
            colors[0] += [(color, part) for color in shades for part in "rgba"]
            colors[1] += [(tube.color, part) for tube in cylinders for part in "rgba"]
        return PreserializedMessage(
            MarkerArray(markers=markers), [*lines, *tubes, *points], [*colors[0], *colors[1]]
        )


class Look(NamedTuple):
    """Present look of a cable.

    ``line`` (n, 3) [m] are the points of its strips, ``tube`` (m, 3) [m] the endpoints of its
    cylinders. ``line_color`` (k, 4) has the colours of the strips and then of their points,
    ``tube_color`` (m - 1, 4) those of the cylinders. ``balls`` are masses and contact nodes.
    """

    line: Array
    tube: Array
    line_color: Array
    tube_color: Array
    balls: tuple[Kind, ...]


class CableLook:
    """Markers of one cable, whose colours end at ``limit`` [N], and their variable numbers."""

    def __init__(
        self, number: int, cable: Cable, limit: float, prefix: str, world: str, most: int
    ) -> None:
        self.number = number
        self.spec = cable
        self.prefix = prefix
        self.world = world
        self.most = most
        self.width = max(cable.diameter, min(LEAST_CABLE_WIDTH, PIECE_SHARE * _piece(cable)))
        self.rope = Rope(cable, ROUNDING, on_wheels=False, limit=limit)
        self.kept = self.nodes = self.on_line = np.zeros(0, np.int64)
        self._shown = [False] * 3

    def build(self, look: Look) -> tuple[list[Marker], list[Marker], list[Marker]]:
        """Make strips, tubes and balls, with room for all that is drawn."""
        name = self.spec.name
        color = self.spec.color
        strips = []
        tubes = []
        for number, (first, last) in enumerate(pairwise(self.nodes.tolist())):
            strip = new_marker(
                self.world, spans_of(name, self.prefix), number, Marker.LINE_STRIP, color, 1.0
            )
            strip.scale.x = LINE_SHARE * self.width
            strip.points = [Point() for _ in range(first, last + 1)]
            strip.colors = [ColorRGBA() for _ in strip.points] if self.spec.model.segments else []
            strips.append(strip)
        for number in range(len(look.tube_color)):
            tube = new_marker(
                self.world, tubes_of(name, self.prefix), number, Marker.CYLINDER, color, 1.0
            )
            tube.scale.x = tube.scale.y = self.width
            tubes.append(tube)
        return strips, tubes, self._build_balls(look.balls)

    def _build_balls(self, kinds: tuple[Kind, ...]) -> list[Marker]:
        """Make the lists of masses, contact nodes, and sticking contact nodes."""
        balls = []
        for kind, (places, color, size) in enumerate(kinds):
            self._shown[kind] |= len(places) > 0
            if self._shown[kind]:
                namespace, number = nodes_of(self.number, self.prefix)[kind]
                ball = new_marker(self.world, namespace, number, Marker.SPHERE_LIST, color, 1.0)
                set_vector(ball.scale, (size * NODE_SHARE * self.width,) * 3)
                ball.points = [Point() for _ in places]
                ball.action = Marker.ADD if len(places) else Marker.DELETE
                balls.append(ball)
        return balls

    def fill(self, view: "CableView") -> Look:
        """Return the present look, from the curve [m] and the tensions [N]."""
        picture = CablePicture.of(view)._replace(points=np.nan_to_num(view.curve))
        if not len(self.kept):
            self.kept, self.nodes = thin_nodes(view.curve_nodes, self.most)
            self.on_line = np.concatenate([np.arange(a, b + 1) for a, b in pairwise(self.nodes)])
        if len(self.kept) < len(picture.points) and not self.spec.model.segments:
            self.kept = even_indices(picture.points, picture.nodes, self.nodes)
        picture = picture.thin(self.kept, self.nodes)
        tube = self.rope.line(picture, {})
        parts = self.rope.parts(len(picture.points))
        colors = np.column_stack([tube.colors, tube.there])
        # A strip can't be open in the middle, so the tubes alone show a wire that has parted.
        first = self.nodes[:-1] * parts
        strips = np.column_stack([tube.colors[first], np.logical_and.reduceat(tube.there, first)])
        if self.spec.model.segments:
            masses = colors[::parts]
            strips = np.vstack([strips, masses, masses[-1:]])
        balls = kinds_of(picture) if self.spec.shows_nodes else ()
        return Look(picture.points[self.on_line], tube.points, strips, colors, balls)


def thin_nodes(nodes: Indices, most: int) -> tuple[Indices, Indices]:
    """Return indices of at most ``most`` points of a curve, and the positions of ``nodes`` in them.

    All nodes are kept, however many. The remaining points are shared among the spans in proportion
    to their points, at equal distances.
    """
    inner = np.diff(nodes) - 1
    room = max(most - len(nodes), 0)
    counts = inner if inner.sum() <= room else inner * room // inner.sum()
    parts = [
        np.rint(np.linspace(a, b, n + 2)[:-1])
        for (a, b), n in zip(pairwise(nodes), counts, strict=True)
    ]
    kept = np.concatenate([*parts, nodes[-1:]]).astype(np.int64)
    return kept, np.searchsorted(kept, nodes)


def even_indices(curve: Array, nodes: Indices, drawn: Indices) -> Indices:
    """Return indices of the points of a curve (n, 3) nearest to even distances along it.

    Its ``nodes`` get the numbers ``drawn``. Points that a curve does not need at present coincide
    with one of its points. Even indices would draw mostly those, and cut off the edges that a rope
    runs over.
    """
    kept = []
    for (a, b), count in zip(pairwise(nodes.tolist()), np.diff(drawn).tolist(), strict=True):
        if count == b - a:
            kept.append(np.arange(a, b))
            continue
        way = np.concatenate(
            [[0.0], np.cumsum(np.linalg.norm(np.diff(curve[a : b + 1], axis=0), axis=1))]
        )
        wanted = np.linspace(0.0, way[-1], count + 1)[:-1]
        after = np.clip(np.searchsorted(way, wanted), 1, b - a)
        nearest = after - (wanted - way[after - 1] < way[after] - wanted)
        nearest[0] = 0
        kept.append(a + nearest)
    return np.concatenate([*kept, nodes[-1:]])


def _cylinders(begins: Array, ends: Array) -> Array:
    """Return place, rotation (w, x, y, z) and length (n, 8) [m] of tubes between points (n, 3)."""
    begins = np.nan_to_num(begins)
    ends = np.nan_to_num(ends)
    ways = ends - begins
    lengths = np.maximum(np.linalg.norm(ways, axis=1), SHORTEST_TUBE)
    return np.column_stack([0.5 * (begins + ends), quaternions_from_z(ways), lengths])


def _piece(cable: Cable) -> float:
    """Return the distance of a cable's masses [m]; infinite if its spec does not give it."""
    segments = cable.model.segments
    return cable.length / segments if segments and cable.length else math.inf
