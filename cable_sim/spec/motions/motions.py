"""Prescribed motions of bodies and drives over time."""

import math
from typing import Annotated

from cable_sim.spec.quantities import PLAIN, Many, NonNegative, Positive, Real, Table, Vector, spec

Offset = Annotated[tuple[Real, Real, Real, Real, Real, Real], PLAIN]
"""Offset of a pose: x, y, z [m], roll, pitch, yaw [rad]."""
DIRECTIONS = ("x", "y", "z", "roll", "pitch", "yaw")
STARTED = 1e-6
"""Largest offset of a pose at the start [m, rad]: the scene is built without it."""


@spec
class Sine:
    """One sine of a motion by poses: an offset ``amplitude * sin(frequency * t + phase)``.

    Parameters
    ----------
    frequency: angular [rad/s].
    amplitude: of x, y, z [m], roll, pitch, yaw [rad].
    phase: of the same six [rad].
    """

    frequency: Positive
    amplitude: Offset
    phase: Offset = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@spec
class Motion:
    """Velocity or pose of a prescribed body, or target of a drive, over time.

    Velocities and targets are interpolated linearly between the given times, poses by a natural
    cubic spline; before the first time and after the last everything stays as it is there. A body
    that moves by velocities drifts by the errors of their integration. One that moves by poses does
    not, because every step ends at its pose.

    Poses are offsets from the one that the body has in the scene, in that frame: x, y, z [m] along
    its axes, and roll, pitch, yaw [rad], the turn Rz(yaw) Ry(pitch) Rx(roll) from its orientation.

    Parameters
    ----------
    of: name of a body with ``motion="prescribed"``, or of a drive.
    times: [s], increasing; none for sines alone.
    values: target of the drive at each time, in the drive's unit.
    velocities, angular_velocities: of the body at each time, in the world [m/s, rad/s].
    poses: offsets of the body's pose at each time.
    sines: offsets on top of these, without end.
    ramp: time in which poses and sines are let in [s]; needed where they do not begin at zero.
    """

    of: str
    times: Table = ()
    values: Table = ()
    velocities: Many[Vector] = ()
    angular_velocities: Many[Vector] = ()
    poses: Many[Offset] = ()
    sines: Many[Sine] = ()
    ramp: NonNegative = 0.0

    @property
    def by_poses(self) -> bool:
        """Return True if the motion tells poses, and not rates."""
        return bool(self.poses or self.sines)

    def __post_init__(self) -> None:
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("times must increase")
        rates = [series for series in (self.velocities, self.angular_velocities) if series]
        given = [series for series in (self.values, *rates, self.poses) if series]
        if not given and not self.sines:
            raise ValueError(
                "give values for a drive, or velocities, angular_velocities, poses or sines for a "
                "body"
            )
        if self.by_poses and (self.values or rates):
            raise ValueError("poses and sines go with neither values nor velocities")
        if self.values and len(given) > 1:
            raise ValueError("values are for a drive, velocities for a body; give one of the two")
        for series in given or [()]:
            if len(series) != len(self.times):
                raise ValueError(f"{len(self.times)} times need as many values, not {len(series)}")
        if self.ramp and not self.by_poses:
            raise ValueError(f"ramp: {self.ramp:g} s is for poses and sines; there are none")
        self._check_start()

    def _check_start(self) -> None:
        """Refuse poses that begin away from where the scene has the body."""
        if self.ramp or not self.by_poses:
            return
        first = self.poses[0] if self.poses and self.times[0] >= 0.0 else (0.0,) * 6
        for i, name in enumerate(DIRECTIONS):
            start = first[i] + sum(s.amplitude[i] * math.sin(s.phase[i]) for s in self.sines)
            if abs(start) > STARTED:
                raise ValueError(
                    f"ramp: {name} begins at {start:.4g}, but the scene is built with 0; give a "
                    "ramp above 0 s"
                )
