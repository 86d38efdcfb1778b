"""Time that waits for a controller: how a tick is kept back until a command for it has come.

The state of time t is published; the next tick is taken once a command has come that is stamped at
t or later. So the commands of a run meet the same ticks whatever the machine and the network do,
and two runs are the same to the bit.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from cable_sim.ros.node.parameters import Settings

FARTHEST = 10_000_000_000
"""How far ahead of ROS time a stamp may be [ns]. Beyond, it is wall time, of a sender without
``use_sim_time``."""


class Answer(NamedTuple):
    """That a command has come, with its stamp [ns]; 0 is none, and answers the state at 0 alone."""

    stamp: int


class Barrier:
    """Whether the next tick may be taken. Used by the physics thread only.

    A stamp ahead of the state lets time pass until there: a controller that is slower than the
    ticks stamps a command with the last state that it answers. The time-out counts from the first
    answer on, so that whoever starts first waits for the other.

    Parameters
    ----------
    settings: the parameters ``lockstep`` and ``lockstep_timeout``.
    clock: a clock that nobody sets [s].
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.mode, self.timeout = settings.lockstep, settings.lockstep_timeout
        self.forget()

    def set(self, settings: Settings) -> None:
        """Take changed parameters; another mode starts anew."""
        before, self.mode, self.timeout = self.mode, settings.lockstep, settings.lockstep_timeout
        if self.mode != before:
            self.forget()

    def forget(self) -> None:
        """Forget what was answered, after a reset or a time-out."""
        self.answered, self.engaged, self.warned = -1, False, False
        self.begin()

    def begin(self) -> None:
        """A state has been published: begin to wait."""
        self.begun = self.clock()

    def answer(self, stamp: int, now: int) -> str:
        """Take the stamp of a command, at ROS time ``now`` [ns]; returns what a person should know,
        mostly nothing."""
        if self.mode != "command" or not now <= stamp:
            return ""
        if stamp > now + FARTHEST:
            told, self.warned = self.warned, True
            stamped, present = f"{stamp * 1e-9:.3f} s", f"{now * 1e-9:.3f} s"
            return (
                ""
                if told
                else f"lockstep: a command stamped {stamped} answers nothing at {present}; use "
                "sim time"
            )
        self.answered, self.engaged = max(self.answered, stamp), True
        return ""

    def open(self, now: int) -> bool:
        """Whether the tick after ROS time ``now`` [ns] may be taken."""
        return self.mode != "command" or self.answered >= now

    @property
    def deadline(self) -> float:
        """Until when to wait [s, of the clock]."""
        return self.begun + self.timeout if self.engaged and self.timeout else math.inf
