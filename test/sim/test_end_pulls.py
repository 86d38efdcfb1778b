"""Tensions and forces at the ends of hybrid wires: those of the rope there."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Eye, Joint, Scene, Simulator, Sphere
from cable_sim.spec import Hybrid

G, DENSITY, LOAD = 9.81, 10.0, 100.0
LOW = (8.0, 0.0, -2.0)


def hanging(most: int, length: float = 10.0) -> Simulator:
    """A wire of 10 kg/m between two bodies at different heights, which joints hold."""
    bodies = [
        Body(name, 10.0, shape=Box(0.2, 0.2, 0.2), position=at)
        for name, at in (("high", (0.0, 0.0, 0.0)), ("low", LOW))
    ]
    joints = [
        Joint(f"{body.name}_held", "fixed", child=body.name, point=body.position) for body in bodies
    ]
    wire = Cable(
        "wire",
        (Anchor("high"), Anchor("low")),
        ea=1e7,
        length=length,
        damping_time=0.002,
        hybrid=Hybrid(density=DENSITY, most=most, damping=3.0),
    )
    return Simulator(Scene(bodies=bodies, joints=joints, cables=[wire]), dt=2e-3)


@pytest.mark.parametrize("most", [1, 5, 20])
def test_an_end_feels_the_rope_beside_it(most: int) -> None:
    """Joints carry what the wire says that it pulls with, at every end for itself, and together all
    of its weight; the tension is the size of that."""
    simulator = hanging(most)
    simulator.step(4000)
    seen = simulator.observe()
    wire = seen.cable("wire")
    held = [-seen.joint(name).force + (0.0, 0.0, 10.0 * G) for name in ("high_held", "low_held")]
    np.testing.assert_allclose(wire.node_force, held, atol=1e-3)
    assert wire.node_force[:, 2].sum() == pytest.approx(-DENSITY * 10.0 * G, rel=1e-6)
    sizes = np.linalg.norm(held, axis=1)
    assert (wire.tension, wire.tension_dead_end) == pytest.approx(tuple(sizes), rel=1e-6)
    assert simulator.cables["wire"].tension == wire.tension == seen.tension("wire")


def lifted(most: int, acceleration: float, dt: float, strength: float = np.inf) -> Simulator:
    """A load on a vertical wire of its own mass, whose upper end a body lifts faster and faster."""
    long = LOAD / DENSITY
    bodies = [
        Body("lift", shape=Sphere(0.1), motion="prescribed"),
        Body("load", LOAD, shape=Sphere(0.1), position=(0.0, 0.0, -long * (1.0 + 1.5e-4 * G))),
    ]
    wire = Cable(
        "wire",
        (Anchor("lift"), Anchor("load")),
        ea=1e6,
        length=long,
        damping_time=0.02,
        breaking_force=strength,
        hybrid=Hybrid(density=DENSITY, most=most, damping=0.0),
    )
    simulator = Simulator(Scene(bodies=bodies, cables=[wire]), dt=dt)
    for i in range(round(1.0 / dt)):
        simulator.move("lift", (0.0, 0.0, acceleration * i * dt))
        simulator.step()
    return simulator


@pytest.mark.parametrize("most", [0, 3])
def test_ends_feel_the_inertia_of_their_rope(most: int) -> None:
    """All of the wire and the load is what the upper end lifts, and the load what the lower one."""
    wire = lifted(most, 3.0, 1e-3).observe().cable("wire")
    assert wire.tension == pytest.approx(2.0 * LOAD * (G + 3.0), rel=2e-3)
    assert wire.tension_dead_end == pytest.approx(LOAD * (G + 3.0), rel=2e-3)


@pytest.mark.parametrize(("strength", "breaks"), [(1.02, False), (0.98, True)])
def test_a_wire_breaks_by_the_tension_at_its_upper_end(strength: float, breaks: bool) -> None:
    wire = lifted(0, 0.0, 1e-3, strength * 2.0 * LOAD * G).observe().cable("wire")
    assert bool(len(wire.severed)) is breaks


def test_an_eye_bears_the_weight_of_the_rope_beside_it() -> None:
    """All nodes together bear the wire; on both sides of the eye it has the same tension there."""
    places = np.array([(-1.0, 0.0, -4.0), (0.0, 0.0, 0.0), (1.0, 0.0, -2.0)])
    low, eye, high = (tuple(place) for place in places)
    wire = Cable(
        "wire",
        (Anchor("world", low), Eye("world", eye), Anchor("world", high)),
        ea=1e6,
        pretension=500.0,
        damping_time=0.02,
        hybrid=Hybrid(density=1.0, most=0, damping=0.0),
    )
    simulator = Simulator(Scene(cables=[wire]))
    simulator.step(200)
    seen = simulator.observe().cable("wire")
    assert seen.node_force[:, 2].sum() == pytest.approx(-G * seen.length_paid_out, rel=1e-9)
    ways = np.diff(places, axis=0)
    rope = seen.length_paid_out * np.linalg.norm(ways, axis=1) / seen.length
    heights = rope * ways[:, 2] / np.linalg.norm(ways, axis=1)
    felt = seen.tension + G * heights[0], seen.tension_dead_end - G * heights[1]
    assert felt[0] == pytest.approx(felt[1], rel=2e-3)
