"""Friction of hybrid wires on obstacles: capstan, Atwood's machine, sticking that does not creep,
drums, energy."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.errors import CableSimError
from cable_sim.kernels.cables.friction.node_law import friction_ratio
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Eye,
    Hybrid,
    Joint,
    Obstacle,
    Scene,
    Sphere,
)

G, EA, DIAMETER = 9.81, 1e6, 0.016
FACETS, RADIUS = 32, 0.4
"""A cylinder of this radius [m] is a prism of so many facets."""
WIRE = Hybrid(density=1e-6, most=0)
FACE_UP = tuple(
    np.roll(
        (
            Rotation.from_euler("x", 90, True) * Rotation.from_euler("z", 180 / FACETS, True)
        ).as_quat(),
        1,
    )
)
"""Turns a cylinder from z to y, and one of its facets up."""


def polygon(mu: float, turn: float, edges: int) -> float:
    """Ratio of the tensions where a rope slips over so many edges that turn it alike."""
    return math.exp(mu * turn * edges)


def around(mu: float, masses: tuple[float, float], half_turns: int = 1, drum=(), axles=()) -> Scene:
    """Two weights on a rope around a cylinder; eyes in the middle of facets, that turn it by
    nothing, lay the turns."""
    carrier = drum[0].name if drum else "world"
    r, pitch = RADIUS + 0.5 * DIAMETER, 0.025
    top = r * math.pi / FACETS / math.tan(math.pi / FACETS) + 1e-7
    places = [(math.pi * i, (i - 0.5 * (half_turns - 1)) * pitch) for i in range(half_turns)]
    eyes = tuple(Eye(carrier, (top * math.sin(a), y, top * math.cos(a))) for a, y in places)
    ends = ("left", -top, places[0][1]), ("right", top, places[-1][1])
    bodies = tuple(
        Body(name, mass, shape=Sphere(0.1), position=(x, y, -3.0))
        for mass, (name, x, y) in zip(masses, ends, strict=True)
    )
    rope = Cable(
        "rope",
        (Anchor("left"), *eyes, Anchor("right")),
        ea=EA,
        pretension=masses[1] * G,
        damping_time=0.02,
        touches=("drum",),
        contacts=20,
        diameter=DIAMETER,
        hybrid=WIRE,
    )
    solid = Obstacle("drum", Cylinder(RADIUS, 2.0), body=carrier, orientation=FACE_UP, friction=mu)
    return Scene(bodies=(*bodies, *drum), obstacles=(solid,), cables=(rope,), joints=axles)


def over_box(mu: float, masses: tuple[float, float]) -> Scene:
    """Two weights on a rope over two square edges."""
    bodies = tuple(
        Body(name, mass, shape=Sphere(0.1), position=(x, 0.0, -3.0))
        for name, mass, x in zip(("left", "right"), masses, (-0.408, 0.408), strict=True)
    )
    nodes = (Anchor("left"), Eye("world", (0.0, 0.0, 0.5 * DIAMETER + 1e-7)), Anchor("right"))
    rope = Cable(
        "rope",
        nodes,
        ea=EA,
        pretension=masses[1] * G,
        damping_time=0.02,
        touches=("box",),
        hybrid=WIRE,
    )
    box = Obstacle("box", Box(0.8, 1.0, 0.5), position=(0.0, 0.0, -0.25), friction=mu)
    return Scene(bodies=bodies, obstacles=(box,), cables=(rope,))


SHAPES = {"box": (over_box, 0.5 * math.pi, 2), "cylinder": (around, 2.0 * math.pi / FACETS, 16)}


def acceleration(simulator: Simulator, settle: float = 0.25, time: float = 0.25) -> float:
    """Of the left weight upwards, by its speed [m/s^2]."""
    simulator.step(round(settle / simulator.dt))
    before, begin = simulator.observe().body("left").velocity[2], simulator.observe().time
    simulator.step(round(time / simulator.dt))
    seen = simulator.observe()
    return float((seen.body("left").velocity[2] - before) / (seen.time - begin))


@pytest.mark.parametrize("turn", [0.1, 1.0, 2.5, 3.1])
def test_bound_of_one_edge(turn: float) -> None:
    """tanh(mu alpha / 2), however the edge lies; nothing for a span without length; at most 1."""
    turned = Rotation.random(random_state=3).apply(
        [(1.0, 0.0, 0.0), (math.cos(turn), math.sin(turn), 0.0)]
    )
    for mu in (0.01, 1.0):
        assert friction_ratio(mu, *map(tuple, turned)) == pytest.approx(
            math.tanh(0.5 * mu * turn), rel=1e-12
        )
    assert friction_ratio(0.01, tuple(turned[0]), (0.0, 0.0, 0.0)) == 0.0
    assert friction_ratio(1e9, *map(tuple, turned)) == 1.0


@pytest.mark.parametrize(("mu", "sticks"), [(0.0, False), (0.1, False), (0.3, True)])
def test_contact_nodes_say_whether_the_rope_sticks(mu: float, sticks: bool) -> None:
    """Weights of 1 to 2 run over two square edges below mu = 0.2206."""
    simulator = Simulator(over_box(mu, (60.0, 30.0)))
    simulator.step(500)
    seen = simulator.observe()
    assert seen.cable("rope").contact_sticks.tolist() == [sticks] * 2
    assert seen.node_sticks.sum() == 2 * sticks and not seen.node_sticks.flags.writeable


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize("mu", [0.0, 0.02, 0.1, 0.15, 0.2, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_atwoods_machine(shape: str, mu: float, dt: float) -> None:
    """a = g (1 - r rho) / (1 + r rho) for r = 0.5, none where r rho >= 1: within 1 %, at short and
    long steps.

    So are the tensions: their ratio is rho as long as the rope runs; on the cylinder within 1 % of
    e^(mu pi).
    """
    scene, turn, edges = SHAPES[shape]
    simulator, rho = Simulator(scene(mu, (60.0, 30.0)), dt=dt), polygon(mu, turn, edges)
    expected = -G * max(1.0 - 0.5 * rho, 0.0) / (1.0 + 0.5 * rho) if rho < math.inf else 0.0
    assert acceleration(simulator) == pytest.approx(
        expected, rel=0.01, abs=1e-3 * G if dt > 1e-2 else 2e-4 * G
    )
    rope = simulator.observe().cable("rope")
    assert len(rope.contact_obstacle) == edges
    if expected:
        assert rope.tension / rope.tension_dead_end == pytest.approx(rho, rel=1e-3)
        assert shape == "box" or rho == pytest.approx(math.exp(mu * math.pi), rel=0.01)
    felt = rope.node_force.sum(axis=0) + rope.contact_force.sum(axis=0)
    weight = WIRE.density * G * rope.length_paid_out
    np.testing.assert_allclose(felt, (0.0, 0.0, -weight), atol=1e-8)


@pytest.mark.parametrize(("shape", "known"), [("box", 0.2206), ("cylinder", 0.2206)])
def test_thresholds_of_sticking(shape: str, known: float) -> None:
    """Found by bisection for weights of 1 to 2: within 1 % of ln 2 / pi, on sharp edges and on
    rounded ones."""
    low, high = 0.1, 0.3
    while high - low > 5e-4:
        mu = 0.5 * (low + high)
        sticks = (
            acceleration(Simulator(SHAPES[shape][0](mu, (60.0, 30.0))), 1.0) > -2e-3
        )  # or comes to rest
        low, high = (low, mu) if sticks else (mu, high)
    assert 0.5 * (low + high) == pytest.approx(known, rel=0.01)
    exact = brentq(lambda mu: polygon(mu, *SHAPES[shape][1:]) - 2.0, 0.1, 0.3)
    assert exact == pytest.approx(known, rel=5e-3)


@pytest.mark.parametrize("dt", slow_but([1.0 / 60.0], [5e-3, 1.0 / 60.0]))
def test_two_and_a_half_turns_hold_a_hundred_kilograms(dt: float) -> None:
    """With 0.9 kg, mu = 0.3, close to e^(mu theta) = 111, for ten minutes: it does not creep at
    all."""
    simulator = Simulator(around(0.3, (100.0, 0.9), 5), dt=dt)
    simulator.step(round(20.0 / dt))
    start = simulator.observe()
    assert len(start.cable("rope").contact_obstacle) == 80
    simulator.step(round(600.0 / dt))
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-4)
    assert seen.cable("rope").tension == pytest.approx(100.0 * G, rel=1e-4)
    assert seen.cable("rope").tension_dead_end == pytest.approx(0.9 * G, rel=1e-4)


@pytest.mark.parametrize(("light", "runs"), [(0.88, True), (0.91, False)])
def test_two_and_a_half_turns_slip_with_less(light: float, runs: bool) -> None:
    """The bound is e^(1.5 pi), 111."""
    simulator = Simulator(around(0.3, (100.0, light), 5))
    simulator.step(2500)
    assert bool(simulator.observe().body("left").velocity[2] < -0.03) == runs


def test_a_swinging_load_does_not_creep() -> None:
    """10 kg swing by 0.3 rad on a rope that sticks on a box, for a minute: the weight behind stays
    within 0.1 mm.

    The mean tension of the load while it swings is far within the bound, and so is every other.
    """
    scene = over_box(0.7, (10.0, 8.0))
    swung = dataclasses.replace(scene.bodies[0], velocity=(0.0, 1.5, 0.0))
    simulator = Simulator(dataclasses.replace(scene, bodies=(swung, scene.bodies[1])), dt=5e-3)
    simulator.step(400)
    heights = []
    for _ in range(60):
        heights.append(simulator.observe().body("right").position[2])
        simulator.step(200)
    assert np.ptp(heights) < 1e-4


def test_a_rope_that_sticks_is_strained_on_one_side_only() -> None:
    """The load that sinks under another 50 N stretches its own side: by 50 N l / EA. The other side
    feels nothing."""
    simulator = Simulator(over_box(0.7, (60.0, 50.0)))
    simulator.step(3000)
    before = simulator.observe()
    simulator.push("left", force=(0.0, 0.0, -50.0))
    simulator.step(3000)
    after = simulator.observe()
    edge = before.cable("rope").contact_position[0]
    length = float(np.linalg.norm(before.body("left").position - edge))
    sunk = before.body_position[:, 2] - after.body_position[:, 2]
    assert sunk[0] == pytest.approx(50.0 * length / EA, rel=5e-3)
    assert abs(sunk[1]) < 1e-3 * sunk[0]


def on_drum(mu: float, masses: tuple[float, float], motion: str, mass: float = 50.0) -> Scene:
    """The cylinder on an axle, or prescribed; the eye that lays the rope turns with it, for less
    than a quarter."""
    inertia = (0.5 * mass * RADIUS**2,) * 3
    drum = Body("drum", mass, inertia=inertia, shape=Cylinder(RADIUS, 2.0), motion=motion)
    axles = (Joint("axle", "hinge", "drum", axis=(0.0, 1.0, 0.0)),) if motion == "dynamic" else ()
    return around(mu, masses, 1, (drum,), axles)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
def test_a_rope_that_sticks_turns_a_drum(dt: float) -> None:
    """a = g (m1 - m2) / (m1 + m2 + I / r^2) to 1 %, while its edges come to the rope and leave
    it."""
    simulator = Simulator(on_drum(1.0, (60.0, 40.0), "dynamic"), dt=dt)
    expected = -20.0 * G / (100.0 + 0.5 * 50.0)
    assert acceleration(simulator, 0.2, 0.6) == pytest.approx(expected, rel=0.01)
    seen = simulator.observe()
    surface = RADIUS * seen.body("drum").angular_velocity[1]
    assert abs(surface) == pytest.approx(abs(seen.body("left").velocity[2]), rel=0.03)
    assert simulator.report.status == 0


def test_without_friction_it_does_not() -> None:
    simulator = Simulator(on_drum(0.0, (60.0, 40.0), "dynamic"))
    assert acceleration(simulator) == pytest.approx(-0.2 * G, rel=0.01)
    assert np.abs(simulator.observe().body("drum").angular_velocity).max() < 0.02


def test_a_drum_that_turns_takes_its_rope_along_without_a_jump() -> None:
    """A prescribed drum lifts 60 kg against 40 by sticking: speed w r, both tensions within 3 % of
    the weights."""
    simulator = Simulator(on_drum(0.5, (60.0, 40.0), "prescribed"))
    simulator.step(2000)
    simulator.move("drum", angular_velocity=(0.0, 0.25, 0.0))
    simulator.step(500)
    begin, tensions, edges = simulator.observe(), [], set()
    for _ in range(2000):
        simulator.step()
        rope = simulator.observe().cable("rope")
        tensions.append((rope.tension / 60.0 / G, rope.tension_dead_end / 40.0 / G))
        edges.add(tuple(np.round(rope.contact_position[0], 2)))
    moved = simulator.observe().body_position - begin.body_position
    np.testing.assert_allclose(moved[:2, 2], (0.25 * 2.0 * RADIUS, -0.25 * 2.0 * RADIUS), rtol=0.05)
    np.testing.assert_allclose(tensions, 1.0, atol=0.03)


def over_wall(mu: float) -> Scene:
    """Two weights on both sides of a level wall along x; the rope may slide along its edges."""
    bodies = tuple(
        Body(name, 50.0, shape=Sphere(0.1), position=(0.0, y, -3.0))
        for name, y in zip(("left", "right"), (-0.408, 0.408), strict=True)
    )
    rope = Cable(
        "rope",
        (Anchor("left"), Anchor("right")),
        ea=EA,
        pretension=50.0 * G,
        damping_time=0.02,
        touches=("wall",),
        hybrid=WIRE,
    )
    wall = Obstacle("wall", Box(400.0, 0.8, 20.0), position=(0.0, 0.0, -10.0), friction=mu)
    return Scene(bodies=bodies, obstacles=(wall,), cables=(rope,))


def draw(simulator: Simulator, pulls) -> float:
    """Draw both weights along the wall by parts of their weight, one each step, up to where the
    rope slips."""
    start = simulator.observe().cable("rope").contact_position
    for pull in pulls:
        for body in ("left", "right"):
            simulator.push(body, force=(pull * 50.0 * G, 0.0, 0.0))
        simulator.step()
        if (simulator.observe().cable("rope").contact_position != start).any():
            break
    return float(pull)


@pytest.mark.parametrize(
    ("mu", "dt"),
    slow_but(
        {(0.05, 1.0 / 60.0), (0.1, 5e-3), (0.38, 1.0 / 60.0), (0.7, 5e-3), (1.0, 1.0 / 60.0)},
        product((0.05, 0.1, 0.2, 0.38, 0.7, 1.0), (5e-3, 1.0 / 60.0)),
    ),
)
def test_a_rope_slips_along_edges(mu: float, dt: float) -> None:
    """On each edge the rope presses on the bisector with (m g + T) / sqrt(2), T the tension of all
    its spans.

    It slips, to 1 %, where the weights are drawn sideways by y m g = mu (m g + T) / sqrt(2), T = m
    g sqrt(1 + y^2).
    """
    threshold = brentq(lambda y: y - mu * (math.hypot(1.0, y) + 1.0) / math.sqrt(2.0), 0.0, 100.0)
    simulator, calm = Simulator(over_wall(mu), dt=dt), round(20.0 / dt)
    simulator.step(round(3.0 / dt))
    ramp = 0.5 - 0.5 * np.cos(np.linspace(0.0, math.pi, calm))
    slipped = draw(
        simulator, threshold * np.concatenate([0.96 * ramp, np.linspace(0.96, 1.05, calm)])
    )
    assert slipped == pytest.approx(
        threshold, rel=0.01 if mu < 1.0 else 0.02
    )  # it swings by 70 degrees there


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.2, 0.3, 0.36])
@pytest.mark.parametrize("slope", [20.0, 30.0])
def test_a_rope_slides_down_inclined_edges(mu: float, slope: float) -> None:
    """On a wall at an angle theta the rope pulls along the edge with m y, y = g sin(theta) - a, and
    presses on it with

        m (sqrt(y^2 + (g cos(theta))^2) + g cos(theta)) / sqrt(2):

    with the tension of the span over the wall, and the weight. Their ratio is mu as long as it
    slides. The weights start where they hang then, but the rope on the edges where it is shortest:
    it swings for a moment.
    """
    along, into = G * math.sin(math.radians(slope)), G * math.cos(math.radians(slope))

    def excess(y: float) -> float:
        return y - mu * (math.hypot(y, into) + into) / math.sqrt(2.0)

    pull = along if excess(along) <= 0.0 else brentq(excess, 0.0, along)
    scene = over_wall(mu)
    hang = np.array([pull, 0.0, -into]) / math.hypot(pull, into) * 3.0
    bodies = tuple(
        dataclasses.replace(body, position=(hang[0], body.position[1], hang[2]))
        for body in scene.bodies
    )
    scene = dataclasses.replace(scene, bodies=bodies, gravity=(along, 0.0, -into))
    simulator = Simulator(scene, dt=1.0 / 60.0)
    simulator.step(150)
    before = simulator.observe().body("left").velocity[0]
    simulator.step(60)
    measured = simulator.observe().body("left").velocity[0] - before
    if pull < along:
        assert measured == pytest.approx(along - pull, rel=0.01)


def test_without_friction_it_slides_freely() -> None:
    simulator = Simulator(over_wall(0.0), dt=1.0 / 60.0)
    draw(simulator, [0.1])
    simulator.step(60)
    seen = simulator.observe()
    assert seen.body("left").velocity[0] == pytest.approx(0.1 * G * seen.time, rel=1e-3)


def test_what_sticks_along_an_edge_stays_where_it_is() -> None:
    """To the last bit, for ten minutes of swinging within the bound."""
    simulator = Simulator(over_wall(0.5), dt=1.0 / 60.0)
    simulator.step(60)
    before = simulator.observe().cable("rope").contact_position
    for body in ("left", "right"):
        simulator.push(body, force=(100.0, 0.0, 0.0))
    simulator.step(36_000)
    np.testing.assert_array_equal(simulator.observe().cable("rope").contact_position, before)


def test_snapshots_with_friction() -> None:
    """Restored, the same bits follow, while nodes come and go under friction."""
    simulator = Simulator(on_drum(0.3, (60.0, 40.0), "dynamic"))
    simulator.step(100)
    snapshot = simulator.save()
    simulator.step(400)
    expected = [array.tobytes() for array in arrays_of(simulator.save().state)]
    simulator.restore(snapshot)
    simulator.step(400)
    assert [array.tobytes() for array in arrays_of(simulator.save().state)] == expected


def test_friction_only_takes_energy() -> None:
    """100 kg swing 1400 J sideways over a rough box and a rough cylinder for 20 s: energy never
    rises by more than 3 J above any earlier value, and much of it is lost."""
    position = (4.0 * math.sin(0.9), 0.0, -4.0 * math.cos(0.9))
    ball = Body("ball", 100.0, shape=Sphere(0.1), position=position, velocity=(0.0, 0.3, 0.0))
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("ball")),
        ea=1e6,
        pretension=100.0 * G * math.cos(0.9),
        damping_time=0.005,
        touches=("solid",),
        contacts=32,
        hybrid=WIRE,
    )
    for shape, turn in ((Box(0.4, 3.0, 0.4), (1.0, 0.0, 0.0, 0.0)), (Cylinder(0.15, 3.0), FACE_UP)):
        solid = Obstacle(
            "solid", shape, position=(0.25, 0.05, -1.5), orientation=turn, friction=0.3
        )
        simulator = Simulator(Scene(bodies=(ball,), obstacles=(solid,), cables=(rope,)))
        start = least = simulator.observe().energy.total
        rise = 0.0
        for _ in range(20_000):
            simulator.step()
            energy = simulator.observe().energy.total
            least = min(least, energy)
            rise = max(rise, energy - least)
        assert rise < 3.0
        assert start - energy > 10.0


def test_momentum_is_kept_where_a_rope_rubs_on_a_free_crate() -> None:
    """Linear and angular, of two weights, a rope and a rough crate that is pushed into it
    aslant."""
    crate = Body(
        "crate", 5.0, shape=Box(0.5, 0.5, 0.5), position=(0.1, 0.0, -0.4), velocity=(0.5, 0.2, 2.0)
    )
    ends = tuple(
        Body(n, m, shape=Sphere(0.1), position=(x, 0.0, 0.0))
        for n, m, x in (("a", 50, -2.0), ("b", 20, 2.0))
    )
    rope = Cable(
        "rope",
        (Anchor("a"), Anchor("b")),
        ea=1e5,
        pretension=100.0,
        touches=("crate",),
        hybrid=WIRE,
    )
    solid = Obstacle("crate", Box(0.5, 0.5, 0.5), body="crate", friction=0.4)
    scene = Scene(
        bodies=(crate, *ends), obstacles=(solid,), cables=(rope,), gravity=(0.0, 0.0, 0.0)
    )
    simulator, masses, met = Simulator(scene), np.array([5.0, 50.0, 20.0]), 0
    for _ in range(600):
        simulator.step()
        seen = simulator.observe()
        np.testing.assert_allclose(
            masses @ seen.body_velocity, (2.5, 1.0, 10.0), atol=1e-6
        )  # the wire has 4 mg
        rope = seen.cable("rope")
        met += len(rope.contact_obstacle) > 0 and abs(rope.tension - rope.tension_dead_end) > 0.01
        felt = rope.node_force.sum(axis=0) + rope.contact_force.sum(axis=0)
        np.testing.assert_allclose(felt, 0.0, atol=1e-4)  # what accelerates the wire's own mass
    assert met > 20


def test_a_negative_friction_is_refused() -> None:
    with pytest.raises(CableSimError, match="friction"):
        Obstacle("box", Box(1.0, 1.0, 1.0), friction=-0.1)
