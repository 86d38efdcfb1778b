"""Many obstacles: those that are far change nothing, and rows go to those that a body may meet."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.kernels.collision.manifold import POINTS
from cable_sim.kernels.status import SLOTS_FULL
from cable_sim.model.collision.collision import MOST_STOPS
from cable_sim.spec import Elevation, Hybrid, Obstacle, Polyhedron, Sphere

MODELS = {
    "massless": {"damping_ratio": 0.05},
    "elevation": {"damping_ratio": 0.05, "elevation": Elevation(1.0)},
    "hybrid": {"hybrid": Hybrid(1.0)},
}


def swing(model: str, far: int, carrier: str) -> list[bytes]:
    """Return what is seen of a load that swings its rope over a block, with far obstacles."""
    ring = [
        Obstacle(
            f"far_{i}",
            Box(1.0, 1.0, 1.0),
            body=carrier if i % 3 else "world",
            position=(9.0 * np.cos(i), 9.0 * np.sin(i), -3.0),
            stops_bodies=False,
        )
        for i in range(far)
    ]
    block = Obstacle("block", Box(0.6, 3.0, 0.6), carrier, (-0.4, 0.0, -2.7), stops_bodies=False)
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        ea=1e6,
        length=6.0,
        touches=[*(o.name for o in ring[: far // 2]), "block", *(o.name for o in ring[far // 2 :])],
        **MODELS[model],
    )
    scene = Scene(
        bodies=(
            Body("load", 200.0, shape=Sphere(0.25), position=(3.9, 0.0, -4.6)),
            Body(
                "deck",
                shape=Box(0.1, 0.1, 0.1),
                motion="prescribed",
                velocity=(0.2, 0.0, 0.1),
                angular_velocity=(0, 0, 0.1),
            ),
        ),
        obstacles=(*ring, block),
        cables=(rope,),
    )
    simulator = Simulator(scene, dt=0.005)
    seen = []
    touched = False
    for _ in range(60):
        simulator.step(10)
        found = simulator.observe()
        touched |= "block" in found.cable("rope").contact_obstacle
        seen.append(found.body("load").position.tobytes() + found.span_tension.tobytes())
    assert touched
    return seen


@pytest.mark.parametrize("carrier", ["world", "deck"])
@pytest.mark.parametrize("model", MODELS)
def test_far_obstacles_leave_every_bit(model: str, carrier: str) -> None:
    """In front of and behind the near one, on bodies that move and turn."""
    assert swing(model, 0, carrier) == swing(model, 60, carrier)


def test_near_obstacles_are_few() -> None:
    """Of 60, a rope that hangs in their middle looks at none, and at those it swings to."""
    boxes = [
        Obstacle(f"b{30 + i}", Box(1, 1, 1), position=(3.0 * i, 0.0, -2.0)) for i in range(-30, 30)
    ]
    boxes = [box for box in boxes if box.position[0]]
    rope = Cable("rope", (Anchor("world"), Anchor("load")), touches=[box.name for box in boxes])
    for x, near in ((0.0, []), (2.45, ["b31"]), (8.3, ["b31", "b32"])):
        load = Body("load", 10.0, shape=Sphere(0.1), position=(x, 0.0, -4.0))
        simulator = Simulator(Scene(bodies=(load,), cables=(rope,), obstacles=boxes), dt=0.01)
        simulator.step(2)
        work = simulator._work.touches
        assert [boxes[t].name for t in work.solid[: work.counts[0]]] == near


def tiles(count: int, width: float, depth: float = 1.0) -> tuple[Obstacle, ...]:
    """Tiles in a row along x that make one floor; each stops the box."""
    return tuple(
        Obstacle(
            f"tile_{i}",
            Box(width, 3.0, depth),
            position=((i + 0.5) * width, 0.0, -0.5 * depth),
            stops=("crate",),
            body_friction=0.2,
        )
        for i in range(count)
    )


def crate_on(floor: tuple[Obstacle, ...], speed: float, x: float = 0.6) -> Simulator:
    crate = Body("crate", 50.0, shape=Box(1, 1, 1), position=(x, 0, 0.5), velocity=(speed, 0, 0))
    return Simulator(Scene(bodies=(crate,), obstacles=floor), dt=0.002)


def test_crate_slides_over_more_tiles_than_there_is_room_for() -> None:
    """It stops where it does on one floor, v^2 / (2 mu g) away, with no more rows than for
    MOST_STOPS of them, and the same bits follow from a state on the way."""
    speed = 4.0
    simulator = crate_on(tiles(20, 0.5), speed)
    assert simulator._state.pool.key.size == MOST_STOPS * POINTS
    assert not simulator.step(200).status
    on_the_way = simulator.save()
    assert not simulator.step(1300).status
    end = simulator.observe().body("crate").position
    simulator.restore(on_the_way)
    simulator.step(1300)
    assert simulator.observe().body("crate").position.tobytes() == end.tobytes()
    one = crate_on(tiles(1, 10.0), speed)
    one.step(1500)
    whole = one.observe().body("crate").position
    assert end[0] - 0.6 == pytest.approx(speed**2 / (2.0 * 0.2 * 9.81), rel=3e-3)
    assert end == pytest.approx(whole, abs=2e-3)


def test_crate_on_more_tiles_than_there_is_room_for_is_told() -> None:
    floor = tiles(40, 0.1)
    assert crate_on(floor, 0.0).step(10).status & SLOTS_FULL
    wedge = Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    far = tuple(
        Obstacle(f"w{i}", wedge, position=(5.0, 5.0 * i, 0.0), stops=("crate",)) for i in range(40)
    )
    assert not crate_on((*tiles(1, 10.0), *far), 0.0).step(10).status
