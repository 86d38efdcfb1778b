"""The crane on the keyboard of a terminal."""

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.console import Console

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.frame import Frame, Source

NOTCHES = 5
"""Steps of a lever each way; the last is full speed."""
PERIOD = 0.05
"""Time between commands [s]: well within the node's timeout."""


class Key(NamedTuple):
    """What a key does to a lever: which, and how many notches in the motion's trade sense."""

    lever: str
    notches: int


LEVERS = {"sideways": ("slewing", "gantry"), "outward": ("trolley",), "up": ("hoist",)}
"""Which motion each lever moves: the first of these that the crane has. Looking out along the trolley's way, slewing
anticlockwise and a gantry's travel along +y are both to the left."""

KEYS = {
    "\x1b[D": Key("sideways", 1), "\x1b[C": Key("sideways", -1),
    "\x1b[A": Key("outward", 1), "\x1b[B": Key("outward", -1),
    "w": Key("up", 1), "s": Key("up", -1),
    "a": Key("sideways", 1), "d": Key("sideways", -1), "r": Key("outward", 1), "f": Key("outward", -1),
}  # fmt: skip
"""Escape sequences of the arrows (left, right, up, down), and letters."""

LABELS = {"sideways": "left / right  (a d)", "outward": "up / down     (r f)", "up": "w / s"}

HELP = """\
  space                 every lever to zero
  e / E                 emergency stop / release it
  q                     stop and quit
Each press moves a lever one notch; {} notches are full speed."""


class Levers:
    """The operator's levers, one per axis, in notches of the trade's sense: hoisting is positive."""

    def __init__(self, crane: Crane) -> None:
        self.crane = crane
        self.notches = {axis.name: 0 for axis in crane.axes}
        self.motions = {
            lever: next((name for name in names if name in self.notches), "") for lever, names in LEVERS.items()
        }

    def press(self, key: str) -> bool:
        """Move a lever by a key; whether the key is one and the crane has its motion."""
        meant = KEYS.get(key)
        motion = "" if meant is None else self.motions[meant.lever]
        if meant is None or not motion:
            return False
        self.notches[motion] = min(max(self.notches[motion] + meant.notches, -NOTCHES), NOTCHES)
        return True

    def help(self) -> str:
        """What the keys do to this crane, line by line; a hoist is told as operators do, up first."""
        lines = []
        for lever, motion in self.motions.items():
            if motion:
                axis = self.crane.axis(motion)
                sense = axis.positive if axis.trade_factor > 0.0 else "up"
                lines.append(f"  {LABELS[lever]:22s}{motion}: first {sense}, then back\n")
        return "".join(lines) + HELP.format(NOTCHES)

    def zero(self) -> None:
        """Every lever to its middle."""
        self.notches = dict.fromkeys(self.notches, 0)

    def speeds(self) -> dict[str, float]:
        """Wanted speeds in the axes' sense [rad/s or m/s]."""
        return {axis.name: self._share(axis) * axis.max_speed for axis in self.crane.axes}

    def _share(self, axis: Axis) -> float:
        """Part of full speed in the axis' sense, which for a hoist is not the operator's."""
        share = self.notches[axis.name] / NOTCHES
        return share if axis.trade_factor > 0.0 else -share


def split_keys(text: str) -> Iterator[str]:
    """The keys in what a terminal sent: arrows are three characters, the others one."""
    while text:
        length = 3 if text[:3] in KEYS else 1
        yield text[:length]
        text = text[length:]


def drive(crane: Crane, source: Source, console: Console) -> None:
    """Take keys and command until ``q``, Ctrl-C or the end of the input; then every lever goes to zero.

    Raises CableSimError when there is no keyboard.
    """
    if not sys.stdin.isatty():
        raise CableSimError("teleop needs a terminal: its input is not a keyboard")
    levers, stopped = Levers(crane), False
    console.print(levers.help(), highlight=False)
    try:
        with raw_terminal(sys.stdin.fileno()) as keyboard:
            while True:
                for key in split_keys(_read(keyboard, PERIOD)):
                    if key in ("q", "\x03", "\x04"):
                        return
                    if key in ("e", "E"):
                        stopped = key == "e"
                        source.emergency_stop(stopped)
                    if key in (" ", "e", "E"):
                        levers.zero()
                    levers.press(key)
                _send(source, levers.speeds())
                _show(levers, source.latest(), stopped)
    finally:
        levers.zero()
        _send(source, levers.speeds())
        time.sleep(2.0 * PERIOD)  # until the last command is out
        sys.stdout.write("\n")


@contextmanager
def raw_terminal(keyboard: int) -> Iterator[int]:
    """A terminal that hands over every key at once and echoes none; afterwards as it was."""
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard, termios.TCSANOW)
        settings = termios.tcgetattr(keyboard)
        settings[1] |= termios.OPOST  # output stays as it was, or lines would form stairs
        termios.tcsetattr(keyboard, termios.TCSANOW, settings)
        yield keyboard
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def status_line(levers: Levers, frame: Frame | None, stopped: bool) -> str:
    """Levers, coordinates and load in one line."""
    parts = []
    for axis in levers.crane.axes:
        speed = levers.speeds()[axis.name] * axis.trade_factor
        parts.append(f"{axis.name} {speed:+.3g} {axis.trade_unit}" + _at(axis, frame))
    if stopped or (frame is not None and frame.emergency_stop):
        parts.insert(0, "EMERGENCY STOP")
    if frame is None:
        parts.append("no simulator heard")
    return "  |  ".join(parts)


def _at(axis: Axis, frame: Frame | None) -> str:
    """Where the axis is."""
    if frame is None or axis.name not in frame.axes:
        return ""
    position = frame.axes[axis.name].position
    return f" at {position * 57.29578:.1f} deg" if axis.unit == "rad" else f" at {position:.2f} m"


def _read(keyboard: int, wait: float) -> str:
    """What was typed within so long [s]; Ctrl-D when the terminal has gone."""
    if not select.select([keyboard], [], [], wait)[0]:
        return ""
    return os.read(keyboard, 64).decode(errors="ignore") or "\x04"


def _send(source: Source, speeds: dict[str, float]) -> None:
    """Command every axis."""
    for axis, speed in speeds.items():
        source.command(axis, speed)


def _show(levers: Levers, frame: Any, stopped: bool) -> None:
    """Write the status over the last one."""
    columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 200
    sys.stdout.write("\r\x1b[K" + status_line(levers, frame, stopped)[: columns - 1])
    sys.stdout.flush()
