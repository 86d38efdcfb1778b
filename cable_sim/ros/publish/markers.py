"""Markers for RViz of the crane's shapes, and rules of all markers.

The markers of cables (``ros/publish/cable_markers.py``) follow the same rules, which are
consequences of RViz' source. ``(ns, id)`` is a marker's identity and must not occur twice in an
array. A number that is not finite gets the whole marker refused. A ``lifetime`` makes markers
vanish when the clock stands still, so it is 0. ``frame_locked`` moves a marker with its frame
without being sent again. But the marker is then rebuilt for every picture, so it is for shapes and
not for cables. Colours per point must be as many as the points.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.rendering.contact_arrows import HEAD, SHAFT
from cable_sim.rendering.meshes import quaternions_from_z
from cable_sim.ros.basis.frames import Array, unit_quaternion
from cable_sim.ros.basis.messages import set_orientation, set_vector, vector_of, wxyz
from cable_sim.spec import Box, Cylinder, Polyhedron, Segments, Sphere, Surface, Visual
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes.shapes import Shape

GROUND_SIZE = 300.0
GROUND_THICKNESS = 0.05
"""Edge of the square in place of an infinite ground, and thickness of drawn surfaces [m]."""


def scene_markers(crane: Crane, prefix: str, world: str) -> MarkerArray:
    """Return scene_markers: every shape in its body's frame.

    An order to forget earlier markers comes first.
    """
    markers = [Marker(action=Marker.DELETEALL)]
    markers[0].header.frame_id = world
    ids: dict[str, int] = {}

    def add(body: str, kind: int, color: Iterable[float], opacity: float) -> Marker:
        """Add a new marker that moves with the body."""
        ids[body] = ids.get(body, -1) + 1
        frame = world if body == WORLD else prefix + body
        marker = new_marker(frame, f"{prefix}{body}", ids[body], kind, color, opacity)
        marker.frame_locked = body != WORLD
        markers.append(marker)
        return marker

    for body in crane.scene.bodies:
        if body.shape is not None and body.drawn:
            _shape(add(body.name, _KINDS[body.shape.kind], body.color, 1.0), body.shape)
    for visual in crane.scene.drawn:
        marker = add(visual.body, _KINDS[visual.shape.kind], visual.color, visual.opacity)
        set_vector(marker.pose.position, visual.position)
        set_orientation(marker.pose.orientation, unit_quaternion(visual.orientation))
        _shape(marker, visual.shape)
    for surface in crane.scene.surfaces:
        _surface(add(WORLD, Marker.CUBE, surface.color, 1.0), surface)
    for cable in crane.scene.cables:
        for node in cable.nodes:
            if node.kind in ("sheave", "wheel", "drum"):
                marker = add(node.body, Marker.CYLINDER, cable.color, 1.0)
                set_vector(marker.pose.position, node.position)
                set_orientation(marker.pose.orientation, quaternions_from_z(node.axis))
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
    "mesh": Marker.TRIANGLE_LIST,
    "heightfield": Marker.TRIANGLE_LIST,
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
    elif shape.kind in ("polyhedron", "mesh", "heightfield"):
        set_vector(marker.scale, (1.0, 1.0, 1.0))
        marker.points = [
            Point(x=x, y=y, z=z)
            for i in shape.triangles().ravel()
            for x, y, z in (shape.corners[i],)
        ]
    else:
        set_vector(marker.scale, (2.0 * shape.radius, 0.0, 0.0))
        marker.points = [Point(x=x, y=y, z=z) for ends in shape.ends for x, y, z in ends]


def arrow_markers(arrows: Array, legend: str, world: str) -> MarkerArray:
    """Return contact_markers: arrows of ``rendering/contact_arrows.py``, named by their legend.

    An order to forget earlier ones comes first. RViz draws the arrows: their triangles as messages
    would cost a node more time than its physics.
    """
    markers = [Marker(action=Marker.DELETEALL)]
    markers[0].header.frame_id = world
    for number, (x, y, z, along, aside, up, *color) in enumerate(arrows.tolist()):
        length = math.hypot(along, aside, up)
        if length == 0.0:
            continue
        name = f"contact forces, {legend}"
        marker = new_marker(world, name, number, Marker.ARROW, color, 1.0)
        marker.points = [Point(x=x, y=y, z=z), Point(x=x + along, y=y + aside, z=z + up)]
        radius, neck = HEAD
        widths = (2.0 * SHAFT * length, 2.0 * radius * length, (1.0 - neck) * length)
        set_vector(marker.scale, widths)
        markers.append(marker)
    return MarkerArray(markers=markers)


def visual_of(marker: Marker, body: str) -> Visual:
    """Return what a marker of scene_markers draws on a body, the inverse of :func:`scene_markers`.

    Triangles become the convex hull of their corners, as loads are.
    """
    color = marker.color
    return Visual(
        f"{body}_{marker.id}",
        _shape_of(marker),
        body,
        vector_of(marker.pose.position),
        tuple(wxyz(marker.pose.orientation).tolist()),
        (color.r, color.g, color.b),
        color.a,
    )


def _shape_of(marker: Marker) -> Shape:
    """Return the shape that a marker has the size of."""
    size = marker.scale
    if marker.type == Marker.CUBE:
        return Box(size.x, size.y, size.z)
    if marker.type == Marker.SPHERE:
        return Sphere(0.5 * size.x)
    if marker.type == Marker.CYLINDER:
        return Cylinder(0.5 * size.x, size.z)
    points = [vector_of(point) for point in marker.points]
    if marker.type == Marker.TRIANGLE_LIST:
        return Polyhedron(tuple(dict.fromkeys(points)))
    return Segments(tuple(zip(points[::2], points[1::2], strict=True)), 0.5 * size.x)


def _surface(marker: Marker, surface: Surface) -> None:
    """Make the marker a thin slab whose upper face is the surface."""
    normal = np.asarray(surface.normal, float) / np.linalg.norm(surface.normal)
    sizes = [2.0 * half if math.isfinite(half) else GROUND_SIZE for half in surface.extent]
    set_vector(marker.scale, (*sizes, GROUND_THICKNESS))
    set_vector(marker.pose.position, np.asarray(surface.point) - 0.5 * GROUND_THICKNESS * normal)
    set_orientation(marker.pose.orientation, quaternions_from_z(normal))


def new_marker(
    frame: str, namespace: str, number: int, kind: int, color: Iterable[float], opacity: float
) -> Marker:
    """Return a marker with the fields that all markers share."""
    red, green, blue = (float(part) for part in color)
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=float(opacity))
    return marker
