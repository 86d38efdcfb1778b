"""Serialized message in which numbers are overwritten in place.

rclpy serializes a message field by field: about 10 us for each marker of an array, milliseconds for
a rope of two hundred pieces, twenty times a second. In an array of markers with constant parts only
numbers change. In the serialized bytes (CDR, the only format of ROS 2) each number has a fixed
place. The places are found by search: the message is serialized once with unique numbers, and these
are located in the bytes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import serialize_message

Array = NDArray[np.float64]
Place = tuple[Any, str]
"""Part of a message, and the name of one of its fields."""

HEADER = 4
"""Bytes of the header on the encoding. Numbers are aligned to their size from here on."""

MARK = {"<f8": 1.0e200, "<f4": 1.0e30}
MARK_STEP = {"<f8": 1.0e190, "<f4": 1.0e24}
MARKS = 10**6
"""First unique number, step to the next, and how many there are."""
SEARCHES = 10
"""Most searches. The gaps between fields are not cleared, and what is left in them looks like a
mark once in hundreds of large messages; then other marks are searched."""


class PreserializedMessage:
    """Message whose numbers can be overwritten; everything else stays as it was when this was made.

    Parameters
    ----------
    message: message to serialize once; the numbers in its places are overwritten.
    doubles, singles: fields of type float64 and float32 that :meth:`fill` writes, in this order.

    Raises RuntimeError if the middleware encodes messages in another way.
    """

    _used = 0
    """Number of marks used so far: old ones may be left in gaps."""

    def __init__(self, message: Any, doubles: Sequence[Place], singles: Sequence[Place]) -> None:
        places = {"<f8": doubles, "<f4": singles}
        for _ in range(SEARCHES):
            if self._search(message, places):
                return
        raise RuntimeError(
            "the numbers of a message were not found in its bytes; is its encoding not CDR?"
        )

    def _search(self, message: Any, places: dict[str, Sequence[Place]]) -> bool:
        """Serialize the message with new marks, and find these; return True if each is found."""
        marks = {kind: self._marks(kind, len(parts)) for kind, parts in places.items()}
        for kind, parts in places.items():
            for (part, field), mark in zip(parts, marks[kind].tolist(), strict=True):
                setattr(part, field, mark)
        data = bytes(serialize_message(message))
        self._data = np.frombuffer(data + bytes(-(len(data) - HEADER) % 8), np.uint8).copy()
        self._size = len(data)
        self._numbers = {kind: self._data[HEADER:].view(kind) for kind in places}
        where = _find(self._numbers["<f8"], marks["<f8"])
        if where is None:
            return False
        words = self._numbers["<f4"].copy()
        words.reshape(-1, 2)[where] = 0.0  # half of a double may be the bits of a mark
        others = _find(words, marks["<f4"].astype("<f4"))
        if others is None:
            return False
        self._where = {"<f8": where, "<f4": others}
        return True

    def fill(self, doubles: Array, singles: Array) -> bytes:
        """Return the serialized message with these numbers, ready to be published."""
        for kind, values in (("<f8", doubles), ("<f4", singles)):
            self._numbers[kind][self._where[kind]] = values
        return self._data[: self._size].tobytes()

    @classmethod
    def _marks(cls, kind: str, count: int) -> Array:
        """Return rising numbers (count,) that no message had before."""
        if cls._used + count > MARKS:
            cls._used = 0
        cls._used += count
        return np.asarray(
            MARK[kind] + MARK_STEP[kind] * np.arange(cls._used - count, cls._used), dtype=np.float64
        )


def _find(numbers: NDArray[Any], marks: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the index of each of the rising marks among the numbers.

    None if one is not there, or there twice.
    """
    found = np.flatnonzero(np.isin(numbers, marks))
    found = found[np.argsort(numbers[found])]
    return found if np.array_equal(numbers[found], marks) else None
