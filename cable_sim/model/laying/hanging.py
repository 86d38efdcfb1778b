"""The shape in which a rope of masses starts: at rest, every segment as long as it is under its
tension.

N segments of rest length l between N - 1 equal masses of weight w, from one end to another that is
d away in plan and v higher. Lengths below are in l and forces in w; eps = w / (k l) is the strain
of a segment under w. What a segment pulls with is F_j = (H, V_j), and a mass in balance adds its
weight, V_{j+1} = V_j + 1. A segment lies along its force,

    s_j = (1 / |F_j| + eps) F_j,    sum_j s_j = (d, v),    (1)

two equations for two unknowns. Of all segments the lowest one, b, is loaded least, and its force
may be zero or even a push, so the unknowns are its pull T, of either sign, and its slope a: F_b = T
(cos a, sin a), but s_b = (1 + eps T) (cos a, sin a) whatever the sign. Then nothing is singular
where the rope folds. Newton's method begins with the catenary, whose vertex says which segment is
the lowest,

    sinh(u) / u = sqrt(N^2 - v^2) / d,    u = d / 2 H,    V_b = b + 1/2 - (N - v coth u) / 2.    (2)

*Folded.* If with b vertical segments down and N - 1 - b up the gap between is shorter than a
segment,

    |(d, v - sum_{j != b} sign(j - b) (1 + eps |j - b|))| < 1,    (3)

then T <= 0. A rope that only pulls hangs so, with segment b slack. One that pushes is spread by it.

Without weight any shape is one of rest: it is that of the weight along -z, unstretched.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cable_sim.model.basis.frames import Array

ROUNDS = 100
"""Most rounds of Newton's method; it takes 4 to 8."""
CLOSED = 1e-13
"""Distance by which the ends may be missed, in lengths of the rope."""
GRAZE = 1e-9
"""Depth below its plane at which a mass still counts as lying on it, in lengths of a segment."""


class Strand(NamedTuple):
    """Segments of a rope: number, rest length of one [m], strain, and ability to push.

    The strain is that under the weight of a mass.
    """

    segments: int
    length: float
    strain: float
    pushes: bool


@lru_cache(maxsize=64)
def free(distance: float, rise: float, strand: Strand) -> Array | None:
    """Return the points of a rope that hangs from two ends (n, 3), in lengths of a segment.

    The result is cached: it is found once for the wires of a net.
    """
    target = np.array([distance, rise]) / strand.length
    down = np.arange(strand.segments)
    up = down[::-1]
    rises = up - down + 0.5 * strand.strain * (up * (up + 1) - down * (down + 1))
    lowest = int(np.abs(target[1] - rises).argmin())
    ahead = down - lowest
    gap = target - (0.0, rises[lowest])
    if math.hypot(*gap) < 1.0:
        if not strand.pushes:
            upright = [np.zeros(ahead.size), np.sign(ahead) + strand.strain * ahead]
            return _chain_points(np.where(ahead == 0, gap[:, None], upright).T)
        slope = math.asin(gap[1])
        spread = (math.cos(slope) - gap[0]) / (
            1.0 + math.log((1.0 + lowest) * (strand.segments - lowest))
        )
        guesses = [(lowest, -spread * share, slope) for share in (1.0, 0.3, 3.0, 0.1, 0.01)]
    else:
        guesses = [_catenary(float(target[0]), float(target[1]), strand.segments)]
        guesses += [(lowest, share, math.atan2(*gap[::-1])) for share in (0.1, 1.0, 0.01)]
    for guess in guesses:
        found = _balance(target, *guess, strand)
        if found is not None:
            return _chain_points(found)
    return None


def _chain_points(reaches: Array) -> Array:
    """Return points (n, 3) from reaches (n - 1, 2) in the upright plane."""
    points = np.zeros((len(reaches) + 1, 3))
    np.cumsum(reaches, axis=0, out=points[1:, ::2])
    return points


def _catenary(distance: float, rise: float, segments: int) -> tuple[int, float, float]:
    """Return the lowest segment, its pull and its slope in the catenary of a rope: eq. 2."""
    ratio = math.sqrt(max(segments**2 - rise**2, 0.0)) / max(distance, 1e-9 * segments)
    u = _sinhc_inverse(max(ratio, 1.0 + 1e-14))
    level = 0.5 * distance / u
    vertex = 0.5 * (segments - rise / math.tanh(u))
    lowest = min(max(int(vertex), 0), segments - 1)
    upward = lowest + 0.5 - vertex
    return lowest, math.hypot(level, upward), math.atan2(upward, level)


def _sinhc_inverse(ratio: float) -> float:
    """u > 0 with sinh(u) / u = ratio, by Newton's method on its logarithm, which is convex."""
    u = (
        math.sqrt(6.0 * (ratio - 1.0))
        if ratio < 3.0
        else math.log(2.0 * ratio) + math.log(math.log(2.0 * ratio))
    )
    wanted = math.log(ratio)
    for _ in range(ROUNDS):
        value = u - math.log(2.0 * u) + math.log1p(-math.exp(-2.0 * u)) - wanted
        change = value / (1.0 / math.tanh(u) - 1.0 / u) if u > 1e-4 else 0.0
        u -= change
        if abs(change) < 1e-12 * u:
            break
    return u


def _balance(target: Array, lowest: int, pull: float, slope: float, strand: Strand) -> Array | None:
    """Return the reaches of the segments (n, 2) in balance: eq. 1 by Newton's method.

    Steps are shorter where they make it worse.
    """
    ahead = np.arange(float(strand.segments)) - lowest
    size = float(strand.segments)
    reaches, jacobian = _polygon(pull, slope, ahead, lowest, strand.strain)
    missed = target - reaches.sum(axis=0)
    for _ in range(ROUNDS):
        if abs(missed).max() < CLOSED * size:
            return reaches
        determinant = jacobian[0, 0] * jacobian[1, 1] - jacobian[0, 1] * jacobian[1, 0]
        if determinant == 0.0:
            return None
        by_pull = (jacobian[1, 1] * missed[0] - jacobian[0, 1] * missed[1]) / determinant
        by_slope = (jacobian[0, 0] * missed[1] - jacobian[1, 0] * missed[0]) / determinant
        share = min(1.0, 0.5 / max(abs(by_slope), 1e-300))
        before = float(missed @ missed)
        while share > 1e-6:
            trial = pull + share * by_pull, slope + share * by_slope
            reaches, jacobian = _polygon(*trial, ahead, lowest, strand.strain)
            missed = target - reaches.sum(axis=0)
            if float(missed @ missed) < before:
                break
            share *= 0.5
        else:
            return reaches if before < (1e3 * CLOSED * size) ** 2 else None
        pull, slope = trial
    return None


def _polygon(
    pull: float, slope: float, ahead: Array, lowest: int, strain: float
) -> tuple[Array, Array]:
    """Return the reaches of the segments (n, 2), and the derivative of their sum (2, 2).

    The derivative is by pull and slope of the lowest segment.
    """
    unit = np.array([math.cos(slope), math.sin(slope)])
    across = np.array([-unit[1], unit[0]])
    force = np.empty((ahead.size, 2))
    force[:, 0] = pull * unit[0]
    force[:, 1] = pull * unit[1] + ahead
    size = np.hypot(force[:, 0], force[:, 1])
    size[lowest] = 1.0
    stretch = 1.0 / size + strain
    reaches = stretch[:, None] * force
    cubed = size**-3
    cubed[lowest] = stretch[lowest] = 0.0
    change = stretch.sum() * np.eye(2) - (cubed[:, None] * force).T @ force
    length = 1.0 + strain * pull
    reaches[lowest] = length * unit
    columns = change @ unit + strain * unit, pull * (change @ across) + length * across
    return reaches, np.column_stack(columns)
