"""Friction of massless and elevation cables on obstacles: capstan, sticking without creep, heat,
sag, sheaves beside it, contacts that come and go."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from test_hybrid_friction import EA, SHAPES, G, acceleration, over_box, over_wall, polygon

from cable_sim import Simulator
from cable_sim.errors import CableSimWarning
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Drive,
    Elevation,
    Obstacle,
    Scene,
    Sheave,
    Sphere,
)


def massless(scene: Scene, **changes) -> Scene:
    """The same scene with a massless cable in place of the hybrid wire."""
    cable = dataclasses.replace(scene.cables[0], hybrid=None, **changes)
    return dataclasses.replace(scene, cables=(cable,))


def energy(simulator: Simulator) -> float:
    """Kinetic, potential and elastic energy [J]."""
    seen = simulator.observe().energy
    return seen.kinetic + seen.potential + seen.elastic


@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 5e-3, 1.0 / 60.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_atwoods_machine(shape: str, dt: float) -> None:
    """a = g (1 - r rho) / (1 + r rho) for r = 0.5 and the ratio rho of the tensions, to 0.1 %."""
    scene, turn, edges = SHAPES[shape]
    rho = polygon(0.15, turn, edges)
    simulator = Simulator(massless(scene(0.15, (60.0, 30.0))), dt=dt)
    expected = -G * (1.0 - 0.5 * rho) / (1.0 + 0.5 * rho)
    assert acceleration(simulator, 0.4) == pytest.approx(expected, rel=1e-3)
    rope = simulator.observe().cable("rope")
    assert rope.tension / rope.tension_dead_end == pytest.approx(rho, rel=1e-6)
    assert rope.contact_sticks.all() and len(rope.contact_sticks) == edges


@pytest.mark.parametrize(("mu", "sticks"), [(0.218, False), (0.223, True)])
def test_threshold_of_sticking(mu: float, sticks: bool) -> None:
    """Weights of 1 to 2 stick on two square edges from mu = 0.2206 on."""
    simulator = Simulator(massless(over_box(mu, (60.0, 30.0))), dt=5e-3)
    assert (acceleration(simulator, 1.0) > -2e-3) == sticks


def test_a_swinging_load_does_not_creep() -> None:
    """10 kg swing by 0.3 rad beside an edge where the rope sticks, for two minutes.

    The weight behind does not feel the swing, and there is no heat.
    """
    scene = massless(over_box(0.7, (10.0, 8.0)))
    swung = dataclasses.replace(scene.bodies[0], velocity=(0.0, 1.5, 0.0))
    simulator = Simulator(dataclasses.replace(scene, bodies=(swung, scene.bodies[1])), dt=5e-3)
    heights = []
    for _ in range(6000):
        simulator.step(4)
        heights.append(simulator.observe().body("right").position[2])
    assert np.ptp(heights[1000:]) < 1e-7
    assert simulator.observe().cable("rope").energy_lost == 0.0


def test_a_rope_that_sticks_is_strained_on_one_side_only() -> None:
    """The load that sinks under another 50 N stretches its own side: by 50 N l / EA."""
    simulator = Simulator(massless(over_box(0.7, (60.0, 50.0))), dt=5e-3)
    simulator.step(800)
    before = simulator.observe()
    simulator.push("left", force=(0.0, 0.0, -50.0))
    simulator.step(800)
    after = simulator.observe()
    edge = before.cable("rope").contact_position[0]
    length = float(np.linalg.norm(before.body("left").position - edge))
    sunk = before.body_position[:, 2] - after.body_position[:, 2]
    assert sunk[0] == pytest.approx(50.0 * length / EA, rel=1e-3)
    assert abs(sunk[1]) < 1e-3 * sunk[0]


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
def test_heat_is_what_the_scene_loses(dt: float) -> None:
    """An undamped rope that runs over two edges: all energy is there or in ``energy_lost``."""
    simulator = Simulator(massless(over_box(0.1, (60.0, 30.0)), damping_time=0.0), dt=dt)
    simulator.step(round(0.1 / dt))
    before, lost = energy(simulator), simulator.observe().cable("rope").energy_lost
    simulator.step(round(0.6 / dt))
    heat = simulator.observe().cable("rope").energy_lost - lost
    assert heat > 50.0
    assert before - energy(simulator) == pytest.approx(heat, rel=0.01)


def pulled(mu: float, sheave: float = 1.0) -> Scene:
    """A hand 8 m away draws a sagging rope over a box; 100 kg hang on it."""
    hand = Body("hand", 1.0, inertia=(1.0,) * 3, motion="prescribed", position=(-8.4, 0.0, 0.3))
    load = Body("load", 100.0, shape=Sphere(0.1), position=(0.408, 0.0, -3.0))
    top = Sheave("world", (0.0, 0.0, 0.008 + 1e-7), efficiency=sheave)
    rope = Cable(
        "rope",
        (Anchor("hand"), top, Anchor("load")),
        ea=5e5,
        pretension=100.0 * G,
        damping_time=0.05,
        touches=("box",),
        elevation=Elevation(2.0, 17, 1.0),
    )
    box = Obstacle("box", Box(0.8, 1.0, 0.5), position=(0.0, 0.0, -0.25), friction=mu)
    return Scene(bodies=(hand, load), obstacles=(box,), cables=(rope,))


@pytest.mark.parametrize("efficiency", [1.0, 0.9])
@pytest.mark.parametrize("dt", [5e-3, 1.0 / 60.0])
def test_a_rope_that_sags_is_drawn_over_edges(dt: float, efficiency: float) -> None:
    """Tangents decide: the chord comes down to the near edge, but the rope's sag up, by rho g l /
    2 T.

    A sheave with losses between the edges has its own ratio.
    """
    simulator = Simulator(pulled(0.2, efficiency), dt=dt)
    simulator.step(round(0.3 / dt))
    simulator.move("hand", velocity=(-0.05, 0.0, 0.0))
    simulator.step(round(8.0 / dt))
    ratios = []
    for _ in range(round(1.0 / dt)):
        simulator.step()
        seen = simulator.observe()
        rope = seen.cable("rope")
        edge = rope.contact_position[0] - seen.body("hand").position
        slope = edge[2] / edge[0] + 2.0 * G * edge[0] / (2.0 * rope.tension)
        near = polygon(0.2, abs(math.atan(slope)), 1)
        ratios.append(
            rope.tension * efficiency / rope.tension_dead_end / near / polygon(0.2, math.pi / 2, 1)
        )
    assert np.mean(ratios) == pytest.approx(1.0, abs=1e-3)
    assert simulator.report.status == 0


def test_a_rope_drawn_along_an_edge_slips_there() -> None:
    """It holds the weights while they are drawn sideways by less than mu (m g + T) / sqrt(2)."""
    for part, slips in ((0.95, False), (1.05, True)):
        simulator = Simulator(massless(over_wall(0.2)), dt=1.0 / 60.0)
        simulator.step(180)
        start = simulator.observe().cable("rope").contact_position
        for force in np.linspace(0.0, part * 0.2888 * 50.0 * G, 900):
            for body in ("left", "right"):
                simulator.push(body, force=(force, 0.0, 0.0))
            simulator.step()
        moved = np.abs(simulator.observe().cable("rope").contact_position - start).max()
        assert (moved > 1e-4) == slips


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize("kind", [{}, {"elevation": Elevation(1.0, 9, 0.5)}], ids=["line", "sags"])
def test_loads_that_swing_over_a_rough_beam_gain_no_energy(kind: dict, dt: float) -> None:
    """Contacts come, hold, slide and go; what is lost is friction's and the damper's."""
    start = 3.0 * np.array([math.sin(1.2), 0.3 * math.sin(1.2), -math.cos(1.2)])
    load = Body("load", 100.0, shape=Sphere(0.05), position=tuple(start))
    beam = Obstacle(
        "beam",
        Cylinder(0.15, 3.0),
        position=(-0.3, 0.0, -1.2),
        orientation=(1, 1, 0, 0),
        friction=0.3,
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        ea=1e6,
        damping_time=0.01,
        touches=("beam",),
        **kind,
    )
    simulator = Simulator(Scene(bodies=(load,), obstacles=(beam,), cables=(rope,)), dt=dt)
    top, touched = energy(simulator), 0
    play = 100.0 * G * (3.0 + start[2])
    for _ in range(40):
        simulator.step(round(0.1 / dt))
        touched += len(simulator.observe().cable("rope").contact_sticks)
        assert energy(simulator) < top + 0.01 * play
    assert touched > 20
    assert simulator.report.status == 0


def test_a_driven_cable_slides_and_says_so() -> None:
    scene = over_box(0.3, (60.0, 30.0))
    ends = (scene.cables[0].nodes[0], scene.cables[0].nodes[-1])
    rope = Cable("rope", ends, driven=True, touches=("box",))
    driven = dataclasses.replace(scene, cables=(rope,), drives=(Drive("drive", "rope"),))
    with pytest.warns(CableSimWarning, match=naming("friction 0.3 holds cable driven")):
        Simulator(driven)
