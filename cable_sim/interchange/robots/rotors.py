"""Rotors on a body, and ArduPilot as their pilot.

*Rotor.* At the speed w it thrusts with T = k_T w |w| along its axis, and its drag turns the body
with Q = -s k_Q w |w| about that axis, s = 1 for one that spins anticlockwise seen from where it
thrusts to. Its speed follows the command w_c with the time constant tau; over a step h exactly
w' = w_c + (w - w_c) e^(-h / tau). On the body act the force sum T a and the torque
sum r x T a + Q a, with the axes a and arms r of the body's frame, turned into the world at the
beginning of each step.

*ArduPilot's* simulator in the loop asks over UDP (its "JSON simulation format", libraries/SITL/
examples/JSON of its sources): a packet of magic, rate, count and pulse widths [us] asks for
1 / rate of simulated time and is answered with the state, so both run in lockstep. A packet with
the count of the one before is answered again, and a lower count begins anew. Its earth frame is
north, east, down, its body frame forward, right, down. Ours are east, north, up and forward, left,
up. So v of the earth is (v_y, v_x, -v_z) there, of the body (v_x, -v_y, -v_z). Its accelerometer
reads R^T (a - g), a the mean over the last step.
"""

import json
import logging
import math
import socket
import struct
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import mat2quat, quat2mat

from cable_sim.errors import CableSimError, SpecError
from cable_sim.sim.simulator import Simulator
from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec

Array = NDArray[np.float64]
LOG = logging.getLogger(__name__)
PORT = 9002
"""Port at which ArduPilot looks for a simulator."""
CHANNELS = {18458: 16, 29569: 32}
"""Number of channels by the magic of a packet."""
HEAD = "<HHI"
LEAST, SPAN = 1000.0, 1000.0
"""Pulse width of a rotor that stands, and what it is longer for full speed [us]."""
EARTH = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
BODY = np.diag([1.0, -1.0, -1.0])
"""Turns of vectors into north, east, down, and into forward, right, down."""


@spec
class Rotor:
    """A rotor that is fixed to a body.

    Parameters
    ----------
    position: in the body's frame [m].
    thrust: thrust over the square of the speed k_T [N s^2].
    drag: torque over the square of the speed k_Q [N m s^2].
    max_speed: at full command [rad/s].
    anticlockwise: the sense in which it spins, seen from where it thrusts to.
    time_constant: with which its speed follows the command [s].
    axis: along which it thrusts, in the body's frame; its length does not matter.
    """

    position: Vector
    thrust: Positive
    drag: NonNegative
    max_speed: Positive
    anticlockwise: bool = True
    time_constant: NonNegative = 0.02
    axis: Vector = (0.0, 0.0, 1.0)


class Rotors:
    """Rotors of a body of a simulator, which they push at every step.

    Parameters
    ----------
    simulator: that runs the body.
    body: its name.
    rotors: in the order of their commands.

    Raises SpecError for a body that is not known and an axis of zero.
    """

    def __init__(self, simulator: Simulator, body: str, rotors: Sequence[Rotor]) -> None:
        simulator.names.index("bodies", body)
        self.simulator = simulator
        self.body = body
        axes = np.array([rotor.axis for rotor in rotors], float).reshape(-1, 3)
        lengths = np.linalg.norm(axes, axis=1)
        if (lengths == 0.0).any():
            raise SpecError(f"rotors.{int(np.argmin(lengths))}.axis: an axis can't be zero")
        axes /= lengths[:, None]
        thrust = np.array([rotor.thrust for rotor in rotors])
        spin = np.array([1.0 if rotor.anticlockwise else -1.0 for rotor in rotors])
        drag = spin * [rotor.drag for rotor in rotors]
        arms = np.array([rotor.position for rotor in rotors], float).reshape(-1, 3)
        self._force = thrust[:, None] * axes
        self._torque = np.cross(arms, self._force) - drag[:, None] * axes
        self._most = np.array([rotor.max_speed for rotor in rotors])
        times = np.array([rotor.time_constant for rotor in rotors])
        with np.errstate(divide="ignore"):
            self._kept = np.exp(-simulator.dt / times)
        self.speeds = np.zeros(len(self._most))
        """Speeds (n,) of the rotors [rad/s]."""

    def step(self, commands: Sequence[float] | Array, count: int = 1) -> None:
        """Take steps with commands (n,), shares of the full speeds from 0 to 1, or back from -1.

        Raises SpecError for another number of commands, and for one that is no number from -1 to 1.
        """
        wanted = np.asarray(commands, float)
        if wanted.shape != self._most.shape or not (np.abs(wanted) <= 1.0).all():
            told = f"{len(self._most)} numbers from -1 to 1"
            raise SpecError(f"commands: {wanted.tolist()} is not allowed; give {told}")
        view = self.simulator.bodies[self.body]
        goal = wanted * self._most
        for _ in range(count):
            self.speeds = goal + (self.speeds - goal) * self._kept
            squares = self.speeds * np.abs(self.speeds)
            turn = quat2mat(view.orientation)
            view.push(turn @ (squares @ self._force), turn @ (squares @ self._torque))
            self.simulator.step()


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
        self.rotors.step(shares, steps - 1)
        before = simulator.bodies[self.rotors.body].velocity.copy()
        self.rotors.step(shares)
        self._reply = self._state(before)
        return self._reply

    def _state(self, before: Array) -> bytes:
        """Return the state as a line of JSON, given the velocity (3,) one step before [m/s]."""
        simulator = self.rotors.simulator
        view = simulator.bodies[self.rotors.body]
        turn = quat2mat(view.orientation)
        felt = (view.velocity - before) / simulator.dt - np.array(simulator.scene.gravity)
        attitude = mat2quat(EARTH @ turn @ BODY)
        told = {
            "timestamp": simulator.time,
            "imu": {
                "gyro": (BODY @ turn.T @ view.angular_velocity).tolist(),
                "accel_body": (BODY @ turn.T @ felt).tolist(),
            },
            "position": (EARTH @ view.position).tolist(),
            "velocity": (EARTH @ view.velocity).tolist(),
            "quaternion": attitude.tolist(),
        }
        return f"\n{json.dumps(told)}\n".encode()


def hover_share(rotor: Rotor, load: float) -> float:
    """Return the command at which a rotor carries a load [N]: sqrt(load / k_T) / max_speed [-].

    Raises SpecError for more than it can carry.
    """
    share = math.sqrt(load / rotor.thrust) / rotor.max_speed
    if not share <= 1.0:
        most = rotor.thrust * rotor.max_speed**2
        raise SpecError(f"load: {load:g} N is not allowed; the rotor carries up to {most:g} N")
    return share
