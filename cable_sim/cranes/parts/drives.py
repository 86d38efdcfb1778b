"""Drives and brakes that several families of cranes have, in the words of their files."""

import math
from dataclasses import KW_ONLY
from typing import Any

from cable_sim.cranes.parts.axes import Motion
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.spec import Drive
from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class GearedHoist:
    """The part of a hoist drive between motor and drum.

    Parameters
    ----------
    ramp: time from rest to a speed that the family names [s].
    motor_inertia: of everything that turns, at the motor shaft [kg m^2].
    motor_rpm: at a speed of the rope that the family names [1/min].
    pull_factor: largest over rated pull, and over rated power [-].
    tau: time constant of the speed loop, and of positioning [s].
    control: see there.
    """

    _: KW_ONLY
    ramp: Positive
    motor_inertia: Positive
    motor_rpm: Positive
    pull_factor: Positive = 2.0
    tau: Positive = 0.15
    control: DriveControl = DriveControl()

    def inertia_at_rope(self, rope_speed: float) -> float:
        """Return its inertia as seen at the rope [kg]: ``J (omega / v)^2``, at the rope speed [m/s]
        of motor_rpm."""
        omega = self.motor_rpm * 2.0 * math.pi / 60.0
        return self.motor_inertia * (omega / rope_speed) ** 2


@spec
class Brakes:
    """Brakes of all axes.

    Parameters
    ----------
    hoist_torque_factor: holding capacity of the hoist's closed brake over rated pull [-].
    trolley_force: holding capacity of the trolley's [N].
    close_delay, open_delay: times from the command until they hold, and until they let go [s].
    emergency_torque_factor: holding capacity over rated pull of a brake on the drum that limiters
        close, overspeed_trip for one [-]; 0 for none.
    """

    _: KW_ONLY
    hoist_torque_factor: Positive
    trolley_force: Positive
    close_delay: NonNegative = 0.0
    open_delay: NonNegative = 0.0
    emergency_torque_factor: NonNegative = 0.0

    @property
    def delays(self) -> dict[str, float]:
        """Options of a Drive for the delays [s]."""
        return {"brake_close_delay": self.close_delay, "brake_open_delay": self.open_delay}

    @property
    def emergency_share(self) -> float:
        """Holding capacity of the emergency brake over that of the hoist's brake [-]."""
        return self.emergency_torque_factor / self.hoist_torque_factor


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


def rail_drive(
    name: str, drive: Any, brake: float, motion: Motion | None = None, /, **others: Any
) -> Drive:
    """Return the drive of a joint of its name, whose brake holds a force [N].

    ``drive`` has a ``tau`` [s], a ``force_max`` [N] and, unless a ``motion`` is given, that.
    """
    moves = motion or drive.motion()
    return axis_drive(
        name, name, moves, tau=drive.tau, effort=drive.force_max, brake=brake, **others
    )
