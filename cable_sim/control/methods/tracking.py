"""Tracking of planned moves with a load that swings: the common part of controllers with feedback.

*Plan.* Each move is shaped, so that it would leave no sway if all were as it is believed. What the
axis makes of it is known: its speed follows the command by the lag tau of its speed loop. So the
plan behind that lag,

    v' = (v_plan - v) / tau,    x = x_plan - tau v,

is where the axis is meant to be. The sway that is meant is what the reduced crane has on that way;
along an axis that is not to move at the time it is damped, so that what shaping has left, or
another axis excites, is not kept up.

*Feedback* is about what is off: way e and speed e' of the axis, swing s and its rate s' of the
load, all in metres at the load's trolley, so that trolley, gantry and slewing jib (at its radius R)
look alike: e'' = a, s'' = -(g / l) s - a. An axis that moves the load along a course r(q), such as
luffing, has dr/dq metres a unit. A controller gives the acceleration a, which is integrated to a
speed w. The command

    u = v_plan + w + tau a        gives the speed        v + w,

because the lag of ``w + tau w'`` is w. Plan and feedback together keep to the largest acceleration
and speed of the axis, and w stays near the speed that is seen beyond the plan: what holds the axis
up does not wind it up.

*Readings.* The axis' speed is the tachometer's; its place is that speed integrated and drawn to the
encoder, whose steps are coarse at the end of a jib. A reading that is invalid (NaN) is replaced by
what was meant and commanded. Hoisting goes as planned. One length of the pendulum, that along the
trolley's way, serves both directions; that of a container across it is up to 2 % shorter, which the
observer makes good.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.load_kinematics import needed_axes
from cable_sim.control.methods.axis_tracker import AxisTracker
from cable_sim.control.methods.reduced_crane import Pivot, Sway, deflection, step, trolley_motion
from cable_sim.control.methods.sway_estimate import DIRECTIONS, SwayEstimate
from cable_sim.control.profiles import Profile
from cable_sim.control.task import Law, Task
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Many, Name, Positive, spec
from cable_sim.spec.scene import GRAVITY

LEAST_ARM = 0.1
"""Least way of the load per unit of an axis that is reckoned with [m/m, m/rad]."""
CALMING = 1.0
"""Damping ratio of the sway that is meant along an axis that is not to move [-]."""


class Off(NamedTuple):
    """Deviation of an axis and of the swing along it: way [m], speed [m/s], swing [m], its rate
    [m/s]."""

    way: float
    speed: float
    swing: float
    swing_rate: float


Correct = Callable[[AxisTracker, Off, float, float], float]
"""A controller: the acceleration [m/s^2] that it adds to a lane.

It gets the deviation, the frequency of the sway [rad/s] and the time [s].
"""


@spec
class Following:
    """Settings that all controllers with feedback have.

    Parameters
    ----------
    shaper: of the planned moves, as the open-loop controllers of that name have them.
    axes: that feedback moves; left out, those among trolley, gantry and slewing, or what the
        family names in their place, that the task moves.
    settling: time constant with which a wrong estimate of the sway dies out, over that of the sway,
        sqrt(l / g) [-].
    """

    shaper: Literal["none", "zv", "zvd", "zvdd", "ei"] = "zv"
    axes: Many[Name] = ()
    settling: Positive = 0.5


class Tracking:
    """Tracker of the moves of a task; see above.

    Parameters
    ----------
    task: what to do.
    settings: of the controller.

    SpecError for a crane without the sensors that it takes, or axes that feedback can't move.
    """

    def __init__(self, task: Task, settings: Following) -> None:
        moving = needed_axes(task.crane, f"controller {type(settings).__name__.lower()}")
        along = moving.outward
        across = moving.across
        hoist = hoist_of(task.crane)
        self.period = task.period
        self._length = task.length
        self._slews = moving.turns
        self._course = moving.course
        plans = _plans(task, settings)
        led = _feedback_axes(task, settings, [name for name in (along, across) if name])
        _check_sensors(task, [name for name in (along, across, hoist) if name])
        self.along = AxisTracker(task, along, plans.get(along), along in led)
        self.across = (
            AxisTracker(task, across, plans.get(across), across in led) if across else None
        )
        self._hoist = AxisTracker(task, hoist, plans.get(hoist), False)
        self._others = {
            name: plan for name, plan in plans.items() if name not in (along, across, hoist)
        }
        self._estimate = SwayEstimate(task, settings.settling)
        self._meant = Sway()

    def law(self, correct: Correct) -> Law:
        """The law of a controller."""
        lanes = [lane for lane in (self.along, self.across) if lane]
        others = [(name, plan) for name, plan in self._others.items()]
        hoist = self._hoist
        ahead = 0.5 * self.period

        def law(seen: Feedback) -> Control:
            offs = self.look(seen)
            time = seen.time
            control: dict[str, float] = {}
            for lane, off in zip(lanes, offs, strict=True):
                wanted = correct(lane, off, self.frequency, time) if lane.led else 0.0
                lane.go_on(time)
                if lane.led:
                    control[lane.name] = lane.order(wanted)
                elif lane.plan:
                    control[lane.name] = lane.planned_speed
            hoist.go_on(time)
            if hoist.plan:
                control[hoist.name] = hoist.planned_speed
            for name, plan in others:
                control[name] = plan(time + ahead)[1]
            self._go_on()
            return control

        return law

    def look(self, seen: Feedback) -> list[Off]:
        """Return the deviations along and, where the crane goes there, across."""
        along = self.along
        across = self.across
        hoist = self._hoist
        for lane in (along, across, hoist):
            if lane:
                lane.see(seen)
        self.length = length = self._length(hoist.place)
        self.frequency = math.sqrt(GRAVITY / length)
        radius, slope, _, _ = self._course.at(along.place)
        along.arm = math.copysign(max(abs(slope), LEAST_ARM), slope)
        pivot = self._pivot(
            along.place,
            along.speed,
            along.change,
            (across.speed, across.change) if across else None,
        )
        sway = self._estimate.update(seen, pivot, hoist.place, length, hoist.speed, self.frequency)
        x, x_rate, y, y_rate = deflection(sway, length)
        x_meant, x_rate_meant, y_meant, y_rate_meant = deflection(self._meant, length)
        along.swing = x_meant
        along.swing_rate = x_rate_meant
        offs = [
            Off(
                along.arm * (along.place - along.meant),
                along.arm * (along.speed - along.meant_speed),
                x - x_meant,
                x_rate - x_rate_meant,
            )
        ]
        if across:
            arm = across.arm = max(radius, LEAST_ARM) if self._slews else 1.0
            across.swing = y_meant
            across.swing_rate = y_rate_meant
            way = arm * (across.place - across.meant)
            speed = arm * (across.speed - across.meant_speed)
            offs.append(Off(way, speed, y - y_meant, y_rate - y_rate_meant))
        return offs

    def _go_on(self) -> None:
        """Advance the reference of the sway to the end of the coming tick."""
        along = self.along
        across = self.across
        turned = (across.meant_speed, across.meant_change) if across else None
        pivot = self._pivot(along.meant, along.meant_speed, along.meant_change, turned)
        a, a_rate, b, b_rate = step(self._meant, pivot, self.length, self._hoist.speed, self.period)
        calm = math.exp(-2.0 * CALMING * self.frequency * self.period)
        if along.rests:
            a_rate *= calm
        if across is None or across.rests:
            b_rate *= calm
        self._meant = Sway(a, a_rate, b, b_rate)

    def _pivot(
        self, place: float, speed: float, change: float, across: tuple[float, float] | None
    ) -> Pivot:
        """Return the trolley's motion, from coordinate, speed and acceleration of the axis outward,
        and those of the other."""
        reach, slope, bend, _ = self._course.at(place)
        change = slope * change + bend * speed**2
        speed = slope * speed
        if across is None:
            return Pivot(change, 0.0)
        return (
            trolley_motion(reach, speed, change, *across)
            if self._slews
            else Pivot(change, across[1])
        )


def _plans(task: Task, settings: Following) -> dict[str, Profile]:
    """Coordinate, speed and acceleration of all axes that the task moves."""
    from cable_sim.control.controllers.shaped import Shaped  # whose package imports this module

    if settings.shaper == "none":
        return task.planned
    shaped = Shaped(kind=settings.shaper)
    return {name: shaped.plan(task, name) for name in task.axes}


def _feedback_axes(task: Task, settings: Following, able: list[str]) -> Sequence[str]:
    """The axes that feedback moves."""
    for name in settings.axes:
        if name not in able:
            raise SpecError(
                f"controller.axes: feedback moves {', '.join(able)} of {task.crane.name}, not "
                f"{name!r}"
            )
    return settings.axes or tuple(name for name in able if name in task.axes)


def _check_sensors(task: Task, axes: list[str]) -> None:
    """Raise SpecError for a crane without the sensors that are needed."""
    needed = {*DIRECTIONS, *(f"{name}.{what}" for name in axes for what in ("position", "speed"))}
    lacking = sorted(needed - {sensor.name for sensor in task.crane.sensors})
    if task.measured and lacking:
        add = (
            "add encoder, tachometer and camera to its section sensors, or set measured to "
            "false for the truth"
        )
        raise SpecError(f"{task.crane.name} does not measure {', '.join(lacking)}: {add}")
