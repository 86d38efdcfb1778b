"""Three ways to solve a net: the envelope, the sparse matrix, and the full Schur complement of the
benchmarks."""

import numpy as np
import pytest
from slow_cases import slow_but

from benchmarks.dense import dense_simulator
from benchmarks.networks import NET, power
from cable_sim import Simulator, load_scene
from cable_sim.kernels.multibody.rows import INERTIA

SIZES = [n for n in NET if n <= 30]


@pytest.mark.parametrize("n", slow_but([n for n in SIZES if n < 20], SIZES))
def test_three_solvers_give_the_same_impulses(n: int) -> None:
    """From one state, so that what differs is the solution of one and the same system."""
    scene = load_scene("net", rows=n, columns=n)
    simulators = [Simulator(scene), Simulator(scene, solver="sparse"), dense_simulator(scene)]
    for _ in range(3):
        snapshot = simulators[0].save()
        for simulator in simulators:
            simulator.restore(snapshot)
            assert simulator.step().status == 0
        first = simulators[0]._state
        for simulator in simulators[1:]:
            other = simulator._state
            pairs = (
                (first.rows.impulse, other.rows.impulse),
                (first.bodies.velocity, other.bodies.velocity),
            )
            for mine, theirs in pairs:
                np.testing.assert_allclose(theirs, mine, rtol=0.0, atol=1e-9 * np.abs(mine).max())
    assert np.abs(first.rows.impulse).max() > 0.0


def test_the_dense_solver_knows_no_bounds() -> None:
    simulator = dense_simulator(load_scene("sliding_box"))
    with pytest.raises(FloatingPointError, match="bound"):
        simulator.step(100)


def test_one_pattern_does_while_a_net_swings() -> None:
    """Cables turn out of their first directions one after the other; that asks for no new
    ordering."""
    simulator = Simulator(load_scene("net", rows=12, columns=12), solver="sparse")
    simulator.step(30)
    assert len(simulator._running.sparse.patterns) == 1


def test_rows_of_inertia_are_left_out_until_one_is_needed() -> None:
    """And so are coordinates that no row touches: balls held at their centres do not turn."""
    scene = load_scene("net", rows=30, columns=30)
    simulator = Simulator(scene, dt=2e-3, solver="sparse")
    simulator.step()
    (pattern,) = simulator._running.sparse.patterns.values()
    assert (simulator._model.rows.kind == INERTIA).sum() == 3480
    assert pattern.rows.size == len(scene.cables) == 1740
    assert pattern.size == 3 * len(scene.bodies)
    # a smaller net: with nearly all of these rows the 30 x 30 one takes ten times as long
    longer = Simulator(load_scene("net", rows=20, columns=20), dt=1.0 / 60.0, solver="sparse")
    longer.step(5)
    *_, pattern = longer._running.sparse.patterns.values()
    needed = longer._work.rows.active[longer._model.rows.kind == INERTIA]
    assert 0 < needed.sum() < needed.size
    assert pattern.rows.size == len(longer._model.rows.kind) - (longer._model.rows.kind == 1).sum()


def test_power_of_a_known_cost_without_small_sizes() -> None:
    sizes = np.array([10.0, 100.0, 400.0, 900.0])
    points = np.column_stack([sizes, 3e-6 * sizes**1.5, 4e-6 * sizes**1.25])
    points[0, 1:] = 1.0
    row = power("net", "some", points)
    assert (row.best, row.median, row.note) == (
        pytest.approx(1.5),
        pytest.approx(1.25),
        "100 to 900 bodies",
    )
