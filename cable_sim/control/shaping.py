"""Input shapers: a move is cut into parts that start at different times, so that the sways they leave cancel.

An impulse of acceleration leaves a sway of frequency w and damping ratio z. With w_d = w sqrt(1 - z^2) and
K = exp(-pi z / sqrt(1 - z^2)), half a period pi / w_d later the same impulse times K cancels it (Singer and Seering
1990):

    ZV:   shares (1, K) / (1 + K)               at 0, pi / w_d
    ZVD:  shares (1, 2 K, K^2) / (1 + K)^2      at 0, pi / w_d, 2 pi / w_d

ZVD is ZV twice, and has zero slope over w as well. Undamped, a load of frequency w' keeps |cos(pi w' / (2 w))| of the
unshaped sway under ZV, and the square of it under ZVD.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

Move = Callable[[float], tuple[float, float, float]]
"""Way, speed and acceleration of a time [m, m/s, m/s^2, or rad]."""


class Shaper(NamedTuple):
    """Shares of a move [-], which sum to 1, and when each of them starts [s]."""

    shares: tuple[float, ...]
    delays: tuple[float, ...]

    @property
    def longer(self) -> float:
        """By how much a shaped move takes longer [s]."""
        return self.delays[-1]

    def __call__(self, move: Move) -> Move:
        """The shaped move."""

        def shaped(time: float) -> tuple[float, float, float]:
            way = speed = acceleration = 0.0
            for share, delay in zip(self.shares, self.delays, strict=True):
                if time > delay:
                    part = move(time - delay)
                    way, speed = way + share * part[0], speed + share * part[1]
                    acceleration += share * part[2]
            return way, speed, acceleration

        return shaped


NONE = Shaper((1.0,), (0.0,))
"""Leaves a move as it is."""


def zv(period: float, damping_ratio: float = 0.0) -> Shaper:
    """Zero vibration, for a sway of that period [s]."""
    keep = _kept(damping_ratio)
    return Shaper((1.0 / (1.0 + keep), keep / (1.0 + keep)), (0.0, 0.5 * period))


def zvd(period: float, damping_ratio: float = 0.0) -> Shaper:
    """Zero vibration and derivative, for a sway of that period [s]."""
    keep = _kept(damping_ratio)
    total = (1.0 + keep) ** 2
    return Shaper((1.0 / total, 2.0 * keep / total, keep**2 / total), (0.0, 0.5 * period, period))


def _kept(damping_ratio: float) -> float:
    """K: amplitude after half a period over that before."""
    return math.exp(-math.pi * damping_ratio / math.sqrt(1.0 - damping_ratio**2))
