"""Operation of the crane by the keyboard of a terminal."""

import math
import os
import re
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
from cable_sim.cranes.operator_levers import USUAL, find_levers, trade_sense
from cable_sim.errors import CableSimError
from cable_sim.machine.pictures.frame import Frame, Source

NOTCHES = 5
"""Steps of a lever each way; the last is full speed."""
PERIOD = 0.05
"""Time between commands [s]: well within the node's timeout."""
TAP = 0.6
REPEAT = 0.15
"""Time after which a sprung lever returns to its middle [s].

Terminals report no release of a key, only repetitions of one that is held. The first repetition
comes after some half a second, the others every few hundredths.
"""


class Key(NamedTuple):
    """Effect of a key: its lever, and the number of notches in the motion's trade sense."""

    lever: str
    notches: int


_ARROWS = {
    "A": Key("outward", 1),
    "B": Key("outward", -1),
    "C": Key("sideways", -1),
    "D": Key("sideways", 1),
}
_HOME = ("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~")
_END = ("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~")
KEYS = {
    **{f"\x1b{kind}{letter}": key for kind in "[O" for letter, key in _ARROWS.items()},
    **dict.fromkeys(_HOME, Key("up", 1)),
    **dict.fromkeys(_END, Key("up", -1)),
    "w": Key("up", 1),
    "s": Key("up", -1),
    "a": Key("sideways", 1),
    "d": Key("sideways", -1),
    "r": Key("outward", 1),
    "f": Key("outward", -1),
}
"""Keys by escape sequences and letters.

Arrows have two, for the two modes of a terminal's cursor keys. HOME and END have those and two
more, of the Linux console and of rxvt.
"""

LABELS = {
    "sideways": (("left", "a"), ("right", "d")),
    "outward": (("up", "r"), ("down", "f")),
    "up": (("home", "w"), ("end", "s")),
}

HELP = """\
  space                 every lever to zero
  e / E                 emergency stop / release it
  q                     stop and quit
"""
NOTCHED = "Each press moves a lever one notch; {} notches are full speed."
SPRUNG = (
    "Tap a key to move a little at 1/{} of full speed. Hold it to move at full speed; release it "
    "to stop."
)


class Levers:
    """The operator's levers, one per axis, in notches of the trade's sense: hoisting is positive.

    A notch stays until another key changes it. Where the crane's levers are ``sprung``, it stays
    only while its key repeats. Times ``now`` are of any steady clock [s].

    Raises CableSimError for a crane that no key would move, such as several cranes in one.
    """

    def __init__(self, crane: Crane) -> None:
        self.crane = crane
        self.notches = {axis.name: 0 for axis in crane.axes}
        self.levers = find_levers(crane)
        if not self.levers:
            known = ", ".join(motion for motions in USUAL.values() for motion in motions)
            raise CableSimError(
                f"{crane.name!r} has no {known} that a key could move; drive it from the page"
            )
        self._pressed: dict[str, float] = {}
        self._back_at: dict[str, float] = {}

    def press(self, key: str, now: float = 0.0) -> bool:
        """Move a lever by a key; return True if the key is known and the crane has its motion."""
        meant = KEYS.get(key)
        if meant is None or meant.lever not in self.levers:
            return False
        lever = self.levers[meant.lever]
        motion = lever.axis.name
        step = meant.notches * lever.sense
        if self.crane.sprung:
            repeated = now - self._pressed.get(motion, -TAP) < REPEAT
            self._pressed[motion] = now
            self._back_at[motion] = now + (REPEAT if repeated else TAP)
            if self.notches[motion] * step < 0:
                self.notches[motion] = 0  # a hand turns round at once
        self.notches[motion] = min(max(self.notches[motion] + step, -NOTCHES), NOTCHES)
        return True

    def spring(self, now: float) -> None:
        """Return sprung levers to the middle whose key has been released."""
        for motion, end in self._back_at.items():
            if now > end:
                self.notches[motion] = 0

    def help(self) -> str:
        """Return a help text on the keys for this crane, line by line.

        A hoist is described as operators do, up first.
        """
        lines = []
        for lever, (axis, sense) in self.levers.items():
            first = axis.positive if axis.trade_factor > 0.0 else "up"
            (more, letter), (less, other) = LABELS[lever][::sense]
            keys = f"{more} / {less}"
            lines.append(
                f"  {keys:14s}({letter} {other})   {axis.name}: first {first}, then back\n"
            )
        return "".join(lines) + HELP + (SPRUNG if self.crane.sprung else NOTCHED).format(NOTCHES)

    def zero(self) -> None:
        """Set every lever to its middle."""
        self.notches = dict.fromkeys(self.notches, 0)

    def speeds(self) -> dict[str, float]:
        """Return the commanded speeds in the axes' sense [rad/s or m/s]."""
        return {
            axis.name: trade_sense(axis) * self.notches[axis.name] / NOTCHES * axis.max_speed
            for axis in self.crane.axes
        }


def split_keys(text: str) -> Iterator[str]:
    """Split a terminal's input into keys.

    Escape sequences stay whole (ECMA-48, 5.4), so that none of their letters counts as a key.
    """
    return (match[0] for match in re.finditer(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])|[\s\S]", text))


def drive(levers: Levers, source: Source, console: Console) -> None:
    """Read keys and send commands until ``q``, Ctrl-C or the end of the input.

    Then every lever goes to zero.
    """
    stopped = False
    console.print(levers.help(), highlight=False)
    try:
        with raw_terminal(sys.stdin.fileno()) as keyboard:
            while True:
                typed = _read(keyboard, PERIOD)
                now = time.monotonic()
                for key in split_keys(typed):
                    if key in ("q", "\x03", "\x04"):
                        return
                    if key in ("e", "E"):
                        stopped = key == "e"
                        source.emergency_stop(stopped)
                    if key in (" ", "e", "E"):
                        levers.zero()
                    levers.press(key, now)
                levers.spring(now)
                _send(source, levers.speeds())
                _show(levers, source.latest(), stopped)
    finally:
        levers.zero()
        _send(source, levers.speeds())
        time.sleep(2.0 * PERIOD)  # until the last command is out
        sys.stdout.write("\n")


@contextmanager
def raw_terminal(keyboard: int) -> Iterator[int]:
    """Put a terminal into raw mode without echo, and restore it afterwards.

    The terminal then delivers every key at once.
    """
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
    """Return levers, coordinates and load in one line."""
    parts = []
    for axis in levers.crane.axes:
        speed = levers.speeds()[axis.name] * axis.trade_factor
        parts.append(f"{axis.name} {speed:+.3g} {axis.trade_unit}" + _coordinate_text(axis, frame))
    if stopped or (frame is not None and frame.emergency_stop):
        parts.insert(0, "EMERGENCY STOP")
    if frame is None:
        parts.append("no simulator heard")
    return "  |  ".join(parts)


def _coordinate_text(axis: Axis, frame: Frame | None) -> str:
    """Return the axis' coordinate as text."""
    if frame is None or axis.name not in frame.axes:
        return ""
    position = frame.axes[axis.name].position
    if axis.unit == "1":
        return f" at {100.0 * position:.0f} %"
    return (
        f" at {math.degrees(position):.1f} deg" if axis.unit == "rad" else f" at {position:.2f} m"
    )


def _read(keyboard: int, wait: float) -> str:
    """Return the text typed within ``wait`` [s]; Ctrl-D if the terminal is gone.

    Bytes that are not UTF-8 are left out.
    """
    if not select.select([keyboard], [], [], wait)[0]:
        return ""
    typed = os.read(keyboard, 64)
    return typed.decode(errors="ignore") if typed else "\x04"


def _send(source: Source, speeds: dict[str, float]) -> None:
    """Command every axis."""
    for axis, speed in speeds.items():
        source.command(axis, speed)


def _show(levers: Levers, frame: Any, stopped: bool) -> None:
    """Write the status over the last one."""
    columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 200
    sys.stdout.write("\r\x1b[K" + status_line(levers, frame, stopped)[: columns - 1])
    sys.stdout.flush()
