"""Log lines of a start: how long kernels have been compiled, and warnings.

Without them the first start after an update would be silent for a minute.
"""

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cable_sim.errors import CableSimWarning, warnings_told
from cable_sim.kernel_cache import compiling_text, watch_misses

PERIOD = 10.0
"""Time between lines of progress [s]."""


class StartReport:
    """Report of what keeps the node from running, by callbacks for information and warnings."""

    def __init__(self, inform: Callable[[str], object], warn: Callable[[str], object]) -> None:
        self._inform = inform
        self._warn = warn
        self._begin = time.monotonic()
        self._compiling = False
        self._ended = threading.Event()

    @property
    def elapsed(self) -> float:
        """Wall time since the report began [s]."""
        return time.monotonic() - self._begin

    @contextmanager
    def told(self) -> Iterator[None]:
        """Report what happens within the block."""
        with warnings_told(self._warn), watch_misses(self._tell_miss):
            warnings.simplefilter("always", CableSimWarning)
            try:
                yield
            finally:
                self._ended.set()

    def _tell_miss(self, _: str) -> None:
        """Tell of the first kernel that has to be compiled."""
        if not self._compiling:
            self._compiling = True
            self._inform(compiling_text(self.elapsed))
            threading.Thread(target=self._tell_progress, name="progress", daemon=True).start()

    def _tell_progress(self) -> None:
        """Tell now and then how long kernels have been compiled."""
        while not self._ended.wait(PERIOD):
            self._inform(compiling_text(self.elapsed))
