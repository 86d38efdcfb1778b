"""Timing of a run by the wall clock; unlike the metrics it differs from run to run."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.run import Run


class Pace(NamedTuple):
    """Timing of a run.

    In lockstep the crane waits for its controller, so that ``late`` ticks change nothing there:
    they are deadlines that it would have missed with a crane that does not wait.

    Parameters
    ----------
    real_time_factor: [-] simulated over wall time of the whole run.
    law_median: [s] wall time that the controller took for a tick.
    law_99: [s] that 99 % of its ticks took at most.
    law_longest: [s] the longest.
    late: [-] how many ticks took it longer than its period.
    latency_median: [s] wall time from when a state was sent until its command was, over ROS; NaN in
        one process.
    latency_99: [s] that 99 % of the commands took at most.
    latency_jitter: [s] standard deviation of these times.
    """

    real_time_factor: float
    law_median: float
    law_99: float
    law_longest: float
    late: int
    latency_median: float
    latency_99: float
    latency_jitter: float


def pace_of(run: Run) -> Pace:
    """Return the timing of a run; times of the controller are NaN for a run without a tick."""
    simulated = float(run.time[-1] - run.time[0])
    factor = simulated / run.wall if run.wall > 0.0 else math.inf
    late = int((run.law_times > run.period).sum())
    waited = run.latencies
    median, most, longest = (_quantile(run.law_times, share) for share in (0.5, 0.99, 1.0))
    jitter = float(waited.std()) if waited.size else math.nan
    return Pace(
        factor, median, most, longest, late, _quantile(waited, 0.5), _quantile(waited, 0.99), jitter
    )


def _quantile(times: NDArray[np.float64], share: float) -> float:
    """Return the quantile of times [s] at that share; NaN without times."""
    return float(np.quantile(times, share)) if times.size else math.nan
