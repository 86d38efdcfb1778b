"""The tower crane on a rope with mass: one word in its file."""

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.cranes import load_crane


def crane(**changes):
    return load_crane("tower_12t", {"reeving.model": "elevation", **changes})


@pytest.mark.parametrize("falls", [2, 4])
@pytest.mark.parametrize("state", ["hanging", "on_ground"])
def test_starts_at_rest_with_its_rope_sagging(falls: int, state: str) -> None:
    """In equilibrium from the first step; the level run to the trolley sags by rho g l^2 / 8 T."""
    made = crane(**{"reeving.n_falls": falls, "rig.start.state": state})
    simulator = Simulator(made.scene)
    start = simulator.observe()
    simulator.step(3000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-6)
    rope, cable = seen.cable("hoist_rope"), made.scene.cables[0]
    level = rope.node_position[2, 0] - rope.node_position[1, 0]
    points = made.scene.cables[0].elevation.points
    run = rope.curve[points - 1 : 2 * points - 1]
    sag = cable.density * 9.81 * level**2 / (8.0 * rope.span_tension[1])
    assert run[0, 2] - run[:, 2].min() == pytest.approx(sag, rel=2e-3)
    assert sag > (0.01 if state == "hanging" else 0.1)


@pytest.mark.slow
def test_a_thousand_seconds_of_random_commands() -> None:
    """1e6 steps of all motions jerked about: finite, status 0 or a settled friction, no wave of
    more than its sag."""
    made, random = crane(), np.random.default_rng(7)
    simulator, highest, pulls = Simulator(made.scene), 0.0, []
    for _ in range(1000):
        for drive in made.scene.drives:
            limit = drive.max_speed * (0.2 if drive.name == "hoist" else 1.0)
            simulator.command(drive.name, random.uniform(-limit, limit), "speed")
        assert simulator.step(1000).exact
        rope = simulator.observe().cable("hoist_rope")
        highest = max(highest, float(np.abs(simulator._state.waves.displacement).max()))
        pulls.append(rope.tension)
        assert np.isfinite(rope.curve).all() and rope.energy_lost >= 0.0
        assert abs(simulator.observe().body("load").position[2]) < 65.0
    assert highest < 3.0
    assert max(pulls) < made.details.axes["hoist"].effort
