"""How curves give way to tension: the derivation at the head of the kernel file, term by term."""

import numpy as np
import pytest

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.kernels.cables.elevation import wave_compliance
from cable_sim.kernels.cables.elevation.elevation import ADAPTIVE, EXPLICIT, IMPLICIT, Rule
from cable_sim.kernels.cables.elevation.wave import arc_length
from cable_sim.spec import Elevation, Sheave

LENGTH, POINTS, DENSITY, DAMPING, H = 7.0, 13, 1.7, 0.8, 1e-3
NORMAL, ALONG = np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
PER_MASS = ((POINTS - 1) / LENGTH) ** 2 / DENSITY
LOADS = (0.3, -1.1, -9.0), (-0.2, 0.7, -7.0)
STILL = Rule(EXPLICIT, 0.0, DAMPING)
RULES = pytest.mark.parametrize("rule", [EXPLICIT, IMPLICIT, ADAPTIVE])
SLOPES = pytest.mark.parametrize("height", [2e-3, 2.0])


def curves(height: float, seed: int = 0) -> wave_compliance.Curves:
    """Random displacements of a height [m], slopes of a hundredth or ten; rates that are comparable
    [m/s]."""
    random = np.random.default_rng(seed)
    wave = height * random.normal(size=(2, POINTS))
    rate = 5.0 * height * random.normal(size=(2, POINTS))
    wave[:, [0, -1]], rate[:, [0, -1]] = 0.0, 0.0
    first, intervals = np.zeros(1, np.int64), np.array([POINTS - 1])
    return wave_compliance.Curves(
        first,
        intervals,
        wave,
        rate,
        NORMAL,
        np.array([LENGTH]),
        ALONG,
        np.zeros((wave_compliance.END, POINTS)),
    )


def arc(wave: np.ndarray) -> float:
    return arc_length(LENGTH, 0.0, wave[0].copy(), wave[1].copy(), np.zeros(POINTS))


def trial(made: wave_compliance.Curves, rule: int, tension: float) -> tuple[float, float]:
    """Length at the end of a step under a tension [m], and mu [1/kg]."""
    step = Rule(rule, tension * PER_MASS, DAMPING)
    wave_compliance.take_trial_step(H, 0, step, 2, LOADS, made)
    wave_compliance.solve_unit_response(H, 0, step, PER_MASS, made)
    return wave_compliance.trial_end(0, LENGTH, 0.0, made)


@SLOPES
@pytest.mark.parametrize("seed", range(4))
def test_rate_is_that_of_the_arc_length(seed: int, height: float) -> None:
    made, step = curves(height, seed), 1e-7
    near, far = arc(made.displacement - step * made.rate), arc(made.displacement + step * made.rate)
    scale = np.abs(np.diff(made.rate)).sum()
    assert wave_compliance.curve_growth(0, LENGTH, 0.0, made) == pytest.approx(
        (far - near) / (2.0 * step), abs=1e-6 * scale
    )


@RULES
@SLOPES
@pytest.mark.parametrize("seed", range(4))
def test_mobility_is_what_more_tension_gives(rule: int, height: float, seed: int) -> None:
    """Mobility times step is what the path loses to a further impulse: by central differences of
    steps taken."""
    made, tension, step = curves(height, seed), 2e4, 1.0
    mobility = trial(made, rule, tension)[1]
    low, high = (trial(made, rule, tension + sign * step)[0] for sign in (-1.0, 1.0))
    assert H * mobility == pytest.approx(
        max((low - high) / (2.0 * step * H), 0.0), rel=1e-4, abs=1e-12
    )
    assert mobility > 0.0


@RULES
@pytest.mark.parametrize("seed", range(4))
def test_the_trial_step_leaves_the_curve(rule: int, seed: int) -> None:
    made = curves(2e-3, seed)
    wave, rate = made.displacement.copy(), made.rate.copy()
    trial(made, rule, 100.0)
    assert (made.displacement == wave).all() and (made.rate == rate).all()


@SLOPES
@pytest.mark.parametrize("seed", range(4))
def test_mobility_has_its_bounds(height: float, seed: int) -> None:
    """At most that of small slopes, which it is there, and 8 (S - l) / (rho dx^2), which wrinkles
    come near."""
    made, piece = curves(height, seed), LENGTH / (POINTS - 1)
    wave_compliance.take_trial_step(0.0, 0, STILL, 2, LOADS, made)  # no step: u* is u
    wave_compliance.solve_unit_response(0.0, 0, STILL, PER_MASS, made)
    length, mobility = wave_compliance.trial_end(0, LENGTH, 0.0, made)
    small = (np.diff(made.displacement, 2) ** 2).sum() / (DENSITY * piece**3)
    most = wave_compliance.mobility_bound(
        0, 1, DENSITY, made.intervals, np.array([True]), np.array([LENGTH]), np.array([length])
    )
    assert mobility <= small and mobility <= most
    assert mobility > 0.99 * small if height < 1.0 else mobility < 0.3 * small


def test_wrinkles_come_near_the_bound() -> None:
    made = curves(0.0)
    made.displacement[0, 1:-1] = 1e-3 * (-1.0) ** np.arange(POINTS - 2)
    wave_compliance.take_trial_step(0.0, 0, STILL, 2, LOADS, made)
    wave_compliance.solve_unit_response(0.0, 0, STILL, PER_MASS, made)
    length, mobility = wave_compliance.trial_end(0, LENGTH, 0.0, made)
    args = DENSITY, made.intervals, np.array([True]), np.array([LENGTH]), np.array([length])
    assert mobility > 0.8 * wave_compliance.mobility_bound(0, 1, *args)


@pytest.mark.parametrize("scheme", ["adaptive", "explicit", "implicit"])
def test_a_wrinkled_rope_that_catches_its_own_weight(scheme: str) -> None:
    """Slack, with a wrinkle at every point, it falls by some 190 J and is jerked taut; no scheme
    gains anything."""
    layer = Elevation(1.0, scheme=scheme, points=65, damping=0.2)
    ends = (Anchor("world", (-10.0, 0.0, 0.0)), Anchor("world", (10.0, 0.0, 0.0)))
    rope = Cable("rope", ends, ea=1e6, length=20.3, damping_time=0.01, elevation=layer)
    simulator = Simulator(Scene(cables=(rope,)))
    random = np.random.default_rng(1)
    simulator._state.waves.displacement[0, 1:-1] = 0.03 * random.normal(size=63)
    start, most = simulator.observe().energy.total, 0.0
    for _ in range(300):
        simulator.step(10)
        seen = simulator.observe()
        most = max(most, seen.cable("rope").tension)
        assert seen.energy.total < start + 0.1
    assert 0.0 < most < 1e5


@pytest.mark.parametrize("scheme", ["adaptive", "explicit"])
def test_the_row_knows_the_path_of_the_end_of_the_step(scheme: str) -> None:
    """The scheme of 2007 has T = EA / L times the stretch there, and the curve gets there: through
    a whole catch."""
    layer, length = Elevation(1.0, 65, 0.2, scheme), 20.3
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("world", (20.0, 0.0, 0.0))),
        ea=1e6,
        length=length,
        elevation=layer,
    )
    simulator = Simulator(Scene(cables=(rope,)), stepper="regularised")
    simulator._state.waves.displacement[0, 1:-1] = 0.03 * np.random.default_rng(1).normal(size=63)
    told, stretched = [], []
    for _ in range(700):
        simulator.step()
        seen = simulator.observe().cable("rope")
        told.append(seen.tension)
        stretched.append(max(1e6 * (seen.length / length - 1.0), 0.0))
    assert max(told) > 1000.0
    assert np.abs(np.subtract(told, stretched)).max() < 0.02 * max(told)


@pytest.mark.parametrize("scheme", ["adaptive", "explicit", "implicit"])
@pytest.mark.parametrize("length", [24.1, 21.0])
@pytest.mark.parametrize("damping_time", [0.0, 0.001, 10.0])
def test_a_slack_catch_feels_its_stretch(scheme: str, length: float, damping_time: float) -> None:
    """A rope let go straight over a fixed sheave hangs on its tension, seen every 10 ms.

    1.4 % of stretch at 155 N would be 230 kN, and with the long damping time it would be a fifth.
    """
    nodes = (
        Anchor("world", (-8.7, 1.0, 15.6)),
        Sheave("world", (-4.1, 3.9, 16.0)),
        Anchor("world", (-9.0, -1.8, 3.5)),
    )
    layer = Elevation(4.0, scheme=scheme)
    rope = Cable(
        "rope", nodes, ea=1.67e7, length=length, damping_time=damping_time, elevation=layer
    )
    simulator, strain, pull = Simulator(Scene(cables=(rope,))), 0.0, 0.0
    for _ in range(200):
        simulator.step(10)
        seen = simulator.observe().cable("rope")
        strain, pull = max(strain, seen.length / length - 1.0), max(pull, seen.tension)
    assert strain < 1e-3
    assert damping_time > 1.0 or pull > 0.3 * 1.67e7 * strain  # else it creeps back
