"""Threads for many worlds: each has a range of them, and runs compiled code without the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError


class Lanes:
    """Ranges of n worlds, one for each thread.

    Parameters
    ----------
    n: number of worlds.
    threads: number of threads; None for one for each processor that this process may use.

    Raises ModelError for fewer than one world or thread.
    """

    def __init__(self, n: int, threads: int | None = None) -> None:
        wanted = len(os.sched_getaffinity(0)) if threads is None else threads
        for name, value in (("n", n), ("threads", wanted)):
            if value < 1:
                raise ModelError(f"{name} = {value} is not allowed; it must be 1 or above")
        lanes = min(wanted, n)
        self.bounds: NDArray[np.int64] = np.linspace(0, n, lanes + 1).astype(np.int64)
        self._pool = ThreadPoolExecutor(lanes) if lanes > 1 else None

    def run(self, code: Callable[..., None], *arguments: Any) -> None:
        """Call a kernel with the bounds of each range and the arguments, and wait for all."""
        bounds = self.bounds.tolist()
        if self._pool is None:
            code(*bounds, *arguments)
            return
        ranges = zip(bounds, bounds[1:], strict=False)
        for done in [self._pool.submit(code, *own, *arguments) for own in ranges]:
            done.result()

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()
