"""Statistics of the run, recorded at every tick for sim_stats and the diagnostics."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from cable_sim.msg import SimStats
from cable_sim.ros.basis.clock_follower import Follower
from cable_sim.ros.basis.pacing import Pacer
from cable_sim.sim.observation import Observation


@dataclass
class Window:
    """Statistics since the last message.

    Times are in seconds of wall time unless stated otherwise.
    """

    clock: Callable[[], float] = time.monotonic
    begin: float = field(init=False)
    simulated: float = 0.0
    ticks: int = 0
    busy: float = 0.0
    longest: float = 0.0
    overruns: int = 0
    iterations: int = 0
    residual: float = 0.0
    inexact: int = 0
    flags: int = 0
    missed: int = 0
    late: bool = False

    def __post_init__(self) -> None:
        self.begin = self.clock()

    def add(
        self, observation: Observation, duration: float, missed: int, pacer: Pacer | Follower
    ) -> None:
        """Record a tick that took ``duration`` [s], and ``missed`` ones before it."""
        report = observation.report
        self.ticks = self.ticks + 1
        self.simulated = self.simulated + pacer.tick_time
        self.busy = self.busy + duration
        self.longest = max(self.longest, duration)
        self.overruns += duration > pacer.period
        self.iterations = max(self.iterations, int(report.iterations))
        self.residual = max(self.residual, float(report.residual))
        self.inexact = self.inexact + (not report.exact)
        self.flags = self.flags | report.status
        self.missed = self.missed + missed
        self.late = self.late or pacer.late

    @property
    def mean(self) -> float:
        """Mean computation time of a tick [s]; 0 without ticks."""
        return self.busy / self.ticks if self.ticks else 0.0

    @property
    def pace(self) -> float:
        """Simulated over wall time, up to now [-]."""
        elapsed = self.clock() - self.begin
        return self.simulated / elapsed if elapsed > 0.0 else 0.0


class Stats:
    """Sums over ticks for ``sim_stats`` and, in windows of their own, the diagnostics.

    ``clock``: a monotonic clock [s].
    """

    def __init__(self, stamp: Time, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.message = SimStats(header=Header(stamp=stamp))
        self.paused = False
        self.factor = 0.0
        self.period = math.inf
        self.unpublished: set[str] = set()
        """Topics whose last message could not be filled or sent."""
        self.start_again()

    def start_again(self) -> None:
        """Reset the counts to zero, after a reset."""
        self.ticks = self.missed = self.overruns = 0
        self.behind = 0.0
        self.failure = self.standing = ""
        self.window, self.longer = Window(self.clock), Window(self.clock)

    @property
    def halt(self) -> str:
        """Reason why a failed simulation can't continue; empty for a sound one."""
        return f"can't continue: {self.failure}; reset first" if self.failure else ""

    def record_pace(self, pacer: Pacer | Follower) -> None:
        """Record the requested pace, and so the time for a tick."""
        self.factor = pacer.factor
        self.period = pacer.period

    def record_tick(
        self, observation: Observation, duration: float, pacer: Pacer | Follower
    ) -> None:
        """Record a tick that took ``duration`` [s], and the lag behind the pace."""
        for window in (self.window, self.longer):
            window.add(observation, duration, pacer.missed - self.missed, pacer)
        self.ticks = self.ticks + 1
        self.missed = pacer.missed
        self.overruns += duration > pacer.period
        self.behind = pacer.behind

    def fill(
        self, observation: Observation, rejected: int, clamped: int, emergency_stop: bool
    ) -> SimStats:
        """Sum up the window, and open the next one."""
        window = self.window
        message = self.message
        message.real_time_factor = 0.0 if self.paused else window.pace
        message.pace_asked = self.factor
        message.behind = self.behind
        message.overruns = self.overruns
        message.step_time_mean = window.mean
        message.step_time_max = window.longest
        message.steps = int(observation.steps)
        message.ticks = self.ticks
        message.missed_ticks = self.missed
        message.solver_iterations = window.iterations
        message.solver_residual = window.residual
        message.energy = float(observation.energy.total)
        # the work of drives and dampers is not summed up: not measured
        message.energy_drift = math.nan
        message.rejected_commands = rejected
        message.clamped_commands = clamped
        message.emergency_stop = emergency_stop
        message.status, message.status_text = self.judge(window)
        self.window = Window(self.clock)
        return message

    def look(self) -> Window:
        """Return the window since the last call, for the diagnostics."""
        window = self.longer
        self.longer = Window(self.clock)
        return window

    def judge(self, window: Window) -> tuple[int, str]:
        """Return the worst status of SimStats that applies to a window, and its meaning."""
        if self.failure:
            return SimStats.FAILED, self.failure
        if self.paused:
            return SimStats.PAUSED, self.standing
        if window.late:
            return SimStats.LATE, self._tell_lateness(window)
        if window.inexact:
            return (
                SimStats.NOT_EXACT,
                f"the solver was not exact in {window.inexact} of {window.ticks} ticks",
            )
        return SimStats.RUNNING, self.standing

    def _tell_lateness(self, window: Window) -> str:
        """Return pace, missed ticks, and whether the physics or other work holds up the run."""
        slow = window.pace < self.factor
        begin = "Running" if slow else "Catching up"
        asked = "" if self.factor == 1.0 else f" instead of {self.factor:g}x"
        ticks = "tick" if window.missed == 1 else "ticks"
        taken = f"physics takes {1e3 * window.mean:.2g} of {1e3 * self.period:.3g} ms"
        cause = "the computer is busy elsewhere" if window.mean < self.period else "too slow"
        return (
            f"{begin} at {window.pace:.2g}x real time{asked}, {window.missed} {ticks} missed "
            f"({taken}{f': {cause}' if slow else ''})"
        )
