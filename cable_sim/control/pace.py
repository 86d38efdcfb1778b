"""How fast a run went, on the clock on the wall: other than the metrics, different every time."""

import math
from typing import NamedTuple

import numpy as np

from cable_sim.control.run import Run


class Pace(NamedTuple):
    """How fast a run went.

    In lockstep the crane waits for its controller, so that ``late`` ticks change nothing there: they are deadlines that
    it would have missed with a crane that does not wait.

    Parameters
    ----------
    real_time_factor: [-] simulated over wall time of the whole run.
    law_median: [s] wall time that the controller took for a tick.
    law_99: [s] that 99 % of its ticks took at most.
    law_longest: [s] the longest.
    late: [-] how many ticks took it longer than its period.
    """

    real_time_factor: float
    law_median: float
    law_99: float
    law_longest: float
    late: int


def pace_of(run: Run) -> Pace:
    """How fast a run went; times of the controller are NaN for a run without a tick."""
    simulated = float(run.time[-1] - run.time[0])
    factor = simulated / run.wall if run.wall > 0.0 else math.inf
    if not run.law_times.size:
        return Pace(factor, math.nan, math.nan, math.nan, 0)
    median, most, longest = np.quantile(run.law_times, (0.5, 0.99, 1.0)).tolist()
    return Pace(factor, median, most, longest, int((run.law_times > run.period).sum()))
