"""Broad phase: all pairs whose boxes overlap, and no other, against a look at every pair."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cable_sim import Body, Box, Scene, Simulator, Sphere, Surface
from cable_sim.kernels.collision.candidates import find_pairs, place_shapes
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


@pytest.mark.filterwarnings("ignore:collision")
@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_those_whose_boxes_overlap(seed) -> None:
    simulator = yard(seed)
    model, state, work = simulator._model, simulator._state, simulator._work.pool
    movable = model.bodies.inverse_mass
    for _ in range(3):
        place_shapes(H, model.shapes, model.pool, state.bodies, work)
        count, more = find_pairs(model.shapes, model.pool, movable, state.pool.order, work)
        n = model.pool.body.size
        found = {tuple(sorted((k // n % n, k % n))) for k in work.pair[:count].tolist()}
        boxes = boxes_of(model, work)
        plane = int(model.pool.plane[0])
        ignored = {divmod(key, n) for key in model.pool.pair_key.tolist()}
        expected = set()
        for i, j in itertools.combinations(range(n), 2):
            a, b = model.pool.body[[i, j]]
            apart = (boxes[i, 0] > boxes[j, 1]).any() or (boxes[j, 0] > boxes[i, 1]).any()
            near = boxes[i, 0, 2] <= 0.0 if j == plane else not apart
            if near and a != b and movable[a] + movable[b] > 0.0 and (i, j) not in ignored:
                expected.add((i, j))
        assert (found, more) == (expected, 0)
        assert len(found) == count
        state.bodies.position[1:] += 0.3 * np.random.default_rng(seed).normal(size=3)
