"""Shapes of bodies and obstacles, for pictures, ground contact and cables."""

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cable_sim.spec.quantities import Fraction, Many, Positive, Real, Vector, spec
from cable_sim.spec.shapes import height_files, mesh_files, meshes


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

    def __post_init__(self) -> None:
        spread = np.linalg.svd(
            np.array(self.corners) - np.mean(self.corners, axis=0), compute_uv=False
        )
        if spread[-1] <= 1e-9 * spread[0]:
            raise ValueError("corners: all lie in one plane; a polyhedron needs four that do not")
        if self.faces is not None:
            object.__setattr__(
                self, "faces", meshes.orient_faces(np.array(self.corners), self.faces)
            )


@spec
class Mesh:
    """Closed solid of any shape from a file of triangles.

    Needs trimesh and, unless it is convex, coacd: ``pip install 'cable_sim[meshes]'``.

    Parameters
    ----------
    file: STL, OBJ, glTF (.glb, .gltf), PLY or OFF file; a relative path starts from the folder of
        the file that names it, else from the working folder. The y axis of glTF, which points up,
        becomes z.
    scale: length of the file's unit [m]; 0.001 for millimetres.
    concavity: by how much the convex parts that stand for it may differ from it, as a part of its
        size [-]: less makes more parts.
    """

    file: str
    scale: Positive = 1.0
    concavity: Fraction = 0.02
    kind: Literal["mesh"] = "mesh"

    @property
    def corners(self) -> NDArray[np.float64]:
        """Corners of its triangles (n, 3) [m]."""
        return mesh_files.read_mesh(self.file, self.scale)[0]

    def triangles(self) -> NDArray[np.int64]:
        """Corners of its triangles (n, 3), anticlockwise from outside."""
        return mesh_files.read_mesh(self.file, self.scale)[1]

    def __post_init__(self) -> None:
        mesh_files.check_format(self.file)
        object.__setattr__(self, "file", mesh_files.find_file(self.file))


@spec
class Heightfield:
    """Solid under a surface of heights over a grid, centred on its frame: ground, or a heap.

    Parameters
    ----------
    x, y: extents [m].
    heights: rows along y, each with heights along x from the least x and y on [m]; or
    file: .npy or .npz file of such a table, or a picture, whose black is 0 and white is 1.
    factor: of the heights [-]; of a picture the height of white [m].
    depth: of the solid below its lowest point [m].
    """

    x: Positive
    y: Positive
    heights: Many[Many[Real]] | None = None
    file: str | None = None
    factor: Positive = 1.0
    depth: Positive = 1.0
    kind: Literal["heightfield"] = "heightfield"

    @property
    def grid(self) -> NDArray[np.float64]:
        """Heights (rows, columns) [m]."""
        held = np.array(self.heights) if self.file is None else height_files.read_heights(self.file)
        return self.factor * held

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of the surface (rows, columns, 3) [m]."""
        heights = self.grid
        x = np.linspace(-0.5 * self.x, 0.5 * self.x, heights.shape[1])
        y = np.linspace(-0.5 * self.y, 0.5 * self.y, heights.shape[0])
        return np.dstack([*np.meshgrid(x, y), heights])

    @property
    def corners(self) -> NDArray[np.float64]:
        """Points of the surface, row by row, and below them those of the bottom (n, 3) [m]."""
        top = self.points.reshape(-1, 3)
        bottom = np.array(top)
        bottom[:, 2] = top[:, 2].min() - self.depth
        return np.concatenate([top, bottom])

    def triangles(self) -> NDArray[np.int64]:
        """Corners of the surface's and the border's triangles (n, 3), anticlockwise from outside.

        The bottom is left out.
        """
        rows, columns = self.grid.shape
        at = np.arange(rows * columns).reshape(rows, columns)
        a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
        rim = np.concatenate([at[0], at[1:, -1], at[-1, -2::-1], at[-2::-1, 0]])
        first, second, below = rim[:-1], rim[1:], rows * columns
        return np.concatenate(
            [
                np.column_stack([a, b, c]),
                np.column_stack([a, c, d]),
                np.column_stack([first, first + below, second]),
                np.column_stack([second, first + below, second + below]),
            ]
        )

    def __post_init__(self) -> None:
        if (self.heights is None) == (self.file is None):
            raise ValueError("heights: give heights or a file of them, one of the two")
        if self.file is not None:
            height_files.check_format(self.file)
            object.__setattr__(self, "file", mesh_files.find_file(self.file))
            return
        widths = {len(row) for row in self.heights or ()}
        if len(widths) > 1:
            raise ValueError(f"heights: rows of different lengths, {sorted(widths)}")
        try:
            height_files.check_heights(np.array(self.heights))
        except ValueError as error:
            raise ValueError(f"heights: {error}") from None


@spec
class Segments:
    """Straight bars, for drawing lattices: pairs of end points in the frame [m] and radius [m]."""

    ends: Many[tuple[Vector, Vector]]
    radius: Positive
    kind: Literal["segments"] = "segments"


Shape = Annotated[
    Box | Sphere | Cylinder | Polyhedron | Mesh | Heightfield | Segments,
    Field(discriminator="kind"),
]
Solid = Annotated[Box | Sphere | Cylinder | Polyhedron, Field(discriminator="kind")]
