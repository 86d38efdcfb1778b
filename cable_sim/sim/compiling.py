"""Compiling of kernels that tells on a terminal what it does: once it takes a minute or two.

Kernels that are in the cache are loaded in a second, in silence.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cable_sim.kernel_cache import compiling_text
from cable_sim.kernels.jit import MachineCode, machine_code

QUIET_TIME = 2.0
"""Time [s] after which compiling is reported."""
PERIOD = 1.0
"""Time between two updates of the line [s]."""


def compile_kernel(kernel: Callable[..., Any], *arguments: Any) -> MachineCode:
    """Compile a kernel for the types of some arguments, or load it; a terminal shows the time."""
    with _told(kernel):
        return machine_code(kernel, *arguments)


@contextmanager
def _told(kernel: Callable[..., Any]) -> Iterator[None]:
    """Show a line with the elapsed time while a kernel is compiled, and take it away at the end."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_tell, args=(kernel, _compiled(kernel), ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _tell(kernel: Callable[..., Any], before: int, ended: threading.Event) -> None:
    """Show and renew the line until the end, if the kernel was not in the cache."""
    began = time.monotonic()
    if ended.wait(QUIET_TIME) or _compiled(kernel) == before:
        return
    while True:
        sys.stderr.write(f"\rcable_sim: {compiling_text(time.monotonic() - began)}")
        sys.stderr.flush()
        if ended.wait(PERIOD):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            return


def _compiled(kernel: Any) -> int:
    """Return how often this process began to compile a kernel; 0 where compiling is off."""
    stats = getattr(kernel, "stats", None)
    return sum(stats.cache_misses.values()) if stats else 0
