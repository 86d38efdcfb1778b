"""Game pad as the crane operator's two levers: sensor_msgs/Joy to speeds of axes."""

import math
from typing import NamedTuple

from sensor_msgs.msg import Joy

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.operator_levers import USUAL, find_levers
from cable_sim.errors import CommandError
from cable_sim.ros.command.commands import AxisSetpoint

DEAD_MAN = 0
"""Number of the button that is held while anything moves."""
DEAD_ZONE = 0.08
"""Share of a lever's travel around its middle in which it commands no motion [-]."""


class Lever(NamedTuple):
    """Assignment of an axis of the pad to an axis of the crane; ``sense`` -1 reverses it."""

    pad: int
    axis: str
    sense: float


PADS = {"sideways": 0, "outward": 1, "up": 4}
"""Axes of the pad by the crane's lever, as on cranes.

The left stick moves slewing or gantry, whichever the crane has (left is anticlockwise, and +y), and
the trolley (forward is outward), or a jib that luffs. The right stick moves the hoist: pulled back
is up, and up is negative because the rope comes in. A hand goes where the sticks go: left stick x
(right is +) and y (forward), right stick z, with forward up. The numbers are those of joy's
game_controller_node and of most pads: right stick forward is 4.
"""
_LEVERED = ", ".join(
    sorted((name for names in USUAL.values() for name in names), key=lambda name: len(name) == 1)
)
"""Usual names of axes that have levers, those of a hand last."""


def assign_levers(crane: Crane) -> tuple[Lever, ...]:
    """Return the levers for a crane: forward raises the coordinate of what goes up and down."""
    return tuple(
        Lever(PADS[lever], own.axis.name, 1.0 if lever == "up" else own.sense_of_coordinate)
        for lever, own in find_levers(crane).items()
    )


class Joystick:
    """Conversion of the pad's state into axis commands.

    Nothing moves unless the dead-man button is held. Releasing it brakes every axis once. After
    that the pad sends nothing and other sources may command.
    """

    def __init__(self, crane: Crane) -> None:
        self.levers = [(lever, crane.axis(lever.axis).max_speed) for lever in assign_levers(crane)]
        self.held = False

    def read(self, message: Joy) -> list[AxisSetpoint]:
        """Return the axis commands of one message.

        CommandError if no axis has a lever, or if the pad lacks an axis or button that is used, or
        a value for it.
        """
        if not self.levers:
            raise CommandError(f"joy: none of the axes has a lever; those that can are {_LEVERED}")
        needed = max(lever.pad for lever, _ in self.levers)
        if len(message.axes) <= needed or len(message.buttons) <= DEAD_MAN:
            raise CommandError(
                f"joy: needs {needed + 1} axes and {DEAD_MAN + 1} buttons, "
                f"not {len(message.axes)} and {len(message.buttons)}"
            )
        before = self.held
        self.held = bool(message.buttons[DEAD_MAN])
        if not self.held:
            return (
                [AxisSetpoint(lever.axis, 0.0, "speed", brake=True) for lever, _ in self.levers]
                if before
                else []
            )
        for lever, _ in self.levers:
            if not math.isfinite(message.axes[lever.pad]):
                raise CommandError(
                    f"joy: axis {lever.pad} is {message.axes[lever.pad]}; it must be -1 ... 1"
                )
        return [
            AxisSetpoint(lever.axis, lever.sense * top * shaped(message.axes[lever.pad]))
            for lever, top in self.levers
        ]


def shaped(deflection: float) -> float:
    """Return the share of full speed for a lever's deflection -1...1.

    It is 0 in the dead zone, and fine near it.
    """
    size = (min(abs(deflection), 1.0) - DEAD_ZONE) / (1.0 - DEAD_ZONE)
    return (1.0 if deflection > 0.0 else -1.0) * size * size if size > 0.0 else 0.0
