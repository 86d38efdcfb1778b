"""Drives of joints, winches and cables."""

from math import isinf
from typing import Literal

from cable_sim.spec.quantities import Limit, Name, NonNegative, Real, spec


@spec
class Drive:
    """A drive on a joint's coordinate, on a winch's paid-out length, or on a cable itself.

    On a winch whose drum has layers, position, speed and effort are those of the rope in the first
    layer, whichever it leaves from: over R_1 the angle and its rate, times R_1 the torque.

    On a cable the coordinate is the length of its path over the nodes [m]: paying out is positive,
    and the effort is negative when it pulls. A cable that only pulls gives way when the drive pays
    out faster than the ends part.

    Parameters
    ----------
    name: unique name; commands and readings use it.
    on: name of a hinge or prismatic joint, of a winch, or of a cable. A ``driven`` cable needs its
        drive; on another one the drive's tension adds to that of the stretch.
    mode: ``speed`` holds a speed, ``position`` goes to a position no faster than ``max_speed``,
        ``effort`` gives a torque [N m] or force [N].
    target: at the start: [rad/s or m/s], [rad or m], or [N m or N].
    max_effort: the largest torque [N m] or force [N] it can give; infinite means an ideal drive.
    max_speed: [rad/s or m/s] bound of the reference that it follows.
    max_acceleration: [rad/s^2 or m/s^2] bound of the reference's change.
    max_deceleration: [rad/s^2 or m/s^2] the same while it slows down; left out, that of
        max_acceleration.
    max_jerk: [rad/s^3 or m/s^3] bound of the acceleration's change, which makes the ramp an S-ramp;
        infinite means a linear one.
    lag: time constant of the speed loop [s], by which the speed that it holds is behind the
        reference.
    rise_time: in which the motor's effort gets from zero to max_effort [s].
    power: largest power that the motor gives or takes at the coordinate [W]. Above the speed of
        ``power / max_effort`` its effort falls with the speed, as in field weakening. That holds
        for driving and braking: the motor can't catch a load that runs down faster than
        ``power / weight``.
    brake_effort: the largest torque [N m] or force [N] that the closed brake can hold; infinite
        means without limit.
    brake_close_delay, brake_open_delay: from command to brake [s]. Until it has closed, a motor
        that has power slows down; until it has opened, the drive stands.
    brake_wear: loss of the brake by slipping [1/J]: after the work W it holds ``brake_effort /
        (1 + brake_wear W)``. It does not fade when it is hot.
    slip: speed lost per effort [rad/s/(N m) or m/s/N]; zero is a stiff drive. On a cable it is the
        mobility xi of Servin and Lacoursiere 2007, eq. 10: the path grows at
        ``target + slip * tension``, so a larger slip is a weaker grip.
    damping_time: time constant with which a ``position`` drive closes in on its target [s].
    """

    name: Name
    on: str
    mode: Literal["speed", "position", "effort"] = "speed"
    target: Real = 0.0
    max_effort: Limit = float("inf")
    max_speed: Limit = float("inf")
    max_acceleration: Limit = float("inf")
    max_deceleration: Limit | None = None
    max_jerk: Limit = float("inf")
    lag: NonNegative = 0.0
    rise_time: NonNegative = 0.0
    power: Limit = float("inf")
    brake_effort: Limit = float("inf")
    brake_close_delay: NonNegative = 0.0
    brake_open_delay: NonNegative = 0.0
    brake_wear: NonNegative = 0.0
    slip: NonNegative = 0.0
    damping_time: NonNegative = 0.0

    def __post_init__(self) -> None:
        if self.rise_time and isinf(self.max_effort):
            raise ValueError(
                f"rise_time: {self.rise_time:g} s to an infinite effort; give it a max_effort, or 0"
            )
