"""Shapes that touch with their rims alone: a plane along which they do not approach.

Along a unit vector u from shape B to shape A they stand apart by s(u) (``shapes.py``), less their
margins. What slides over the seam of two level boxes, a little pressed in, gets into the side of
the next one by less than into its top: there the largest s does not tell which faces meet. Nor does
it for what passes an edge by less than its way in a step.

So where shapes approach along their normal n, planes of faces are asked, too. A plane u counts if

    s(u) > -SKIN a,      min(u . v, 0) > min(n . v, 0) + APPROACHES,

a the smallest half extent, v the velocity of A's point as seen from B. Shapes that are apart along
u, and do not approach along it, do not meet. The plane with the least approach takes the place of
n; points are those where outlines overlap along it, none if they do not yet. But if u, too, is
crossed by more than the skin within the step, and by none of these points, n keeps its place.
"""

from math import inf

from cable_sim.kernels.collision.shapes import (
    BOX,
    CYLINDER,
    HALF_SPACE,
    POLYHEDRON,
    Pair,
    Pose,
    from_frame,
    separation_along,
    to_frame,
    unit_axis,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, scale
from cable_sim.kernels.records.collision import Shapes

SKIN = 2e-3
"""Overlap, as a part of the smallest half extent, of rims that touch alone."""
APPROACHES = 1e-3
"""Least difference of speeds that decides between two planes [m/s]."""


@kernel
def smallest_extent(shapes: Shapes, i: int) -> float:
    """Return the smallest half extent of a shape [m]."""
    least = min(shapes.half[i, 0], min(shapes.half[i, 1], shapes.half[i, 2]))
    return least + shapes.margin[i]


@kernel
def count_planes(shapes: Shapes, i: int) -> int:
    """Return the number of directions of a shape's faces."""
    if shapes.kind[i] == POLYHEDRON:
        return shapes.face_start[i + 1] - shapes.face_start[i]
    return 3 if shapes.kind[i] == BOX else (1 if shapes.kind[i] == CYLINDER else 0)


@kernel
def plane_normal(shapes: Shapes, i: int, k: int) -> Vector:
    """Return the normal of face k of a shape in its frame; boxes have one for two faces."""
    if shapes.kind[i] == POLYHEDRON:
        return load(shapes.face_normal, shapes.face_start[i] + k)
    return unit_axis(2 if shapes.kind[i] == CYLINDER else k)


@kernel
def from_b_to_a(shapes: Shapes, pair: Pair, first: bool, k: int) -> Vector:
    """Return the direction across face k of A, or of B, from B to A in the frame of A."""
    i = pair.a if first else pair.b
    normal = plane_normal(shapes, i, k)
    normal = scale(-1.0, normal) if first else from_frame(pair.axes, normal)
    two_sided = shapes.kind[i] != POLYHEDRON
    return scale(-1.0, normal) if two_sided and dot(normal, pair.offset) > 0.0 else normal


@kernel
def find_calm_plane(
    h: float, shapes: Shapes, pair: Pair, n: Vector, velocity: Vector
) -> tuple[bool, Vector, float]:
    """Return True if another plane takes the place of n, that plane, and the way of shapes that
    cross it, else 0 [m].

    It and ``velocity``, that of A's point as seen from B, are in the frame of A.
    """
    skin = SKIN * min(smallest_extent(shapes, pair.a), smallest_extent(shapes, pair.b))
    margins = shapes.margin[pair.a] + shapes.margin[pair.b]
    calmest = min(dot(n, velocity), 0.0) + APPROACHES
    found = False
    plane = n
    way = 0.0
    for side in range(2):
        first = side == 0
        for k in range(count_planes(shapes, pair.a if first else pair.b)):
            u = from_b_to_a(shapes, pair, first, k)
            rate = min(dot(u, velocity), 0.0)
            if rate <= calmest:
                continue
            apart = separation_along(shapes, pair, u) - margins + skin
            if apart > 0.0:
                calmest = rate
                found = True
                plane = u
                way = -h * rate if apart + h * rate < 0.0 else 0.0
    return found, plane, way


@kernel
def leave_rims(
    h: float,
    shapes: Shapes,
    pair: Pair,
    pose: Pose,
    velocity: Vector,
    found: tuple[float, Vector, Vector],
) -> tuple[tuple[float, Vector, Vector], float]:
    """Return the result of ``separation`` with another normal where shapes touch with their rims,
    and their way in the step along it if they cross its plane, else 0 [m].

    Its distance then is infinite. ``pose`` is that of A, ``velocity`` of its
    point as seen from B [m/s].
    """
    flat = shapes.kind[pair.a] == HALF_SPACE or shapes.kind[pair.b] == HALF_SPACE
    if flat or dot(found[1], velocity) > -APPROACHES:
        return found, 0.0
    n = to_frame(pose.axes, found[1])
    calm, u, way = find_calm_plane(h, shapes, pair, n, to_frame(pose.axes, velocity))
    return ((inf, from_frame(pose.axes, u), found[2]) if calm else found), way
