"""Reading of a load from URDF, the robot description of ROS.

A load is one link with an inertial and a collision element. Its body has the origin at the centre
of mass and the axes of the link. What touches the ground, and is drawn, is the collision geometry:
a sphere, a box, or as a polyhedron what these can not be, a cylinder, a mesh, or a box or sphere
beside the centre of mass. A mesh, an STL file, is taken for its convex hull. Visual elements are
left out, but for the colour of the first.
"""

import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat

from cable_sim.errors import SpecError
from cable_sim.spec.bodies import Body
from cable_sim.spec.shapes.shapes import Box, Polyhedron, Sphere

Array = NDArray[np.float64]

LONGEST = 1_000_000
"""Largest size of a description [characters], and of a mesh a hundred times that [bytes]."""
SIDES = 16
"""Number of the corners at each end of a cylinder."""
DIRECTIONS = 60
"""Number of directions in which the farthest corner of a mesh is kept, if it has more corners."""
GREY = (0.75, 0.75, 0.78)
HEADER = 84
"""Size of the header of a binary file [bytes]: 80 of text, 4 with the number of triangles."""
TRIANGLE = np.dtype([("normal", "<3f4"), ("points", "<(3,3)f4"), ("attribute", "<u2")])
"""A triangle of a binary file."""
VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")
CENTRED = 1e-6
"""Largest offset [m] and turn [-] of a shape that counts as centred on its body."""


class FormatError(SpecError):
    """Error for a text that is no URDF, or says what a load can not be."""


class MissingAssetError(SpecError):
    """Error for a mesh that is not there."""


class UnsupportedAssetError(SpecError):
    """Error for a mesh that is no STL file, or a damaged one."""


def read_load(text: str, find: Callable[[str], Path], name: str = "") -> tuple[Body, Array]:
    """Return a load as a body that stands with its link at the origin, and its centre of mass.

    The centre is that in the link's frame (3,) [m]. ``find`` returns the file of the address of a
    mesh. The body has the name of the robot, unless another one is given. Raises FormatError,
    MissingAssetError and UnsupportedAssetError, which name the element.
    """
    try:
        return _read(text, find, name)
    except (FormatError, MissingAssetError, UnsupportedAssetError):
        raise
    except SpecError as error:
        raise FormatError(str(error)) from None


def _read(text: str, find: Callable[[str], Path], name: str) -> tuple[Body, Array]:
    """Do :func:`read_load`; SpecError for what a body can not be."""
    link, robot = _only_link(text)
    inertial = _child(link, "inertial")
    collisions = link.findall("collision")
    if len(collisions) != 1:
        raise FormatError(f"link has {len(collisions)} collision elements; a load has one")
    mass = _number(_child(inertial, "mass"), "value")
    centre, turn = _origin(inertial)
    inertia = turn @ _tensor(_child(inertial, "inertia")) @ turn.T
    place, turned = _origin(collisions[0])
    shape = _shape(_child(collisions[0], "geometry"), place - centre, turned, find)
    body = Body(
        name or robot,
        mass,
        tuple(map(tuple, inertia.tolist())),  # type: ignore[arg-type]
        shape,
        position=tuple(centre.tolist()),
        collides=True,
        color=_color(link),
    )
    return body, centre


def _only_link(text: str) -> tuple[ElementTree.Element, str]:
    """Return the link of a robot and the robot's name."""
    if len(text) > LONGEST:
        raise FormatError(f"the description has {len(text)} characters; {LONGEST} are allowed")
    if "<!ENTITY" in text:
        raise FormatError("the description defines entities, which are not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FormatError(f"the description is no XML: {error}") from None
    if root.tag != "robot":
        raise FormatError(f"the root is {root.tag!r}; URDF begins with 'robot'")
    links = root.findall("link")
    if len(links) != 1:
        raise FormatError(f"robot has {len(links)} links; a load has one")
    return links[0], root.get("name", "")


def _child(parent: ElementTree.Element, tag: str) -> ElementTree.Element:
    """Return the child with a tag; raise FormatError without one."""
    found = parent.find(tag)
    if found is None:
        raise FormatError(f"{parent.tag} has no {tag!r} element")
    return found


def _number(element: ElementTree.Element, attribute: str) -> float:
    """Return an attribute as a number."""
    (number,) = _numbers(element, attribute, 1)
    return number


def _numbers(
    element: ElementTree.Element, attribute: str, count: int, default: str | None = None
) -> list[float]:
    """Return an attribute as so many finite numbers."""
    given = element.get(attribute, default)
    try:
        numbers = [float(part) for part in (given or "").split()]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        what = "a finite number" if count == 1 else f"{count} finite numbers"
        raise FormatError(f"{element.tag}: {attribute} is {given!r}, not {what}")
    return numbers


def _origin(parent: ElementTree.Element) -> tuple[Array, Array]:
    """Return the place of an element in its link [m], and its rotation matrix."""
    found = parent.find("origin")
    if found is None:
        return np.zeros(3), np.eye(3)
    place = np.array(_numbers(found, "xyz", 3, "0 0 0"))
    # about the fixed axes x, y, z, one after the other
    return place, euler2mat(*_numbers(found, "rpy", 3, "0 0 0"), axes="sxyz")


def _tensor(element: ElementTree.Element) -> Array:
    """Return the inertia (3, 3) about the axes of its element [kg m^2]."""
    xx, yy, zz, xy, xz, yz = (
        _numbers(element, key, 1, None if key[1] == key[2] else "0")[0]
        for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.linalg.eigvalsh(tensor)[0] > 0.0:
        raise FormatError(f"inertia: {tensor.tolist()} is not positive definite")
    return tensor


def _color(link: ElementTree.Element) -> tuple[float, float, float]:
    """Return the colour of the first visual element, or grey."""
    color = link.find("visual/material/color")
    if color is None:
        return GREY
    red, green, blue, _ = _numbers(color, "rgba", 4)
    return red, green, blue


def _shape(
    geometry: ElementTree.Element, offset: Array, turn: Array, find: Callable[[str], Path]
) -> Box | Sphere | Polyhedron:
    """Return the shape of a geometry that is beside the centre of mass, or turned."""
    centred = bool(np.abs(offset).max() < CENTRED)
    straight = bool(np.abs(turn - np.eye(3)).max() < CENTRED)
    kinds: dict[str, Callable[[Any], Any]] = {
        "box": _box,
        "sphere": _sphere,
        "cylinder": _cylinder,
        "mesh": lambda element: _mesh(element, find),
    }
    for tag, read in kinds.items():
        element = geometry.find(tag)
        if element is None:
            continue
        made = read(element)
        if isinstance(made, Sphere) and centred:
            return made
        if isinstance(made, Box) and centred and straight:
            return made
        corners = offset + _corners(made) @ turn.T
        return Polyhedron(tuple(map(tuple, corners.tolist())))
    raise FormatError(f"geometry: none of {', '.join(kinds)} is there")


def _box(element: ElementTree.Element) -> Box:
    """Return a box."""
    x, y, z = _numbers(element, "size", 3)
    return Box(x, y, z)


def _sphere(element: ElementTree.Element) -> Sphere:
    """Return a ball."""
    return Sphere(_number(element, "radius"))


def _cylinder(element: ElementTree.Element) -> Array:
    """Return the corners (n, 3) of a prism about the z axis that stands for a cylinder [m]."""
    radius = _number(element, "radius")
    half = 0.5 * _number(element, "length")
    if not (radius > 0.0 and half > 0.0):
        raise FormatError(f"cylinder: radius {radius:g} and length {2 * half:g} must be above 0")
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.concatenate([np.column_stack([circle, np.full(SIDES, z)]) for z in (-half, half)])


def _mesh(element: ElementTree.Element, find: Callable[[str], Path]) -> Array:
    """Return the corners (n, 3) of the convex hull of a mesh, or of those that reach farthest."""
    address = element.get("filename", "")
    if not address.lower().endswith(".stl"):
        raise UnsupportedAssetError(f"mesh {address!r}: only STL files are read")
    path = find(address)
    try:
        if path.stat().st_size > 100 * LONGEST:
            raise UnsupportedAssetError(f"mesh {address!r}: is larger than {LONGEST // 10_000} MB")
        data = path.read_bytes()
    except OSError as error:
        raise MissingAssetError(f"mesh {address!r}: {path}: {error.strerror}") from None
    try:
        points = read_points(data)
    except SpecError as error:
        raise UnsupportedAssetError(f"mesh {address!r}: {error}") from None
    hull = corners_of_hull(points * _numbers(element, "scale", 3, "1 1 1"))
    if hull is None:
        raise UnsupportedAssetError(f"mesh {address!r}: all of it lies in one plane")
    return hull


def corners_of_hull(points: Array) -> Array | None:
    """Return the corners (m, 3) [m] of the convex hull of points (n, 3) [m].

    There are at most :data:`DIRECTIONS`, those that reach farthest.

    It is None for points in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError  # takes longer to load than all of spec

    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:
        return None
    if len(corners) <= DIRECTIONS:
        return corners
    # directions on a spiral, evenly over the sphere
    i = np.arange(DIRECTIONS)
    z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS
    angle = i * np.pi * (3.0 - math.sqrt(5.0))
    ring = np.sqrt(1.0 - z * z)
    ways = np.column_stack([ring * np.cos(angle), ring * np.sin(angle), z])
    return corners[np.unique(np.argmax(corners @ ways.T, axis=0))]


def _corners(made: Box | Sphere | Array) -> Array:
    """Return the corners (n, 3) that stand for a shape in its own frame [m]."""
    if isinstance(made, Box):
        half = 0.5 * np.array([made.x, made.y, made.z])
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
        return signs * half
    if isinstance(made, Sphere):
        raise FormatError("sphere: its centre is off the centre of mass, which a ball's is not")
    return made


def read_points(data: bytes) -> Array:
    """Return the corners (n, 3) of all triangles of an STL file, in the unit of the file.

    A corner that triangles share is there several times. Raises SpecError for what is no STL file.
    """
    points = _binary_points(data)
    if points is None:
        points = _text_points(data)
    if not len(points):
        raise SpecError("there are no triangles: this is no STL file")
    if not np.isfinite(points).all():
        raise SpecError("a corner is not finite")
    return points


def _binary_points(data: bytes) -> Array | None:
    """Return the corners of a binary file; None for another one.

    Many binary files begin like a text, so the number of triangles decides.
    """
    if len(data) < HEADER:
        return None
    (count,) = struct.unpack_from("<I", data, HEADER - 4)
    if len(data) != HEADER + count * TRIANGLE.itemsize:
        return None
    triangles = np.frombuffer(data, TRIANGLE, count, HEADER)
    return triangles["points"].reshape(-1, 3).astype(float)


def _text_points(data: bytes) -> Array:
    """Return the corners of a text file."""
    try:
        numbers = [[float(part) for part in found] for found in VERTEX.findall(data)]
    except ValueError as error:
        raise SpecError(f"a corner can't be read: {error}") from None
    return np.array(numbers).reshape(-1, 3)
