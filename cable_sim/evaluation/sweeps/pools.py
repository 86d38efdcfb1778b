"""Pools that execute the runs of a sweep: this process, or another one such as ``cluster.py``."""

from collections.abc import Callable, Iterator
from typing import Protocol

from cable_sim.evaluation.sweeps.jobs import Batches
from cable_sim.evaluation.sweeps.work import Outcome, work

Stop = Callable[[], bool]
"""Function that returns True if the sweep is to end early."""


class Interrupted(BaseException):
    """Signal that the sweep is to end now, in the middle of a run.

    It is no Exception, so that it does not count as an error of the run.
    """


class Pool(Protocol):
    """Pool of workers."""

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Execute all runs, and yield their outcomes until ``stop`` returns True.

        Lost workers do not lose runs: each yielded run has one outcome. CableSimError if no worker
        is left.
        """


class InProcess:
    """Pool of this process alone, with one core.

    ``timeout`` is the longest duration of a run [s]. A run that never checks the clock is not
    ended.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Execute one batch after another; a run that is interrupted is lost."""

        def look() -> None:
            if stop():
                raise Interrupted

        kept: list[Outcome] = []
        try:
            while not stop() and (batch := batches.take()):
                kept = []
                for task in batch:
                    kept += work((task,), self._timeout, look=look)
                yield kept
        except Interrupted:
            if kept:
                yield kept
