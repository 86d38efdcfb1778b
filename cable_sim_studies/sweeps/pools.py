"""Pools that execute the runs of a sweep: this process, or other ones such as ``cluster.py``."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

from cable_sim_studies.sweeps.jobs import Batches
from cable_sim_studies.sweeps.work import Outcome, outcomes_of

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
    """Pool of this process alone, which executes one run at a time.

    Threads would wait for Python, which takes the larger part of a run: two of them do a tenth to a
    third less than one.

    Parameters
    ----------
    timeout: longest duration of a run [s]. A run that never checks the clock is not ended.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Execute all runs; the one under way when ``stop`` returns True is lost."""

        def look() -> None:
            if stop():
                raise Interrupted

        while not stop() and (batch := batches.take()):
            outcomes: list[Outcome] = []
            with suppress(Interrupted):
                for outcome in outcomes_of(batch, self._timeout, look=look):
                    outcomes.append(outcome)
            batches.give_back(batch[len(outcomes) :])
            yield outcomes
