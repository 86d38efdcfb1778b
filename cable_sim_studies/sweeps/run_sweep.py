"""Execution of a sweep: a pool runs the remaining tasks, and results are stored as they come."""

from collections.abc import Callable, Sequence

from cable_sim_studies.sweeps.jobs import Batches
from cable_sim_studies.sweeps.pools import Pool, Stop
from cable_sim_studies.sweeps.store import Store
from cable_sim_studies.sweeps.work import Outcome, Task


def conduct(
    tasks: Sequence[Task],
    store: Store,
    pool: Pool,
    tell: Callable[[list[Outcome]], object] = lambda outcomes: None,
    stop: Stop = lambda: False,
) -> bool:
    """Execute the tasks; return True if all were done, False if ``stop`` ended them early.

    ``tell`` receives outcomes once they are on the disk. If the process is killed, the store has
    all outcomes that ``tell`` has received. Work under way is lost: one batch of each worker, about
    a second. For longer runs it is the one run under way.
    """
    batches = Batches(tasks)
    count = 0
    for outcomes in pool.outcomes(batches, stop):
        store.add(outcomes)
        batches.learn(outcomes)
        tell(outcomes)
        count += len(outcomes)
    return count == len(tasks)
