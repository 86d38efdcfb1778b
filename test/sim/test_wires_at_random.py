"""Hybrid wires that hang, whip, cross, break and are cut, released and attached at random."""

import math

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.errors import CableSimError
from cable_sim.spec import Anchor, Body, Box, Cable, Hybrid, Loose, Obstacle, Scene

ENDS, BODIES = ("first", "last"), ("b0", "b1", "b2")
FASTEST = 300.0
"""What falls for seven seconds has 70 m/s [m/s]."""


def wire(
    name: str, others: tuple[str, ...], bodies: tuple[Body, ...], rng: np.random.Generator
) -> Cable:
    """A wire between two ends of any kind, a little longer than its way."""
    ends, places = [], []
    for _ in range(2):
        place = rng.uniform(-5.0, 5.0, 3)
        kind = rng.integers(3)
        body = bodies[int(rng.choice([0, 2]))]
        ends.append(
            (
                Anchor("world", tuple(place)),
                Anchor(body.name, (0.0, 0.0, 0.2)),
                Loose(tuple(place)),
            )[kind]
        )
        places.append(np.add(body.position, (0.0, 0.0, 0.2)) if kind == 1 else place)
    made = Hybrid(
        density=float(10.0 ** rng.uniform(-1, 1)),
        most=int(rng.integers(20)),
        attaches=("b0", "b2"),
        crosses=others,
        bending=float(rng.choice([0.0, 0.0, 2.0])),
    )
    return Cable(
        name,
        tuple(ends),
        ea=float(10.0 ** rng.uniform(4, 7)),
        damping_time=0.02,
        hybrid=made,
        contacts=30,
        length=rng.uniform(1.0, 1.5) * max(1.0, math.dist(*places)) + 1e-3,
        breaking_force=float(10.0 ** rng.uniform(2.5, 5)) if rng.random() < 0.4 else math.inf,
        touches=("block", "on") if rng.random() < 0.5 and not made.bending else (),
    )


def scene(rng: np.random.Generator) -> Scene:
    """Three boxes, a block, and one to three wires."""
    bodies = tuple(
        Body(
            name,
            mass=float(10.0 ** rng.uniform(1.3, 4)),
            shape=Box(0.4, 0.4, 0.4),
            velocity=tuple(rng.normal(size=3)),
            position=tuple(rng.uniform(-4.0, 4.0, 3) + (0.0, 0.0, 3.0 * i - 3.0)),
        )
        for i, name in enumerate(BODIES)
    )
    rough = float(rng.choice([0.0, 0.3]))
    obstacles = (
        Obstacle("block", Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -9.0), friction=rough),
        Obstacle("on", Box(0.4, 0.4, 0.4), body="b1", friction=rough),
    )
    names = [f"w{i}" for i in range(int(rng.integers(1, 4)))]
    cables = tuple(
        wire(name, tuple(other for other in names if other != name), bodies, rng) for name in names
    )
    return Scene(bodies=bodies, obstacles=obstacles, cables=cables)


def operate(simulator: Simulator, rng: np.random.Generator) -> None:
    """Cut, release or attach a wire; what can't be is refused."""
    name, end = str(rng.choice(simulator.names.cables)), str(rng.choice(ENDS))
    try:
        (
            lambda: simulator.cut(name, float(rng.uniform(0.0, 14.0))),
            lambda: simulator.release(name, end),
            lambda: simulator.attach(name, str(rng.choice(["world", "b0", "b2"])), end=end),
            lambda: None,
        )[min(int(rng.integers(6)), 3)]()
    except CableSimError:
        return


@pytest.mark.parametrize("seed", slow_but(range(8), range(20)))
def test_whatever_is_done_to_wires_nothing_flies_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        try:
            simulator = Simulator(scene(rng), float(rng.choice([1.0 / 60.0, 1e-2, 2e-3])))
        except CableSimError:
            continue  # an end in the block
        for _ in range(40):
            simulator.step(int(rng.integers(1, 20)))
            operate(simulator, rng)
        seen = simulator.observe()
        assert np.isfinite(seen.node_position).all()
        assert np.abs(seen.body_velocity).max() < FASTEST
