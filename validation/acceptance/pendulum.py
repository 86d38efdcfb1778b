"""A point mass on a rigid rod below a pivot that moves as told: the reference of scenarios of sway.

With d from the pivot to the mass, |d| = L, and the pivot's motion P(t):

    r'' = g + lambda d,        lambda = -(|d'|^2 + d . (g - P'')) / L^2

by differentiating d . d = L^2 twice. Integrated in the world's axes by an explicit method of order
8 to 1e-9.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

SAMPLING = 0.02
"""Time between samples [s]."""


class Swing(NamedTuple):
    """Times (n,) [s], and angles (n,) of the rod from the vertical [rad]: ``along`` and ``across``
    the crane's way."""

    time: Array
    along: Array
    across: Array

    @property
    def total(self) -> Array:
        """Angle of the rod from the vertical [rad]."""
        return np.arctan(np.hypot(np.tan(self.along), np.tan(self.across)))

    def samples_after(self, time: float) -> "Swing":
        """The samples from a time [s] on."""
        return Swing(*(values[self.time >= time] for values in self))


class Pivot(NamedTuple):
    """Place, velocity and acceleration of the pivot (3,) [m, m/s, m/s^2] at a time, and heading of
    the crane's way [rad].

    The heading counts from the world's x axis.
    """

    position: Array
    velocity: Array
    acceleration: Array
    heading: float


def swing(pivot: Callable[[float], Pivot], length: float, duration: float) -> Swing:
    """The sway of a mass that hangs at rest below a pivot which begins to move [rad]."""
    from scipy.integrate import solve_ivp

    gravity = np.array([0.0, 0.0, -GRAVITY])

    def rates(time: float, y: Array) -> Array:
        at = pivot(time)
        d = y[:3] - at.position
        rate = y[3:] - at.velocity
        pull = -(rate @ rate + d @ (gravity - at.acceleration)) / (d @ d)
        return np.concatenate([y[3:], gravity + pull * d])

    start = pivot(0.0)
    y = np.concatenate([start.position - [0.0, 0.0, length], np.zeros(3)])
    time = np.arange(0.0, duration, SAMPLING)
    solved = solve_ivp(
        rates, (0.0, duration), y, "DOP853", time, rtol=1e-9, atol=1e-9, max_step=0.25
    )
    along = np.empty(time.size)
    across = np.empty(time.size)
    for i, t in enumerate(time):
        at = pivot(t)
        d = solved.y[:3, i] - at.position
        cos = math.cos(at.heading)
        sin = math.sin(at.heading)
        along[i] = math.atan2(cos * d[0] + sin * d[1], -d[2])
        across[i] = math.atan2(cos * d[1] - sin * d[0], -d[2])
    return Swing(time, along, across)


class Trapezoid(NamedTuple):
    """A speed that ramps up, stays, and ramps down: speed [rad/s or m/s], times of ramps and cruise
    [s]."""

    speed: float
    up: float
    cruise: float
    down: float

    @property
    def stops(self) -> float:
        """Return the time at which the motion is at rest again [s]."""
        return self.up + self.cruise + self.down

    def at(self, time: float) -> tuple[float, float, float]:
        """Way, speed and acceleration at a time [s]."""
        begin = self.up + self.cruise
        last = time - self.up - self.cruise
        if time < self.up:
            rate = self.speed / self.up
            return 0.5 * rate * time**2, rate * time, rate
        if time < begin:
            return self.speed * (time - 0.5 * self.up), self.speed, 0.0
        way = self.speed * (begin - 0.5 * self.up)
        rate = self.speed / self.down
        if time < self.stops:
            return way + self.speed * last - 0.5 * rate * last**2, self.speed - rate * last, -rate
        return way + 0.5 * self.speed * self.down, 0.0, 0.0


def circular_pivot(radius: float, profile: Trapezoid) -> Callable[[float], Pivot]:
    """A pivot at a radius [m] on a jib that slews by a profile."""

    def at(time: float) -> Pivot:
        angle, rate, change = profile.at(time)
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        left = np.array([-out[1], out[0], 0.0])
        return Pivot(
            radius * out, radius * rate * left, radius * (change * left - rate**2 * out), angle
        )

    return at


def linear_pivot(
    profile: Callable[[float], tuple[float, float, float]],
) -> Callable[[float], Pivot]:
    """A pivot that goes along x by a profile: way, speed, acceleration of a time [s]."""
    along = np.array([1.0, 0.0, 0.0])

    def at(time: float) -> Pivot:
        way, rate, change = profile(time)
        return Pivot(way * along, rate * along, change * along, 0.0)

    return at
