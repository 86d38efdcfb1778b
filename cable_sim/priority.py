"""Real-time priority for a thread that has deadlines, where the system lets it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

LEAST, MOST = 1, 99
"""Range of real-time priorities; each is above all that has none."""


@contextmanager
def first_in_line(priority: int) -> Iterator[str]:
    """Have this thread run before whatever else the machine has to do, first in, first out (``SCHED_FIFO``).

    Gives an empty text, or why all stays as it is: limits of the system (``ulimit -r``; the superuser always may), or
    a system without. A ``priority`` of 0 asks for nothing.
    """
    if priority == 0:
        yield ""
        return
    if not hasattr(os, "sched_setscheduler"):
        yield "this system has no real-time priorities"
        return
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (OSError, ValueError) as error:
        yield f"real-time priority {priority} is refused: {error}; 'ulimit -r' tells what is allowed"
        return
    try:
        yield ""
    finally:
        os.sched_setscheduler(0, *before)
