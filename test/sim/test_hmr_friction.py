"""The friction law of Servin et al. 2011 for hybrid wires: its equations, one by one."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cable_sim import Simulator, load_scene
from cable_sim.errors import CableSimError
from cable_sim.kernels.cables.contact.contact_path import GLIDING, STUCK
from cable_sim.kernels.cables.friction.node_law import pseudo_friction_ratio
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.spec import Hybrid

H = 1.0 / 60.0


def beam(mu: float, slope: float = 0.0, ratio: float = 1.0) -> Simulator:
    return Simulator(
        load_scene("wire_over_beam", friction=mu, ratio=ratio, slope=slope, law="hmr_2011"), dt=H
    )


def states(simulator: Simulator) -> list[int]:
    """Of the contact nodes."""
    state = simulator.save().state
    return [int(slip) for slip in state.nodes.friction_state[state.nodes.contact_solid >= 0]]


@pytest.mark.parametrize("turn", [0.1, 1.0, 0.5 * math.pi, 3.1])
def test_bound_across_an_edge(turn: float) -> None:
    """mu sin(alpha / 2), however the edge lies; nothing for a span without length; at most 1."""
    turned = Rotation.random(random_state=5).apply(
        [(1.0, 0.0, 0.0), (math.cos(turn), math.sin(turn), 0.0)]
    )
    assert pseudo_friction_ratio(0.4, *map(tuple, turned)) == pytest.approx(
        0.4 * math.sin(0.5 * turn), rel=1e-12
    )
    assert pseudo_friction_ratio(0.4, tuple(turned[0]), (0.0, 0.0, 0.0)) == 0.0
    assert pseudo_friction_ratio(1e3, *map(tuple, turned)) == 1.0


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.2, 0.24, 0.25, 0.5])
def test_tensions_across_edges(mu: float) -> None:
    """Their ratio is ((1 + m) / (1 - m))^2 while the wire runs, that of the weights where it
    sticks."""
    simulator, m = beam(mu, ratio=0.5), mu * math.sin(0.25 * math.pi)
    simulator.step(30)
    wire, rho = simulator.observe().cable("wire"), ((1.0 + m) / (1.0 - m)) ** 2
    assert wire.tension / wire.tension_dead_end == pytest.approx(min(rho, 2.0), rel=1e-4)


@pytest.mark.parametrize("mu", [0.2, 0.9])
def test_a_node_goes_a_part_of_the_way_each_step(mu: float) -> None:
    """Both loads are at the same place along the edges, and so is the shortest way, as near as it
    is looked for.

    Nodes go in the middle of a step to where the loads are in the middle of the next one.
    """
    simulator = beam(mu, slope=30.0)
    simulator.step(20)
    for _ in range(60):
        before = simulator.observe()
        ahead = before.body("left").position[1] + 1.5 * H * before.body("left").velocity[1]
        place = before.cable("wire").contact_position[0, 1]
        simulator.step()
        after = simulator.observe().cable("wire").contact_position[0, 1]
        assert after - place == pytest.approx((1.0 - mu) * (ahead - place), rel=2e-4)
        assert states(simulator) == [GLIDING, GLIDING]


def test_with_a_friction_of_one_it_does_not_move() -> None:
    simulator = beam(1.0, slope=30.0)
    start = simulator.observe().cable("wire").contact_position
    simulator.step(300)
    np.testing.assert_array_equal(simulator.observe().cable("wire").contact_position, start)
    assert states(simulator) == [STUCK, STUCK]


@pytest.mark.parametrize(("mu", "stays"), [(0.36, False), (0.40, True)])
def test_what_sticks_stays_while_the_force_is_within_the_bound(mu: float, stays: bool) -> None:
    """Eq. 21: the slope comes slowly, up to 30 degrees; sin / sqrt(1 + cos^2) is 0.378 there."""
    simulator = beam(mu, slope=30.0)
    gravity = load_scene("wire_over_beam", slope=30.0).gravity[1]
    places = []
    for hold in 0.5 + 0.5 * np.cos(np.maximum(np.linspace(-0.1, math.pi, 600), 0.0)):
        for body in ("left", "right"):
            simulator.push(body, force=(0.0, -hold * 100.0 * gravity, 0.0))
        simulator.step()
        places.append(simulator.observe().cable("wire").contact_position[:, 1])
    simulator.step(120)
    moved = np.abs(simulator.observe().cable("wire").contact_position[:, 1] - places[10]).max()
    assert moved == 0.0 if stays else moved > 1.0


def test_snapshots() -> None:
    """Restored, the same bits follow, while the wire comes off a block."""
    simulator = Simulator(load_scene("wrapped_block"), dt=H)
    simulator.step(20)
    snapshot = simulator.save()
    simulator.step(40)
    expected = [array.tobytes() for array in arrays_of(simulator.save().state)]
    simulator.restore(snapshot)
    simulator.step(40)
    assert [array.tobytes() for array in arrays_of(simulator.save().state)] == expected


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(CableSimError, match="friction_law"):
        Hybrid(density=1.0, friction_law="viscous")  # type: ignore[arg-type]
