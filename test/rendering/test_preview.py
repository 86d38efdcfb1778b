"""The first view has what moves in it, and looking ahead changes nothing."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.cranes import load_crane
from cable_sim.machine.bare import BareMachine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import crane_extent, extent
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


@pytest.mark.parametrize("name, deep, high", [("sts_51t", 25.0, 64.4), ("overhead_32t", 5.9, 12.5)])
def test_crane_is_not_small_in_wide_surroundings(name, deep, high):
    """A quay and a ship, and runways of 42 m, go beyond the first view; the crane fills it."""
    crane = load_crane(name)
    whole = extent(crane.scene)
    found = crane_extent(crane)
    assert np.ptp(found.corners, axis=0)[1:] == pytest.approx([deep, high], abs=0.1)
    assert (found.ground, found.scale) == (whole.ground, whole.scale)


@pytest.mark.parametrize("name", ["rtg_41t", "cableway_20t", "lab_gantry", "nehe_rope"])
def test_what_a_crane_stands_on_is_seen(name):
    crane = load_crane(name)
    assert (crane_extent(crane).corners == extent(crane.scene).corners).all()
