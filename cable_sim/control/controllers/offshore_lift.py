"""Lift off a ship's deck: constant tension, the right moment, then heave compensation.

Until the first planned move up begins the ropes keep one tension, so that they are neither slack
nor snatch; moves down before it are left out. From then on the law waits for the deck to be
highest: its rate over the sea is r' - s', with the rates of the ship's rise r and of the way s, and
the moment is that in which it turns from positive to negative. From there on the hoist compensates
the heave of its own ship, so the load leaves a deck that falls away, with no more speed between
them than the hoist makes. All later moves are as much later.
"""

import math
from typing import Literal

from cable_sim.control.controllers.constant_tension import ConstantTension, Tensioning
from cable_sim.control.controllers.heave_compensation import Compensation, HeaveCompensation
from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.task import Law, Task
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import NonNegative, spec


@spec
class OffshoreLift:
    """A lift off a deck that heaves.

    Parameters
    ----------
    tension: before the lift, see ``constant_tension``.
    compensation: after it, see ``heave_compensation``.
    patience: longest wait for the right moment [s].
    """

    kind: Literal["offshore_lift"] = "offshore_lift"
    tension: ConstantTension = ConstantTension()
    compensation: HeaveCompensation = HeaveCompensation()
    patience: NonNegative = 30.0

    def start(self, task: Task) -> Law:
        """The law of a task; SpecError for a crane or a task that it is not for."""
        return _Lift(task, self)


class _Lift:
    """The law."""

    def __init__(self, task: Task, settings: OffshoreLift) -> None:
        self._tensioning = Tensioning(task, settings.tension)
        self._compensation = Compensation(task, settings.compensation)
        hoist = self._compensation.hoist
        up = [t.ramps for t in task.travels if t.axis == hoist and t.ramps.distance < 0.0]
        starts = [ramps.start for ramps in up]
        if not starts:
            raise SpecError(f"offshore_lift: no move of {hoist} up is planned; give one")
        self._start = starts[0]
        self._latest = starts[0] + settings.patience
        self._rate = math.nan
        self._later: float | None = None

    def __call__(self, seen: Feedback) -> Control:
        self._compensation.look(seen)
        if self._later is None:
            self._tensioning.look(seen)
            if not self._is_time(seen.time):
                return self._tensioning.command(min(seen.time, self._start))
            self._later = seen.time - self._start
        return self._compensation.command(seen.time - self._later)

    def _is_time(self, time: float) -> bool:
        """Return True at the right moment, or when patience has an end."""
        before, self._rate = self._rate, self._compensation.rate - self._tensioning.rate
        turns = self._rate <= 0.0 < before and not self._tensioning.slack
        return time >= self._start and (turns or time >= self._latest)
