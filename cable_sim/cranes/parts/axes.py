"""Axes that several families of cranes have: straight ways on rails, and a hoist."""

import math
from typing import Any, NamedTuple

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.parts.levers import DriveControl


class Trade(NamedTuple):
    """Unit in which operators give a speed, and its value over that in m/s or rad/s [-]."""

    unit: str
    factor: float


class Motion(NamedTuple):
    """Largest speed [m/s or rad/s] and acceleration [m/s^2 or rad/s^2] of an axis, and control."""

    speed: float
    acceleration: float
    control: DriveControl = DriveControl()


METRES_PER_MINUTE = Trade("m/min", 60.0)
DEGREES_PER_SECOND = Trade("deg/s", math.degrees(1.0))
AT_ONCE = 0.01
"""Ramp time that machines assume for carriages, which have no ramp [s]."""


def axis_of_motion(
    name: str,
    unit: str,
    positive: str,
    limits: tuple[float, float],
    motion: Motion,
    trade: Trade,
    **others: Any,
) -> Axis:
    """Return the axis of a motion, whose drive and joint have its name.

    ``limits`` are the ends of its coordinate [m or rad]; the other words are those of
    :class:`Axis`.
    """
    return Axis(
        name,
        name,
        name,
        unit,
        positive,
        *limits,
        motion.speed,
        motion.acceleration,
        *trade,
        control=motion.control,
        **others,
    )


def carriage_axis(
    name: str,
    unit: str,
    positive: str,
    limits: tuple[float, float],
    speed: float,
    trade: Trade = DEGREES_PER_SECOND,
) -> Axis:
    """Return the axis of a carriage of its name, with a largest speed [units/s]."""
    return axis_of_motion(name, unit, positive, limits, Motion(speed, speed / AT_ONCE), trade)


def hoist_axis(
    limits: tuple[float, float],
    motion: Motion,
    *,
    falls: int,
    zero: float,
    reading: str,
    linear: str = "",
    trade: Trade = METRES_PER_MINUTE,
    emergency_brake: float = 0.0,
) -> Axis:
    """Return the axis of a hoist on ``falls`` parts of line with ``zero`` rope outside them [m].

    It reads a depth as an encoder at the drum does: rope paid out, less what is outside the falls,
    per fall. It knows neither of the rope's stretch nor of the falls' slope.
    """
    return axis_of_motion(
        "hoist",
        "m",
        "paying out",
        limits,
        motion,
        Trade(trade.unit, -trade.factor),
        ratio=float(falls),
        zero=zero,
        reading=reading,
        linear=linear,
        emergency_brake=emergency_brake,
    )
