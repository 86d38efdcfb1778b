"""Last digits of the direction along which two shapes meet.

The largest s(n) of ``shapes.py`` is at a direction across all *flat directions* of C there: edges
of polytopes, a cylinder's axis where it touches with its side. Two of them, not parallel, give n as
their product. With one, e, it is a turn of n about e, and without any of two angles: by Newton's
method. The slope of s along a tangent u is w . u, and with rims and sides of radius r about axes c

    d2s/du2 = -sum r (t . u)^2 / |c x n| - s,    t = c x n / |c x n|,

for the support point of a rim moves by r dt, and n turns on the unit sphere. A step from a
point that bends up is one up the slope. At a *ridge*, where the support jumps to another corner
whichever way n turns, the jump is one more flat direction. A cap's own normal is tried, too: there
|c x n| = 0.

The flat directions come from the points of the simplex next to the origin: of a polytope the
differences of its vertices, of a cylinder the axis if the points are on both caps.
"""

from cable_sim.kernels.collision.shapes import (
    CYLINDER,
    Pair,
    any_across,
    from_frame,
    lowest_point,
    point_part,
    separation_along,
    support_point,
    to_frame,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, cross, dot, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.collision import Shapes

ROUNDS = 12
"""Most steps of Newton's method; each doubles the digits."""
SMALL = 1e-10
"""Step of a direction below which Newton's method has ended [rad]."""
LAST = 1e-7
"""Step below which rounding of s hides whether it leads up [rad]; Newton's method squares it."""
HALVINGS = 8
"""Most halvings of a step that leads down."""
PARALLEL = 1e-9
"""Sine of the angle between flat directions below which they count as one."""
STEEP = 1e-9
"""Sine of the angle between a cap's normal and n below which n is that normal."""


@kernel
def unit_or_zero(a: Vector) -> Vector:
    """Return the unit vector along a; zero for zero."""
    length = norm(a)
    return scale(1.0 / length, a) if length > 0.0 else ZERO


@kernel
def flat_directions(
    shapes: Shapes, i: int, count: int, points: Floats, first: int
) -> tuple[Vector, Vector]:
    """Return two flat directions of shape i at some points of a simplex, zero for none."""
    if count < 2:
        return ZERO, ZERO
    start = point_part(points, 0, first)
    one = sub(point_part(points, 1, first), start)
    two = sub(point_part(points, 2, first), start) if count > 2 else ZERO
    if shapes.kind[i] == CYLINDER:
        both = abs(one[2]) + abs(two[2]) > shapes.half[i, 2]
        return ((0.0, 0.0, 1.0) if both else ZERO), ZERO
    return unit_or_zero(one), unit_or_zero(two)


@kernel
def all_flat_directions(
    shapes: Shapes, pair: Pair, count: int, points: Floats
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the flat directions of both shapes in the frame of A."""
    a1, a2 = flat_directions(shapes, pair.a, count, points, 0)
    b1, b2 = flat_directions(shapes, pair.b, count, points, 3)
    return a1, a2, from_frame(pair.axes, b1), from_frame(pair.axes, b2)


@kernel
def across_flats(flats: tuple[Vector, Vector, Vector, Vector], n: Vector) -> tuple[int, Vector]:
    """Return the number of independent flat directions, up to 2, and one or their product."""
    one = ZERO
    product = ZERO
    for i in range(4):
        if dot(flats[i], flats[i]) > 0.0:
            one = flats[i]
        for j in range(i):
            new = cross(flats[i], flats[j])
            if dot(new, new) > dot(product, product):
                product = new
    length = norm(product)
    if length > PARALLEL:
        return 2, scale((1.0 if dot(product, n) >= 0.0 else -1.0) / length, product)
    return (1 if dot(one, one) > 0.0 else 0), one


@kernel
def round_bend(shapes: Shapes, i: int, axis: Vector, n: Vector, u: Vector, v: Vector) -> float:
    """Return sum r (t . u) (t . v) / |c x n| of shape i, whose axis is given."""
    if shapes.kind[i] != CYLINDER:
        return 0.0
    t = cross(axis, n)
    sine = norm(t)
    if sine < STEEP:
        return 0.0
    return shapes.half[i, 0] * dot(t, u) * dot(t, v) / (sine * sine * sine)


@kernel
def pair_bend(shapes: Shapes, pair: Pair, n: Vector, u: Vector, v: Vector) -> float:
    """Return the second derivative of s along tangents u and v, but for s itself."""
    return -round_bend(shapes, pair.a, (0.0, 0.0, 1.0), n, u, v) - round_bend(
        shapes, pair.b, pair.axes[2], n, u, v
    )


@kernel
def newton_step(shapes: Shapes, pair: Pair, one: bool, across: Vector, n: Vector) -> Vector:
    """Return a step of n towards the largest s, tangent to the sphere.

    Where s bends up it is a step along the slope.
    """
    _, _, w = lowest_point(shapes, pair, n)
    s = dot(n, w)
    u = cross(across, n) if one else across
    uu = pair_bend(shapes, pair, n, u, u) - s
    if one:
        return scale(dot(w, u) / (-uu if uu < 0.0 else pair.size), u)
    v = cross(n, u)
    vv = pair_bend(shapes, pair, n, v, v) - s
    uv = pair_bend(shapes, pair, n, u, v)
    determinant = uu * vv - uv * uv
    if uu >= 0.0 or determinant <= 0.0:
        return scale(1.0 / pair.size, axpy(dot(w, u), u, scale(dot(w, v), v)))
    x = (uv * dot(w, v) - vv * dot(w, u)) / determinant
    y = (uv * dot(w, u) - uu * dot(w, v)) / determinant
    return axpy(x, u, scale(y, v))


@kernel
def turn(n: Vector, step: Vector) -> Vector:
    """Return a unit vector turned by a tangent step."""
    turned = axpy(1.0, step, n)
    return scale(1.0 / norm(turned), turned)


@kernel
def flat_between(shapes: Shapes, i: int, d: Vector, other: Vector) -> Vector:
    """Return the flat direction of shape i that its support crosses between two directions."""
    change = sub(support_point(shapes, i, other), support_point(shapes, i, d))
    if shapes.kind[i] == CYLINDER:
        return (0.0, 0.0, 1.0) if abs(change[2]) > shapes.half[i, 2] else ZERO
    return unit_or_zero(change)


@kernel
def ridge_direction(shapes: Shapes, pair: Pair, n: Vector, other: Vector) -> Vector:
    """Return the flat direction of either shape between two directions, zero for none."""
    flat = flat_between(shapes, pair.a, scale(-1.0, n), scale(-1.0, other))
    if dot(flat, flat) > 0.0:
        return flat
    here = to_frame(pair.axes, n)
    return from_frame(pair.axes, flat_between(shapes, pair.b, here, to_frame(pair.axes, other)))


@kernel
def climb_smooth(
    shapes: Shapes, pair: Pair, one: bool, flat: Vector, n: Vector
) -> tuple[float, Vector, Vector]:
    """Return s, its direction, and the direction of a step that leads down where one remains."""
    s = separation_along(shapes, pair, n)
    for _ in range(ROUNDS):
        step = newton_step(shapes, pair, one, flat if one else any_across(n), n)
        length = norm(step)
        if length < SMALL:
            break
        step = scale(min(1.0, 0.5 / length), step)
        tried = turn(n, step)
        higher = separation_along(shapes, pair, tried)
        for _ in range(HALVINGS):
            if higher > s or length < LAST:
                break
            step = scale(0.5, step)
            tried = turn(n, step)
            higher = separation_along(shapes, pair, tried)
        if higher <= s and length >= LAST:
            return s, n, tried
        n = tried
        s = higher
    return s, n, n


@kernel
def climb(
    shapes: Shapes, pair: Pair, one: bool, flat: Vector, start: Vector, best: tuple[float, Vector]
) -> tuple[float, Vector]:
    """Return the larger s and its direction after Newton's method from a start.

    ``flat`` is the flat direction if there is one. Where steps lead down whatever their length, a
    ridge is between: its flat direction joins.
    """
    n = start
    for _ in range(3):
        n = axpy(-dot(n, flat), flat, n)
        if norm(n) < PARALLEL:
            break
        s, n, beyond = climb_smooth(shapes, pair, one, flat, scale(1.0 / norm(n), n))
        best = (s, n) if s > best[0] else best
        if beyond == n:
            break
        ridge = ridge_direction(shapes, pair, n, beyond)
        if one:
            ridge = cross(ridge, flat)
            if norm(ridge) > PARALLEL:
                ridge = scale((1.0 if dot(ridge, n) >= 0.0 else -1.0) / norm(ridge), ridge)
                s = separation_along(shapes, pair, ridge)
                best = (s, ridge) if s > best[0] else best
            break
        one = dot(ridge, ridge) > 0.0
        flat = ridge
        if not one:
            break
    return best


@kernel
def try_cap(
    shapes: Shapes, pair: Pair, i: int, axis: Vector, best: tuple[float, Vector]
) -> tuple[float, Vector]:
    """Return the better of a direction and that of the nearer cap of shape i."""
    if shapes.kind[i] != CYLINDER:
        return best
    n = axis if dot(axis, best[1]) >= 0.0 else scale(-1.0, axis)
    s = separation_along(shapes, pair, n)
    return (s, n) if s > best[0] else best


@kernel
def polish(
    shapes: Shapes, pair: Pair, count: int, points: Floats, best: tuple[float, Vector]
) -> tuple[float, Vector]:
    """Return a larger s and its direction, from those of a simplex of up to three points."""
    kind, direction = across_flats(all_flat_directions(shapes, pair, count, points), best[1])
    if kind == 2:
        s = separation_along(shapes, pair, direction)
        best = (s, direction) if s > best[0] else best
    if pair.curved:
        best = try_cap(shapes, pair, pair.a, (0.0, 0.0, 1.0), best)
        best = try_cap(shapes, pair, pair.b, pair.axes[2], best)
        if kind < 2:
            best = climb(shapes, pair, kind == 1, direction if kind == 1 else ZERO, best[1], best)
    return best


@kernel
def polish_thoroughly(
    shapes: Shapes, pair: Pair, count: int, points: Floats, best: tuple[float, Vector]
) -> tuple[float, Vector]:
    """Return a larger s and its direction, with every flat direction of the simplex by itself, too.

    A face of a polytope in C may have corners of several features.
    """
    start = best[1]
    best = polish(shapes, pair, count, points, best)
    if pair.curved:
        flats = all_flat_directions(shapes, pair, count, points)
        for i in range(4):
            if dot(flats[i], flats[i]) > 0.0:
                best = climb(shapes, pair, True, flats[i], start, best)
        best = climb(shapes, pair, False, ZERO, start, best)
    return best
