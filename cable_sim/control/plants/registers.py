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

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from cable_sim.cranes.crane import Crane

COMMANDS = 0
READINGS = 1000
"""First registers of commands and of readings."""
GROUPS = ("Commands", "State", "Control")
"""Folders of the commands, of what is read in the same cycle, and of the crane's own control."""
NO_STOP = 2
WORD = "H"
LONG = "I"
REAL = "f"
"""Kinds of values, as numpy names them; a word is one register."""
IEC_TYPES = {WORD: "UINT", LONG: "UDINT", REAL: "REAL"}
"""Their types in IEC 61131-3."""
COLUMNS = ("Name", "Data Type", "Logical Address", "Comment", "Modbus Register", "OPC UA Node")


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
        self._crane = crane
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

    @property
    def groups(self) -> dict[str, Block]:
        """Blocks by the names of their groups."""
        return dict(zip(GROUPS, (self.commands, self.state, self.control), strict=True))

    def table(self) -> list[tuple[int, str, str]]:
        """Register, name and kind of every value."""
        words = {WORD: "16 bits", LONG: "32 bits", REAL: "float"}
        return [
            (block.address(name), name, words[kind])
            for block in self.groups.values()
            for name, kind in block.kinds.items()
        ]

    def write_csv(self, path: Path) -> None:
        """Write the list of inputs and outputs of a PLC as CSV, for its table of tags.

        Commands are outputs of the PLC, readings its inputs; each begins at the address 0 there.
        OSError names a file that can't be written.
        """
        rows = [COLUMNS]
        for group, block in self.groups.items():
            area, first = ("%QW", COMMANDS) if group == GROUPS[0] else ("%IW", READINGS)
            for name, kind in block.kinds.items():
                register = block.address(name)
                tag = re.sub(r"\W", "_", f"{group}_{name}", flags=re.ASCII)
                told = describe(self._crane, name)
                place = f"{area}{register - first}"
                node = f"ns=2;s={group}.{name}"
                rows.append((tag, IEC_TYPES[kind], place, told, str(register), node))
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)


def describe(crane: Crane, name: str) -> str:
    """Return what a value is, with its unit where it has one."""
    axis, _, what = name.rpartition(".")
    known = {one.name: one for one in crane.axes}
    if axis in known and what in ("position", "speed"):
        unit = known[axis].unit + ("/s" if what == "speed" else "")
        return f"{what} of {axis} [{unit}]"
    if what == "pull":
        return f"pull of {axis} at the drum [N]"
    if what.startswith("sway_"):
        return f"{name} [rad]"
    return name
