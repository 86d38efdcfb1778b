"""Passages of moving spans through one another."""

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from cable_sim.kernels.cables.crossing.passages import find_passage

Points = NDArray[np.float64]


def volume(ends: Points) -> float:
    """Return f of the ends of two spans: (2, 2, 3) span, end, coordinate."""
    (p, p_end), (q, q_end) = ends
    return float((p - q) @ np.cross(p_end - p, q_end - q))


def passages(before: Points, after: Points) -> list[tuple[float, float]]:
    """Return the side before each passage, and its time, from f at four times."""
    times = np.array([0.0, 0.3, 0.7, 1.0])
    f = Polynomial.fit(times, [volume(before + t * (after - before)) for t in times], 3)
    found = []
    for root in sorted(f.roots().tolist(), key=lambda z: z.real):
        t = root.real
        if abs(root.imag) > 1e-9 or not 0.0 < t < 1.0:
            continue
        (p, p_end), (q, q_end) = before + t * (after - before)
        across = np.stack([p_end - p, q - q_end], axis=1)
        places = np.linalg.lstsq(across, q - p, rcond=None)[0]
        if places.min() > 0.0 and places.max() < 1.0:
            found.append((-float(np.sign(f.deriv()(t))), t))
    return found


def moving(before: Points, after: Points) -> tuple[tuple[float, ...], ...]:
    """Return a moving span."""
    return tuple(tuple(point) for point in (*before.tolist(), *after.tolist()))


def test_passages_are_at_the_roots_within_both_spans() -> None:
    random = np.random.default_rng(4)
    seen = {0: 0, 1: 0, 2: 0}
    for _ in range(3000):
        before, after = random.uniform(-1.0, 1.0, (2, 2, 2, 3))
        expected = passages(before, after)
        side, time, _, _ = find_passage(*(moving(before[i], after[i]) for i in range(2)))
        seen[min(len(expected), 2)] += 1
        assert side == (expected[0][0] if len(expected) % 2 else 0.0)
        if expected:
            assert abs(time - expected[-1][1]) < 1e-9
    assert min(seen.values()) > 20


def test_no_passage_gets_lost_between_two_motions() -> None:
    """At a common instant f is rounding alone, and both motions see the same sign of it."""
    random = np.random.default_rng(5)
    for _ in range(300):
        first, last = random.uniform(-1.0, 1.0, (2, 2, 2, 3))
        if len(passages(first, last)) != 1:
            continue
        t = passages(first, last)[0][1]
        middle = first + t * (last - first)
        sides = [
            find_passage(*(moving(a[i], b[i]) for i in range(2)))[0]
            for a, b in ((first, middle), (middle, last))
        ]
        assert sorted(map(abs, sides)) == [0.0, 1.0]
