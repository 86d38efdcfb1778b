"""A machine in the loop with a controller outside, and the clock that both run by.

A link shows the image of ``registers.py`` to the controller, by whatever protocol. The controller
writes the commands and reads the readings at any time, usually once every 10 ms. The machine takes
the newest commands right before a tick and shows its readings right after it. So a run is
determined by which commands each tick found, and these are logged: replayed on another machine,
without clock and network, they give the same bits.
"""

import gc
import itertools
import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from cable_sim.control.plants.registers import NO_STOP, Registers
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.states import STATES
from cable_sim.priority import run_first
from cable_sim.sim.observation import Observation

GIVES_WAY = 5e-4
"""Time after which a thread hands over to another that waits [s]."""
PRIORITY = 10
"""Priority of the thread that ticks, above all that has no real-time priority."""
MOST_LINES = 20
LONGEST_LINE = 200
"""Number of lines of the server's log in a minute, and characters of each: frames that are none
would fill a disk with tracebacks."""
Words = tuple[int, ...]
"""The command registers as a tick found them; empty where they had not been renewed since the tick
before."""


@dataclass
class ClockedRun:
    """Result of a run against the clock.

    Parameters
    ----------
    log: the commands of each tick.
    missed: due times, since the beginning, of ticks that were not done when the next one was
        due [s].
    latest: time after it was due at which the latest tick was done [s].
    renewed: ticks that found new commands.
    """

    log: list[Words] = field(default_factory=list)
    missed: list[float] = field(default_factory=list)
    latest: float = 0.0
    renewed: int = 0


class ClockedLink:
    """Runs a machine by the clock; a protocol fills ``commands`` and shows readings.

    Parameters
    ----------
    machine: that is commanded; only the thread that calls :meth:`run` touches it.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.registers = Registers(machine.crane)
        self.commands: Words = (0,) * self.registers.commands.size
        self._taken = 0
        self._ticks = 0

    def show(self, state: Mapping[str, float], control: Mapping[str, float]) -> None:
        """Make values the ones that the controller reads from now on, without waiting for it.

        They have the names of the blocks ``state`` and ``control`` of ``registers``.
        """
        raise NotImplementedError

    def run(self, seconds: float, ending: threading.Event | None = None) -> ClockedRun:
        """Tick by the clock for that many seconds, or until ``ending`` is set; late ticks are not
        skipped."""
        self._warm_up()
        with _keep_deadlines():
            return self._tick_by_the_clock(seconds, ending)

    def latest(self) -> Frame:
        """Return the newest frame, for pages and streams, in whatever thread."""
        return self.machine.frame(self.machine.seen)

    def _tick_by_the_clock(self, seconds: float, ending: threading.Event | None) -> ClockedRun:
        """The loop of :meth:`run`."""
        done = ClockedRun()
        period = self.machine.tick_time
        begin = time.monotonic()
        for k in itertools.count():
            if k * period >= seconds - 0.5 * period:
                break
            due = begin + k * period
            while (wait := due - time.monotonic()) > 0.0:
                time.sleep(wait)
            if ending is not None and ending.is_set():
                break
            words = self._renewed_commands()
            done.log.append(words)
            done.renewed += bool(words)
            apply(self.machine, self.registers, words)
            self._ticks += 1
            self.show_now(self.machine.tick())
            took = time.monotonic() - due
            done.latest = max(done.latest, took)
            if took > period:
                done.missed.append(k * period)
        return done

    def _warm_up(self) -> None:
        """Tick once and go back, so that all code is loaded.

        Loading takes longer than a tick.
        """
        now = self.machine.save()
        self.machine.tick()
        self.machine.restore(now)

    def _renewed_commands(self) -> Words:
        """The commands, if they have been renewed since the last tick."""
        words = self.commands
        if words[0] == self._taken:
            return ()
        self._taken = words[0]
        return words

    def show_now(self, seen: Observation) -> None:
        """Show the readings of an observation."""
        machine = self.machine
        crane = self.machine.crane
        stop = machine.stop_category
        limits = machine.limits
        states = [machine.axis_state(seen, axis.name) for axis in crane.axes]
        sways = [machine.sway(seen, hung) for hung in crane.suspensions]
        values = [
            self._taken,
            int(machine.stopped),
            NO_STOP if stop is None else stop,
            self._ticks & 0xFFFFFFFF,
            round(1e3 * seen.time) & 0xFFFFFFFF,
            *(value for state in states for value in (state.position, state.velocity)),
            *(float(seen.cable(rope).span_tension[0]) for rope in crane.ropes),
            *(value for sway in sways if sway for value in (sway.radial, sway.tangential)),
            *(STATES.index(limits[limiter.name]) for limiter in crane.limiters),
        ]
        self.show(dict(zip(self.registers.state.kinds, values, strict=True)), machine.readings)


class Brief(logging.Filter):
    """Filter that lets some lines a minute of a log through, without what stands below them."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record is told; the last one of a minute says so."""
        minute = int(time.monotonic() // 60.0)
        self._lines = self._lines + 1 if minute == self._minute else 1
        self._minute = minute
        record.msg = record.getMessage().partition("\n")[0][:LONGEST_LINE]
        record.args = ()
        if self._lines == MOST_LINES:
            record.msg += " (and more, not told in this minute)"
        return self._lines <= MOST_LINES


@contextmanager
def _keep_deadlines() -> Iterator[None]:
    """Have this thread meet its deadlines as well as the system lets it; all is as before in the
    end.

    A collection of all that the compiler has left takes longer than a tick, and a tick leaves
    nothing to collect. The server's thread gives way within half a millisecond and not after five.
    This thread runs before whatever else the machine has to do, where the system's limits let it
    (``ulimit -r``; the superuser always may), and right behind it all others of the process, which
    may hold the interpreter that it waits for.
    """
    here = threading.get_native_id()
    others = [
        thread.native_id for thread in threading.enumerate() if thread.native_id not in (None, here)
    ]
    collecting = gc.isenabled()
    interval = sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(GIVES_WAY)
    try:
        with run_first(PRIORITY, *others):
            yield
    finally:
        sys.setswitchinterval(interval)
        if collecting:
            gc.enable()


def apply(machine: Machine, registers: Registers, words: Words) -> None:
    """Apply commands.

    The machine counts and notes refused commands, as ever.
    """
    if not words:
        return
    cycle, stop, *speeds = registers.commands.unpack(words).values()
    if bool(stop) != machine.stopped:
        machine.emergency_stop(bool(stop))
    for axis, speed in zip(machine.crane.axes, speeds, strict=True):
        if speed != speed:  # NaN is no order
            continue
        try:
            machine.command(axis.name, speed)
        except CommandError:
            continue


def replay(machine: Machine, log: Iterable[Words]) -> Observation:
    """Tick through the commands of a run, as fast as it goes; returns the last observation."""
    registers = Registers(machine.crane)
    seen = machine.observe()
    for words in log:
        apply(machine, registers, words)
        seen = machine.tick()
    return seen
