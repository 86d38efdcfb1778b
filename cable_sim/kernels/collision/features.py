"""Features with which shapes meet: a face, a cap, a line, or a point.

Of the faces that hold the support point the one is taken that looks most along the direction, with
a bias for the order of faces, so that rounding does not choose between two. A cylinder meets with a
cap if its axis is within 45 degrees of the direction, and else with a line of its side; a capsule
with its line.

An *outline* is in the frame of contact: x, y along two tangents, the height z along the normal. A
face has its corners anticlockwise as seen from outside of its shape. A cap has its centre and two
radii, vectors, the first towards the lowest point of its rim; for a tilt of less than ``LEVEL``
along x of the cylinder's frame, so that it does not turn with rounding.
"""

from math import sqrt

from cable_sim.kernels.collision.shapes import (
    BALL,
    BOX,
    CYLINDER,
    POLYHEDRON,
    farthest_vertex,
    from_frame,
    to_frame,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, dot, load, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.collision import Shapes

POINT = 0
LINE = 1
FACE = 2
DISC = 3
SAME = 1e-3
"""Difference of cosines within which the first of two faces is taken."""
ON_FACE = 1e-9
"""Distance of a vertex from a face that holds it, as a part of the shape's size."""
LEVEL = 1e-6
"""Sine of a cap's tilt below which the cap is level."""
DIAGONAL = 0.7071067811865476
MOST_CORNERS = 64


@kernel
def place_corner(
    k: int,
    number: int,
    point: Vector,
    place: tuple[Vector, tuple[Vector, Vector, Vector], Vector, tuple[Vector, Vector, Vector]],
    outline_out: Floats,
) -> None:
    """Write a point of a shape's frame to row k of an outline. ``place`` are offset, axes of the
    shape, origin and tangents with the normal of the contact, in one frame."""
    offset, axes, origin, frame = place
    x = to_frame(frame, sub(add(offset, from_frame(axes, point)), origin))
    outline_out[k, 0], outline_out[k, 1], outline_out[k, 2] = x
    outline_out[k, 3] = number


@kernel
def outline_box(
    half: Vector,
    d: Vector,
    place: tuple[Vector, tuple[Vector, Vector, Vector], Vector, tuple[Vector, Vector, Vector]],
    outline_out: Floats,
) -> tuple[int, Vector]:
    """Write the face of a box that looks most along d; return the number of corners and normal."""
    k = 0
    for i in range(1, 3):
        k = i if abs(d[i]) > abs(d[k]) + SAME else k
    sign = 1.0 if d[k] >= 0.0 else -1.0
    i = (k + 1) % 3
    for n in range(4):
        u = 1.0 if n == 0 or n == 3 else -1.0
        v = sign if n < 2 else -sign
        corner = (
            half[0] * (sign if k == 0 else (u if i == 0 else v)),
            half[1] * (sign if k == 1 else (u if i == 1 else v)),
            half[2] * (sign if k == 2 else (u if i == 2 else v)),
        )
        number = (corner[0] > 0.0) + 2 * (corner[1] > 0.0) + 4 * (corner[2] > 0.0)
        place_corner(n, number, corner, place, outline_out)
    normal = (sign if k == 0 else 0.0, sign if k == 1 else 0.0, sign if k == 2 else 0.0)
    return 4, normal


@kernel
def outline_polyhedron(
    shapes: Shapes,
    i: int,
    d: Vector,
    place: tuple[Vector, tuple[Vector, Vector, Vector], Vector, tuple[Vector, Vector, Vector]],
    outline_out: Floats,
) -> tuple[int, Vector]:
    """Write the face of a polyhedron that meets along d; return the number of corners and its
    normal."""
    support = load(shapes.vertex, farthest_vertex(shapes, i, d))
    size = shapes.half[i, 0] + shapes.half[i, 1] + shapes.half[i, 2]
    face = shapes.face_start[i]
    most = -2.0
    for f in range(shapes.face_start[i], shapes.face_start[i + 1]):
        normal = load(shapes.face_normal, f)
        corner = load(shapes.vertex, shapes.loop[shapes.loop_start[f]])
        if dot(normal, sub(corner, support)) > ON_FACE * size:
            continue
        if dot(normal, d) > most + SAME:
            most = dot(normal, d)
            face = f
    count = 0
    for k in range(shapes.loop_start[face], shapes.loop_start[face + 1]):
        if count < MOST_CORNERS:
            v = shapes.loop[k]
            place_corner(
                count, v - shapes.vertex_start[i], load(shapes.vertex, v), place, outline_out
            )
            count += 1
    return count, load(shapes.face_normal, face)


@kernel
def outline_cylinder(
    half: Vector,
    d: Vector,
    place: tuple[Vector, tuple[Vector, Vector, Vector], Vector, tuple[Vector, Vector, Vector]],
    outline_out: Floats,
) -> tuple[int, Vector]:
    """Write a cap, as centre and two radii, or a line of the side; return kind and normal."""
    across = sqrt(d[0] * d[0] + d[1] * d[1])
    z = half[2] if d[2] >= 0.0 else -half[2]
    x = 1.0
    y = 0.0
    if across > LEVEL:
        x = d[0] / across
        y = d[1] / across
    r = half[0]
    if abs(d[2]) >= DIAGONAL * sqrt(across * across + d[2] * d[2]):
        place_corner(0, 0, (0.0, 0.0, z), place, outline_out)
        place_corner(1, 1, (r * x, r * y, z), place, outline_out)
        place_corner(2, 2, (-r * y, r * x, z), place, outline_out)
        for k in range(1, 3):
            for i in range(3):
                outline_out[k, i] -= outline_out[0, i]
        return DISC, (0.0, 0.0, 1.0 if z > 0.0 else -1.0)
    place_corner(0, 0, (r * x, r * y, -half[2]), place, outline_out)
    place_corner(1, 1, (r * x, r * y, half[2]), place, outline_out)
    return LINE, (x, y, 0.0)


@kernel
def outline_feature(
    shapes: Shapes,
    i: int,
    d: Vector,
    place: tuple[Vector, tuple[Vector, Vector, Vector], Vector, tuple[Vector, Vector, Vector]],
    outline_out: Floats,
) -> tuple[int, int, Vector]:
    """Write the outline of the feature with which shape i meets along d, in the shape's frame.

    Return its kind, number of rows, and its normal in the frame of contact.
    """
    kind = shapes.kind[i]
    half = load(shapes.half, i)
    count = 1
    feature = POINT
    normal = d
    if kind == BALL:
        place_corner(0, 0, (0.0, 0.0, 0.0), place, outline_out)
    elif kind == BOX:
        feature = FACE
        count, normal = outline_box(half, d, place, outline_out)
    elif kind == POLYHEDRON:
        feature = FACE
        count, normal = outline_polyhedron(shapes, i, d, place, outline_out)
    elif kind == CYLINDER:
        feature, normal = outline_cylinder(half, d, place, outline_out)
        count = 3 if feature == DISC else 2
    else:
        feature = LINE
        count = 2
        place_corner(0, 0, (0.0, 0.0, -half[2]), place, outline_out)
        place_corner(1, 1, (0.0, 0.0, half[2]), place, outline_out)
    return feature, count, to_frame(place[3], from_frame(place[1], normal))
