"""Taut ropes over solids against exact shortest ways, which ``geodesics.py`` finds by unfolding."""

import math

import numpy as np
import pytest
from geodesics import Array, Solid, Way, box, follow, helix, moved, polygon, prism, ways
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.model.cables.obstacles import count_facets
from cable_sim.spec import Anchor, Body, Box, Cable, Cylinder, Eye, Obstacle, Scene

DIAMETER = 0.016
LENGTH, PLACE = 1e-9, 1e-6
"""What is asked for: of a way's length, relative, and of its points [m]. A length is known to the
square of a place."""


def rope(nodes: tuple, contacts: int = 16) -> Cable:
    held = dict(touches=("solid",), contacts=contacts, diameter=DIAMETER)
    return Cable("rope", nodes, stiffness=1e5, pretension=100.0, **held)


def still(*cables: Cable, obstacle: Obstacle, bodies: tuple[Body, ...] = ()) -> Scene:
    return Scene(bodies=bodies, obstacles=(obstacle,), cables=cables, gravity=(0.0, 0.0, 0.0))


def carrier(
    name: str, position: Array, turn: Rotation, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)
) -> Body:
    return Body(
        name,
        shape=Box(0.1, 0.1, 0.1),
        position=tuple(position),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
        motion="prescribed",
        velocity=tuple(velocity),
        angular_velocity=tuple(spin),
    )


def way_of(simulator: Simulator) -> Array:
    """Nodes of the rope with both ends (n, 3)."""
    seen = simulator.observe().cable("rope")
    return np.vstack(
        [seen.node_position[:1], seen.contact_position.reshape(-1, 3), seen.node_position[-1:]]
    )


def length_of(points: Array) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def apart(points: Array, others: Array) -> float:
    """The farthest of some points from the line through others, and the other way round [m]."""

    def farthest(some: Array, line: Array) -> float:
        a, u = line[:-1], np.diff(line, axis=0)
        x = np.clip(
            ((some[:, None] - a) * u).sum(axis=2) / np.maximum((u * u).sum(axis=1), 1e-300),
            0.0,
            1.0,
        )
        return float(np.linalg.norm(some[:, None] - a - x[..., None] * u, axis=2).min(axis=1).max())

    return max(farthest(points, others), farthest(others, points))


def nearest(found: list[Way], points: Array) -> Way:
    return min(found, key=lambda way: apart(way.points, points))


def through_box(random: np.random.Generator) -> tuple[Obstacle, Solid, Array]:
    """A box in any pose, the same grown by the rope, and both ends (2, 3) of a line through it."""
    while True:
        size = random.uniform(0.3, 2.0, 3)
        turn = Rotation.random(random_state=random)
        at = random.uniform(-1.0, 1.0, 3)
        grown = moved(box(*(size + DIAMETER)), turn.as_matrix(), at)
        ends = at + random.uniform(-2.5, 2.5, (2, 3))
        line = ends[0] + np.linspace(0.0, 1.0, 300)[:, None] * (ends[1] - ends[0])
        heights = (line @ grown.normal.T - grown.offset).max(axis=1)
        if heights[[0, -1]].min() > 0.05 and heights.min() < -0.02:
            pose = {"position": tuple(at), "orientation": tuple(np.roll(turn.as_quat(), 1))}
            return Obstacle("solid", Box(*size), **pose), grown, ends


def test_the_spider_takes_40_feet_to_the_fly() -> None:
    """Dudeney 1903: on a cuboid of 30 x 12 x 12 from 1 ft under the top of one end to 1 ft over the
    bottom of the other the shortest way runs over five faces."""
    found = ways(
        box(30.0, 12.0, 12.0),
        np.array([-15.0 - 1e-9, 0.0, 5.0]),
        np.array([15.0 + 1e-9, 0.0, -5.0]),
        43.0,
    )
    assert found[0].length == pytest.approx(40.0, abs=1e-6) and len(found[0].edges) == 4
    assert any(way.length == pytest.approx(42.0, abs=1e-6) and len(way.edges) == 2 for way in found)


@pytest.mark.parametrize("seed", range(5))
def test_ways_by_unfolding_are_those_of_a_minimisation(seed: int) -> None:
    _, grown, ends = through_box(np.random.default_rng([seed, 3]))
    for way in ways(grown, *ends, 6.0)[:6]:
        rims = [grown.corners[list(edge)] for edge in way.edges]

        def length(x: Array, rims=rims) -> float:
            return length_of(
                np.array(
                    [
                        ends[0],
                        *(a + t * (b - a) for t, (a, b) in zip(x, rims, strict=True)),
                        ends[1],
                    ]
                )
            )

        least = minimize(
            length,
            np.full(len(rims), 0.5),
            bounds=[(0.0, 1.0)] * len(rims),
            options={"ftol": 1e-15},
        )
        assert way.length == pytest.approx(least.fun, rel=1e-8)
        assert way.length <= least.fun * (1.0 + 1e-12)


@pytest.mark.parametrize("turns", [0.4, 1.3])
def test_the_helix_is_the_unfolded_line(turns: float) -> None:
    ring = polygon(20, 0.5)
    body = prism(ring, 9.0)
    a = np.array([1.1, 0.2, -1.0])
    b = np.array([*(0.9 * np.array(_on_circle(turns))), 1.2])
    nodes = helix(ring, a, b, turns)
    corners = [int(np.abs(ring - node[:2]).sum(axis=1).argmin()) for node in nodes[1:-1]]
    way = follow(body, tuple((k + 20, k) for k in corners), a, b)
    assert way is not None and way.length == pytest.approx(length_of(nodes), rel=1e-12)
    np.testing.assert_allclose(way.points, nodes, atol=1e-12)


def _on_circle(turns: float) -> tuple[float, float]:
    return math.cos(2.0 * math.pi * turns), math.sin(2.0 * math.pi * turns)


@pytest.mark.parametrize(("seed", "count"), slow_but([(4, 70)], [(4, 70), (4, 210), (0, 210)]))
def test_a_rope_through_a_box_is_laid_on_an_exact_way(seed: int, count: int) -> None:
    """Boxes and lines: one of the locally shortest ways, to 1e-9, and of three in four of them the
    shortest.

    Two nodes that met at a corner, and one that the rope turned back at, once kept these from it.
    """
    random, shortest, bends = np.random.default_rng(seed), 0, []
    for _ in range(count):
        obstacle, grown, ends = through_box(random)
        points = way_of(
            Simulator(
                still(rope(tuple(Anchor("world", tuple(end)) for end in ends)), obstacle=obstacle)
            )
        )
        found = ways(grown, *ends, 1.02 * length_of(points))
        way = nearest(found, points)
        assert length_of(points) == pytest.approx(way.length, rel=LENGTH)
        assert apart(points, way.points) < PLACE
        shortest += length_of(points) < found[0].length * (1.0 + LENGTH)
        bends.append(len(points) - 2)
    assert shortest > 0.75 * count and bends.count(2) > count // 20


def half_a_step_on(simulator: Simulator, name: str) -> tuple[Rotation, Array, Rotation, Array]:
    """Turn and place of a body now, and at the middle of the step that comes."""
    seen = simulator.observe().body(name)
    turn = Rotation.from_quat(np.roll(seen.orientation, -1))
    ahead = Rotation.from_rotvec(0.5 * simulator.dt * seen.angular_velocity) * turn
    return turn, seen.position, ahead, seen.position + 0.5 * simulator.dt * seen.velocity


def on_a_way(simulator: Simulator, size: Array) -> bool:
    """Check that the rope over a box that a body carries is on one of the locally shortest ways.

    It is so at the middle of a step, with the contact points where they are on the box.
    """
    turn, place, ahead, place_ahead = half_a_step_on(simulator, "pushed")
    points = way_of(simulator)
    points[1:-1] = ahead.apply(turn.inv().apply(points[1:-1] - place)) + place_ahead
    found = ways(
        moved(box(*(size + DIAMETER)), ahead.as_matrix(), place_ahead),
        points[0],
        points[-1],
        1.02 * length_of(points),
    )
    if len(points) == 2 or not found:
        return len(points) == 2
    way = nearest(found, points)
    return apart(points, way.points) < PLACE and abs(length_of(points) / way.length - 1.0) < LENGTH


@pytest.mark.parametrize("dt", [5e-3, pytest.param(1e-3, marks=pytest.mark.slow)])
def test_a_rope_pushed_by_a_turning_box_keeps_to_geodesics(dt: float) -> None:
    """20 boxes for 3 s, looked at ten times while they move. A rope that just slips off a corner,
    which no shortest way leads over, is on one three steps later."""
    bends, slips = [], 0
    for seed in range(20):
        random = np.random.default_rng([seed, 5])
        size, angle = random.uniform(0.3, 1.2, 3), random.uniform(0.0, 2.0 * math.pi)
        into = np.array([0.0, math.cos(angle), math.sin(angle)])
        slide = np.array([random.uniform(-1.0, 1.0), 0.0, 0.0])
        ends = np.array([[-2.5, 0.0, 0.0], [2.5, 0.0, 0.0]]) + random.uniform(-0.3, 0.3, (2, 3))
        pushed = carrier(
            "pushed",
            slide - 1.3 * into,
            Rotation.random(random_state=random),
            random.uniform(0.3, 0.7) * into - 0.2 * slide,
            0.5 * random.normal(size=3),
        )
        solid = Obstacle("solid", Box(*size), body="pushed")
        scene = still(
            rope(tuple(Anchor("world", tuple(end)) for end in ends)),
            obstacle=solid,
            bodies=(pushed,),
        )
        simulator = Simulator(scene, dt=dt)
        for _ in range(10):
            simulator.step(round(0.3 / dt))
            bends.append(len(way_of(simulator)) - 2)
            if not on_a_way(simulator, size):
                slips += 1
                simulator.step(3)
                assert on_a_way(simulator, size)
    assert slips < 3 and len(bends) - bends.count(0) > 50 and bends.count(2) > 10


def ring_about(radius: float) -> Array:
    """The prism of the rope's middle about a cylinder: it has the girth of the circle."""
    half = math.pi / count_facets(radius + 0.5 * DIAMETER)
    return polygon(
        count_facets(radius + 0.5 * DIAMETER), (radius + 0.5 * DIAMETER) * half / math.tan(half)
    )


@pytest.mark.parametrize("turns", [0.55, 0.8, 1.5, 2.5])
@pytest.mark.parametrize(("radius", "dt"), [(0.02, 1e-3), (0.1, 5e-3), (0.5, 1e-3), (1.2, 5e-3)])
def test_a_rope_wound_about_a_cylinder_is_a_helix(radius: float, dt: float, turns: float) -> None:
    """Its end goes round and climbs at 2 rad/s; both while it moves, at the middle of a step, and
    after."""
    random = np.random.default_rng([round(1e3 * radius), round(10.0 * turns)])
    turn, at, speed = Rotation.random(random_state=random), random.uniform(-1.0, 1.0, 3), 2.0
    reach = radius + random.uniform(0.3, 1.2, 2)
    low = random.uniform(-1.0, -0.2)
    high = random.uniform(0.2, 1.5)
    time = 2.0 * math.pi * turns / speed
    axis, climb = turn.apply([0.0, 0.0, speed]), turn.apply([0.0, 0.0, (high - low) / time])
    arm = carrier("arm", at, turn, climb, axis)
    start = (
        Anchor("world", tuple(turn.apply([reach[0], 0.0, low]) + at)),
        Anchor("arm", (reach[1], 0.0, low)),
    )
    solid = Obstacle(
        "solid",
        Cylinder(radius, 9.0),
        position=tuple(at),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
    )
    simulator = Simulator(still(rope(start, contacts=256), obstacle=solid, bodies=(arm,)), dt=dt)
    simulator.step(round(time / dt))
    ring = ring_about(radius)
    for held in (False, True):
        points = way_of(simulator)
        now, place, ahead, place_ahead = half_a_step_on(simulator, "arm")
        points[-1] = ahead.apply(now.inv().apply(points[-1] - place)) + place_ahead
        points = turn.inv().apply(points - at)
        exact = helix(ring, points[0], points[-1], turns)
        assert length_of(points) == pytest.approx(length_of(exact), rel=LENGTH)
        assert apart(points, exact) < (PLACE if held else 1e2 * PLACE)
        assert len(points) == len(exact) and len(points) > 2
        simulator.move("arm")
        simulator.step(20)


@pytest.mark.parametrize("turns", [0.6, 1.4, 2.3])
def test_a_rope_led_round_a_cylinder_by_eyes_starts_as_helices(turns: float) -> None:
    """Between the eyes, which stand off the cylinder, it is laid on exact ways when the scene is
    built."""
    radius, count = 0.4, math.ceil(turns / 0.42)
    angles = 2.0 * math.pi * turns * np.arange(count + 1) / count
    heights = np.linspace(-1.0, 1.0, count + 1)
    away = np.where(np.arange(count + 1) % count == 0, 0.9, 0.55)[:, None]
    posts = np.column_stack([away * np.column_stack([np.cos(angles), np.sin(angles)]), heights])
    nodes = [Eye("world", tuple(post)) for post in posts]
    nodes[0], nodes[-1] = Anchor("world", tuple(posts[0])), Anchor("world", tuple(posts[-1]))
    solid = Obstacle("solid", Cylinder(radius, 5.0))
    seen = Simulator(still(rope(tuple(nodes), contacts=64), obstacle=solid)).observe().cable("rope")
    ring = ring_about(radius)
    exact = [helix(ring, a, b, turns / count) for a, b in zip(posts, posts[1:], strict=False)]
    assert seen.length == pytest.approx(sum(map(length_of, exact)), rel=LENGTH)
    assert len(seen.contact_position) == sum(len(way) - 2 for way in exact)
    for k, way in enumerate(exact):  # all in one line: contact nodes come in their order
        before = sum(len(other) - 2 for other in exact[:k])
        np.testing.assert_allclose(
            seen.contact_position[before : before + len(way) - 2], way[1:-1], atol=PLACE
        )
