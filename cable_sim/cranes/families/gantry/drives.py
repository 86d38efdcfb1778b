"""Drives and brakes of a gantry crane for containers in the words of its file."""

from dataclasses import KW_ONLY

from pydantic import model_validator

from cable_sim.cranes.families.gantry.micro_motion import MicroMotion
from cable_sim.cranes.parts.axes import Motion
from cable_sim.cranes.parts.drives import Brakes, GearedHoist
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.spec.quantities import Positive, spec


@spec
class ContainerHoist(GearedHoist):
    """The hoist drive, which has constant power between the speeds v_rated and v_empty of the
    spreader with rated load and without load [m/s].

    Its ramp is the time [s] from rest to v_rated; to v_empty it is longer by as much as that is
    faster. Its motor_rpm is at v_empty, and tau its time constant [s].
    """

    v_rated: Positive
    v_empty: Positive
    _: KW_ONLY
    tau: Positive = 0.10

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
class GantryBrakes(Brakes):
    """The brakes of a gantry crane: besides the common ones that of the gantry [N]."""

    gantry_force: Positive
