"""Planes along which shapes that touch with their rims alone do not approach."""

import itertools
import math

import numpy as np
import pytest
from collision_cases import Solid, any_pair, measure, pose, related
from scipy.spatial.transform import Rotation

from cable_sim.kernels.collision.rims import APPROACHES, SKIN, leave_rims
from cable_sim.kernels.collision.shapes import BOX, HALF_SPACE, POLYHEDRON

SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
HALF = np.array((1.0, 1.0, 0.5))


def leave(solids, poses, velocity):
    """The result of ``leave_rims``, and what it came from."""
    found = measure(solids, poses)
    rim, _ = leave_rims(1e-3, *related(solids, poses), tuple(velocity), found)
    return rim, found


def corners(solid: Solid, place) -> np.ndarray:
    """Corners in the world."""
    points = SIGNS * solid.half if solid.kind == BOX else solid.vertices
    return np.array(place.position) + points @ np.array(place.axes)


def normals(solid: Solid, place) -> np.ndarray:
    """Outward normals of faces in the world."""
    own = np.concatenate([np.eye(3), -np.eye(3)]) if solid.kind == BOX else np.array(solid.normals)
    return own @ np.array(place.axes)


@pytest.mark.parametrize("kind", [BOX, POLYHEDRON])
@pytest.mark.parametrize(
    ("velocity", "axis"), [((-1.0, 0.0, 0.0), 2), ((0.0, 0.0, -1.0), 0), ((0.0, 0.0, 0.0), 0)]
)
def test_rims_meet_along_the_axis_on_which_they_do_not_approach(kind, velocity, axis) -> None:
    """Less deep along x than along z, both by less than the skin; at rest the shallower counts."""
    block = Solid(BOX, HALF) if kind == BOX else Solid(kind, vertices=SIGNS * HALF)
    flat = Rotation.identity()
    for deep, expected in ((2e-4, axis), (2e-3, 0)):
        poses = pose((2.0 - 1e-4, 0.0, 1.0 - deep), flat), pose((0.0, 0.0, 0.0), flat)
        (_, normal, _), _ = leave([block, block], poses, velocity)
        np.testing.assert_allclose(normal, np.eye(3)[expected], atol=1e-9)


@pytest.mark.parametrize("seed", range(200))
def test_the_calmest_plane_that_parts_the_shapes_is_taken(seed: int) -> None:
    """Against all faces' normals and all corners."""
    random = np.random.default_rng(seed)
    solids, poses, _ = any_pair(random, (BOX, POLYHEDRON), random.uniform(0.4, 0.8))
    velocity = random.normal(size=3)
    (distance, normal, _), found = leave(solids, poses, velocity)
    a, b = (corners(solid, place) for solid, place in zip(solids, poses, strict=True))
    planes = np.concatenate([-normals(solids[0], poses[0]), normals(solids[1], poses[1])])
    apart = (a @ planes.T).min(axis=0) - (b @ planes.T).max(axis=0)
    skin = SKIN * min(solid.half.min() for solid in solids)
    calm = np.minimum(planes @ velocity, 0.0)[apart > -skin]
    approach = min(float(np.dot(found[1], velocity)), 0.0)
    if approach < -APPROACHES and calm.max(initial=-np.inf) > approach + APPROACHES:
        assert distance == math.inf
        assert min(float(np.dot(normal, velocity)), 0.0) == pytest.approx(calm.max(), abs=1e-9)
    else:
        assert (distance, normal) == found[:2]


def test_a_half_space_keeps_its_normal() -> None:
    block, ground = Solid(BOX, HALF), Solid(HALF_SPACE)
    poses = pose((0.0, 0.0, 0.6), Rotation.identity()), pose((0.0, 0.0, 0.0), Rotation.identity())
    made, found = leave([block, ground], poses, (0.0, 0.0, -1.0))
    assert made == found
