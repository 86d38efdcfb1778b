"""Input shapers: a move is cut into parts that start at different times, so that the sways they
leave cancel.

An impulse of acceleration leaves a sway of frequency w and damping ratio z. With w_d = w sqrt(1 -
z^2) and K = exp(-pi z / sqrt(1 - z^2)), half a period pi / w_d later the same impulse times K
cancels it (Singer and Seering 1990). Shares at 0, pi / w_d, 2 pi / w_d and so on:

    ZV:    (1, K) / (1 + K)
    ZVD:   (1, 2 K, K^2) / (1 + K)^2                  ZV twice: zero slope over w as well
    ZVDD:  (1, 3 K, 3 K^2, K^3) / (1 + K)^3           three times: zero curvature, too
    EI:    (p, r K, p K^2) / N,     p = (1 + V') / 4,   r = (1 - V') / 2,   N = p + r K + p K^2

*EI, extra-insensitive* (Singhose, Seering and Singer 1994), leaves a tolerable share V of the sway
where it is tuned to and none at a frequency on either side. After its last impulse a load of the
frequency it is tuned to sways by the share V of what one impulse of the whole makes of it at first,

    K^2 |p - r + p| / N = K^2 V' / N = V,     so     V' = V (1 + K)^2 / (4 K^2 - V (1 - K)^2).

Undamped V' = V, and a load of another frequency w' keeps the share |(1 + V) cos(pi w' / w) + (1 -
V)| / 2: V with zero slope at w, and no more than V as long as cos(pi w' / w) <= (3 V - 1) / (1 +
V), which is +-20 % for V = 5 %. With damping the impulses of the printed fits are not quite half a
period apart; these are, and instead of the zeros on either side there are minima. Undamped, ZV
keeps |cos(pi w' / (2 w))|, ZVD the square and ZVDD the third power.

All shares are positive and sum to 1. So a shaped move is nowhere faster than the move, and
accelerates no harder. A linear lag of the drive behind it delays the parts alike and does no harm;
clipped ramps would.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from cable_sim.control.profiles import Profile
from cable_sim.errors import SpecError


class Shaper(NamedTuple):
    """Shares of a move [-], which sum to 1, and when each of them starts [s]."""

    shares: tuple[float, ...]
    delays: tuple[float, ...]

    @property
    def longer(self) -> float:
        """Return the time by which a shaped move takes longer [s]."""
        return self.delays[-1]

    def __call__(self, move: Profile) -> Profile:
        """The shaped move."""

        def shaped(time: float) -> tuple[float, float, float]:
            way = speed = acceleration = 0.0
            for share, delay in zip(self.shares, self.delays, strict=True):
                if time > delay:
                    part = move(time - delay)
                    way = way + share * part[0]
                    speed = speed + share * part[1]
                    acceleration += share * part[2]
            return way, speed, acceleration

        return shaped


NONE = Shaper((1.0,), (0.0,))
"""Shaper that leaves a move as it is."""


def zv(period: float, damping_ratio: float = 0.0) -> Shaper:
    """Zero vibration, for a sway of that period [s]."""
    return _repeat_zv(1, period, damping_ratio)


def zvd(period: float, damping_ratio: float = 0.0) -> Shaper:
    """Zero vibration and derivative, for a sway of that period [s]."""
    return _repeat_zv(2, period, damping_ratio)


def zvdd(period: float, damping_ratio: float = 0.0) -> Shaper:
    """Zero vibration and two derivatives, for a sway of that period [s]."""
    return _repeat_zv(3, period, damping_ratio)


def ei(period: float, damping_ratio: float = 0.0, tolerable: float = 0.05) -> Shaper:
    """Extra-insensitive, for a sway of that period [s], with the share of it that may be left [-].

    SpecError for a share that is too large for the damping.
    """
    keep = _decay(damping_ratio)
    most = 2.0 * keep**2 / (1.0 + keep**2)
    if not 0.0 <= tolerable < most:
        raise SpecError(
            f"tolerable: must be within 0 ... {most:.4g} with this damping, not {tolerable:g}"
        )
    left = tolerable * (1.0 + keep) ** 2 / (4.0 * keep**2 - tolerable * (1.0 - keep) ** 2)
    outer = 0.25 * (1.0 + left)
    inner = 0.5 * (1.0 - left)
    return _shaper((outer, inner * keep, outer * keep**2), period)


SHAPERS: dict[str, Callable[[float, float], Shaper]] = {
    "zv": zv,
    "zvd": zvd,
    "zvdd": zvdd,
    "ei": ei,
}
"""Shapers by name, of a period [s] and a damping ratio [-]."""


def _repeat_zv(times: int, period: float, damping_ratio: float) -> Shaper:
    """ZV, repeated a number of times."""
    keep = _decay(damping_ratio)
    return _shaper(tuple(math.comb(times, i) * keep**i for i in range(times + 1)), period)


def _shaper(parts: tuple[float, ...], period: float) -> Shaper:
    """Parts half a period apart [s]."""
    return Shaper(
        tuple(part / sum(parts) for part in parts),
        tuple(0.5 * i * period for i in range(len(parts))),
    )


def _decay(damping_ratio: float) -> float:
    """K: amplitude after half a period over that before."""
    return math.exp(-math.pi * damping_ratio / math.sqrt(1.0 - damping_ratio**2))
