"""Records of the shapes that touch each other, and scratch memory of a pair."""

from typing import NamedTuple

from cable_sim.model.records.arrays import Floats, Ints


class Shapes(NamedTuple):
    """Convex shapes: a core, and a margin all round it."""

    kind: Ints
    """(n,) BALL, CAPSULE, BOX, CYLINDER, POLYHEDRON or HALF_SPACE of
    kernels/collision/shapes.py."""
    half: Floats
    """(n, 3) half extents of the core in its frame [m]; (0, 0, l) of a capsule's line."""
    margin: Floats
    """(n,) radius that is added to the core [m]; the radius of a ball or capsule."""
    vertex_start: Ints
    """(n + 1,) first vertex of each polyhedron."""
    vertex: Floats
    """(v, 3) [m]."""
    face_start: Ints
    """(n + 1,) first face of each polyhedron."""
    face_normal: Floats
    """(f, 3) outward unit normals."""
    loop_start: Ints
    """(f + 1,)."""
    loop: Ints
    """(q,) rows of the vertices round each face, anticlockwise as seen from outside."""


class CollisionWork(NamedTuple):
    """Scratch of the narrow phase, for one pair at a time."""

    simplex: Floats
    """(4, 9) points of a simplex: on A in its frame, on B in its frame, difference [m]."""
    vertex: Floats
    """(64, 9) the same of the polytope."""
    face: Ints
    """(160, 4) vertices of its faces, and 1 once a face has been polished."""
    plane: Floats
    """(160, 4) outward unit normals and distances from the origin [m]."""
    horizon: Ints
    """(160, 2) edges round the part of the polytope that goes."""
    outline: Floats
    """(2, m, 4) corners (x, y, height [m], number) of the features that meet."""
    point: Floats
    """(96, 5) contact points to choose from: x, y, height, gap [m], feature."""
    chosen: Ints
    """(4,) those chosen."""
