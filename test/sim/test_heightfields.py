"""Ropes, masses and loads on heightfields."""

import math

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.model.shapes.heightfields import count_parts, grow_heightfield
from cable_sim.spec import Elevation, Heightfield, Hybrid, Obstacle, Sphere

RADIUS = 0.02
"""Radius of the ropes [m]."""
SLOPE = 0.4
"""Slope of the ridge [-]."""


def ridge(rows: int = 9, columns: int = 11, noise: float = 0.0) -> Heightfield:
    """A ridge of 2 m along y in the middle of 10 m x 8 m."""
    x = np.linspace(-5.0, 5.0, columns)
    rng = np.random.default_rng(1)
    heights = 2.0 - SLOPE * np.abs(x) + noise * rng.uniform(size=(rows, columns))
    return Heightfield(10.0, 8.0, heights, depth=3.0)


def on(shape: Heightfield, *bodies: Body, cables: tuple = (), **more: object) -> Scene:
    """A scene on a heightfield."""
    ground = Obstacle("ground", shape, **more)
    return Scene(bodies=bodies, cables=cables, obstacles=(ground,))


def rope(*ends: object, **more: object) -> Cable:
    return Cable(
        "rope", ends, ea=1e6, diameter=2.0 * RADIUS, touches=("ground",), contacts=64, **more
    )


@pytest.mark.parametrize("rows", [2, 9])
def test_flat_ground_is_one_part(rows: int) -> None:
    assert count_parts(Heightfield(3.0, 2.0, np.zeros((rows, 7))), 0) == 1
    assert count_parts(ridge(rows), 0) == 2
    assert count_parts(ridge(9, 11, 1e-3), 0) == 2 * 8 * 10


def test_tops_of_parts_are_the_surface_moved_out() -> None:
    """Every corner of a part's top is above its point by r / cos of the slope, at any place."""
    for part in grow_heightfield(ridge(3, 3), RADIUS, 0):
        normal = part.faces[0, :3]
        assert normal[2] == pytest.approx(math.cos(math.atan(SLOPE)))
        top = part.corners[: len(part.corners) // 2]
        base = 2.0 - SLOPE * np.abs(top[:, 0])
        assert top[:, 2] - base == pytest.approx(RADIUS / normal[2], abs=1e-4)


@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_rope_crosses_a_ridge_on_the_shortest_way(noise: float) -> None:
    """Askew: unfolded about the ridge, the way is straight; of two parts, and of a part for each
    triangle, whose seams it crosses."""
    start = (-6.0, -2.5, 0.8)
    end = (5.5, 1.5, 0.6)
    over = rope(Anchor("world", start), Anchor("world", end), pretension=500.0)
    simulator = Simulator(on(ridge(noise=noise), cables=(over,)), dt=0.005)
    simulator.step(20)
    seen = simulator.observe().cable("rope")
    top = 2.0 + RADIUS / math.cos(math.atan(SLOPE))
    across = [math.hypot(x, top - z) for x, _, z in (start, end)]
    assert seen.length == pytest.approx(math.hypot(sum(across), end[1] - start[1]), abs=1e-4)
    bends = np.array(seen.contact_position).reshape(-1, 3)
    y = start[1] + (end[1] - start[1]) * across[0] / sum(across)
    assert bends[np.abs(bends[:, 0]).argmin()] == pytest.approx((0.0, y, top), abs=2e-3)


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_wire_with_masses_lies_on_both_slopes(noise: float) -> None:
    """Slack rope falls on them: no mass is in the ground, and most lie on it."""
    wire = rope(
        Anchor("world", (-5.5, 0.3, 0.6)),
        Anchor("world", (5.5, 0.3, 0.6)),
        length=13.0,
        hybrid=Hybrid(1.0, least=30, most=30),
    )
    simulator = Simulator(on(ridge(noise=noise), cables=(wire,), friction=0.6), dt=0.005)
    simulator.step(1600)
    points = simulator.observe().cable("rope").mass_position
    inside = points[np.abs(points[:, 0]) < 4.9]
    rise = RADIUS / math.cos(math.atan(SLOPE))
    above = inside[:, 2] - (2.0 - SLOPE * np.abs(inside[:, 0])) - rise
    assert len(inside) > 10
    assert above.min() > -2e-3 and np.median(above) < 5e-3


def test_heavy_rope_lies_on_a_hill() -> None:
    """An elevation cable bends over the ridge, and its energy rises by no more than 1e-5."""
    heavy = rope(
        Anchor("world", (-6.0, 0.0, 1.5)),
        Anchor("world", (6.0, 0.0, 1.5)),
        pretension=2000.0,
        elevation=Elevation(3.0),
        damping_ratio=0.1,
    )
    simulator = Simulator(on(ridge(), cables=(heavy,)), dt=0.002)
    energies = [simulator.observe().energy.total]
    flags = 0
    for _ in range(100):
        flags |= simulator.step(20).status
        energies.append(simulator.observe().energy.total)
    assert not flags
    assert max(energies) < (1.0 + 1e-5) * energies[0]
    seen = simulator.observe().cable("rope")
    assert "ground" in seen.contact_obstacle


@pytest.mark.parametrize("noise", [0.0, 1e-6])
@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_crate_slides_down_a_slope(mu: float, noise: float) -> None:
    """With g (sin a - mu cos a), over a single part and over seams of triangles that are not quite
    in one plane."""
    angle = 0.35
    columns = 7
    x = np.linspace(0.0, 12.0, columns)
    rng = np.random.default_rng(2)
    heights = -math.tan(angle) * x + noise * rng.uniform(size=(3, columns))
    field = Heightfield(12.0, 4.0, heights, depth=1.0)
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    start = np.array([-4.0, 1.0, -math.tan(angle) * 2.0]) + 0.501 * normal
    crate = Body(
        "crate",
        40.0,
        shape=Box(1.0, 1.0, 1.0),
        position=tuple(start),
        orientation=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0),
    )
    scene = on(field, crate, stops=("crate",), body_friction=mu)
    simulator = Simulator(scene, dt=0.002)
    assert not simulator.step(500).status
    moved = np.linalg.norm(np.array(simulator.observe().body("crate").position) - start)
    expected = 0.5 * 9.81 * (math.sin(angle) - mu * math.cos(angle))
    assert moved == pytest.approx(expected, rel=0.02)


def test_load_lands_in_a_pit() -> None:
    """A ball that is let go above a pit comes to rest in it; the energy never rises. The pit has
    four slopes of a half, and two of (x - y) / 2 and (y - x) / 2, between which the ball lies."""
    heights = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    ball = Body("ball", 30.0, shape=Sphere(0.3), position=(0.3, -0.2, 1.6))
    scene = on(Heightfield(4.0, 4.0, heights), ball, stops=("ball",), body_friction=0.1)
    simulator = Simulator(scene, dt=0.002)
    energies = []
    for _ in range(200):
        assert not simulator.step(10).status
        energies.append(simulator.observe().energy.total)
    assert (np.diff(energies) < 1e-2).all()
    x, y, z = simulator.observe().body("ball").position
    assert x == pytest.approx(y, abs=1e-3)
    assert z == pytest.approx(0.3 * math.sqrt(1.0 + 0.5), abs=1e-3)
    assert abs(x) < 2.0 * 0.3 * (math.sqrt(1.0 + 0.5) - math.sqrt(1.0 + 0.25))
