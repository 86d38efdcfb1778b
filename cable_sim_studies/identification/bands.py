r"""Covariance of identified parameters, confidence bands and correlations.

About the minimum the residuals are e(p) = e + J (p - p_found), so that an error of the recording
e shifts the minimum by -(J' J)^-1 J' e. With the scores s_k = J_k e_k of all rows k,

    cov = (J' J)^-1 S (J' J)^-1,    S = sum_k s_k s_k' + sum_l w_l sum_k (s_k s_{k-l}' + transposed)

with w_l = 1 - l / (L + 1), as Newey and West weigh lags. With white residuals of variance 1 it
becomes (J' J)^-1; residuals that stay, such as those of a wrong model, count for fewer. L is twice
the lag at which the residuals' correlation is gone. Each variance is at least that of the white
errors that the sensors have. Rows are those of one signal of one lift, in time, with the weights
that coarse signals have (``comparison.py``).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NORMAL_95 = 1.959964
"""Half the width of a band of 95 % over the standard deviation."""
TOLD_APART = 0.95
"""Amount of a correlation from which on two parameters cannot be told apart."""
MOST_LAGS = 0.1
"""Largest lag over the number of rows."""


class Bands(NamedTuple):
    """Uncertainty of p parameters.

    ``sigma`` (p,) are standard deviations in the units of the parameters, ``correlation`` (p, p)
    has no unit, and ``lags`` are the rows over which the residuals of each piece were correlated.
    """

    sigma: Array
    correlation: Array
    lags: tuple[int, ...]

    def interval(self, i: int, value: float) -> tuple[float, float]:
        """Return the band of 95 % about the value of parameter i, in its unit."""
        half = NORMAL_95 * float(self.sigma[i])
        return value - half, value + half


def bands_of(jacobian: Array, residuals: Array, sizes: Sequence[int]) -> Bands:
    """Return the uncertainty of parameters.

    Parameters
    ----------
    jacobian: derivatives (n, p) of the residuals by the parameters, in 1 / their units.
    residuals: residuals (n,) at the minimum [-].
    sizes: rows of each piece, in the order of the residuals; those beyond are of priors.
    """
    scale = np.linalg.norm(jacobian, axis=0)
    scale[scale == 0.0] = 1.0
    unit = jacobian / scale
    inverse = np.linalg.pinv(unit.T @ unit, rcond=1e-13, hermitian=True)
    middle = np.zeros_like(inverse)
    lags = []
    end = 0
    for size in sizes:
        rows = slice(end, end + size)
        lags.append(correlated_lags(residuals[rows]))
        middle += long_run(unit[rows] * residuals[rows, None], lags[-1])
        end += size
    middle += unit[end:].T @ unit[end:]
    covariance = inverse @ middle @ inverse
    white = np.sqrt(np.diag(inverse))
    found = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    deviation = np.where(found > 0.0, found, 1.0)
    correlation = np.clip(covariance / np.outer(deviation, deviation), -1.0, 1.0)
    sigma = np.maximum(found, white) / scale
    sigma[np.linalg.norm(jacobian, axis=0) == 0.0] = math.inf
    return Bands(sigma, correlation, tuple(lags))


def correlated_lags(residuals: Array) -> int:
    """Return the lag [rows] over which residuals (n,) are correlated: twice that at which it ends.

    It is 0 for white residuals, and at most a tenth of the rows.
    """
    n = len(residuals)
    limit = 2.0 / math.sqrt(max(n, 1))
    most = int(MOST_LAGS * n)
    power = float(residuals @ residuals)
    if power == 0.0:
        return 0
    for lag in range(1, most + 1):
        if float(residuals[lag:] @ residuals[:-lag]) / power < limit:
            return 2 * (lag - 1)
    return most


def long_run(scores: Array, lags: int) -> Array:
    """Return the covariance (p, p) [units of the scores, squared] of the sum of scores (n, p)."""
    total: Array = scores.T @ scores
    for lag in range(1, lags + 1):
        weight = 1.0 - lag / (lags + 1.0)
        cross = scores[lag:].T @ scores[:-lag]
        total = total + weight * (cross + cross.T)
    return total
