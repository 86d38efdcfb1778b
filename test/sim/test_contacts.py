"""Cables over obstacles: shortest ways, closed forms of weights on ropes, and what coming and going
costs."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from slow_cases import slow_but

from cable_sim import Simulator, load_scene
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.kernels.step import SETTLE
from cable_sim.model.cables.obstacles import corners, solid
from cable_sim.model.cables.variants import run
from cable_sim.sim.sentences import explain
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Elevation,
    Eye,
    Obstacle,
    Polyhedron,
    Scene,
    Sphere,
)

G = 9.81
ALONG_Y = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Turns a cylinder from z to y."""
DIAMETER = 0.016
LOOKED = 5e-3
"""Time between two looks [s]: a look takes ten times as long as a step."""


def turned(seed: int) -> tuple[float, ...]:
    return tuple(np.roll(Rotation.random(random_state=seed).as_quat(), 1))


def random_polyhedron(seed: int) -> Polyhedron:
    points = np.random.default_rng(seed).normal(size=(14, 3))
    return Polyhedron(tuple(map(tuple, 0.7 * points / np.linalg.norm(points, axis=1)[:, None])))


PIN, POST = Cylinder(0.05, 1.0), Box(0.4, 0.4, 1.0)
BAR, TUBE = Box(0.4, 3.0, 0.4), Cylinder(0.15, 3.0)
SOLIDS = {
    "box": Box(1.0, 0.8, 1.4),
    "cube": Box(0.9, 0.9, 0.9),
    "cylinder": Cylinder(0.5, 1.5),
    "hull": None,
}


def pushed(name: str, seed: int, speed: float = 1.0) -> tuple[Scene, np.ndarray]:
    """A prescribed solid in any pose that moves into a taut rope, and its velocity."""
    random, shape = np.random.default_rng([seed, 1]), SOLIDS[name] or random_polyhedron(seed)
    turn = Rotation.random(random_state=random)
    along = random.normal(size=3)
    along /= np.linalg.norm(along)
    into = np.cross(along, random.normal(size=3))
    into /= np.linalg.norm(into)
    solid = Obstacle("solid", shape, body="carrier")
    reach = (corners(solid) @ turn.as_matrix().T @ into).max() + 0.05
    side = random.uniform(-0.2, 0.2) * np.cross(into, along)
    ends = (
        reach * into - 2.5 * along + side,
        reach * into + 2.0 * along + side + 0.01 * random.normal(size=3),
    )
    carrier = Body(
        "carrier",
        shape=Box(0.1, 0.1, 0.1),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
        motion="prescribed",
        velocity=tuple(speed * into),
    )
    nodes = tuple(Anchor("world", tuple(end)) for end in ends)
    rope = Cable("rope", nodes, ea=1e5, pretension=1000.0, touches=("solid",), contacts=40)
    return Scene(
        bodies=(carrier,), obstacles=(solid,), cables=(rope,), gravity=(0.0, 0.0, 0.0)
    ), speed * into


def in_solid(seen, points: np.ndarray) -> np.ndarray:
    carrier = seen.body("carrier")
    return (points - carrier.position) @ Rotation.from_quat(
        np.roll(carrier.orientation, -1)
    ).as_matrix()


def edge_at(point: np.ndarray, lines: list) -> tuple[np.ndarray, np.ndarray]:
    """The edge of a solid that a point is on."""

    def off(line) -> float:
        start, along = line[0], line[1] - line[0]
        return float(
            np.linalg.norm(
                start + np.clip((point - start) @ along / (along @ along), 0.0, 1.0) * along - point
            )
        )

    nearest = min(lines, key=off)
    assert off(nearest) < 1e-7
    return nearest[0], nearest[1] - nearest[0]


def shortest_over(lines: list, a: np.ndarray, b: np.ndarray) -> float:
    """Length of the shortest way from a to b over lines, one after the other, by a general
    minimiser."""

    def length(z: np.ndarray) -> float:
        points = [a, *(start + x * along for x, (start, along) in zip(z, lines, strict=True)), b]
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    options = {"ftol": 1e-16, "gtol": 1e-13, "maxiter": 3000}
    found = minimize(
        length, np.full(len(lines), 0.5), bounds=[(0.0, 1.0)] * len(lines), options=options
    )
    return float(found.fun)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", SOLIDS)
def test_a_taut_rope_takes_shortest_paths_and_comes_off_straight(name: str, seed: int) -> None:
    """Over the edges that it found, to 1e-6 m; nowhere inside; forces T (out - in) across the
    edges; no trace after."""
    scene, velocity = pushed(name, seed)
    simulator = Simulator(scene)
    simulator.step(500)
    simulator.move("carrier")
    simulator.step(300)
    seen = simulator.observe()
    rope = seen.cable("rope")
    grown = solid(dataclasses.replace(scene.obstacles[0], body="world"), 0.5 * DIAMETER)
    faces, lines = grown.faces, grown.edges
    a, b = in_solid(seen, rope.node_position)
    touched = in_solid(seen, rope.contact_position)
    way = np.vstack([a, touched, b])
    assert len(touched) >= 1 and set(rope.contact_obstacle) == {"solid"}
    assert rope.length == pytest.approx(
        np.linalg.norm(np.diff(way, axis=0), axis=1).sum(), abs=1e-12
    )
    over = [edge_at(point, lines) for point in touched]
    assert rope.length == pytest.approx(shortest_over(over, a, b), abs=1e-6)
    x = np.linspace(0.0, 1.0, 500)[:, None]
    for start, end in zip(way, way[1:], strict=False):
        assert (faces[:, 3] - (start + x * (end - start)) @ faces[:, :3].T).min(
            axis=1
        ).max() < 1.5e-4
    units = np.diff(way, axis=0) / np.linalg.norm(np.diff(way, axis=0), axis=1)[:, None]
    expected = rope.tension * np.diff(units, axis=0)
    forces = in_solid(seen, rope.contact_force + seen.body("carrier").position)
    np.testing.assert_allclose(forces, expected, atol=1e-6)
    for force, point, (start, along) in zip(forces, touched, over, strict=True):
        if min(np.linalg.norm(point - start), np.linalg.norm(point - start - along)) < 1e-5:
            continue  # at a corner it may push along the edge, too
        assert force @ along / np.linalg.norm(along) == pytest.approx(0.0, abs=1e-2)
    np.testing.assert_allclose(
        rope.node_force.sum(axis=0) + rope.contact_force.sum(axis=0), 0.0, atol=1e-9
    )
    simulator.move("carrier", -velocity)
    simulator.step(530)
    rope = simulator.observe().cable("rope")
    assert rope.contact_obstacle == () and simulator.report.status == 0
    assert rope.tension == pytest.approx(1000.0, abs=1e-6)


def test_spans_fit_their_nodes_after_corners() -> None:
    """The rope is drawn over a rim and then along it, and a node goes to another edge of a corner.

    Lengths left from before would be booked as a path that has become shorter.
    """
    scene, velocity = pushed("cylinder", 2)
    simulator = Simulator(scene)
    simulator.step(300)
    simulator.move("carrier", np.cross(velocity, np.random.default_rng(2).normal(size=3)))
    for _ in range(300):
        simulator.step()
        nodes, spans = simulator._work.nodes, simulator._work.spans
        chords = np.linalg.norm(np.diff(nodes.position, axis=0), axis=1)
        np.testing.assert_allclose(spans.length[: len(chords)], chords, atol=1e-12)


def over_solid(
    shape, masses: tuple[float, float], half: float, orientation=(1.0, 0.0, 0.0, 0.0)
) -> Simulator:
    """Two weights on a rope over a fixed solid above them, which their straight line just goes
    through."""
    bodies = tuple(
        Body(name, mass, shape=Sphere(0.1), position=(x, 0.0, -4.0))
        for name, mass, x in zip(("left", "right"), masses, (-half, half), strict=True)
    )
    # an eye in the top of the solid sets the side; the rope then leans on the edges to both sides
    # of it
    nodes = (Anchor("left"), Eye("world", (0.0, 0.0, 1e-3 + 0.5 * DIAMETER)), Anchor("right"))
    rope = Cable(
        "rope",
        nodes,
        ea=1e7,
        pretension=min(masses) * G,
        damping_ratio=0.2,
        touches=("solid",),
        contacts=64,
    )
    depth = shape.radius if shape.kind == "cylinder" else 0.5 * shape.z
    solid = Obstacle("solid", shape, position=(0.0, 0.0, -depth), orientation=orientation)
    return Simulator(Scene(bodies=bodies, obstacles=(solid,), cables=(rope,)))


@pytest.mark.parametrize(
    ("shape", "half", "turn"),
    [(Cylinder(0.4, 2.0), 0.41, ALONG_Y), (Box(0.8, 1.0, 0.5), 0.408, (1.0, 0.0, 0.0, 0.0))],
)
def test_atwoods_machine_over_a_solid(shape, half: float, turn) -> None:
    """a = g (m1 - m2) / (m1 + m2), to 1 %, and the same tension on both sides."""
    simulator = over_solid(shape, (60.0, 40.0), half, turn)
    simulator.step(200)
    before = simulator.observe().body("left").velocity[2]
    simulator.step(300)
    seen = simulator.observe()
    assert (seen.body("left").velocity[2] - before) / 0.3 == pytest.approx(-0.2 * G, rel=0.01)
    rope = seen.cable("rope")
    assert len(rope.contact_obstacle) >= 2 and rope.tension == rope.tension_dead_end
    np.testing.assert_allclose(
        rope.node_force.sum(axis=0) + rope.contact_force.sum(axis=0), 0.0, atol=1e-9
    )


def interrupted(shape, stepper: str, dt: float) -> Simulator:
    """Galileo's pendulum: a peg under the point that it hangs from."""
    position = (4.0 * math.sin(0.6), 0.0, -4.0 * math.cos(0.6))
    ball = Body("ball", 10.0, shape=Sphere(0.1), position=position)
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("ball")),
        ea=1e7,
        pretension=10.0 * G * math.cos(0.6),
        damping_ratio=0.0,
        touches=("peg",),
        contacts=32,
    )
    peg = Obstacle("peg", shape, position=(0.0, 0.0, -2.0), orientation=ALONG_Y)
    return Simulator(
        Scene(bodies=(ball,), obstacles=(peg,), cables=(rope,)), dt=dt, stepper=stepper
    )


@pytest.mark.parametrize(
    ("shape", "stepper", "dt"),
    slow_but(
        {(PIN, "spook", 5e-3), (POST, "spook", 1e-3), (POST, "regularised", 5e-3)},
        product((PIN, POST), ("spook", "regularised"), (1e-3, 5e-3)),
    ),
)
def test_galileos_interrupted_pendulum(shape, stepper: str, dt: float) -> None:
    """It comes to the height it was let go from, on both sides, for 20 s.

    Of the second order in the step under spook, within 1 mm and 0.1 % of the energy at 5 ms, and
    within 0.2 mm for the edges that come and go.
    Under regularised within 1 mm, and 0.7 % of the energy per 5 ms.
    """
    simulator = interrupted(shape, stepper, dt)
    start, heights, counts, energies = simulator.observe(), [], [], []
    for _ in range(round(20.0 / LOOKED)):
        simulator.step(round(LOOKED / dt))
        seen = simulator.observe()
        heights.append(seen.body("ball").position[2])
        counts.append(len(seen.cable("rope").contact_obstacle))
        energies.append(seen.energy.total - start.energy.total)
    z = np.array(heights)
    tops = np.flatnonzero((z[1:-1] >= z[:-2]) & (z[1:-1] > z[2:])) + 1
    tops = tops[np.diff(tops, prepend=0) > 0.5 / LOOKED]  # the rope quivers
    assert len(tops) > 8
    part = dt / 5e-3
    near, allowed = 1e-3, 0.7e-2 * 68.0 * part + 0.01
    if stepper == "spook":
        near, allowed = max(1e-3 * part**2, 2e-4), max(1e-3 * 68.0 * part**2, 0.01)
    np.testing.assert_allclose(z[tops], start.body("ball").position[2], atol=near)
    wrapped = [counts[top] for top in tops]
    assert min(wrapped[::2]) >= 2 and max(wrapped[1::2]) == 0
    assert np.abs(energies).max() < allowed


@pytest.mark.parametrize(
    ("shape", "dt"), slow_but({(BAR, 5e-3), (TUBE, 1e-3)}, product((BAR, TUBE), (1e-3, 5e-3)))
)
def test_coming_and_going_of_contacts_gives_no_energy(shape, dt: float) -> None:
    """100 kg swing 1400 J sideways over a solid for 30 s: never more than at the start but for the
    second order of the step, 0.02 J at 1 ms, and little is lost."""
    position = (4.0 * math.sin(0.9), 0.0, -4.0 * math.cos(0.9))
    ball = Body("ball", 100.0, shape=Sphere(0.1), position=position, velocity=(0.0, 0.3, 0.0))
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("ball")),
        ea=1e6,
        pretension=100.0 * G * math.cos(0.9),
        damping_ratio=0.0,
        touches=("solid",),
        contacts=32,
    )
    turn = ALONG_Y if shape.kind == "cylinder" else (1.0, 0.0, 0.0, 0.0)
    solid = Obstacle("solid", shape, position=(0.25, 0.05, -1.5), orientation=turn)
    simulator = Simulator(Scene(bodies=(ball,), obstacles=(solid,), cables=(rope,)), dt=dt)
    start, most, changes, last = simulator.observe().energy.total, -math.inf, 0, 0
    for _ in range(round(30.0 / LOOKED)):
        simulator.step(round(LOOKED / dt))
        seen = simulator.observe()
        most, count = max(most, seen.energy.total - start), len(seen.cable("rope").contact_obstacle)
        changes, last = changes + (count != last), count
        assert simulator._state.nodes.path_offset.sum() < 1e-4
    assert changes > 20 and most < 0.02 * (dt / 1e-3) ** 2
    assert seen.energy.total - start > -2e-3 * 1400.0


def test_a_crate_pushed_up_against_a_rope_feels_what_it_gives() -> None:
    """Closed system of two weights, a rope and a crate in between: linear momentum is kept to
    1e-9."""
    crate = Body(
        "crate", 5.0, shape=Box(0.5, 0.5, 0.5), position=(0.1, 0.0, -0.4), velocity=(0.0, 0.0, 2.0)
    )
    ends = tuple(
        Body(n, 50.0, shape=Sphere(0.1), position=(x, 0.0, 0.0))
        for n, x in (("a", -2.0), ("b", 2.0))
    )
    rope = Cable("rope", (Anchor("a"), Anchor("b")), ea=1e5, pretension=100.0, touches=("crate",))
    solid = Obstacle("crate", Box(0.5, 0.5, 0.5), body="crate")
    scene = Scene(
        bodies=(crate, *ends), obstacles=(solid,), cables=(rope,), gravity=(0.0, 0.0, 0.0)
    )
    simulator, masses, met = Simulator(scene), np.array([5.0, 50.0, 50.0]), 0
    for _ in range(600):
        simulator.step()
        seen = simulator.observe()
        np.testing.assert_allclose(masses @ seen.body_velocity, (0.0, 0.0, 10.0), atol=1e-9)
        rope = seen.cable("rope")
        met += len(rope.contact_obstacle) > 0
        np.testing.assert_allclose(
            rope.node_force.sum(axis=0) + rope.contact_force.sum(axis=0), 0.0, atol=1e-9
        )
    assert met > 20 and seen.body("crate").velocity[2] < 2.0


def test_snapshots_and_reset_with_contacts() -> None:
    simulator = interrupted(Cylinder(0.05, 1.0), "spook", 1e-3)
    begin = [array.tobytes() for array in arrays_of(simulator.save().state)]
    while not simulator.observe().cable("rope").contact_obstacle:
        simulator.step()
    snapshot = simulator.save()
    simulator.step(1000)
    expected = [array.tobytes() for array in arrays_of(simulator.save().state)]
    simulator.restore(snapshot)
    simulator.step(1000)
    assert [array.tobytes() for array in arrays_of(simulator.save().state)] == expected
    simulator.reset()
    assert [array.tobytes() for array in arrays_of(simulator.save().state)] == begin


def test_too_little_room_is_reported_and_the_state_stays_finite() -> None:
    scene, _ = pushed("cylinder", 1)
    simulator = Simulator(
        dataclasses.replace(scene, cables=(dataclasses.replace(scene.cables[0], contacts=1),))
    )
    flags = 0
    for _ in range(500):
        flags |= simulator.step().status
    assert flags == CONTACTS_FULL and "contacts" in explain(flags)
    assert all(np.isfinite(array).all() for array in arrays_of(simulator.save().state))
    seen = simulator.observe().cable("rope")
    assert (
        seen.node_position.shape == seen.node_force.shape == (2, 3)
        and len(seen.contact_obstacle) == 1
    )


@pytest.mark.parametrize("scheme", slow_but(["implicit"], ["explicit", "implicit"]))
def test_a_sagging_rope_is_lowered_on_a_platform_and_lifted_off(scheme: str) -> None:
    """Never deeper than 1 cm, the same number of points all the time, straight on its way back, no
    contact left."""
    nodes = Anchor("beam", (-15.0, 0.0, 0.0)), Anchor("beam", (15.0, 0.0, 0.0))
    beam = Body("beam", shape=Box(0.1, 0.1, 0.1), motion="prescribed")
    rope = Cable(
        "rope",
        nodes,
        ea=1e6,
        pretension=1500.0,
        elevation=Elevation(2.0, 33, 2.0, scheme),
        touches=("box",),
    )
    box = Obstacle("box", Box(6.0, 4.0, 1.0), position=(0.0, 0.0, -2.2))
    simulator = Simulator(Scene(bodies=(beam,), obstacles=(box,), cables=(rope,)), dt=2e-3)
    faces = solid(box, 0.0).faces
    deepest, met, points = 0.0, 0, len(simulator.observe().cable("rope").curve)
    for speed, steps in ((-0.2, 800), (0.0, 1000), (0.2, 1000), (0.0, 3000)):
        simulator.move("beam", (0.0, 0.0, speed))
        for _ in range(steps // 4):
            simulator.step(4)
            seen = simulator.observe().cable("rope")
            assert len(seen.curve) == points
            met += len(seen.contact_obstacle) > 0
            fine = (
                seen.curve[:-1, None]
                + np.linspace(0.0, 1.0, 5)[:, None] * np.diff(seen.curve, axis=0)[:, None]
            )
            room = (faces[:, 3] - fine.reshape(-1, 3) @ faces[:, :3].T).min(axis=1)
            deepest = max(deepest, room.max())
    assert met > 100 and deepest < 0.01
    assert seen.contact_obstacle == () and simulator.report.status == 0
    assert seen.tension == pytest.approx(1500.0, rel=0.02)


@pytest.mark.parametrize("height", [-0.9, -0.7, -0.5])
def test_a_rope_through_a_platform_lies_on_top_and_sags_beside(height: float) -> None:
    """Beside it z'' = rho g / T along the chord. What is deep in the box at the start comes up."""
    simulator = Simulator(load_scene("elevation_over_platform", height=height))
    simulator.step(8000)
    seen = simulator.observe().cable("rope")
    top, curve = height + 0.5 * DIAMETER, seen.curve
    assert seen.contact_position[:, 2] == pytest.approx(top, abs=1e-9)
    assert curve[np.abs(curve[:, 0] - 15.0) < 2.5, 2] == pytest.approx(top, abs=4e-3)
    assert curve[np.abs(curve[:, 0] - 15.0) < 3.0, 2].min() > top - 8e-3
    hanging = curve[curve[:, 0] <= seen.contact_position[0, 0]]
    start, end = hanging[0], hanging[-1]
    x, length = (hanging - start)[:, 0], (end - start)[0]
    sag = 2.0 * G * x * (length - x) / (2.0 * seen.span_tension[0])
    straight = start[2] + (end - start)[2] * x / length
    assert hanging[:, 2] == pytest.approx(straight - sag, abs=0.01 * sag.max() + 2e-3)


def laid_over(obstacles: tuple[Obstacle, ...], ends: np.ndarray) -> np.ndarray:
    """A rope between two ends (2, 3) high above, which come down in a second: its nodes at rest
    (n, 3).

    Half of the step in which they start and half of that in which they stop make one.
    """
    names = tuple(obstacle.name for obstacle in obstacles)
    bodies = tuple(
        Body(
            f"end_{i}",
            shape=Sphere(0.05),
            position=tuple(end + (0.0, 0.0, 5.0)),
            motion="prescribed",
        )
        for i, end in enumerate(ends)
    )
    rope = Cable(
        "rope",
        (Anchor("end_0"), Anchor("end_1")),
        ea=1e4,
        pretension=100.0,
        touches=names,
        contacts=60,
        diameter=DIAMETER,
    )
    simulator = Simulator(
        Scene(bodies=bodies, obstacles=obstacles, cables=(rope,), gravity=(0.0, 0.0, 0.0))
    )
    for name in ("end_0", "end_1"):
        simulator.move(name, (0.0, 0.0, -5.0))
    simulator.step(1000)
    for name in ("end_0", "end_1"):
        simulator.move(name)
    simulator.step()
    seen = simulator.observe()
    nodes = [
        seen.body("end_0").position,
        *seen.cable("rope").contact_position,
        seen.body("end_1").position,
    ]
    return np.array(nodes)


def around_a_circle(half: float, drop: float, radius: float) -> float:
    """Way from (-half, -drop) over a circle about the origin to (half, -drop): two tangents and an
    arc [m]."""
    away = math.hypot(half, drop)
    tangent = math.sqrt(away**2 - radius**2)
    arc = math.atan2(half, -drop) - math.acos(radius / away)
    return 2.0 * (tangent + radius * arc)


@pytest.mark.parametrize(("half", "drop"), [(2.0, 0.5), (2.0, 0.0), (0.8, 1.5), (4.0, -0.2)])
def test_a_rope_laid_over_a_cylinder_takes_tangents_and_an_arc(half: float, drop: float) -> None:
    """Those of the circle about the cylinder, by half of the rope's diameter more."""
    pipe = Obstacle("pipe", Cylinder(0.5, 2.0), orientation=ALONG_Y)
    nodes = laid_over((pipe,), np.array([[-half, 0.0, -drop], [half, 0.0, -drop]]))
    found = np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
    assert found == pytest.approx(around_a_circle(half, drop, 0.5 + 0.5 * DIAMETER), abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_a_span_over_several_obstacles_takes_the_convex_hull(seed: int) -> None:
    """Beams side by side, of any heights: from above the way is the convex hull of ends and upper
    edges."""
    random = np.random.default_rng(seed)
    beams = tuple(
        Obstacle(f"beam_{i}", Box(0.6, 2.0, 1.0), position=(x, 0.0, random.uniform(-0.5, 0.5)))
        for i, x in enumerate((-2.0, 0.0, 2.0))
    )
    ends = np.array([[-4.0, 0.0, random.uniform(-0.5, 0.3)], [4.0, 0.0, random.uniform(-0.5, 0.3)]])
    nodes = laid_over(beams, ends)
    reach, top = 0.3 + 0.5 * DIAMETER, 0.5 + 0.5 * DIAMETER
    points = [ends[0][[0, 2]], ends[1][[0, 2]]]
    points += [
        (b.position[0] + side * reach, b.position[2] + top) for b in beams for side in (-1.0, 1.0)
    ]
    expected = upper_hull(points)
    assert len(nodes) == len(expected)
    assert nodes[:, [0, 2]] == pytest.approx(expected, abs=1e-9)
    assert np.abs(nodes[:, 1]).max() < 1e-9


def upper_hull(points: list) -> np.ndarray:
    """The upper convex hull from left to right (Andrew's monotone chain)."""
    hull: list[np.ndarray] = []
    for point in sorted(map(np.array, points), key=lambda p: (p[0], p[1])):
        while len(hull) > 1 and np.linalg.det([hull[-1] - hull[-2], point - hull[-2]]) >= 0.0:
            hull.pop()
        hull.append(point)
    return np.array(hull)


def test_a_curve_beside_its_chord_is_caught_where_it_touches() -> None:
    """The chord cuts a rim 3 cm deep, its curve 6 cm beside dips 4 mm in: it leans on no edge that
    is 2 m off."""
    side = np.array([0.983, -0.183, 0.007])
    ends = {"a": np.array([20.646, 0.722, 63.5]), "b": np.array([21.726, 4.959, 19.888])}
    bodies = tuple(
        Body(name, shape=Box(0.1, 0.1, 0.1), position=tuple(end + 0.5 * side), motion="prescribed")
        for name, end in ends.items()
    )
    rope = Cable(
        "rope",
        (Anchor("a"), Anchor("b")),
        ea=2e7,
        pretension=18000.0,
        diameter=0.016,
        touches=("beam",),
        elevation=Elevation(density=1.1),
        contacts=24,
    )
    place, turn = (21.0, 1.0, 42.0), (0.95, 0.2, 0.1, 0.2)
    ring = [(math.cos(a), math.sin(a)) for a in 2.0 * math.pi * np.arange(61) / 61]
    out = 1.5 / math.cos(math.pi / 61)
    prism = Polyhedron(tuple((out * x, out * y, z) for x, y in ring for z in (-3.0, 3.0)))
    beam = Obstacle("beam", prism, position=place, orientation=turn)
    simulator = Simulator(
        Scene(bodies=bodies, cables=(rope,), obstacles=(beam,), gravity=(0.0, 0.0, 0.0))
    )
    state, (k,) = simulator._state, np.flatnonzero(simulator._state.spans.waves)
    straight = simulator.observe().cable("rope").length
    assert not (state.nodes.contact_solid >= 0).any()
    state.bodies.position[1:] -= 0.5 * side
    across = np.array(
        [state.spans.normal[k], np.cross(ends["b"] - ends["a"], state.spans.normal[k]) / straight]
    )
    x = np.linspace(0.0, 1.0, 33)
    begin = simulator._model.waves.start[k]
    state.waves.displacement[:, begin : begin + 33] = (
        (across @ side)[:, None] * 0.0575 * 4.0 * x * (1.0 - x)
    )
    run(simulator._model, state, simulator._control, simulator._work, simulator.dt, SETTLE)
    seen = simulator.observe().cable("rope")
    assert len(seen.contact_position) > 0
    assert seen.length < straight + 5e-3
