"""Who does the runs of a sweep: this process, or what else has the same method (``cluster.py``)."""

from collections.abc import Callable, Iterator
from typing import Protocol

from cable_sim.evaluation.sweeps.jobs import Batches
from cable_sim.evaluation.sweeps.work import Outcome, work

Stop = Callable[[], bool]
"""Whether the sweep is to end early."""


class Interrupted(BaseException):
    """The sweep is to end now, in the middle of a run; no error, so that it is not taken for the
    run's."""


class Pool(Protocol):
    """Workers."""

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Do all runs, whatever happens to the workers; outcomes as they come, until ``stop`` says
        so.

        Of each run that it yields there is one outcome. CableSimError if there is nobody left to do
        them.
        """


class InProcess:
    """This process, with one core. ``timeout`` of a run [s]: one that never looks at the clock is
    not ended."""

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """One batch after another; a run that is interrupted is lost."""

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
