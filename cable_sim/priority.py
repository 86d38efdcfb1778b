"""Real-time priority and locked memory for a thread with deadlines, if the system allows it.

A system that is short of memory drops pages of programs and libraries and reads them again from
the disk. A thread that needs such a page waits tens of milliseconds, whatever its priority.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

LEAST = 1
MOST = 99
"""Range of real-time priorities; each of them is above all ordinary priorities."""

CURRENT = 1
ON_FAULT = 4
"""Flags of ``mlockall`` on Linux: lock present pages once they have been used.

Later allocations stay unlocked, because a system that refuses to lock them would refuse the memory.
"""


@contextmanager
def run_first(priority: int, *helpers: int) -> Iterator[str]:
    """Run this thread before all ordinary ones, first in, first out (``SCHED_FIFO``).

    Right behind it run the ``helpers``, given by their native thread ids. They hold locks that this
    thread waits for, such as the interpreter's. The process's memory is locked meanwhile.

    Yields an empty text, or the reason for a refusal: limits of the system (``ulimit -r``,
    ``ulimit -l``; root always may), or a missing feature. A ``priority`` of 0 changes nothing.
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
        yield (
            f"real-time priority {priority} is refused: {error}; 'ulimit -r' tells what is allowed"
        )
        return
    try:
        with memory_in_place() as refusal:
            yield refusal
    finally:
        _give_back(before)


def _give_back(before: dict[int, Any]) -> None:
    """Restore the previous scheduling of threads."""
    for thread, policy in before.items():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setscheduler(thread, *policy)


@contextmanager
def memory_in_place() -> Iterator[str]:
    """Lock the memory of this process that is in use (``mlockall``).

    Yields an empty text, or the reason why the memory is not locked.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "mlockall"):
        yield "this system can't hold memory in place"
        return
    if libc.mlockall(CURRENT | ON_FAULT):
        yield (
            f"memory is not held in place: {os.strerror(ctypes.get_errno())}; 'ulimit -l' tells "
            "how much may be"
        )
        return
    try:
        yield ""
    finally:
        libc.munlockall()
