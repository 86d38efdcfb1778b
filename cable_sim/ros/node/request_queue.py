"""What other threads ask of the one that owns the machine, which does it when it has time."""

import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from cable_sim.errors import CableSimError

Request = tuple[Callable[[], Any], "Future[Any]"]


class Inbox:
    """Requests, in the order in which they came. Whatever one raises its asker gets, and the owner
    lives on.

    Parameters
    ----------
    failed: is told in a sentence of a request that raised something, by the owner's thread.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._closed = False

    def post(self, action: Callable[[], Any]) -> "Future[Any]":
        """Have something done; the future has its result or exception. From any thread."""
        future: Future[Any] = Future()
        self._waiting.put((action, future))
        if self._closed:
            self._refuse()
        return future

    def serve(self, until: Callable[[], float]) -> None:
        """Do what was asked for by now, and what comes until a time [s, monotonic] that each of
        them may change."""
        self.serve_waiting()
        while (wait := until() - time.monotonic()) > 0.0:
            try:
                self._do(*self._waiting.get(timeout=wait))
            except queue.Empty:
                pass

    def serve_waiting(self) -> None:
        """Do what was asked for by now, and no more: a flood must not keep the owner from his work.

        A request may call this itself, to have others served while it goes on.
        """
        for _ in range(self._waiting.qsize()):
            try:
                request = self._waiting.get_nowait()
            except queue.Empty:  # one of them has served the rest
                return
            self._do(*request)

    def close(self) -> None:
        """Do nothing any more; who waits, and who comes later, gets a CableSimError that says
        so."""
        self._closed = True
        self._refuse()

    def _do(self, action: Callable[[], Any], future: "Future[Any]") -> None:
        """Carry out one request."""
        try:
            future.set_result(action())
        except Exception as error:  # whatever it is, it is the asker's
            future.set_exception(error)
            self._failed(f"{type(error).__name__}: {error}")

    def _refuse(self) -> None:
        """Tell all who wait that nothing is done any more."""
        while True:
            try:
                _, future = self._waiting.get_nowait()
            except queue.Empty:
                return
            future.set_exception(CableSimError("the simulator has ended"))
