"""Sweeps: what two workers do over what one does, in the same time, and how much memory many runs
take.

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
from contextlib import suppress
from pathlib import Path

from benchmarks.results import Row

ROUNDS = 3
SHORT = 600
"""Runs for the efficiency."""
MANY = 10_000
"""Runs for the memory."""
WARM = 16
"""Runs before the clock runs, so that all workers have loaded what they need."""


def sweep() -> list[Row]:
    """Runs a second of one worker and of one for each core, by turns, and the one over so many
    times the other."""
    cores = len(os.sched_getaffinity(0))
    rates: dict[int, list[float]] = {1: [], cores: []}
    for _ in range(ROUNDS):
        for workers, found in rates.items():
            found.append(_run_sweep(workers, SHORT)[0])
    rows = [
        Row(
            "sweep",
            f"{workers} workers",
            max(found),
            statistics.median(found),
            "runs/s",
            f"{SHORT} short runs",
        )
        for workers, found in rates.items()
    ]
    shares = [many / (cores * one) for one, many in zip(rates[1], rates[cores], strict=True)]
    return [
        *rows,
        Row(
            "sweep",
            f"efficiency of {cores}",
            max(shares),
            statistics.median(shares),
            "-",
            "by rounds",
        ),
    ]


def sweep_memory() -> list[Row]:
    """Largest resident memory of client and workers while many runs are done, one worker for each
    core."""
    cores = len(os.sched_getaffinity(0))
    rate, client, workers = _run_sweep(cores, MANY)
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


def _run_sweep(workers: int, count: int) -> tuple[float, float, float]:
    """Runs a second; largest memory of this process, and of it with its children [MB]."""
    from cable_sim.control.scenario import Move, Scenario
    from cable_sim.evaluation.sweeps.cluster import local_cluster
    from cable_sim.evaluation.sweeps.identity import identity
    from cable_sim.evaluation.sweeps.run_sweep import conduct
    from cable_sim.evaluation.sweeps.store import Store
    from cable_sim.evaluation.sweeps.work import Task

    plain = Scenario("lab_gantry", (Move("trolley", to=0.15, start=0.1),), watch=1.0)
    scenarios = [dataclasses.replace(plain, seed=seed) for seed in range(count + WARM)]
    tasks = [Task(identity(scenario), scenario) for scenario in scenarios]
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder)) as store,
        local_cluster(workers) as pool,
    ):
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
