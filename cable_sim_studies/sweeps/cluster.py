"""Sweeps on Dask: local workers started for the sweep, or those of a running scheduler.

The client hands out two batches for each thread of a worker: one under way and one waiting. So no
worker waits for the client, and memory does not grow with the sweep. When a worker dies, Dask has
another one repeat its batches. A batch that was there when workers died repeatedly may hold a run
that kills them, or may be innocent. So its runs are repeated at the end, one at a time. A run that
kills its worker then counts as failed.
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
from cable_sim.spec.files import read_text
from cable_sim_studies.sweeps.identity import code
from cable_sim_studies.sweeps.jobs import Batches
from cable_sim_studies.sweeps.pools import Stop
from cable_sim_studies.sweeps.work import Outcome, Task, failed_outcome, work

AHEAD = 2
"""Batches for each thread: one under way, one waiting."""
POLL = 0.5
"""Interval at which stop requests and lost workers are checked [s]."""
ANSWER = 10.0
"""Time within which a scheduler must answer [s]."""
PATIENCE = 120.0
"""Time for which a sweep waits for a worker when there is none [s]."""
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
"""Settings of a cluster started here, in addition to those of the user's configuration files."""
PRELOAD = "cable_sim_studies.sweeps.preload"


class Cluster:
    """Workers of a scheduler.

    ``timeout`` is the longest duration of a run [s]. A run that hangs ends its worker process ten
    seconds later.
    """

    def __init__(self, client: Client, timeout: float | None = None) -> None:
        self._client = client
        self._timeout = timeout
        self._arrived: queue.Queue[Future[Any]] = queue.Queue()
        self._flying: dict[Any, tuple[Future[Any], Batch]] = {}
        self._suspects: deque[Task] = deque()
        self._threads = 0
        self._looked = 0.0
        self._seen = time.monotonic()

    def outcomes(self, batches: Batches, stop: Stop) -> Iterator[list[Outcome]]:
        """Execute all runs; see :class:`~cable_sim_studies.sweeps.pools.Pool`."""
        try:
            while not stop():
                self._hand_out(batches)
                if not self._flying:
                    break
                yield from self._next_outcomes(batches, self._suspect)
            while not stop() and (self._suspects or self._flying):
                if not self._flying:
                    self._submit((self._suspects.popleft(),))
                yield from self._next_outcomes(batches, _failed_outcomes)
        finally:
            with suppress(OSError, asyncio.TimeoutError):  # of a scheduler that is gone
                self._client.cancel([future for future, _ in self._flying.values()])

    def _hand_out(self, batches: Batches) -> None:
        """Keep all workers busy."""
        threads = self._count()
        while len(self._flying) < AHEAD * threads and (batch := batches.take(threads)):
            self._submit(batch)

    def _submit(self, batch: Batch) -> None:
        """Submit a batch to a worker."""
        future = self._client.submit(
            work, batch, self._timeout, self._timeout is not None, pure=False
        )
        self._flying[future.key] = future, batch
        future.add_done_callback(self._arrived.put)

    def _next_outcomes(self, batches: Batches, killed: Killed) -> Iterator[list[Outcome]]:
        """Yield the outcomes of a batch, if one arrives soon.

        ``killed`` decides about a batch that killed its workers. Tasks of a batch without an
        outcome are given back.
        """
        try:
            future = self._arrived.get(timeout=POLL)
        except queue.Empty:
            self._count()
            return
        _, batch = self._flying.pop(future.key)
        if future.status == "cancelled":
            raise CableSimError(
                "the scheduler has dropped its runs; repeat the command to continue"
            )
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
                failed_outcome(task, type(error).__name__, f"on its worker: {error}")
                for task in batch
            ]
        if outcomes:
            yield outcomes

    def _suspect(self, batch: Batch) -> list[Outcome]:
        """Keep these runs for the end, when they are executed one at a time."""
        self._suspects.extend(batch)
        return []

    def _count(self) -> int:
        """Return the threads of all workers, refreshed at intervals.

        CableSimError when there has been no worker for too long.
        """
        now = time.monotonic()
        if now - self._looked > POLL:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, asyncio.TimeoutError) as error:
                raise CableSimError(
                    f"the scheduler does not answer: {error}; repeat the command to continue"
                ) from None
            self._looked = now
        if self._threads:
            self._seen = now
        elif now - self._seen > PATIENCE:
            raise CableSimError(
                f"there has been no worker for {PATIENCE:g} s; start one, and repeat the command "
                "to continue"
            )
        return max(self._threads, 1)


def _failed_outcomes(batch: Batch) -> list[Outcome]:
    """Return the failed outcome of a run that was alone when its workers died."""
    reason = (
        "its worker processes died again and again: a crash, too little memory, or a run that hung"
    )
    return [failed_outcome(task, "KilledWorker", reason) for task in batch]


@contextmanager
def local_cluster(workers: int, timeout: float | None = None) -> Iterator[Cluster]:
    """Start worker processes of one thread each on this machine.

    They serve this process alone, on the loopback interface. CableSimError if they can't be
    started.
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
    """Connect to the workers of a scheduler, by its address or its scheduler file.

    An address is such as ``tcp://10.0.0.5:8786``. CableSimError if no scheduler answers there, or
    if a worker has a different cable_sim.
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
    """Return the address itself, or the one in a scheduler file.

    ``dask scheduler --scheduler-file NAME.json`` writes such a file.
    """
    if not scheduler.endswith(".json"):
        return scheduler
    try:
        return str(json.loads(read_text(scheduler))["address"])
    except (ValueError, LookupError, TypeError):
        raise CableSimError(
            f"--scheduler {scheduler}: no address in it, as a scheduler's file has"
        ) from None


def _check_versions(client: Client) -> None:
    """Check that all present workers have this code; CableSimError otherwise.

    A worker that joins later is checked by its runs.
    """
    for worker, its in client.run(code, on_error="return").items():
        if its != code():
            what = f"can't run it: {its}" if isinstance(its, Exception) else "has another one"
            raise CableSimError(
                f"worker {worker}: needs cable_sim, numba and Python as in this process, and {what}"
            )
