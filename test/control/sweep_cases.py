"""What the tests of sweeps share: a small matrix, outcomes, and a worker whose runs are logged and
can be held."""

import os
import time
from datetime import datetime, timezone
from pathlib import Path

from cable_sim_studies.sweeps.identity import identity
from cable_sim_studies.sweeps.work import Outcome

MATRIX = """\
title: laboratory crane
base:
  crane: lab_gantry
  controller: {kind: operator}
  watch: 0.8
axes:
  way:
    short: {moves: [{axis: trolley, to: 0.05, start: 0.1}]}
    long: {moves: [{axis: trolley, to: 0.2, start: 0.1}]}
    outside: {moves: [{axis: trolley, to: 5.0, start: 0.1}]}
  load:
    light: {load: 0.05}
    heavy: {load: 0.15}
  rope:
    high: {rope_length: 0.22}
    low: {rope_length: 0.35}
"""
"""Twelve runs of a second or two; the four that are to go outside fail."""
RUNS, FAILING = 12, 4
LOG, GATE = "CABLE_SIM_SWEEP_LOG", "CABLE_SIM_SWEEP_GATE"
FREE = 4
"""How many runs of a logged worker begin before they have to wait at the gate."""


def outcome(run: str, status: str = "done", wall: float = 0.1, **metrics: float) -> Outcome:
    """An outcome that nobody has run for."""
    error, reason = ("", "") if status == "done" else ("SpecError", "can't be")
    return Outcome(
        run, status, error, reason, 2.0, wall, "here/1", datetime.now(timezone.utc), metrics
    )


def begun(log: Path, what: str = "begin") -> list[tuple[int, str]]:
    """Process and digest of the runs that have begun, or ended, by a log."""
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [(int(process), run) for word, process, run in lines if word == what]


def log_runs(real):
    """``run`` with a line in the log before and behind it; after the first few, it waits for the
    gate to be there."""
    log, gate = Path(os.environ[LOG]), Path(os.environ[GATE])

    def told(word: str, run: str) -> None:
        with open(log, "a") as file:  # lines this short are written as a whole
            file.write(f"{word} {os.getpid()} {run}\n")

    def logged(scenario, **options):
        run = identity(scenario)
        told("begin", run)
        if len(begun(log)) > FREE:
            while not gate.exists():
                time.sleep(0.02)
        try:
            return real(scenario, **options)
        finally:
            told("end", run)

    return logged
