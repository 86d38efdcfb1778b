"""Triangle meshes of a scene's shapes: plain arrays, no web, no scene tree.

Faces of boxes own their corners and round surfaces share theirs, because the page computes
normals by averaging over shared vertices: edges of a box stay crisp and a tube looks round with
few sides.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import quat2mat

from cable_sim.spec.shapes.shapes import Box, Cylinder, Heightfield, Polyhedron, Shape, Sphere
from cable_sim.spec.shapes.shapes import Mesh as SolidMesh

Points = NDArray[np.float64]
Faces = NDArray[np.int64]


class Mesh(NamedTuple):
    """Vertices (n, 3) [m], triangles (m, 3) anticlockwise from outside, colours (n, 4) in 0...1."""

    vertices: Points
    faces: Faces
    colors: Points


EMPTY = Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), np.zeros((0, 4)))


def box(x: float, y: float, z: float) -> tuple[Points, Faces]:
    """Return a cuboid with edge lengths x, y, z [m], centred; 24 vertices."""
    vertices: list[Points] = []
    faces: list[list[int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            right = (axis + 1) % 3
            up = (axis + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            corners[:, right] = (-1, 1, 1, -1)
            corners[:, up] = (-1, -1, 1, 1)
            order = (0, 1, 2, 3) if sign > 0.0 else (3, 2, 1, 0)
            faces += [
                [4 * len(vertices) + order[i] for i in triple] for triple in ((0, 1, 2), (0, 2, 3))
            ]
            vertices.append(corners)
    return np.concatenate(vertices) * (0.5 * np.array([x, y, z])), np.array(faces)


def cylinder(radius: float, length: float, sides: int = 20) -> tuple[Points, Faces]:
    """Return a closed cylinder along z, centred.

    The caps have their own vertices so that the rim stays crisp.
    """
    return revolve([(radius, -0.5 * length), (radius, 0.5 * length)], sides)


def sphere(radius: float, sides: int = 20) -> tuple[Points, Faces]:
    """Return a ball of latitude rings."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, sides // 2 + 1)
    profile = [(radius * np.cos(a), radius * np.sin(a)) for a in angle[1:-1]]
    return lathe(profile, sides, bottom=-radius, top=radius)


def revolve(profile: Iterable[tuple[float, float]], sides: int) -> tuple[Points, Faces]:
    """Return a profile of (radius, z), from lowest to highest, turned about z, with flat caps."""
    rings = list(profile)
    vertices, faces = lathe(rings, sides)
    for (radius, z), upward in ((rings[0], False), (rings[-1], True)):
        cap, cap_faces = _fan(radius, z, sides, upward)
        faces = np.concatenate([faces, cap_faces + len(vertices)])
        vertices = np.concatenate([vertices, cap])
    return vertices, faces


def wheel(radius: float, width: float, sides: int = 28) -> tuple[Points, Faces]:
    """Return a grooved wheel about z: a hub, and two flanges beside a groove down to ``radius``."""
    half = 0.5 * width
    rim = radius + 0.5 * width
    dish = 0.35 * half
    profile = [
        (0.28 * radius, -1.3 * half),
        (0.28 * radius, -dish),
        (0.78 * radius, -dish),
        (0.82 * radius, -half),
        (rim, -half),
        (rim, -0.7 * half),
        (radius, 0.0),
        (rim, 0.7 * half),
        (rim, half),
        (0.82 * radius, half),
        (0.78 * radius, dish),
        (0.28 * radius, dish),
        (0.28 * radius, 1.3 * half),
    ]
    return revolve(_crease(profile), sides)


def drum(radius: float, sides: int = 28) -> tuple[Points, Faces]:
    """Return a rope drum about z with a barrel of that radius [m] and flanges at its ends."""
    flange = 1.35 * radius
    half = 1.3 * radius
    rim = 0.12 * radius
    profile = [
        (flange, -half),
        (flange, rim - half),
        (radius, rim - half),
        (radius, half - rim),
        (flange, half - rim),
        (flange, half),
    ]
    return revolve(_crease(profile), sides)


def bars(starts: ArrayLike, ends: ArrayLike, radius: float, sides: int = 6) -> tuple[Points, Faces]:
    """Return open tubes of one radius [m] between pairs of points (n, 3) [m].

    Pairs of coincident points are left out.
    """
    first = np.asarray(starts, dtype=float)
    last = np.asarray(ends, dtype=float)
    along = last - first
    length = np.linalg.norm(along, axis=1)
    keep = length > 0.0
    first = first[keep]
    last = last[keep]
    along = along[keep] / length[keep, None]
    # Any vector that is not parallel to the bar will do to span its cross section.
    helper = np.where(np.abs(along[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(helper, along)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(along, side)
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rim = radius * (
        np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    )
    vertices = np.stack([first[:, None] + rim, last[:, None] + rim], axis=1).reshape(-1, 3)
    i = np.arange(sides)
    j = (i + 1) % sides
    one = np.concatenate(
        [np.stack([i, j, sides + j], axis=1), np.stack([i, sides + j, sides + i], axis=1)]
    )
    faces = (one[None] + (2 * sides * np.arange(len(first)))[:, None, None]).reshape(-1, 3)
    return vertices, faces


def shape_mesh(shape: Shape) -> tuple[Points, Faces]:
    """Return the mesh of a scene's shape in the shape's own frame."""
    if isinstance(shape, Box):
        return box(shape.x, shape.y, shape.z)
    if isinstance(shape, Sphere):
        return sphere(shape.radius)
    if isinstance(shape, Cylinder):
        return cylinder(shape.radius, shape.length)
    if isinstance(shape, Polyhedron | SolidMesh | Heightfield):
        return np.array(shape.corners), shape.triangles()
    starts, ends = (np.array([pair[i] for pair in shape.ends]).reshape(-1, 3) for i in (0, 1))
    # A lattice has hundreds of bars: four sides are enough unless a bar is thick.
    return bars(starts, ends, shape.radius, sides=4 if shape.radius < 0.1 else 8)


def place_mesh(
    mesh: tuple[Points, Faces],
    color: ArrayLike,
    position: ArrayLike = (0.0, 0.0, 0.0),
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    opacity: float = 1.0,
) -> Mesh:
    """Return the mesh turned by a quaternion (w, x, y, z), moved by a vector [m], in one colour."""
    vertices, faces = mesh
    rgba = np.append(np.asarray(color, dtype=float), opacity)
    moved = vertices @ rotation_matrix(orientation).T + np.asarray(position, dtype=float)
    return Mesh(moved, faces, np.tile(rgba, (len(vertices), 1)))


def merge(meshes: Iterable[Mesh]) -> Mesh:
    """Return all meshes as one, in their common frame."""
    parts = [mesh for mesh in meshes if len(mesh.vertices)]
    if not parts:
        return EMPTY
    offsets = np.cumsum([0] + [len(part.vertices) for part in parts[:-1]])
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + offset for part, offset in zip(parts, offsets, strict=True)]),
        np.concatenate([part.colors for part in parts]),
    )


def rotation_matrix(orientation: ArrayLike) -> Points:
    """Return the rotation matrix (3, 3) of a quaternion (w, x, y, z) of any nonzero length."""
    return np.asarray(quat2mat(orientation), dtype=float)


def quaternions_from_z(axes: ArrayLike) -> Points:
    """Return the shortest rotations (w, x, y, z) of the z axis onto ``axes`` (..., 3).

    An axis without length gives no rotation; a downward one gives a rotation about x.
    """
    x, y, z = np.moveaxis(np.asarray(axes, dtype=float), -1, 0)
    level = np.hypot(x, y)
    half = 0.5 * np.arctan2(level, z)
    across = np.where(level > 0.0, level, 1.0)
    about_x = np.where(level > 0.0, -y / across, 1.0)
    about_y = x / across
    return np.stack(
        [np.cos(half), np.sin(half) * about_x, np.sin(half) * about_y, np.zeros_like(half)], axis=-1
    )


def _crease(profile: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the profile with doubled inner points, so that no normal is averaged over a corner."""
    return [profile[0], *(point for point in profile[1:-1] for _ in range(2)), profile[-1]]


def lathe(
    rings: list[tuple[float, float]],
    sides: int,
    bottom: float | None = None,
    top: float | None = None,
) -> tuple[Points, Faces]:
    """Return the wall between rings of (radius, z), with poles at ``bottom`` and ``top``.

    Rings from the lowest to the highest, or from the widest to the narrowest, face out and up.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vertices = np.concatenate([np.column_stack([r * circle, np.full(sides, z)]) for r, z in rings])
    i = np.arange(sides)
    j = (i + 1) % sides
    faces = []
    for k, (lower, upper) in enumerate(zip(rings, rings[1:], strict=False)):
        if lower == upper:
            continue
        a = k * sides
        b = (k + 1) * sides
        faces += [np.stack([a + i, a + j, b + j], axis=1), np.stack([a + i, b + j, b + i], axis=1)]
    poles: list[tuple[float, float, float]] = []
    for z, ring, upward in ((bottom, 0, False), (top, (len(rings) - 1) * sides, True)):
        if z is not None:
            pole = np.full(sides, len(vertices) + len(poles))
            faces.append(
                np.stack(
                    [pole, ring + i, ring + j] if upward else [pole, ring + j, ring + i], axis=1
                )
            )
            poles.append((0.0, 0.0, z))
    return np.concatenate([vertices, np.array(poles).reshape(-1, 3)]), np.concatenate(faces)


def _fan(radius: float, z: float, sides: int, upward: bool) -> tuple[Points, Faces]:
    """Return a disc at height z that faces up or down."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, z)], axis=1)
    i = np.arange(sides)
    j = (i + 1) % sides
    centre = np.full(sides, sides)
    faces = np.stack([centre, i, j] if upward else [centre, j, i], axis=1)
    return np.concatenate([rim, [[0.0, 0.0, z]]]), faces
