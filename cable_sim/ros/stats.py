"""How the run is doing: what the physics thread notes at every tick, as sim_stats and for the diagnostics."""

import math
import time
from dataclasses import dataclass, field

from builtin_interfaces.msg import Time

from cable_sim.msg import SimStats
from cable_sim.sim.observation import Observation


@dataclass
class Window:
    """What happened since the last message. Times in seconds of the wall clock unless they say otherwise."""

    begin: float = field(default_factory=time.monotonic)
    simulated: float = 0.0
    ticks: int = 0
    busy: float = 0.0
    longest: float = 0.0
    iterations: int = 0
    residual: float = 0.0
    inexact: int = 0
    missed_before: int = 0


class Stats:
    """Sums up ticks and tells about them."""

    def __init__(self, stamp: Time) -> None:
        self.message = SimStats()
        self.message.header.stamp = stamp
        self.window = Window()
        self.ticks = 0
        self.paused = False
        self.failure = ""
        self.standing = ""
        self.missed = 0

    def ticked(self, observation: Observation, tick_time: float, duration: float, missed: int) -> None:
        """Note a tick of ``tick_time`` [s, simulated] that took ``duration`` [s], and ticks missed so far."""
        window, report = self.window, observation.report
        self.ticks, self.missed = self.ticks + 1, missed
        window.ticks, window.simulated = window.ticks + 1, window.simulated + tick_time
        window.busy, window.longest = window.busy + duration, max(window.longest, duration)
        window.iterations = max(window.iterations, int(report.iterations))
        window.residual = max(window.residual, float(report.residual))
        window.inexact += not report.exact

    def start_again(self) -> None:
        """Count from zero, after a reset."""
        self.ticks, self.missed, self.failure, self.standing, self.window = 0, 0, "", "", Window()

    def fill(self, observation: Observation, rejected: int, clamped: int, emergency_stop: bool) -> SimStats:
        """Sum up the window, and open the next one."""
        window, message = self.window, self.message
        elapsed = time.monotonic() - window.begin
        message.real_time_factor = window.simulated / elapsed if elapsed > 0.0 and not self.paused else 0.0
        message.step_time_mean = window.busy / window.ticks if window.ticks else 0.0
        message.step_time_max = window.longest
        message.steps, message.ticks, message.missed_ticks = int(observation.steps), self.ticks, self.missed
        message.solver_iterations, message.solver_residual = window.iterations, window.residual
        message.energy = float(observation.energy.total)
        message.energy_drift = math.nan  # the work of drives and dampers is not summed up: not measured
        message.rejected_commands, message.clamped_commands = rejected, clamped
        message.emergency_stop = emergency_stop
        message.status, message.status_text = self._status(window)
        self.window = Window(missed_before=self.missed)
        return message

    def _status(self, window: Window) -> tuple[int, str]:
        """The worst that applies to the window, and what it means."""
        if self.failure:
            return SimStats.FAILED, self.failure
        if self.paused:
            return SimStats.PAUSED, self.standing
        if self.missed > window.missed_before:
            missed = self.missed - window.missed_before
            return SimStats.LATE, f"slower than asked for: gave up {missed} ticks, time runs behind"
        if window.inexact:
            return SimStats.NOT_EXACT, f"the solver was not exact in {window.inexact} of {window.ticks} ticks"
        return SimStats.RUNNING, self.standing
