"""Drives and brakes of a gantry crane for containers in the words of its file."""

from pydantic import model_validator

from cable_sim.cranes.families.gantry.micro_motion import MicroMotion
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class ContainerHoist:
    """The hoist drive, which has constant power between its two speeds.

    Parameters
    ----------
    v_rated, v_empty: speed of the spreader with rated load and without load [m/s].
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

    @model_validator(mode="after")
    def _consistent(self) -> "ContainerHoist":
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


@spec
class GantryDrives:
    """The three drives, and the micro-motion of the spreader if there is one."""

    hoist: ContainerHoist
    trolley: CrabDrive
    gantry: TravelDrive
    micro: MicroMotion | None = None


@spec
class GantryBrakes:
    """Holding capacity of the closed brakes: hoist over rated pull [-], trolley [N], gantry [N];
    and their delays [s].

    emergency_torque_factor: the same of a brake on the drum that limiters close, overspeed_trip for
        one; 0 for none.
    """

    hoist_torque_factor: Positive
    trolley_force: Positive
    gantry_force: Positive
    close_delay: NonNegative = 0.0
    open_delay: NonNegative = 0.0
    emergency_torque_factor: NonNegative = 0.0
