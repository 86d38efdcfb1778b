"""Teleoperation: keys, levers, and a terminal that is afterwards as it was."""

import os
import pty
import subprocess
import sys
import termios

import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.frame import AxisState, Frame


@pytest.fixture(scope="module")
def teleop():
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    from cable_sim.ros import teleop

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
        assert speeds[axis.name] == pytest.approx((-0.2 if axis.name == "hoist" else 0.2) * axis.max_speed)
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
    assert list(teleop.split_keys("w\x1b[Aq\x1b[D \x1b")) == ["w", "\x1b[A", "q", "\x1b[D", " ", "\x1b"]


def test_the_status_line_tells_speeds_in_the_units_of_the_trade(teleop, crane):
    levers = teleop.Levers(crane)
    levers.press("a")
    frame = Frame(0.0, {}, {}, {"slewing": AxisState(1.0, 0.0, 0.0)}, emergency_stop=True)
    line = teleop.status_line(levers, frame, False)
    assert line.startswith("EMERGENCY STOP") and "slewing +0.14 rpm at 57.3 deg" in line
    assert "no simulator heard" in teleop.status_line(levers, None, False)


def test_the_terminal_is_restored_whatever_happens(teleop):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with pytest.raises(ZeroDivisionError), teleop.raw_terminal(slave):
        assert not termios.tcgetattr(slave)[3] & termios.ICANON
        raise ZeroDivisionError
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)


def test_a_keyboard_drives_a_node(teleop, start_node, probe):
    from cable_sim.ros.interface import AXIS_TOPICS, JOINT_STATES, axis_command

    node = start_node()
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    command = [sys.executable, "-m", "cable_sim.cli", "teleop", "tower_12t"]
    hoisting = probe.listen(axis_command("hoist"))
    joints = probe.listen(JOINT_STATES)
    probe.until(lambda: joints or not node.alive(), "the first joint states", 120.0)
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.STDOUT)
    try:
        probe.until(lambda: len(hoisting) > 3, "commands", 20.0)
        os.write(master, b"w\x1b[D")
        probe.until(lambda: joints[-1].velocity[0] > 1e-3, f"slewing on {AXIS_TOPICS['slewing']}")
        assert hoisting[-1].value < 0.0  # up is negative on topics
        os.write(master, b" q")
        assert process.wait(15.0) == 0
        probe.until(lambda: abs(joints[-1].velocity[0]) < 1e-4, "rest")
        assert termios.tcgetattr(slave) == before
    finally:
        process.kill()
        os.close(master)
        os.close(slave)
        node.end()
