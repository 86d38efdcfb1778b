"""The crane as URDF, for robot_state_publisher, RViz' RobotModel and planners. Needs no ROS to run.

Hinges and slides of the crane's axes keep their names and coordinates as in joint_states. Hook
block and load hang on ropes, which URDF can't say: they are ``floating`` joints, for which
robot_state_publisher publishes nothing and leaves the frames to the simulator. ``hoist`` has no
joint here; it is in joint_states all the same, and nobody who follows the description minds a name
more. Lattices of many bars and polyhedra, which URDF has only as mesh files, are their bounding
boxes; scene_markers has every bar and face.

Whatever is drawn is there for collisions, too, with the same shape.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.euler import quat2euler
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.ros.publish.frames import BASE, Link, links
from cable_sim.spec import Body, Box, Cylinder, Polyhedron, Segments, Sphere
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes import Shape

Array = NDArray[np.float64]

LATTICE_OPACITY = 0.35
"""A box that stands for a lattice or a polyhedron lets things behind it show."""
MOST_BARS = 16
"""So many bars are a cylinder each; of a lattice of hundreds these would be of no use, and it is
the box around it."""
FAR, STRONG, FAST = 1e6, 1e9, 1e3
"""Limits of a joint that has none [rad or m], [N m or N], [rad/s or m/s]: URDF wants numbers."""


def robot_description(crane: Crane) -> str:
    """The crane as URDF text."""
    return written(robot_element(crane))


def written(robot: ElementTree.Element) -> str:
    """An element and what is in it as a file's text."""
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode", xml_declaration=True)


def robot_element(crane: Crane) -> ElementTree.Element:
    """The crane as URDF, for others to add to."""
    robot = ElementTree.Element("robot", name=crane.name)
    base = ElementTree.SubElement(robot, "link", name=BASE)
    _drawn(base, crane, WORLD)
    bodies = {body.name: body for body in crane.scene.bodies}
    for link in links(crane):
        element = ElementTree.SubElement(robot, "link", name=link.name)
        if link.name in bodies:
            body = bodies[link.name]
            _inertial(element, body)
            if body.shape is not None:
                _look(element, f"{body.name}_shape", _Piece(body.shape), (*body.color, 1.0))
            _drawn(element, crane, body.name)
        _joint(robot, link, crane)
    return robot


def _joint(robot: ElementTree.Element, link: Link, crane: Crane) -> None:
    """The joint between a link and its parent, with the limits of its drive."""
    axis = next((axis for axis in crane.axes if axis.joint == link.joint), None)
    lower, upper, kind = link.lower, link.upper, link.kind
    if axis is not None:
        lower, upper = max(lower, axis.lower), min(upper, axis.upper)
        # what turns without a stop, but is not commanded beyond some turns, has these for limits
        kind = "revolute" if kind == "continuous" and np.isfinite([lower, upper]).all() else kind
    joint = ElementTree.SubElement(robot, "joint", name=link.joint, type=kind)
    _origin(joint, link.position, link.orientation)
    ElementTree.SubElement(joint, "parent", link=link.parent)
    ElementTree.SubElement(joint, "child", link=link.name)
    if link.axis is None:
        return
    ElementTree.SubElement(joint, "axis", xyz=_numbers(link.axis))
    limits(joint, crane, axis, (lower, upper) if kind != "continuous" else None)
    spring = next((j for j in crane.scene.joints if j.name == link.joint and j.damping), None)
    if spring is not None:
        ElementTree.SubElement(joint, "dynamics", damping=repr(spring.damping), friction="0.0")


def limits(
    joint: ElementTree.Element, crane: Crane, axis: Axis | None, ends: tuple[float, float] | None
) -> None:
    """Effort and speed that the drive gives, and the ends of the way [rad or m] if there are
    any."""
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


def _inertial(link: ElementTree.Element, body: Body) -> None:
    """Mass [kg] and inertia [kg m^2] about the centre of mass, where the link's frame is."""
    given = body.inertia if body.inertia is not None else body.shape.inertia(body.mass)  # type: ignore[union-attr]
    tensor = np.asarray(given, float)
    tensor = np.diag(tensor) if tensor.ndim == 1 else tensor
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "mass", value=repr(float(body.mass)))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (tuple(repr(float(v)) for v in row) for row in tensor)
    ElementTree.SubElement(inertial, "inertia", ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz)


class _Piece(NamedTuple):
    """A shape that URDF knows, where it is in its link [m], (w, x, y, z), and how opaque at
    most."""

    shape: Box | Sphere | Cylinder
    position: ArrayLike = (0.0, 0.0, 0.0)
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    opacity: float = 1.0


def _drawn(link: ElementTree.Element, crane: Crane, body: str) -> None:
    """What is drawn with the body without being its shape."""
    for visual in crane.scene.drawn:
        if visual.body != body:
            continue
        place, turn = np.asarray(visual.position, float), np.asarray(visual.orientation, float)
        turn = turn / np.linalg.norm(turn)
        pieces = list(_pieces(visual.shape))
        for i, piece in enumerate(pieces):
            position = place + rotate_vector(piece.position, turn)
            placed = piece._replace(position=position, orientation=qmult(turn, piece.orientation))
            name = visual.name if len(pieces) == 1 else f"{visual.name}_bar_{i + 1}"
            _look(link, name, placed, (*visual.color, min(visual.opacity, piece.opacity)))


def _pieces(shape: Shape) -> Iterable[_Piece]:
    """The shape in those of URDF: bars one by one, or the box that holds a lattice or a
    polyhedron."""
    if not isinstance(shape, Segments | Polyhedron):
        yield _Piece(shape)
        return
    if isinstance(shape, Segments) and len(shape.ends) <= MOST_BARS:
        for begin, end in np.asarray(shape.ends, float):
            along = end - begin
            if along.any():
                bar = Cylinder(shape.radius, float(np.linalg.norm(along)))
                yield _Piece(bar, 0.5 * (begin + end), _from_z(along))
        return
    points = np.asarray(
        shape.ends if isinstance(shape, Segments) else shape.corners, float
    ).reshape(-1, 3)
    margin = shape.radius if isinstance(shape, Segments) else 0.0
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    yield _Piece(Box(*(high - low).tolist()), 0.5 * (low + high), opacity=LATTICE_OPACITY)


def _from_z(direction: Array) -> Array:
    """A turn (w, x, y, z) that brings the z axis, along which cylinders lie, to the direction."""
    x, y, z = direction
    axis = np.array([-y, x, 0.0]) if x or y else np.array([1.0, 0.0, 0.0])
    return axangle2quat(axis, math.atan2(math.hypot(x, y), z))


def _look(link: ElementTree.Element, name: str, piece: _Piece, color: Iterable[float]) -> None:
    """A piece of a link, to be seen and to be run into; the colour is red, green, blue, opacity."""
    for tag in ("visual", "collision"):
        element = ElementTree.SubElement(link, tag, name=name)
        _origin(element, piece.position, piece.orientation)
        _geometry(ElementTree.SubElement(element, "geometry"), piece.shape)
        if tag == "visual":
            # a material of its own for each visual: URDF's named materials are global, and equal
            # names with other colours clash
            material = ElementTree.SubElement(
                element, "material", name=f"{link.get('name')}_{name}"
            )
            ElementTree.SubElement(material, "color", rgba=_numbers(tuple(color)))


def _geometry(parent: ElementTree.Element, shape: Box | Sphere | Cylinder) -> None:
    """The shape's measures [m]."""
    if isinstance(shape, Box):
        ElementTree.SubElement(parent, "box", size=_numbers((shape.x, shape.y, shape.z)))
    elif isinstance(shape, Sphere):
        ElementTree.SubElement(parent, "sphere", radius=repr(shape.radius))
    else:
        ElementTree.SubElement(
            parent, "cylinder", radius=repr(shape.radius), length=repr(shape.length)
        )


def _origin(parent: ElementTree.Element, position: ArrayLike, orientation: ArrayLike) -> None:
    """Position and, as URDF's roll, pitch, yaw about the fixed axes x, y, z, orientation."""
    angles = quat2euler(np.asarray(orientation, float), "sxyz")
    ElementTree.SubElement(parent, "origin", xyz=_numbers(position), rpy=_numbers(angles))


def _numbers(values: ArrayLike) -> str:
    """Numbers as URDF writes them: with all their digits, without negative zeros."""
    return " ".join(
        repr(float(v) + 0.0) if math.isfinite(v) else "0.0" for v in np.asarray(values, float)
    )
