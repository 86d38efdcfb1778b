"""What a worker does: runs of scenarios, each with an outcome, whatever happens in it."""

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
from cable_sim.evaluation.sweeps.identity import identity

GRACE = 10.0
"""How long after its time a run may go on that does not look at the clock, before its process is
ended [s]."""
HUNG = 124
"""Exit status of such a process."""
ENOUGH = 2.0
"""After how long a batch is given back with what has been done of it [s]."""
LONGEST = 600
"""Most characters of a reason."""


class Task(NamedTuple):
    """A run to be done, by its digest."""

    run: str
    scenario: Scenario


class Outcome(NamedTuple):
    """What came of a run.

    Parameters
    ----------
    run: its digest.
    status: ``done`` or ``failed``.
    error: class of what was raised; empty for a run that is done.
    reason: why it failed, in words.
    simulated, wall: how long it took, in simulated time and on the wall [s].
    worker: host and process.
    finished: when, in UTC.
    metrics: of a run that is done, see :meth:`~cable_sim.control.metrics.Metrics.flat`; empty if it
        failed.
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
    """A run that took longer than it may."""


def work(
    batch: Sequence[Task],
    timeout: float | None = None,
    deadly: bool = False,
    look: Callable[[], object] | None = None,
) -> list[Outcome]:
    """Do some runs, one after another; those that are still to do when it has taken long enough
    have no outcome.

    ``timeout`` is the longest that each may take [s]. One that does not even look at the clock ends
    its process, if ``deadly``, ten seconds later. ``look`` is called now and then and may raise
    what ends the work.
    """
    _prepare()
    began, outcomes = time.perf_counter(), []
    for task in batch:
        outcomes.append(_outcome(task, timeout, deadly, look))
        if time.perf_counter() - began > ENOUGH:
            break
    return outcomes


def failed(task: Task, error: str, reason: str) -> Outcome:
    """The outcome of a run of which only that is known."""
    return Outcome(task.run, "failed", error, reason, 0.0, 0.0, "", _now(), {})


@functools.cache
def _prepare() -> None:
    """Load the compiled kernels, or compile them, before the clock of a run runs."""
    from cable_sim.sim.precompile import main

    main()


def _outcome(
    task: Task, timeout: float | None, deadly: bool, look: Callable[[], object] | None
) -> Outcome:
    """Do a run."""
    began, simulated = time.perf_counter(), 0.0

    def progress(now: float) -> None:
        nonlocal simulated
        simulated = now
        if look is not None:
            look()
        if timeout is not None and time.perf_counter() - began > timeout:
            raise RunTimeout(f"takes longer than {timeout:g} s; was at {now:g} s of simulated time")

    status, error, reason, metrics = "done", "", "", {}
    try:
        _check(task)
        with _ended_after(timeout + GRACE if timeout is not None and deadly else None):
            done = run(task.scenario, progress=progress)
        simulated = float(done.time[-1])
        metrics = {name: float(value) for name, value in metrics_of(done).flat().items()}
    except Exception as problem:  # a controller may raise anything, and the other runs are to go on
        status, error, reason = "failed", type(problem).__name__, _reason(problem)
    wall = time.perf_counter() - began
    return Outcome(task.run, status, error, reason, simulated, wall, _worker(), _now(), metrics)


def _check(task: Task) -> None:
    """CableSimError where code or files are not those of the process that wants the run."""
    if identity(task.scenario) != task.run:
        where = platform.node()
        raise CableSimError(
            f"{where} has another cable_sim, or other files of crane or wind, than who asks for it"
        )


@contextmanager
def _ended_after(seconds: float | None) -> Iterator[None]:
    """End this process, if what is inside does not return in time [s]: nothing else stops a thread
    that hangs."""
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
    """What was raised in words; with its place in the code, if it is not an error that explains
    itself."""
    text = " ".join(str(problem).split())
    if not isinstance(problem, CableSimError):
        last = traceback.extract_tb(problem.__traceback__)[-1]
        text = f"{text} ({Path(last.filename).name}, line {last.lineno}, in {last.name})".strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _worker() -> str:
    """This process."""
    return f"{platform.node()}/{os.getpid()}"


def _now() -> datetime:
    """In UTC."""
    return datetime.now(timezone.utc)
