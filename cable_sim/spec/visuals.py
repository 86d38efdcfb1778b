"""Visuals: drawn objects without a part in the physics."""

from typing import Annotated

from pydantic import Field

from cable_sim.spec.quantities import WORLD, Name, Quaternion, Vector, spec
from cable_sim.spec.shapes import Shape


@spec
class Visual:
    """A shape drawn with a body.

    ``position`` [m] and ``orientation`` (w, x, y, z) place the shape in the body's frame;
    ``opacity`` 1 is solid.
    """

    name: Name
    shape: Shape
    body: str = WORLD
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    color: Vector = (0.95, 0.75, 0.10)
    opacity: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
