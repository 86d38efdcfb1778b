"""Arrays in one piece of memory, which a picture of them copies at once."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WORD = 8
"""Bytes by which arrays are aligned."""


class Place(NamedTuple):
    """Shape and type of an array, and its offset in a block [bytes]."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int

    def view(self, memory: Any) -> NDArray[Any]:
        """Return the array in a block's memory or a copy of it."""
        return np.ndarray(self.shape, self.dtype, memory, self.offset)


class Block:
    """Copies of arrays, one behind the other.

    ``arrays`` are views of the ``memory``, by the names of those that were given. It is the first
    of ``rows``, which all start alike.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], count: int = 1) -> None:
        self.places: dict[str, Place] = {}
        size = 0
        for name, array in arrays.items():
            self.places[name] = Place(array.shape, array.dtype, size)
            size += -(-array.nbytes // WORD) * WORD
        self.rows = np.zeros((count, size), np.uint8)
        self.memory = self.rows[0]
        self.arrays = {name: place.view(self.memory) for name, place in self.places.items()}
        for name, array in arrays.items():
            self.arrays[name][...] = array
        self.rows[1:] = self.memory
