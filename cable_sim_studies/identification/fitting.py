"""Least squares over the parameters of a crane, from several starts.

A bounce whose frequency is wrong is out of phase after some periods, and from there on residuals
tell a fit nothing. So each start is fitted to the beginning of the recordings first, and then to
longer ones. What a beginning finds is used if it fits the whole better.

The search ends where the residuals are those of the sensors: no other minimum could be better.
Otherwise the best of some points between the bounds are further starts.
Positive parameters are fitted by their logarithm, so that a factor of two is the same step at any
value.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import qmc

from cable_sim.errors import CableSimError
from cable_sim_studies.identification.comparison import Comparison
from cable_sim_studies.identification.parameters import Parameter

Array = NDArray[np.float64]
GOOD = 1.2
"""Mean square of the residuals [-] up to which the recording is explained by sensor errors."""
BEGINNINGS = (1.0 / 9.0, 1.0 / 3.0)
"""Parts of the recordings [-] that are fitted before the whole, each three times as long."""
POINTS = 4
"""Points between the bounds that are tried for each further start."""
TOLERANCE = 1e-5
"""Relative decrease of the cost, or of the parameters, at which a fit ends."""
MOST_STEPS = 40
"""Largest number of trials of one fit."""
SAME = 0.01
"""Relative difference of costs up to which two starts have ended alike."""


class Step(NamedTuple):
    """Step of a fit: its start (from 1), steps so far, mean square of the residuals [-], and the
    values (p,) of the parameters in their units."""

    start: int
    number: int
    mean_square: float
    values: Array


Progress = Callable[[Step], None]


class Fit(NamedTuple):
    """End of the best fit.

    ``values`` (p,) in the units of the parameters, ``residuals`` (n,) [-], ``jacobian`` (n, p) in
    1 / their units, and ``costs``, half the sum of squares [-], of every start.
    """

    values: Array
    residuals: Array
    jacobian: Array
    costs: tuple[float, ...]

    @property
    def agreeing(self) -> int:
        """Return the number of starts that ended at the best cost."""
        return sum(cost <= (1.0 + SAME) * min(self.costs) for cost in self.costs)


class _Scale:
    """Map between parameters and what is fitted: logarithms of those that are positive."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self.low = np.array([one.low for one in parameters], float)
        self.high = np.array([one.high for one in parameters], float)
        self.log = self.low > 0.0

    def fitted(self, values: Array) -> Array:
        """Return what is fitted (p,) for values in the units of the parameters."""
        return np.where(self.log, np.log(np.where(self.log, values, 1.0)), values)

    def values(self, fitted: Array) -> Array:
        """Return the values (p,) in the units of the parameters."""
        back = np.where(self.log, np.exp(np.where(self.log, fitted, 0.0)), fitted)
        return np.clip(back, self.low, self.high)

    def slopes(self, values: Array) -> Array:
        """Return the derivatives (p,) of the values by what is fitted."""
        return np.where(self.log, values, 1.0)


def fit(comparison: Comparison, starts: int, seed: int, progress: Progress) -> Fit:
    """Return the best fit from up to so many starts, of which the first is the parameters' own."""
    scale = _Scale(comparison.parameters)
    own = np.array([one.start for one in comparison.parameters], float)
    ends = [_fit_from(comparison, scale, own, 1, progress)]
    further: list[Array] = []
    while len(ends) < starts and _mean_square(ends[-1][1], comparison) > GOOD:
        further = further or _further(comparison, scale, starts - 1, seed)
        start = further[len(ends) - 1]
        ends.append(_fit_from(comparison, scale, start, len(ends) + 1, progress))
    best = min(ends, key=lambda end: float(end[1] @ end[1]))
    costs = tuple(0.5 * float(residuals @ residuals) for _, residuals in ends)
    return Fit(*best, comparison.jacobian(best[0]), costs)


def _mean_square(residuals: Array, comparison: Comparison) -> float:
    """Return the mean square [-] of residuals (n,), of those that are independent."""
    return float(residuals @ residuals) / comparison.rows


def _fit_from(
    comparison: Comparison, scale: _Scale, start: Array, number: int, progress: Progress
) -> tuple[Array, Array]:
    """Return the values (p,) and residuals (n,) of the minimum that a start leads to."""
    count = itertools.count(1)

    def done(mean_square: float, values: Array) -> None:
        progress(Step(number, next(count), mean_square, values))

    at = start
    runs = any(not one.sensor for one in comparison.parameters)
    for share in BEGINNINGS if runs else ():
        with closing(comparison.beginning(share)) as part:
            found, _ = _minimum(part, scale, at, done)
        comparison.runs += part.runs
        before, after = comparison.costs([at, found])
        at = found if after < before else at
    return _minimum(comparison, scale, at, done)


def _minimum(
    comparison: Comparison, scale: _Scale, start: Array, progress: Callable[[float, Array], None]
) -> tuple[Array, Array]:
    """Return the values (p,) and residuals (n,) of the minimum next to a start.

    ``progress`` gets the mean square [-] and the values of each step.
    """

    def residuals(fitted: Array) -> Array:
        return comparison.residuals(scale.values(fitted))

    def jacobian(fitted: Array) -> Array:
        values = scale.values(fitted)
        mean_square = _mean_square(comparison.residuals(values), comparison)
        progress(mean_square, values)
        return comparison.jacobian(values) * scale.slopes(values)

    bounds = scale.fitted(scale.low), scale.fitted(scale.high)
    begin = np.clip(scale.fitted(start), *_inside(*bounds))
    found = least_squares(
        residuals,
        begin,
        jacobian,
        bounds=bounds,
        x_scale="jac",
        ftol=TOLERANCE,
        xtol=TOLERANCE,
        gtol=1e-12,
        max_nfev=MOST_STEPS,
    )
    if not np.isfinite(found.fun).all():
        raise CableSimError("identification: the residuals are not finite numbers")
    return scale.values(found.x), found.fun


def _inside(low: Array, high: Array) -> tuple[Array, Array]:
    """Return bounds (p,) a little inside of others, as far as these are finite."""
    width = np.where(np.isfinite(high - low), high - low, 0.0)
    return low + 1e-6 * width, high - 1e-6 * width


def _further(comparison: Comparison, scale: _Scale, count: int, seed: int) -> list[Array]:
    """Return further starts (p,): the best of some points that fill the bounds evenly."""
    low, high = scale.fitted(scale.low), scale.fitted(scale.high)
    own = scale.fitted(np.array([one.start for one in comparison.parameters], float))
    open_ = ~np.isfinite(high - low)
    low, high = np.where(open_, own - 1.0, low), np.where(open_, own + 1.0, high)
    sampler = qmc.LatinHypercube(len(low), seed=seed)
    points = low + sampler.random(POINTS * count) * (high - low)
    points[:, open_] = own[open_]
    candidates = [scale.values(point) for point in points]
    costs = comparison.costs(candidates)
    return [candidates[i] for i in np.argsort(costs)[:count]]
