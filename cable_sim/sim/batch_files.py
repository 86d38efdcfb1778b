"""Series of many worlds, in memory or as parts on disk."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.sim.channels import Channel

Array = NDArray[np.float64]
PART = 1 << 26
"""Bytes after which a part is written."""


class Tape:
    """Rows of channels of n worlds as they come.

    Parameters
    ----------
    channels: what is recorded.
    out: folder of the parts; None keeps all rows in memory.

    Raises SpecError for a folder that has parts already.
    """

    def __init__(self, channels: Sequence[Channel], out: str | Path | None) -> None:
        self._names = tuple(channel.name for channel in channels)
        self._rows: dict[str, list[Array]] = {name: [] for name in self._names}
        self._bytes = 0
        self._parts = 0
        self._out = None if out is None else Path(out)
        if self._out is not None:
            self._out.mkdir(parents=True, exist_ok=True)
            if any(self._out.glob("part_*.npz")):
                raise SpecError(f"{self._out}: has a run already; give it a folder of its own")

    def append(self, values: Sequence[Array]) -> None:
        """Add a row of each channel, (n, ...), in its unit."""
        for name, value in zip(self._names, values, strict=True):
            self._rows[name].append(value.copy())
            self._bytes += value.nbytes
        if self._out is not None and self._bytes >= PART:
            self._write()

    def end(self) -> dict[str, Array]:
        """Write what is left, or return all rows (r, n, ...) by channel, in its unit."""
        if self._out is None:
            return {name: np.array(rows) for name, rows in self._rows.items()}
        self._write()
        return {}

    def _write(self) -> None:
        """Write a part completely or not at all, and forget its rows."""
        assert self._out is not None
        if not self._bytes:
            return
        beside = self._out / "unfinished.npz"
        rows: Any = {name: np.array(rows) for name, rows in self._rows.items()}
        np.savez(beside, **rows)
        os.replace(beside, self._out / f"part_{self._parts:05}.npz")
        self._parts += 1
        self._bytes = 0
        self._rows = {name: [] for name in self._names}


def read_parts(folder: str | Path) -> dict[str, Array]:
    """Return the series (r, n, ...) that :meth:`BatchSimulator.run` wrote, by channel, in its unit.

    Raises SpecError for a folder without parts.
    """
    paths = sorted(Path(folder).glob("part_*.npz"))
    if not paths:
        raise SpecError(f"{folder}: has no parts of a run")
    parts = [np.load(path) for path in paths]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0].files}
