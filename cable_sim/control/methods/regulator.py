"""Feedback of a swinging load: a linear-quadratic regulator, and a sway observer for a slow, late
camera.

The load as a mass on falls of length l below a trolley, or a point of a jib, that is moved with the
acceleration a:

    theta'' = -(g / l) theta - a / l

with theta positive to the side where positive a points. With s = l theta [m] and time counted in 1
/ w, w^2 = g / l,

    x'' = u,    s'' = -s - u,    u = a / w^2:

the same for all cranes, so that one gain is right for all lengths (:data:`SCALED`).
"""

import math
from collections import deque

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SCALED = (
    np.array(
        [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -1.0, 0.0]]
    ),
    np.array([0.0, 1.0, 0.0, -1.0]),
)
"""A (4, 4) and b (4,) of x' = A x + b u for the state (x, x' / w, s, s' / w) [m] and u = a / w^2
[m]."""


def regulator(state: ArrayLike, enters: ArrayLike, weights: ArrayLike, effort: float) -> Array:
    """Return the gain K (n,) of  u = -K x  for  x' = A x + b u  with the least integral of  x^T Q x
    + r u^2.

    ``state`` is A (n, n), ``enters`` b (n,), ``weights`` Q (n, n), ``effort`` r.
    """
    from scipy.linalg import solve_continuous_are  # slow to import

    b = np.asarray(enters, float)[:, None]
    found = solve_continuous_are(
        np.asarray(state, float), b, np.asarray(weights, float), np.array([[effort]])
    )
    return np.asarray(b.T @ found)[0] / effort


class SwayObserver:
    """Observer of the error of a sway model, from a camera that is late.

    The model knows the trolley's motion, and no other forces on the load. It is compared with the
    camera at the instant of the picture. Its error swings like a free load, about a place of rest
    that wind, or a camera that hangs askew, has put aside:

        c'' = -w^2 (c - r),    r' = 0,

    Each picture corrects c, and the same equation propagates c to the present. With the model
    linear that is the observer of the whole sway.

    Parameters
    ----------
    period: between two calls of :meth:`update` [s].
    late: age of a picture when it comes, in periods.
    settling: time constant with which a wrong estimate dies out, over 1 / w [-].
    resting: the same of the place of rest [-]; several periods of the sway, 2 pi each, or it takes
        the swing for it.

    Attributes
    ----------
    rest: place of rest r [rad].
    """

    def __init__(
        self, period: float, late: int, settling: float = 0.5, resting: float = 15.0
    ) -> None:
        self._period = period
        self._late = late
        self._settling = settling
        self._slow = (0.5 * settling + 1.0 / settling) / resting
        self._lacks = 0.0
        self._rate = 0.0
        self.rest = 0.0
        self._models: deque[float] = deque([0.0] * (late + 1), maxlen=late + 1)

    def update(
        self, model: float, frequency: float, seen: float | None, since: float
    ) -> tuple[float, float]:
        """Return the model's error of the swing about its place of rest [rad], and of its rate
        [rad/s], now.

        ``model`` is its sway now [rad], ``frequency`` w [rad/s]; ``seen`` the camera's newest
        picture of the sway [rad], None between pictures, and ``since`` the time between that and
        the one before [s].
        """
        self._models.append(model)
        self._lacks, self._rate = self._predict_error(frequency, self._period)
        if seen is not None:
            off = seen - self._models[0] - self._lacks
            gain = 1.0 - math.exp(-2.0 * frequency * since / self._settling)
            self._lacks += gain * off
            self._rate += gain**2 / (2.0 * since) * off
            self.rest += gain * self._slow * off
        lacks, rate = self._predict_error(frequency, self._late * self._period)
        return lacks - self.rest, rate

    def _predict_error(self, frequency: float, time: float) -> tuple[float, float]:
        """Return the model's error [rad] and its rate [rad/s] a time [s] later."""
        cos = math.cos(frequency * time)
        sin = math.sin(frequency * time)
        swing = self._lacks - self.rest
        return (
            self.rest + cos * swing + sin / frequency * self._rate,
            cos * self._rate - frequency * sin * swing,
        )
