"""Constant-tension winch: the hoist follows what its hook is tied to, such as a load that stands on
a ship's deck.

A rope of the length L and the stiffness EA per strain, with n falls, carries T when its hook is
taken by T / K further from the tip than the rope is long, K = n EA / L. So the readings of depth q
and tension T tell the way s = q + T / K that what the hook is tied to would have the hook go
without any tension; it does not depend on what the winch does. A tension T* needs the depth
s - T* / K. The winch is commanded the speed

    s'(t + T_l) + c (T - T*) / K,

a proportional loop with the bandwidth c on the tension, and, in place of an integral, the rate that
the winch needs in the long run, from the tracker of ``rate_tracker.py``. It is ahead by T_l: lag of
the drive, filter of the load pins, through which the depth goes, too, and half a period.

Where the rope carries less than half of T*, s is not known. Then the winch takes in rope.
"""

import cmath
import math
from typing import Literal

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.methods.rate_tracker import RateTracker, response
from cable_sim.control.task import Law, Task, speeds_of
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Fraction, Positive, spec

SLACK = 0.5
"""Share of the wanted tension below which a rope is slack [-]."""


@spec
class ConstantTension:
    """One tension of the hoist ropes, whatever their hook is tied to; other axes go as planned.

    It looks at readings of the load pins even where a task tells the truth.

    Parameters
    ----------
    tension: of each rope, the mean of both ends [N].
    bandwidth: c of the loop on the tension [rad/s].
    tracker: bandwidth of the tracker of the rate [rad/s].
    speed: largest, over that of the hoist [-].
    take_up: speed with which slack rope is taken in, over that of the hoist [-].
    """

    kind: Literal["constant_tension"] = "constant_tension"
    tension: Positive = 10e3
    bandwidth: Positive = 3.0
    tracker: Positive = 16.0
    speed: Fraction = 1.0
    take_up: Fraction = 0.3

    def start(self, task: Task) -> Law:
        """The law of a task; SpecError for a crane without hoist or load pins."""
        return Tensioning(task, self)

    def residual(self, frequency: float, lag: float, pin: float, period: float) -> float:
        """Return the share of the way of what the hook is tied to that stretches the rope, at an
        angular frequency [rad/s].

        The drive's lag, the time constant of the load pins' filter and the period are in s. With
        s = i w, P = 1 / (1 + pin s) and the tracker's factor F the share is

            |s (1 + lag s) - F P s exp(-s h / 2)| / |s (1 + lag s) + c P|.
        """
        s = 1.0j * frequency
        late = 0.5 * period
        filtered = 1.0 / (1.0 + pin * s)
        seen = response(frequency, self.tracker, lag + pin + late) * cmath.exp(-s * late)
        drive = s * (1.0 + lag * s)
        return abs((drive - seen * filtered * s) / (drive + self.bandwidth * filtered))


class Tensioning:
    """The law.

    Attributes
    ----------
    hoist: name of its axis.
    slack: whether the ropes carry too little for the way to be known.
    """

    def __init__(self, task: Task, settings: ConstantTension) -> None:
        crane = task.crane
        self.hoist = hoist_of(crane)
        hung = crane.suspension
        if not self.hoist or hung is None:
            raise SpecError(f"constant_tension: {crane.name} has no hoist")
        ropes = crane.falls(hung)
        self._pins = [f"{rope}.{end}" for rope in ropes for end in ("pull", "lead")]
        filters = {sensor.name: sensor.filter for sensor in crane.sensors}
        if not filters.keys() >= {*self._pins, f"{self.hoist}.position"}:
            raise SpecError(f"constant_tension: {crane.name} lacks load_pin or encoder; add them")
        self._settings = settings
        self._axis = crane.axis(self.hoist)
        rigidity = next(c.axial_rigidity for c in crane.scene.cables if c.name == ropes[0])
        if rigidity is None:
            raise SpecError(f"constant_tension: {ropes[0]} of {crane.name} can't be stretched")
        self._ea = rigidity
        self._plans = {name: plan for name, plan in task.planned.items() if name != self.hoist}
        self._period = task.period
        self._pin = filters[self._pins[0]]
        self._drawn = 1.0 - math.exp(-task.period / self._pin) if self._pin else 1.0
        self._lead = task.crane.lag(self.hoist) + self._pin + 0.5 * task.period
        self._tracker = RateTracker(task.period, settings.tracker)
        self._depth = self._way = self._off = math.nan
        self.slack = True

    def __call__(self, seen: Feedback) -> Control:
        self.look(seen)
        return self.command(seen.time)

    @property
    def rate(self) -> float:
        """Rate of the way s: at which the hook is drawn away from the tip [m/s]."""
        return self._tracker.ahead(self._pin)

    def look(self, seen: Feedback) -> None:
        """Take the readings of depth and tension."""
        depth = seen.readings[f"{self.hoist}.position"]
        tension = sum(seen.readings[pin] for pin in self._pins) / len(self._pins)
        if self._depth != self._depth:
            self._depth = depth
        if depth == depth:
            self._depth += self._drawn * (depth - self._depth)
        stiffness = self._axis.ratio * self._ea / (self._axis.zero + self._axis.ratio * self._depth)
        way = self._depth + tension / stiffness
        self._tracker.see((way - self._way) / self._period)
        self._way = way
        self._off = (tension - self._settings.tension) / stiffness
        self.slack = not tension >= SLACK * self._settings.tension

    def command(self, time: float) -> dict[str, float]:
        """Return the speeds of the coming tick, for the plan at a time [s]."""
        control = speeds_of(self._plans, time + 0.5 * self._period)
        most = self._settings.speed * self._axis.max_speed
        if self.slack:
            wanted = -self._settings.take_up * self._axis.max_speed
        else:
            wanted = self._tracker.ahead(self._lead) + self._settings.bandwidth * self._off
        control[self.hoist] = min(max(wanted, -most), most) if wanted == wanted else 0.0
        return control
