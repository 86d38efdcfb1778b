"""Planned motion of an axis: coordinate, speed and acceleration as functions of time.

A move over the distance d with the speed v and the acceleration a ramps up in v / a, cruises, and
ramps down. If d is shorter than v^2 / a, it never gets to v: its highest speed is sqrt(a d).
"""

import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Profile(Protocol):
    """Way, speed and acceleration at a time [m, m/s, m/s^2, or rad]; constant before its start and
    after its end."""

    def __call__(self, time: float, /) -> tuple[float, float, float]:
        """The three at that time [s]."""


class Ramps(NamedTuple):
    """A trapezoidal move from rest to rest over ``distance`` [m or rad], of either sign.

    ``speed`` and ``acceleration`` are the largest that it may have, and positive; it begins at
    ``start`` [s].
    """

    distance: float
    speed: float
    acceleration: float
    start: float = 0.0

    @property
    def highest(self) -> float:
        """Highest speed that it gets to [m/s or rad/s]."""
        return min(self.speed, math.sqrt(self.acceleration * abs(self.distance)))

    @property
    def ramp(self) -> float:
        """Return the time to reach the highest speed [s]."""
        return self.highest / self.acceleration

    @property
    def duration(self) -> float:
        """Return the time from rest to rest [s]."""
        highest = self.highest
        return abs(self.distance) / highest + highest / self.acceleration if self.distance else 0.0

    @property
    def end(self) -> float:
        """Return the time at which the axis is at rest again [s]."""
        return self.start + self.duration

    def __call__(self, time: float) -> tuple[float, float, float]:
        """Way, speed and acceleration at a time [s]."""
        passed = time - self.start
        left = self.end - time
        if passed <= 0.0:
            return 0.0, 0.0, 0.0
        if left <= 0.0:
            return self.distance, 0.0, 0.0
        sense = math.copysign(1.0, self.distance)
        a = self.acceleration
        highest = self.highest
        ramp = highest / a
        if passed < ramp:
            return sense * 0.5 * a * passed**2, sense * a * passed, sense * a
        if left < ramp:
            return self.distance - sense * 0.5 * a * left**2, sense * a * left, -sense * a
        return sense * highest * (passed - 0.5 * ramp), sense * highest, 0.0


def total(profiles: Iterable[Profile], start: float = 0.0) -> Profile:
    """Several moves of one axis, one on top of the other; before them it stands at ``start`` [m or
    rad]."""
    parts = tuple(profiles)

    def at(time: float) -> tuple[float, float, float]:
        way = start
        speed = 0.0
        acceleration = 0.0
        for part in parts:
            more = part(time)
            way = way + more[0]
            speed = speed + more[1]
            acceleration = acceleration + more[2]
        return way, speed, acceleration

    return at
