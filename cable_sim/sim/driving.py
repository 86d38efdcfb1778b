"""Runs with a law that is called before every step, and with a tape that samples are written to."""

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError, ModelError
from cable_sim.kernels import driving, instant, observe, status, step
from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.machine import MOVED, RUN, STEP, STEPPED
from cable_sim.kernels.pins import Pin
from cable_sim.kernels.records.driving import Driving, Law
from cable_sim.sim.laws import LawAtWork
from cable_sim.sim.observation import Report
from cable_sim.sim.reader import Reader
from cable_sim.sim.readings.channels import Channel, Channels, places_of
from cable_sim.sim.readings.touching import read_events
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.running import READ, RunningScene

TAPE = 1 << 19
"""Most numbers on a tape, which is emptied when it is full: 4 MB."""
LEAST_ROWS = 1024
"""Rows that every tape has, more than any machine takes steps in a tick."""
RAREST = 1 << 62
"""Most steps between two rows."""


class Driver:
    """The law and the recording of a running scene."""

    def __init__(self, running: RunningScene) -> None:
        self._running = running
        self._channels = Channels(running.names, running.places)
        self._law: LawAtWork | None = None
        self._recording: Recording | None = None
        self._readers: WeakSet[Reader] = WeakSet()
        self._first = 0
        self._told = 0
        self._refused = 0
        self._pin: Pin | None = None
        self._code: Callable[..., int] | None = None
        self.active = False
        """True if there is a law or a recording."""
        running.repinned = self._connect

    def use_law(
        self,
        law: Callable[..., Any] | None,
        reads: Sequence[str],
        writes: Sequence[str],
        memory: ArrayLike,
    ) -> LawAtWork | None:
        """Call a law before each step from now on, or none."""
        made = None
        if law is not None:
            self._refuse_sparse("law")
            found = self._channels.read(reads), self._channels.written(writes)
            made = LawAtWork(law, *found, self._running.seen.time, memory)
        self._law = made
        self._connect()
        return made

    def reader(self, channels: Sequence[str]) -> Reader:
        """Return a reader of channels of observations."""
        made = Reader(self._channels.read(channels))
        self._readers.add(made)
        return made

    def record(self, channels: Sequence[str], every: int) -> Recording:
        """Record channels from now on."""
        self._refuse_sparse("recording")
        if self._recording is not None:
            raise CommandError("record: a recording runs already; stop it first")
        every = operator.index(every)
        if not 1 <= every <= RAREST:
            raise CommandError(f"record: every {every} is not allowed; it must be 1 ... 2^62")
        wanted = self._channels.recorded(channels)
        self._recording = Recording(wanted, every, self._end_recording)
        self._first = int(self._running.state.steps[0])
        self._recording.append(self._present_row(wanted))
        self.skip_events()
        self._connect()
        return self._recording

    def follow(self, other: "Driver") -> None:
        """Record and read on what another driver does, whose scene goes on in this one.

        Raises CommandError for one with a law.
        """
        other.refuse_law()
        self._first = other._first
        self.skip_events()
        self._readers = other._readers
        for reader in self._readers:
            reader.go_on(self._again(reader.channels))
        self._recording = other._recording
        if self._recording is not None:
            self._recording.go_on(self._again(self._recording.channels), self._end_recording)
        self._connect()

    def refuse_law(self) -> None:
        """Raise CommandError if a law is at work, which is bound to its scene."""
        if self._law is not None:
            raise CommandError(f"law {self._law.name!r} is at work; end it with use_law(None)")

    def _again(self, channels: Sequence[Channel]) -> tuple[Channel, ...]:
        """Return the channels of the same names."""
        return self._channels.read([channel.name for channel in channels])

    def take(self, count: int) -> Report:
        """Take so many steps, until one can't be taken."""
        if count == 0:
            return self._running.take(0)
        running = self._running
        assert self._pin is not None and self._code is not None
        if self._law is not None and running.state.steps[0] == 0:
            running.change()
            running.freshen(READ)
        flags = status.SOLVED
        most = 0.0
        while True:
            running.change()
            flags |= self._code(self._pin, count)
            count -= self.collect()
            residual, rounds = running.accuracy.tolist()
            most = max(most, rounds)
            if count == 0 or self._refused or flags & status.STOPS:
                return Report(flags, residual, int(most))

    def collect(self) -> int:
        """Empty the tape after steps, also those that other compiled code has taken.

        Returns the number of steps of the last call.
        """
        if self._pin is None:
            return 0
        counts = self._pin.records.counts
        taken, rows, self._refused = counts.tolist()
        if self._recording is not None:
            self._recording.append(self._pin.records.tape[:rows])
            self._note_events(self._recording)
        counts[driving.ROWS] = 0
        return taken

    def _note_events(self, recording: Recording) -> None:
        """Note what began or ended since the last look."""
        running = self._running
        pool = running.state.pool
        total = int(pool.events[0])
        new = read_events(total, pool.event, running.dt, running.names.shapes, self._told)
        recording.note(new, total - self._told - len(new))
        self._told = total

    def skip_events(self) -> None:
        """Note none of the present state's events: it is that of the start, or of a jump."""
        self._told = int(self._running.state.pool.events[0])

    def check_law(self) -> None:
        """Raise CommandError if the law refused the next step."""
        refused = self._refused
        self._refused = 0
        if refused and self._law is not None:
            self._law.refuse(refused - 1)

    def _refuse_sparse(self, what: str) -> None:
        """Raise ModelError for the sparse solver, whose steps are not compiled."""
        if self._running.sparse is not None:
            raise ModelError(f"solver 'sparse' knows no {what}; use 'envelope'")

    def _present_row(self, channels: Sequence[Channel]) -> NDArray[np.float64]:
        """Return the present values (1, c)."""
        self._running.change()  # whoever writes to the state by hand is seen
        self._running.freshen(READ)
        memory = self._running.memory
        row = np.zeros((1, places_of(channels).size))
        driving.gather(memory.view(np.float64), memory, places_of(channels), row[0])
        return row

    def _end_recording(self, recording: Recording) -> None:
        """Record no more, if this is what is recorded."""
        with self._running.turns.lock:
            if self._recording is recording:
                self._recording = None
                self._connect()

    def _connect(self) -> None:
        """Pin the present law, recording and records, for all that takes steps of the scene."""
        running = self._running
        running.code[[STEP, STEPPED]] = running.code[[RUN, MOVED]]
        self._pin = None
        self.active = self._law is not None or self._recording is not None
        if self.active:
            self._pin = Pin(self._records())
            code = machine_code(driving.drive_world, self._pin, 1)
            self._code = code.call
            running.code[[STEP, STEPPED]] = code.address, self._pin

    def _records(self) -> Driving:
        """Return the record of the kernel."""
        running = self._running
        law = self._law
        recording = self._recording
        channels = recording.channels if recording else ()
        pins: list[Any] = [running.moved, running.looked, law.pin if law else running.moved]
        codes = codes_of(running, law)
        if codes.dtype != object:
            pins = [pin.address for pin in pins]
        width = places_of(channels).size
        return driving_records(
            Driven(
                codes,
                np.array(pins, codes.dtype),
                np.zeros(3, np.int64),
                running.state.steps,
                running.accuracy,
                running.memory,
            ),
            law,
            channels,
            (recording.every if recording else 0, self._first),
            max(TAPE // max(width, 1), LEAST_ROWS),
        )


class Driven(NamedTuple):
    """A world that is driven: arrays as in ``Driving``, and the memory of its block [bytes]."""

    codes: Any
    pins: Any
    counts: NDArray[np.int64]
    steps: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    memory: NDArray[np.uint8]


def codes_of(running: RunningScene, law: LawAtWork | None) -> NDArray[Any]:
    """Return the addresses (4,) of compiled code, or functions where compiling is switched off."""
    codes: list[Any] = [
        machine_code(step.run_world, running.moved, 1).address,
        machine_code(instant.see_world, running.moved, 1).address,
        machine_code(observe.observe_world, running.looked, 1).address,
        law.code.address if law else 0,
    ]
    return np.array(codes, object if callable(codes[0]) else np.int64)


def driving_records(
    world: Driven,
    law: LawAtWork | None,
    channels: Sequence[Channel],
    rhythm: tuple[int, int],
    rows: int,
) -> Driving:
    """Return the record of a world with a law, or with a tape of so many rows of channels.

    ``rhythm`` is the number of steps between two rows, 0 without a tape, and the first row's step.
    """
    reads = law.reads if law else ()
    writes = law.writes if law else ()
    own = law.pin.records if law else Law(*[np.zeros(0)] * 4)
    return Driving(
        world.codes,
        world.pins,
        np.array([*rhythm, _needs(channels), _needs(reads)], np.int64),
        world.counts,
        world.steps,
        world.accuracy,
        world.memory.view(np.float64),
        world.memory,
        places_of(reads),
        own.inputs,
        places_of(writes),
        own.outputs,
        places_of(channels),
        np.zeros((rows, places_of(channels).size)),
    )


def _needs(channels: Sequence[Channel]) -> int:
    """Return what channels need to be seen, 0 for none."""
    return max((channel.needs for channel in channels), default=0)
