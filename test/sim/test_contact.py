"""Boxes and spheres on planes: rest, slide, stick, roll."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim import Body, Box, Joint, Scene, Simulator, Sphere, Surface
from cable_sim.spec import BoxContact, Obstacle


def box_on(surface: Surface, height: float = 0.5, **body) -> Simulator:
    box = Body(
        "box",
        mass=100.0,
        shape=Box(1.0, 1.0, 1.0),
        position=(0.0, 0.0, height),
        collides=True,
        **body,
    )
    return Simulator(Scene(bodies=[box], surfaces=[surface]))


def slope(angle: float, friction: float) -> tuple[Surface, dict]:
    """An inclined plane and the pose of a box that lies on it."""
    normal = (-math.sin(angle), 0.0, math.cos(angle))
    orientation = (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)
    return Surface(normal=normal, friction=friction), {"orientation": orientation}


def test_box_rests_with_its_weight_spread_over_four_corners() -> None:
    """Penetration m g / (4 k), contact force m g, no creep in ten seconds."""
    simulator = box_on(Surface(stiffness=1e6))
    simulator.step(2000)
    first = simulator.observe().body("box")
    assert first.position[2] == pytest.approx(0.5 - 981.0 / 4e6, rel=1e-6)
    np.testing.assert_allclose(first.contact_force, (0.0, 0.0, 981.0), atol=1e-3)
    energy = simulator.observe().energy
    assert energy.ground == pytest.approx(981.0**2 / 8e6, rel=1e-6)
    assert energy.elastic == 0.0
    simulator.step(8000)
    np.testing.assert_allclose(simulator.observe().body("box").position, first.position, atol=1e-9)


@pytest.mark.parametrize("direction", [0.0, 0.4, math.pi / 4, 2.0])
def test_sliding_box_is_slowed_by_mu_g_in_every_direction(direction: float) -> None:
    """v(t) = v0 - mu g t, then it stands."""
    speed = 3.0
    velocity = (speed * math.cos(direction), speed * math.sin(direction), 0.0)
    simulator = box_on(
        Surface(friction=0.3, stiffness=1e7), height=0.5 - 981.0 / 4e7, velocity=velocity
    )
    simulator.step(500)
    moving = np.linalg.norm(simulator.observe().body("box").velocity)
    assert moving == pytest.approx(speed - 0.3 * 9.81 * 0.5, rel=3e-3)
    simulator.step(1000)
    seen = simulator.observe().body("box")
    assert np.linalg.norm(seen.velocity) < 1e-6
    assert np.linalg.norm(seen.position[:2]) == pytest.approx(speed**2 / (2 * 0.3 * 9.81), rel=5e-3)


@pytest.mark.parametrize(("angle", "friction"), [(0.2, 0.1), (0.3, 0.2)])
def test_box_slides_down_a_slope_with_coulomb_acceleration(angle: float, friction: float) -> None:
    """a = g (sin - mu cos)."""
    surface, pose = slope(angle, friction)
    box = Body(
        "box",
        mass=100.0,
        shape=Box(1.0, 1.0, 0.2),
        collides=True,
        **pose,
        position=(-0.1 * math.sin(angle), 0.0, 0.1 * math.cos(angle)),
    )
    simulator = Simulator(Scene(bodies=[box], surfaces=[surface]))
    simulator.step(200)
    before = np.linalg.norm(simulator.observe().body("box").velocity)
    simulator.step(800)
    after = np.linalg.norm(simulator.observe().body("box").velocity)
    assert (after - before) / 0.8 == pytest.approx(
        9.81 * (math.sin(angle) - friction * math.cos(angle)), rel=2e-3
    )


def test_box_sticks_on_a_slope_below_the_angle_of_friction() -> None:
    """tan(angle) = 0.309 < mu = 0.32: after settling it moves less than 10 um in ten seconds."""
    surface, pose = slope(0.3, 0.32)
    box = Body(
        "box",
        mass=100.0,
        shape=Box(1.0, 1.0, 0.2),
        collides=True,
        **pose,
        position=(-0.1 * math.sin(0.3), 0.0, 0.1 * math.cos(0.3)),
    )
    simulator = Simulator(Scene(bodies=[box], surfaces=[surface]))
    simulator.step(1000)
    before = simulator.observe().body("box").position
    simulator.step(10_000)
    np.testing.assert_allclose(simulator.observe().body("box").position, before, atol=1e-5)


def test_a_sliding_ball_rolls_at_five_sevenths_of_its_speed() -> None:
    """v = 5/7 v0 for a solid ball on any friction; then w r = v."""
    ball = Body(
        "ball",
        mass=2.0,
        shape=Sphere(0.2),
        position=(0, 0, 0.2),
        velocity=(2.0, 0.0, 0.0),
        collides=True,
    )
    simulator = Simulator(Scene(bodies=[ball], surfaces=[Surface(friction=0.4)]))
    simulator.step(1000)
    seen = simulator.observe().body("ball")
    assert seen.velocity[0] == pytest.approx(2.0 * 5.0 / 7.0, rel=2e-3)
    assert seen.angular_velocity[1] * 0.2 == pytest.approx(seen.velocity[0], rel=1e-6)


@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 1e-2, 1.0 / 60.0])
@pytest.mark.parametrize("sunk", [1e-6, 7e-4, 1.9e-3])
def test_a_box_that_starts_sunk_in_stays_in_balance(sunk: float, dt: float) -> None:
    """Weight m g = 4 k g from the first step on, on a plane, a slab and a box."""
    stiffness = 981.0 / (4.0 * sunk)
    box = Body("box", 100.0, shape=Box(1, 1, 1), position=(0, 0, 0.5 - sunk), collides=True)
    slab = Surface(extent=(2.0, 2.0), thickness=1.0, stiffness=stiffness)
    block = Obstacle("block", Box(4.0, 4.0, 1.0), position=(0.0, 0.0, -0.5))
    for scene in (
        Scene(bodies=[box], surfaces=[Surface(stiffness=stiffness)]),
        Scene(bodies=[box], surfaces=[slab]),
        Scene(
            bodies=[dataclasses.replace(box, collides=None)],
            obstacles=[block],
            contacts=[BoxContact("box", ["block"], stiffness=stiffness)],
        ),
    ):
        simulator = Simulator(scene, dt=dt)
        for _ in range(20):
            force = simulator.observe().body("box").contact_force
            np.testing.assert_allclose(force, (0.0, 0.0, 981.0), atol=1e-6)
            simulator.step()
            assert np.abs(simulator.observe().body("box").velocity).max() < 1e-9


@pytest.mark.parametrize("radius", [0.01, 0.5, 30.0])
def test_a_ball_rests_on_one_point(radius: float) -> None:
    """Penetration m g / k, wherever on the plane it lies and however that is tilted."""
    for tilt in (0.0, 0.1, 0.2):
        normal = np.array([-math.sin(tilt), 0.0, math.cos(tilt)])
        ball = Body(
            "ball",
            100.0,
            shape=Sphere(radius),
            position=tuple((radius - 1e-3) * normal),
            collides=True,
        )
        slide = Joint("slide", "prismatic", child="ball", axis=tuple(normal), point=ball.position)
        ground = Surface(normal=tuple(normal), stiffness=1e6, friction=0.0)
        simulator = Simulator(Scene(bodies=[ball], joints=[slide], surfaces=[ground]))
        simulator.step(1000)
        seen = simulator.observe()
        sunk = 981.0 * math.cos(tilt) / 1e6
        assert seen.contact("ground", "ball").points == 1
        assert seen.body("ball").position @ normal == pytest.approx(radius - sunk, abs=1e-8)


def test_drop_does_not_bounce_or_sink() -> None:
    """From 2 m at 1 ms and at 1/60 s: never above 1 mm of rebound, never deeper than a hundredth of
    the drop."""
    for dt in (1e-3, 1.0 / 60.0):
        box = Body("box", mass=100.0, shape=Box(1.0, 1.0, 1.0), position=(0, 0, 2.5), collides=True)
        simulator = Simulator(Scene(bodies=[box], surfaces=[Surface()]), dt=dt)
        heights = []
        for _ in range(round(2.0 / dt)):
            simulator.step()
            heights.append(simulator.observe().body("box").position[2])
        landed = next(i for i, z in enumerate(heights) if z < 0.502)
        assert min(heights) > 0.48
        assert max(heights[landed:]) < 0.503
        assert heights[-1] == pytest.approx(0.5, abs=1e-4)


def test_platform_ends_at_its_edge() -> None:
    """A box pushed over the edge of a platform falls to the ground below."""
    surfaces = [
        Surface("ground"),
        Surface("platform", point=(0, 0, 1.0), extent=(1.0, 1.0), thickness=0.5, friction=0.1),
    ]
    box = Body(
        "box",
        mass=10.0,
        shape=Box(0.4, 0.4, 0.4),
        position=(0, 0, 1.2),
        velocity=(3.0, 0, 0),
        collides=True,
    )
    simulator = Simulator(Scene(bodies=[box], surfaces=surfaces))
    simulator.step(150)
    assert simulator.observe().body("box").position[2] == pytest.approx(1.2, abs=2e-3)
    simulator.step(3000)
    seen = simulator.observe().body("box")
    assert seen.position[0] > 1.0
    assert seen.position[2] == pytest.approx(0.2, abs=0.1)
