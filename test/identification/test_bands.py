"""Bands of parameters and the test of residuals, by sums by hand, enumeration and many draws."""

import itertools

import numpy as np
import pytest
from scipy.signal import lfilter

from cable_sim_studies.identification.bands import bands_of, correlated_lags, long_run
from cable_sim_studies.identification.comparison import Accuracy, Piece, weights
from cable_sim_studies.identification.structure import runs_chance

RNG = np.random.default_rng(7)


def coloured(n: int, memory: float, rng: np.random.Generator) -> np.ndarray:
    """Series of variance 1 each of whose values remembers a part of the one before."""
    series: np.ndarray = lfilter([np.sqrt(1.0 - memory**2)], [1.0, -memory], rng.normal(size=n))
    return series


def test_white_residuals_have_the_bands_of_least_squares() -> None:
    jacobian = RNG.normal(size=(20000, 2)) * (1.0, 1e6)
    bands = bands_of(jacobian, RNG.normal(size=20000), [20000])
    expected = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    assert bands.lags == (0,) and bands.sigma == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("memory", [0.0, 0.8, 0.95])
def test_the_truth_is_in_the_bands_of_correlated_errors(memory: float) -> None:
    rng = np.random.default_rng(3)
    time = np.linspace(0.0, 1.0, 6000)
    jacobian = np.column_stack([np.ones(6000), np.sin(9.0 * time)])
    hits = np.zeros(2)
    for _ in range(200):
        errors = coloured(6000, memory, rng)
        found = -np.linalg.lstsq(jacobian, errors, rcond=None)[0]
        bands = bands_of(jacobian, errors + jacobian @ found, [6000])
        hits += np.abs(found) < 1.96 * bands.sigma
    assert (hits >= 0.88 * 200).all()


def share_in_bands(weighs: bool) -> float:
    """Share of 200 slopes in their bands, found from a coarse encoder of an axis that goes, at even
    speeds, and stands."""
    random = np.random.default_rng(3)
    times = np.arange(0.0, 30.0, 0.01)
    accuracy = Accuracy(0.0, 1e-3)
    inside = 0
    for _ in range(200):
        speeds = np.repeat(random.choice([0.0, 0.0, 0.1, -0.1, 0.0537], 15), 200)
        way = np.cumsum(speeds) * 0.01
        slope, offset = random.uniform(0.9, 1.1), random.uniform(0.0, 1.0)
        read = np.round((slope * way + offset) / accuracy.quantum) * accuracy.quantum
        weight = (
            weights(Piece(0, "encoder", times, read), accuracy) if weighs else np.ones(len(times))
        )
        rows = np.column_stack([way, np.ones(len(way))])
        scale = np.sqrt(weight) / accuracy.sigma
        found = np.linalg.lstsq(scale[:, None] * rows, scale * read, rcond=None)[0]
        bands = bands_of(scale[:, None] * rows, scale * (rows @ found - read), [len(times)])
        low, high = bands.interval(0, float(found[0]))
        inside += low <= slope <= high
    return inside / 200.0


def test_the_truth_is_in_the_bands_of_a_coarse_encoder() -> None:
    assert share_in_bands(weighs=True) > 0.9
    assert share_in_bands(weighs=False) < 0.8


def test_readings_that_stay_or_step_evenly_count_once_together() -> None:
    times = np.arange(0.0, 4.0, 0.01)
    way = np.where(times < 1.995, 0.0, 300.0 * (times - 1.99))
    way[300:] = 300.0 * 1.01 + 317.3 * (times[300:] - 3.0)
    found = weights(Piece(0, "encoder", times, 0.1 * np.round(way)), Accuracy(0.0, 0.1))
    assert np.allclose(found[:200], 1.0 / 200.0)
    assert np.allclose(found[200:299], 1.0 / 101.0, rtol=0.02)
    assert np.allclose(found[310:], 1.0 / 50.0)


def test_rows_between_samples_count_for_their_share() -> None:
    times = np.arange(0.0, 3.0, 0.01)
    camera = Piece(0, "camera", times, np.zeros(300))
    assert weights(camera, Accuracy(1.0, 0.0, rate=25.0)) == pytest.approx(0.25)
    assert weights(camera, Accuracy(1.0, 0.0, rate=400.0)) == pytest.approx(1.0)
    assert weights(camera, Accuracy(1.0, 0.0)) == pytest.approx(1.0)


def test_the_long_run_sum_is_that_of_all_pairs() -> None:
    scores = RNG.normal(size=(40, 2))
    total = np.zeros((2, 2))
    for i, k in itertools.product(range(40), repeat=2):
        weight = max(1.0 - abs(i - k) / 6.0, 0.0)
        total += weight * np.outer(scores[i], scores[k])
    assert long_run(scores, 5) == pytest.approx(total)


def test_memory_of_residuals_is_found() -> None:
    assert correlated_lags(np.zeros(9)) == 0
    assert correlated_lags(coloured(4000, 0.9, np.random.default_rng(1))) > 30
    assert correlated_lags(np.ones(100)) == 10


def test_a_parameter_without_effect_has_no_band() -> None:
    jacobian = np.column_stack([np.ones(50), np.zeros(50)])
    assert bands_of(jacobian, RNG.normal(size=50), [50]).sigma[1] == np.inf


def test_the_chance_of_few_runs_is_about_that_of_all_signs() -> None:
    n = 13
    counts = np.zeros(n + 1)
    for signs in itertools.product((-1.0, 1.0), repeat=n):
        counts[1 + int(np.sum(np.diff(signs) != 0.0))] += 1
    share = np.cumsum(counts) / 2.0**n
    for runs in range(2, n):
        means = np.array([(-1.0) ** min(k, runs - 1) for k in range(n)])
        assert runs_chance(means) == pytest.approx(share[runs], abs=0.02)
