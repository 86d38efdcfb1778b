"""Markers for RViz: the crane's shapes once, its cables many times a second.

What follows from how RViz draws (read in its source): ``(ns, id)`` is a marker's identity and must not stand
twice in an array; a number that is not finite gets the whole marker refused; a ``lifetime`` makes things
vanish when the clock stands still, so it is 0; ``frame_locked`` carries a marker along with its frame without
being sent again, at the price of being rebuilt for every picture, so it is for shapes and not for cables;
colours per point must be as many as the points.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.machine.frame import rounded
from cable_sim.ros.messages import set_orientation, set_vector
from cable_sim.sim.colors import CONTACT_COLOR, MASS_COLOR, STICKING_SIZE, scale_of, tension_colors
from cable_sim.sim.observation import CableView, Observation
from cable_sim.spec import Cable, Surface
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

LEAST_CABLE_WIDTH = 0.10
"""Least width of a drawn cable [m]: a pixel at the distance from which a whole tower crane is seen. RViz knows no
widths in pixels."""

ROUNDING = 2
"""Pieces of tube from one mass to the next, of a cable made of masses."""

PIECE_SHARE = 0.6
"""Width of a drawn cable made of masses over their distance, if more than its diameter [-]: were it as wide as its
pieces are long, its bends would not show."""

LINE_SHARE = 0.8
"""Width of the line in a cable over that of the tube, which has to hide it [-]."""

SHORTEST_TUBE = 1e-3
"""Length of the piece of tube between points that coincide [m]: RViz refuses shapes without extent."""

NODE_SHARE = 3.0
"""Diameter of the ball that stands for a node of a wire over the width of its tube [-]: RViz draws it as a disc through
its middle, and the front half of the tube hides a stripe of that."""

GROUND_SIZE, GROUND_THICKNESS = 300.0, 0.05
"""Edge of the square that stands for an infinite ground, and thickness of drawn surfaces [m]."""


def spans_of(cable: str, prefix: str) -> str:
    """Namespace of the line strips of a cable: one for each span, numbered from the first node on."""
    return f"{prefix}cables/{cable}"


def nodes_of(number: int, prefix: str) -> tuple[tuple[str, int], ...]:
    """Namespace and id of the lists of masses, contact nodes, and those that stick, of the scene's cable ``number``.

    All cables share the namespace, so that one tick in RViz hides the nodes.
    """
    return tuple((f"{prefix}wire_nodes", 3 * number + kind) for kind in range(3))


class CableMarkers:
    """cable_markers: a line strip per span and cylinders around it, in the world frame, coloured by tension.

    Masses and contact nodes are lists of balls. RViz complains about a list without points: what there is none of at
    present is an order to forget what there was.

    After Garcia-Fernandez, Pla-Castells & Martinez-Dura 2008, section 4.3: from near the cylinders show a body with
    light and shade, from afar the line within fills the gaps between what is left of them. The number of points is
    always the same: two on a straight span, those of its wave on one that sags. A cable made of masses has one strip
    through all of them, with a colour at each, and a rounded tube. Of a line with more than ``most`` points as many are
    drawn, as evenly as may be, its ends among them.

    The stamp is zero, RViz' word for "the latest": markers go out by the wall clock, TF by the simulated one,
    and so a cable is never refused because the transform of its instant is not there yet.
    """

    def __init__(self, crane: Crane, prefix: str, world: str, most: int = 1000) -> None:
        self.cables = [_CableLook(i, cable, prefix, world, most) for i, cable in enumerate(crane.scene.cables)]
        self.message = MarkerArray()

    def fill(self, observation: Observation) -> MarkerArray:
        """Take curves [m] and tensions [N]."""
        views = [observation.cable(cable.spec.name) for cable in self.cables]
        if not self.message.markers:
            made = [cable.build(view) for cable, view in zip(self.cables, views, strict=True)]
            self.message.markers = [marker for markers in made for marker in markers]
        for cable, view in zip(self.cables, views, strict=True):
            cable.fill(view)
        return self.message


class _CableLook:
    """The markers of one cable."""

    def __init__(self, number: int, cable: Cable, prefix: str, world: str, most: int) -> None:
        self.number, self.spec, self.prefix, self.world, self.most = number, cable, prefix, world, most
        self.scale, least = scale_of(cable), LEAST_CABLE_WIDTH
        if cable.lumped:
            least = min(least, PIECE_SHARE * _piece(cable))
        self.width = max(cable.diameter, least)
        self.strips: list[Marker] = []
        self.tubes: list[Marker] = []
        self.balls: list[Marker] = []

    def build(self, cable: CableView) -> list[Marker]:
        """Make the markers, with room for as many points as the curve has."""
        counts = np.minimum(np.diff(cable.curve_nodes) + 1, self.most)
        self.nodes = np.cumsum([0, *(counts - 1)])
        name, color = self.spec.name, self.spec.color
        for number, count in enumerate(counts.tolist()):
            strip = _marker(self.world, spans_of(name, self.prefix), number, Marker.LINE_STRIP, color, 1.0)
            strip.scale.x = LINE_SHARE * self.width
            strip.points = [Point() for _ in range(count)]
            strip.colors = [ColorRGBA(a=1.0) for _ in range(count if self.spec.lumped else 0)]
            self.strips.append(strip)
        for number in range(self.nodes[-1] * (ROUNDING if self.spec.lumped else 1)):
            tube = _marker(self.world, f"{self.prefix}tubes/{name}", number, Marker.CYLINDER, color, 1.0)
            tube.scale.x = tube.scale.y = self.width
            self.tubes.append(tube)
        if self.spec.shows_nodes:
            self.balls = self._build_balls()
        return self.strips + self.tubes + self.balls

    def _build_balls(self) -> list[Marker]:
        """Make the lists of masses, contact nodes, and contact nodes where friction holds the rope."""
        balls, size = [], NODE_SHARE * self.width
        looks = ((MASS_COLOR, size), (CONTACT_COLOR, size), (CONTACT_COLOR, STICKING_SIZE * size))
        for (namespace, number), (color, diameter) in zip(nodes_of(self.number, self.prefix), looks, strict=True):
            balls.append(_marker(self.world, namespace, number, Marker.SPHERE_LIST, color, 1.0))
            set_vector(balls[-1].scale, (diameter,) * 3)
        return balls

    def fill(self, cable: CableView) -> None:
        """Take the curve [m] and the tensions [N]."""
        curve, nodes = np.nan_to_num(cable.curve), self.nodes
        kept = _kept(curve, cable.curve_nodes, self.nodes)
        points, tension = curve[kept], cable.span_tension
        if self.spec.lumped:
            tension = tension[np.minimum(kept[:-1], len(tension) - 1)]
        colors = tension_colors(tension, self.scale, cable.slack).tolist()
        line = points.tolist()
        for strip, first, last, (red, green, blue) in zip(self.strips, nodes, nodes[1:], colors, strict=False):
            strip.color.r, strip.color.g, strip.color.b = red, green, blue
            for point, place in zip(strip.points, line[first : last + 1], strict=True):
                point.x, point.y, point.z = place
        spans = np.repeat(np.arange(len(nodes) - 1), np.diff(nodes))
        if self.spec.lumped:
            for shade, (red, green, blue) in zip(self.strips[0].colors, [*colors, colors[-1]], strict=True):
                shade.r, shade.g, shade.b = red, green, blue
            points, spans = rounded(points, ROUNDING), np.repeat(np.arange(len(colors)), ROUNDING)
        ways, middles = np.diff(points, axis=0), 0.5 * (points[1:] + points[:-1])
        lengths = np.maximum(np.linalg.norm(ways, axis=1), SHORTEST_TUBE)
        rows = zip(self.tubes, spans.tolist(), middles.tolist(), tilt(ways).tolist(), lengths.tolist(), strict=True)
        for tube, span, (x, y, z), (qw, qx, qy, qz), length in rows:
            place, turn, color = tube.pose.position, tube.pose.orientation, tube.color
            place.x, place.y, place.z = x, y, z
            turn.x, turn.y, turn.z, turn.w = qx, qy, qz, qw
            tube.scale.z = length
            color.r, color.g, color.b = colors[span]
        for marker in (*self.tubes, *self.strips):
            marker.color.a = 1.0  # a cable that was off is there again once it is hooked on
        # a strip can't be open in the middle, so the tubes alone show a wire that has parted
        for k in np.searchsorted(kept, cable.severed, side="right") - 1:
            self.tubes[k].color.a = 0.0
            self.strips[int(np.searchsorted(nodes, k, side="right")) - 1].color.a = 0.0
        sticks = cable.contact_sticks
        found = (cable.mass_position, cable.contact_position[~sticks], cable.contact_position[sticks])
        for ball, places in zip(self.balls, found, strict=False):
            ball.points = [Point(x=x, y=y, z=z) for x, y, z in np.nan_to_num(places).tolist()]
            ball.action = Marker.ADD if ball.points else Marker.DELETE


def _kept(curve: Array, nodes: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which points of a curve (n, 3) are drawn, where its ``nodes`` stand, so that they get the numbers ``drawn``.

    All of them, if there is room; else those nearest to even distances along it, since points that a curve has no use
    for at present coincide. A corner so is cut no more than such a distance away from it.
    """
    if drawn[-1] == nodes[-1]:
        return np.arange(len(curve))
    kept = [np.zeros(0, dtype=int)]
    for (a, b), count in zip(pairwise(nodes.tolist()), np.diff(drawn).tolist(), strict=True):
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve[a : b + 1], axis=0), axis=1))])
        wanted = np.linspace(0.0, along[-1], count + 1)
        after = np.clip(np.searchsorted(along, wanted), 1, b - a)
        nearest = after - (wanted - along[after - 1] < along[after] - wanted)
        nearest[0] = 0
        kept.append(a + (np.arange(count) if count == b - a else nearest[:-1]))
    return np.append(np.concatenate(kept), nodes[-1])


def _piece(cable: Cable) -> float:
    """Distance of the masses that a cable is made of [m], as far as its spec says it."""
    return cable.length / (cable.lumped.masses - 1) if cable.lumped and cable.length else math.inf


def scene_markers(crane: Crane, prefix: str, world: str) -> MarkerArray:
    """scene_markers: every shape in its body's frame, after an order to forget what was there before."""
    markers = [Marker(action=Marker.DELETEALL)]
    markers[0].header.frame_id = world
    ids: dict[str, int] = {}

    def add(body: str, kind: int, color: Iterable[float], opacity: float) -> Marker:
        """A new marker that rides on the body."""
        ids[body] = ids.get(body, -1) + 1
        frame = world if body == WORLD else prefix + body
        marker = _marker(frame, f"{prefix}{body}", ids[body], kind, color, opacity)
        marker.frame_locked = body != WORLD
        markers.append(marker)
        return marker

    for body in crane.scene.bodies:
        if body.shape is not None:
            _shape(add(body.name, _KINDS[body.shape.kind], body.color, 1.0), body.shape)
    for visual in crane.scene.drawn:
        marker = add(visual.body, _KINDS[visual.shape.kind], visual.color, visual.opacity)
        set_vector(marker.pose.position, visual.position)
        set_orientation(marker.pose.orientation, _unit(visual.orientation))
        _shape(marker, visual.shape)
    for surface in crane.scene.surfaces:
        _surface(add(WORLD, Marker.CUBE, surface.color, 1.0), surface)
    for cable in crane.scene.cables:
        for node in cable.nodes:
            if node.kind in ("sheave", "drum"):
                marker = add(node.body, Marker.CYLINDER, cable.color, 1.0)
                set_vector(marker.pose.position, node.position)
                set_orientation(marker.pose.orientation, tilt(node.axis))
                width = 4.0 * node.radius if node.kind == "drum" else max(3.0 * cable.diameter, 0.05)
                set_vector(marker.scale, (2.0 * node.radius, 2.0 * node.radius, width))
    return MarkerArray(markers=markers)


_KINDS = {
    "box": Marker.CUBE,
    "sphere": Marker.SPHERE,
    "cylinder": Marker.CYLINDER,
    "polyhedron": Marker.TRIANGLE_LIST,
    "segments": Marker.LINE_LIST,
}


def _shape(marker: Marker, shape: Any) -> None:
    """Give a marker the size of a shape."""
    if shape.kind == "box":
        set_vector(marker.scale, (shape.x, shape.y, shape.z))
    elif shape.kind == "sphere":
        set_vector(marker.scale, (2.0 * shape.radius,) * 3)
    elif shape.kind == "cylinder":
        set_vector(marker.scale, (2.0 * shape.radius, 2.0 * shape.radius, shape.length))
    elif shape.kind == "polyhedron":
        set_vector(marker.scale, (1.0, 1.0, 1.0))
        marker.points = [Point(x=x, y=y, z=z) for i in shape.triangles().ravel() for x, y, z in (shape.corners[i],)]
    else:
        set_vector(marker.scale, (2.0 * shape.radius, 0.0, 0.0))
        marker.points = [Point(x=x, y=y, z=z) for ends in shape.ends for x, y, z in ends]


def _surface(marker: Marker, surface: Surface) -> None:
    """A thin slab whose upper face is the surface."""
    normal = np.asarray(surface.normal, float) / np.linalg.norm(surface.normal)
    sizes = [2.0 * half if math.isfinite(half) else GROUND_SIZE for half in surface.extent]
    set_vector(marker.scale, (*sizes, GROUND_THICKNESS))
    set_vector(marker.pose.position, np.asarray(surface.point) - 0.5 * GROUND_THICKNESS * normal)
    set_orientation(marker.pose.orientation, tilt(normal))


def tilt(axes: Sequence[float] | Array) -> Array:
    """The shortest turns (w, x, y, z) that bring the z axis, along which cylinders lie, onto ``axes`` (..., 3).

    None for an axis without length; downward, about x.
    """
    x, y, z = np.moveaxis(np.asarray(axes, float), -1, 0)
    level = np.hypot(x, y)
    half, across = 0.5 * np.arctan2(level, z), np.where(level > 0.0, level, 1.0)
    about_x, about_y = np.where(level > 0.0, -y / across, 1.0), x / across
    return np.stack([np.cos(half), np.sin(half) * about_x, np.sin(half) * about_y, np.zeros_like(half)], axis=-1)


def _marker(frame: str, namespace: str, number: int, kind: int, color: Iterable[float], opacity: float) -> Marker:
    """A marker with everything that all of them share."""
    red, green, blue = (float(part) for part in color)
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=float(opacity))
    return marker


def _unit(orientation: Iterable[float]) -> Array:
    """A quaternion of length one."""
    q = np.asarray(tuple(orientation), float)
    return q / np.linalg.norm(q)
