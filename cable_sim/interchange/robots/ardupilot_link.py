"""ArduPilot as the pilot of rotors, in lockstep over UDP.

Its simulator in the loop speaks the "JSON simulation format" (libraries/SITL/examples/JSON of its
sources): a packet of magic, rate, count and pulse widths [us] asks for 1 / rate of simulated time
and is answered with the state. A packet with the count of the one before is answered again, and a
lower count begins anew.
"""

import json
import logging
import socket
import struct
import threading

import numpy as np

from cable_sim.errors import CableSimError
from cable_sim.interchange.robots.rotors import Rotors
from cable_sim.interchange.robots.senses import fly

LOG = logging.getLogger(__name__)
PORT = 9002
"""Port at which ArduPilot looks for a simulator."""
CHANNELS = {18458: 16, 29569: 32}
"""Number of channels by the magic of a packet."""
HEAD = "<HHI"
LEAST, SPAN = 1000.0, 1000.0
"""Pulse width of a rotor that stands, and what it is longer for full speed [us]."""


class ArduPilotLink:
    """Runs rotors for ArduPilot's simulator in the loop, in lockstep, over UDP.

    Start it as ``sim_vehicle.py -v ArduCopter --model JSON:127.0.0.1``.

    Parameters
    ----------
    rotors: the first channels are theirs, in their order.
    host, port: to listen on; port 0 takes a free one, which ``port`` then tells.

    Raises CableSimError when it can't listen there.
    """

    def __init__(self, rotors: Rotors, host: str = "127.0.0.1", port: int = PORT) -> None:
        self.rotors = rotors
        self.refused = 0
        """Number of packets that were none of ArduPilot's."""
        self._start = rotors.simulator.save()
        self._count = -1
        self._reply = b""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(0.1)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise CableSimError(f"can't listen on {host}:{port}: {error.strerror}") from None
        self.port = int(self._socket.getsockname()[1])

    def run(self, ending: threading.Event) -> None:
        """Answer packets until ``ending`` is set."""
        while not ending.is_set():
            try:
                packet, sender = self._socket.recvfrom(256)
            except TimeoutError:
                continue
            if reply := self.answer(packet):
                self._socket.sendto(reply, sender)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()

    def answer(self, packet: bytes) -> bytes:
        """Take the time that a packet asks for, and return the state; empty for any other bytes."""
        head = struct.calcsize(HEAD)
        magic, rate, count = struct.unpack_from(HEAD, packet) if len(packet) > head else (0, 0, 0)
        channels = CHANNELS.get(magic, 0)
        if not channels or len(packet) != head + 2 * channels or rate == 0:
            self.refused += 1
            if self.refused == 1:
                LOG.warning("%d bytes that are no packet of ArduPilot's were left", len(packet))
            return b""
        if count == self._count:
            return self._reply
        simulator = self.rotors.simulator
        if count < self._count:
            simulator.restore(self._start)
            self.rotors.speeds[:] = 0.0
        self._count = count
        widths = np.array(struct.unpack_from(f"<{channels}H", packet, head), float)
        shares = np.clip((widths[: len(self.rotors.speeds)] - LEAST) / SPAN, 0.0, 1.0)
        steps = max(round(1.0 / (rate * simulator.dt)), 1)
        seen = fly(self.rotors, shares, steps)
        told = {
            "timestamp": simulator.time,
            "imu": {"gyro": seen.gyro.tolist(), "accel_body": seen.accelerometer.tolist()},
            "position": seen.position.tolist(),
            "velocity": seen.velocity.tolist(),
            "quaternion": seen.orientation.tolist(),
        }
        self._reply = f"\n{json.dumps(told)}\n".encode()
        return self._reply
