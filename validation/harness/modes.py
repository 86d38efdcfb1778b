"""Period and decay of one oscillation, measured from its samples without any theory.

A mode sampled every h seconds is phi_n = a mu^n cos(n theta + b): any three samples k steps apart
satisfy

    phi_{n+k} = tau phi_n - delta phi_{n-k},        tau = 2 mu^k cos(k theta),   delta = mu^2k.

Least squares over all n give tau and delta (Prony's method), hence theta and mu. With k a quarter
of the period the angle k theta is near pi/2, where the arc cosine is well conditioned. Rounding
errors of the samples, relative to their amplitude, are then not amplified in period and factor. The
amplitude is a second fit, of the two constants a cos b and a sin b.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CableSimError


class Mode(NamedTuple):
    """Decaying sine.

    Parameters
    ----------
    period: period [s].
    factor: amplitude over that of the step before [-].
    amplitude: amplitude of the envelope at the first sample, in the unit of the samples.
    residual: largest distance of a sample from the fitted mode, over the amplitude [-].
    """

    period: float
    factor: float
    amplitude: float
    residual: float

    def decay_rate(self, h: float) -> float:
        """Return the decay rate of the amplitude [1/s] for samples every ``h`` seconds."""
        return -math.log(self.factor) / h


def fit_mode(samples: ArrayLike, h: float) -> Mode:
    """Fit a mode to samples (n,) of any unit, every ``h`` seconds, that oscillate about zero.

    Raises CableSimError for a sample that is not finite, and for fewer than two changes of sign,
    which do not give a period. Raises CableSimError, too, if the samples are no decaying sine.
    """
    values = np.asarray(samples, dtype=float)
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values))[0])
        raise CableSimError(
            f"sample {first} of {values.size} is {values[first]}, and all have to be finite"
        )
    k = _stride(values)
    before = values[: -2 * k]
    here = values[k:-k]
    after = values[2 * k :]
    (tau, delta), *_ = np.linalg.lstsq(np.column_stack([here, -before]), after, rcond=None)
    cosine = tau / (2.0 * math.sqrt(delta)) if delta > 0.0 else math.nan
    if not abs(cosine) < 1.0:
        raise CableSimError(
            f"samples are no decaying sine: tau = {tau:.6g}, delta = {delta:.6g} over {k} steps"
        )
    theta = math.acos(cosine) / k
    factor = delta ** (0.5 / k)
    n = np.arange(values.size)
    waves = (factor**n)[:, None] * np.column_stack([np.cos(theta * n), np.sin(theta * n)])
    constants, *_ = np.linalg.lstsq(waves, values, rcond=None)
    amplitude = float(np.hypot(*constants))
    residual = float(np.abs(waves @ constants - values).max()) / amplitude
    return Mode(2.0 * math.pi * h / theta, factor, amplitude, residual)


def _stride(values: NDArray[np.float64]) -> int:
    """Return a quarter of the period, in steps."""
    changes = np.flatnonzero(np.diff(values >= 0.0))
    if changes.size < 2:
        raise CableSimError(
            f"{changes.size} changes of sign in {values.size} samples; a period needs at least 2"
        )
    return max(1, round(float(np.diff(changes).mean()) / 2.0))
