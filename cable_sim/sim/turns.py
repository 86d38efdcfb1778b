"""Turns of threads at a running scene.

A page steps what it shows in a thread of its own. Compiled code runs beside Python's other threads,
so whoever stepped or read the same records meanwhile would spoil both. One thread alone takes the
steps, and what others call waits for its turn. Speeds, forces and drive targets that a simulator is
given need no turn: they are single numbers, which the next step reads.
"""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from cable_sim.errors import CommandError

T = TypeVar("T")


class Turns:
    """Turns at one scene, which every thread may step as long as none runs it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.leave: Callable[[], None] | None = None
        """Function that ends what runs the scene; None if nothing does."""
        self._stepping: int | None = None

    def free(self) -> None:
        """End what runs the scene, if anything does."""
        leave = self.leave
        self.leave = None
        if leave:
            leave()

    @contextmanager
    def stepping(self) -> Iterator[None]:
        """Take the turn, and the right to step, in a ``with`` statement."""
        with self.lock:
            before = self._stepping
            self._stepping = threading.get_ident()
            try:
                yield
            finally:
                self._stepping = before

    def check(self) -> None:
        """Raise CommandError if another thread runs the scene."""
        if self.leave is not None and self._stepping != threading.get_ident():
            raise CommandError(
                "a page runs this simulator in its own thread, and two can't step it: step within "
                "'with page.hold():', close the page, or show it with run=False"
            )


def in_turn(*names: str) -> Callable[[type[T]], type[T]]:
    """Let methods of a class, whose objects have ``turns``, wait for their turn."""

    def decorate(kind: type[T]) -> type[T]:
        for name in names:
            setattr(kind, name, _waiting(getattr(kind, name)))
        return kind

    return decorate


def _waiting(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that waits for its turn."""

    @functools.wraps(method)
    def waiting(self: Any, *arguments: Any, **options: Any) -> Any:
        turns: Turns = self.turns
        if turns.leave is None:
            return method(self, *arguments, **options)
        with turns.lock:
            return method(self, *arguments, **options)

    return waiting
