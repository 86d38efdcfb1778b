"""Drives of cranes of any family."""

from typing import Any

from cable_sim.cranes.parts.axes import Motion
from cable_sim.spec import Drive


def axis_drive(
    name: str, on: str, motion: Motion, *, tau: float, effort: float, brake: float, **others: Any
) -> Drive:
    """Return the drive of a motion on a joint or winch.

    ``motion`` is in the coordinate of what it is on, of a winch the rope's. The speed loop takes
    ``tau`` [s]; ``effort`` is the largest, ``brake`` what the brake holds [N or N m]; ``others``
    are further options of a Drive.
    """
    return Drive(
        name,
        on,
        max_effort=effort,
        max_speed=motion.speed,
        brake_effort=brake,
        **motion.control.of(motion.acceleration, tau),
        **others,
    )
