"""PX4's messages, with a test that plays its part by the generated code of MAVLink."""

import contextlib
import math
import socket
import threading
import time

import numpy as np
import pytest
from messages import naming

mavlink = pytest.importorskip("pymavlink.dialects.v20.common", reason="needs the extra `mavlink`")

from cable_sim import Body, Box, CableSimError, Scene, Simulator  # noqa: E402
from cable_sim.interchange.robots import Px4Link, Rotor, Rotors, hover_share  # noqa: E402
from cable_sim.interchange.robots.px4_link import ARMED, HOME  # noqa: E402

G, MASS = 9.81, 1.6
PLACES = [(0.25, -0.25, 0.0), (-0.25, 0.25, 0.0), (0.25, 0.25, 0.0), (-0.25, -0.25, 0.0)]
FOUR = [
    Rotor(place, 8e-6, 1.2e-7, 1200.0, anticlockwise=k < 2, time_constant=0.0)
    for k, place in enumerate(PLACES)
]
HOVER = hover_share(FOUR[0], 0.25 * MASS * G)


class Pilot:
    """PX4's side of the wire."""

    def __init__(self, port: int) -> None:
        self._wire = socket.create_connection(("127.0.0.1", port), timeout=20.0)
        self._parser, self._coder = mavlink.MAVLink(None), mavlink.MAVLink(None)
        self._heard: list = []
        self.positions: list = []

    def sensors(self):
        """The next message of sensors; positions of GPS are kept."""
        while True:
            while self._heard:
                message = self._heard.pop(0)
                if message.get_type() == "HIL_SENSOR":
                    return message
                self.positions.append(message)
            self._heard += self._parser.parse_buffer(self._wire.recv(4096)) or ()

    def control(self, time_usec: int, shares, mode: int = ARMED) -> None:
        controls = [*shares, *[0.0] * (16 - len(shares))]
        message = mavlink.MAVLink_hil_actuator_controls_message(time_usec, controls, mode, 1)
        self._wire.sendall(message.pack(self._coder))

    def close(self) -> None:
        self._wire.close()


@pytest.fixture
def link():
    """A link that flies in a thread of its own."""
    body = Body("frame", MASS, (0.02, 0.03, 0.04), Box(0.4, 0.4, 0.1), (30.0, 40.0, 100.0))
    rotors = Rotors(Simulator(Scene(bodies=[body]), dt=1e-3), "frame", FOUR)
    made, ending = Px4Link(rotors, port=0), threading.Event()
    thread = threading.Thread(target=made.run, args=(ending,))
    thread.start()
    yield made
    ending.set()
    thread.join()
    made.close()


def test_time_goes_on_when_the_pilot_answers(link: Px4Link) -> None:
    with contextlib.closing(Pilot(link.port)) as pilot:
        first = pilot.sensors()
        pilot.control(first.time_usec, [HOVER] * 4)
        while (message := pilot.sensors()).time_usec <= first.time_usec:
            pass
        pilot.control(message.time_usec, [HOVER] * 4)
        before = pilot.sensors()
        time.sleep(0.3)  # it waits for an answer
        assert link.rotors.simulator.time == pytest.approx(1e-6 * before.time_usec, abs=0.02)
        pilot.control(before.time_usec, [HOVER] * 4)
        assert pilot.sensors().time_usec == before.time_usec + 4000


def test_sensors_of_a_drone_that_hovers(link: Px4Link) -> None:
    readings = []
    with contextlib.closing(Pilot(link.port)) as pilot:
        for _ in range(200):
            message = pilot.sensors()
            readings.append(message)
            pilot.control(message.time_usec, [HOVER] * 4)
    late = readings[100:]
    felt = np.mean([(m.xacc, m.yacc, m.zacc) for m in late], axis=0)
    assert felt == pytest.approx((0.0, 0.0, -G), abs=0.02)
    # at the start it looks east, so north is on its left
    field = np.mean([(m.xmag, m.ymag, m.zmag) for m in late], axis=0)
    assert field == pytest.approx((0.0, -0.21, 0.42), abs=1e-3)
    heights = [m.pressure_alt for m in late]
    assert np.ptp(heights) < 0.2 and HOME[2] + 95.0 < heights[0] <= HOME[2] + 100.0
    standard = 1013.25 * (1.0 - 2.25577e-5 * heights[-1]) ** 5.25588
    assert late[-1].abs_pressure == pytest.approx(standard, abs=0.05)
    assert len({m.xgyro for m in late}) > 90  # none that looks stuck
    assert 7 <= len(pilot.positions) <= 8
    place = pilot.positions[-1]
    north = math.radians(1e-7 * place.lat - HOME[0]) * 6378137.0
    east = math.radians(1e-7 * place.lon - HOME[1]) * 6378137.0 * math.cos(math.radians(HOME[0]))
    assert (north, east) == pytest.approx((40.0, 30.0), abs=0.02)
    assert place.fix_type == 3 and place.alt == pytest.approx(1e3 * heights[-1], abs=200)


def test_a_disarmed_drone_falls_with_its_rotors_at_rest(link: Px4Link) -> None:
    with contextlib.closing(Pilot(link.port)) as pilot:
        for mode in (0, ARMED):
            for _ in range(10):
                pilot.control(pilot.sensors().time_usec, [0.9] * 4, mode)
            pilot.sensors()
            spins = link.rotors.speeds.max()
            assert spins == (pytest.approx(0.9 * 1200.0, rel=1e-5) if mode else 0.0)


def test_a_pilot_may_leave_and_another_come(link: Px4Link) -> None:
    with contextlib.closing(Pilot(link.port)) as pilot:
        for _ in range(5):
            pilot.control(pilot.sensors().time_usec, [0.9] * 4)
    with contextlib.closing(Pilot(link.port)) as pilot:
        pilot.control(pilot.sensors().time_usec, [0.2] * 4)
        pilot._wire.sendall(b"no MAVLink at all")
        for _ in range(5):
            pilot.control(pilot.sensors().time_usec, [0.2] * 4)
        pilot.sensors()
        assert link.rotors.speeds == pytest.approx(np.full(4, 240.0), rel=1e-5)


def test_a_taken_port_of_px4_is_told(link: Px4Link) -> None:
    with pytest.raises(CableSimError, match=naming(f"127.0.0.1:{link.port}").pattern):
        Px4Link(link.rotors, port=link.port)
