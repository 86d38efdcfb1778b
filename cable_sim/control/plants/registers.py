"""The registers through which a controller outside commands a crane and reads it: a flat image for
Modbus.

Holding registers of 16 bits. Numbers are IEEE 754 floats of two registers, the high word first, in
SI units and the sense of the axis; counters of two registers are unsigned. From register 0 on stand
the commands:

    cycle            counts up with each new set of commands; others do not renew them
    emergency_stop   1 engages it, 0 releases it
    <axis>.speed     wanted; NaN gives no order, and the axis stops when its last one is too old

and from register 1000 on the readings:

    cycle            of the commands that the last tick obeyed
    emergency_stop   1 while it is engaged
    stop             category of the stop of all axes, 0 or 1; 2 for none
    tick             ticks since the start
    milliseconds     simulated time since the start
    <axis>.position, <axis>.speed
    <rope>.pull      at the drum, as it is [N]
    <crane>.sway_radial, .sway_tangential    as they are [rad]; of one crane without ``<crane>.``
    limiter.<name>   number of its state, in the order of ``machine/plc.py``
    <name>           reading or result of the crane's own control; NaN where it is invalid

which :meth:`Registers.table` lists for a crane with their addresses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cable_sim.cranes.crane import Crane

COMMANDS = 0
READINGS = 1000
"""First registers of commands and of readings."""
NO_STOP = 2
WORD = "H"
LONG = "I"
REAL = "f"
"""Kinds of values, as numpy names them; a word is one register."""


@dataclass(frozen=True)
class Block:
    """Values one after the other from a register on: names with their kinds."""

    first: int
    kinds: Mapping[str, str]

    @property
    def size(self) -> int:
        """Number of registers that the block takes."""
        return self._layout.itemsize // 2

    def pack(self, values: Sequence[float]) -> list[int]:
        """Values in order as registers; a float that is too large for its two registers becomes
        infinite."""
        with np.errstate(over="ignore"):
            row = np.array([tuple(values)], self._layout)
        registers: list[int] = row.view(">H").tolist()
        return registers

    def unpack(self, registers: Sequence[int]) -> dict[str, float]:
        """Registers as values by name."""
        (row,) = np.array(registers, ">H").view(self._layout).tolist()
        return dict(zip(self.kinds, row, strict=True))

    def address(self, name: str) -> int:
        """First register of a value; KeyError for one that is not there."""
        return self.first + self._layout.fields[name][1] // 2  # type: ignore[index]

    @cached_property
    def _layout(self) -> "np.dtype[np.void]":
        """Layout of the values in memory, the high word first."""
        return np.dtype([(name, f">{kind}") for name, kind in self.kinds.items()])


class Registers:
    """The image of a crane.

    ``commands`` are written by the controller. ``state`` is what it reads in the same cycle, and
    ``control`` the rest: the readings of the crane's own control.
    """

    def __init__(self, crane: Crane) -> None:
        axes = [axis.name for axis in crane.axes]
        self.commands = Block(
            COMMANDS,
            {"cycle": WORD, "emergency_stop": WORD, **{f"{axis}.speed": REAL for axis in axes}},
        )
        whose = [f"{hung.name}." if hung.name else "" for hung in crane.suspensions]
        self.state = Block(
            READINGS,
            {
                "cycle": WORD,
                "emergency_stop": WORD,
                "stop": WORD,
                "tick": LONG,
                "milliseconds": LONG,
                **{f"{axis}.{what}": REAL for axis in axes for what in ("position", "speed")},
                **{f"{rope}.pull": REAL for rope in crane.ropes},
                **{f"{who}sway_{way}": REAL for who in whose for way in ("radial", "tangential")},
                **{f"limiter.{limiter.name}": WORD for limiter in crane.limiters},
            },
        )
        named = [
            *(sensor.name for sensor in crane.sensors),
            *(quantity.name for quantity in crane.quantities),
        ]
        self.control = Block(READINGS + self.state.size, dict.fromkeys(named, REAL))

    @property
    def size(self) -> int:
        """Number of registers from the first reading on."""
        return self.state.size + self.control.size

    def table(self) -> list[tuple[int, str, str]]:
        """Register, name and kind of every value."""
        words = {WORD: "16 bits", LONG: "32 bits", REAL: "float"}
        blocks = (self.commands, self.state, self.control)
        return [
            (block.address(name), name, words[kind])
            for block in blocks
            for name, kind in block.kinds.items()
        ]
