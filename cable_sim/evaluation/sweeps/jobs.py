"""The runs of a sweep: cases of a matrix, as they are wanted, each with its digest."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from cable_sim.control.catalogue import no_variants
from cable_sim.control.matrix import Matrix
from cable_sim.control.scenario import Scenario
from cable_sim.evaluation.evaluation import under
from cable_sim.evaluation.sweeps.identity import identity
from cable_sim.evaluation.sweeps.work import Outcome, Task

BATCH_TIME = 1.0
"""What a batch should take [s]: long beside what a cluster needs for one, a few milliseconds, and
short for what is lost with it."""
LARGEST = 64
"""Most runs of a batch."""
RECENT = 32
"""Runs by whose times the next batch is made."""
CONTROLLER = "controller"
"""Axis of controllers that are asked for."""


class Job(NamedTuple):
    """A run that is wanted: its digest, the case of a matrix that it is, its variant of each axis,
    and what to do."""

    run: str
    case: str
    axes: Mapping[str, str]
    scenario: Scenario


class Wishes(NamedTuple):
    """What is to be done of a matrix, and what is to be other than it says.

    Parameters
    ----------
    only: variants that cases must have, see :meth:`~cable_sim.control.matrix.Matrix.names`; empty
        for all cases.
    controllers: kinds, under each of which all cases are run; empty for each scenario's own. They
        are an axis then. See :func:`~cable_sim.evaluation.evaluation.under`.
    seed: of the first run of each case; None for each scenario's own.
    repeat: runs of each case, with seeds that count up.
    """

    only: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()
    seed: int | None = None
    repeat: int = 1


ALL = Wishes()
"""Every case as it is."""


def jobs_of(read: Matrix | Scenario, wishes: Wishes = ALL, name: str = "") -> list[Job]:
    """All runs that are wanted of a matrix, in the order of its cases, or of the scenario of that
    name.

    SpecError for a variant or a controller that is not there, ConfigError for a case whose variants
    contradict each other.
    """
    if isinstance(read, Scenario):
        no_variants(name, wishes.only)
        return list(_jobs(name, {}, read, wishes))
    return [
        job for case in read.names(wishes.only)
        for job in _jobs(case, read.case_axes(case), read.case(case), wishes)
    ]  # fmt: skip


def tasks_of(jobs: Iterable[Job], finished: Collection[str]) -> list[Task]:
    """What is left to run, each once, also where two cases are the same."""
    left = {job.run: job.scenario for job in jobs if job.run not in finished}
    return [Task(run, scenario) for run, scenario in left.items()]


class Batches:
    """Tasks in batches of about a second, by the longest of the last runs; single ones at first and
    towards the end."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._left = deque(tasks)
        self._seconds: deque[float] = deque(maxlen=RECENT)

    def __len__(self) -> int:
        """Tasks that have not been taken."""
        return len(self._left)

    def take(self, workers: int = 1) -> tuple[Task, ...]:
        """The next batch, for one of so many workers; empty if nothing is left."""
        fair = len(self._left) // (2 * workers)  # so that all come to an end together
        longest = max(self._seconds, default=BATCH_TIME)
        size = max(1, min(int(BATCH_TIME / longest) if longest > 0.0 else LARGEST, fair, LARGEST))
        return tuple(self._left.popleft() for _ in range(min(size, len(self._left))))

    def give_back(self, tasks: Iterable[Task]) -> None:
        """Tasks that were taken, and are still to be done."""
        self._left.extendleft(reversed(list(tasks)))

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        """How long runs take; those that fail may fail at once."""
        self._seconds.extend(outcome.wall for outcome in outcomes if outcome.status == "done")


def _jobs(case: str, axes: Mapping[str, str], scenario: Scenario, wishes: Wishes) -> Iterator[Job]:
    """The runs of a case, under all controllers and with all seeds that are wanted."""
    first = wishes.seed if wishes.seed is not None else scenario.seed or 0
    keep = wishes.seed is None and wishes.repeat == 1
    for seed in (None,) if keep else range(first, first + wishes.repeat):
        for wanted in under(scenario, wishes.controllers, seed):
            mine = {CONTROLLER: wanted.controller.kind} if wishes.controllers else {}
            yield Job(identity(wanted), case, {**axes, **mine}, wanted)
