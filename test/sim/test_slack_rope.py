"""A rope with losses goes slack: friction bounds shrink with the tension to nothing, and the step
still settles."""

import pytest

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere, load_scene
from cable_sim.kernels import status
from cable_sim.kernels.multibody import solver


@pytest.mark.parametrize("efficiency", [0.9, 0.98])
@pytest.mark.parametrize("n_falls", [2, 4, 6])
def test_a_tackle_whose_load_is_lifted_settles_in_few_rounds(
    n_falls: int, efficiency: float
) -> None:
    """The bounds of each round are a few per cent of those before; relative to themselves they
    never stand still."""
    simulator = Simulator(load_scene("tackle", n_falls=n_falls, efficiency=efficiency))
    simulator.step(500)
    simulator.push("block", (0.0, 0.0, 1.2e4))
    rounds = 0
    for _ in range(1000):
        report = simulator.step()
        assert report.status == status.SOLVED
        rounds = max(rounds, report.iterations)
    assert simulator.observe().cable("rope").slack
    assert rounds < solver.ROUNDS // 2


@pytest.mark.parametrize("stiffness", [2e3, 8e3, 1e4, 1.1e4])
@pytest.mark.parametrize("phase", [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95])
def test_a_load_that_falls_into_an_undamped_rope_gains_nothing(phase, stiffness) -> None:
    """Catch a load at any part of a step, with z^2 from 0.05 to 0.275: to rounding, as it falls
    exactly."""
    slack = 1.0 + 0.0443 * phase  # what it falls in a step when it is caught is 4.43 cm
    load = Body("load", 16.0, shape=Sphere(0.2), position=(0.0, 0.0, slack - 5.0))
    rope = Cable(
        "rope", (Anchor("world"), Anchor("load")), stiffness=stiffness, damping_time=0.0, length=5.0
    )
    simulator = Simulator(Scene(bodies=(load,), cables=(rope,)), dt=0.02)
    start = simulator.observe().energy.total
    for _ in range(60):
        simulator.step()
        assert simulator.observe().energy.total < start + 1e-9 * 16.0 * 9.81 * slack
