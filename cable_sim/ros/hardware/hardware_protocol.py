"""Protocol between the simulator and the hardware component ``cable_sim_ros2_control``, version 2.

Both ends are on one machine, so numbers have its byte order, without padding. Packets of a local
socket of the kind SOCK_SEQPACKET keep their boundaries. A text is its length in bytes (uint16) and
its UTF-8. ``docs/reference/ros2_control_protocol.md`` has all fields; the other end is
``cable_sim_ros2_control/src/link.cpp``. Needs no ROS.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from cable_sim.errors import CableSimError
from cable_sim.machine.actuation import Mode

VERSION = 2
MAGIC = b"CABLESIM"
MOST_BYTES = 65536
"""Size of the largest packet."""

HELLO, WELCOME, GOODBYE, ENGAGE, COMMANDS, STATES = range(1, 7)
"""Kinds of packets. HELLO's beginning and GOODBYE are the same in every version."""

ENGAGED = 1
AWAITING = 2
PAUSED = 4
"""Flags of STATES: the component lets time pass; its commands are awaited; time stands."""

COMMAND_KINDS: tuple[Mode | None, ...] = (None, "speed", "position", "effort")
"""Modes of an axis by the number of a command interface; a joint may have none."""

_KIND = struct.Struct("=I")
_HELLO = struct.Struct("=I8sIIq")
_WELCOME = struct.Struct("=IIIq")
_COMMANDS = struct.Struct("=IIq")
_STATES = struct.Struct("=IIIIqd")
_LENGTH = struct.Struct("=H")


class ProtocolError(CableSimError):
    """Packet that does not follow the protocol."""


class Hello(NamedTuple):
    """First packet of a component.

    Parameters
    ----------
    cycle: time between two cycles of read and write [ns].
    client, crane: names of the component, and of the crane in its description; may be empty.
    joints: number of the command interface in COMMAND_KINDS, and name, of each joint.
    states: names of the state interfaces that it reads, such as ``hoist/position``.
    """

    cycle: int
    client: str
    crane: str
    joints: tuple[tuple[int, str], ...]
    states: tuple[str, ...]


class Commands(NamedTuple):
    """Commands of a cycle.

    Parameters
    ----------
    epoch: that of the state that they answer.
    until: stamp of the last state that they answer [ns].
    values: a value for each joint, in the order of HELLO; NaN is no command.
    """

    epoch: int
    until: int
    values: tuple[float, ...]


class Stamp(NamedTuple):
    """Head of a state: flags, epoch, ROS time [ns], and time since the start or last reset [s].

    The epoch counts the jumps of time; commands that answer a state of an earlier one are too late.
    """

    flags: int
    epoch: int
    stamp: int
    time: float


def kind_of(packet: bytes) -> int:
    """Return the kind of a packet; ProtocolError if it is too short."""
    if len(packet) < _KIND.size:
        raise ProtocolError(f"a packet of {len(packet)} bytes; it must have at least {_KIND.size}")
    return int(_KIND.unpack_from(packet)[0])


def read_hello(packet: bytes) -> Hello:
    """Read the first packet of a component.

    Raises ProtocolError for another protocol, another version, or a packet that is cut off.
    """
    if packet[4:12] != MAGIC or len(packet) < 16:
        raise ProtocolError("the first packet is not that of cable_sim_ros2_control")
    (version,) = _KIND.unpack_from(packet, 12)
    if version != VERSION:
        raise ProtocolError(
            f"the component has version {version} of the protocol, and the simulator {VERSION}; "
            "build both from one checkout"
        )
    try:
        *_, count, cycle = _HELLO.unpack_from(packet)
        client, at = _read_text(packet, _HELLO.size)
        crane, at = _read_text(packet, at)
        joints = []
        for _ in range(count):
            (kind,) = _KIND.unpack_from(packet, at)
            name, at = _read_text(packet, at + _KIND.size)
            joints.append((kind, name))
        (count,) = _KIND.unpack_from(packet, at)
        at += _KIND.size
        states = []
        for _ in range(count):
            name, at = _read_text(packet, at)
            states.append(name)
    except struct.error:
        raise ProtocolError(f"the first packet is cut off after {len(packet)} bytes") from None
    return Hello(cycle, client, crane, tuple(joints), tuple(states))


def read_engage(packet: bytes) -> bool:
    """Return True if the component begins to let time pass, and False if it ends that."""
    if len(packet) != 8:
        raise ProtocolError(f"a packet of {len(packet)} bytes to engage; it must have 8")
    return bool(_KIND.unpack_from(packet, 4)[0])


def read_commands(packet: bytes, joints: int) -> Commands:
    """Read the commands of a number of joints; ProtocolError for another number."""
    size = _COMMANDS.size + 8 * joints
    if len(packet) != size:
        raise ProtocolError(
            f"a packet of {len(packet)} bytes to command {joints} joints; it must have {size}"
        )
    _, epoch, until = _COMMANDS.unpack_from(packet)
    return Commands(epoch, until, struct.unpack_from(f"={joints}d", packet, _COMMANDS.size))


def welcome(tick: int, crane: str) -> bytes:
    """Return the answer to HELLO: time of a tick [ns], and the crane's name."""
    return _WELCOME.pack(WELCOME, VERSION, 0, tick) + _text(crane)


def goodbye(reason: str) -> bytes:
    """Return the last packet of a connection, with its reason as a sentence."""
    return _KIND.pack(GOODBYE) + _text(reason)


def states(head: Stamp, numbers: Sequence[float]) -> bytes:
    """Return a state: a number for each state interface, in the order of HELLO."""
    flags, epoch, stamp, time = head
    packed = _STATES.pack(STATES, flags, epoch, len(numbers), stamp, time)
    return packed + struct.pack(f"={len(numbers)}d", *numbers)


def _text(words: str) -> bytes:
    """Return a text with its length before it; its end is left out beyond 60,000 bytes."""
    encoded = words.encode()[:60000]
    return _LENGTH.pack(len(encoded)) + encoded


def _read_text(packet: bytes, at: int) -> tuple[str, int]:
    """Return the text at a place of a packet, and the place after it."""
    (length,) = _LENGTH.unpack_from(packet, at)
    at += _LENGTH.size
    encoded = packet[at : at + length]
    if len(encoded) < length:
        raise struct.error
    return encoded.decode(errors="replace"), at + length
