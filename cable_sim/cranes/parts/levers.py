"""An operator's lever, and the drive control that makes a motion of it, in the words of a data
sheet."""

import math
from typing import Annotated, Any

from pydantic import Field

from cable_sim.spec.quantities import Fraction, Many, NonNegative, Positive, spec

Steps = Many[Fraction]
DeadBand = Annotated[NonNegative, Field(lt=1.0)]


@spec
class Lever:
    """A lever from -1 to 1 that stands for an axis' speed: an analogue one, or one with contactor
    steps.

    Parameters
    ----------
    dead_band: part of the way to each side that still counts as the middle.
    exponent: of an analogue lever, whose speed is its deflection beyond the dead band to this power
        [-]: above 1 it is finer about the middle.
    steps: shares of the axis' speed that contactors switch, the slowest first; each has an equal
        part of the way. Empty for an analogue lever.
    step_time: least time on each step before the next one up [s]; down it goes at once.
    """

    dead_band: DeadBand = 0.05
    exponent: Positive = 1.0
    steps: Steps = ()
    step_time: NonNegative = 0.0

    def __post_init__(self) -> None:
        if any(b <= a for a, b in zip(self.steps, self.steps[1:], strict=False)):
            raise ValueError(f"steps: must increase, not {', '.join(map(str, self.steps))}")
        if self.steps and self.exponent != 1.0:
            raise ValueError(
                f"exponent: {self.exponent:g} is for an analogue lever; this one has steps"
            )
        if self.step_time and not self.steps:
            raise ValueError(
                f"step_time: {self.step_time:g} s is for contactor steps; an analogue lever has "
                "none"
            )


@spec
class DriveControl:
    """Drive control, beside the speeds and ramps of the drive.

    Parameters
    ----------
    s_time: time in which an S-ramp's acceleration gets to its largest [s]; 0 is a linear ramp.
    rise_time: time in which the motor's effort gets from zero to its largest [s]; 0 is at once.
    lever: the operator's; left out, commanded speeds are not shaped by a lever.
    """

    s_time: NonNegative = 0.0
    rise_time: NonNegative = 0.0
    lever: Lever | None = None

    def of(self, acceleration: float, tau: float) -> dict[str, Any]:
        """Options of a Drive with this acceleration, whose speed loop and positioning take tau
        [s]."""
        return dict(
            max_acceleration=acceleration,
            max_jerk=acceleration / self.s_time if self.s_time else math.inf,
            rise_time=self.rise_time,
            lag=tau,
            damping_time=tau,
        )
