"""Common clock of several nodes: a node ticks as another node's ``/clock`` advances."""

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from cable_sim.ros.basis.messages import nanoseconds
from cable_sim.ros.basis.node_link import steady_timer
from cable_sim.ros.interface import CLOCK, quality

PATIENCE = 0.5
"""Lag behind the clock [s] above which missed ticks are skipped."""
SILENCE = 3.0
"""Silence after which a clock counts as lost [s, wall time].

A clock that stands still repeats itself ten times a second.
"""
_ROUNDING = 1_000
"""Tolerance of stamps [ns]: two nodes count the same ticks, and may round differently."""


class Follower:
    """Keeper of simulated time by another node's clock.

    In the physics thread it replaces a :class:`~cable_sim.ros.basis.pacing.Pacer`. A tick is due
    as soon as the clock has come to its end, so that no stamp is ever later than the clock. Nodes
    of one tick rate have the same stamps. A follower that lags catches up as fast as it can. If it
    lags by more than ``PATIENCE``, it moves its state's time to the clock's and counts the skipped
    ticks as missed. A clock that goes back, because its node was started anew, is followed there.

    Parameters
    ----------
    tick_time: simulated time of a tick [s].
    present: gives ROS time of the machine's state [ns].
    shift: moves that time [ns] while the state stays as it is.
    keeps: returns True if no tick may be skipped, at any lag.
    """

    def __init__(
        self,
        tick_time: float,
        present: Callable[[], int],
        shift: Callable[[int], None],
        keeps: Callable[[], bool] = lambda: False,
    ) -> None:
        self.tick_time = tick_time
        self.tick = round(tick_time * 1e9)
        self.present = present
        self.shift = shift
        self.keeps = keeps
        self.missed = 0
        self.late = False
        self.factor = 1.0
        self.clock: int | None = None
        self._together = False

    @property
    def ready(self) -> bool:
        """Return True if the clock has come to the end of the next tick."""
        return (
            self._together
            and self.clock is not None
            and self.clock - self.present() >= self.tick - _ROUNDING
        )

    @property
    def behind(self) -> float:
        """Lag of the state behind the clock, beyond a tick [s]."""
        return (
            0.0
            if self.clock is None
            else max(1e-9 * (self.clock - self.present() - self.tick), 0.0)
        )

    @property
    def period(self) -> float:
        """Estimated wall time for a tick [s]: the clock may go at another pace."""
        return self.tick_time / self.factor if self.factor else math.inf

    @property
    def due(self) -> float:
        """Time of the next tick [s, monotonic]: at once, or never until the clock is heard."""
        return -math.inf if self.ready else math.inf

    def start(self, factor: float | None = None) -> None:
        """Begin with the next clock message.

        So a pause in which the clock took no part misses no ticks.
        """
        self.factor = self.factor if factor is None else factor
        self._together = False

    def take_clock(self, clock: int) -> None:
        """Take the other node's time [ns]."""
        back = self.clock is not None and clock < self.clock - self.tick
        self.clock = clock
        behind = clock - self.present()
        if back or (not self._together and behind > 0):
            self.shift(behind)
        elif not self.keeps() and behind > max(round(PATIENCE * 1e9), 2 * self.tick):
            given_up = behind // self.tick - 1
            self.missed = self.missed + given_up
            self.late = True
            self.shift(given_up * self.tick)
        self._together = True

    def note_wait(self) -> None:
        """Note a wait for a command; the clock, which went on, gives the lag to catch up."""

    def note_tick(self) -> None:
        """Note that a tick is done.

        There is no schedule: the clock decides when the next one is due.
        """
        self.late = self.late and self.behind > 0.0


def follow(node: Node, physics: Any, note: Callable[[str], None]) -> tuple[Any, ...]:
    """Subscribe to the clock for a physics thread with a follower, and note when the clock is lost.

    Returns the subscription and its timer, to which the caller must keep references.
    """
    last = time.monotonic()
    silent = False

    def hear(message: Any) -> None:
        nonlocal last, silent
        last = time.monotonic()
        silent = False
        stamp = nanoseconds(message.clock)
        physics.post(lambda: physics.hear(stamp))

    def look() -> None:
        nonlocal silent
        if not silent and time.monotonic() - last > SILENCE:
            silent = True
            note(
                f"follow_clock: no message on {CLOCK.topic} for {SILENCE:g} s; time stands still "
                "until one arrives"
            )

    # as everybody who follows a clock
    newest = quality(1, reliable=False)
    return node.create_subscription(CLOCK.type, CLOCK.topic, hear, newest), steady_timer(
        node, 1.0, look
    )
