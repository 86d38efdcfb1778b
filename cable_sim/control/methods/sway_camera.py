"""A sway camera: time of a new picture, its age, and the part of the sway that it reads.

A sensor of f pictures a second takes number k at the first tick at or after k / f. It shows the
picture at the first tick at least its delay later. So a picture is new when it is due: when
floor((t - late) f) has become larger, ``late`` being the delay in whole ticks. It is ``late`` old
then, or older by the time constant of a low-pass filter.

A reading that has not changed since, although the sensor has noise and no steps, is the one before:
the picture has been lost, or the sensor is frozen. Then there is no picture, and neither is there
one while the reading is invalid (NaN).
"""

import math

from cable_sim.cranes.parts.devices import Sensor

SOON = 1e-6
"""Part of a picture's period by which it may be early, by rounding; as
``kernels/devices/sensors.py`` has it."""


class Camera:
    """Detector of new pictures; call :meth:`look` once a tick.

    Parameters
    ----------
    sensor: as the crane's file has it.
    period: of a tick [s].

    Attributes
    ----------
    age: of a picture when it is shown, in ticks.
    """

    def __init__(self, sensor: Sensor, period: float) -> None:
        self._late = math.ceil(sensor.delay / period - SOON)
        self._rate = sensor.rate
        self.age = self._late + round(sensor.filter / period)
        self._period = period
        self._distinct = sensor.noise > 0.0 and sensor.quantum == 0.0
        self._number = 0
        self._last = math.nan
        self._when = 0.0

    def look(self, time: float, reading: float) -> float | None:
        """Time since the last picture [s] if the reading at a time [s] is a new one; else None."""
        number = math.floor((time - self._late * self._period) * self._rate + SOON)
        if number <= self._number or reading != reading:
            return None
        self._number = number
        if self._distinct and reading == self._last:
            return None
        since = time - self._when
        self._last = reading
        self._when = time
        return since
