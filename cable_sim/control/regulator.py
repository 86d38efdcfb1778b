"""Feedback of a swinging load: a linear-quadratic regulator, and an observer for what a slow camera sees late.

The load as a mass on falls of length L below a trolley, or a point of a jib, that is moved with the acceleration a:

    theta'' = -(g / L) theta - a / L

with theta positive to the side where positive a points.
"""

import math
from collections import deque

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]


def regulator(state: ArrayLike, enters: ArrayLike, weights: ArrayLike, effort: float) -> Array:
    """Feedback K (n,) of  u = -K x  for  x' = A x + b u  that makes the integral of  x^T Q x + r u^2  least.

    ``state`` is A (n, n), ``enters`` b (n,), ``weights`` Q (n, n), ``effort`` r.
    """
    from scipy.linalg import solve_continuous_are  # slow to import

    b = np.asarray(enters, float)[:, None]
    found = solve_continuous_are(np.asarray(state, float), b, np.asarray(weights, float), np.array([[effort]]))
    return np.asarray(b.T @ found)[0] / effort


class SwayObserver:
    """Sway and its rate now, from a camera that is late, and from the acceleration of the trolley, which is not.

    It follows the model up to the instant that the camera saw, corrects it by what was seen, and goes on with the
    accelerations since then.

    Parameters
    ----------
    length: of the falls [m].
    period: between two calls of :meth:`update` [s].
    delay: of the camera [s], a multiple of the period.
    settling: time constant with which a wrong estimate dies out [s].
    """

    def __init__(self, length: float, period: float, delay: float, settling: float = 0.5) -> None:
        frequency, self._settling = math.sqrt(GRAVITY / length), settling
        cos, sin = math.cos(frequency * period), math.sin(frequency * period)
        self._turn = np.array([[cos, sin / frequency], [-frequency * sin, cos]])
        self._push = np.array([(cos - 1.0) / GRAVITY, -frequency * sin / GRAVITY])
        self._late = np.zeros(2)
        self._since: deque[float] = deque([0.0] * round(delay / period), maxlen=round(delay / period))

    def update(self, acceleration: float, seen: float | None, interval: float) -> Array:
        """Sway [rad] and its rate (2,) now.

        ``acceleration`` is that of the trolley in the last period [m/s^2]; ``seen`` the newest sway of the camera
        [rad], None between its pictures, which come every ``interval`` [s].
        """
        self._late = self._turn @ self._late + self._push * self._since[0]
        self._since.append(acceleration)
        if seen is not None:
            gain = 1.0 - math.exp(-2.0 * interval / self._settling)
            off = seen - self._late[0]
            self._late = self._late + off * np.array([gain, gain**2 / (2.0 * interval)])
        now = self._late
        for pushed in self._since:
            now = self._turn @ now + self._push * pushed
        return np.asarray(now)
