"""Measuring by turns: every case once, then every case again, so that all of them see the same good
and bad times.

By the clock on the wall; or, on a machine that others use at the same time, by the processor time
of this process, in which those are not seen but for what they do to the caches. Threads that work
side by side add up in it.
"""

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple, TypeVar

ROUNDS = 9
CLOCKS = ("wall", "processor")


class Case(NamedTuple):
    """What is timed: ``work`` does ``count`` times what is to be measured; ``before`` prepares a
    round, untimed."""

    work: Callable[[], object]
    count: int = 1
    before: Callable[[], object] = lambda: None


class Round(NamedTuple):
    """Seconds per piece of work of one round, by either of CLOCKS."""

    wall: float
    processor: float


class Timing(NamedTuple):
    """Seconds per piece of work: best and median round."""

    best: float
    median: float


class Clock:
    """Which of CLOCKS times."""

    name = "wall"


Name = TypeVar("Name", bound=Hashable)


def run_by_turns(
    cases: Mapping[Name, Case], rounds: int = ROUNDS, told: Callable[[], object] = lambda: None
) -> dict[Name, list[Round]]:
    """All rounds of all cases after one to warm up; ``told`` is called after each turn."""
    taken: dict[Name, list[Round]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            case.before()
            wall = time.perf_counter()
            processor = time.process_time()
            case.work()
            spent = Round(
                (time.perf_counter() - wall) / case.count,
                (time.process_time() - processor) / case.count,
            )
            if turn > 0:
                taken[name].append(spent)
        told()
    return taken


def measure(cases: Mapping[Name, Case], rounds: int = ROUNDS) -> dict[Name, Timing]:
    """Timings of all cases by the clock that times."""
    timings = {}
    for name, spent in run_by_turns(cases, rounds).items():
        seconds = [getattr(one, Clock.name) for one in spent]
        timings[name] = Timing(min(seconds), statistics.median(seconds))
    return timings
