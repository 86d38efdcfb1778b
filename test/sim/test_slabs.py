"""Surfaces that end somewhere are boxes; overlaps go out slowly."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Obstacle, Scene, Simulator, Sphere, Surface
from cable_sim.errors import CableSimWarning
from cable_sim.spec import Collision, Cylinder

G = 9.81
PLATFORM = Surface("platform", point=(0.0, 0.0, 3.0), extent=(3.0, 3.0), thickness=3.0)


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1 / 60])
def test_beam_longer_than_its_platform_rests_on_it(dt: float) -> None:
    beam = Body("beam", 2000.0, shape=Box(12.0, 1.0, 1.0), position=(0.4, 0.0, 3.6), collides=True)
    simulator = Simulator(Scene(bodies=[beam], surfaces=[Surface(), PLATFORM]), dt=dt)
    for _ in range(round(3.0 / dt)):
        assert simulator.step().status == 0
    sinking = 2000.0 * G / (4.0 * PLATFORM.stiffness)
    assert simulator.bodies["beam"].position[2] == pytest.approx(3.5 - sinking, abs=1e-6)
    assert simulator.standing_points("beam") == 4
    assert simulator.observe().body("beam").contact_force[2] == pytest.approx(2000.0 * G, rel=1e-6)


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1 / 60])
@pytest.mark.parametrize("below", [0.05, 0.2, 0.45])
def test_box_that_comes_from_the_side_is_stopped(below: float, dt: float) -> None:
    """On a frictionless ground of ice at the height of its underside."""
    ice = Surface("ice", point=(0.0, 0.0, 3.0 - below), friction=0.0)
    load = Body(
        "load",
        4000.0,
        shape=Box(2.0, 2.0, 1.0),
        position=(-5.0, 0.0, 3.5 - below),
        velocity=(1.5, 0.0, 0.0),
        collides=True,
    )
    simulator = Simulator(Scene(bodies=[load], surfaces=[ice, PLATFORM]), dt=dt)
    fastest = highest = 0.0
    for _ in range(round(4.0 / dt)):
        assert simulator.step().status == 0
        fastest = max(fastest, float(np.linalg.norm(simulator.bodies["load"].velocity)))
        highest = max(highest, float(simulator.bodies["load"].position[2]))
    assert fastest < 1.51
    assert highest < 3.5 - below + 0.05
    assert simulator.bodies["load"].position[0] < -4.0 + 1e-3


def test_ball_that_comes_from_the_side_is_stopped() -> None:
    """Its centre is below the top: it meets the side, and falls along it."""
    ball = Body(
        "ball",
        100.0,
        shape=Sphere(0.3),
        position=(-4.0, 0.0, 2.9),
        velocity=(5.0, 0.0, 0.0),
        collides=True,
    )
    simulator = Simulator(Scene(bodies=[ball], surfaces=[Surface(), PLATFORM]))
    for _ in range(2000):
        simulator.step()
        assert float(np.linalg.norm(simulator.bodies["ball"].velocity)) < 9.5
        assert simulator.bodies["ball"].position[2] < 2.91
        assert simulator.bodies["ball"].position[0] < -3.3 + 1e-3
    assert simulator.bodies["ball"].position[2] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("collision", [None, Collision()])
@pytest.mark.parametrize(("x", "y", "rests"), [(700.0, 0.9, True), (0.0, 1.1, False)])
def test_a_strip_without_end_has_sides(collision, x: float, y: float, rests: bool) -> None:
    """Two metres wide, and as deep as one likes: what is beside it falls to the ground."""
    strip = Surface("strip", point=(0.0, 0.0, 2.0), extent=(math.inf, 1.0))
    box = Body("box", 10.0, shape=Box(0.1, 0.1, 0.1), position=(x, y, 2.06), collides=True)
    simulator = Simulator(Scene(bodies=[box], surfaces=[Surface(), strip], collision=collision))
    simulator.step(2000)
    height = 2.05 if rests else 0.05
    assert simulator.bodies["box"].position[2] == pytest.approx(height, abs=1e-5)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_cylinder_that_collides_rolls(dt: float) -> None:
    """Down a slope with 2/3 g sin."""
    angle = 0.1
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    on_side = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    pipe = Body(
        "pipe",
        50.0,
        shape=Cylinder(0.2, 1.5),
        position=tuple(0.2 * normal),
        orientation=on_side,
        collides=True,
    )
    simulator = Simulator(Scene(bodies=[pipe], surfaces=[Surface(normal=tuple(normal))]), dt=dt)
    simulator.step(round(2.0 / dt))
    speed = float(np.linalg.norm(simulator.bodies["pipe"].velocity))
    assert speed == pytest.approx(2.0 / 3.0 * G * math.sin(angle) * 2.0, rel=2e-3)


@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
def test_ball_that_falls_on_a_finite_surface_stays(dt: float) -> None:
    """At 14 m/s a ball goes far in a step; it came through the top all the same."""
    ball = Body("ball", 100.0, shape=Sphere(0.3), position=(0.0, 0.0, 13.3), collides=True)
    simulator = Simulator(Scene(bodies=[ball], surfaces=[Surface(), PLATFORM]), dt=dt)
    for _ in range(round(5.0 / dt)):
        simulator.step()
    sinking = 100.0 * G / PLATFORM.stiffness
    assert simulator.bodies["ball"].position[2] == pytest.approx(3.3 - sinking, abs=1e-6)


def test_body_that_collides_with_nothing_is_warned_of() -> None:
    box = Body("box", 4000.0, shape=Box(2.0, 2.0, 1.0), collides=True)
    with pytest.warns(CableSimWarning, match=naming("body 'box' collides scene surface")):
        Simulator(Scene(bodies=[box]))


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1 / 60])
@pytest.mark.parametrize("depth", [0.02, 0.3])
def test_overlap_at_the_start_goes_out_slowly(depth: float, dt: float) -> None:
    box = Body(
        "box", 4000.0, shape=Box(2.0, 2.0, 1.0), position=(0.0, 0.0, 0.5 - depth), collides=True
    )
    simulator = Simulator(Scene(bodies=[box], surfaces=[Surface()]), dt=dt)
    fastest = 0.0
    for _ in range(round(8.0 / dt)):
        simulator.step()
        fastest = max(fastest, float(simulator.bodies["box"].velocity[2]))
    assert 0.05 < fastest < 0.4
    sinking = 4000.0 * G / (4.0 * Surface().stiffness)
    assert simulator.bodies["box"].position[2] == pytest.approx(0.5 - sinking, abs=1e-6)


@pytest.mark.parametrize("seed", [34, 107, 165, 279, 394])
def test_a_box_that_falls_past_a_rim_is_stopped_in_time(seed) -> None:
    """Along the rim's plane it approaches less than along the normal, and meets nothing there."""
    random = np.random.default_rng(seed)
    turns = random.normal(size=(2, 4))
    sizes = random.uniform(0.15, 0.4, (2, 3)).tolist()
    x, y = random.uniform(-0.25, 0.25, 2).tolist()
    box = Body(
        "box",
        10.0,
        shape=Box(*sizes[0]),
        position=(x, y, 0.2 + float(random.uniform(0.4, 0.41))),
        orientation=tuple((turns[0] / np.linalg.norm(turns[0])).tolist()),
        velocity=(0.0, 0.0, -5.0),
    )
    turn = tuple((turns[1] / np.linalg.norm(turns[1])).tolist())
    block = Obstacle("block", Box(*sizes[1]), orientation=turn)
    simulator = Simulator(Scene([box], obstacles=[block], collision=Collision()), dt=1e-3)
    for _ in range(80):
        assert simulator.step().status == 0
        assert max((one.depth for one in simulator.overlaps()), default=0.0) < 1e-5
