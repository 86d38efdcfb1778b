"""Tangents of a rope to the wheels that it runs around, in space.

*One wheel.* Centre C, unit axis n, radius R; the rope turns right-handed about n. A point B beside
the wheel is seen from it at p = B - C less its part along n, in the wheel's plane. The rope touches
the wheel at C + R r, where the plane of the groove's tangent goes through B: (B - C - R r) . r = 0.
With the free length in the plane s = sqrt(|p|^2 - R^2) and the tangent t = n x r

    rope that leaves the wheel for B:       p = R r + s t,      r = (R p - s n x p) / |p|^2
    rope that comes to the wheel from B:    p = R r - s t,      r = (R p + s n x p) / |p|^2

*Two wheels* each see the point where the rope touches the other one. The points are found in turns;
where the wheels are in one plane the error of a turn is the square of that of the turn before.

*Path.* With the angles phi of both points, each from a direction that is fixed in the carrier of
its wheel, the span's part of the rope's path is

    S = l + R_1 phi_1 - R_2 phi_2,      l = |B - A|,     A on the wheel that the rope leaves.

Let u be the direction from A to B, and V(X) the velocity of the far carrier past the near one at a
point X. The points keep to their planes while they go round, so that

    s_1 dphi_1/dt = -V(B) . r_1 - R_2 (t_2 . r_1) dphi_2/dt
    s_2 dphi_2/dt = -V(A) . r_2 + R_1 (t_1 . r_2) dphi_1/dt
    dS/dt = u . V + R_1 (1 - c_1) dphi_1/dt - R_2 (1 - c_2) dphi_2/dt,       c = u . t = s / l.

A rope that runs in the plane of its wheel has c = 1: it leaves the wheel where its way is shortest,
and only u . V is left. At a fleet angle the groove holds it back; the other terms are forces of the
groove across the rope. They keep the work exact: -dS/dt = J v, so

    F = u + p r_1 + q r_2,
    p = -K / s_1,        q = K R_2 (t_2 . r_1) / (s_1 s_2) + R_2 (1 - c_2) / s_2,
    K = (R_1 (1 - c_1) - R_2 (1 - c_2) R_1 (t_1 . r_2) / s_2) / D,
    D = 1 + R_1 R_2 (t_2 . r_1) (t_1 . r_2) / (s_1 s_2)

with u through A and B, p r_1 through B and q r_2 through A. About the axis of a wheel F has the
moment R, whatever the fleet angle, because the path turns with the wheel.

Valid outside of the wheels: where a point gets closer than NEAREST to the groove's circle, the
tangent is that of a point which keeps that distance.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, cross, dot, norm, scale, sub

NEAREST = 1e-3
"""Free length in the plane of a wheel below which a point is taken to stand off, over R."""
TURNS = 30
"""Most turns in which two wheels find their common tangent."""
FOUND = 1e-14
"""Change of a point of contact that ends the search, over the length of the span."""
Groove = tuple[Vector, float, Vector, float]
"""Axis and radius of a wheel, r of the rope on it, and the length of the span that bends to it."""


@kernel
def tangent_point(
    side: float, center: Vector, axis: Vector, radius: float, point: Vector
) -> tuple[Vector, float]:
    """Return r of the rope between a wheel and a point, and the free length in its plane [m].

    ``side`` is 1 where the rope leaves the wheel for the point, -1 where it comes from there.
    """
    away = sub(point, center)
    flat = axpy(-dot(away, axis), axis, away)
    square = dot(flat, flat)
    free = sqrt(max(square - radius * radius, (NEAREST * radius) ** 2))
    square = free * free + radius * radius
    r = axpy(-side * free / square, cross(axis, flat), scale(radius / square, flat))
    size = norm(r)
    return scale(1.0 / size if size > 0.0 else 0.0, r), free


@kernel
def common_tangent(
    near: Vector,
    near_axis: Vector,
    near_radius: float,
    far: Vector,
    far_axis: Vector,
    far_radius: float,
) -> tuple[Vector, Vector, float, float]:
    """Return where the rope leaves ``near`` and comes to ``far``, and both free lengths [m].

    ``near`` and ``far`` are the centres of wheels, or points with the radius 0. Returns r of both,
    zero for a point, and the lengths in the planes of the wheels.
    """
    leaves = ZERO
    comes = ZERO
    from_near = 0.0
    to_far = 0.0
    for _ in range(TURNS):
        before = comes
        if near_radius > 0.0:
            leaves, from_near = tangent_point(
                1.0, near, near_axis, near_radius, axpy(far_radius, comes, far)
            )
        if far_radius > 0.0:
            comes, to_far = tangent_point(
                -1.0, far, far_axis, far_radius, axpy(near_radius, leaves, near)
            )
        change = sub(comes, before)
        if near_radius == 0.0 or far_radius * norm(change) <= FOUND * max(from_near, to_far):
            break
    return leaves, comes, from_near, to_far


@kernel
def groove_forces(along: Vector, near: Groove, far: Groove) -> tuple[float, float]:
    """Return p and q: forces of the grooves of both wheels across the rope, over its tension."""
    near_axis, near_radius, leaves, from_near = near
    far_axis, far_radius, comes, to_far = far
    first = cross(near_axis, leaves)
    second = cross(far_axis, comes)
    held_near = near_radius - near_radius * dot(along, first)
    held_far = far_radius - far_radius * dot(along, second)
    per_near = 1.0 / from_near if near_radius > 0.0 else 0.0
    per_far = 1.0 / to_far if far_radius > 0.0 else 0.0
    over = far_radius * dot(second, leaves) * per_near
    back = near_radius * dot(first, comes) * per_far
    k = (held_near - held_far * back) / (1.0 + over * back)
    return -k * per_near, (k * over + held_far) * per_far
