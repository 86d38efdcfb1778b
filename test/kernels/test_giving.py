"""How curves give way to tension: the derivation at the head of the kernel file, term by term."""

import numpy as np
import pytest

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.kernels.cables.giving import most_mobility, span_mobility, span_rates
from cable_sim.kernels.cables.wave import arc_length
from cable_sim.spec import Elevation

LENGTH, POINTS, DENSITY, DAMPING, H = 7.0, 13, 1.7, 0.8, 1e-3
NORMAL, ALONG = np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
FIRST, INTERVALS = np.zeros(1, np.int64), np.array([POINTS - 1])


def curve(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Displacements with slopes of a hundredth, and rates [m, m/s]."""
    random = np.random.default_rng(seed)
    wave, rate = 2e-3 * random.normal(size=(2, POINTS)), random.normal(size=(2, POINTS))
    wave[:, [0, -1]], rate[:, [0, -1]] = 0.0, 0.0
    return wave, rate


def arc(wave: np.ndarray) -> float:
    return arc_length(LENGTH, 0.0, wave[0].copy(), wave[1].copy(), np.zeros(POINTS))


def give(wave: np.ndarray, rate: np.ndarray, start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 0.0)):
    bend, per_length = np.zeros((3, POINTS)), (POINTS - 1) / LENGTH
    mobility = span_mobility(0, per_length, DENSITY, FIRST, INTERVALS, wave, bend)
    rates = span_rates(H, 0, per_length, DAMPING, start, end, FIRST, INTERVALS, NORMAL, ALONG, wave, rate, bend)
    return mobility, *rates


def gradient(wave: np.ndarray) -> np.ndarray:
    """Of the arc length with respect to the displacements, by central differences."""
    found, step = np.zeros_like(wave), 1e-5
    for i in range(2):
        for m in range(1, POINTS - 1):
            near, far = wave.copy(), wave.copy()
            near[i, m], far[i, m] = near[i, m] - step, far[i, m] + step
            found[i, m] = (arc(far) - arc(near)) / (2.0 * step)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_rate_and_mobility_are_those_of_the_arc_length(seed: int) -> None:
    """The rate of shortening is -dS/du . v, the mobility sum (dS/du)^2 / m with the masses m of the points."""
    wave, rate = curve(seed)
    mobility, now, _ = give(wave, rate)
    slope = gradient(wave)
    assert now == pytest.approx(-(slope * rate).sum(), abs=1e-3 * np.linalg.norm(slope) * np.linalg.norm(rate))
    assert mobility == pytest.approx((slope**2).sum() / (DENSITY * LENGTH / (POINTS - 1)), rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_most_mobility_is_a_bound(seed: int) -> None:
    wave, rate = curve(seed)
    length, arcs, active = np.array([LENGTH]), np.array([arc(wave)]), np.array([True])
    most = most_mobility(0, 1, DENSITY, INTERVALS, active, length, arcs)
    mobility = give(wave, rate)[0]
    assert mobility <= most * (1.0 + 1e-3)
    assert most_mobility(0, 1, DENSITY, INTERVALS, ~active, length, arcs) == 0.0
    wrinkles = np.zeros((2, POINTS))
    wrinkles[0, 1:-1] = 1e-3 * (-1.0) ** np.arange(POINTS - 2)
    arcs[0] = arc(wrinkles)
    assert give(wrinkles, rate)[0] > 0.8 * most_mobility(0, 1, DENSITY, INTERVALS, active, length, arcs)


@pytest.mark.parametrize("seed", range(4))
def test_free_rate_is_that_of_a_step_without_tension(seed: int) -> None:
    """v+ of the explicit scheme with T = 0 under loads that are linear along the chord."""
    wave, rate = curve(seed)
    start, end = np.array([0.3, -1.1, -9.0]), np.array([-0.2, 0.7, -7.0])
    _, _, free = give(wave, rate, tuple(start), tuple(end))
    load = start + np.linspace(0.0, 1.0, POINTS)[:, None] * (end - start)
    across = np.array([load @ NORMAL[0], load @ np.cross(ALONG[0], NORMAL[0])])
    after = ((1.0 - 0.5 * H * DAMPING) * rate + H * across) / (1.0 + 0.5 * H * DAMPING)
    slope = gradient(wave)
    assert free == pytest.approx(-(slope * after).sum(), abs=1e-3 * np.linalg.norm(slope) * np.linalg.norm(after))


@pytest.mark.parametrize("scheme", ["explicit", "implicit"])
def test_a_wrinkled_rope_that_catches_its_own_weight(scheme: str) -> None:
    """Slack, with a wrinkle at every point, it falls by some 190 J and is jerked taut.

    The explicit scheme gains nothing; the implicit one, of whose finest wrinkles the mobility says too much, 9 J.
    """
    layer = Elevation(1.0, scheme=scheme, points=65, damping=0.2)
    ends = (Anchor("world", (-10.0, 0.0, 0.0)), Anchor("world", (10.0, 0.0, 0.0)))
    rope = Cable("rope", ends, ea=1e6, length=20.3, damping_time=0.01, elevation=layer)
    simulator = Simulator(Scene(cables=(rope,)))
    random = np.random.default_rng(1)
    simulator._state.wave[0, 1:-1] = 0.03 * random.normal(size=63)
    start, most = simulator.observe().energy.total, 0.0
    for _ in range(300):
        simulator.step(10)
        seen = simulator.observe()
        most = max(most, seen.cable("rope").tension)
        assert seen.energy.total < start + {"explicit": 0.1, "implicit": 12.0}[scheme]
    assert 0.0 < most < 1e5
