"""The impact of a rope's curve on a new contact node: it is at rest there, and no energy comes of
it."""

import numpy as np
import pytest

from cable_sim.kernels.cables.elevation import traces
from cable_sim.kernels.jit import kernel

ROWS = 41


@kernel
def stop(place, velocity, rows, trace):
    """Bring a trace to rest at a node."""
    traces.stop_trace(place, velocity, rows, trace)


def rippled(seed: int, waves: int) -> tuple[np.ndarray, float, np.ndarray]:
    """Rows of a curve along x with a sum of waves as velocities, a place, and a node's velocity."""
    random = np.random.default_rng(seed)
    trace = np.zeros((ROWS, 7))
    trace[:, 0] = np.linspace(0.0, 1.0, ROWS)
    trace[:, 1] = 8.0 * trace[:, 0]
    order = np.arange(1, waves + 1)
    shapes = np.sin(np.pi * np.outer(trace[:, 0], order))
    trace[:, 4:] = shapes @ random.normal(size=(waves, 3)) + random.normal(size=3)
    return trace, float(random.uniform(0.02, 0.98)), random.normal(size=3)


def across(velocities: np.ndarray) -> np.ndarray:
    return velocities[..., 1:]


def at(place: float, trace: np.ndarray) -> np.ndarray:
    return np.array([np.interp(place, trace[:, 0], trace[:, column]) for column in (5, 6)])


@pytest.mark.parametrize("waves", [1, 2, 5, 20])
@pytest.mark.parametrize("seed", range(20))
def test_an_impact_adds_no_energy_as_seen_from_the_node(seed: int, waves: int) -> None:
    trace, place, velocity = rippled(seed, waves)
    after = trace.copy()
    stop(place, tuple(velocity), ROWS, after)
    energies = [
        0.5 * ((across(rows[1:-1, 4:]) - across(velocity)) ** 2).sum() for rows in (trace, after)
    ]
    assert energies[1] <= energies[0] * (1.0 + 1e-12)
    np.testing.assert_array_equal(after[[0, -1]], trace[[0, -1]])
    np.testing.assert_array_equal(after[:, :4], trace[:, :4])
    np.testing.assert_allclose(
        after[:, 4], trace[:, 4], rtol=0.0, atol=1e-12
    )  # nothing along the chord


@pytest.mark.parametrize("seed", range(10))
def test_a_curve_that_moves_as_one_stops_as_far_as_the_ends(seed: int) -> None:
    """The impulse of the node goes as far as the span does, as a hat; the rope is at rest with the
    node there."""
    trace, place, velocity = rippled(seed, 1)
    trace[:, 4:] = trace[0, 4:]
    place = round(place * (ROWS - 1)) / (ROWS - 1)
    after = trace.copy()
    stop(place, tuple(velocity), ROWS, after)
    np.testing.assert_allclose(at(place, after), across(velocity), atol=1e-12)
    x = trace[:, 0]
    hat = np.minimum(x / place, (1.0 - x) / (1.0 - place))[:, None]
    expected = (1.0 - hat) * trace[:, 5:] + hat * across(velocity)
    np.testing.assert_allclose(after[:, 5:], expected, atol=1e-12)
