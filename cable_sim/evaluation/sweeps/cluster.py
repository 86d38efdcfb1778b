"""A sweep on Dask: workers of this machine, started for the sweep, or those of a scheduler that
runs already.

The client hands out batches, two for each thread of a worker: one that is under way and one that
waits, so that no worker waits for the client, and the memory does not grow with the sweep. A worker
that dies has its batches done by another one; Dask does that. A batch that was there when workers
died again and again may hold a run that kills them, or
be innocent and near: so its runs are done at the end, one at a time, and what kills its worker then
is a failed run.
"""

import asyncio
import json
import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dask
from distributed import Client, Future, KilledWorker, LocalCluster

from cable_sim.errors import CableSimError
from cable_sim.evaluation.sweeps.identity import code
from cable_sim.evaluation.sweeps.jobs import Batches
from cable_sim.evaluation.sweeps.pools import Stop
from cable_sim.evaluation.sweeps.work import Outcome, Task, failed, work
from cable_sim.spec.files import read_text

AHEAD = 2
"""Batches for each thread: one under way, one that waits."""
POLL = 0.5
"""How often it is looked whether somebody wants to stop, and who is still there [s]."""
ANSWER = 10.0
"""How long a scheduler may take to answer [s]."""
PATIENCE = 120.0
"""How long a sweep waits for a worker when there is none [s]."""
LOOPBACK = "127.0.0.1"

Batch = tuple[Task, ...]
Killed = Callable[[Batch], list[Outcome]]

SETTINGS: dict[str, Any] = {
    # workers that a batch may lose before it is suspected
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.profile.enabled": False,  # it looks at the stack 100 times a second
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.comm.timeouts.connect": "30s",
    # a worker that starts again may take longer than the usual 15 s
    "distributed.deploy.lost-worker-timeout": "1h",
}
"""Of a cluster that is started here, beside what a user's files of settings say."""
PRELOAD = "cable_sim.evaluation.sweeps.preload"


class Cluster:
    """Workers of a scheduler. ``timeout`` of a run [s]: one that hangs ends its worker process, ten
    seconds later."""

    def __init__(self, client: Client, timeout: float | None = None) -> None:
        self._client, self._timeout = client, timeout
        self._arrived: queue.Queue[Future] = queue.Queue()
        self._flying: dict[Any, tuple[Future, Batch]] = {}
        self._suspects: deque[Task] = deque()
        self._threads, self._looked, self._seen = 0, 0.0, time.monotonic()

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Do all runs; see :class:`~cable_sim.evaluation.sweeps.pools.Pool`."""
        try:
            while not stop():
                self._hand_out(batches)
                if not self._flying:
                    break
                yield from self._next(batches, self._suspect)
            while not stop() and (self._suspects or self._flying):
                if not self._flying:
                    self._submit((self._suspects.popleft(),))
                yield from self._next(batches, _condemned)
        finally:
            with suppress(OSError, asyncio.TimeoutError):  # of a scheduler that is gone
                self._client.cancel([future for future, _ in self._flying.values()])

    def _hand_out(self, batches: Batches) -> None:
        """Keep all workers busy."""
        threads = self._count()
        while len(self._flying) < AHEAD * threads and (batch := batches.take(threads)):
            self._submit(batch)

    def _submit(self, batch: Batch) -> None:
        """Have a worker do a batch."""
        future = self._client.submit(
            work, batch, self._timeout, self._timeout is not None, pure=False
        )
        self._flying[future.key] = future, batch
        future.add_done_callback(self._arrived.put)

    def _next(self, batches: Batches, killed: Killed) -> Iterator[list[Outcome]]:
        """The outcomes of a batch, if one comes soon; ``killed`` says what becomes of one that
        killed its workers.

        What is still to do of it is given back.
        """
        try:
            future = self._arrived.get(timeout=POLL)
        except queue.Empty:
            self._count()
            return
        _, batch = self._flying.pop(future.key)
        if future.status == "cancelled":
            raise CableSimError("the scheduler has dropped its runs; the same command goes on")
        try:
            outcomes = future.result(timeout=PATIENCE)
            batches.give_back(batch[len(outcomes) :])
        except (
            KilledWorker,
            asyncio.TimeoutError,
        ):  # or its worker died with the outcomes, and nobody did it again
            future.cancel()
            outcomes = killed(batch)
        except Exception as error:  # such as a worker without cable_sim
            outcomes = [
                failed(task, type(error).__name__, f"on its worker: {error}") for task in batch
            ]
        if outcomes:
            yield outcomes

    def _suspect(self, batch: Batch) -> list[Outcome]:
        """Do these runs at the end, one at a time."""
        self._suspects.extend(batch)
        return []

    def _count(self) -> int:
        """Threads of all workers, looked up now and then; CableSimError when there has been none
        for long."""
        now = time.monotonic()
        if now - self._looked > POLL:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, asyncio.TimeoutError) as error:
                raise CableSimError(
                    f"the scheduler does not answer: {error}; the same command goes on"
                ) from None
            self._looked = now
        if self._threads:
            self._seen = now
        elif now - self._seen > PATIENCE:
            raise CableSimError(
                f"there has been no worker for {PATIENCE:g} s; with one, the same command goes on"
            )
        return max(self._threads, 1)


def _condemned(batch: Batch) -> list[Outcome]:
    """A run that was alone when its workers died."""
    reason = (
        "its worker processes died again and again: a crash, too little memory, or a run that hung"
    )
    return [failed(task, "KilledWorker", reason) for task in batch]


@contextmanager
def local_cluster(workers: int, timeout: float | None = None) -> Iterator[Cluster]:
    """Worker processes of one thread each on this machine, for this process alone and on loopback
    alone.

    CableSimError if they can't be started.
    """
    theirs = dask.config.get("distributed.worker.preload", [])
    preload = [theirs] if isinstance(theirs, str) else list(theirs)
    settings = SETTINGS | {"distributed.worker.preload": [*preload, PRELOAD]}
    # Dask serves HTTP even without a dashboard, and on all addresses unless told otherwise
    address = f"{LOOPBACK}:0"
    with dask.config.set(settings):
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                dashboard_address=address,
                worker_dashboard_address=address,
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:
            raise CableSimError(
                f"worker processes don't start: {error.__cause__ or error}"
            ) from error
        with cluster, Client(cluster) as client:
            yield Cluster(client, timeout)


@contextmanager
def remote_cluster(scheduler: str, timeout: float | None = None) -> Iterator[Cluster]:
    """The workers of a scheduler, such as ``tcp://10.0.0.5:8786``, or that of the file that it has
    written.

    CableSimError if none answers there, or if a worker has another cable_sim.
    """
    address = address_of(scheduler)
    try:
        client = Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, asyncio.TimeoutError, ValueError) as error:
        raise CableSimError(f"--scheduler {address}: no scheduler answers there: {error}") from None
    with client:
        _check_versions(client)
        yield Cluster(client, timeout)


def address_of(scheduler: str) -> str:
    """The address itself, or the one in the file ``NAME.json`` of ``dask scheduler --scheduler-file
    NAME.json``."""
    if not scheduler.endswith(".json"):
        return scheduler
    try:
        return str(json.loads(read_text(scheduler))["address"])
    except (ValueError, LookupError, TypeError):
        raise CableSimError(
            f"--scheduler {scheduler}: no address in it, as a scheduler's file has"
        ) from None


def _check_versions(client: Client) -> None:
    """CableSimError unless all workers that are there have this code; one that comes later is found
    by its runs."""
    for worker, its in client.run(code, on_error="return").items():
        if its != code():
            what = f"can't run it: {its}" if isinstance(its, Exception) else "has another one"
            raise CableSimError(
                f"worker {worker}: needs cable_sim, numba and Python as in this process, and {what}"
            )
