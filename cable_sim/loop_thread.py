"""A thread with an event loop, for servers beside a simulation that never waits for them."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 10.0
"""Time that work may take before it counts as failed [s]."""


class LoopThread:
    """A thread of a name in which an event loop runs until :meth:`end`."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work there, wait for it, and return its result or raise its error."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def soon(self, act: Callable[..., object], *arguments: Any) -> None:
        """Have a function called there, and do not wait."""
        self.loop.call_soon_threadsafe(act, *arguments)

    def end(self) -> None:
        """End the loop and the thread."""
        self.soon(self.loop.stop)
        self._thread.join(5.0)
        self.loop.close()
