"""Passages of spans through one another, while their ends move along straight lines.

Two spans p_0 p_1 and q_0 q_1 are in a plane where

    f(t) = (p_0 - q_0) . ((p_1 - p_0) x (q_1 - q_0)) = 0,

a cubic in the time t from 0 to 1, as all points are linear in it. They go through one another at
each root at which the lines meet within both spans, from the side that f has before. (Provot 1997
has this test for cloth.) Two passages bring them back. Without a root its coefficients in
Bernstein's basis mostly have one sign; so most pairs take no more than that.

A *moving span* is the tuple of both its ends at t = 0 and of both at t = 1 [m]. The signs of f at
both times are those of these very points, and zero counts as above. So a motion begins with the
sign with which the one before has ended, and no passage gets lost between them. Which pairs are
looked at: ``span_search.py``.
"""

from math import copysign, sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, scale, sub

HALVINGS = 60
"""Halvings of the interval of a root: to rounding."""


@kernel
def interpolate_points(x: float, start: Vector, end: Vector) -> Vector:
    """Return the vector at the fraction x from start to end."""
    return add(scale(1.0 - x, start), scale(x, end))


@kernel
def span_at(t: float, span: tuple[Vector, Vector, Vector, Vector]) -> tuple[Vector, Vector]:
    """Return the first end of a moving span [m], and the vector to the second one [m]."""
    start = axpy(t, sub(span[2], span[0]), span[0])
    return start, sub(axpy(t, sub(span[3], span[1]), span[1]), start)


@kernel
def nearest_places(a: Vector, span_a: Vector, b: Vector, span_b: Vector) -> tuple[float, float]:
    """Return the nearest places of two lines, as parts of their spans; -1 if they are parallel.

    Spans between two crossings of the same ropes are parallel but for 1e-8. So squares of cosines
    would not do.
    """
    between = sub(b, a)
    across = cross(span_a, span_b)
    size = dot(across, across)
    if size <= 0.0:
        return -1.0, -1.0
    on_a = dot(cross(between, span_b), across) / size
    return on_a, dot(cross(between, span_a), across) / size


@kernel
def plane_cubic(
    a: tuple[Vector, Vector, Vector, Vector], b: tuple[Vector, Vector, Vector, Vector]
) -> tuple[float, float, float, float, float]:
    """Return the coefficients of f of two moving spans, of the powers of t, and its value at t =
    1."""
    r = sub(a[0], b[0])
    u = sub(a[1], a[0])
    v = sub(b[1], b[0])
    last_r = sub(a[2], b[2])
    last_u = sub(a[3], a[2])
    last_v = sub(b[3], b[2])
    dr = sub(last_r, r)
    du = sub(last_u, u)
    dv = sub(last_v, v)
    still = cross(u, v)
    turn = add(cross(du, v), cross(u, dv))
    twist = cross(du, dv)
    return (
        dot(r, still),
        dot(dr, still) + dot(r, turn),
        dot(dr, turn) + dot(r, twist),
        dot(dr, twist),
        dot(last_r, cross(last_u, last_v)),
    )


@kernel
def cubic(c: tuple[float, float, float, float, float], t: float) -> float:
    """Return the value of a cubic."""
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]


@kernel
def has_one_sign(c: tuple[float, float, float, float, float]) -> bool:
    """Return True if a cubic surely has no root from 0 to 1."""
    second = c[0] + c[1] / 3.0
    third = second + (c[1] + c[2]) / 3.0
    least = min(c[0], second, third, c[4])
    return least > 0.0 or max(c[0], second, third, c[4]) < 0.0


@kernel
def turning_points(c: tuple[float, float, float, float, float]) -> tuple[float, float]:
    """Return the places from 0 to 1 between which a cubic is monotonic, in their order."""
    root = c[2] * c[2] - 3.0 * c[3] * c[1]
    if root <= 0.0:
        return 1.0, 1.0
    q = -(c[2] + copysign(sqrt(root), c[2]))
    one = min(max(q / (3.0 * c[3]), 0.0), 1.0) if c[3] != 0.0 else 1.0
    other = min(max(c[1] / q, 0.0), 1.0) if q != 0.0 else 1.0
    return min(one, other), max(one, other)


@kernel
def bisect(c: tuple[float, float, float, float, float], low: float, high: float) -> float:
    """Return the root of a cubic in an interval in which its sign changes once."""
    is_below = (cubic(c, low) if low > 0.0 else c[0]) < 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if (cubic(c, middle) < 0.0) == is_below:
            low = middle
        else:
            high = middle
    return high


@kernel
def find_passage(
    a: tuple[Vector, Vector, Vector, Vector], b: tuple[Vector, Vector, Vector, Vector]
) -> tuple[float, float, float, float]:
    """Return the side of moving span a from moving span b before it goes through it, and where.

    The side is 0.0 if it does not, or goes back again. Then come the time of the last passage, and
    its place on both spans as parts of them.
    """
    c = plane_cubic(a, b)
    side = 0.0
    time = 0.0
    on_a = 0.0
    on_b = 0.0
    if has_one_sign(c):
        return side, time, on_a, on_b
    first, second = turning_points(c)
    low = 0.0
    is_below = c[0] < 0.0
    for high in (first, second, 1.0):
        ends_below = (cubic(c, high) if high < 1.0 else c[4]) < 0.0
        if ends_below != is_below:
            t = bisect(c, low, high)
            start_a, span_a = span_at(t, a)
            start_b, span_b = span_at(t, b)
            x, y = nearest_places(start_a, span_a, start_b, span_b)
            if min(x, y) >= 0.0 and max(x, y) <= 1.0:
                side = 0.0 if side != 0.0 else -1.0 if is_below else 1.0
                time = t
                on_a = x
                on_b = y
        low = high
        is_below = ends_below
    return side, time, on_a, on_b
