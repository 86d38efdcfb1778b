"""Cables that go past an obstacle within a step, and cables beside an edge: they take the way of
small steps."""

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.spec import Anchor, Body, Box, Cable, Elevation, Hybrid, Obstacle, Scene

POINT = Box(0.01, 0.01, 0.01)
FRAME = 1 / 60
MODELS: dict[str, dict] = {
    "massless": {},
    "elevation": {"elevation": Elevation(density=0.5, scheme="implicit")},
    "hybrid": {"hybrid": Hybrid(density=0.5)},
}


def swept(speed: float, solid, model: str = "massless", seed: int = 0) -> Scene:
    """A taut cable between two ends that go down, 0.7 to 1.3 m above a solid."""
    random = np.random.default_rng(seed)
    left = (-random.uniform(1.0, 2.0), *random.uniform([-0.4, 0.7], [0.4, 1.3]))
    right = (random.uniform(1.0, 2.0), *random.uniform([-0.4, 0.7], [0.4, 1.3]))
    down = (0.2 * speed * random.uniform(-1.0, 1.0), 0.0, -speed)
    bodies = tuple(
        Body(name, shape=POINT, position=place, motion="prescribed", velocity=down)
        for name, place in (("a", left), ("b", right))
    )
    rope = Cable(
        "rope",
        (Anchor("a"), Anchor("b")),
        ea=1e4,
        pretension=500.0,
        touches=("bar",),
        contacts=16,
        diameter=0.01,
        **MODELS[model],
    )
    obstacle = Obstacle("bar", solid, orientation=(0.98, 0.1, 0.1, 0.05))
    return Scene(bodies=bodies, cables=(rope,), obstacles=(obstacle,), gravity=(0.0, 0.0, 0.0))


def path_after(scene: Scene, frames: int, steps: int) -> tuple[float, int]:
    """Length of the cable and number of its contacts after so many sixtieths of a second and a half
    of so many steps each, an odd number.

    In the last step all bodies come to rest, evenly: half a step more for steps of any length. So
    the contact points that are read are those of the poses that are read.
    """
    simulator = Simulator(scene, dt=FRAME / steps)
    for _ in range(frames * steps + (steps - 1) // 2):
        assert simulator.step().status == 0
    for body in scene.bodies:
        simulator.move(body.name)
    assert simulator.step().status == 0
    rope = simulator.observe().cable("rope")
    return rope.length, len(rope.contact_position)


THIN = {"bar": Box(0.04, 3.0, 0.04), "sheet": Box(0.3, 3.0, 0.004)}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("speed", [5.0, 16.0, 40.0])
@pytest.mark.parametrize("name", ["bar", "sheet"])
def test_a_fast_cable_is_caught_like_a_slow_one(name: str, speed: float, seed: int) -> None:
    """8 to 67 cm a step past a bar of 4 cm and a sheet of 4 mm: in the end on the way that 1/31 of
    the step finds."""
    frames = (
        int(np.ceil(2.0 / speed / FRAME)) + 2
    )  # nodes slide to the shortest way in the steps after they came
    scene = swept(speed, THIN[name], seed=seed)
    length, contacts = path_after(scene, frames, 1)
    slow, touching = path_after(scene, frames, 31)
    assert contacts == touching > 0
    assert length == pytest.approx(slow, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("speed", [16.0, 40.0])
@pytest.mark.parametrize("model", ["elevation", "hybrid"])
def test_a_fast_cable_with_mass_does_not_pass_a_bar(model: str, speed: float, seed: int) -> None:
    _, contacts = path_after(
        swept(speed, THIN["bar"], model, seed), int(np.ceil(1.6 / speed / FRAME)), 1
    )
    assert contacts > 0


def test_a_fast_bar_is_caught_by_a_cable_at_rest() -> None:
    """The same seen from the other side: the solid moves."""
    ends = tuple(Anchor("world", (x, 0.1 * x, 0.0)) for x in (-1.5, 2.0))
    rope = Cable("rope", ends, ea=1e4, pretension=500.0, touches=("bar",), contacts=16)
    bar = Body(
        "carrier",
        shape=POINT,
        position=(0.0, 0.0, -0.9),
        motion="prescribed",
        velocity=(0.0, 0.0, 16.0),
    )
    obstacle = Obstacle("bar", Box(0.04, 3.0, 0.04), body="carrier")
    scene = Scene(bodies=(bar,), cables=(rope,), obstacles=(obstacle,), gravity=(0.0, 0.0, 0.0))
    length, contacts = path_after(scene, 6, 1)
    assert contacts == 2
    assert length == pytest.approx(path_after(scene, 6, 31)[0], rel=1e-6)


@pytest.mark.parametrize("beyond", [1e-9, 1e-5, 5e-5, 1e-4])
@pytest.mark.parametrize("half", [6.0, 50.0])
def test_a_thin_rope_beside_a_long_edge_goes_over_it(half: float, beyond: float) -> None:
    """Its ends slide down beside a box, nearer to its edges than contact nodes are set to each
    other.

    Contact points are those of the middle of a step, so that is where the way is looked at.
    """
    side, diameter = 1.5 + 5e-5 + beyond, 1e-4
    ends = {"a": (-side, 0.0, 6.0), "b": (side, 4.0, 8.0)}
    bodies = tuple(
        Body(name, shape=POINT, position=place, motion="prescribed", velocity=(0.0, 0.0, -1.0))
        for name, place in ends.items()
    )
    rope = Cable(
        "rope",
        (Anchor("a"), Anchor("b")),
        ea=1e3,
        pretension=100.0,
        touches=("box",),
        contacts=64,
        diameter=diameter,
    )
    box = Obstacle("box", Box(3.0, 2.0 * half, 3.0))
    simulator = Simulator(
        Scene(bodies=bodies, cables=(rope,), obstacles=(box,), gravity=(0.0, 0.0, 0.0)), dt=0.01
    )
    for _ in range(750):
        assert simulator.step().status == 0
        seen = simulator.observe()
        first, last = (
            seen.body(name).position + 0.5 * 0.01 * seen.body(name).velocity for name in ends
        )
        way = np.vstack([first, seen.cable("rope").contact_position.reshape(-1, 3), last])
        above = np.array([first[2], last[2]]) - 1.5
        over = np.hypot(
            (-above).clip(0.0).sum() + np.hypot(3.0, above[1].clip(0.0)), 4.0
        )  # unfolded, over the top
        straight = np.linalg.norm(first - last)
        length = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
        assert length < max(over, straight) + 1e-3
