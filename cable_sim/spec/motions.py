"""Prescribed motions of bodies and drives over time."""

from typing import Annotated

from pydantic import Field, model_validator

from cable_sim.spec.quantities import Table, Vector, spec


@spec
class Motion:
    """Velocity of a prescribed body, or target of a drive, over time.

    Between the given times the value is interpolated linearly; before the first and after the last
    it stays at the first and last value.

    Parameters
    ----------
    of: name of a body with ``motion="prescribed"``, or of a drive.
    times: [s], increasing.
    values: target of the drive at each time, in the drive's unit.
    velocities, angular_velocities: of the body at each time, in the world [m/s, rad/s].
    """

    of: str
    times: Annotated[Table, Field(min_length=1)]
    values: Table = ()
    velocities: tuple[Vector, ...] = ()
    angular_velocities: tuple[Vector, ...] = ()

    @model_validator(mode="after")
    def _check_consistency(self) -> "Motion":
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("times must increase")
        given = [
            series for series in (self.values, self.velocities, self.angular_velocities) if series
        ]
        if not given:
            raise ValueError(
                "give values for a drive, or velocities or angular_velocities for a body"
            )
        if self.values and len(given) > 1:
            raise ValueError("values are for a drive, velocities for a body; give one of the two")
        for series in given:
            if len(series) != len(self.times):
                raise ValueError(f"{len(self.times)} times need as many values, not {len(series)}")
        return self
