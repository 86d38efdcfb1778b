"""Runs with a law that is called before every step, and with a tape that samples are written to."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError, ModelError
from cable_sim.kernels import driving, instant, observe, status, step
from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.pins import Pin
from cable_sim.model.records.driving import Driving, Law
from cable_sim.sim.channels import Channel, Channels
from cable_sim.sim.observation import Report
from cable_sim.sim.recording import TIME, Recording
from cable_sim.sim.running import READ, RunningScene

Ints = NDArray[np.int64]
TAPE = 1 << 19
"""Most numbers on a tape, which is emptied when it is full: 4 MB."""
NO_ROWS = np.zeros((0, 0))


class LawAtWork:
    """A law of the user's, compiled for the channels of a scene.

    Parameters
    ----------
    law: function of (time, inputs, outputs, memory), see :meth:`Simulator.use_law`.
    reads, writes: its channels.
    time: (1,) that the law is told [s].
    memory: initial memory of the law.

    Raises ModelError if the function can't be compiled.
    """

    def __init__(
        self,
        law: Callable[..., Any],
        reads: Sequence[Channel],
        writes: Sequence[Channel],
        time: NDArray[np.float64],
        memory: ArrayLike,
    ) -> None:
        self.reads = tuple(reads)
        self.writes = tuple(writes)
        kept = np.array(memory, dtype=float).reshape(-1)
        inputs = np.zeros(_places(reads).size)
        self.pin = Pin(Law(time, inputs, np.zeros(_places(writes).size), kept))
        try:
            self.code = machine_code(driving.compiled_law(law), self.pin, 0)
        except Exception as error:  # numba has many
            name = getattr(law, "__name__", "law")
            raise ModelError(
                f"law {name!r} can't be compiled; it may use numbers, arrays that it is given, "
                f"and math, and make no arrays of its own: {error}"
            ) from error

    @property
    def memory(self) -> NDArray[np.float64]:
        """Memory (m,) of the law, which may be written between steps."""
        return self.pin.records.memory

    def column(self, i: int) -> str:
        """Return the name of an output."""
        return [column for channel in self.writes for column in channel.columns][i]


class Driver:
    """The law and the recording of a running scene."""

    def __init__(self, running: RunningScene) -> None:
        self._running = running
        self._channels = Channels(running.names, running.places)
        self._law: LawAtWork | None = None
        self._recording: Recording | None = None
        self._first = 0
        self._pin: Pin | None = None
        self._world: Pin | None = None

    @property
    def active(self) -> bool:
        """Return True if there is a law or a recording."""
        return self._law is not None or self._recording is not None

    def use_law(
        self,
        law: Callable[..., Any] | None,
        reads: Sequence[str],
        writes: Sequence[str],
        memory: ArrayLike,
    ) -> LawAtWork | None:
        """Call a law before each step from now on, or none."""
        self._refuse_sparse("a law")
        made = None
        if law is not None:
            found = self._channels.read(reads), self._channels.written(writes)
            made = LawAtWork(law, *found, self._running.seen.time, memory)
        self._law = made
        self._pin = None
        return made

    def record(self, channels: Sequence[str], every: int) -> Recording:
        """Record channels from now on."""
        self._refuse_sparse("a recording")
        if self._recording is not None:
            raise CommandError("record: a recording runs already; stop it first")
        if every < 1:
            raise CommandError(f"record: every {every} is not allowed; it must be 1 or above")
        wanted = self._channels.read(channels)
        wanted = self._channels.read([TIME]) + tuple(c for c in wanted if c.name != TIME)
        self._recording = Recording(wanted, every, self._end_recording)
        self._first = int(self._running.state.steps[0])
        self._recording.append(self._present_row(wanted))
        self._pin = None
        return self._recording

    def take(self, count: int) -> Report:
        """Take so many steps; raise CommandError if a law's output is not finite."""
        running = self._running
        pin = self._pinned()
        code = machine_code(driving.drive_world, pin, 1).call
        flags = status.SOLVED
        most = 0.0
        while True:
            running.change()
            flags |= code(pin, count)
            taken, rows, refused = pin.records.counts.tolist()
            if self._recording is not None:
                self._recording.append(pin.records.tape[:rows])
            residual, rounds = running.accuracy.tolist()
            most = max(most, rounds)
            count -= taken
            if refused:
                self._refuse(refused - 1)
            if count == 0 or flags & status.STOPS:
                return Report(flags, residual, int(most))

    def _refuse(self, i: int) -> None:
        """Raise CommandError for an output of the law."""
        assert self._law is not None
        value = self._law.pin.records.outputs[i]
        raise CommandError(
            f"law: output {self._law.column(i)!r} is {value} at t = "
            f"{self._running.state.time[0]:.6g} s; it must be finite. The step was not taken"
        )

    def _refuse_sparse(self, what: str) -> None:
        """Raise ModelError for the sparse solver, whose steps are not compiled."""
        if self._running.sparse is not None:
            raise ModelError(f"solver 'sparse' knows no {what[2:]}; use 'envelope'")

    def _present_row(self, channels: Sequence[Channel]) -> NDArray[np.float64]:
        """Return the present values (1, c)."""
        self._running.freshen(READ)
        memory = self._running.memory
        row = np.zeros((1, _places(channels).size))
        driving.gather(memory.view(np.float64), memory, _places(channels), row[0])
        return row

    def _end_recording(self) -> None:
        """Record no more."""
        self._recording = None
        self._pin = None

    def _pinned(self) -> Pin:
        """Return the pin of the present law, recording and world."""
        running = self._running
        if self._pin is None or self._world is not running.moved:
            self._world = running.moved
            self._pin = Pin(self._records())
        return self._pin

    def _records(self) -> Driving:
        """Return the record of the kernel."""
        running = self._running
        law = self._law
        pins: list[Any] = [running.moved, running.looked]
        codes: list[Any] = [
            machine_code(step.run_world, running.moved, 1).address,
            machine_code(instant.see_world, running.moved, 1).address,
            machine_code(observe.observe_world, running.looked, 1).address,
        ]
        codes.append(law.code.address if law else 0)
        pins.append(law.pin if law else running.moved)
        recorded = self._recording.channels if self._recording else ()
        every = self._recording.every if self._recording else 0
        read = law.reads if law else ()
        needs = [max((channel.needs for channel in part), default=0) for part in (recorded, read)]
        width = _places(recorded).size
        own = law.pin.records if law else Law(*[np.zeros(0)] * 4)
        return Driving(
            np.array(codes),
            np.array([pin.address for pin in pins]),
            np.array([every, self._first, *needs]),
            np.zeros(3, np.int64),
            running.state.steps,
            running.accuracy,
            running.memory.view(np.float64),
            running.memory,
            _places(read),
            own.inputs,
            _places(law.writes if law else ()),
            own.outputs,
            _places(recorded),
            np.zeros((max(TAPE // max(width, 1), 1), width)),
        )


def _places(channels: Sequence[Channel]) -> Ints:
    """Return the places of all columns."""
    return np.concatenate([np.zeros(0, np.int64), *(channel.places for channel in channels)])
