"""Axes of carriages, on several kinds of cranes."""

import math
from typing import NamedTuple

from cable_sim.cranes.crane import Axis


class Trade(NamedTuple):
    """Unit in which operators give a speed, and its value over that in m/s or rad/s [-]."""

    unit: str
    factor: float


DEGREES_PER_SECOND = Trade("deg/s", math.degrees(1.0))
AT_ONCE = 0.01
"""Ramp time that machines assume for carriages, which have no ramp [s]."""


def carriage_axis(
    name: str,
    unit: str,
    positive: str,
    limits: tuple[float, float],
    speed: float,
    trade: Trade = DEGREES_PER_SECOND,
) -> Axis:
    """Return the axis of a carriage of its name, with a largest speed [units/s].

    ``limits`` are the ends of its coordinate [m or rad].
    """
    return Axis(name, name, name, unit, positive, *limits, speed, speed / AT_ONCE, *trade)
