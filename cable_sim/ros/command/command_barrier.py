"""Barrier of simulated time: a tick is held back until a command for it has come.

The state of time t is published. The next tick is taken once a command stamped at t or later has
come. So the commands of a run meet the same ticks at any speed of machine and network, and two runs
are equal to the bit.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from cable_sim.ros.basis.parameters import Settings

FARTHEST = 10_000_000_000
"""Longest time of a stamp ahead of ROS time [ns].

Beyond it the stamp is wall time, of a sender without ``use_sim_time``.
"""


class Answer(NamedTuple):
    """Arrival of a command, with its stamp [ns].

    A stamp of 0 means none, and answers the state at 0 alone. ``attached`` is true of the attached
    hardware component's, see :meth:`Barrier.attach`.
    """

    stamp: int
    attached: bool = False


class Barrier:
    """Barrier before the next tick. Used by the physics thread only.

    A stamp ahead of the state lets time pass until there: a controller slower than the ticks stamps
    a command with the last state that it answers. The time-out counts from the first answer on, so
    that simulator and controller can start in any order.

    Parameters
    ----------
    settings: the parameters ``lockstep`` and ``lockstep_timeout``.
    clock: a monotonic clock [s].
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.mode = settings.lockstep
        self.timeout = settings.lockstep_timeout
        self.attached = False
        self.epoch = 0
        self.forget()

    def set(self, settings: Settings) -> None:
        """Take changed parameters; another mode starts anew."""
        before = self.mode
        self.mode = settings.lockstep
        self.timeout = settings.lockstep_timeout
        if self.mode != before:
            self.forget()

    def attach(self, attached: bool) -> None:
        """Have the answers of an attached component alone open the barrier, or no longer."""
        self.attached = attached
        self._start_anew()

    def forget(self) -> None:
        """Forget what was answered, after a reset or a time-out; answers to it come too late."""
        self.epoch += 1
        self._start_anew()

    def _start_anew(self) -> None:
        """Wait for a first answer."""
        self.answered = -1
        self.engaged = False
        self.warned = False
        self.begin()

    def begin(self) -> None:
        """Begin to wait; to be called when a state has been published."""
        self.begun = self.clock()

    @property
    def holds(self) -> bool:
        """Return True if ticks are held back."""
        return self.attached or self.mode == "command"

    def answer(self, stamp: int, now: int, attached: bool = False) -> str:
        """Take the stamp of a command, at ROS time ``now`` [ns].

        ``attached`` is true of the attached component's. Returns a notice for the user, which is
        empty in most cases.
        """
        if not self.holds or attached != self.attached or not now <= stamp:
            return ""
        if stamp > now + FARTHEST:
            told = self.warned
            self.warned = True
            stamped = f"{stamp * 1e-9:.3f} s"
            present = f"{now * 1e-9:.3f} s"
            return (
                ""
                if told
                else f"lockstep: a command stamped {stamped} answers no state at {present}; "
                "use simulated time"
            )
        self.answered = max(self.answered, stamp)
        self.engaged = True
        return ""

    def is_open(self, now: int) -> bool:
        """Return True if the tick after ROS time ``now`` [ns] may be taken."""
        return not self.holds or self.answered >= now

    @property
    def deadline(self) -> float:
        """End of the wait [s, of the clock]; infinite without a time-out."""
        return self.begun + self.timeout if self.engaged and self.timeout else math.inf
