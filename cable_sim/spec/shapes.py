"""Shapes: what a body looks like, and for boxes and spheres what it touches the ground with."""

from typing import Annotated, Literal

from pydantic import Field

from cable_sim.spec.quantities import Positive, Vector, spec


@spec
class Box:
    """Cuboid centred on its frame; edge lengths along x, y, z [m]."""

    x: Positive
    y: Positive
    z: Positive
    kind: Literal["box"] = "box"

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of a solid of this shape about its centre."""
        x, y, z = self.x**2, self.y**2, self.z**2
        return (mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0)


@spec
class Sphere:
    """Ball centred on its frame; radius [m]."""

    radius: Positive
    kind: Literal["sphere"] = "sphere"

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of a solid of this shape about its centre."""
        moment = 0.4 * mass * self.radius**2
        return (moment, moment, moment)


@spec
class Cylinder:
    """Cylinder along the z axis of its frame, centred; radius and length [m]."""

    radius: Positive
    length: Positive
    kind: Literal["cylinder"] = "cylinder"

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of a solid of this shape about its centre."""
        across = mass * (3.0 * self.radius**2 + self.length**2) / 12.0
        return (across, across, 0.5 * mass * self.radius**2)


@spec
class Segments:
    """Straight bars, for drawing lattices: pairs of end points in the frame [m] and the bars' radius [m]."""

    ends: tuple[tuple[Vector, Vector], ...]
    radius: Positive
    kind: Literal["segments"] = "segments"


Shape = Annotated[Box | Sphere | Cylinder | Segments, Field(discriminator="kind")]
Solid = Annotated[Box | Sphere | Cylinder, Field(discriminator="kind")]
