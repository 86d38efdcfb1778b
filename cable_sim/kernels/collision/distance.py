"""Distance of the cores of two shapes (Gilbert, Johnson & Keerthi 1988), or a simplex round the
origin.

The nearest point v of a simplex in C is an upper bound |v| of the distance, and n = v / |v| gives
the lower bound s(n). The lowest point w(n) joins the simplex, and the points that v does not need
leave it. It ends when both bounds agree, when no point helps any more, or when four points enclose
the origin. With round shapes the direction is polished first, so that the bounds meet as fast as
Newton's method goes; a polished direction that does not bring v nearer is followed by a plain one.
"""

from math import inf

from cable_sim.kernels.collision.polishing import polish
from cable_sim.kernels.collision.shapes import ROUNDING, Pair, lowest_point, store_point
from cable_sim.kernels.collision.simplex import FLAT, reduce_simplex
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, dot, norm, scale
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.collision import Shapes

ROUNDS = 100
"""Most points that join a simplex; boxes take five, rims at a needle's tip forty."""
AGREES = 8.0 * ROUNDING
"""Difference of the bounds, as a part of the pair's size, at which they agree."""


@kernel
def begin_simplex(shapes: Shapes, pair: Pair, points_out: Floats) -> int:
    """Begin with the point of C that is nearest along the line of centres; return 1."""
    length = norm(pair.offset)
    n = scale(-1.0 / length, pair.offset) if length > 0.0 else (0.0, 0.0, 1.0)
    a, b, w = lowest_point(shapes, pair, n)
    store_point(a, b, w, 0, points_out)
    return 1


@kernel
def find_distance(
    shapes: Shapes, pair: Pair, limit: float, count: int, points_out: Floats
) -> tuple[int, float, Vector]:
    """Return the number of points, s and n of a pair from a simplex of up to four points.

    With four points, or s = 0, the origin is in C. The search ends early at an s above the limit.
    """
    size = pair.size + norm(pair.offset)
    best = (-inf, (0.0, 0.0, 1.0))
    shortest = inf
    for _ in range(ROUNDS):
        count, v = reduce_simplex(count, FLAT * size, points_out)
        length = norm(v)
        if count == 4 or length <= ROUNDING * size:
            return count, 0.0, best[1]
        n = scale(1.0 / length, v)
        a, b, w = lowest_point(shapes, pair, n)
        s = dot(n, w)
        found = (s, n)
        plain = not pair.curved or length >= shortest or s <= 0.5 * length
        if not plain:
            found = polish(shapes, pair, count, points_out, found)
            a, b, w = lowest_point(shapes, pair, found[1])
        if found[0] > best[0]:
            best = found
        if best[0] > limit or length - best[0] <= AGREES * size:
            break
        if plain and length >= shortest and not pair.curved:
            break
        shortest = min(shortest, length)
        store_point(a, b, w, count, points_out)
        count += 1
    if count == 4:
        count, _ = reduce_simplex(count, FLAT * size, points_out)
    return count, best[0], best[1]
