"""Visuals: drawn objects without a part in the physics, and frames that these may follow."""

from typing import Annotated

from pydantic import Field

from cable_sim.spec.quantities import WORLD, Name, Quaternion, Vector, spec
from cable_sim.spec.shapes.shapes import Shape


@spec
class Aim:
    """A frame that goes with a body and whose z axis points at a place on another body.

    It is for drawing what reaches from one body to the other: a luffing cylinder is two visuals on
    two aims, its barrel and its rod, which slide into one another. Page, markers and pictures show
    it; a URDF, whose links are bodies, does not.

    Parameters
    ----------
    name: unlike those of bodies; visuals are drawn on it by this name.
    body, position: its origin, in the frame of the body that it goes with [m].
    at, point: the body that it points at, and the place there, in that body's frame [m].
    """

    name: Name
    body: str
    at: str
    position: Vector = (0.0, 0.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)


@spec
class Visual:
    """A shape drawn with a body or an aim.

    ``position`` [m] and ``orientation`` (w, x, y, z) place the shape in the frame of its ``body``;
    ``opacity`` 1 is solid.
    """

    name: Name
    shape: Shape
    body: str = WORLD
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    color: Vector = (0.95, 0.75, 0.10)
    opacity: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
