"""Sources without ROS: the crane runs in the viewer's own process.

A :class:`LocalSource` runs it in a thread of its own, against the clock. A :class:`LoopSource`
leaves the steps to the loop of a program, which draws when it likes; the page's requests are
performed then, in the program's own thread.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from cable_sim.errors import CommandError
from cable_sim.kernel_cache import compiling_text, watch_misses
from cable_sim.machine.bare import BareMachine
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import Frame
from cable_sim.viewer.hand import Array, Hand

FRAME_PERIOD = 0.03
"""Time between frames [s]: a little less than the period of the viewer."""
BACKLOG = 0.1
"""Largest delay [s] that is caught up. Beyond it the simulation stays behind the clock."""
LONGEST_WAIT = 1.0
"""Longest time [s] by which a program's loop is held back; a longer step is shown at once."""
RATING_TIME = 1.0
"""Duration over which the real-time factor is measured [s]."""


class OwnSource:
    """Frames of a machine in this process, and the page's requests, which wait to be performed.

    Parameters
    ----------
    machine: machine to show; the thread that takes its steps alone uses it. None waits for
        :meth:`start`.
    speed: simulated time per wall time [-]; infinite does not wait.
    paused: whether the clock stands at the start.
    channels: channels of its simulator whose values become readings of the frames, by column.
    period: time between frames [s].
    """

    leave: Callable[[], None] | None = None
    """Function that ends the page where another one takes the machine; None ends the source."""

    def __init__(
        self,
        machine: Machine | BareMachine | None = None,
        speed: float = 1.0,
        paused: bool = False,
        channels: Sequence[str] = (),
        period: float = FRAME_PERIOD,
    ) -> None:
        self._speed = speed
        self._period = period
        self._paused = paused
        self._wishes: deque[Callable[[], object]] = deque()
        self._frame: Frame | None = None
        self._factor = 0.0
        self._notices: deque[str] = deque(maxlen=5)
        self._failure = ""
        self._compiling: float | None = None
        self._channels = channels
        self.hand_line: Array | None = None
        """Ends (2, 3) [m] of the spring of the hand that pulls at a body; None without any."""
        if machine is not None:
            self._take(machine)

    def start(self, make: Callable[[], Machine | BareMachine]) -> None:
        """Make the machine, then run it; :attr:`progress` tells meanwhile what is compiled.

        What the page asks for until then is done when the machine is there.
        """
        with watch_misses(self._note_compiling):
            machine = make()
        self._compiling = None
        self._take(machine)

    @property
    def machine(self) -> Machine | BareMachine:
        """Machine that is shown; AttributeError until there is one."""
        made: Machine | BareMachine = self._machine
        return made

    def _take(self, machine: Machine | BareMachine) -> None:
        """Take a machine, and start to run."""
        self._machine: Any = machine  # a bare one refuses what it lacks, as a message
        channels = self._channels
        self._read = machine.simulator.reader(channels) if channels else None
        self._hand = Hand(machine)
        self._begin()

    def _begin(self) -> None:
        """Start to run."""

    def latest(self) -> Frame | None:
        """Return the newest frame, or None while the first one is being made."""
        return self._frame

    @property
    def progress(self) -> str:
        """Text on the kernels that are being compiled; empty if there are none."""
        if self._compiling is None:
            return ""
        return compiling_text(time.monotonic() - self._compiling)

    def _note_compiling(self, _: str) -> None:
        """Note that a kernel has to be compiled, and when the first one was."""
        self._compiling = self._compiling or time.monotonic()

    def command(self, axis: str, speed: float) -> None:
        """Set the speed command of an axis [rad/s or m/s], in the axis' sense."""
        self._wishes.append(lambda: self._machine.command(axis, speed))

    def emergency_stop(self, engaged: bool) -> None:
        """Engage or release the emergency stop."""
        self._wishes.append(lambda: self._machine.emergency_stop(engaged))

    def pause(self, paused: bool) -> None:
        """Stop or continue the clock."""
        self._wishes.append(lambda: self._set_paused(paused))

    def step(self) -> None:
        """Advance one tick if the clock stands."""
        self._wishes.append(lambda: self._paused and self._machine.tick())

    def reset(self) -> None:
        """Go back to the start."""
        self._wishes.append(self._machine.reset)
        self._wishes.append(lambda: self._set_paused(self._paused))

    def reset_limiters(self) -> None:
        """Reset the latched limiters."""
        self._wishes.append(self._machine.reset_latches)

    def inject(self, fault: Fault) -> None:
        """Inject a fault."""
        self._wishes.append(lambda: self._machine.faults.inject(fault))

    def clear_faults(self) -> None:
        """Remove all faults."""
        self._wishes.append(self._machine.faults.clear)

    def pull(self, body: str, target: Array, point: Array | None = None) -> None:
        """Pull at a body towards a target (3,), a new time from a ``point`` (3,) on it [m]."""
        self._wishes.append(lambda: self._hand.pull(body, target, point))

    def let_go(self) -> None:
        """End the pull."""
        self._wishes.append(self._hand.release)

    def _grant(self) -> None:
        """Perform the requests of the viewer."""
        while self._wishes:
            self._attempt(self._wishes.popleft())

    def _attempt(self, action: Callable[[], object]) -> None:
        """Perform an action; a refusal becomes a message, another error stops the clock."""
        try:
            action()
        except CommandError as error:
            if str(error) not in self._machine.notices:  # the machine notes most of what it refuses
                self._notices.append(str(error))
        except Exception as error:
            self._set_paused(True, f"{type(error).__name__}: {error}")

    def _set_paused(self, paused: bool, failure: str = "") -> None:
        """Stop or continue the clock; a failure is shown until it goes on, or the next one."""
        self._paused = paused
        self._failure = failure

    def _show(self) -> None:
        """Make a frame of the present state."""
        machine = self._machine
        seen = machine.observe()
        frame = machine.frame(seen)
        chosen = self._read.by_column(seen) if self._read else {}
        messages = (*machine.notices, *self._notices)
        self.hand_line = self._hand.line
        self._frame = replace(
            frame,
            paused=self._paused,
            real_time_factor=0.0 if self._paused else self._factor,
            readings={**frame.readings, **chosen},
            messages=messages,
            condition=self._failure,
        )


class LocalSource(OwnSource):
    """Runs a machine against the clock, in a thread that alone steps it but within :meth:`hold`.

    Whoever ran it before leaves it.
    """

    _thread: threading.Thread | None = None

    def _begin(self) -> None:
        """Start the thread."""
        self._ending = threading.Event()
        self._turns = self._machine.simulator.turns
        self._turns.free()
        self._turns.leave = lambda: (self.leave or self.close)()
        self._thread = threading.Thread(target=self._run, name="local-source", daemon=True)
        self._thread.start()

    def hold(self) -> AbstractContextManager[None]:
        """Stand still meanwhile, so that the caller may step the machine."""
        return self._turns.stepping()

    def close(self) -> None:
        """End the thread."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._ending.set()
            thread.join(5.0)
            self._turns.leave = None

    def _run(self) -> None:
        """Run ticks according to the clock."""
        now = time.monotonic()
        due = now
        next_frame = now
        rated = now
        rated_time = self._machine.time
        while not self._ending.is_set():
            with self._turns.stepping():
                self._grant()
                now = time.monotonic()
                tick = self._machine.tick_time / self._speed
                due = max(due, now - BACKLOG) if not self._paused else now
                while due <= now and not self._paused and not self._ending.is_set():
                    self._attempt(self._tick)
                    due += tick
                    if time.monotonic() - now > self._period:
                        # slower than the clock: commands and frames must not wait for it to catch
                        # up
                        break
                if now - rated > RATING_TIME:
                    self._factor = max(self._machine.time - rated_time, 0.0) / (now - rated)
                    rated = now
                    rated_time = self._machine.time
                if now >= next_frame:
                    next_frame = now + self._period
                    self._attempt(self._show)
            self._ending.wait(max(min(due, next_frame) - time.monotonic(), 0.001))

    def _tick(self) -> None:
        """Take a tick, under the hand that pulls."""
        self._hand.act()
        self._machine.tick()


class LoopSource(OwnSource):
    """Shows a machine that the loop of a program steps, and keeps the loop to the clock."""

    def _begin(self) -> None:
        """Start the clock."""
        self._steps = 0
        self._closed = False
        self._since = self._next_frame = time.monotonic()
        self._since_time: float = self._machine.time
        self._show()

    def step(self) -> None:
        """Let the loop go once round while the clock stands."""
        self._steps += 1

    def close(self) -> None:
        """Let the loop go on without a page."""
        self._closed = True

    def draw(self) -> None:
        """Show the present state; wait for the clock, and as long as the page has it paused.

        What the page asks for is done here, in the thread of the loop.
        """
        self._grant()
        self._attempt(self._hand.act)
        if self._paused:
            self._wait_paused()
        elif time.monotonic() >= self._next_frame:
            self._next_frame = time.monotonic() + self._period
            self._attempt(self._show)
        if self._closed:
            return
        ahead = (self._machine.time - self._since_time) / self._speed - self._elapsed()
        if not -BACKLOG < ahead < LONGEST_WAIT:
            self._restart()
        elif ahead > 0.0:
            time.sleep(ahead)
        self._rate()

    def _wait_paused(self) -> None:
        """Wait until the page resumes, lets the loop go round once, or closes."""
        self._steps = 0
        self._attempt(self._show)
        while self._paused and not self._steps and not self._closed:
            time.sleep(self._period)
            self._grant()
            self._attempt(self._show)
        self._restart()

    def _restart(self) -> None:
        """Count simulated and wall time anew."""
        self._since = time.monotonic()
        self._since_time = self._machine.time
        self._next_frame = self._since

    def _elapsed(self) -> float:
        """Return the wall time since the last restart [s]."""
        return time.monotonic() - self._since

    def _rate(self) -> None:
        """Measure the real-time factor since the last restart, once that is long enough."""
        if self._elapsed() > RATING_TIME:
            self._factor = (self._machine.time - self._since_time) / self._elapsed()
