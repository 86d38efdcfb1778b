"""Events among the messages of frames: each is shown once, with its time, for a while.

A source keeps its newest messages and sends all of them with every frame. So an event is a message
that was not there before; one that goes brings back none of the others. What lasts is a state and
has a place of its own (``Frame.condition``, limits, faults).
"""

from collections import Counter
from typing import NamedTuple

from cable_sim.machine.frame import Frame

SHOWN_TIME = 10.0
"""Wall time [s] for which the newest event is shown."""


class Event(NamedTuple):
    """A message, its simulated time, and the wall time of its arrival on any steady clock [s]."""

    text: str
    time: float
    arrived: float


class Events:
    """The newest event of a page."""

    def __init__(self) -> None:
        self._known: Counter[str] = Counter()
        self._newest: Event | None = None

    def take(self, frame: Frame, now: float) -> None:
        """Look for new messages in a frame that arrives at the wall time ``now`` [s]."""
        messages = Counter(frame.messages)
        new = messages - self._known
        self._known = messages
        for text in reversed(frame.messages):
            if text in new:
                self._newest = Event(text, frame.time, now)
                return

    def newest(self, now: float) -> str:
        """Return the newest event with its simulated time, or an empty text once it is old."""
        event = self._newest
        if event is None or now - event.arrived >= SHOWN_TIME:
            return ""
        return f"{event.time:.1f} s: {event.text}"
