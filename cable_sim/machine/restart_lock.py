"""Lock of the axes by an emergency stop: its release alone starts no motion (IEC 60204-1).

An axis waits until its command has been neutral, a speed or lever of zero or a brake, since the
stop was engaged. While the stop is engaged, another command has it wait again: a lever that is held
through the stop moves nothing after it.
"""

from collections.abc import Callable, Iterable

from cable_sim.machine.actuation import Order

WAITS = "waits for a command of zero or a reset after the emergency stop"


class RestartLock:
    """Lock of some axes.

    Parameters
    ----------
    tell: receives a sentence on the first command that an axis ignores.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.waiting: frozenset[str] = frozenset()
        self._told: set[str] = set()

    def lock(self, axes: Iterable[str]) -> None:
        """Have axes wait for a neutral command."""
        self.reset()
        self.waiting = frozenset(axes)

    def reset(self) -> None:
        """Let all axes move."""
        self.waiting = frozenset()
        self._told.clear()

    def ignores(self, axis: str, order: Order, stopped: bool) -> bool:
        """Take note of a command; return True if the axis must ignore it."""
        if order.brake or (order.mode in ("speed", "lever") and order.value == 0.0):
            self.waiting -= {axis}
        elif stopped:
            self.waiting |= {axis}
        if stopped or axis not in self.waiting:
            return False
        if axis not in self._told:
            self._told.add(axis)
            self._tell(f"{axis} {WAITS}")
        return True
