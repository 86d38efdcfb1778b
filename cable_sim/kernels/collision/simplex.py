"""Nearest point to the origin of up to four points, and the fewest of them that hold it.

By signed volumes (Montanari, Petrinic & Barbieri 2017): a part of a simplex is looked at where the
origin lies beyond it, as seen from the point opposite. The nearest point of a
triangle is n (n . x) / n^2,
with n across its edges. So the direction of the result is as exact as these are.

Weights of a triangle's corners: n . (x_j x x_k) / n^2, and so on round it. A flat tetrahedron,
thinner than rounding, has no inside.

Sets of points are bits: point k is 1 << k.
"""

from math import inf

from cable_sim.kernels.collision.shapes import (
    Pair,
    copy_point,
    difference_at,
    point_part,
    store_point,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, cross, dot, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats

FLAT = 1e-14
"""Height of a tetrahedron, as a part of the pair's size, below which it has no inside."""


@kernel
def nearest_of_line(i: int, j: int, points: Floats) -> tuple[Vector, int]:
    """Return the nearest point of the line between points i and j, and its points as bits."""
    start = point_part(points, i, 6)
    end = point_part(points, j, 6)
    along = sub(end, start)
    length = dot(along, along)
    x = -dot(start, along)
    if x <= 0.0 or length == 0.0:
        return start, 1 << i
    if x >= length:
        return end, 1 << j
    return axpy(x / length, along, start), (1 << i) | (1 << j)


@kernel
def nearer(best: tuple[Vector, int], found: tuple[Vector, int]) -> tuple[Vector, int]:
    """Return the nearer of two results."""
    return found if dot(found[0], found[0]) < dot(best[0], best[0]) else best


@kernel
def nearest_of_triangle(i: int, j: int, k: int, points: Floats) -> tuple[Vector, int]:
    """Return the nearest point of a triangle and its points as bits."""
    x = point_part(points, i, 6)
    y = point_part(points, j, 6)
    z = point_part(points, k, 6)
    n = cross(sub(y, x), sub(z, x))
    area = dot(n, n)
    u = dot(n, cross(y, z))
    v = dot(n, cross(z, x))
    w = dot(n, cross(x, y))
    if area > 0.0 and u > 0.0 and v > 0.0 and w > 0.0:
        return scale(dot(n, x) / area, n), (1 << i) | (1 << j) | (1 << k)
    best = ((inf, 0.0, 0.0), 0)
    if u <= 0.0 or area == 0.0:
        best = nearer(best, nearest_of_line(j, k, points))
    if v <= 0.0 or area == 0.0:
        best = nearer(best, nearest_of_line(k, i, points))
    if w <= 0.0 or area == 0.0:
        best = nearer(best, nearest_of_line(i, j, points))
    return best


@kernel
def is_beyond(i: int, j: int, k: int, opposite: int, flat: float, points: Floats) -> bool:
    """Return True if the origin is on the other side of a triangle than the point opposite."""
    x = point_part(points, i, 6)
    n = cross(sub(point_part(points, j, 6), x), sub(point_part(points, k, 6), x))
    height = dot(n, sub(point_part(points, opposite, 6), x))
    if abs(height) <= flat * norm(n):
        return True
    return -dot(n, x) * height < 0.0


@kernel
def nearest_of_tetrahedron(flat: float, points: Floats) -> tuple[Vector, int]:
    """Return the nearest point of the first four points and its points as bits; all if inside."""
    best = ((inf, 0.0, 0.0), 0)
    if is_beyond(0, 1, 2, 3, flat, points):
        best = nearer(best, nearest_of_triangle(0, 1, 2, points))
    if is_beyond(0, 1, 3, 2, flat, points):
        best = nearer(best, nearest_of_triangle(0, 1, 3, points))
    if is_beyond(0, 2, 3, 1, flat, points):
        best = nearer(best, nearest_of_triangle(0, 2, 3, points))
    if is_beyond(1, 2, 3, 0, flat, points):
        best = nearer(best, nearest_of_triangle(1, 2, 3, points))
    return best if best[1] > 0 else ((0.0, 0.0, 0.0), 15)


@kernel
def reduce_simplex(count: int, flat: float, points_out: Floats) -> tuple[int, Vector]:
    """Keep the fewest points that hold the nearest one; return their number and that point."""
    if count == 1:
        return 1, point_part(points_out, 0, 6)
    if count == 2:
        nearest, bits = nearest_of_line(0, 1, points_out)
    elif count == 3:
        nearest, bits = nearest_of_triangle(0, 1, 2, points_out)
    else:
        nearest, bits = nearest_of_tetrahedron(flat, points_out)
    kept = 0
    for k in range(count):
        if bits & (1 << k):
            if kept != k:
                copy_point(k, points_out, kept, points_out)
            kept += 1
    return kept, nearest


@kernel
def corner_weights(count: int, points: Floats) -> Vector:
    """Return the weights of up to three points in the point of them that is nearest."""
    if count == 1:
        return (1.0, 0.0, 0.0)
    x = point_part(points, 0, 6)
    y = point_part(points, 1, 6)
    along = sub(y, x)
    if count == 2:
        t = min(max(-dot(x, along) / max(dot(along, along), 1e-300), 0.0), 1.0)
        return (1.0 - t, t, 0.0)
    z = point_part(points, 2, 6)
    n = cross(along, sub(z, x))
    u = max(dot(n, cross(y, z)), 0.0)
    v = max(dot(n, cross(z, x)), 0.0)
    w = max(dot(n, cross(x, y)), 0.0)
    total = u + v + w
    return (u / total, v / total, w / total) if total > 0.0 else (1.0, 0.0, 0.0)


@kernel
def load_simplex(pair: Pair, memory: Floats, points_out: Floats) -> int:
    """Place the points that a pair remembers at its present pose; return their number."""
    count = min(max(int(memory[0]), 0), 4)
    for k in range(count):
        m = 1 + 6 * k
        a = (memory[m], memory[m + 1], memory[m + 2])
        b = (memory[m + 3], memory[m + 4], memory[m + 5])
        store_point(a, b, difference_at(pair, a, b), k, points_out)
    return count


@kernel
def save_simplex(count: int, points: Floats, memory_out: Floats) -> None:
    """Keep up to four points of a pair, each in the frame of its shape."""
    memory_out[0] = count
    for k in range(count):
        for i in range(6):
            memory_out[1 + 6 * k + i] = points[k, i]
