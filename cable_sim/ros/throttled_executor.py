"""An executor that a flood of messages can't make busy all the time: the physics thread needs Python's lock, too."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.executors import SingleThreadedExecutor

RATE, BURST = 1000.0, 200.0
"""Callbacks a second that are executed in a flood, and how many without a pause after a calm."""


class TokenBucket:
    """Holds ``rate`` [1/s] and lets ``burst`` through at once after a calm.

    ``clock`` is one that nobody sets [s].
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self._left, self._then = burst, clock()

    def take(self) -> float:
        """Take one; how long to wait then, before the next [s].

        Who does not wait owes no more than one: a flood that was let through is not made up for.
        """
        now = self.clock()
        gained, self._then = (now - self._then) * self.rate, now
        self._left = max(min(self._left + gained, self.burst) - 1.0, -1.0)
        return max(-self._left, 0.0) / self.rate


class ThrottledExecutor(SingleThreadedExecutor):
    """Executes at most ``RATE`` callbacks a second while ``throttled()`` holds, once more than ``BURST`` have come.

    Each pass serves all that wait, so a flooded topic delays the others by milliseconds; of the flood itself the
    newest messages are kept, as deep as the topic's queue is.
    """

    def __init__(self, throttled: Callable[[], bool], **options: Any) -> None:
        super().__init__(**options)
        self._throttled, self._bucket = throttled, TokenBucket(RATE, BURST)

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Execute what comes next, and rest if there was too much of it."""
        super().spin_once(timeout_sec)
        wait = self._bucket.take()
        if wait > 0.0 and self._throttled():
            time.sleep(wait)
