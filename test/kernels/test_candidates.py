"""Broad phase: all pairs whose boxes overlap and whose balls reach the other core, and no other,
against a look at every pair."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cable_sim import Body, Box, Scene, Simulator, Sphere, Surface
from cable_sim.kernels.collision.candidates import (
    KEPT,
    find_pairs,
    pair_number,
    place_shapes,
    shapes_of,
    sort_first,
    still_holds,
)
from cable_sim.spec import Collision, Obstacle

H = 0.01


def yard(seed: int) -> Simulator:
    """Bodies and fixed blocks at random, over a plane."""
    random = np.random.default_rng(seed)
    bodies = [
        Body(
            f"body_{i}",
            shape=Box(*random.uniform(0.2, 1.0, 3)) if i % 2 else Sphere(random.uniform(0.1, 0.5)),
            position=tuple(random.uniform(-3.0, 3.0, 3) * (1.0, 1.0, 0.3) + (0.0, 0.0, 1.0)),
            orientation=tuple(Rotation.random(rng=random).as_quat()),
            velocity=tuple(random.normal(size=3)),
            angular_velocity=tuple(random.normal(size=3)),
            motion="prescribed" if i % 5 == 0 else "dynamic",
        )
        for i in range(20)
    ]
    blocks = [
        Obstacle(
            f"block_{i}",
            Box(*random.uniform(0.2, 1.5, 3)),
            position=tuple(random.uniform(-4.0, 4.0, 3) * (1.0, 1.0, 0.3)),
            orientation=tuple(Rotation.random(rng=random).as_quat()),
        )
        for i in range(40)
    ]
    told = Scene(
        bodies=tuple(bodies),
        obstacles=tuple(blocks),
        surfaces=(Surface(),),
        collision=Collision(ignore=[("body_1", "body_2")]),
    )
    return Simulator(told, dt=H)


def boxes_of(model, work) -> np.ndarray:
    """Boxes (n, 2, 3) of all shapes but half-spaces."""
    boxes = work.box.copy()
    for i in np.flatnonzero(model.pool.body == 0):
        centre, axes = model.pool.place[i, 0], model.pool.place[i, 1:]
        extent = np.abs(axes).T @ model.shapes.half[i] + model.shapes.margin[i]
        boxes[i] = centre - extent, centre + extent
    return boxes


def ball_reaches(i, j, model, work) -> bool:
    """Whether the ball about the core of shape j reaches that of shape i."""
    shapes, pool = model.shapes, model.pool
    poses = [(work.pose if pool.body[k] else pool.place)[k] for k in (i, j)]
    slack = sum(float(work.slack[k]) for k in (i, j) if pool.body[k])
    gap = np.linalg.norm(shapes.half[j]) + shapes.margin[i] + shapes.margin[j] + slack
    way = poses[0][1:] @ (poses[1][0] - poses[0][0])
    return bool((np.abs(way) <= shapes.half[i] + gap).all())


@pytest.mark.filterwarnings("ignore:collision")
@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_those_whose_boxes_overlap(seed) -> None:
    simulator = yard(seed)
    model, state, work = simulator._model, simulator._state, simulator._work.pool
    movable = model.bodies.inverse_mass
    for _ in range(3):
        place_shapes(H, model.shapes, model.pool, state.bodies, state.joints.open, work)
        find_pairs(model.shapes, model.pool, movable, work)
        count = int(work.found[0])
        n = model.pool.body.size
        found = {tuple(sorted(shapes_of(pair, n))) for pair in work.pair[:count].tolist()}
        boxes = boxes_of(model, work)
        plane = int(model.pool.plane[0])
        ignored = {divmod(key, n) for key in model.pool.pair_key.tolist()}
        expected = set()
        for i, j in itertools.combinations(range(n), 2):
            a, b = model.pool.body[[i, j]]
            apart = (boxes[i, 0] > boxes[j, 1]).any() or (boxes[j, 0] > boxes[i, 1]).any()
            near = boxes[i, 0, 2] <= 0.0 if j == plane else not apart
            if near and j != plane:
                near = all(ball_reaches(*pair, model, work) for pair in ((i, j), (j, i)))
            if near and a != b and movable[a] + movable[b] > 0.0 and (i, j) not in ignored:
                expected.add((i, j))
        assert found == expected
        assert set(np.flatnonzero(work.near)) == {k for pair in expected for k in pair}
        assert len(found) == count
        state.bodies.position[1:] += 0.3 * np.random.default_rng(seed).normal(size=3)


@pytest.mark.filterwarnings("ignore:collision")
@pytest.mark.parametrize("seed", range(3))
def test_pairs_hold_while_boxes_stay_in_those_of_the_search(seed) -> None:
    simulator = yard(seed)
    model, state, work = simulator._model, simulator._state, simulator._work.pool
    random = np.random.default_rng(seed)
    place_shapes(H, model.shapes, model.pool, state.bodies, state.joints.open, work)
    wide = boxes_of(model, work)[model.pool.moving]
    start = state.bodies.position.copy()
    held = []
    for way in np.linspace(0.0, 0.05, 60):
        state.bodies.position[1:] = start[1:] + way * random.normal(size=3)
        held.append(still_holds(H, model.pool, state.bodies, state.joints.open, work))
        scratch = simulator._work.pool._replace(
            **{name: getattr(work, name).copy() for name in ("pose", "box", "slack", "seen")}
        )
        place_shapes(H - KEPT, model.shapes, model.pool, state.bodies, state.joints.open, scratch)
        now = boxes_of(model, scratch)[model.pool.moving]
        inside = (now[:, 0] >= wide[:, 0] - 1e-12).all() and (now[:, 1] <= wide[:, 1] + 1e-12).all()
        assert inside or not held[-1]
    assert held[0] and not held[-1]
    work.seen[:] = np.nan
    state.bodies.position[:] = start
    assert not still_holds(H, model.pool, state.bodies, state.joints.open, work)


def test_a_number_of_a_pair_names_both_its_shapes() -> None:
    body = np.array([0, 3, 1, 3, 0])
    for i, j in itertools.permutations(range(5), 2):
        pair = pair_number(i, j, body, 4)
        first, second = shapes_of(pair, 5)
        assert {first, second} == {i, j} and body[first] >= body[second]
        assert pair // 25 == body[first] * 4 + body[second]


@pytest.mark.parametrize("count", [0, 1, 2, 50, 700])
def test_values_follow_their_keys_as_these_are_sorted(count: int) -> None:
    random = np.random.default_rng(count)
    keys, values = random.normal(size=count + 3), np.arange(count + 3)
    given = keys.copy()
    sort_first(count, keys, values)
    np.testing.assert_array_equal(keys[:count], np.sort(given[:count]))
    np.testing.assert_array_equal(given[values], keys)
    numbers = random.integers(0, 99, count)
    expected = np.sort(numbers)
    sort_first(count, numbers, numbers)
    np.testing.assert_array_equal(numbers, expected)
