"""Teleoperation: keys, levers, and a terminal that is afterwards as it was."""

import os
import pty
import subprocess
import sys
import termios

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.states import AxisState
from cable_sim.scenes.machines import load_machine


@pytest.fixture(scope="module")
def teleop():
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    from cable_sim.ros.command import teleop

    return teleop


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


def test_keys_move_levers_in_the_operators_sense(teleop, crane):
    levers = teleop.Levers(crane)
    for key in ("\x1b[D", "\x1b[A", "w"):
        assert levers.press(key)
    speeds = levers.speeds()
    for axis in crane.axes:
        assert speeds[axis.name] == pytest.approx(
            (-0.2 if axis.name == "hoist" else 0.2) * axis.max_speed
        )
    for key in ("\x1b[C", "\x1b[B", "s"):
        levers.press(key)
    assert set(map(abs, levers.speeds().values())) == {0.0}


def test_a_lever_ends_at_full_speed(teleop, crane):
    levers = teleop.Levers(crane)
    for _ in range(9):
        levers.press("s")
    assert levers.speeds()["hoist"] == crane.axis("hoist").max_speed
    levers.zero()
    assert levers.speeds()["hoist"] == 0.0
    assert not levers.press("x")


def test_what_a_terminal_sends_is_cut_into_keys(teleop):
    assert list(teleop.split_keys("w\x1b[Aq\x1b[D \x1b")) == [
        "w",
        "\x1b[A",
        "q",
        "\x1b[D",
        " ",
        "\x1b",
    ]


def test_the_status_line_tells_speeds_in_the_units_of_the_trade(teleop, crane):
    levers = teleop.Levers(crane)
    levers.press("a")
    frame = Frame(0.0, {}, {}, {"slewing": AxisState(1.0, 0.0, 0.0)}, emergency_stop=True)
    line = teleop.status_line(levers, frame, False)
    assert line.startswith("EMERGENCY STOP") and naming("slewing +0.14 rpm 57.3 deg").search(line)
    assert naming("simulator heard").search(teleop.status_line(levers, None, False))


def test_a_letter_of_another_encoding_is_no_end_of_the_input(teleop):
    keyboard, typist = os.pipe()
    os.write(typist, b"\xfc")  # as a terminal with Latin-1 sends it
    assert teleop._read(keyboard, 1.0) == ""
    os.write(typist, b"\xfcw")
    assert teleop._read(keyboard, 1.0) == "w"
    os.close(typist)
    assert teleop._read(keyboard, 1.0) == "\x04"
    os.close(keyboard)


def test_the_terminal_is_restored_whatever_happens(teleop):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with pytest.raises(ZeroDivisionError), teleop.raw_terminal(slave):
        assert not termios.tcgetattr(slave)[3] & termios.ICANON
        raise ZeroDivisionError
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)


HOME, END = ("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), ("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~")
RIGHT, LEFT, UP = "\x1b[C", "\x1b[D", "\x1b[A"


@pytest.fixture(scope="module")
def hand():
    return load_crane("nehe_rope")


@pytest.mark.parametrize(
    ("keys", "axis", "sense"),
    [
        (("\x1b[C", "\x1bOC", "d"), "x", 1),
        (("\x1b[D", "\x1bOD", "a"), "x", -1),
        (("\x1b[A", "\x1bOA", "r"), "y", 1),
        (("\x1b[B", "\x1bOB", "f"), "y", -1),
        ((*HOME, "w"), "z", 1),
        ((*END, "s"), "z", -1),
    ],
)
def test_a_key_moves_the_hand_its_way_on_every_terminal(teleop, hand, keys, axis, sense):
    for key in keys:
        levers = teleop.Levers(hand)
        assert list(teleop.split_keys(f"{key} {key}")) == [key, " ", key]
        assert levers.press(key)
        assert levers.speeds() == {
            "x": 0.0,
            "y": 0.0,
            "z": 0.0,
            axis: pytest.approx(sense * 0.2 * 3.0),
        }


def test_home_and_end_hoist_and_lower_a_crane(teleop, crane):
    levers = teleop.Levers(crane)
    assert levers.press("\x1b[1~") and levers.speeds()["hoist"] == pytest.approx(
        -0.2 * crane.axis("hoist").max_speed
    )
    assert levers.press("\x1bOF") and levers.speeds()["hoist"] == 0.0


def test_no_part_of_an_unknown_sequence_is_a_key(teleop):
    """Shift and arrow of rxvt, control and arrow of xterm, a function key, and what a mouse
    says."""
    for sequence in ("\x1b[a", "\x1b[1;5D", "\x1b[24~", "\x1bOr", "\x1b[<0;12;7M"):
        assert (
            list(teleop.split_keys(f"w{sequence}s")) == ["w", sequence, "s"]
            and sequence not in teleop.KEYS
        )


def test_a_held_key_reaches_full_speed_and_a_released_one_stops(teleop, hand):
    """First comes one press, after half a second some thirty a second."""
    levers = teleop.Levers(hand)
    times = [0.0, *(0.5 + 0.033 * i for i in range(20))]
    for time, later in zip(times, [*times[1:], times[-1] + 0.1], strict=True):
        levers.spring(time)
        levers.press(RIGHT, time)
        levers.spring(later - 1e-3)
        assert levers.speeds()["x"] > 0.0, "no standstill before the key begins to repeat"
    assert levers.speeds()["x"] == 3.0
    levers.spring(times[-1] + 0.2)
    assert levers.speeds() == {"x": 0.0, "y": 0.0, "z": 0.0}


def test_a_tap_is_a_little_way_and_the_other_way_is_at_once(teleop, hand):
    levers = teleop.Levers(hand)
    for time in (0.0, 0.03, 0.06):
        levers.press(RIGHT, time)
    levers.press(LEFT, 0.09)
    assert levers.speeds()["x"] == pytest.approx(-0.6)
    levers.press(UP, 1.0)
    levers.spring(1.5)
    assert levers.speeds() == {"x": 0.0, "y": pytest.approx(0.6), "z": 0.0}
    levers.spring(1.7)
    assert levers.speeds()["y"] == 0.0


def test_the_levers_of_a_crane_stay_in_their_notch(teleop, crane):
    levers = teleop.Levers(crane)
    levers.press("w", 0.0)
    levers.spring(100.0)
    assert levers.speeds()["hoist"] < 0.0


def test_what_no_key_would_move_is_refused_with_words(teleop):
    with pytest.raises(
        CableSimError, match=naming("'two_towers' slewing gantry x trolley luffing y hoist z key")
    ):
        teleop.Levers(load_machine("two_towers"))


def test_the_help_says_which_key_goes_where(teleop, hand, crane):
    text = teleop.Levers(hand).help()
    assert naming("right left x +x").search(text) and "home / end    (w s)   z: first up" in text
    assert naming("release stop").search(text) and "notch" not in text
    assert naming("notches full speed").search(teleop.Levers(crane).help())


def test_a_keyboard_drives_a_node(teleop, start_node, probe):
    from cable_sim.ros.interface import AXIS_TOPICS, JOINT_STATES, axis_command

    node = start_node(frame_prefix="c/", world_frame="map")
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    command = [sys.executable, "-m", "cable_sim.cli", "teleop", "tower_12t"]
    command += ["--frame-prefix", "c/", "--world-frame", "map"]
    hoisting = probe.listen(axis_command("hoist"))
    joints = probe.listen(JOINT_STATES)
    probe.until(lambda: joints or not node.alive(), "the first joint states", 120.0)
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.STDOUT)
    try:
        probe.until(lambda: len(hoisting) > 3, "commands")
        os.write(master, b"w\x1b[D")
        probe.until(lambda: joints[-1].velocity[0] > 1e-3, f"slewing on {AXIS_TOPICS['slewing']}")
        assert hoisting[-1].value < 0.0  # up is negative on topics
        os.write(master, b" q")
        assert process.wait(300.0) == 0
        probe.until(lambda: abs(joints[-1].velocity[0]) < 1e-4, "rest")
        assert termios.tcgetattr(slave) == before
    finally:
        process.kill()
        os.close(master)
        os.close(slave)
        node.end()
