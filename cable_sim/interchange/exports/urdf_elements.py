"""Elements of URDF: poses, inertias, shapes and colours, with all digits of their numbers."""

import math
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.euler import mat2euler

from cable_sim.spec import Body, Box, Cylinder, Sphere


def numbers(values: ArrayLike) -> str:
    """Return numbers with all their digits, without negative zeros; 0 for what is none."""
    each = np.asarray(values, float).tolist()
    return " ".join(repr(value + 0.0) if math.isfinite(value) else "0.0" for value in each)


def add_origin(parent: Element, place: Any) -> None:
    """Add a pose (4, 4): place [m], and roll, pitch, yaw about the fixed axes x, y, z [rad]."""
    angles = mat2euler(place[:3, :3], "sxyz")
    SubElement(parent, "origin", xyz=numbers(place[:3, 3]), rpy=numbers(angles))


def moments_of(body: Body) -> dict[str, str]:
    """Return moments and products of a body's inertia by their names [kg m^2]."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (map(repr, row) for row in body.tensor.tolist())
    return {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}


def add_inertial(link: Element, body: Body, place: Any = None) -> None:
    """Add mass [kg] and inertia [kg m^2] about a centre of mass with the pose (4, 4) on its link.

    Left out, it is where the link's frame is.
    """
    inertial = SubElement(link, "inertial")
    if place is not None:
        add_origin(inertial, place)
    SubElement(inertial, "mass", value=repr(float(body.mass)))
    SubElement(inertial, "inertia", moments_of(body))


def measures_of(shape: Box | Sphere | Cylinder) -> tuple[str, dict[str, str]]:
    """Return the word for a shape, and its measures [m]."""
    if shape.kind == "box":
        return "box", {"size": numbers((shape.x, shape.y, shape.z))}
    if shape.kind == "sphere":
        return "sphere", {"radius": repr(shape.radius)}
    return "cylinder", {"radius": repr(shape.radius), "length": repr(shape.length)}


def add_color(visual: Element, name: str, color: ArrayLike) -> None:
    """Add a colour as a material of its own: URDF's named materials are global.

    Equal names with other colours clash. The colour is red, green, blue, opacity.
    """
    SubElement(SubElement(visual, "material", name=name), "color", rgba=numbers(color))
