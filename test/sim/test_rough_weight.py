"""Weight of a hybrid wire on rough edges: the capstan's law is that of the tensions at a node."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Eye,
    Hybrid,
    Motion,
    Obstacle,
    Polyhedron,
    Scene,
    Sheave,
    Sphere,
    Winch,
)

G, FRAME, DIAMETER, EDGES = 9.81, 1.0 / 60.0, 0.01, 2
ABOVE = 0.5 * DIAMETER + 1e-7
"""Of the middle of a wire over the face that it runs over [m]."""
BAR, DENSITY, STIFFNESS = 400.0, 2.0, 5e6
"""Mass of the bar [kg], and mass per length [kg/m] and EA [N] of its wire."""


def over_beam(
    mu: float, density: float, masses: tuple[float, float], falls: tuple[float, float]
) -> Scene:
    """Two weights on a heavy wire over the two edges of a beam; the wire hangs down so far."""
    x = 0.4 + 0.5 * DIAMETER
    bodies = tuple(
        Body(name, mass, shape=Sphere(0.1), position=(side * x, 0.0, -fall))
        for name, side, mass, fall in zip(("left", "right"), (-1, 1), masses, falls, strict=True)
    )
    eye = Eye("world", (0.0, 0.0, ABOVE))
    wire = Cable(
        "wire",
        (Anchor("left"), eye, Anchor("right")),
        ea=1e6,
        pretension=G * (masses[1] + density * falls[1]),
        damping_time=0.02,
        diameter=DIAMETER,
        touches=("beam",),
        hybrid=Hybrid(density=density, most=0, damping=0.0),
    )
    beam = Obstacle("beam", Box(0.8, 1.0, 0.5), position=(0.0, 0.0, -0.25), friction=mu)
    return Scene(bodies=bodies, obstacles=(beam,), cables=(wire,))


def square_edges(mu: float) -> float:
    """Ratio of the tensions before and behind two square edges that a wire slips over."""
    return float(np.exp(mu * EDGES * np.pi / 2))


def test_atwoods_machine_with_a_heavy_rope() -> None:
    """Half of the rope's mass at each end, its weight where it hangs:

    a = g (M_1 + rho l_1 - R (M_2 + rho l_2)) / (m_1 + R m_2), m = M + rho (l_1 + l_2 + l) / 2, at
    any fall l_1 of the left weight.
    """
    density, masses, falls = 5.0, (60.0, 20.0), (4.0, 6.0)
    simulator = Simulator(over_beam(0.05, density, masses, falls), FRAME)
    simulator.step(30)
    places, speeds = [], []
    for _ in range(40):
        simulator.step()
        seen = simulator.observe()
        places.append(-seen.body("left").position[2])
        speeds.append(-seen.body("left").velocity[2])
    ratio = square_edges(0.05)
    half = 0.5 * density * (sum(falls) + 0.8)
    inertia = masses[0] + half + ratio * (masses[1] + half)
    left = 0.5 * np.add(places[1:], places[:-1])
    pull = masses[0] + density * left - ratio * (masses[1] + density * (sum(falls) - left))
    np.testing.assert_allclose(np.diff(speeds) / FRAME, G * pull / inertia, rtol=3e-3)


@pytest.mark.parametrize(("ratio", "runs"), [(2.2, True), (2.45, False)])
def test_a_rope_sticks_by_the_tensions_at_its_nodes(ratio: float, runs: bool) -> None:
    """Equal weights of 10 kg below 5 m and 1 m of rope of 5 kg/m: 35 to 15, and not 22.5 to 12.5.

    The heavier side is held up by 15 kg at first.
    """
    mu = math.log(ratio) / math.pi
    simulator = Simulator(over_beam(mu, 5.0, (10.0, 10.0), (5.0, 1.0)), FRAME)
    simulator.push("left", force=(0.0, 0.0, 15.0 * G))
    simulator.step(20)
    assert simulator.observe().cable("wire").contact_sticks.all()
    simulator.push("left")
    simulator.step(60)
    assert (simulator.observe().body("left").velocity[2] < -0.05) == runs


@pytest.fixture(scope="module")
def bar() -> Simulator:
    """A bar on two falls of unequal height, while a winch draws its wire over a rough prism."""
    angles = [math.pi * (i + 0.5) / 8.0 for i in range(16)]
    corners = [(0.5 * math.cos(a), y, 0.5 * math.sin(a)) for y in (-2.0, 2.0) for a in angles]
    post = Obstacle(
        "post",
        Polyhedron(tuple(corners)),
        position=(-3.0, 0.0, -1.25),
        friction=0.2,
        stops_bodies=False,
    )
    nodes = (
        Drum("world", (-6.0, 0.0, -2.0)),
        Sheave("world", (-0.5, 0.0, -0.5)),
        Eye("bar", (-0.5, 0.0, 0.0)),
        Eye("bar", (0.5, 0.0, 0.0)),
        Anchor("world", (0.5, 0.0, 6.0)),
    )
    wire = Cable(
        "wire",
        nodes,
        ea=STIFFNESS,
        pretension=0.5 * BAR * G,
        damping_time=0.05,
        diameter=DIAMETER,
        touches=("post",),
        winch=Winch("winch", 200.0),
        hybrid=Hybrid(density=DENSITY, most=0),
    )
    scene = Scene(
        bodies=(Body("bar", BAR, shape=Box(3.0, 0.4, 0.2), position=(0.0, 0.0, -6.0)),),
        cables=(wire,),
        drives=(Drive("drive", "winch"),),
        motions=(Motion("drive", times=(0.0, 0.3, 20.0), values=(0.0, -0.3, -0.3)),),
        obstacles=(post,),
    )
    simulator = Simulator(scene, FRAME)
    simulator.step(120)
    return simulator


def test_a_bar_on_unequal_falls_stays_level(bar: Simulator) -> None:
    """Both eyes have one tension, half of the bar's weight."""
    seen = bar.observe()
    assert abs(2.0 * seen.body("bar").orientation[2]) < 1e-5
    z = seen.body("bar").position[2]
    tensions = seen.cable("wire").span_tension
    at_eyes = [
        tensions[1] - 0.5 * DENSITY * G * (-0.5 - z),
        tensions[2],
        tensions[3] - 0.5 * DENSITY * G * (6.0 - z),
    ]
    np.testing.assert_allclose(at_eyes, 0.5 * (BAR + DENSITY) * G, rtol=1e-4)


def test_tensions_at_nodes_and_winch_are_those_at_their_heights(bar: Simulator) -> None:
    """Those of spans, and half of the weight along them: they have the capstan's ratio at nodes.

    The rope of each span is strained by its tension.
    """
    seen = bar.observe()
    wire = seen.cable("wire")
    places = np.vstack([(-6.0, 0.0, -2.0), wire.contact_position, (-0.5, 0.0, -0.5)])
    spans = np.diff(places, axis=0)
    lengths = np.linalg.norm(spans, axis=1)
    tensions = bar._state.spans.tension_impulse[: len(spans)] / bar.dt
    lifts = 0.5 * DENSITY * G * spans[:, 2]
    assert abs(seen.drive("drive").effort) == pytest.approx(tensions[0] - lifts[0], rel=1e-5)
    cosines = np.sum(spans[1:] * spans[:-1], axis=1) / (lengths[1:] * lengths[:-1])
    ratio = np.exp(0.2 * np.arccos(cosines))
    assert len(ratio) > 1 and not wire.contact_sticks.any()
    before, behind = (tensions + lifts)[:-1], (tensions - lifts)[1:]
    np.testing.assert_allclose(before / behind, ratio, rtol=1e-5)
    rope = bar._state.spans.rest_length[: len(spans)]
    strains = lengths / rope - 1.0
    np.testing.assert_allclose(np.diff(strains), np.diff(tensions) / STIFFNESS, rtol=0.01)


def test_weight_strains_a_slipping_segment_by_nothing(bar: Simulator) -> None:
    """The impulses of weight that add to the mean tension: their mean over the rope is zero."""
    begin, end = bar._model.cables.node_start[:2]
    rope = bar._state.spans.rest_length[begin : end - 1]
    impulses = bar._work.spans.weight_impulse[begin : end - 1]
    assert abs(rope @ impulses) < 1e-4 * (rope @ abs(impulses))


def test_friction_with_weight_only_takes_energy() -> None:
    """A ball of 20 kg swings on a rope of 30 kg that slips over a rough beam, and draws up 8 kg."""
    scene = over_beam(0.1278, 3.0, (20.0, 8.0), (4.0, 5.2))
    ball, other = scene.bodies
    ball = dataclasses.replace(ball, velocity=(-2.8, 0.2, 0.0))
    simulator = Simulator(dataclasses.replace(scene, bodies=(ball, other)), FRAME)
    simulator.step()
    start = least = simulator.observe().energy.total
    for _ in range(200):
        assert simulator.step().status == 0
        energy = simulator.observe().energy.total
        assert energy < least + 0.05
        least = min(least, energy)
    assert start - energy > 50.0
