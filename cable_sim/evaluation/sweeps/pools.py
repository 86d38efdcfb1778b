"""Pools that execute the runs of a sweep: this process, or other ones such as ``cluster.py``."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from cable_sim.evaluation.sweeps.jobs import Batches
from cable_sim.evaluation.sweeps.work import Outcome, prepare, work

AHEAD = 2
"""Runs for each thread: one under way, one waiting."""
POLL = 0.5
"""Interval at which stop requests are checked while no run ends [s]."""
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
    """Pool of threads of this process.

    Compiled ticks hold no lock of Python, so the physics of some runs goes on while the controller
    of another one is asked. Every run has the bits that it has alone.

    Parameters
    ----------
    timeout: longest duration of a run [s]. A run that never checks the clock is not ended.
    threads: number of runs at a time.
    """

    def __init__(self, timeout: float | None = None, threads: int = 1) -> None:
        self._timeout = timeout
        self._threads = threads

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Execute all runs; those that are under way when ``stop`` returns True are lost."""
        halt = threading.Event()
        flying: set[Future[list[Outcome]]] = set()

        def look() -> None:
            if halt.is_set():
                raise Interrupted

        prepare()
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                while not stop():
                    while len(flying) < AHEAD * self._threads and (batch := batches.take()):
                        for task in batch:
                            flying.add(pool.submit(work, (task,), self._timeout, look=look))
                    if not flying:
                        return
                    done, flying = wait(flying, POLL, FIRST_COMPLETED)
                    if done:
                        yield [outcome for future in done for outcome in future.result()]
            finally:
                halt.set()
                pool.shutdown(cancel_futures=True)
        ended = [one for one in flying if not one.cancelled() and one.exception() is None]
        if ended:
            yield [outcome for future in ended for outcome in future.result()]
