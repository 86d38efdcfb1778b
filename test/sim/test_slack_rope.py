"""A rope with losses goes slack: friction bounds shrink with the tension to nothing, and the step
still settles."""

import pytest

from cable_sim import Simulator, load_scene
from cable_sim.kernels import solver, status


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
