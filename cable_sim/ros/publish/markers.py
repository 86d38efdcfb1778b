"""Markers for RViz of the crane's shapes, and what those of its cables
(``ros/publish/cable_markers.py``) keep to as well.

What follows from how RViz draws (read in its source): ``(ns, id)`` is a marker's identity and must
not stand twice in an array; a number that is not finite gets the whole marker refused; a
``lifetime`` makes things vanish when the clock stands still, so it is 0; ``frame_locked`` carries a
marker along with its frame without being sent again, at the price of being rebuilt for every
picture, so it is for shapes and not for cables; colours per point must be as many as the points.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.ros.publish.messages import set_orientation, set_vector
from cable_sim.spec import Surface
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

GROUND_SIZE, GROUND_THICKNESS = 300.0, 0.05
"""Edge of the square that stands for an infinite ground, and thickness of drawn surfaces [m]."""


def scene_markers(crane: Crane, prefix: str, world: str) -> MarkerArray:
    """scene_markers: every shape in its body's frame, after an order to forget what was there
    before."""
    markers = [Marker(action=Marker.DELETEALL)]
    markers[0].header.frame_id = world
    ids: dict[str, int] = {}

    def add(body: str, kind: int, color: Iterable[float], opacity: float) -> Marker:
        """A new marker that rides on the body."""
        ids[body] = ids.get(body, -1) + 1
        frame = world if body == WORLD else prefix + body
        marker = new_marker(frame, f"{prefix}{body}", ids[body], kind, color, opacity)
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
                width = (
                    4.0 * node.radius if node.kind == "drum" else max(3.0 * cable.diameter, 0.05)
                )
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
        marker.points = [
            Point(x=x, y=y, z=z)
            for i in shape.triangles().ravel()
            for x, y, z in (shape.corners[i],)
        ]
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
    """The shortest turns (w, x, y, z) that bring the z axis, along which cylinders lie, onto
    ``axes`` (..., 3).

    None for an axis without length; downward, about x.
    """
    x, y, z = np.moveaxis(np.asarray(axes, float), -1, 0)
    level = np.hypot(x, y)
    half, across = 0.5 * np.arctan2(level, z), np.where(level > 0.0, level, 1.0)
    about_x, about_y = np.where(level > 0.0, -y / across, 1.0), x / across
    return np.stack(
        [np.cos(half), np.sin(half) * about_x, np.sin(half) * about_y, np.zeros_like(half)], axis=-1
    )


def new_marker(
    frame: str, namespace: str, number: int, kind: int, color: Iterable[float], opacity: float
) -> Marker:
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
