"""Shapes and pairs at random for tests of the narrow phase, also as shapes of coal."""

import coal
import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from cable_sim.kernels.collision.manifold import manifold
from cable_sim.kernels.collision.separation import MEMORY, separation
from cable_sim.kernels.collision.shapes import (
    BALL,
    BOX,
    CAPSULE,
    CYLINDER,
    HALF_SPACE,
    POLYHEDRON,
    Pose,
    relate_shapes,
)
from cable_sim.kernels.records.collision import CollisionWork, Shapes

KINDS = (BALL, CAPSULE, BOX, CYLINDER, POLYHEDRON)


class Solid:
    """One shape: kind, half extents, margin, vertices; and the same for coal."""

    def __init__(self, kind, half=(0.0, 0.0, 0.0), margin=0.0, vertices=None) -> None:
        self.kind, self.margin = kind, margin
        self.vertices = np.zeros((0, 3)) if vertices is None else np.array(vertices, dtype=float)
        self.half = np.abs(self.vertices).max(axis=0) if kind == POLYHEDRON else np.array(half)
        self.loops, self.normals = [], []
        if kind == POLYHEDRON:
            self.find_faces()

    def find_faces(self) -> None:
        size = np.abs(self.vertices).max()
        hull = ConvexHull(self.vertices / size)
        for equation in np.unique(np.round(hull.equations, 9), axis=0):
            on = np.flatnonzero(abs(self.vertices @ equation[:3] / size + equation[3]) < 1e-7)
            middle = self.vertices[on].mean(axis=0)
            u = self.vertices[on[0]] - middle
            v = np.cross(equation[:3], u)
            angle = np.arctan2((self.vertices[on] - middle) @ v, (self.vertices[on] - middle) @ u)
            self.loops.append(on[np.argsort(angle)])
            self.normals.append(equation[:3] / np.linalg.norm(equation[:3]))

    def for_coal(self):
        if self.kind == BALL:
            return coal.Sphere(self.margin)
        if self.kind == CAPSULE:
            return coal.Capsule(self.margin, 2.0 * self.half[2])
        if self.kind == BOX:
            return coal.Box(*(2.0 * self.half))
        if self.kind == CYLINDER:
            return coal.Cylinder(self.half[0], 2.0 * self.half[2])
        points = coal.StdVec_Vec3s()
        for vertex in self.vertices:
            points.append(vertex)
        return coal.Convex.convexHull(points, False, "Qt")


def pack(solids) -> Shapes:
    """Rows of the shapes."""
    vertices = [len(s.vertices) for s in solids]
    faces = [len(s.loops) for s in solids]
    start = np.cumsum([0, *vertices])
    loops = [loop + start[i] for i, s in enumerate(solids) for loop in s.loops]
    normals = [normal for s in solids for normal in s.normals]
    return Shapes(
        np.array([s.kind for s in solids], dtype=np.int64),
        np.array([s.half for s in solids], dtype=float),
        np.array([s.margin for s in solids], dtype=float),
        start.astype(np.int64),
        np.concatenate([s.vertices for s in solids] + [np.zeros((0, 3))]),
        np.cumsum([0, *faces]).astype(np.int64),
        np.array(normals, dtype=float).reshape(-1, 3),
        np.cumsum([0, *map(len, loops)]).astype(np.int64),
        np.concatenate([*loops, np.zeros(0)]).astype(np.int64),
    )


def scratch() -> CollisionWork:
    """Scratch memory, full of NaN."""
    return CollisionWork(
        np.full((4, 9), np.nan),
        np.full((64, 9), np.nan),
        np.full((160, 4), -1),
        np.full((160, 4), np.nan),
        np.full((160, 2), -1),
        np.full((2, 64, 4), np.nan),
        np.full((96, 5), np.nan),
        np.full(4, -1),
    )


def pose(position, turn) -> Pose:
    """Pose of a position and a rotation."""
    matrix = turn.as_matrix()
    axes = tuple(tuple(float(x) for x in matrix[:, k]) for k in range(3))
    return Pose(tuple(float(x) for x in position), axes)


def any_solid(kind, random, thin=0.0) -> Solid:
    """A shape of about one metre; ``thin`` are powers of ten by which extents differ."""
    half = 10.0 ** random.uniform(-thin, thin, 3) * random.uniform(0.3, 1.0, 3)
    if kind == BALL:
        return Solid(kind, margin=half[0])
    if kind == CAPSULE:
        return Solid(kind, (0.0, 0.0, half[2]), half[0])
    if kind == CYLINDER:
        return Solid(kind, (half[0], half[0], half[2]))
    if kind == BOX:
        return Solid(kind, half)
    points = random.normal(size=(random.integers(4, 16), 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points * half)
    return Solid(kind, vertices=(points * half)[hull.vertices])


def ask_coal(first, pose_a, second, pose_b):
    """Signed distance and normal from the second to the first by coal, as exact as it goes."""
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = 1e-12
    request.epa_tolerance = 1e-12
    request.gjk_max_iterations = 1000
    request.epa_max_iterations = 1000
    request.gjk_convergence_criterion = coal.GJKConvergenceCriterion.DualityGap
    request.gjk_convergence_criterion_type = coal.GJKConvergenceCriterionType.Absolute
    result = coal.DistanceResult()
    places = [coal.Transform3s(np.array(p.axes).T, np.array(p.position)) for p in (pose_a, pose_b)]
    distance = coal.distance(
        first.for_coal(), places[0], second.for_coal(), places[1], request, result
    )
    return distance, -result.normal


def related(solids, poses):
    """Shapes, their pair, and the pose of the first."""
    shapes = pack(solids)
    return shapes, relate_shapes(shapes, 0, poses[0], 1, poses[1]), poses[0]


def measure(solids, poses, memory=None, limit=np.inf, work=None):
    """Signed distance, normal and middle point of a pair."""
    memory = np.zeros(MEMORY) if memory is None else memory
    return separation(*related(solids, poses), limit, memory, work or scratch())


def touch(solids, poses, limit=0.01, memory=None):
    """Contact points (x, y, z, gap) and features of a pair, and its signed distance and normal."""
    work = scratch()
    found = measure(solids, poses, memory, limit, work)
    points, features = np.full((4, 4), np.nan), np.zeros(4, dtype=np.int64)
    count = manifold(*related(solids, poses), found, limit, points, features, work)
    return points[:count], features[:count], found


def any_pair(random, kinds, spread, thin=0.0, ratio=1.0):
    """Two shapes and poses, apart by ``spread`` of their sizes or so."""
    solids = [any_solid(kind, random, thin) for kind in kinds]
    if ratio != 1.0:
        solid = solids[1]
        solids[1] = Solid(
            solid.kind, solid.half * ratio, solid.margin * ratio, solid.vertices * ratio
        )
    turns = Rotation.random(2, rng=random)
    size = sum(np.linalg.norm(s.half) + s.margin for s in solids)
    offset = random.normal(size=3)
    offset *= spread * size / np.linalg.norm(offset)
    return solids, (pose(np.zeros(3), turns[0]), pose(offset, turns[1])), size


__all__ = [
    "HALF_SPACE",
    "KINDS",
    "Solid",
    "any_pair",
    "ask_coal",
    "measure",
    "pack",
    "pose",
    "touch",
]
