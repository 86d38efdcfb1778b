"""Depth of two shapes that overlap: an expanding polytope in C (van den Bergen 2001).

A polytope of points of C round the origin has a face nearest to it: the depth is at least that
face's distance, and at most -s(n) for its inward normal n. The lowest point along n joins; faces
that it sees leave, and new ones go from their horizon to it. The bounds meet in a face of C if both
shapes are polytopes. Round ones take it until the bounds differ by a part of the depth; then every
face not farther than the depth is polished, so that the best of several hollows is found.

Limit: a body a thousand times smaller than a cylinder, deep on its axis, is as deep all round to a
part of its own size. The polytope is full before it has seen all hollows there, and the depth can
be too large by a part of that body's size.
"""

from math import inf

from cable_sim.kernels.collision.polishing import polish_thoroughly
from cable_sim.kernels.collision.shapes import (
    ROUNDING,
    Pair,
    any_across,
    copy_point,
    lowest_point,
    point_part,
    store_point,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, cross, dot, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.collision import CollisionWork, Shapes

MOST_VERTICES = 64
MOST_FACES = 160
MOST_EDGES = 160
MEETS = 4.0 * ROUNDING
"""Difference of the bounds, as a part of the pair's size, at which they meet."""
COPLANAR = 10.0 * ROUNDING
"""Height of a point over a face, as a part of the pair's size, below which it lies in its plane."""
SLIVER = 1e-30
"""Area, as a part of the size squared, below which a face has no plane."""
ROUND_MEETS = 1e-6
"""The same for round shapes, as a part of the depth."""


@kernel
def enclose(shapes: Shapes, pair: Pair, count: int, points_out: Floats) -> None:
    """Add points across up to three that hold the origin until there are four."""
    while count < 4:
        direction = (1.0, 0.0, 0.0)
        if count == 2:
            along = sub(point_part(points_out, 1, 6), point_part(points_out, 0, 6))
            direction = any_across(along)
        elif count == 3:
            first = point_part(points_out, 0, 6)
            direction = cross(
                sub(point_part(points_out, 1, 6), first), sub(point_part(points_out, 2, 6), first)
            )
        n = scale(1.0 / max(norm(direction), 1e-300), direction)
        here = dot(n, point_part(points_out, 0, 6))
        a, b, w = lowest_point(shapes, pair, n)
        c, d, x = lowest_point(shapes, pair, scale(-1.0, n))
        if here - dot(n, w) >= dot(n, x) - here:
            store_point(a, b, w, count, points_out)
        else:
            store_point(c, d, x, count, points_out)
        count += 1


@kernel
def add_face(
    i: int, j: int, k: int, size: float, work: CollisionWork, at: int, work_out: CollisionWork
) -> None:
    """Write a face of three vertices to row ``at``; one without area is never the nearest."""
    x = point_part(work.vertex, i, 6)
    n = cross(sub(point_part(work.vertex, j, 6), x), sub(point_part(work.vertex, k, 6), x))
    area = norm(n)
    work_out.face[at, 0], work_out.face[at, 1], work_out.face[at, 2] = i, j, k
    work_out.face[at, 3] = 0
    flat = SLIVER * size * size
    n = scale(1.0 / area, n) if area > flat else (0.0, 0.0, 0.0)
    work_out.plane[at, 0], work_out.plane[at, 1], work_out.plane[at, 2] = n
    work_out.plane[at, 3] = dot(n, x) if area > flat else inf


@kernel
def begin_polytope(size: float, work: CollisionWork, work_out: CollisionWork) -> None:
    """Make the tetrahedron of the simplex, its faces anticlockwise from outside."""
    for k in range(4):
        copy_point(k, work.simplex, k, work_out.vertex)
    x = point_part(work.vertex, 0, 6)
    n = cross(sub(point_part(work.vertex, 1, 6), x), sub(point_part(work.vertex, 2, 6), x))
    if dot(n, sub(point_part(work.vertex, 3, 6), x)) > 0.0:
        copy_point(2, work.simplex, 1, work_out.vertex)
        copy_point(1, work.simplex, 2, work_out.vertex)
    add_face(0, 1, 2, size, work, 0, work_out)
    add_face(0, 3, 1, size, work, 1, work_out)
    add_face(1, 3, 2, size, work, 2, work_out)
    add_face(2, 3, 0, size, work, 3, work_out)


@kernel
def toggle_edge(i: int, j: int, edges: int, horizon_out: Ints) -> int:
    """Add an edge to the horizon, or take it away if the face beyond it has gone, too."""
    for e in range(edges):
        if horizon_out[e, 0] == j and horizon_out[e, 1] == i:
            horizon_out[e, 0], horizon_out[e, 1] = horizon_out[edges - 1]
            return edges - 1
    if edges < MOST_EDGES:
        horizon_out[edges, 0], horizon_out[edges, 1] = i, j
        return edges + 1
    return edges


@kernel
def expand(
    w: Vector, vertex: int, faces: int, size: float, work: CollisionWork, work_out: CollisionWork
) -> int:
    """Put the last vertex on the polytope; return the number of faces, 0 if it does not fit.

    It sees faces in whose plane it lies, too. Else rounding would leave some of a flat side, and
    new ones would be folded over them.
    """
    edges = 0
    f = 0
    while f < faces:
        plane = work.plane[f]
        if plane[0] * w[0] + plane[1] * w[1] + plane[2] * w[2] - plane[3] <= -COPLANAR * size:
            f += 1
            continue
        i, j, k = work.face[f, 0], work.face[f, 1], work.face[f, 2]
        edges = toggle_edge(i, j, edges, work_out.horizon)
        edges = toggle_edge(j, k, edges, work_out.horizon)
        edges = toggle_edge(k, i, edges, work_out.horizon)
        faces -= 1
        for m in range(4):
            work_out.face[f, m] = work.face[faces, m]
            work_out.plane[f, m] = work.plane[faces, m]
    if edges < 3 or faces + edges > MOST_FACES:
        return 0
    for e in range(edges):
        i, j = work.horizon[e, 0], work.horizon[e, 1]
        add_face(i, j, vertex, size, work, faces + e, work_out)
    return faces + edges


@kernel
def nearest_face(faces: int, work: CollisionWork) -> int:
    """Return the face nearest to the origin that has not been polished, -1 for none."""
    best = -1
    for f in range(faces):
        if work.face[f, 3] == 0 and (best < 0 or work.plane[f, 3] < work.plane[best, 3]):
            best = f
    return best


@kernel
def take_face(f: int, work: CollisionWork, work_out: CollisionWork) -> None:
    """Copy the corners of a face to the first three points of the simplex."""
    for k in range(3):
        copy_point(work.face[f, k], work.vertex, k, work_out.simplex)


@kernel
def polish_faces(
    shapes: Shapes,
    pair: Pair,
    faces: int,
    best: tuple[float, Vector],
    work: CollisionWork,
    work_out: CollisionWork,
) -> tuple[float, Vector]:
    """Return the best s and n of all faces nearer than it; its face is the simplex then."""
    chosen = nearest_face(faces, work)
    for _ in range(faces):
        f = nearest_face(faces, work)
        if f < 0 or work.plane[f, 3] > -best[0]:
            break
        work_out.face[f, 3] = 1
        take_face(f, work, work_out)
        n = (-work.plane[f, 0], -work.plane[f, 1], -work.plane[f, 2])
        _, _, w = lowest_point(shapes, pair, n)
        found = polish_thoroughly(shapes, pair, 3, work.simplex, (dot(n, w), n))
        if found[0] > best[0]:
            best = found
            chosen = f
        if not pair.curved:
            break
    take_face(chosen, work, work_out)
    return best


@kernel
def find_depth(
    shapes: Shapes, pair: Pair, work: CollisionWork, work_out: CollisionWork
) -> tuple[float, Vector]:
    """Return s and n of a pair that overlaps, from a simplex round the origin.

    The nearest face is the simplex afterwards, with a fourth point behind the origin.
    """
    size = pair.size + norm(pair.offset)
    begin_polytope(size, work, work_out)
    faces = 4
    vertex = 4
    best = (-inf, (0.0, 0.0, 1.0))
    relative = ROUND_MEETS if pair.curved else 0.0
    while vertex < MOST_VERTICES:
        f = nearest_face(faces, work)
        lower = work.plane[f, 3]
        n = (-work.plane[f, 0], -work.plane[f, 1], -work.plane[f, 2])
        a, b, w = lowest_point(shapes, pair, n)
        s = dot(n, w)
        if s > best[0]:
            best = (s, n)
        if -best[0] - lower <= MEETS * size - relative * best[0] or -s - lower <= MEETS * size:
            break
        store_point(a, b, w, vertex, work_out.vertex)
        count = expand(w, vertex, faces, size, work, work_out)
        vertex += 1
        if count == 0:
            break
        faces = count
    behind = farthest_behind(best[1], vertex, work)
    best = polish_faces(shapes, pair, faces, best, work, work_out)
    copy_point(behind, work.vertex, 3, work_out.simplex)
    return best


@kernel
def farthest_behind(n: Vector, count: int, work: CollisionWork) -> int:
    """Return the vertex of the polytope that is farthest along n."""
    best = 0
    for k in range(1, count):
        if dot(n, point_part(work.vertex, k, 6)) > dot(n, point_part(work.vertex, best, 6)):
            best = k
    return best
