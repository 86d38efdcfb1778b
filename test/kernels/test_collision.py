"""Narrow phase of contact against coal, closed forms and dense searches."""

import itertools

import numpy as np
import pytest
from collision_cases import HALF_SPACE, KINDS, Solid, any_pair, ask_coal, measure, pose, touch
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from cable_sim.kernels.collision.separation import MEMORY
from cable_sim.kernels.collision.shapes import BALL, BOX, CAPSULE, CYLINDER, POLYHEDRON

UPRIGHT = Rotation.identity()
PAIRS = list(itertools.product(KINDS, KINDS))
SPREADS = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 2.0)


def support(solid, place, d):
    """Support of a solid along d in the world, by numpy."""
    axes = np.array(place.axes)
    local = axes @ d
    if solid.kind == POLYHEDRON:
        core = (solid.vertices @ local).max()
    elif solid.kind == CYLINDER:
        core = solid.half[0] * np.hypot(*local[:2]) + solid.half[2] * abs(local[2])
    else:
        core = solid.half @ abs(local)
    return float(core + solid.margin + np.array(place.position) @ d)


def apart_along(solids, poses, n):
    n = np.asarray(n) / np.linalg.norm(n)
    return -support(solids[0], poses[0], -n) - support(solids[1], poses[1], n)


def densest(solids, poses, random):
    """Largest separation along many directions, refined near the best ten."""
    n = random.normal(size=(3000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    s = np.array([apart_along(solids, poses, each) for each in n])
    best = s.max()
    for start in n[np.argsort(s)[-10:]]:
        width, value = 0.05, -np.inf
        for _ in range(300):
            tried = start + width * random.normal(size=3)
            if (found := apart_along(solids, poses, tried)) > value:
                value, start = found, tried / np.linalg.norm(tried)
            else:
                width *= 0.95
        best = max(best, value)
    return best


def corners(solid, place):
    """Corners of the core of a polytope in the world."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    local = solid.vertices if solid.kind == POLYHEDRON else signs * solid.half
    return local @ np.array(place.axes) + np.array(place.position)


def depth_in_hull(solids, poses) -> float:
    """Signed distance of polytopes whose cores overlap, by the planes of scipy's hull."""
    first, second = (corners(*each) for each in zip(solids, poses, strict=True))
    points = np.unique((first[:, None] - second[None]).reshape(-1, 3), axis=0)
    depth = ConvexHull(points).equations[:, 3].max()
    return float(depth - solids[0].margin - solids[1].margin)


def compare_with_coal(first, second, thin, ratio, count, seed) -> None:
    """Compare the distances of a number of random pairs.

    Each distance is that along its normal, so it is none too large. Where it is less than coal's,
    the hull decides: coal says 0 in the middle of bodies that are much smaller. Coal's distance of
    cylinders is good to some 1e-8, so that along its normal counts.
    """
    random = np.random.default_rng(seed)
    for _ in range(count):
        spread = random.choice(SPREADS) * random.uniform(0.8, 1.2)
        solids, poses, size = any_pair(random, (first, second), spread, thin, ratio)
        distance, normal, _ = measure(solids, poses)
        assert distance == pytest.approx(apart_along(solids, poses, normal), abs=1e-10 * size)
        expected, along = ask_coal(solids[0], poses[0], solids[1], poses[1])
        round_one = CYLINDER in (first, second)
        if round_one and np.linalg.norm(along) > 0.5:
            expected = min(expected, apart_along(solids, poses, along))
        if distance < expected - 2e-9 * size and not round_one:
            expected = min(expected, depth_in_hull(solids, poses))
        full = round_one and ratio < 1e-3 and distance < 0.0
        assert distance >= expected - (1e-4 if full else 2e-9) * size


SIZES = [(0.0, 1.0), (1.5, 1.0), (0.0, 1e-4)]


@pytest.mark.parametrize(("thin", "ratio"), SIZES)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_distances_are_those_of_coal(first, second, thin, ratio) -> None:
    compare_with_coal(first, second, thin, ratio, 100, 100 * first + second)


@pytest.mark.slow
@pytest.mark.parametrize(("thin", "ratio"), SIZES)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_million_distances_are_those_of_coal(first, second, thin, ratio) -> None:
    compare_with_coal(first, second, thin, ratio, 13_400, 7)


def test_a_polytope_with_a_flat_side_keeps_its_depth() -> None:
    """A capsule across a cylinder's cap, whose points in the plane of the cap had folded faces."""
    random = np.random.default_rng(7)
    for _ in range(2161):
        spread = random.choice(SPREADS) * random.uniform(0.8, 1.2)
        solids, poses, size = any_pair(random, (CAPSULE, CYLINDER), spread, 0.0, 1.0)
    distance, _, _ = measure(solids, poses)
    expected, _ = ask_coal(solids[0], poses[0], solids[1], poses[1])
    assert distance == pytest.approx(expected, abs=2e-9 * size)


@pytest.mark.parametrize(("first", "second"), [p for p in PAIRS if CYLINDER in p])
def test_no_direction_gives_cylinders_less_depth(first, second) -> None:
    random = np.random.default_rng(7 + 10 * first + second)
    for _ in range(4):
        solids, poses, size = any_pair(random, (first, second), random.uniform(0.0, 0.6))
        distance, _, _ = measure(solids, poses)
        assert densest(solids, poses, random) <= distance + 1e-9 * size


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_warm_starts_give_the_result_of_cold_ones(first, second) -> None:
    random = np.random.default_rng(3 + 10 * first + second)
    for _ in range(5):
        solids, (pose_a, pose_b), size = any_pair(random, (first, second), 0.45)
        memory = np.zeros(MEMORY)
        offset = np.array(pose_b.position)
        for step in range(10):
            turn = Rotation.from_matrix(np.array(pose_b.axes).T)
            turn = Rotation.from_rotvec(0.03 * random.normal(size=3)) * turn
            offset = offset + 0.02 * random.normal(size=3)
            pose_b = pose(offset, turn)
            warm, _, _ = measure(solids, (pose_a, pose_b), memory)
            cold, _, _ = measure(solids, (pose_a, pose_b))
            assert warm == pytest.approx(cold, abs=1e-9 * size), step


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_touching_parallel_and_concentric_pairs_are_finite(first, second) -> None:
    random = np.random.default_rng(1)
    for at in ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (1.0, 1.0, 1.0)):
        solids, _, _ = any_pair(random, (first, second), 0.0)
        poses = (pose(np.zeros(3), UPRIGHT), pose(at, UPRIGHT))
        for _ in range(2):
            distance, normal, point = measure(solids, poses)
            assert np.isfinite([distance, *normal, *point]).all()
            assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
            touching = np.array(at) - distance * np.array(normal)
            poses = (poses[0], pose(touching, UPRIGHT))
            again, normal, point = measure(solids, poses)
            assert np.isfinite([again, *normal, *point]).all()


def test_depth_of_a_ball_in_a_cylinder_has_its_closed_form() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        r, half = random.uniform(0.1, 2.0, 2)
        place = np.array([*random.uniform(-1, 1, 2) * r / 1.5, random.uniform(-half, half)])
        solids = Solid(CYLINDER, (r, r, half)), Solid(BALL, margin=0.3)
        distance, _, _ = measure(solids, (pose(np.zeros(3), UPRIGHT), pose(place, UPRIGHT)))
        inside = min(r - np.hypot(*place[:2]), half - abs(place[2]))
        assert distance == pytest.approx(-inside - 0.3, abs=1e-12)


def box(*half):
    return Solid(BOX, half)


GROUND = Solid(HALF_SPACE)


def check_points(solids, poses, points, found, limit=0.01):
    """Points lie on both surfaces within their gaps, and the deepest is as deep as the pair."""
    n = np.array(found[1])
    assert points[:, 3].min() == pytest.approx(found[0], abs=1e-5)
    assert (points[:, 3] <= limit + 1e-12).all()
    for point in points:
        for side, sign in ((0, 1.0), (1, -1.0)):
            if solids[side].kind != HALF_SPACE:
                ball = Solid(BALL, margin=1e-9)
                on = point[:3] + sign * 0.5 * point[3] * n
                off, _, _ = measure((ball, solids[side]), (pose(on, UPRIGHT), poses[side]))
                assert abs(off) < 1e-5


def stand(solid, height, turn=UPRIGHT, ground=GROUND, at=(0.0, 0.0)):
    """Pose of a solid over the ground."""
    return (solid, ground), (pose((*at, height), turn), pose(np.zeros(3), UPRIGHT))


@pytest.mark.parametrize(
    ("solid", "height", "turn", "count"),
    [
        (box(1.0, 2.0, 0.5), 0.499, UPRIGHT, 4),
        (Solid(CYLINDER, (1.0, 1.0, 0.5)), 0.499, UPRIGHT, 4),
        (Solid(CYLINDER, (1.0, 1.0, 0.5)), 0.999, Rotation.from_euler("x", 90, degrees=True), 2),
        (Solid(CYLINDER, (1.0, 1.0, 0.05)), 0.0695, Rotation.from_rotvec([0.02, 0, 0]), 1),
        (Solid(CAPSULE, (0.0, 0.0, 1.0), 0.2), 0.199, Rotation.from_rotvec([np.pi / 2, 0, 0]), 2),
        (Solid(BALL, margin=0.3), 0.299, UPRIGHT, 1),
    ],
)
def test_solids_stand_on_the_ground_by_their_points(solid, height, turn, count) -> None:
    solids, poses = stand(solid, height, turn)
    points, features, found = touch(solids, poses)
    assert len(points) == count
    assert len(set(features)) == count
    np.testing.assert_allclose(found[1], (0.0, 0.0, 1.0), atol=1e-12)
    check_points(solids, poses, points, found)


def test_a_beam_on_a_shorter_platform_touches_its_rims() -> None:
    solids = box(6.0, 0.2, 0.2), box(3.0, 1.0, 0.5)
    poses = pose((0.0, 0.0, 0.6999), UPRIGHT), pose(np.zeros(3), UPRIGHT)
    points, _, found = touch(solids, poses)
    assert sorted(map(tuple, np.round(points[:, :2], 9))) == [
        (-3.0, -0.2),
        (-3.0, 0.2),
        (3.0, -0.2),
        (3.0, 0.2),
    ]
    check_points(solids, poses, points, found)


def test_a_drum_over_a_rim_touches_where_its_circle_crosses() -> None:
    solids = Solid(CYLINDER, (1.0, 1.0, 0.5)), box(5.0, 5.0, 0.5)
    poses = pose((5.2, 0.0, 0.9999), UPRIGHT), pose(np.zeros(3), UPRIGHT)
    points, _, found = touch(solids, poses)
    on_rim = points[abs(points[:, 0] - 5.0) < 1e-9]
    np.testing.assert_allclose(sorted(on_rim[:, 1]), [-np.sqrt(0.96), np.sqrt(0.96)], atol=1e-9)
    check_points(solids, poses, points, found)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_points_lie_on_both_surfaces(first, second) -> None:
    random = np.random.default_rng(11 + 10 * first + second)
    for depth in np.repeat([-0.002, 0.002], 10):
        solids, (pose_a, pose_b), _ = any_pair(random, (first, second), 1.5)
        distance, normal, _ = measure(solids, (pose_a, pose_b))
        offset = np.array(pose_b.position) + (distance + depth) * np.array(normal)
        poses = pose_a, pose(offset, Rotation.from_matrix(np.array(pose_b.axes).T))
        points, _, found = touch(solids, poses, 0.01)
        if depth < 0.0:
            assert found[0] == pytest.approx(-depth, abs=1e-9)
        check_points(solids, poses, points, found)


@pytest.mark.parametrize("lower", [box(1.0, 1.0, 0.5), Solid(CYLINDER, (1.0, 1.0, 0.5)), GROUND])
@pytest.mark.parametrize("upper", [box(0.6, 0.8, 0.5), Solid(CYLINDER, (0.7, 0.7, 0.5))])
def test_points_of_a_body_at_rest_stay(upper, lower) -> None:
    random = np.random.default_rng(2)
    height = 0.4999 if lower is GROUND else 0.9999
    memory = np.zeros(MEMORY)
    known = None
    for _ in range(50):
        turn = Rotation.from_rotvec(1e-8 * random.normal(size=3))
        at = (*(1e-8 * random.normal(size=2)), height + 1e-8 * random.normal())
        poses = pose(at, turn), pose(np.zeros(3), UPRIGHT)
        points, features, _ = touch((upper, lower), poses, 0.01, memory)
        now = dict(zip(features.tolist(), points, strict=True))
        known = known or now
        assert now.keys() == known.keys()
        assert len(now) == 4
        for feature, point in now.items():
            np.testing.assert_allclose(point, known[feature], atol=1e-6)
