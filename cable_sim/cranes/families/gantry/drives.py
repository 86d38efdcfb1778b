"""Drives and brakes of a gantry crane for containers in the words of its file."""

import math

from pydantic import model_validator

from cable_sim.cranes.families.gantry.micro_motion import MicroMotion
from cable_sim.cranes.parts.axes import Motion
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class ContainerHoist:
    """The hoist drive, which has constant power between two speeds.

    Parameters
    ----------
    v_rated, v_empty: of the spreader with rated load and without load [m/s].
    ramp: time from rest to v_rated [s]; to v_empty it is longer by as much as that is faster.
    motor_inertia: of everything that turns, at the motor shaft [kg m^2].
    motor_rpm: at v_empty [1/min].
    pull_factor: largest over rated pull, and over rated power [-].
    tau: time constant of the speed loop, and of positioning [s].
    control: see there.
    """

    v_rated: Positive
    v_empty: Positive
    ramp: Positive
    motor_inertia: Positive
    motor_rpm: Positive
    pull_factor: Positive = 2.0
    tau: Positive = 0.10
    control: DriveControl = DriveControl()

    def inertia_at_rope(self, rope_speed: float) -> float:
        """Return its inertia as seen at the rope [kg]: ``J (omega / v)^2``, at the rope speed [m/s]
        of motor_rpm."""
        omega = self.motor_rpm * 2.0 * math.pi / 60.0
        return self.motor_inertia * (omega / rope_speed) ** 2

    @model_validator(mode="after")
    def _check_consistency(self) -> "ContainerHoist":
        if self.v_empty < self.v_rated:
            raise ValueError(
                f"v_empty: must be v_rated, {self.v_rated:g}, or more, not {self.v_empty:g}"
            )
        return self


@spec
class CrabDrive:
    """The trolley drive: v_max [m/s], ramp from rest to it [s], force_max [N], time constant tau
    [s], control."""

    v_max: Positive
    ramp: Positive
    force_max: Positive
    tau: Positive = 0.15
    control: DriveControl = DriveControl()

    def motion(self) -> Motion:
        """Return its largest speed and acceleration, and its control."""
        return Motion(self.v_max, self.v_max / self.ramp, self.control)


@spec
class TravelDrive:
    """The gantry drive: v_rated with and v_empty without load [m/s], ramp to either [s], force_max
    [N], tau [s]."""

    v_rated: Positive
    v_empty: Positive
    ramp: Positive
    force_max: Positive
    tau: Positive = 0.3
    control: DriveControl = DriveControl()

    def motion(self, speed: float) -> Motion:
        """Return the motion up to a speed [m/s], and its control."""
        return Motion(speed, speed / self.ramp, self.control)


@spec
class GantryDrives:
    """The three drives, and the micro-motion of the spreader if there is one."""

    hoist: ContainerHoist
    trolley: CrabDrive
    gantry: TravelDrive
    micro: MicroMotion | None = None


@spec
class GantryBrakes:
    """Brakes of all axes.

    Parameters
    ----------
    hoist_torque_factor: holding capacity of the hoist's closed brake over rated pull [-].
    trolley_force, gantry_force: holding capacities of the trolley's and the gantry's [N].
    close_delay, open_delay: times from the command until they hold, and until they let go [s].
    emergency_torque_factor: holding capacity over rated pull of a brake on the drum that limiters
        close, overspeed_trip for one [-]; 0 for none.
    """

    hoist_torque_factor: Positive
    trolley_force: Positive
    gantry_force: Positive
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
