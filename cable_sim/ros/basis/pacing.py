"""Pacing: ticks on an absolute schedule of the wall clock, messages at fractions of their rate."""

import math
import time
from collections.abc import Callable

ALL = -1
"""Tick at which every message that is not switched off is due."""


class Pacer:
    """Keeper of simulated time at a multiple of wall time.

    Tick n is due at start + n * period whenever tick n - 1 was done, so that lateness does not add
    up. A small lag is caught up. For a lag of more than ``patience`` [s] the schedule restarts now,
    and the ticks that would have fitted into the lag count as missed. So a machine that is too slow
    runs in slow motion and answers its operator, instead of chasing a schedule that moves away from
    it. It is ``late`` from then on until it has caught up with a tick's schedule, not only at each
    restart.

    Parameters
    ----------
    tick_time: simulated time of a tick [s].
    factor: simulated over wall time; 0 is as fast as possible.
    clock: a monotonic clock [s].
    """

    ready = True  # nobody else has to come first

    def __init__(
        self,
        tick_time: float,
        factor: float,
        patience: float = 0.1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tick_time = tick_time
        self.factor = factor
        self.patience = patience
        self.clock = clock
        self.missed = 0
        self.late = False
        self.behind = 0.0
        """Wall time by which the last tick ended after the next one was due [s]."""
        self.due = clock()

    @property
    def period(self) -> float:
        """Wall time for a tick [s]; infinite without a pace."""
        return self.tick_time / self.factor if self.factor else math.inf

    def start(self, factor: float | None = None) -> None:
        """Begin the schedule now, after a pause or with another factor."""
        self.factor = self.factor if factor is None else factor
        self.due = self.clock()
        self.late = False
        self.behind = 0.0

    def note_wait(self) -> None:
        """Note a wait for another process; its duration is neither caught up nor missed."""
        self.due = max(self.due, self.clock())

    def note_tick(self) -> None:
        """Schedule the next tick, after one is done."""
        now = self.clock()
        if self.factor == 0.0:
            self.due = now
            return
        period = self.period
        self.due += period
        self.behind = max(now - self.due, 0.0)
        if self.behind > max(self.patience, period):
            given_up = int(self.behind / period)
            self.missed += given_up
            self.due += given_up * period
            self.late = True
        elif self.behind == 0.0:
            self.late = False


class EveryTick:
    """Schedule of a message by ticks: the nearest whole number of times per second.

    ``rate`` and ``tick_rate`` are per simulated second; a rate of 0 is never.
    """

    def __init__(self, rate: float, tick_rate: float) -> None:
        self.rate = rate
        self.tick_rate = tick_rate

    def due(self, tick: int) -> bool:
        """Return True if the message goes out with that tick, counted from 0, or always."""
        if self.rate == 0.0:
            return False
        return tick in (0, ALL) or math.floor(tick * self.rate / self.tick_rate) > math.floor(
            (tick - 1) * self.rate / self.tick_rate
        )


class EveryWhile:
    """Schedule of a message every ``period`` seconds of wall time; a period of 0 is never."""

    def __init__(self, period: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.period = period
        self.clock = clock
        self.next = clock()

    def due(self) -> bool:
        """Return True once per period."""
        now = self.clock()
        if self.period == 0.0 or now < self.next:
            return False
        # from the plan, not from now, so that the mean rate is right; but after a halt never two at
        # once
        self.next = (self.next if self.next + self.period > now else now) + self.period
        return True

    def hurry(self) -> None:
        """Make the message due now."""
        self.next = self.clock()

    def restart(self) -> None:
        """Have the next message due a whole period from now."""
        self.next = self.clock() + self.period
