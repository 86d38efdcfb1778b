"""Real-time priority for a thread that has deadlines, where the system lets it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

LEAST, MOST = 1, 99
"""Range of real-time priorities; each is above all that has none."""


@contextmanager
def first_in_line(priority: int, *helpers: int) -> Iterator[str]:
    """Have this thread run before whatever else the machine has to do, first in, first out (``SCHED_FIFO``).

    Right behind it the ``helpers``, threads by their native ids that hold locks which it waits for, such as the
    interpreter's. Gives an empty text, or why all stays as it is: limits of the system (``ulimit -r``; the superuser
    always may), or a system without. A ``priority`` of 0 asks for nothing.
    """
    if priority == 0:
        yield ""
        return
    if not hasattr(os, "sched_setscheduler"):
        yield "this system has no real-time priorities"
        return
    wanted = {thread: max(priority - 1, LEAST) for thread in helpers} | {0: priority}
    before: dict[int, Any] = {}
    try:
        for thread, its in wanted.items():
            with suppress(ProcessLookupError):  # it has ended
                before[thread] = os.sched_getscheduler(thread), os.sched_getparam(thread)
                os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(its))
    except (OSError, ValueError) as error:
        _give_back(before)
        yield f"real-time priority {priority} is refused: {error}; 'ulimit -r' tells what is allowed"
        return
    try:
        yield ""
    finally:
        _give_back(before)


def _give_back(before: dict[int, Any]) -> None:
    """Let threads be scheduled as they were before."""
    for thread, policy in before.items():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setscheduler(thread, *policy)
