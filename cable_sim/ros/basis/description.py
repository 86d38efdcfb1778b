"""The crane as URDF, for robot_state_publisher, RViz' RobotModel and planners. Needs no ROS to run.

Hinges and slides of the crane's axes keep their names and coordinates as in joint_states. Hook
block and load hang on ropes, which URDF can't express. They are ``floating`` joints, for which
robot_state_publisher publishes nothing and leaves the frames to the simulator. ``hoist`` has no
joint here, but it is in joint_states; readers of the description ignore the additional name.
Lattices of many bars and polyhedra are their bounding boxes, because URDF has these shapes only as
mesh files. scene_markers has every bar and face.

Every drawn shape is also the collision shape.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.affines import compose
from transforms3d.quaternions import axangle2quat, qmult, quat2mat, rotate_vector

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.interchange.exports.urdf_elements import (
    add_color,
    add_inertial,
    add_origin,
    measures_of,
    numbers,
)
from cable_sim.machine.pictures.extents import block
from cable_sim.ros.basis.frames import BASE, Array, Link, links, unit_quaternion
from cable_sim.spec import Box, Cylinder, Heightfield, Mesh, Polyhedron, Segments, Sphere
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes.shapes import Shape

LATTICE_OPACITY = 0.35
"""Opacity of a box in place of a lattice or a polyhedron [-]. It lets things behind it show."""
MOST_BARS = 16
"""Largest number of bars drawn as a cylinder each.

A lattice of hundreds of bars is drawn as its bounding box.
"""
FAR = 1e6
STRONG = 1e9
FAST = 1e3
"""Limits of a joint that has none [rad or m], [N m or N], [rad/s or m/s]; URDF needs numbers."""


def robot_description(crane: Crane) -> str:
    """Return the crane as URDF text."""
    return to_text(robot_element(crane))


def to_text(robot: ElementTree.Element) -> str:
    """Return an element and its content as the text of a file."""
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode", xml_declaration=True)


def robot_element(crane: Crane) -> ElementTree.Element:
    """Return the crane as a URDF element, to which others can add."""
    robot = ElementTree.Element("robot", name=crane.name)
    base = ElementTree.SubElement(robot, "link", name=BASE)
    _add_drawings(base, crane, WORLD)
    bodies = {body.name: body for body in crane.scene.bodies}
    for link in links(crane):
        element = ElementTree.SubElement(robot, "link", name=link.name)
        if link.name in bodies:
            body = bodies[link.name]
            add_inertial(element, body)
            if body.shape is not None and body.drawn:
                for piece in _pieces(body.shape):
                    _look(element, f"{body.name}_shape", piece, (*body.color, piece.opacity))
            _add_drawings(element, crane, body.name)
        _joint(robot, link, crane)
    return robot


def _joint(robot: ElementTree.Element, link: Link, crane: Crane) -> None:
    """Add the joint between a link and its parent, with the limits of its drive."""
    axis = next((axis for axis in crane.axes if axis.joint == link.joint), None)
    lower = link.lower
    upper = link.upper
    kind = link.kind
    if axis is not None:
        lower = max(lower, axis.lower)
        upper = min(upper, axis.upper)
        # what turns without a stop, but is not commanded beyond some turns, has these for limits
        kind = "revolute" if kind == "continuous" and np.isfinite([lower, upper]).all() else kind
    joint = ElementTree.SubElement(robot, "joint", name=link.joint, type=kind)
    add_origin(joint, _pose(link.position, link.orientation))
    ElementTree.SubElement(joint, "parent", link=link.parent)
    ElementTree.SubElement(joint, "child", link=link.name)
    if link.axis is None:
        return
    ElementTree.SubElement(joint, "axis", xyz=numbers(link.axis))
    limits(joint, crane, axis, (lower, upper) if kind != "continuous" else None)
    spring = next((j for j in crane.scene.joints if j.name == link.joint and j.damping), None)
    if spring is not None:
        ElementTree.SubElement(joint, "dynamics", damping=repr(spring.damping), friction="0.0")


def limits(
    joint: ElementTree.Element, crane: Crane, axis: Axis | None, ends: tuple[float, float] | None
) -> None:
    """Add effort and speed of the drive, and the bounds of the coordinate [rad or m] if any."""
    limit = {"effort": repr(STRONG), "velocity": repr(FAST)}
    if axis is not None:
        efforts = [
            drive.max_effort * abs(axis.ratio)
            for drive in crane.scene.drives
            if drive.name == axis.drive
        ]
        limit = {"effort": repr(min([*efforts, STRONG])), "velocity": repr(axis.max_speed)}
    if ends is not None:
        limit.update(lower=repr(max(ends[0], -FAR)), upper=repr(min(ends[1], FAR)))
    ElementTree.SubElement(joint, "limit", limit)


class _Piece(NamedTuple):
    """Shape that URDF knows, with its place in its link, and its opacity.

    The place is a position [m] and an orientation (w, x, y, z). The opacity is an upper limit.
    """

    shape: Box | Sphere | Cylinder
    position: ArrayLike = (0.0, 0.0, 0.0)
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    opacity: float = 1.0


def _add_drawings(link: ElementTree.Element, crane: Crane, body: str) -> None:
    """Add the body's drawings that are not its shape."""
    for visual in crane.scene.drawn:
        if visual.body != body:
            continue
        place = np.asarray(visual.position, float)
        turn = unit_quaternion(visual.orientation)
        pieces = list(_pieces(visual.shape))
        for i, piece in enumerate(pieces):
            position = place + rotate_vector(piece.position, turn)
            placed = piece._replace(position=position, orientation=qmult(turn, piece.orientation))
            name = visual.name if len(pieces) == 1 else f"{visual.name}_bar_{i + 1}"
            _look(link, name, placed, (*visual.color, min(visual.opacity, piece.opacity)))


def _pieces(shape: Shape) -> Iterable[_Piece]:
    """Yield the shape as shapes of URDF.

    These are single bars, or the bounding box of a lattice, a polyhedron, a mesh or a heightfield.
    """
    if not isinstance(shape, Segments | Polyhedron | Mesh | Heightfield):
        yield _Piece(shape)
        return
    if isinstance(shape, Segments) and len(shape.ends) <= MOST_BARS:
        for begin, end in np.asarray(shape.ends, float):
            along = end - begin
            if along.any():
                bar = Cylinder(shape.radius, float(np.linalg.norm(along)))
                yield _Piece(bar, 0.5 * (begin + end), _rotation_from_z(along))
        return
    around = block(shape)
    yield _Piece(Box(*(2.0 * around.half).tolist()), around.centre, opacity=LATTICE_OPACITY)


def _rotation_from_z(direction: Array) -> Array:
    """Return the rotation (w, x, y, z) of the z axis, along which cylinders lie, to a direction."""
    x, y, z = direction
    axis = np.array([-y, x, 0.0]) if x or y else np.array([1.0, 0.0, 0.0])
    return axangle2quat(axis, math.atan2(math.hypot(x, y), z))


def _look(link: ElementTree.Element, name: str, piece: _Piece, color: Iterable[float]) -> None:
    """Add a piece to a link as visual and collision; the colour is red, green, blue, opacity."""
    for tag in ("visual", "collision"):
        element = ElementTree.SubElement(link, tag, name=name)
        add_origin(element, _pose(piece.position, piece.orientation))
        geometry = ElementTree.SubElement(element, "geometry")
        ElementTree.SubElement(geometry, *measures_of(piece.shape))
        if tag == "visual":
            add_color(element, f"{link.get('name')}_{name}", tuple(color))


def _pose(position: ArrayLike, orientation: ArrayLike) -> Array:
    """Return a place [m] and a turn (w, x, y, z) as one matrix (4, 4)."""
    return np.asarray(compose(np.asarray(position, float), quat2mat(orientation), np.ones(3)))
