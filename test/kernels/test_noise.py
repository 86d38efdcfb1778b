"""The generator against its authors' known answers, and its numbers against the distributions that
they should have."""

import math

import numpy as np
import pytest

from cable_sim.kernels.devices.noise import chance, normal, philox

# philox2x32-10 of the file kat_vectors of Random123 (Salmon et al. 2011): counter, key, answer
KNOWN = [
    ((0x00000000, 0x00000000), 0x00000000, (0xFF1DAE59, 0x6CD10DF2)),
    ((0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFF, (0x2C3F628B, 0xAB4FD7AD)),
    ((0x243F6A88, 0x85A308D3), 0x13198A2E, (0xDD7CE038, 0xF62A4C12)),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_gives_the_known_answers(counter, key, answer):
    assert tuple(int(word) for word in philox(key, *counter)) == answer


def test_noise_has_the_moments_of_a_normal_distribution():
    """Of n numbers the mean varies by 1/sqrt(n), the variance by sqrt(2/n), skewness and kurtosis
    by sqrt(6/n) and sqrt(24/n): four of these each."""
    n = 20000
    x = np.array([normal(7, k, 3) for k in range(n)])
    assert abs(x.mean()) < 4.0 / math.sqrt(n)
    assert abs(x.var() - 1.0) < 4.0 * math.sqrt(2.0 / n)
    assert abs((x**3).mean()) < 4.0 * math.sqrt(15.0 / n)
    assert abs((x**4).mean() - 3.0) < 4.0 * math.sqrt(96.0 / n)
    assert abs((x[1:] * x[:-1]).mean()) < 4.0 / math.sqrt(n)


def test_streams_seeds_and_chances_are_independent():
    n = 5000
    a, b, c = (
        np.array([normal(*of(k)) for k in range(n)])
        for of in (lambda k: (1, k, 1), lambda k: (2, k, 1), lambda k: (1, k, 2))
    )
    p = np.array([chance(1, k, 1) for k in range(n)])
    for x, y in ((a, b), (a, c), (b, c), (a, p - 0.5)):
        assert abs(np.corrcoef(x, y)[0, 1]) < 4.0 / math.sqrt(n)
    assert abs(p.mean() - 0.5) < 4.0 / math.sqrt(12.0 * n)
    assert 0.0 < p.min() and p.max() < 1.0
