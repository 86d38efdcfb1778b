"""Work of a worker: runs of scenarios, each with an outcome, whatever happens in it."""

import functools
import os
import platform
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from cable_sim.control.metrics import metrics_of
from cable_sim.control.run import run
from cable_sim.control.scenario import Scenario
from cable_sim.errors import CableSimError
from cable_sim_studies.sweeps.identity import identity

GRACE = 10.0
"""Delay after its timeout at which a run that does not check the clock ends its process [s]."""
HUNG = 124
"""Exit status of such a process."""
ENOUGH = 2.0
"""Duration after which a batch is given back with the runs done so far [s]."""
LONGEST = 600
"""Largest number of characters of a reason."""


class Task(NamedTuple):
    """Planned run, with its digest."""

    run: str
    scenario: Scenario


class Outcome(NamedTuple):
    """Outcome of a run.

    Parameters
    ----------
    run: its digest.
    status: ``done`` or ``failed``.
    error: class of the exception; empty for a run that is done.
    reason: why it failed, in words.
    simulated, wall: its duration in simulated and in wall time [s].
    worker: host and process.
    finished: end of the run, in UTC.
    metrics: metrics of a run that is done, see :meth:`~cable_sim.control.metrics.Metrics.flatten`;
        empty if it failed.
    """

    run: str
    status: str
    error: str
    reason: str
    simulated: float
    wall: float
    worker: str
    finished: datetime
    metrics: dict[str, float]


class RunTimeout(CableSimError):
    """Error of a run that exceeded its timeout."""


def work(
    batch: Sequence[Task], timeout: float | None = None, deadly: bool = False
) -> list[Outcome]:
    """Return the outcomes of runs, see :func:`outcomes_of`."""
    return list(outcomes_of(batch, timeout, deadly))


def outcomes_of(
    batch: Sequence[Task],
    timeout: float | None = None,
    deadly: bool = False,
    look: Callable[[], object] | None = None,
) -> Iterator[Outcome]:
    """Execute runs one after another, until the batch has taken long enough.

    Runs not started by then have no outcome. ``timeout`` is the longest duration of each run [s].
    If ``deadly``, a run that does not check the clock ends its process ten seconds later. ``look``
    is called at intervals and may raise an exception that ends the work.
    """
    prepare()
    began = time.perf_counter()
    for task in batch:
        yield _outcome(task, timeout, deadly, look)
        if time.perf_counter() - began > ENOUGH:
            return


def failed_outcome(task: Task, error: str, reason: str) -> Outcome:
    """Return the outcome of a failed run of which only the error is known."""
    return Outcome(task.run, "failed", error, reason, 0.0, 0.0, "", _present_time(), {})


@functools.cache
def prepare() -> None:
    """Load or compile the kernels before a run's clock starts."""
    from cable_sim.sim.precompile import main

    main()


def _outcome(
    task: Task, timeout: float | None, deadly: bool, look: Callable[[], object] | None
) -> Outcome:
    """Execute a run."""
    began = time.perf_counter()
    simulated = 0.0

    def progress(now: float) -> None:
        nonlocal simulated
        simulated = now
        if look is not None:
            look()
        if timeout is not None and time.perf_counter() - began > timeout:
            raise RunTimeout(f"took longer than {timeout:g} s; was at {now:g} s of simulated time")

    status = "done"
    error = ""
    reason = ""
    metrics = {}
    try:
        _check(task)
        with _end_after(timeout + GRACE if timeout is not None and deadly else None):
            done = run(task.scenario, progress=progress)
        simulated = float(done.time[-1])
        metrics = {name: float(value) for name, value in metrics_of(done).flatten().items()}
    except Exception as problem:  # a controller may raise anything, and the other runs are to go on
        status = "failed"
        error = type(problem).__name__
        reason = _reason(problem)
    wall = time.perf_counter() - began
    worker = f"{platform.node()}/{os.getpid()}"
    return Outcome(
        task.run, status, error, reason, simulated, wall, worker, _present_time(), metrics
    )


def _check(task: Task) -> None:
    """Check that code and files equal those of the planning process; CableSimError if not."""
    if identity(task.scenario) != task.run:
        where = platform.node()
        raise CableSimError(
            f"{where} has another cable_sim, or other files of crane or wind, than the process "
            f"that sent the run"
        )


@contextmanager
def _end_after(seconds: float | None) -> Iterator[None]:
    """End this process if the body does not return in time [s].

    Nothing else stops a thread that hangs.
    """
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, os._exit, (HUNG,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _reason(problem: Exception) -> str:
    """Return an exception's text, with its place in the code unless it is a CableSimError."""
    text = " ".join(str(problem).split())
    if not isinstance(problem, CableSimError):
        last = traceback.extract_tb(problem.__traceback__)[-1]
        text = f"{text} ({Path(last.filename).name}, line {last.lineno}, in {last.name})".strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _present_time() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(timezone.utc)
