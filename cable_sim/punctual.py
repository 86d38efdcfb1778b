"""Threads that have to keep to a clock: what a program can do so that they do."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

GIVES_WAY = 5e-4
"""After which a thread hands over to another that waits [s]."""
PRIORITY = 10
"""Of the thread that has to be in time, of 1 to 99, above all that has no real-time priority."""


@contextmanager
def punctual(*helpers: int) -> Iterator[None]:
    """Have this thread meet its deadlines as well as the system lets it; all is as before in the end.

    A collection of all that the compiler has left takes longer than a tick, and a tick leaves nothing to collect. Other
    threads give way within half a millisecond and not after five. This thread, and after it the ``helpers``, by their
    native ids, which share the interpreter's lock with it, run before whatever else the machine has to do, where the
    system's limits let them (``ulimit -r``; the superuser always may).
    """
    collecting, interval = gc.isenabled(), sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(GIVES_WAY)
    before = [(thread, first_in_line(thread, PRIORITY - (thread != 0))) for thread in (0, *helpers)]
    try:
        yield
    finally:
        for thread, policy in before:
            if policy:
                os.sched_setscheduler(thread, *policy)
        sys.setswitchinterval(interval)
        if collecting:
            gc.enable()


def first_in_line(thread: int = 0, priority: int = PRIORITY) -> "tuple[int, os.sched_param] | None":
    """Real-time priority for a thread, this one left out, until its end; what it had before, None where there is none
    to be had."""
    if not hasattr(os, "sched_setscheduler"):
        return None
    before = os.sched_getscheduler(thread), os.sched_getparam(thread)
    try:
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        return None
    return before
