"""PX4 as the pilot of rotors, in lockstep over MAVLink.

PX4's "simulator MAVLink API" (its user guide): the simulator listens at TCP port 4560 and sends
HIL_SENSOR with its time; PX4 answers each with HIL_ACTUATOR_CONTROLS, at which the next step is
taken. HIL_GPS comes ten times a second. Until PX4 has answered once, it is sent sensors by the
clock.

*Sensors.* The field of the earth is FIELD in north, east, down, turned into the body's frame. The
air is the standard atmosphere: p = 1013.25 (1 - 2.25577e-5 h)^5.25588 hPa at the height h above the
sea. A place n, e [m] from home is at the latitude n / R, the longitude e / (R cos latitude) from
it, on a ball of the radius R. White noise of SIGMA keeps PX4 from taking a sensor for stuck.
"""

import math
import select
import socket
import threading
import time
from typing import Any

import numpy as np
from pymavlink.dialects.v20 import common as mavlink
from transforms3d.quaternions import quat2mat

from cable_sim.errors import CableSimError
from cable_sim.interchange.robots.rotors import Array, Rotors
from cable_sim.interchange.robots.senses import Senses, fly

PORT = 4560
"""Port at which PX4 looks for a simulator."""
PERIOD = 0.004
"""Time between sensors [s]."""
EVERY = 25
"""Sensors to a position of GPS."""
PATIENCE = 1.0
"""Time that PX4 has for an answer [s]; without one the next sensors are sent."""
HOME = (47.397742, 8.545594, 488.0)
"""Latitude, longitude [deg] and height [m] of the world's origin: PX4's own default."""
RADIUS = 6378137.0
"""Radius of the earth [m]."""
FIELD = np.array([0.21, 0.0, 0.42])
"""Magnetic field of the earth, north, east, down [gauss]."""
SIGMA = {"gyro": 1e-3, "accelerometer": 2e-2, "field": 1e-3, "pressure": 1e-2}
"""Standard deviations of noise [rad/s, m/s^2, gauss, hPa]."""
ALL_FIELDS = 0x1FFF
ARMED = 128
"""Flag of the mode in which motors may turn."""


class Px4Link:
    """Runs rotors for PX4 in lockstep, for one PX4 at a time.

    Start it as ``make px4_sitl none_iris``.

    Parameters
    ----------
    rotors: the first controls are theirs, in their order.
    host, port: to listen on; port 0 takes a free one, which ``port`` then tells.
    seed: of the noise of the sensors.

    Raises CableSimError when it can't listen there.
    """

    def __init__(
        self, rotors: Rotors, host: str = "127.0.0.1", port: int = PORT, seed: int = 0
    ) -> None:
        self.rotors = rotors
        self._random = np.random.default_rng(seed)
        self._commands = np.zeros(len(rotors.speeds))
        self._sent = 0
        self._steps = max(round(PERIOD / rotors.simulator.dt), 1)
        self._coder = mavlink.MAVLink(None)
        try:
            self._server = socket.create_server((host, port))
        except OSError as error:
            raise CableSimError(f"can't listen on {host}:{port}: {error.strerror}") from None
        self._server.settimeout(0.1)
        self.port = int(self._server.getsockname()[1])

    def run(self, ending: threading.Event) -> None:
        """Fly for whoever connects, until ``ending`` is set; rotors stop when PX4 leaves."""
        while not ending.is_set():
            try:
                pilot, _ = self._server.accept()
            except TimeoutError:
                continue
            with pilot:
                pilot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    self._fly(pilot, ending)
                except ConnectionError:
                    self._commands[:] = 0.0

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _fly(self, pilot: socket.socket, ending: threading.Event) -> None:
        """Exchange sensors and controls with a pilot until it leaves."""
        parser = mavlink.MAVLink(None)
        parser.robust_parsing = True
        answered = False
        while not ending.is_set():
            began = time.monotonic()
            seen = fly(self.rotors, self._commands, self._steps)
            pilot.sendall(b"".join(one.pack(self._coder) for one in self._messages(seen)))
            told = self._controls(pilot, parser, PATIENCE if answered else PERIOD)
            answered = answered or told
            if not answered:
                time.sleep(max(began + PERIOD - time.monotonic(), 0.0))

    def _controls(self, pilot: socket.socket, parser: Any, patience: float) -> bool:
        """Take the controls that a pilot sends; return False if none come in a time [s]."""
        until = time.monotonic() + patience
        while (left := until - time.monotonic()) > 0.0:
            if not select.select([pilot], [], [], left)[0]:
                break
            received = pilot.recv(4096)
            if not received:
                raise ConnectionResetError
            found = False
            for message in parser.parse_buffer(received) or ():
                if message.get_type() == "HIL_ACTUATOR_CONTROLS":
                    wanted = np.array(message.controls[: len(self._commands)])
                    armed = bool(message.mode & ARMED) and bool(np.isfinite(wanted).all())
                    self._commands = np.clip(wanted, 0.0, 1.0) if armed else 0.0 * self._commands
                    found = True
            if found:
                return True
        return False

    def _messages(self, seen: Senses) -> list[Any]:
        """Return the messages of the next instant: sensors, and sometimes GPS."""
        now = round(1e6 * self.rotors.simulator.time)
        height = HOME[2] - seen.position[2]
        field = quat2mat(seen.orientation).T @ FIELD
        pressure = 1013.25 * (1.0 - 2.25577e-5 * height) ** 5.25588
        sensors = mavlink.MAVLink_hil_sensor_message(
            now,
            *self._noisy("accelerometer", seen.accelerometer),
            *self._noisy("gyro", seen.gyro),
            *self._noisy("field", field),
            *self._noisy("pressure", np.array([pressure])),
            0.0,
            height,
            15.0,
            ALL_FIELDS,
        )
        self._sent += 1
        return [sensors] if self._sent % EVERY else [sensors, _position(now, seen)]

    def _noisy(self, sensor: str, values: Array) -> list[float]:
        """Return values with the noise of a sensor."""
        noise = SIGMA[sensor] * self._random.standard_normal(len(values))
        noisy: list[float] = (values + noise).tolist()
        return noisy


def _position(now: int, seen: Senses) -> Any:
    """Return the message of GPS at a time [us]."""
    north, east, down = seen.position
    latitude = HOME[0] + math.degrees(north / RADIUS)
    longitude = HOME[1] + math.degrees(east / (RADIUS * math.cos(math.radians(HOME[0]))))
    vn, ve, vd = (round(100.0 * v) for v in seen.velocity)
    course = math.degrees(math.atan2(ve, vn)) % 360.0
    return mavlink.MAVLink_hil_gps_message(
        now,
        3,
        round(1e7 * latitude),
        round(1e7 * longitude),
        round(1e3 * (HOME[2] - down)),
        30,
        40,
        round(math.hypot(vn, ve)),
        vn,
        ve,
        vd,
        round(100.0 * course) % 36000,
        10,
    )
