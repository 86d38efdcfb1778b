"""Sweeps: what two workers do over what one does, or this process alone, and how much memory many
runs take.

Short runs of the laboratory crane, the hardest for a sweep: the shorter a run, the more is left to
who hands it out. On a machine that does anything else the efficiency says little, as the client and
two workers want all of two cores.
"""

import dataclasses
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.results import Row

if TYPE_CHECKING:
    from cable_sim_studies.sweeps.pools import Pool

ROUNDS = 3
SHORT = 600
"""Runs for the efficiency."""
MANY = 10_000
"""Runs for the memory."""
WARM = 16
"""Runs before the clock runs, so that all workers have loaded what they need."""


def sweep() -> list[Row]:
    """Runs a second of one worker, of one for each core, and of this process, by turns; efficiency
    of many workers."""
    from cable_sim_studies.sweeps.cluster import local_cluster
    from cable_sim_studies.sweeps.pools import InProcess

    cores = len(os.sched_getaffinity(0))
    ways: dict[str, Callable[[], AbstractContextManager[Pool]]] = {
        "1 workers": lambda: local_cluster(1),
        f"{cores} workers": lambda: local_cluster(cores),
        "this process": lambda: nullcontext(InProcess()),
    }
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, found in rates.items():
            found.append(_run_sweep(ways[way], SHORT)[0])
    note = f"{SHORT} short runs"
    rows = [
        Row("sweep", way, max(found), statistics.median(found), "runs/s", note)
        for way, found in rates.items()
    ]
    one, many, _ = rates.values()
    shares = [rate / (cores * alone) for alone, rate in zip(one, many, strict=True)]
    way = f"efficiency of {cores} workers"
    return [*rows, Row("sweep", way, max(shares), statistics.median(shares), "-", "by rounds")]


def sweep_memory() -> list[Row]:
    """Largest resident memory of client and workers while many runs are done, one worker for each
    core."""
    from cable_sim_studies.sweeps.cluster import local_cluster

    cores = len(os.sched_getaffinity(0))
    rate, client, workers = _run_sweep(lambda: local_cluster(cores), MANY)
    note = f"{MANY} short runs, {rate:.1f} runs/s"
    return [
        Row("sweep_memory", "client", client, client, "MB", note),
        Row(
            "sweep_memory",
            f"client and {cores} workers",
            workers,
            workers,
            "MB",
            "shared pages count for each",
        ),
    ]


def _run_sweep(
    way: "Callable[[], AbstractContextManager[Pool]]", count: int
) -> tuple[float, float, float]:
    """Runs a second; largest memory of this process, and of it with its children [MB]."""
    from cable_sim.control.scenario import Move, Scenario
    from cable_sim_studies.sweeps.identity import identity
    from cable_sim_studies.sweeps.run_sweep import conduct
    from cable_sim_studies.sweeps.store import Store
    from cable_sim_studies.sweeps.work import Task

    plain = Scenario("lab_gantry", (Move("trolley", to=0.15, start=0.1),), watch=1.0)
    scenarios = [dataclasses.replace(plain, seed=seed) for seed in range(count + WARM)]
    tasks = [Task(identity(scenario), scenario) for scenario in scenarios]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store, way() as pool:
        conduct(tasks[:WARM], store, pool)
        with _Memory() as memory:
            began = time.perf_counter()
            assert conduct(tasks[WARM:], store, pool)
            took = time.perf_counter() - began
        assert set(store.finished_runs().values()) == {"done"}
    return count / took, memory.own, memory.all


class _Memory:
    """Looks at the memory now and then: largest of this process, and of it with its children
    [MB]."""

    def __enter__(self) -> "_Memory":
        self.own = self.all = 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        import psutil

        this = psutil.Process()
        while not self._end.wait(1.0):
            own = this.memory_info().rss / 1e6
            self.own = max(self.own, own)
            with suppress(psutil.NoSuchProcess):  # of a child that has ended since it was listed
                children = (
                    sum(child.memory_info().rss for child in this.children(recursive=True)) / 1e6
                )
                self.all = max(self.all, own + children)
