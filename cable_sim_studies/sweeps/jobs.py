"""Runs of a sweep: the wanted cases of a matrix, each with its digest."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from cable_sim.control.matrix import Matrix
from cable_sim.control.scenario import Scenario
from cable_sim_studies.evaluation import scenarios_under
from cable_sim_studies.groups import refuse_variants
from cable_sim_studies.sweeps.identity import identity
from cable_sim_studies.sweeps.work import Outcome, Task

BATCH_TIME = 1.0
"""Desired duration of a batch [s].

It is long compared with the overhead of a cluster, a few milliseconds, and short enough to lose.
"""
LARGEST = 64
"""Largest number of runs in a batch."""
RECENT = 32
"""Number of recent runs whose durations set the size of the next batch."""
CONTROLLER = "controller"
"""Name of the axis of requested controllers."""


class Job(NamedTuple):
    """Planned run: its digest, its case of a matrix, its variant of each axis, and its scenario."""

    run: str
    case: str
    axes: Mapping[str, str]
    scenario: Scenario


class RunSelection(NamedTuple):
    """Selection of a matrix' cases, and changes of their scenarios.

    Parameters
    ----------
    only: variants that cases must have, see :meth:`~cable_sim.control.matrix.Matrix.names`; empty
        for all cases.
    controllers: kinds, under each of which all cases are run; empty for each scenario's own. They
        become an axis. See :func:`~cable_sim_studies.evaluation.scenarios_under`.
    seed: seed of the first run of each case; None for each scenario's own.
    repeat: runs of each case, with consecutive seeds.
    """

    only: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()
    seed: int | None = None
    repeat: int = 1


ALL = RunSelection()
"""Selection of every case as it is."""


def jobs_of(read: Matrix | Scenario, selection: RunSelection = ALL, name: str = "") -> list[Job]:
    """Return all wanted runs of a matrix, in the order of its cases, or of a single scenario.

    ``name`` is that of the scenario. SpecError for an unknown variant or controller. ConfigError
    for a case whose variants contradict each other.
    """
    if isinstance(read, Scenario):
        refuse_variants(name, selection.only)
        return list(_jobs(name, {}, read, selection))
    return [
        job
        for case in read.names(selection.only)
        for job in _jobs(case, read.case_axes(case), read.case(case), selection)
    ]


def tasks_of(jobs: Iterable[Job], finished: Collection[str]) -> list[Task]:
    """Return the remaining tasks, each once, even if two cases are the same."""
    left = {job.run: job.scenario for job in jobs if job.run not in finished}
    return [Task(run, scenario) for run, scenario in left.items()]


class Batches:
    """Batches of tasks of about a second, by the longest of the recent runs.

    They are single tasks at first and towards the end.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._left = deque(tasks)
        self._seconds: deque[float] = deque(maxlen=RECENT)

    def __len__(self) -> int:
        """Return the number of tasks that have not been taken."""
        return len(self._left)

    def take(self, workers: int = 1) -> tuple[Task, ...]:
        """Take the next batch, for one of so many workers; empty if nothing is left."""
        fair = len(self._left) // (2 * workers)  # so that all come to an end together
        longest = max(self._seconds, default=BATCH_TIME)
        size = max(1, min(int(BATCH_TIME / longest) if longest > 0.0 else LARGEST, fair, LARGEST))
        return tuple(self._left.popleft() for _ in range(min(size, len(self._left))))

    def give_back(self, tasks: Iterable[Task]) -> None:
        """Return tasks that were taken but not done."""
        self._left.extendleft(reversed(list(tasks)))

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        """Record the durations of runs; failed ones do not count because they may end early."""
        self._seconds.extend(outcome.wall for outcome in outcomes if outcome.status == "done")


def _jobs(
    case: str, axes: Mapping[str, str], scenario: Scenario, selection: RunSelection
) -> Iterator[Job]:
    """Yield the runs of a case, under all wanted controllers and with all wanted seeds."""
    first = selection.seed if selection.seed is not None else scenario.seed or 0
    keep = selection.seed is None and selection.repeat == 1
    for seed in (None,) if keep else range(first, first + selection.repeat):
        for wanted in scenarios_under(scenario, selection.controllers, seed):
            mine = {CONTROLLER: wanted.controller.kind} if selection.controllers else {}
            yield Job(identity(wanted), case, {**axes, **mine}, wanted)
