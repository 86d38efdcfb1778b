"""Shapes of bodies and obstacles, for pictures, ground contact and cables."""

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from cable_sim.spec import meshes
from cable_sim.spec.quantities import Many, Positive, Vector, spec


@spec
class Box:
    """Cuboid centred on its frame; edge lengths along x, y, z [m]."""

    x: Positive
    y: Positive
    z: Positive
    kind: Literal["box"] = "box"

    @property
    def outreach(self) -> float:
        """Distance of the farthest point from its centre [m]."""
        return 0.5 * math.hypot(self.x, self.y, self.z)

    @property
    def areas(self) -> tuple[float, float, float]:
        """Projected areas along x, y and z [m^2]."""
        return (self.y * self.z, self.x * self.z, self.x * self.y)

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of a solid of this shape about its centre."""
        x = self.x**2
        y = self.y**2
        z = self.z**2
        return (mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0)


@spec
class Sphere:
    """Ball centred on its frame; radius [m]."""

    radius: Positive
    kind: Literal["sphere"] = "sphere"

    @property
    def outreach(self) -> float:
        """Distance of the farthest point from its centre [m]."""
        return self.radius

    @property
    def areas(self) -> tuple[float, float, float]:
        """Projected areas along x, y and z [m^2]."""
        return 3 * (math.pi * self.radius**2,)

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

    @property
    def outreach(self) -> float:
        """Distance of the farthest point from its centre [m]."""
        return math.hypot(self.radius, 0.5 * self.length)

    @property
    def areas(self) -> tuple[float, float, float]:
        """Projected areas along x, y and z [m^2]."""
        return (*2 * (2.0 * self.radius * self.length,), math.pi * self.radius**2)

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of a solid of this shape about its centre."""
        across = mass * (3.0 * self.radius**2 + self.length**2) / 12.0
        return (across, across, 0.5 * mass * self.radius**2)


_Corner = Annotated[int, Field(strict=True, ge=0)]
_Face = Annotated[tuple[_Corner, ...], Field(min_length=3)]


@spec
class Polyhedron:
    """Convex solid of four corners or more.

    Parameters
    ----------
    corners: in the frame [m].
    faces: numbers of the corners round each face, from 0, anticlockwise as seen from outside:
        refused unless they make a closed convex solid with flat faces. Left out, the solid is the
        convex hull of the corners, whatever of them is inside.
    """

    corners: Annotated[Many[Vector], Field(min_length=4)]
    faces: Annotated[Many[_Face], Field(min_length=4)] | None = None
    kind: Literal["polyhedron"] = "polyhedron"

    @property
    def outreach(self) -> float:
        """Distance of the farthest corner from the origin of its frame [m]."""
        return max(math.hypot(*corner) for corner in self.corners)

    def triangles(self) -> NDArray[np.int64]:
        """Corners of the surface's triangles (n, 3), anticlockwise from outside; for drawing."""
        if self.faces is not None:
            return meshes.triangles(self.faces)
        from scipy.spatial import ConvexHull  # takes longer to load than all of spec

        points = np.array(self.corners)
        hull = ConvexHull(points)
        a, b, c = (points[hull.simplices[:, i]] for i in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        triangles = hull.simplices.astype(np.int64)
        triangles[inward] = triangles[inward][:, ::-1]
        return triangles

    @model_validator(mode="after")
    def _is_solid(self) -> "Polyhedron":
        spread = np.linalg.svd(
            np.array(self.corners) - np.mean(self.corners, axis=0), compute_uv=False
        )
        if spread[-1] <= 1e-9 * spread[0]:
            raise ValueError("corners: all lie in one plane; a polyhedron needs four that do not")
        if self.faces is not None:
            object.__setattr__(
                self, "faces", meshes.orient_faces(np.array(self.corners), self.faces)
            )
        return self


@spec
class Segments:
    """Straight bars, for drawing lattices: pairs of end points in the frame [m] and radius [m]."""

    ends: tuple[tuple[Vector, Vector], ...]
    radius: Positive
    kind: Literal["segments"] = "segments"


Shape = Annotated[Box | Sphere | Cylinder | Polyhedron | Segments, Field(discriminator="kind")]
Solid = Annotated[Box | Sphere | Cylinder | Polyhedron, Field(discriminator="kind")]
