"""Support points of convex shapes, and a pair of shapes as seen from the first.

A shape is a *core* and a *margin* all round it. The core of a ball is a point, that of a capsule a
line along z; the others have their own body as core. In the frame of shape A, with B's frame at p
with the axes R, the points a - (p + R b) of both cores make the convex set C. The shapes' signed
distance is that of the origin from C.

Along a unit vector n, which points from B to A, the cores stand apart by

    s(n) = min_{x in C} n . x = n . w(n),    w(n) = a(-n) - p - R b(n),

a(d), b(d) the points of A and B farthest along d. The signed distance is the largest s of all n:
for shapes apart the distance (the plane across n between them), and for others the depth, negative.
So each s is a lower bound, and no gap that comes from one is too large.
"""

from math import sqrt
from typing import NamedTuple

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, axpy, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.collision import Shapes

BALL = 0
CAPSULE = 1
BOX = 2
CYLINDER = 3
POLYHEDRON = 4
HALF_SPACE = 5
ROUNDING = 1e-15
"""Rounding of a coordinate, as a part of a pair's size."""


class Pose(NamedTuple):
    """Place of a shape's frame: its origin, and its three axes."""

    position: Vector
    axes: tuple[Vector, Vector, Vector]


class Pair(NamedTuple):
    """Two shapes in the frame of the first: rows, pose of the second, size [m], and whether a
    cylinder is one of them."""

    a: int
    b: int
    offset: Vector
    axes: tuple[Vector, Vector, Vector]
    size: float
    curved: bool


@kernel
def to_frame(axes: tuple[Vector, Vector, Vector], v: Vector) -> Vector:
    """Return the components of v along three axes."""
    return (dot(axes[0], v), dot(axes[1], v), dot(axes[2], v))


@kernel
def from_frame(axes: tuple[Vector, Vector, Vector], v: Vector) -> Vector:
    """Return the vector with components v along three axes."""
    return add(scale(v[0], axes[0]), add(scale(v[1], axes[1]), scale(v[2], axes[2])))


@kernel
def relate_shapes(shapes: Shapes, a: int, pose_a: Pose, b: int, pose_b: Pose) -> Pair:
    """Return the pair of two rows of shapes at their poses."""
    axes = (
        to_frame(pose_a.axes, pose_b.axes[0]),
        to_frame(pose_a.axes, pose_b.axes[1]),
        to_frame(pose_a.axes, pose_b.axes[2]),
    )
    offset = to_frame(pose_a.axes, sub(pose_b.position, pose_a.position))
    size = norm(load(shapes.half, a)) + norm(load(shapes.half, b))
    curved = shapes.kind[a] == CYLINDER or shapes.kind[b] == CYLINDER
    return Pair(a, b, offset, axes, size, curved)


@kernel
def farthest_vertex(shapes: Shapes, i: int, d: Vector) -> int:
    """Return the row of the vertex of polyhedron i that is farthest along d."""
    best = shapes.vertex_start[i]
    most = dot(load(shapes.vertex, best), d)
    for k in range(best + 1, shapes.vertex_start[i + 1]):
        along = dot(load(shapes.vertex, k), d)
        if along > most:
            best = k
            most = along
    return best


@kernel
def support_point(shapes: Shapes, i: int, d: Vector) -> Vector:
    """Return the point of the core of shape i that is farthest along d, in the shape's frame."""
    kind = shapes.kind[i]
    if kind == BALL:
        return ZERO
    if kind == POLYHEDRON:
        return load(shapes.vertex, farthest_vertex(shapes, i, d))
    half = load(shapes.half, i)
    z = half[2] if d[2] >= 0.0 else -half[2]
    if kind == CYLINDER:
        across = sqrt(d[0] * d[0] + d[1] * d[1])
        if across == 0.0:
            return (half[0], 0.0, z)
        return (half[0] * d[0] / across, half[0] * d[1] / across, z)
    return (half[0] if d[0] >= 0.0 else -half[0], half[1] if d[1] >= 0.0 else -half[1], z)


@kernel
def difference_at(pair: Pair, a: Vector, b: Vector) -> Vector:
    """Return the point of C of a point on A and one on B, each in its frame."""
    return sub(sub(a, pair.offset), from_frame(pair.axes, b))


@kernel
def lowest_point(shapes: Shapes, pair: Pair, n: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the points of A and of B that are nearest along n, and their point w of C."""
    a = support_point(shapes, pair.a, (-n[0], -n[1], -n[2]))
    b = support_point(shapes, pair.b, to_frame(pair.axes, n))
    return a, b, difference_at(pair, a, b)


@kernel
def separation_along(shapes: Shapes, pair: Pair, n: Vector) -> float:
    """Return the distance s(n) by which the cores of a pair stand apart along n [m]."""
    _, _, w = lowest_point(shapes, pair, n)
    return dot(n, w)


@kernel
def store_point(a: Vector, b: Vector, w: Vector, k: int, points_out: Floats) -> None:
    """Write a point of C with its points of A and B to row k."""
    for i in range(3):
        points_out[k, i], points_out[k, 3 + i], points_out[k, 6 + i] = a[i], b[i], w[i]


@kernel
def copy_point(k: int, points: Floats, m: int, points_out: Floats) -> None:
    """Copy row k of some points to row m of others."""
    for i in range(9):
        points_out[m, i] = points[k, i]


@kernel
def point_part(points: Floats, k: int, first: int) -> Vector:
    """Return three numbers of row k: on A (0), on B (3), or their difference (6)."""
    return (points[k, first], points[k, first + 1], points[k, first + 2])


@kernel
def unit_axis(k: int) -> Vector:
    """Return axis k of a frame."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@kernel
def any_across(d: Vector) -> Vector:
    """Return a unit vector across d, steady for small changes of d.

    A small bias decides between axes that are as good.
    """
    x = abs(d[0])
    y = abs(d[1])
    z = abs(d[2])
    bias = 0.1 * (x + y + z)
    axis = (0.0, 0.0, 1.0)
    if x <= y + bias and x <= z + bias:
        axis = (1.0, 0.0, 0.0)
    elif y <= z + bias:
        axis = (0.0, 1.0, 0.0)
    across = axpy(-dot(axis, d) / dot(d, d), d, axis)
    return scale(1.0 / norm(across), across)
