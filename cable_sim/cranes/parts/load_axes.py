"""Axes that move a load over the ground, and the course along which the first of them moves it.

A trolley's coordinate is the load's radius itself. A jib of length L that luffs to the angle q over
the horizontal, on a hinge at the radius h, has its tip at

    r = h + L cos q,    t = L sin q,    dr/dq = -L sin q,    d2r/dq2 = -L cos q.

With the drum at (r_d, t_d) and n falls, the way s of the rope from drum to tip takes rope from the
falls, or gives some, while the hoist stands. So the load's height is, but for a constant,

    z = t + s / n,    s = |(r - r_d, t - t_d)|,    dz/dq = L cos q + ((t - t_d) L cos q
                                                            - (r - r_d) L sin q) / (n s).
"""

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Course(Protocol):
    """Radius and height of a load at rest over the coordinate q of the axis that moves it
    outward."""

    @property
    def straight(self) -> bool:
        """Return True if the coordinate is the radius, and the height constant."""

    def radius(self, q: Array) -> Array:
        """Return the radius (n,) [m], or the way outward from the origin."""

    def height(self, q: Array) -> Array:
        """Return the height (n,) [m] over any level."""

    def coordinate(self, radius: Array) -> Array:
        """Return the coordinates (n,) [m or rad] of radii [m]."""

    def at(self, q: float) -> tuple[float, float, float, float]:
        """Return r [m], dr/dq, d2r/dq2 and dz/dq at one coordinate."""


class StraightCourse(NamedTuple):
    """Course of a trolley."""

    @property
    def straight(self) -> bool:
        """Return True."""
        return True

    def radius(self, q: Array) -> Array:
        """Return the coordinates (n,) [m]."""
        return q

    def height(self, q: Array) -> Array:
        """Return zeros (n,) [m]."""
        return np.zeros_like(q)

    def coordinate(self, radius: Array) -> Array:
        """Return the radii (n,) [m]."""
        return radius

    def at(self, q: float) -> tuple[float, float, float, float]:
        """Return the coordinate [m] and the derivatives [-] of a straight way."""
        return q, 1.0, 0.0, 0.0


class LuffingCourse(NamedTuple):
    """Course of a load below the tip of a jib that luffs while its hoist stands.

    Parameters
    ----------
    length: from the hinge to the tip [m].
    hinge: radius of the hinge [m].
    drum: place from which the rope leads to the tip: its radius, and its height over the hinge [m].
        None where luffing takes no rope, as if the drum were on the jib.
    falls: parts of line that carry the hook.
    lead: angle by which the tip is above the jib's line, on which q is measured [rad].
    """

    length: float
    hinge: float = 0.0
    drum: tuple[float, float] | None = None
    falls: int = 1
    lead: float = 0.0

    @property
    def straight(self) -> bool:
        """Return False."""
        return False

    def radius(self, q: Array) -> Array:
        """Return the radius of the tip (n,) [m], of luffing angles [rad]."""
        return np.asarray(self.hinge + self.length * np.cos(q + self.lead))

    def height(self, q: Array) -> Array:
        """Return the height of the load (n,), but for a constant [m]."""
        up = self.length * np.sin(q + self.lead)
        if self.drum is None:
            return np.asarray(up)
        way = np.hypot(self.radius(q) - self.drum[0], up - self.drum[1])
        return np.asarray(up + way / self.falls)

    def coordinate(self, radius: Array) -> Array:
        """Return the luffing angles (n,), 0 to pi [rad]; out of reach those of the ends."""
        share = np.clip((radius - self.hinge) / self.length, -1.0, 1.0)
        return np.asarray(np.arccos(share) - self.lead)

    def at(self, q: float) -> tuple[float, float, float, float]:
        """Return radius [m] and derivatives [m/rad]; see the head of this file."""
        out = self.length * math.cos(q + self.lead)
        up = self.length * math.sin(q + self.lead)
        radius = self.hinge + out
        rise = out
        if self.drum is not None:
            along = radius - self.drum[0]
            above = up - self.drum[1]
            rise += (above * out - along * up) / (self.falls * math.hypot(along, above))
        return radius, -up, -out, rise


class LoadAxes(NamedTuple):
    """Names of the axes that move a load over the ground; empty where there is none.

    Parameters
    ----------
    outward: along the trolley's way, x of the suspension's base.
    across: to the left of it.
    turns: whether the axis across turns base and load about the world's z axis [rad].
    course: of the load by the axis outward.
    """

    outward: str = ""
    across: str = ""
    turns: bool = False
    course: Course = StraightCourse()
