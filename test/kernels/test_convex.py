"""Balls and boxes before convex solids: distances and gaps against quadratic and linear programs,
on random hulls."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial.transform import Rotation

from cable_sim.kernels.convex import (
    MOST_POINTS,
    POINTS,
    Block,
    Convex,
    box_direction,
    box_points,
    choose_points,
    entry_fraction,
    find_ball_contact,
    nearest_surface,
)
from cable_sim.model.obstacles import solid
from cable_sim.model.solid_contacts import _Pair, _solid_of
from cable_sim.spec import Body, Box, Cylinder, Obstacle, Polyhedron

STILL = (0.0, 0.0, 0.0)
SOLIDS = ("box", "cylinder", "hull")


def shape(kind: str, random: np.random.Generator) -> Box | Cylinder | Polyhedron:
    if kind == "box":
        return Box(*random.uniform(0.5, 2.0, 3))
    if kind == "cylinder":
        return Cylinder(random.uniform(0.3, 1.0), random.uniform(0.5, 2.0))
    points = random.normal(size=(14, 3))
    return Polyhedron(tuple(map(tuple, points / np.linalg.norm(points, axis=1)[:, None])))


def packed(kind: str, random: np.random.Generator) -> tuple[Convex, np.ndarray, np.ndarray]:
    """A solid in the arrays of the kernel, its faces (f, 4) and corners."""
    obstacle = Obstacle(
        "o",
        shape(kind, random),
        orientation=tuple(np.roll(Rotation.random(random_state=random).as_quat(), 1)),
    )
    made = _solid_of(_Pair(Body("b", shape=Box(1, 1, 1)), obstacle, 0.0, STILL, STILL, 1.0), {})
    centre = made.corners.mean(axis=0)
    counts = [np.array([0, len(part)]) for part in (made.faces, made.corners, made.edges)]
    arrays = Convex(
        np.zeros(1, np.int64),
        centre[None],
        np.array([np.linalg.norm(made.corners - centre, axis=1).max()]),
        counts[0],
        np.ascontiguousarray(made.faces[:, :3]),
        np.ascontiguousarray(made.faces[:, 3]),
        counts[1],
        made.corners,
        counts[2],
        np.ascontiguousarray(made.edges),
        np.ascontiguousarray(made.edge_faces),
    )
    return arrays, made.faces, made.corners


def random_block(random: np.random.Generator, far: float) -> Block:
    axes = Rotation.random(random_state=random).as_matrix().T
    half = tuple(map(float, random.uniform(0.1, 0.6, 3)))
    return Block(
        tuple(map(float, far * random.normal(size=3))),
        tuple(tuple(map(float, axis)) for axis in axes),
        half,
    )


def block_faces(block: Block) -> np.ndarray:
    normals = np.concatenate([np.array(block.axes), -np.array(block.axes)])
    return np.column_stack([normals, normals @ block.centre + np.tile(block.half, 2)])


@pytest.mark.parametrize("kind", SOLIDS)
def test_the_nearest_point_is_that_of_a_quadratic_program(kind: str) -> None:
    random = np.random.default_rng(3)
    for _ in range(12):
        arrays, faces, corners = packed(kind, random)
        point = corners.mean(axis=0) + random.normal(size=3) * 1.5
        distance, normal = nearest_surface(arrays, 0, tuple(point))
        room = faces[:, 3] - faces[:, :3] @ point
        if room.min() > 0.0:
            assert distance == pytest.approx(-room.min(), abs=1e-12)
            continue
        found = minimize(
            lambda x, p=point: ((x - p) ** 2).sum(),
            corners.mean(axis=0),
            jac=lambda x, p=point: 2.0 * (x - p),
            constraints={
                "type": "ineq",
                "fun": lambda x, f=faces: f[:, 3] - f[:, :3] @ x,
                "jac": lambda x, f=faces: -f[:, :3],
            },
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 300},
        )
        assert distance == pytest.approx(np.sqrt(found.fun), abs=1e-6)
        np.testing.assert_allclose(point - distance * np.array(normal), found.x, atol=1e-4)


def least_gap(faces: np.ndarray, block: Block, normal: np.ndarray) -> float | None:
    """Least height of a box above a solid along a normal by a linear program; None where they do
    not overlap."""
    own = block_faces(block)
    along = np.column_stack(
        [np.eye(3), -normal[:, None]]
    )  # a point of the solid: the box's less z normal
    found = linprog(
        (0.0, 0.0, 0.0, 1.0),
        A_ub=np.concatenate([np.column_stack([own[:, :3], np.zeros(6)]), faces[:, :3] @ along]),
        b_ub=np.concatenate([own[:, 3], faces[:, 3]]),
        bounds=[(None, None)] * 4,
    )
    return float(found.fun) if found.status == 0 else None


def are_apart(faces: np.ndarray, block: Block) -> bool:
    own = block_faces(block)
    both = np.concatenate([own, faces])
    return (
        linprog(np.zeros(3), A_ub=both[:, :3], b_ub=both[:, 3], bounds=[(None, None)] * 3).status
        == 2
    )


@pytest.mark.parametrize("kind", SOLIDS)
def test_the_least_gap_of_the_points_is_that_of_a_linear_program(kind: str) -> None:
    """Whether they are apart or overlap, and along whichever direction they meet."""
    random, points, seen = np.random.default_rng(5), np.zeros((MOST_POINTS, 4)), 0
    for _ in range(40):
        arrays, faces, _ = packed(kind, random)
        block = random_block(random, 0.7)
        near, normal = box_direction(1e-3, arrays, 0, block, STILL, 10.0)
        assert near and np.linalg.norm(normal) == pytest.approx(1.0)
        count, frame = box_points(arrays, 0, block, normal, 10.0, STILL, points)
        expected = least_gap(faces, block, np.array(normal))
        assert (count == 0) == (expected is None)
        if expected is None:
            continue
        seen += 1
        assert points[:count, 2].min() == pytest.approx(expected, abs=2e-6)
        assert (expected > 0.0) == are_apart(faces, block)
        own = block_faces(block)
        for x, y, _, z in points[:count]:  # on the box
            place = (
                np.array(block.centre)
                + x * np.array(frame[0])
                + y * np.array(frame[1])
                + z * np.array(frame[2])
            )
            assert (own[:, :3] @ place - own[:, 3]).max() < 2e-6
    assert seen > 10


@pytest.mark.parametrize("kind", SOLIDS)
def test_boxes_are_let_alone_only_if_they_stay_apart(kind: str) -> None:
    """Also those that would fly through the solid within the step; by linear programs along the
    way."""
    random, stopped, h = np.random.default_rng(7), 0, 0.02
    for _ in range(40):
        arrays, faces, _ = packed(kind, random)
        block = random_block(random, 1.6)
        velocity = random.normal(size=3) * 30.0 - 40.0 * np.array(block.centre)
        near, normal = box_direction(h, arrays, 0, block, tuple(velocity), 1e-3)
        way = [
            Block(tuple(np.array(block.centre) + x * h * velocity), *block[1:])
            for x in np.linspace(0.0, 1.0, 9)
        ]
        if are_apart(faces, block) and near and not all(are_apart(faces, place) for place in way):
            assert np.array(normal) @ velocity < 0.0
            stopped += 1
        if not near:
            assert all(are_apart(faces, place) for place in way)
    assert stopped > 5


def test_a_ball_flying_through_a_plate_is_stopped_on_its_side() -> None:
    plate = Obstacle("o", Box(2.0, 2.0, 0.01))
    made = _solid_of(_Pair(Body("b", shape=Box(1, 1, 1)), plate, 0.0, STILL, STILL, 1.0), {})
    faces, corners, *_ = solid(plate, 0.0)
    arrays = Convex(
        np.zeros(1, np.int64),
        np.zeros((1, 3)),
        np.array([1.5]),
        np.array([0, 6]),
        np.ascontiguousarray(faces[:, :3]),
        np.ascontiguousarray(faces[:, 3]),
        np.array([0, 8]),
        corners,
        np.array([0, 12]),
        made.edges,
        made.edge_faces,
    )
    h, velocity, centre = 0.02, (3.0, 0.0, -50.0), (0.0, 0.0, 0.3)
    near, normal, gap = find_ball_contact(h, arrays, 0, centre, 0.1, velocity, h)
    assert near
    np.testing.assert_allclose(normal, (0.0, 0.0, 1.0))
    assert gap == pytest.approx(0.3 - 0.005 - 0.1, abs=1e-12)
    assert not find_ball_contact(h, arrays, 0, (1.3, 0.0, 0.3), 0.1, (0.0, 0.0, -50.0), h)[
        0
    ]  # passes beside it
    assert entry_fraction(arrays, 0, (0.0, 0.0, 1.005), (0.0, 0.0, -0.995), 0.0) == pytest.approx(
        0.5
    )


def slots(points) -> list[int]:
    polygon, chosen = np.zeros((8, 4)), np.zeros(POINTS, dtype=np.int64)
    polygon[: len(points), :3] = np.array(points).reshape(-1, 3)
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
