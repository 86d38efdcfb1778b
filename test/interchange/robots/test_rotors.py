"""Rotors against closed forms, and ArduPilot's packets as its description has them."""

import contextlib
import json
import math
import socket
import struct
import threading

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import axangle2quat, qmult, quat2mat

from cable_sim import Anchor, Body, Box, Cable, CableSimError, Scene, Simulator, SpecError, Sphere
from cable_sim.interchange.robots import ArduPilotLink, Rotor, Rotors, hover_share

G, MASS, ARM = 9.81, 1.6, 0.25
THRUST, DRAG = 8e-6, 1.2e-7
PLACES = [(ARM, -ARM, 0.0), (-ARM, ARM, 0.0), (ARM, ARM, 0.0), (-ARM, -ARM, 0.0)]
"""Front right, rear left, front left, rear right, as ArduPilot numbers a quadrotor in X."""


def quadrotor(time_constant: float = 0.02) -> list[Rotor]:
    return [
        Rotor(place, THRUST, DRAG, 1200.0, anticlockwise=k < 2, time_constant=time_constant)
        for k, place in enumerate(PLACES)
    ]


def drone(orientation=(1.0, 0.0, 0.0, 0.0), load: float = 0.0, **body) -> Scene:
    """A quadrotor in the air, with a load on a rope."""
    frame = Body(
        "frame", MASS, (0.02, 0.03, 0.04), Box(0.4, 0.4, 0.1), (1, 2, 10), orientation, **body
    )
    if not load:
        return Scene(bodies=[frame])
    bob = Body("bob", load, shape=Sphere(0.05), position=(1, 2, 8))
    rope = Cable("rope", [Anchor("frame"), Anchor("bob")], ea=1e4, damping_time=0.01)
    return Scene(bodies=[frame, bob], cables=[rope])


def flying(scene: Scene, dt: float = 1e-3, **given) -> Rotors:
    return Rotors(Simulator(scene, dt=dt), "frame", quadrotor(**given))


def test_a_drone_hovers_where_thrust_is_its_weight() -> None:
    rotors = flying(drone(), time_constant=0.0)
    share = hover_share(quadrotor()[0], 0.25 * MASS * G)
    assert share == pytest.approx(math.sqrt(MASS * G / 4.0 / THRUST) / 1200.0)
    rotors.step([share] * 4, 1000)
    view = rotors.simulator.bodies["frame"]
    assert view.position == pytest.approx((1, 2, 10), abs=1e-9)
    assert view.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)


def test_speeds_follow_their_commands_exactly() -> None:
    rotors = flying(drone(), time_constant=0.05)
    rotors.step([0.5, -0.25, 1.0, 0.0], 30)
    lag = 1.0 - math.exp(-0.03 / 0.05)
    expected = 1200.0 * np.array([0.5, -0.25, 1.0, 0.0]) * lag
    assert rotors.speeds == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "about"), [((0, 1), 2), ((2, 0), 1), ((0, 3), 0)], ids=["yaw", "pitch", "roll"]
)
def test_unequal_rotors_turn_the_frame(more: tuple[int, int], about: int) -> None:
    """By drag about z, as those two spin alike, and by their arms about x and y."""
    rotors = flying(drone(), time_constant=0.0)
    shares = np.full(4, 0.5)
    shares[list(more)] = 0.6
    rotors.step(shares)
    squares = (1200.0 * shares) ** 2
    torque = np.array(
        [
            THRUST * sum(p[1] * w for p, w in zip(PLACES, squares, strict=True)),
            -THRUST * sum(p[0] * w for p, w in zip(PLACES, squares, strict=True)),
            DRAG * (-squares[0] - squares[1] + squares[2] + squares[3]),
        ]
    )
    turned = rotors.simulator.bodies["frame"].angular_velocity
    assert turned == pytest.approx(1e-3 * torque / (0.02, 0.03, 0.04), rel=1e-6, abs=1e-12)
    assert abs(turned[about]) > 1e-4


def test_thrust_turns_with_the_frame() -> None:
    tilt = axangle2quat((1, 2, 0), 0.7)
    rotors = flying(drone(tuple(tilt)), time_constant=0.0)
    rotors.step([0.8] * 4)
    up = quat2mat(tilt) @ (0, 0, 4.0 * THRUST * (0.8 * 1200.0) ** 2 / MASS)
    velocity = rotors.simulator.bodies["frame"].velocity
    assert velocity == pytest.approx(1e-3 * (up - (0, 0, G)), rel=1e-9)


def test_commands_that_can_not_be_are_refused() -> None:
    rotors = flying(drone())
    for wrong in ([0.5] * 3, [0.5, 0.5, 0.5, 1.5], [0.5, 0.5, 0.5, math.nan]):
        with pytest.raises(SpecError, match=naming("commands 4 -1 1").pattern):
            rotors.step(wrong)
    with pytest.raises(SpecError, match=naming("load 100 11.52").pattern):
        hover_share(quadrotor()[0], 100.0)
    with pytest.raises(SpecError, match=naming("'wing' frame").pattern):
        Rotors(rotors.simulator, "wing", quadrotor())


def packet(count: int, shares, rate: int = 400, channels: int = 16) -> bytes:
    widths = [1000 + round(1000 * share) for share in shares] + [1500] * (channels - len(shares))
    magic = {16: 18458, 32: 29569}[channels]
    return struct.pack(f"<HHI{channels}H", magic, rate, count, *widths)


def answered(link: ArduPilotLink, *given, **options) -> dict:
    reply = link.answer(packet(*given, **options))
    assert reply.startswith(b"\n") and reply.endswith(b"\n")
    return json.loads(reply)


@pytest.fixture
def link():
    with contextlib.closing(ArduPilotLink(flying(drone(), 2.5e-3), port=0)) as made:
        yield made


@pytest.mark.parametrize("channels", [16, 32])
def test_each_packet_takes_the_time_of_its_rate(link: ArduPilotLink, channels: int) -> None:
    first = answered(link, 1, [0.0] * 4, channels=channels)
    second = answered(link, 2, [0.0] * 4, rate=100, channels=channels)
    assert (first["timestamp"], second["timestamp"]) == pytest.approx((0.0025, 0.0125))
    assert second["position"] == pytest.approx([2.0, 1.0, -10.0], abs=2e-3)  # north, east, down
    assert second["velocity"] == pytest.approx([0.0, 0.0, 0.0125 * G])
    assert second["imu"]["accel_body"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)  # it falls


def test_the_accelerometer_of_a_drone_that_hovers_reads_gravity(link: ArduPilotLink) -> None:
    share = hover_share(quadrotor()[0], 0.25 * MASS * G)
    for count in range(1, 200):
        told = answered(link, count, [share] * 4)
    assert told["imu"]["accel_body"] == pytest.approx([0.0, 0.0, -G], rel=2e-3)


def test_attitude_and_rates_are_forward_right_down() -> None:
    """A drone that looks north-east, 45 degrees to the left of east, nose up by 0.2 rad."""
    heading, up = axangle2quat((0, 0, 1), math.pi / 4), axangle2quat((0, 1, 0), -0.2)
    turn = tuple(qmult(heading, up))
    scene = drone(turn, angular_velocity=(0.0, 0.0, 0.5))
    with contextlib.closing(ArduPilotLink(flying(scene, 1e-5), port=0)) as link:
        told = answered(link, 1, [0.0] * 4, rate=65535)
    matrix = quat2mat(told["quaternion"])
    forward = matrix[:, 0]
    compass = math.atan2(forward[1], forward[0])
    assert compass == pytest.approx(math.pi / 4, abs=1e-4)  # from north to the east
    assert math.asin(-forward[2]) == pytest.approx(0.2, abs=1e-4)  # pitch
    assert matrix[2, 2] == pytest.approx(math.cos(0.2), abs=1e-4)  # down is down
    # anticlockwise from above is a turn to the left: negative about down
    expected = quat2mat(told["quaternion"]).T @ (0.0, 0.0, -0.5)
    assert told["imu"]["gyro"] == pytest.approx(expected, abs=1e-3)


def test_a_repeated_count_takes_no_time(link) -> None:
    first = link.answer(packet(5, [0.9] * 4))
    later = link.answer(packet(6, [0.9] * 4))
    assert link.answer(packet(6, [0.1] * 4)) == later != first
    assert link.answer(packet(1, [0.9] * 4)) == first


def test_other_bytes_are_left_and_told_once(link: ArduPilotLink, caplog) -> None:
    good = packet(1, [0.5] * 4)
    for wrong in (b"", b"GET /", good[:-1], good + b"\0", b"\0\0" + good[2:], packet(1, [0], 0)):
        assert link.answer(wrong) == b""
    assert link.refused == 6 and len(caplog.records) == 1
    assert link.rotors.simulator.time == 0.0


def test_a_pilot_over_udp_holds_a_load_on_a_rope() -> None:
    """The test flies: a height controller on the other side of the wire."""
    link = ArduPilotLink(flying(drone(load=0.4), 2.5e-3), port=0)
    ending = threading.Event()
    thread = threading.Thread(target=link.run, args=(ending,))
    thread.start()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as pilot:
            pilot.settimeout(20.0)
            shares = [hover_share(quadrotor()[0], 0.25 * (MASS + 0.4) * G)] * 4
            for count in range(1, 1200):
                pilot.sendto(packet(count, shares), ("127.0.0.1", link.port))
                told = json.loads(pilot.recv(4096))
                lift = (MASS + 0.4) * (
                    G + 4.0 * (told["position"][2] + 11.0) + 4.0 * told["velocity"][2]
                )
                shares = [hover_share(quadrotor()[0], 0.25 * max(lift, 0.0))] * 4
    finally:
        ending.set()
        thread.join()
        link.close()
    assert told["position"][2] == pytest.approx(-11.0, abs=0.05)  # a metre higher
    tension = link.rotors.simulator.observe().cable("rope").tension
    assert tension == pytest.approx(0.4 * G, rel=0.02)


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(CableSimError, match=naming(f"127.0.0.1:{port}").pattern):
            ArduPilotLink(flying(drone()), port=port)
