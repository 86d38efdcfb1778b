"""The first view has what moves in it, and looking ahead changes nothing."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.cranes import load_crane
from cable_sim.machine.bare import BareMachine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import extent
from cable_sim.rendering.preview import FARTHEST, moving_extent


@pytest.fixture
def simulator():
    """A ball that swings from x = 3 m to -3 m, beside one that falls for ever."""
    balls = [
        Body("swings", 1.0, shape=Sphere(0.1), position=(3.0, 0.0, -4.0)),
        Body("falls", 1.0, shape=Sphere(0.1), position=(0.0, 1.0, 0.0)),
    ]
    return Simulator(
        Scene(bodies=balls, cables=[Cable("rope", [Anchor("world"), Anchor("swings")], length=5.0)])
    )


def test_view_has_the_whole_swing_and_not_the_endless_fall(simulator):
    simulator.step(10)
    before = simulator.save()
    found = moving_extent(BareMachine(simulator))
    assert simulator.time == pytest.approx(0.01)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(before.state.bodies, simulator.save().state.bodies, strict=True)
    )
    assert found.corners[:, 0].min() == pytest.approx(-3.1, abs=0.1)
    assert found.corners[:, 0].max() == pytest.approx(3.1, abs=0.1)
    start = extent(simulator.scene)
    assert found.corners[:, 2].min() > start.center[2] - FARTHEST * start.radius - 1.0


def test_crane_is_seen_as_it_stands():
    machine = Machine(load_crane("tower_12t"))
    found = moving_extent(machine)
    assert (found.corners == extent(machine.simulator.scene).corners).all()
