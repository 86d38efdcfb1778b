"""Active heave compensation: the hoist pays out what the ship takes its tip up.

The tip, from which the load hangs, rises with the ship by r (``cranes/parts/carrier.py``), which
the motion reference unit tells with the delay D. The hook's depth q below it shall be q* + r, with
the planned depth q*. So the hoist is commanded the speed

    q*' + r'(t + T) + k (q* + r - q),        T = tau + D + h / 2,

whose second part is the rate ahead, from the tracker of ``rate_tracker.py``: the drive follows by
the lag tau of its speed loop, a command is held over the period h, and the reading is D late. The
third is a slow loop on the place, which takes out what the rates leave. In terms of the rope both
are times the falls, which the axis of a hoist counts already.

*What is left.* With the tracker's factor F, a ship at the angular frequency w, s = i w, leaves at
the hook, over what it does to the tip,

    1 - H = 1 - (F e^{-sd} s + k) / (s (1 + tau s) + k),        d = D + h / 2,

as long as the hoist keeps to its speed and acceleration. Stretch of the rope and swing of the load
come on top.
"""

import cmath
import math
from typing import Literal

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.methods.rate_tracker import RateTracker, response
from cable_sim.control.task import Law, Task, speeds_of
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.cranes.parts.carrier import Tip, rise_of
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import NonNegative, Positive, spec

UNIT = "mru.heave.position"
"""Reading of the motion reference unit that tells whether there is one, and its delay."""


@spec
class HeaveCompensation:
    """The planned moves, with the heave of the tip taken out of the hoist's.

    It looks at readings of the motion reference unit even where a task tells the truth.

    Parameters
    ----------
    gain: k of the loop on the place [1/s].
    bandwidth: b of the tracker of the tip's rate [rad/s].
    lead: T, by which it is ahead [s]; left out, what drive, reading and period take.
    """

    kind: Literal["heave_compensation"] = "heave_compensation"
    gain: NonNegative = 0.3
    bandwidth: Positive = 16.0
    lead: NonNegative | None = None

    def start(self, task: Task) -> Law:
        """The law of a task; SpecError for a crane without hoist or motion reference unit, or one
        that stands still."""
        return Compensation(task, self)

    def residual(self, frequency: float, lag: float, delay: float, period: float) -> float:
        """Return |1 - H| at an angular frequency [rad/s], for the drive's lag, the delay of the
        readings and the period [s]; see the head of the file."""
        s = 1.0j * frequency
        late = delay + 0.5 * period
        ahead = lag + late if self.lead is None else self.lead
        seen = response(frequency, self.bandwidth, ahead) * cmath.exp(-s * late)
        return abs(1.0 - (seen * s + self.gain) / (s * (1.0 + lag * s) + self.gain))


class Compensation:
    """The law.

    Attributes
    ----------
    hoist: name of its axis.
    depth: of the hook [m], as it was seen last.
    rise: height that the ship adds to the tip, as it should be in the middle of the coming tick
        [m].
    """

    def __init__(self, task: Task, settings: HeaveCompensation) -> None:
        self.hoist = hoist_of(task.crane)
        delays = {sensor.name: sensor.delay for sensor in task.crane.sensors}
        if not self.hoist or UNIT not in delays:
            lacks = "sensor mru; add one" if self.hoist else "hoist"
            raise SpecError(f"heave_compensation: {task.crane.name} has no {lacks}")
        self._tip = Tip(task.crane)
        self._plans = task.planned | {self.hoist: task.plan(self.hoist)}
        self._measured = task.measured
        self._most = task.crane.axis(self.hoist).max_speed
        self._half = 0.5 * task.period
        self._lag = task.crane.lag(self.hoist)
        self._gain = settings.gain
        self._late = delays[UNIT] + self._half
        self._lead = self._lag + self._late if settings.lead is None else settings.lead
        self._tracker = RateTracker(task.period, settings.bandwidth)
        self._offset = math.nan
        self.depth = self.rise = math.nan

    def __call__(self, seen: Feedback) -> Control:
        self.look(seen)
        return self.command(seen.time)

    @property
    def rate(self) -> float:
        """Rate of the rise, as it should be at that time [m/s]."""
        return self._tracker.ahead(self._late)

    def look(self, seen: Feedback) -> None:
        """Take the readings of hoist and motion reference unit."""
        place = {name: state.position for name, state in seen.axes.items()}
        height, rate = rise_of(self._tip.over_carrier(place), seen.readings)
        self._tracker.see(rate)
        self.rise = height + self._late * self._tracker.rate
        own = f"{self.hoist}.position"
        self.depth = seen.readings.get(own, math.nan) if self._measured else place[self.hoist]

    def command(self, time: float) -> dict[str, float]:
        """Return the speeds of the coming tick, for the plan at a time [s]; from the first time on
        the depth is held that there is then."""
        control = speeds_of(self._plans, time + self._half)
        place, speed, _ = self._plans[self.hoist](time)
        meant = place - self._lag * speed + self.rise
        off = meant - self.depth
        if self._offset != self._offset:
            self._offset = off
        back = self._gain * (off - self._offset)
        wanted = speed + self._tracker.ahead(self._lead) + (back if back == back else 0.0)
        control[self.hoist] = min(max(wanted, -self._most), self._most)
        return control
