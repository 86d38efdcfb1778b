"""Model predictive control about planned moves: the best course for the next seconds that keeps to
all bounds.

Like the regulator of ``lqr.py``, but it knows what the axis still has for it while it follows the
plan, and how far the load may swing: at each step of its horizon the acceleration, speed and swing
that are planned, together with what it adds, stay within their bounds (``predictive.py``). Steps
are as long as the rope makes the swing slow.
"""

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cable_sim.control.methods.axis_tracker import AxisTracker
from cable_sim.control.methods.predictive import SwayProgram
from cable_sim.control.methods.tracking import Following, Off, Tracking
from cable_sim.control.task import Law, Task
from cable_sim.spec.quantities import Limit, NonNegative, Positive, spec
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]
Steps = Annotated[int, Field(strict=True, ge=5, le=200)]


@spec
class Mpc(Following):
    """Model predictive control; needs osqp, ``pip install 'cable_sim[mpc]'``.

    Parameters
    ----------
    effort, swing: weights of acceleration and swing [-], as those of the regulator.
    horizon: number of steps that it looks ahead.
    spacing: length of a step, over that of the sway, sqrt(l / g) [-]; with the horizon's default it
        looks ahead about a period of the sway, 2 pi.
    period: between two solutions [s], in which the acceleration is held.
    sway_deg: largest angle of the sway that it wants [deg]; it gives way where it can't be kept.
        Infinite for none.
    """

    kind: Literal["mpc"] = "mpc"
    effort: Positive = 1.5
    swing: NonNegative = 1.0
    horizon: Steps = 30
    spacing: Positive = 0.2
    period: Positive = 0.05
    sway_deg: Limit = 6.0

    def start(self, task: Task) -> Law:
        """The law of a task; see :class:`~cable_sim.control.methods.tracking.Tracking`.
        ModuleNotFoundError without osqp."""
        tracking = Tracking(task, self)
        planners = {
            lane.name: _Planner(self, task.period)
            for lane in (tracking.along, tracking.across)
            if lane
        }

        def correct(lane: AxisTracker, off: Off, frequency: float, time: float) -> float:
            return planners[lane.name].correct(lane, off, frequency, time)

        return tracking.law(correct)


class _Planner:
    """The program of one axis, and the acceleration that is held until it is solved again."""

    def __init__(self, settings: Mpc, period: float) -> None:
        self._n = settings.horizon
        self._spacing = settings.spacing
        self._program = SwayProgram(
            settings.horizon, settings.spacing, settings.effort, settings.swing
        )
        self._aside = math.sin(math.radians(min(settings.sway_deg, 90.0)))
        self._every = max(1, round(settings.period / period))
        self._count = 0
        self._held = 0.0

    def correct(self, lane: AxisTracker, off: Off, frequency: float, time: float) -> float:
        """The acceleration that feedback adds [m/s^2]."""
        if self._count % self._every == 0:
            speeds, changes, swings = self._plan_series(lane, frequency, time)
            state = np.array(
                [off.way, off.speed / frequency, off.swing, off.swing_rate / frequency]
            )
            aside = self._aside * GRAVITY / frequency**2
            u = self._program.solve(
                state,
                _room(lane.most / frequency**2, changes),
                _room(lane.fastest / frequency, speeds),
                _room(aside, swings),
            )
            self._held = u * frequency**2
        self._count += 1
        return self._held

    def _plan_series(
        self, lane: AxisTracker, frequency: float, time: float
    ) -> tuple[Array, Array, Array]:
        """Speed, acceleration and swing (N,) of the plan, scaled.

        Each is at the end of its step, but for the acceleration, which is the mean in it.
        """
        step = self._spacing / frequency
        if lane.plan is None:
            way = np.zeros(self._n + 1)
        else:
            way = np.array([lane.plan(time + k * step)[1] for k in range(self._n + 1)]) * (
                lane.arm / frequency
            )
        changes = np.diff(way) / self._spacing
        swings = np.empty(self._n)
        sin = math.sin(self._spacing)
        cos = math.cos(self._spacing)
        swing = lane.swing
        rate = lane.swing_rate / frequency
        for k, u in enumerate(changes.tolist()):
            swing, rate = cos * swing + sin * rate - (1.0 - cos) * u, cos * rate - sin * (swing + u)
            swings[k] = swing
        return way[1:], changes, swings


def _room(most: float, planned: Array) -> Array:
    """Room (2, N) that a bound to both sides leaves beside the plan; never below 0."""
    return np.array([np.minimum(-most - planned, 0.0), np.maximum(most - planned, 0.0)])
