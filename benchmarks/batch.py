"""Batches: steps a second of many cranes in one call against those of one crane, and the memory of
a world.

All take turns in one run. On a machine that does anything else, what a second thread adds says
little.
"""

import os

import numpy as np

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim.cranes import load_crane
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.sim.simulator import Simulator

WORLDS = 64
STEPS = 200


def batch() -> list[Row]:
    """Steps a second of a tower crane alone, and of a batch of them on one core and on all."""
    crane = load_crane("tower_crane")
    vary = {"load.mass": np.linspace(500.0, 2000.0, WORLDS)}
    count = WORLDS * STEPS
    single = Simulator(crane.scene)
    cases = {"single run": Case(lambda: single.step(count), count)}
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        own = BatchSimulator(crane, WORLDS, vary=vary, threads=threads)
        cases[f"batch, threads: {threads}"] = Case(lambda own=own: own.step(STEPS), count)
    note = f"{WORLDS} tower cranes, {STEPS} steps a call"
    rows = [
        Row("batch", name, 1.0 / found.best, 1.0 / found.median, "steps/s", note)
        for name, found in measure(cases).items()
    ]
    size = own.nbytes_per_world
    return [*rows, Row("batch", "memory of a world", size, size, "B", note)]
