"""Bending where rope passes: at eyes and on edges, with its energy and its forces."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.scenes import load_scene
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Hybrid, Loose, Obstacle, Scene, Sphere

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
EI = 30.0
START = (-2.0, 0.0, 0.3)
SPAN = float(np.linalg.norm(START))


def ball(name: str, position: tuple[float, float, float], mass: float = 2.0) -> Body:
    return Body(name, mass=mass, shape=Sphere(0.05), position=position)


def bent(angle: float, edge: bool, slack: float = 0.0) -> Scene:
    """A wire between two balls that turns by an angle in the origin: at an eye, or on the edge of a
    box."""
    end = (SPAN * math.cos(angle), 0.0, -SPAN * math.sin(angle))
    nodes = [Anchor("a"), Anchor("b")] if edge else [Anchor("a"), Eye("world"), Anchor("b")]
    made = Hybrid(density=0.3, most=0, bending=EI, damping=0.0)
    box = Obstacle("box", Box(1.0, 4.0, 3.0), position=(-0.5, 0.0, -1.5))
    wire = Cable(
        "wire",
        tuple(nodes),
        ea=1e5,
        length=2.0 * SPAN + slack,
        diameter=1e-7,
        hybrid=made,
        touches=("box",) if edge else (),
    )
    return Scene(
        bodies=(ball("a", START), ball("b", end)),
        cables=(wire,),
        obstacles=(box,) if edge else (),
        gravity=WEIGHTLESS,
    )


def place(scene: Scene, name: str, by: np.ndarray) -> Scene:
    """The same with a body moved."""
    moved = [
        dataclasses.replace(body, position=tuple(np.add(body.position, by)))
        if body.name == name
        else body
        for body in scene.bodies
    ]
    return dataclasses.replace(scene, bodies=tuple(moved))


def turn_of(scene: Scene) -> float:
    """Angle in the origin between the ways from and to both balls [rad]."""
    a, b = (np.array(body.position) / np.linalg.norm(body.position) for body in scene.bodies)
    return math.acos(float(-a @ b))


@pytest.mark.parametrize("edge", [False, True])
@pytest.mark.parametrize("angle", [0.5, 0.9])
def test_a_turn_has_its_energy_and_pushes_by_its_gradient(edge: bool, angle: float) -> None:
    slack = 0.5
    scene = bent(angle, edge, slack)

    def energy(scene: Scene) -> float:
        simulator = Simulator(scene, 1e-5)
        simulator.step()
        return float(simulator.observe().energy.elastic)

    k = EI / (2.0 * SPAN + slack)
    assert energy(scene) == pytest.approx(k * (1.0 - math.cos(turn_of(scene))), rel=1e-4)
    simulator = Simulator(scene, 1e-5)
    simulator.step(2)
    for row, name in ((1, "a"), (2, "b")):
        force = simulator._state.bodies.velocity[row, :3] * (2.0 + 0.15 * (2.0 * SPAN + slack))
        slope = [
            (energy(place(scene, name, by)) - energy(place(scene, name, -by))) / 2e-4
            for by in 1e-4 * np.eye(3)
        ]
        assert np.linalg.norm(slope) > 0.5
        assert force / 2e-5 == pytest.approx(-np.array(slope), abs=1e-5)


@pytest.mark.parametrize("edge", [False, True])
def test_rope_that_runs_over_a_turn_brings_no_energy(edge: bool) -> None:
    """It runs off one way at 1 m/s while the turn draws itself straight."""
    scene = bent(0.6, edge)
    simulator = Simulator(scene, 1e-3)
    for row, name in ((1, "a"), (2, "b")):
        place_of = np.array(scene.bodies[row - 1].position)
        way = place_of / np.linalg.norm(place_of) * (1.0 if name == "a" else -1.0)
        simulator._state.bodies.velocity[row, :3] = way
    simulator.step()
    start = simulator.observe().energy
    bending = start.elastic
    totals = []
    for _ in range(1000):
        simulator.step()
        totals.append(simulator.observe().energy.total)
    left = simulator.observe()
    assert np.linalg.norm(left.body("a").position) > 2.5
    assert left.energy.elastic < 0.5 * bending
    assert totals == pytest.approx([start.total] * 1000, rel=2e-4)
    assert simulator.report.status == 0


def test_a_wire_wraps_onto_an_edge_with_the_energy_that_it_has() -> None:
    """A straight wire that flies against an edge bends there until it has come to rest."""
    box = Obstacle("box", Box(1.0, 4.0, 3.0), position=(0.0, 0.0, -1.6))
    made = Hybrid(density=0.3, most=0, bending=EI, damping=0.0)
    wire = Cable(
        "wire",
        (Anchor("a"), Anchor("b")),
        ea=1e5,
        length=4.2,
        damping_time=0.0,
        diameter=1e-7,
        hybrid=made,
        touches=("box",),
    )
    balls = ball("a", (-2.0, 0.0, 0.0)), ball("b", (2.0, 0.0, 0.0))
    simulator = Simulator(
        Scene(bodies=balls, cables=(wire,), obstacles=(box,), gravity=WEIGHTLESS), 1e-3
    )
    simulator._state.bodies.velocity[1:3, 2] = -1.0
    simulator.step()
    start = simulator.observe().energy.total
    bent_most = 0.0
    for _ in range(700):
        simulator.step()
        seen = simulator.observe().energy
        bent_most = max(bent_most, seen.elastic)
        assert seen.total == pytest.approx(start, rel=2e-3)
    assert bent_most > 0.3 * start


def test_a_beam_over_a_support_sags_as_the_closed_form_says() -> None:
    """Its overhang b beyond the span a: w b (4 a b^2 - a^3 + 3 b^3) / 24 EI, to second order."""
    a, b, density, stiffness = 4.0, 2.0, 0.5, 300.0
    errors = []
    for masses in (5, 11, 23):
        made = Hybrid(
            density=density,
            most=masses,
            least=masses,
            bending=stiffness,
            damping=4.0,
            path=((a, 0.0, 0.0),),
        )
        nodes = Anchor("world"), Eye("world", (a, 0.0, 0.0)), Loose((a + b, 0.0, 0.0))
        wire = Cable("wire", nodes, ea=1e6, length=a + b, hybrid=made)
        simulator = Simulator(Scene(cables=(wire,)), 2e-3)
        simulator.step(2500)
        assert simulator.report.status == 0
        tip = -simulator.observe().node_position[-1, 2]
        exact = density * G * b * (4.0 * a * b**2 - a**3 + 3.0 * b**3) / (24.0 * stiffness)
        errors.append(tip / exact - 1.0)
    assert abs(errors[-1]) < 0.04
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
def test_a_stiff_wire_falls_on_another_one_without_a_gain(dt: float) -> None:
    """Two of its masses pass each other on slack rope before that, and crossings come beside
    others."""
    scene = load_scene("wire_on_wire")
    stiff = tuple(
        dataclasses.replace(
            cable, hybrid=dataclasses.replace(cable.hybrid, bending=1.0, damping=0.0)
        )
        for cable in scene.cables
    )
    simulator = Simulator(dataclasses.replace(scene, cables=stiff), dt)
    for _ in range(round(2.0 / dt)):
        simulator.step()
        simulator.observe()
        assert simulator.report.status == 0
