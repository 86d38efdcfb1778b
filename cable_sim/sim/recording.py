"""Recordings: series of chosen channels, which the compiled run writes."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.sim.channels import Channel

Array = NDArray[np.float64]
TIME = "time"


class Recording:
    """Series of channels; the first row is the state at which the recording began.

    A channel's series is ``recording["load.position"]``, (n, 3), or (n,) for a single number.

    Parameters
    ----------
    channels: what is recorded; the time comes first.
    every: steps between two rows.
    end: ends the recording.
    """

    def __init__(
        self, channels: Sequence[Channel], every: int, end: Callable[[], None] = lambda: None
    ) -> None:
        self.channels = tuple(channels)
        self.every = every
        self._end = end
        self._parts: list[Array] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of :attr:`rows`."""
        return tuple(column for channel in self.channels for column in channel.columns)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the columns."""
        return tuple(channel.unit for channel in self.channels for _ in channel.columns)

    @property
    def rows(self) -> Array:
        """All rows (n, c), a view that must not be written."""
        if len(self._parts) != 1:
            none = np.zeros((0, len(self.columns)))
            self._parts = [np.concatenate([none, *self._parts])]
        return self._parts[0]

    @property
    def time(self) -> Array:
        """Times (n,) of the rows [s]."""
        return self[TIME]

    def __getitem__(self, channel: str) -> Array:
        """Return the series of a channel or one of its parts; raise SpecError if it has none."""
        rows = self.rows
        at = 0
        for own in self.channels:
            width = len(own.columns)
            if channel == own.name:
                return rows[:, at : at + width] if own.parts else rows[:, at]
            if channel in own.columns:
                return rows[:, at + own.columns.index(channel)]
            at += width
        known = ", ".join(own.name for own in self.channels)
        raise SpecError(f"recording: channel {channel!r} is not recorded; recorded are {known}")

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def append(self, rows: Array) -> None:
        """Add rows (n, c)."""
        self._parts.append(np.array(rows))

    def stop(self) -> None:
        """End the recording; its rows stay."""
        self._end()
