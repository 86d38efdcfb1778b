"""Rigid bodies."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import StrictBool

from cable_sim.spec.air import Drag
from cable_sim.spec.quantities import PLAIN, Many, Name, Positive, Quaternion, Vector, spec
from cable_sim.spec.shapes.shapes import Solid

Tensor = Annotated[tuple[Vector, Vector, Vector], PLAIN]


@spec
class Body:
    """A rigid body; its frame has the origin at the centre of mass.

    Parameters
    ----------
    name: unique name; ``world`` is taken.
    mass: [kg].
    inertia: principal moments (3,) or tensor (3, 3) about the centre of mass in the body frame [kg
        m^2]; left out, that of a solid of the given shape and mass, unless it is a polyhedron.
    shape: outline for contact (box, sphere, polyhedron) and drawing.
    position: of the centre of mass, in the world [m].
    orientation: unit quaternion (w, x, y, z) that turns body vectors into world vectors.
    velocity: of the centre of mass, in the world [m/s].
    angular_velocity: in the world frame [rad/s].
    motion: ``dynamic`` obeys forces; ``prescribed`` follows its velocity whatever acts on it.
    collides: whether its shape touches the scene's surfaces; in a scene with a ``collision`` its
        shape touches everything unless this is False.
    drawn: whether its shape is drawn; False for one whose visuals show it.
    drag: patches that the wind, or still air, acts on; none for a body that does not feel it.
    color: red, green, blue in 0...1.
    """

    name: Name
    mass: Positive = 1.0
    inertia: Tensor | Vector | None = None
    shape: Solid | None = None
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    motion: Literal["dynamic", "prescribed"] = "dynamic"
    collides: StrictBool | None = None
    drawn: StrictBool = True
    drag: Many[Drag] = ()
    color: Vector = (0.75, 0.75, 0.78)

    def __post_init__(self) -> None:
        many = self.shape is not None and self.shape.kind == "polyhedron"
        if self.inertia is None and (self.shape is None or many):
            raise ValueError("give an inertia, or a box, sphere or cylinder to compute it from")
        if self.name == "world":
            raise ValueError("'world' is the body that never moves; choose another name")
        if sum(q * q for q in self.orientation) == 0.0:
            raise ValueError("orientation is a quaternion (w, x, y, z) and can't be zero")
        if self.collides and self.shape is None:
            raise ValueError("only a body with a shape can collide")
        for i, drag in enumerate(self.drag):
            if drag.areas is None and (self.shape is None or many):
                raise ValueError(f"drag.{i}: areas: give them, or the body a shape that has them")

    @property
    def tensor(self) -> NDArray[np.float64]:
        """Given inertia, or its shape's, about the centre of mass, body frame (3, 3) [kg m^2]."""
        given = self.inertia
        if given is None:
            assert self.shape is not None and self.shape.kind != "polyhedron"
            given = self.shape.inertia(self.mass)
        return np.diag(given) if np.ndim(given) == 1 else np.array(given)
