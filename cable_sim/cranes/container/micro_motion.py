"""Slow motions of a crane for containers: skew and trim of the spreader by its ropes, and the turn
of the wheels that it travels on."""

import math

from cable_sim.cranes.crane import Axis, WheelTurn
from cable_sim.cranes.parts.axes import Trade, carriage_axis
from cable_sim.spec import Carriage
from cable_sim.spec.quantities import Positive, Vector, spec

RIGHT_ANGLE = 0.5 * math.pi


@spec
class MicroMotion:
    """Micro-motion of the upper ends of the ropes on what carries them, all together.

    Parameters
    ----------
    skew_deg: largest turn about the vertical, to either side [deg].
    trim_m: largest way along y, to either side [m].
    rate_deg_s, rate_m_s: their speeds [deg/s, m/s].
    """

    skew_deg: Positive = 5.0
    trim_m: Positive = 0.3
    rate_deg_s: Positive = 1.0
    rate_m_s: Positive = 0.03

    def carriages(self, body: str, ropes: tuple[str, ...], point: Vector) -> tuple[Carriage, ...]:
        """Return the frames on a body that carry the ropes: one turns about a point in the world
        [m], and one slides."""
        turn = math.radians(self.skew_deg)
        rate = math.radians(self.rate_deg_s)
        way = self.trim_m
        along = (0.0, 1.0, 0.0)
        return (
            Carriage("skew", "turn", body, ropes, -turn, turn, rate, point=point),
            Carriage("trim", "slide", body, ropes, -way, way, self.rate_m_s, along),
        )

    def axes(self) -> tuple[Axis, ...]:
        """Return skew and trim."""
        turn = math.radians(self.skew_deg)
        rate = math.radians(self.rate_deg_s)
        slide = (-self.trim_m, self.trim_m)
        return (
            carriage_axis("skew", "rad", "anticlockwise from above", (-turn, turn), rate),
            carriage_axis("trim", "m", "along +y", slide, self.rate_m_s, Trade("mm/s", 1e3)),
        )


@spec
class Wheels:
    """Wheels that turn by 90 degrees on the spot, for travel across their rail or runway: time that
    they take [s]."""

    turn_time: Positive = 60.0

    def carriage(self, body: str) -> Carriage:
        """Return the carriage that stands for the wheels' angle; it carries nothing."""
        speed = RIGHT_ANGLE / self.turn_time
        return Carriage("wheel_turn", "turn", body, (), 0.0, RIGHT_ANGLE, speed)

    def axis(self) -> Axis:
        """Return the axis of the wheels' angle from the runway."""
        speed = RIGHT_ANGLE / self.turn_time
        way = (0.0, RIGHT_ANGLE)
        return carriage_axis("wheel_turn", "rad", "from the runway to the girders", way, speed)

    def turn(self, joint: str, drive: str, along: Vector) -> WheelTurn:
        """Return the joint and drive of the travel, and its directions at either end of the turn;
        ``along`` is the level one of the joint, a unit vector."""
        x, y, z = along
        return WheelTurn("wheel_turn", joint, drive, along, (y, -x, z))
