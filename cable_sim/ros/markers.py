"""Markers for RViz: the crane's shapes once, its cables many times a second.

What follows from how RViz draws (read in its source): ``(ns, id)`` is a marker's identity and must not stand
twice in an array; a number that is not finite gets the whole marker refused; a ``lifetime`` makes things
vanish when the clock stands still, so it is 0; ``frame_locked`` carries a marker along with its frame without
being sent again, at the price of being rebuilt for every picture, so it is for shapes and not for cables;
colours per point must be as many as the points.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from transforms3d.quaternions import axangle2quat
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.ros.frames import IDENTITY
from cable_sim.ros.messages import set_orientation, set_vector
from cable_sim.sim.colors import full_scale, node_tension, tension_colors
from cable_sim.sim.observation import Observation
from cable_sim.spec import Surface
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

LEAST_CABLE_WIDTH = 0.10
"""Least width of a drawn cable [m]: a pixel at the distance from which a whole tower crane is seen."""

GROUND_SIZE, GROUND_THICKNESS = 300.0, 0.05
"""Edge of the square that stands for an infinite ground, and thickness of drawn surfaces [m]."""


class CableMarkers:
    """cable_markers: one line strip per cable in the world frame, coloured by tension, always as many points.

    The stamp is zero, RViz' word for "the latest": markers go out by the wall clock, TF by the simulated one,
    and so a cable is never refused because the transform of its instant is not there yet.
    """

    def __init__(self, crane: Crane, prefix: str, world: str) -> None:
        self.scales = [full_scale(cable.breaking_force) for cable in crane.scene.cables]
        self.names = [cable.name for cable in crane.scene.cables]
        self.message = MarkerArray(markers=[self._strip(c, i, prefix, world) for i, c in enumerate(crane.scene.cables)])

    def fill(self, observation: Observation) -> MarkerArray:
        """Take node positions [m] and tensions [N]."""
        for marker, name, scale in zip(self.message.markers, self.names, self.scales, strict=True):
            cable = observation.cable(name)
            colors = tension_colors(node_tension(cable.span_tension), scale, cable.slack)
            _resize(marker, len(cable.node_position))
            for point, position in zip(marker.points, np.nan_to_num(cable.node_position).tolist(), strict=True):
                point.x, point.y, point.z = position
            for color, rgb in zip(marker.colors, colors.tolist(), strict=True):
                color.r, color.g, color.b = rgb
        return self.message

    @staticmethod
    def _strip(cable: Any, number: int, prefix: str, world: str) -> Marker:
        """The marker of one cable, as yet without points."""
        marker = _marker(world, f"{prefix}cables", number, Marker.LINE_STRIP, cable.color, 1.0)
        marker.scale.x = max(cable.diameter, LEAST_CABLE_WIDTH)
        return marker


def _resize(marker: Marker, count: int) -> None:
    """Make room for that many points and colours; after the first time there is nothing to do."""
    if len(marker.points) != count:
        marker.points = [Point() for _ in range(count)]
        marker.colors = [ColorRGBA(a=1.0) for _ in range(count)]


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
    for visual in crane.scene.visuals:
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


def tilt(axis: Sequence[float] | Array) -> Array:
    """The shortest turn (w, x, y, z) that brings the z axis, along which cylinders lie, onto ``axis``."""
    direction = np.asarray(axis, float) / np.linalg.norm(axis)
    pivot = np.cross((0.0, 0.0, 1.0), direction)
    sine = float(np.linalg.norm(pivot))
    if sine < 1e-12:
        return IDENTITY if direction[2] > 0.0 else np.array([0.0, 1.0, 0.0, 0.0])
    return axangle2quat(pivot / sine, math.atan2(sine, direction[2]), is_normalized=True)


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
