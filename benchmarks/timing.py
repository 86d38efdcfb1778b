"""Measuring by turns: every case once, then every case again, so that all of them see the same good and bad times.

By the clock on the wall; or, on a machine that others use at the same time, by the processor time of this process, in
which those are not seen but for what they do to the caches. Threads that work side by side add up in it.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

ROUNDS = 9
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


class Case(NamedTuple):
    """What is timed: ``work`` does ``count`` times what is to be measured; ``before`` prepares a round, untimed."""

    work: Callable[[], object]
    count: int = 1
    before: Callable[[], object] = lambda: None


class Timing(NamedTuple):
    """Seconds per piece of work: best and median round."""

    best: float
    median: float


class Clock:
    """Which of CLOCKS times."""

    name = "wall"


def measure(cases: Mapping[str, Case], rounds: int = ROUNDS) -> dict[str, Timing]:
    """Timings of all cases after one round to warm up."""
    now = CLOCKS[Clock.name]
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            case.before()
            begin = now()
            case.work()
            seconds = (now() - begin) / case.count
            if turn > 0:
                taken[name].append(seconds)
    return {name: Timing(min(times), statistics.median(times)) for name, times in taken.items()}
