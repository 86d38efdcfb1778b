"""Columns of a model's records: arrays of one type, which also have their columns without rows."""

from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


def ints(values: Iterable[Any], *columns: int) -> Ints:
    """Return whole numbers (n,), or rows (n, ...) of so many columns."""
    return _rows(values, np.int64, columns)


def floats(values: Iterable[Any], *columns: int) -> Floats:
    """Return numbers (n,), or rows (n, ...) of so many columns."""
    return _rows(values, np.float64, columns)


def flags(values: Iterable[Any], *columns: int) -> Flags:
    """Return flags (n,), or rows (n, ...) of so many columns."""
    return _rows(values, np.bool_, columns)


def offsets(parts: Iterable[Sized]) -> Ints:
    """Return where each of some lists begins when they stand one behind another, and their end."""
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _rows(values: Iterable[Any], kind: Any, columns: tuple[int, ...]) -> NDArray[Any]:
    """Return an array of one type."""
    array = np.array([*values], kind)
    return array.reshape(-1, *columns) if columns else array
