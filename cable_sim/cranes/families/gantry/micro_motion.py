"""Slow motions of a rubber-tyred gantry: skew and trim of the spreader by its ropes, and the turn
of its wheels."""

import math

from cable_sim.cranes.crane import Axis, WheelTurn
from cable_sim.cranes.parts.axes import DEGREES_PER_SECOND, Motion, Trade, axis_of_motion
from cable_sim.spec import Carriage
from cable_sim.spec.quantities import Positive, Vector, spec

ALONG_GIRDERS: Vector = (1.0, 0.0, 0.0)
ALONG_RUNWAY: Vector = (0.0, 1.0, 0.0)


@spec
class MicroMotion:
    """Micro-motion of the upper ends of the ropes on the trolley, all together.

    Parameters
    ----------
    skew_deg: largest turn about the vertical, to either side [deg].
    trim_m: largest way along the runway, to either side [m].
    rate_deg_s, rate_m_s: their speeds [deg/s, m/s].
    """

    skew_deg: Positive = 5.0
    trim_m: Positive = 0.3
    rate_deg_s: Positive = 1.0
    rate_m_s: Positive = 0.03

    def carriages(self, ropes: tuple[str, ...], point: Vector) -> tuple[Carriage, ...]:
        """The frame on the trolley that carries the ropes: it turns about a point in the world, and
        slides [m]."""
        turn = math.radians(self.skew_deg)
        rate = math.radians(self.rate_deg_s)
        return (
            Carriage("skew", "turn", "trolley", ropes, -turn, turn, rate, point=point),
            Carriage(
                "trim",
                "slide",
                "trolley",
                ropes,
                -self.trim_m,
                self.trim_m,
                self.rate_m_s,
                ALONG_RUNWAY,
            ),
        )

    def axes(self) -> tuple[Axis, ...]:
        """Skew and trim."""
        turn = math.radians(self.skew_deg)
        rate = math.radians(self.rate_deg_s)
        slide = (-self.trim_m, self.trim_m)
        return (
            _axis("skew", "rad", "anticlockwise from above", (-turn, turn), rate),
            _axis("trim", "m", "along +y", slide, self.rate_m_s, Trade("mm/s", 1e3)),
        )


@spec
class Wheels:
    """Wheels that turn by 90 degrees on the spot, for travel along the girders: time that they take
    [s]."""

    turn_time: Positive = 60.0

    def carriage(self) -> Carriage:
        """Return the carriage that stands for the wheels' angle; it carries nothing."""
        return Carriage(
            "wheel_turn", "turn", "gantry", (), 0.0, RIGHT_ANGLE, RIGHT_ANGLE / self.turn_time
        )

    def axis(self) -> Axis:
        """Return the axis of the wheels' angle from the runway."""
        way = (0.0, RIGHT_ANGLE)
        speed = RIGHT_ANGLE / self.turn_time
        return _axis("wheel_turn", "rad", "from the runway to the girders", way, speed)

    def turn(self) -> WheelTurn:
        """Return the joint and drive of the travel, and its directions at either end of the
        turn."""
        return WheelTurn("wheel_turn", "gantry", "gantry", ALONG_RUNWAY, ALONG_GIRDERS)


def _axis(
    name: str,
    unit: str,
    positive: str,
    limits: tuple[float, float],
    speed: float,
    trade: Trade = DEGREES_PER_SECOND,
) -> Axis:
    """Return the axis of a carriage of its name, with a largest speed [m/s or rad/s]."""
    return axis_of_motion(name, unit, positive, limits, Motion(speed, speed / AT_ONCE), trade)


RIGHT_ANGLE = 0.5 * math.pi
AT_ONCE = 0.01
"""Ramp time that machines assume for carriages, which have no ramp [s]."""
