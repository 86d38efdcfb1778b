"""A sweep: what is left of a plan is done by a pool, and kept as it comes."""

from collections.abc import Callable, Sequence

from cable_sim.evaluation.sweeps.jobs import Batches
from cable_sim.evaluation.sweeps.pools import Pool, Stop
from cable_sim.evaluation.sweeps.store import Store
from cable_sim.evaluation.sweeps.work import Outcome, Task


def conduct(
    tasks: Sequence[Task],
    store: Store,
    pool: Pool,
    tell: Callable[[list[Outcome]], object] = lambda outcomes: None,
    stop: Stop = lambda: False,
) -> bool:
    """Do the tasks; whether all were done, or ``stop`` ended it before.

    ``tell`` hears of outcomes when they are on the disk. Killed at any time, what it has heard of
    is in the store. What
    was on its way is lost: of each worker the batch under way, about a second of work, or the one
    run that it was at where a run takes longer.
    """
    batches = Batches(tasks)
    count = 0
    for outcomes in pool.outcomes(batches, stop):
        store.add(outcomes)
        batches.learn(outcomes)
        tell(outcomes)
        count += len(outcomes)
    return count == len(tasks)
