"""Where two boxes touch: against general solvers, in poses at random."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation

from cable_sim.kernels.boxes import POINTS, choose_points, contact_axis, contact_points

SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


class Pair:
    """Two boxes; arrays as the kernels have them."""

    def __init__(self, half, centre, turns) -> None:
        self.half, self.centre = np.array(half, dtype=float), np.array(centre, dtype=float)
        self.axes = np.ascontiguousarray([turn.as_matrix().T for turn in turns])
        self.polygon = np.zeros((2, 8, 3))

    def corners(self, i: int) -> np.ndarray:
        return self.centre[i] + (SIGNS * self.half[i]) @ self.axes[i]

    def planes(self, i: int) -> np.ndarray:
        """Half spaces n . x - d <= 0 whose intersection is box i (6, 4)."""
        normals = np.concatenate([self.axes[i], -self.axes[i]])
        return np.column_stack([normals, -normals @ self.centre[i] - np.tile(self.half[i], 2)])

    def overlaps(self) -> bool:
        """Whether a point is in both, by linear programming: the deepest one is inside of all
        planes."""
        planes = np.concatenate([self.planes(0), self.planes(1)])
        found = linprog(
            [0, 0, 0, -1],
            np.column_stack([planes[:, :3], np.ones(12)]),
            -planes[:, 3],
            bounds=[(None, None)] * 3 + [(None, 1.0)],
        )
        return bool(found.x[3] > 0.0)

    def axis(self, margin: float = 1e9, velocity=(0.0, 0.0, 0.0)) -> int:
        return contact_axis(margin, velocity, 0, 1, self.half, self.centre, self.axes)

    def meet(self):
        """Points in the world with their gaps (n, 4), and the normal from A to B."""
        count, sign, frame = contact_points(
            self.axis(), 0, 1, self.half, self.centre, self.axes, self.polygon
        )
        found = self.polygon[0, :count]
        origin, axes = np.array(frame[0]), np.array(frame[1:])
        return np.column_stack([origin + found @ axes, found[:, 2]]), sign * axes[2]


def at_random(seed: int, spread: float) -> Pair:
    random = np.random.default_rng(seed)
    half, offset = random.uniform(0.2, 1.0, (2, 3)), random.normal(size=3)
    offset *= spread * random.uniform(0.8, 1.2) * half.sum() / 3.0 / np.linalg.norm(offset)
    return Pair(
        half, [np.zeros(3), offset], [Rotation.random(random_state=random) for _ in range(2)]
    )


def test_boxes_are_apart_where_no_point_is_in_both() -> None:
    """The sign of the largest separation, against linear programming; both happen often."""
    pairs = [at_random(seed, 1.3) for seed in range(200)]
    found = [pair.overlaps() for pair in pairs]
    assert [pair.axis(margin=0.0) >= 0 for pair in pairs] == found
    assert 40 < sum(found) < 160


@pytest.mark.parametrize("seed", range(20))
def test_two_faces_meet_in_the_polygon_that_they_share(seed: int) -> None:
    """B stands on A, turned about the vertical by any angle: points are the corners of what is in
    both, to 1e-9 m."""
    random = np.random.default_rng(seed)
    half, turn = random.uniform(0.5, 1.0, (2, 3)), Rotation.random(random_state=random)
    yaw = Rotation.from_rotvec([0.0, 0.0, random.uniform(-3.0, 3.0)])
    offset = np.array([*random.uniform(-0.5, 0.5, 2), half[0, 2] + half[1, 2] - 1e-4])
    pair = Pair(half, [np.zeros(3), turn.apply(offset)], [turn, turn * yaw])
    points, normal = pair.meet()
    np.testing.assert_allclose(turn.inv().apply(normal), (0.0, 0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(points[:, 3], -1e-4, atol=1e-12)
    inside = points[:, :3].mean(axis=0) + turn.apply([0.0, 0.0, 0.5e-4])
    shared = HalfspaceIntersection(np.concatenate([pair.planes(0), pair.planes(1)]), inside)
    flat = turn.inv().apply(shared.intersections)
    low = flat[flat[:, 2] < half[0, 2] - 0.5e-4]
    mine = turn.inv().apply(points[:, :3])
    for corner in low:
        assert np.linalg.norm(mine - corner, axis=1).min() < 1e-9
    assert ConvexHull(mine[:, :2]).volume == pytest.approx(ConvexHull(low[:, :2]).volume, rel=1e-9)


def crossed(angle: float, gap: float) -> Pair:
    """Two bars that lie on an edge each, B across A, turned by an angle and a gap apart."""
    on_edge = Rotation.from_rotvec([np.pi / 4, 0.0, 0.0])
    height = 2.0 * 0.1 * np.sqrt(2.0) + gap
    turn = Rotation.from_rotvec([0.0, 0.0, angle])
    return Pair(
        [(1.0, 0.1, 0.1)] * 2, [(0.0, 0.0, 0.0), (0.2, -0.1, height)], [on_edge, turn * on_edge]
    )


@pytest.mark.parametrize("gap", [-1e-3, 1e-3])
@pytest.mark.parametrize("angle", [0.5, np.pi / 2, 2.0])
def test_crossed_edges_meet_in_one_point(angle: float, gap: float) -> None:
    pair = crossed(angle, gap)
    points, normal = pair.meet()
    assert pair.axis() >= 6
    np.testing.assert_allclose(normal, (0.0, 0.0, 1.0), atol=1e-12)
    (point,) = points
    assert point[3] == pytest.approx(gap, abs=1e-12)
    # where the line of A, along x, and that of B cross as seen from above
    reach = 0.1 / np.sin(angle)
    np.testing.assert_allclose(
        point[:3], (0.2 + reach * np.cos(angle), 0.0, 0.1 * np.sqrt(2.0) + gap), atol=1e-12
    )


def test_edges_meet_only_where_they_are_closest() -> None:
    """Boxes apart along the product of two edges: the gap is their distance, or, if the lines pass
    outside, there is no point and the distance is larger; by bounded least squares."""
    met = []
    for seed in range(300):
        pair = at_random(seed, 1.6)
        if pair.axis() < 6:
            continue
        matrix = np.column_stack([pair.axes[0].T, -pair.axes[1].T])
        limits = pair.half.ravel()
        found = lsq_linear(matrix, pair.centre[1] - pair.centre[0], (-limits, limits), tol=1e-14)
        distance, (points, normal) = np.sqrt(2.0 * found.cost), pair.meet()
        apart = normal @ (pair.centre[1] - pair.centre[0]) - sum(
            np.abs(axes @ normal) @ half for axes, half in zip(pair.axes, pair.half, strict=True)
        )
        met.append(len(points))
        if apart > 0.0 and len(points):
            assert points[0, 3] == pytest.approx(distance, abs=1e-7)
        elif apart > 0.0:
            assert distance > apart
    assert met.count(0) > 3 and met.count(1) > 20


@pytest.mark.parametrize(
    ("velocity", "axis"), [((-1.0, 0.0, 0.0), 2), ((0.0, 0.0, -1.0), 0), ((0.0, 0.0, 0.0), 0)]
)
def test_rims_meet_along_the_axis_on_which_they_do_not_approach(
    velocity: tuple[float, ...], axis: int
) -> None:
    """Less deep along x than along z, both by less than the skin; at rest it is the shallower axis
    that counts."""
    pair = Pair(
        [(1.0, 1.0, 0.5)] * 2,
        [(0.0, 0.0, 0.0), (2.0 - 1e-4, 0.0, 1.0 - 2e-4)],
        [Rotation.identity()] * 2,
    )
    assert pair.axis(velocity=velocity) == axis
    pair.centre[1, 2] = 1.0 - 2e-3
    assert pair.axis(velocity=velocity) == 0


@pytest.mark.parametrize("seed", range(100))
def test_points_of_boxes_that_overlap_little_are_in_both(seed: int) -> None:
    """Moved together along the line of centres until 1 mm deep: a point at least, none farther in
    or out than that."""
    pair = at_random(seed, 1.0)
    along = pair.centre[1] / np.linalg.norm(pair.centre[1])
    near, far = 0.0, 10.0
    for _ in range(60):
        pair.centre[1] = 0.5 * (near + far) * along
        near, far = (
            (0.5 * (near + far), far)
            if pair.axis(margin=-1e-3) >= 0
            else (near, 0.5 * (near + far))
        )
    points, normal = pair.meet()
    assert points[:, 3].min() == pytest.approx(-1e-3, abs=3e-4 if pair.axis() >= 6 else 1e-9)
    assert normal @ along > 0.0
    for point in points[points[:, 3] < 0.0]:
        for i in range(2):
            assert (pair.planes(i) @ [*point[:3], 1.0]).max() < 1.1e-3


def slots(points) -> list[int]:
    polygon, chosen = np.zeros((8, 3)), np.zeros(POINTS, dtype=np.int64)
    polygon[: len(points)] = points
    choose_points(len(points), polygon, chosen)
    return chosen.tolist()


CORNERS = [(1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (-1.0, -1.0, 0.0)]


@pytest.mark.parametrize("order", itertools.permutations(range(4)))
def test_corners_keep_their_slots_in_whatever_order_they_come(order: tuple[int, ...]) -> None:
    assert [order[n] for n in slots([CORNERS[n] for n in order])] == [0, 1, 2, 3]


def test_points_between_the_corners_are_left_out() -> None:
    middles = [(1.0, 0.2, 0.0), (-0.3, 1.0, 0.0), (1.0 - 1e-9, 1.0, 0.0)]
    assert slots([*middles, *CORNERS]) in ([3, 4, 5, 6], [2, 4, 5, 6])


def test_the_deepest_point_is_among_those_that_are_kept() -> None:
    assert slots([*CORNERS, (1.0, 0.8, -1e-3)]) == [4, 1, 2, 3]


def test_points_that_coincide_count_once() -> None:
    assert slots([CORNERS[0], CORNERS[0], CORNERS[3]]) == [0, 2, -1, -1]
    assert slots(np.zeros((0, 3))) == [-1] * 4
