"""A controller outside, such as a PLC, in the loop over Modbus/TCP.

The server holds the image of ``control/plants/registers.py``. A client usually does its exchange
with one request, read/write multiple registers (23).
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pymodbus import ModbusDeviceIdentification
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from cable_sim.control.plants.clocked_link import Brief, ClockedLink
from cable_sim.control.plants.registers import COMMANDS, READINGS
from cable_sim.errors import CableSimError
from cable_sim.loop_thread import LoopThread
from cable_sim.machine.machine import Machine
from cable_sim.network import is_loopback

DEVICE = 1
"""Number of the Modbus device."""
SERVER_LOG = "pymodbus.logging"


class PlcLink(ClockedLink):
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
        super().__init__(machine)
        self._readings: list[int] = []
        self.show_now(machine.observe())
        self._brief = Brief()
        logging.getLogger(SERVER_LOG).addFilter(self._brief)
        self._thread = LoopThread("modbus")
        try:
            self._server, self.port = self._thread.do(self._serve(host, port))
        except (OSError, RuntimeError):
            self._end()
            raise CableSimError(f"can't listen on {host}:{port}; is the port taken?") from None

    def close(self) -> None:
        """Stop serving."""
        self._thread.do(self._server.shutdown())
        self._end()

    def _end(self) -> None:
        """End the server's thread."""
        self._thread.end()
        logging.getLogger(SERVER_LOG).removeFilter(self._brief)

    def show(self, state: Mapping[str, float], control: Mapping[str, float]) -> None:
        """Make values the ones that are read from now on."""
        blocks = self.registers.state, self.registers.control
        self._readings = [
            word
            for block, values in zip(blocks, (state, control), strict=True)
            for word in block.pack(list(values.values()))
        ]

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
            self.commands = tuple(written)
        elif address >= READINGS:
            current[READINGS - start : READINGS - start + len(self._readings)] = self._readings
        return None
