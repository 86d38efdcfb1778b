"""A source without ROS: the crane runs in a thread of the viewer's own process."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from cable_sim.errors import CommandError
from cable_sim.machine.faults import Fault
from cable_sim.machine.frame import Frame
from cable_sim.machine.machine import Machine

FRAME_PERIOD = 0.03
"""Time between frames [s]: a little less than the period of the viewer."""
BACKLOG = 0.1
"""Largest delay [s] that is caught up. Beyond it the simulation stays behind the clock."""
RATING_TIME = 1.0
"""Duration over which the real-time factor is measured [s]."""


class LocalSource:
    """Runs a machine against the clock.

    Parameters
    ----------
    machine: machine that the new thread alone may use from now on.
    speed: simulated time per wall time [-].
    paused: whether the clock stands at the start.
    """

    def __init__(self, machine: Machine, speed: float = 1.0, paused: bool = False) -> None:
        self._machine = machine
        self._speed = speed
        self._paused = paused
        self._wishes: deque[Callable[[], object]] = deque()
        self._frame: Frame | None = None
        self._factor = 0.0
        self._notices: deque[str] = deque(maxlen=5)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="local-source", daemon=True)
        self._thread.start()

    def latest(self) -> Frame | None:
        """Return the newest frame, or None while the first one is being made."""
        return self._frame

    def command(self, axis: str, speed: float) -> None:
        """Set the speed command of an axis [rad/s or m/s], in the axis' sense."""
        self._wishes.append(lambda: self._machine.command(axis, speed))

    def emergency_stop(self, engaged: bool) -> None:
        """Engage or release the emergency stop."""
        self._wishes.append(lambda: self._machine.emergency_stop(engaged))

    def pause(self, paused: bool) -> None:
        """Stop or continue the clock."""
        self._wishes.append(lambda: setattr(self, "_paused", paused))

    def step(self) -> None:
        """Advance one tick if the clock stands."""
        self._wishes.append(lambda: self._paused and self._machine.tick())

    def reset(self) -> None:
        """Go back to the start."""
        self._wishes.append(self._machine.reset)

    def reset_limiters(self) -> None:
        """Reset the latched limiters."""
        self._wishes.append(self._machine.reset_latches)

    def inject(self, fault: Fault) -> None:
        """Inject a fault."""
        self._wishes.append(lambda: self._machine.faults.inject(fault))

    def clear_faults(self) -> None:
        """Remove all faults."""
        self._wishes.append(self._machine.faults.clear)

    def close(self) -> None:
        """End the thread."""
        self._ending.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        """Run ticks according to the clock."""
        now = time.monotonic()
        due = now
        next_frame = now
        rated = now
        rated_time = self._machine.time
        while not self._ending.is_set():
            self._grant()
            now = time.monotonic()
            tick = self._machine.tick_time / self._speed
            due = max(due, now - BACKLOG) if not self._paused else now
            while due <= now and not self._paused and not self._ending.is_set():
                self._attempt(self._machine.tick)
                due += tick
                if time.monotonic() - now > FRAME_PERIOD:
                    # slower than the clock: commands and frames must not wait for it to catch up
                    break
            if now - rated > RATING_TIME:
                self._factor = max(self._machine.time - rated_time, 0.0) / (now - rated)
                rated = now
                rated_time = self._machine.time
            if now >= next_frame:
                next_frame = now + FRAME_PERIOD
                self._attempt(self._show)
            self._ending.wait(max(min(due, next_frame) - time.monotonic(), 0.001))

    def _grant(self) -> None:
        """Perform the requests of the viewer."""
        while self._wishes:
            self._attempt(self._wishes.popleft())

    def _attempt(self, action: Callable[[], object]) -> None:
        """Perform an action; a refusal becomes a message, another error also stops the clock."""
        try:
            action()
        except CommandError as error:
            if str(error) not in self._machine.notices:  # the machine notes most of what it refuses
                self._notices.append(str(error))
        except Exception as error:
            self._paused = True
            self._notices.append(f"{type(error).__name__}: {error}")

    def _show(self) -> None:
        """Make a frame of the present state."""
        machine = self._machine
        frame = machine.frame(machine.observe())
        messages = (*machine.notices, *self._notices)
        self._frame = replace(
            frame,
            paused=self._paused,
            real_time_factor=0.0 if self._paused else self._factor,
            messages=messages,
        )
