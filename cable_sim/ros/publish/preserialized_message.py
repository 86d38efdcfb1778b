"""A message as it goes over the wire, in which numbers are written in place.

rclpy takes a message apart field by field: about 10 us for each marker of an array, milliseconds
for a rope of two hundred pieces, twenty times a second. Of an array of markers that always has the
same parts only numbers change, and in the bytes on the wire (CDR, the only format that ROS 2 has)
each number has its place. Where that is nobody has to
reckon out: the message is serialised once with numbers that stand nowhere else, and these are
    looked for.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import serialize_message

Array = NDArray[np.float64]
Place = tuple[Any, str]
"""A part of a message, and the name of a field of it."""

HEADER = 4
"""Bytes that tell the kind of encoding. Numbers are aligned to their size from here on."""

MARK, MARK_STEP, MARKS = {"<f8": 1.0e200, "<f4": 1.0e30}, {"<f8": 1.0e190, "<f4": 1.0e24}, 10**6
"""The numbers that are looked for: the first, from each to the next, and how many different ones
there are."""


class Imprint:
    """A message whose numbers can be written anew; everything else stays as it was when this was
    made.

    Parameters
    ----------
    message: it is serialised once, and the numbers in its places are overwritten.
    doubles, singles: the fields of type float64 and float32 that :meth:`fill` writes, in its order.

    Raises RuntimeError if the middleware encodes messages in another way.
    """

    _used = 0
    """Marks taken so far. The gaps between fields are not cleared, and old marks may be left in
    them."""

    def __init__(self, message: Any, doubles: Sequence[Place], singles: Sequence[Place]) -> None:
        places = {"<f8": doubles, "<f4": singles}
        marks = {kind: self._marks(kind, len(parts)) for kind, parts in places.items()}
        for kind, parts in places.items():
            for (part, field), mark in zip(parts, marks[kind].tolist(), strict=True):
                setattr(part, field, mark)
        data = bytes(serialize_message(message))
        self._data = np.frombuffer(data + bytes(-(len(data) - HEADER) % 8), np.uint8).copy()
        self._size = len(data)
        self._numbers = {kind: self._data[HEADER:].view(kind) for kind in places}
        self._where = {
            kind: _find(self._numbers[kind], marks[kind].astype(kind)) for kind in places
        }

    def fill(self, doubles: Array, singles: Array) -> bytes:
        """The message with these numbers, ready to be published."""
        for kind, values in (("<f8", doubles), ("<f4", singles)):
            self._numbers[kind][self._where[kind]] = values
        return self._data[: self._size].tobytes()

    @classmethod
    def _marks(cls, kind: str, count: int) -> Array:
        """Numbers (count,), rising, that no message had before."""
        if cls._used + count > MARKS:
            cls._used = 0
        cls._used += count
        return np.asarray(
            MARK[kind] + MARK_STEP[kind] * np.arange(cls._used - count, cls._used), dtype=np.float64
        )


def _find(numbers: NDArray[Any], marks: NDArray[Any]) -> NDArray[np.int64]:
    """Where each of the marks stands, which rise, among the numbers."""
    found = np.flatnonzero(np.isin(numbers, marks))
    found = found[np.argsort(numbers[found])]
    if not np.array_equal(numbers[found], marks):
        raise RuntimeError(
            "the numbers of a message were not found in its bytes; is its encoding not CDR?"
        )
    return found
