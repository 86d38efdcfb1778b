"""Real-time priority for a thread that has deadlines, and memory that stays in place, where the
system lets it.

A system that takes memory for unused drops pages of programs and libraries, and reads them from the
disk when they are needed again; who waits for that waits tens of milliseconds, whatever its
priority.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

LEAST, MOST = 1, 99
"""Range of real-time priorities; each is above all that has none."""

CURRENT, ON_FAULT = 1, 4
"""Flags of ``mlockall`` on Linux: what there is, once it has been used. What comes later is let be:
a system that refuses to hold it would refuse to give it."""


@contextmanager
def first_in_line(priority: int, *helpers: int) -> Iterator[str]:
    """Have this thread run before whatever else the machine has to do, first in, first out
    (``SCHED_FIFO``).

    Right behind it the ``helpers``, threads by their native ids that hold locks which it waits for,
    such as the interpreter's. The process's memory is held in place meanwhile. Gives an empty text,
    or what the system refuses: its limits (``ulimit -r``, ``ulimit -l``; the superuser always may),
    or it has no such thing. A ``priority`` of 0 asks for nothing.
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
    """Let threads be scheduled as they were before."""
    for thread, policy in before.items():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setscheduler(thread, *policy)


@contextmanager
def memory_in_place() -> Iterator[str]:
    """Have the system keep what this process has of memory, as far as it is used (``mlockall``).

    Gives an empty text, or why it may go.
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
