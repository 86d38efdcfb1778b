"""Sheaves with losses in hybrid wires: the ratios of the massless rope, sticking, a tackle."""

import dataclasses

import numpy as np
import pytest

from cable_sim import Scene, Simulator
from cable_sim.scenes import load_scene
from cable_sim.spec import Anchor, Body, Box, Cable, Hybrid, Sheave

G = 9.81


def with_wire(scene: Scene, **properties) -> Scene:
    """The scene with a hybrid wire of next to no mass in place of its rope."""
    wire = Hybrid(**{"density": 1e-6, "most": 0} | properties)
    rope = scene.cables[0]
    made = dataclasses.replace(
        rope, hybrid=wire, stiffness=None, damping_ratio=None, damping_time=0.02, ea=1e6
    )
    return dataclasses.replace(scene, cables=(made,))


@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 5e-3, 1.0 / 60.0])
def test_atwood_accelerates_as_it_should(dt: float) -> None:
    """a = g (eta M - m) / (eta M + m), the tensions in the ratio eta."""
    simulator = Simulator(
        with_wire(load_scene("atwood", left=60.0, right=40.0, efficiency=0.9)), dt
    )
    simulator.step(round(0.3 / dt))
    before = simulator.observe()
    simulator.step(round(0.3 / dt))
    after = simulator.observe()
    fell = after.body("left").velocity[2] - before.body("left").velocity[2]
    assert fell / (after.time - before.time) == pytest.approx(-G * 14.0 / 94.0, rel=1e-3)
    rope = after.cable("cable")
    assert rope.tension_dead_end / rope.tension == pytest.approx(0.9, rel=1e-6)


@pytest.mark.parametrize(("light", "runs"), [(53.5, True), (54.5, False)])
def test_it_sticks_below_its_efficiency(light: float, runs: bool) -> None:
    """60 kg against 54 hold one another at 0.9; what sticks does not creep."""
    scene = with_wire(load_scene("atwood", left=60.0, right=light, efficiency=0.9))
    simulator = Simulator(scene, 1.0 / 60.0)
    simulator.step(600)
    before = simulator.observe().body("left").position[2]
    simulator.step(3600)
    moved = before - simulator.observe().body("left").position[2]
    assert moved > 0.1 if runs else abs(moved) < 1e-9


def test_a_tackle_has_the_losses_of_the_handbooks() -> None:
    """Four falls over sheaves of 0.917: lead line 0.309 of the load, falls 0.917 of one another."""
    scene = load_scene("tackle", n_falls=4, efficiency=0.917, mass=1000.0, speed=0.5)
    simulator = Simulator(with_wire(scene), 1.0 / 60.0)
    simulator.step(360)
    rope = simulator.observe().cable("rope")
    assert rope.length_rate < 0.0
    assert rope.tension / (1000.0 * G) == pytest.approx(0.309, rel=5e-3)
    steps = np.unique(rope.span_tension.round(3))
    assert steps.size == 5
    np.testing.assert_allclose(steps[:-1] / steps[1:], 0.917, rtol=1e-3)
    assert simulator.report.status == 0


def test_a_loop_behind_a_sheave_goes_no_farther_than_it_is_drawn() -> None:
    """A weight falls and draws a loose loop over a sheave: its own side then has the rope to the
    weight, and what it falls in a step, though all of it is slack."""
    top, below, length = (-0.5, 0.0, 5.0), (0.5, 0.0, 4.0), 6.0
    weight = Body("weight", mass=10.0, position=(-1.0, 0.0, 3.0), shape=Box(0.2, 0.2, 0.2))
    nodes = (Anchor("weight"), Sheave("world", top, efficiency=0.95), Anchor("world", below))
    rope = Cable("rope", nodes, ea=1e6, length=length, hybrid=Hybrid(density=1e-6, most=0))
    simulator = Simulator(Scene(bodies=(weight,), cables=(rope,)), dt=1e-3)
    all_drawn = length - float(np.hypot(1.0, 1.0))
    way, tight = 0.0, 0
    while way < all_drawn - 0.01:
        assert simulator.step().status == 0
        falling = simulator.observe().body("weight")
        way = float(np.linalg.norm(falling.position - top))
        loose = float(simulator.save().state.spans.rest_length[0]) - way
        step = 1e-3 * abs(falling.velocity[2])
        tight += loose < 1.1 * step
        assert loose < 1.1 * step or tight == 0
    assert tight > 100
