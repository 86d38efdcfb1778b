"""Recordings: series of chosen channels, which the compiled run writes."""

import os
from collections.abc import Callable, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import CableSimError, SpecError
from cable_sim.pictured import PictureFile, listed, table
from cable_sim.sim.readings.channels import TIME, Channel
from cable_sim.sim.readings.views import TouchEvent

if TYPE_CHECKING:
    from pandas import DataFrame

Array = NDArray[np.float64]


class Recording:
    """Series of channels; the first row is the state at which the recording began.

    A channel's series is ``recording["load.position"]``, (n, 3), or (n,) for a single number, in
    the unit that :attr:`units` tells.

    Parameters
    ----------
    channels: channels of the columns; the time comes first.
    every: steps between two rows.
    end: function that ends the recording.
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        every: int,
        end: Callable[["Recording"], None] = lambda _: None,
    ) -> None:
        self.channels = tuple(channels)
        self.every = every
        self._end = end
        self.events: tuple[TouchEvent, ...] = ()
        """Begins and ends of touches since the recording began."""
        self.lost_events = 0
        """Number of events that are not among these: between two looks there were too many."""
        self._count = 0
        self._kept = np.zeros((1, len(self.columns)))

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
        """All rows (n, c) so far, in the units of the columns; they can't be written."""
        rows = self._kept[: self._count]
        rows.flags.writeable = False
        return rows

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
        return self._count

    def __repr__(self) -> str:
        span = f" from {self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self) else ""
        channels = listed(f"{channel.name} [{channel.unit}]" for channel in self.channels)
        return f"Recording of {len(self)} rows{span}\n{channels}"

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows: each column's values."""
        heads = ("channel", "unit", "first", "least", "greatest", "last")
        columns = [
            (name, unit, self[name]) for name, unit in zip(self.columns, self.units, strict=True)
        ]
        return f"<pre>{escape(repr(self))}</pre>" + table(
            heads,
            [(name, unit, v[0], v.min(), v.max(), v[-1]) for name, unit, v in columns if len(v)],
        )

    def plot(self, channels: Sequence[str] = ()) -> PictureFile:
        """Draw channels over time, all for none: ``cable_sim.plot`` has the options."""
        picture: PictureFile = import_module("cable_sim").plot(self, channels)
        return picture

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def go_on(self, channels: Sequence[Channel], end: Callable[["Recording"], None]) -> None:
        """Continue with the same channels in another place, to be ended there."""
        self.channels = tuple(channels)
        self._end = end

    def append(self, rows: Array) -> None:
        """Add rows (n, c), in the units of the columns."""
        count = self._count + len(rows)
        if count > len(self._kept):
            more = np.empty((max(count, 2 * len(self._kept)), self._kept.shape[1]))
            more[: self._count] = self._kept[: self._count]
            self._kept = more
        self._kept[self._count : count] = rows
        self._count = count

    def note(self, events: Sequence[TouchEvent], lost: int = 0) -> None:
        """Add events, and the number of those that were lost."""
        self.events += tuple(events)
        self.lost_events += lost

    def stop(self) -> None:
        """End the recording; its rows stay."""
        self._end(self)

    def write(self, path: "str | os.PathLike[str]") -> None:
        """Write a ``.csv``, ``.npz`` or ``.mcap`` file, which appears when it is complete.

        The events of a ``.csv`` are beside it, in ``.events.csv``.
        :func:`~cable_sim.sim.recording.recording_files.read_recording` reads it. Raises SpecError
        for another ending. MCAP needs the package of that name (extra ``bag``).
        """
        from cable_sim.sim.recording.recording_files import write_recording

        write_recording(self, path)

    def frame(self) -> "DataFrame":
        """Return a pandas DataFrame of all columns, indexed by time [s].

        ``attrs["units"]`` has their units. Raises CableSimError where pandas is not installed.
        """
        try:
            import pandas  # not a dependency
        except ModuleNotFoundError as error:
            raise CableSimError("frame: pandas is not installed: pip install pandas") from error
        index = pandas.Index(self.time, name=TIME)
        frame: Any = pandas.DataFrame(self.rows[:, 1:], index, self.columns[1:])
        frame.attrs["units"] = dict(zip(self.columns, self.units, strict=True))
        return frame
