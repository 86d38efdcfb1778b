"""Events among the messages of frames: each is shown once, with its time, for a while.

A source keeps its newest messages and sends all of them with every frame. So an event is a message
that was not there before; one that goes brings back none of the others. What lasts is a state and
has a place of its own (``Frame.condition``, limits, faults).
"""

import math
from collections import Counter

from cable_sim.machine.pictures.frame import Frame

SHOWN_TIME = 10.0
"""Wall time [s] for which the newest event is shown."""


class Events:
    """The newest event of a page."""

    def __init__(self) -> None:
        self._known: Counter[str] = Counter()
        self._newest = ""
        self._arrived = -math.inf

    def take(self, frame: Frame, now: float) -> None:
        """Look for new messages in a frame that arrives at ``now`` [s], of any steady clock."""
        messages = Counter(frame.messages)
        new = messages - self._known
        self._known = messages
        for text in reversed(frame.messages):
            if text in new:
                self._newest = f"{frame.time:.1f} s: {text}"
                self._arrived = now
                return

    def newest(self, now: float) -> str:
        """Return the newest event with its simulated time, or an empty text once it is old."""
        return self._newest if now - self._arrived < SHOWN_TIME else ""
