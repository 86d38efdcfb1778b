"""A lifting magnet: how it touches steel, and its current, which is an axis."""

from dataclasses import replace

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.parts.axes import Trade, carriage_axis
from cable_sim.spec import Carriage, Touch
from cable_sim.spec.quantities import NonNegative, Positive, spec

NAME = "magnet"
"""Name of its axis."""
BEYOND = 1e-3
"""Way over either end that the axis may be told to go: machines end a speed so much before."""


@spec
class Magnet:
    """A lifting magnet, whose face is the underside of its hook. It is off at the start.

    All bodies and solids are steel, the ground and platforms are not. What its sides touch sticks
    to it, too.

    Parameters
    ----------
    force: pull that parts it from what its face lies on [N].
    rise_time: in which its current goes from nothing to all of it, or back [s].
    friction: on its face [-].
    """

    force: Positive
    rise_time: Positive = 1.0
    friction: NonNegative = 0.2

    def carriage(self, hook: str) -> Carriage:
        """Return the carriage that stands for its current, as a part of all of it."""
        return Carriage(NAME, "slide", hook, (), 0.0, 1.0, 1.0 / self.rise_time)

    def axis(self) -> Axis:
        """Return the axis of its current."""
        way = (-BEYOND, 1.0 + BEYOND)
        return carriage_axis(NAME, "1", "on", way, 1.0 / self.rise_time, Trade("%/s", 100.0))

    def touch(self, usual: Touch) -> Touch:
        """Return how things touch it that touch others in the usual way."""
        return replace(usual, friction=self.friction, adhesion=self.force, switch=NAME)
