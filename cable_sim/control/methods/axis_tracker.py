"""One axis on its way: reference, measured state and command."""

import math

from cable_sim.control.feedback import Feedback
from cable_sim.control.profiles import Profile
from cable_sim.control.task import Task

SLIP = 0.5
"""Largest difference of an axis' command from its speed, as a time at its largest acceleration
[s]."""
MEMORY = 0.5
"""Time constant with which a place integrated from speeds is drawn to the encoder's [s]."""

ROUNDING = 1e-9
"""Share of an axis' speed that counts as rest [-]."""


class AxisTracker:
    """One axis under a controller; the derivation stands in ``tracking.py``.

    Parameters
    ----------
    task: task with its crane, period and sensors.
    name: of the axis.
    plan: its coordinate, speed and acceleration over time; None for an axis that stays where it is.
    led: whether feedback moves it.

    Attributes
    ----------
    arm: way of its trolley per unit of it: 1, the radius of a jib that slews [m/rad], or the slope
        of a course, which may be negative.
    place, speed, change: as they are seen, of the axis' unit; the acceleration is the mean of the
        last tick.
    meant, meant_speed, meant_change: references of the same.
    swing, swing_rate: reference of the load's deflection along it [m, m/s].
    planned_speed, planned_change: of the plan in the coming tick.
    added: speed that feedback adds to the plan.
    """

    def __init__(self, task: Task, name: str, plan: Profile | None, led: bool) -> None:
        self.name = name
        self.axis = task.crane.axis(name)
        self.led = led
        self.plan = plan
        self._period = task.period
        self._measured = task.measured
        self._lag = task.crane.lag(name)
        self._kept = math.exp(-task.period / self._lag) if self._lag else 0.0
        self._drawn = 1.0 - math.exp(-task.period / MEMORY) if task.measured else 1.0
        self._readings = f"{name}.position", f"{name}.speed"
        self.place = self.meant = task.first.axes[name].position
        self.speed = self.change = self.meant_speed = self.meant_change = 0.0
        self.swing = self.swing_rate = self.planned_speed = self.planned_change = self.added = (
            self._beyond
        ) = 0.0
        self.arm = 1.0

    @property
    def most(self) -> float:
        """Largest acceleration of the trolley by this axis [m/s^2]."""
        return abs(self.arm) * self.axis.max_acceleration

    @property
    def fastest(self) -> float:
        """Largest speed of the trolley by this axis [m/s]."""
        return abs(self.arm) * self.axis.max_speed

    @property
    def rests(self) -> bool:
        """Return True if the axis is not to move in the coming tick.

        A plan's speed may be zero but for rounding.
        """
        return abs(self.planned_speed) <= ROUNDING * self.axis.max_speed

    def see(self, seen: Feedback) -> None:
        """Take the place and the speed of the axis, from sensors or the truth."""
        if self._measured:
            place, speed = (seen.readings[name] for name in self._readings)
        else:
            place, speed, _ = seen.axes[self.name]
        if speed != speed:
            speed = self.meant_speed + self.added
        self.change = (speed - self.speed) / self._period
        self.place += 0.5 * self._period * (speed + self.speed)
        if place == place:
            self.place += self._drawn * (place - self.place)
        self.speed = speed
        self._beyond = speed - self.meant_speed

    def go_on(self, time: float) -> None:
        """Advance the reference from a time [s] over the coming tick."""
        if self.plan is None:
            return
        way, speed, self.planned_change = self.plan(time + 0.5 * self._period)
        before = self.meant_speed
        self.planned_speed = speed
        self.meant_speed = speed + (before - speed) * self._kept
        self.meant_change = (self.meant_speed - before) / self._period
        self.meant = way + 0.5 * self._period * speed - self._lag * self.meant_speed

    def order(self, wanted: float) -> float:
        """Return the speed to command in the coming tick, for an acceleration [m/s^2] beside the
        plan."""
        most = self.axis.max_acceleration
        fastest = self.axis.max_speed
        planned = self.planned_speed
        change = (
            min(max(self.planned_change + wanted / self.arm, -most), most) - self.planned_change
        )
        added = min(
            max(self.added + self._period * change, self._beyond - SLIP * most),
            self._beyond + SLIP * most,
        )
        speed = min(max(planned + added, -fastest), fastest)
        self.added = speed - planned
        return min(max(speed + self._lag * change, -fastest), fastest)
