"""Series of many worlds, in memory or as parts on disk."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.sim.readings.block import WORD
from cable_sim.sim.readings.channels import Channel, places_of

Array = NDArray[np.float64]
PART = 1 << 26
"""Bytes after which a part is written."""


class Tape:
    """Rows of channels of n worlds as they come.

    Parameters
    ----------
    channels: what is recorded.
    n: number of worlds.
    out: folder of the parts; None keeps all rows in memory.

    Raises SpecError for a folder that has parts already.
    """

    def __init__(self, channels: Sequence[Channel], n: int, out: str | Path | None) -> None:
        self._channels = tuple(channels)
        self._nothing = np.zeros((0, n, places_of(channels).size))
        self._rows = [self._nothing]
        self._bytes = 0
        self._parts = 0
        self._out = None if out is None else Path(out)
        if self._out is not None:
            self._out.mkdir(parents=True, exist_ok=True)
            if any(self._out.glob("part_*.npz")):
                raise SpecError(f"{self._out}: has a run already; give it a folder of its own")

    @property
    def rows_in_part(self) -> int:
        """Number of rows that a part takes, at least one."""
        _, n, width = self._nothing.shape
        return max(PART // (WORD * n * max(width, 1)), 1)

    def append(self, rows: Array) -> None:
        """Add rows (r, n, c) of all columns, in their units."""
        self._rows.append(rows)
        self._bytes += rows.nbytes
        if self._out is not None and self._bytes >= PART:
            self._write()

    def end(self) -> dict[str, Array]:
        """Write what is left, or return all rows (r, n, ...) by channel, in its unit."""
        if self._out is None:
            return self._series()
        self._write()
        return {}

    def _series(self) -> dict[str, Array]:
        """Return the rows (r, n, ...) by channel, in its unit."""
        rows = np.concatenate(self._rows)
        series = {}
        at = 0
        for channel in self._channels:
            width = channel.places.size
            series[channel.name] = rows[:, :, at : at + width] if channel.parts else rows[:, :, at]
            at += width
        return series

    def _write(self) -> None:
        """Write a part completely or not at all, and forget its rows."""
        assert self._out is not None
        if not self._bytes:
            return
        beside = self._out / "unfinished.npz"
        series: Any = self._series()
        np.savez(beside, **series)
        os.replace(beside, self._out / f"part_{self._parts:05}.npz")
        self._parts += 1
        self._bytes = 0
        self._rows = [self._nothing]


def read_parts(folder: str | Path) -> dict[str, Array]:
    """Return the series (r, n, ...) that :meth:`BatchSimulator.run` wrote, by channel, in its unit.

    Raises SpecError for a folder without parts.
    """
    paths = sorted(Path(folder).glob("part_*.npz"))
    if not paths:
        raise SpecError(f"{folder}: has no parts of a run")
    parts = [np.load(path) for path in paths]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0].files}
