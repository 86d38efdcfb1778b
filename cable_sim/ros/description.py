"""The crane as URDF, for robot_state_publisher, RViz' RobotModel and planners. Needs no ROS to run.

Hinges and slides of the crane's axes keep their names and coordinates as in joint_states. Hook block and load
hang on ropes, which URDF can't say: they are ``floating`` joints, for which robot_state_publisher publishes
nothing and leaves the frames to the simulator. ``hoist`` has no joint here; it is in joint_states all the
same, and nobody who follows the description minds a name more. Lattices and polyhedra, which URDF has only as mesh
files, are drawn as their bounding boxes; scene_markers has every bar and face.
"""

import math
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.euler import quat2euler
from transforms3d.quaternions import quat2mat

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.ros.frames import BASE, Link, links
from cable_sim.spec import Body
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

LATTICE_OPACITY = 0.35
"""A box that stands for a lattice lets things behind it show."""


def robot_description(crane: Crane) -> str:
    """The crane as URDF text."""
    robot = ElementTree.Element("robot", name=crane.name)
    base = ElementTree.SubElement(robot, "link", name=BASE)
    _visuals(base, crane, WORLD)
    bodies = {body.name: body for body in crane.scene.bodies}
    axes = {axis.joint: axis for axis in crane.axes}
    for link in links(crane):
        element = ElementTree.SubElement(robot, "link", name=link.name)
        if link.name in bodies:
            body = bodies[link.name]
            _inertial(element, body)
            if body.shape is not None:
                _visual(
                    element,
                    f"{body.name}_shape",
                    body.shape,
                    (0.0, 0.0, 0.0),
                    (1.0, 0.0, 0.0, 0.0),
                    body.color,
                )
            _visuals(element, crane, body.name)
        _joint(robot, link, axes.get(link.joint), crane)
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode", xml_declaration=True)


def _joint(robot: ElementTree.Element, link: Link, axis: Axis | None, crane: Crane) -> None:
    """The joint between a link and its parent, with the limits of its drive."""
    joint = ElementTree.SubElement(robot, "joint", name=link.joint, type=link.kind)
    _origin(joint, link.position, link.orientation)
    ElementTree.SubElement(joint, "parent", link=link.parent)
    ElementTree.SubElement(joint, "child", link=link.name)
    if link.axis is None:
        return
    ElementTree.SubElement(joint, "axis", xyz=_numbers(link.axis))
    lower, upper = link.lower, link.upper
    if axis is not None:
        lower, upper = max(lower, axis.lower), min(upper, axis.upper)
    # URDF wants numbers: a bound that is not there is one far away, an effort that has no limit is a large
    # one
    limit = {"effort": "1e9", "velocity": "1e3"}
    if axis is not None:
        drive = next(drive for drive in crane.scene.drives if drive.name == axis.drive)
        limit["effort"] = repr(min(drive.max_effort * abs(axis.ratio), 1e9))
        limit["velocity"] = repr(axis.max_speed)
    if link.kind != "continuous":
        limit.update(lower=repr(max(lower, -1e6)), upper=repr(min(upper, 1e6)))
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


def _visuals(link: ElementTree.Element, crane: Crane, body: str) -> None:
    """What is drawn with the body without being part of the physics."""
    for visual in crane.scene.drawn:
        if visual.body == body:
            _visual(
                link,
                visual.name,
                visual.shape,
                visual.position,
                visual.orientation,
                visual.color,
                visual.opacity,
            )


def _visual(
    link: ElementTree.Element, name: str, shape: Any, position: ArrayLike, orientation: ArrayLike,
    color: Iterable[float], opacity: float = 1.0,
) -> None:  # fmt: skip
    """One shape; straight bars and polyhedra become the box that holds them."""
    place, turn = np.asarray(position, float), np.asarray(orientation, float)
    visual = ElementTree.SubElement(link, "visual", name=name)
    geometry = ElementTree.Element("geometry")
    if shape.kind == "box":
        ElementTree.SubElement(geometry, "box", size=_numbers((shape.x, shape.y, shape.z)))
    elif shape.kind == "sphere":
        ElementTree.SubElement(geometry, "sphere", radius=repr(shape.radius))
    elif shape.kind == "cylinder":
        ElementTree.SubElement(geometry, "cylinder", radius=repr(shape.radius), length=repr(shape.length))
    else:
        bars = shape.kind == "segments"
        points = np.asarray(shape.ends if bars else shape.corners, float).reshape(-1, 3)
        margin = shape.radius if bars else 0.0
        low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
        place = place + quat2mat(turn) @ (0.5 * (low + high))
        opacity = min(opacity, LATTICE_OPACITY)
        ElementTree.SubElement(geometry, "box", size=_numbers(high - low))
    _origin(visual, place, turn)
    visual.append(geometry)
    # a material of its own for each visual: URDF's named materials are global, and equal names with other
    # colours clash
    material = ElementTree.SubElement(visual, "material", name=f"{link.get('name')}_{name}")
    ElementTree.SubElement(material, "color", rgba=_numbers((*color, opacity)))


def _origin(parent: ElementTree.Element, position: ArrayLike, orientation: ArrayLike) -> None:
    """Position and, as URDF's roll, pitch, yaw about the fixed axes x, y, z, orientation."""
    angles = quat2euler(np.asarray(orientation, float), "sxyz")
    ElementTree.SubElement(parent, "origin", xyz=_numbers(position), rpy=_numbers(angles))


def _numbers(values: ArrayLike) -> str:
    """Numbers as URDF writes them: with all their digits, without negative zeros."""
    return " ".join(repr(float(v) + 0.0) if math.isfinite(v) else "0.0" for v in np.asarray(values, float))
