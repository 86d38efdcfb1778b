"""Queue of requests from other threads to the thread that owns the machine."""

import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from cable_sim.errors import CableSimError, describe_error

Request = tuple[Callable[[], Any], "Future[Any]"]


class RequestQueue:
    """Requests, in their order of arrival.

    Exceptions are returned to the caller; the owner's thread continues.

    Parameters
    ----------
    failed: callback in the owner's thread for a sentence about a request that raised an exception.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._waiting: queue.Queue[Request] = queue.Queue()  # SimpleQueue may hang before 3.13
        self._closed = False

    def post(self, action: Callable[[], Any]) -> "Future[Any]":
        """Queue an action from any thread; the future has its result or exception."""
        future: Future[Any] = Future()
        self._waiting.put((action, future))
        if self._closed:
            self._refuse()
        return future

    def serve(self, until: Callable[[], float]) -> None:
        """Execute waiting requests, and later ones until a time [s, monotonic].

        Each of them may change that time.
        """
        self.serve_waiting()
        while (wait := until() - time.monotonic()) > 0.0:
            try:
                self._do(*self._waiting.get(timeout=wait))
            except queue.Empty:
                pass

    def serve_waiting(self) -> None:
        """Execute the requests waiting now, and no more, so that a flood does not block the owner.

        A request may call this itself, to have others served while it goes on.
        """
        for _ in range(self._waiting.qsize()):
            try:
                request = self._waiting.get_nowait()
            except queue.Empty:  # one of them has served the rest
                return
            self._do(*request)

    def close(self) -> None:
        """Refuse all requests: waiting and later callers get a CableSimError with that reason."""
        self._closed = True
        self._refuse()

    def _do(self, action: Callable[[], Any], future: "Future[Any]") -> None:
        """Execute one request."""
        try:
            future.set_result(action())
        except Exception as error:  # whatever it is, it is the asker's
            future.set_exception(error)
            self._failed(describe_error(error))

    def _refuse(self) -> None:
        """Refuse all waiting requests."""
        while True:
            try:
                _, future = self._waiting.get_nowait()
            except queue.Empty:
                return
            future.set_exception(CableSimError("the simulator has ended"))
