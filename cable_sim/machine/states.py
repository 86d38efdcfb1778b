"""States of a machine's parts as all above see them: limiters, axes, sway and wind."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

STATES = ("ok", "warning", "pending", "tripped", "latched", "bypassed", "invalid")
"""Names of a limiter's states, in the order of ``kernels/devices/limiters.py``."""


class AxisState(NamedTuple):
    """Coordinate [rad or m], speed [rad/s or m/s] and effort [N m or N], in the axis' sense.

    The effort is that of the drive at the axis.
    """

    position: float
    velocity: float
    effort: float


class Sway(NamedTuple):
    """Angles of the fall from trolley to hook against the vertical [rad], and their rates.

    They are in crane axes. ``radial`` is positive outward along the trolley's way, ``tangential``
    anticlockwise seen from above, so to the left of that way. ``length`` is the distance from the
    suspension point to the hook [m].
    """

    radial: float
    tangential: float
    radial_rate: float
    tangential_rate: float
    length: float


def speed_and_direction(velocity: ArrayLike) -> tuple[float, float]:
    """Return the speed [m/s] of a wind (3,), and the direction it blows to [rad].

    The direction is anticlockwise from above, from the world's x axis.
    """
    x, y, _ = np.asarray(velocity, float).tolist()
    return math.hypot(x, y), math.atan2(y, x)
