"""A controller outside, such as a PLC, in the loop over Modbus/TCP, and the clock that both run by.

The server holds the image of ``control/plants/registers.py``. A connected client writes the
commands and reads the readings at any time, usually with one request, read/write multiple
registers (23), every 10 ms. The machine takes the newest commands right before a tick and shows its
readings right after it. So a run is determined by which commands each tick found, and these are
logged: replayed on another machine, without clock and network, they give the same bits.
"""

import asyncio
import gc
import itertools
import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pymodbus import ModbusDeviceIdentification
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from cable_sim.control.plants.registers import COMMANDS, NO_STOP, READINGS, Registers
from cable_sim.errors import CableSimError, CommandError
from cable_sim.machine.machine import Machine
from cable_sim.machine.states import STATES
from cable_sim.network import is_loopback
from cable_sim.priority import run_first
from cable_sim.sim.observation import Observation

DEVICE = 1
"""Number of the Modbus device."""
GIVES_WAY = 5e-4
"""Time after which a thread hands over to another that waits [s]."""
PRIORITY = 10
"""Priority of the thread that ticks, above all that has no real-time priority."""
SERVER_LOG = "pymodbus.logging"
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


class PlcLink:
    """Serves a machine's registers over Modbus/TCP, and runs it by the clock.

    Parameters
    ----------
    machine: that is commanded; only the thread that calls :meth:`run` touches it.
    host, port: to listen on; port 0 takes a free one, which ``port`` then tells.
    unprotected: has to be said of a host that other machines reach: Modbus asks nobody for a
        password.

    Raises CableSimError when it can't listen there.
    """

    def __init__(
        self, machine: Machine, host: str = "127.0.0.1", port: int = 0, unprotected: bool = False
    ) -> None:
        if not (unprotected or is_loopback(host)):
            raise CableSimError(
                f"host {host!r} is open to other machines, and Modbus has no password: who "
                "reaches it moves the crane; "
                "say --unprotected where a fence or a tunnel keeps others out, or listen on "
                "127.0.0.1"
            )
        self.machine = machine
        self.registers = Registers(machine.crane)
        self._commands: Words = (0,) * self.registers.commands.size
        self._taken = 0
        self._ticks = 0
        self._readings: list[int] = []
        self._show(machine.observe())
        self._brief = _Brief()
        logging.getLogger(SERVER_LOG).addFilter(self._brief)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="modbus", daemon=True)
        self._thread.start()
        try:
            self._server, self.port = asyncio.run_coroutine_threadsafe(
                self._serve(host, port), self._loop
            ).result(10.0)
        except (OSError, RuntimeError):
            self._end()
            raise CableSimError(f"can't listen on {host}:{port}; is the port taken?") from None

    def run(self, seconds: float, ending: threading.Event | None = None) -> ClockedRun:
        """Tick by the clock for that many seconds, or until ``ending`` is set; late ticks are not
        skipped."""
        self._warm_up()
        with _keep_deadlines():
            return self._tick_by_the_clock(seconds, ending)

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
            self._show(self.machine.tick())
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

    def close(self) -> None:
        """Stop serving."""
        asyncio.run_coroutine_threadsafe(self._server.shutdown(), self._loop).result(5.0)
        self._end()

    def _end(self) -> None:
        """End the server's thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)
        self._loop.close()
        logging.getLogger(SERVER_LOG).removeFilter(self._brief)

    def _renewed_commands(self) -> Words:
        """The commands, if they have been renewed since the last tick."""
        words = self._commands
        if words[0] == self._taken:
            return ()
        self._taken = words[0]
        return words

    def _show(self, seen: Observation) -> None:
        """Make the readings of an observation the ones that are read from now on."""
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
        control = self.registers.control.pack(list(machine.readings.values()))
        self._readings = self.registers.state.pack(values) + control

    async def _serve(self, host: str, port: int) -> tuple[ModbusTcpServer, int]:
        """Start the server; returns it with its port."""
        blocks = [
            SimData(
                COMMANDS, values=[0] * self.registers.commands.size, datatype=DataType.REGISTERS
            ),
            SimData(READINGS, values=[0] * self.registers.size, datatype=DataType.REGISTERS),
        ]
        device = SimDevice(DEVICE, simdata=blocks, action=self._handle_request)
        identity = ModbusDeviceIdentification(
            info_name={"VendorName": "cable_sim", "ProductName": "crane simulator"}
        )
        server = ModbusTcpServer(device, address=(host, port), identity=identity)
        await server.serve_forever(background=True)
        listening: Any = server.transport
        return server, int(listening.sockets[0].getsockname()[1])

    async def _handle_request(
        self,
        function: int,
        start: int,
        address: int,
        count: int,
        current: list[int],
        written: Sequence[int] | None,
    ) -> ExcCodes | None:
        """Take commands that are written, as a whole; have readings read as the last tick left
        them."""
        if written:
            if address != COMMANDS or count != self.registers.commands.size:
                return ExcCodes.ILLEGAL_ADDRESS
            self._commands = tuple(written)
        elif address >= READINGS:
            current[READINGS - start : READINGS - start + len(self._readings)] = self._readings
        return None


class _Brief(logging.Filter):
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
