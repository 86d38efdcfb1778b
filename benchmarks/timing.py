"""Measuring by turns: every case once, then every case again, so that all of them see the same good and bad times."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

ROUNDS = 9


class Case(NamedTuple):
    """What is timed: ``work`` does ``count`` times what is to be measured; ``before`` prepares a round, untimed."""

    work: Callable[[], object]
    count: int = 1
    before: Callable[[], object] = lambda: None


class Timing(NamedTuple):
    """Seconds per piece of work: best and median round."""

    best: float
    median: float


def measure(cases: Mapping[str, Case], rounds: int = ROUNDS) -> dict[str, Timing]:
    """Timings of all cases after one round to warm up."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            case.before()
            begin = time.perf_counter()
            case.work()
            seconds = (time.perf_counter() - begin) / case.count
            if turn > 0:
                taken[name].append(seconds)
    return {name: Timing(min(times), statistics.median(times)) for name, times in taken.items()}
