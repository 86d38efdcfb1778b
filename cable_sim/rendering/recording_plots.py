"""Pictures and tables of recordings: channels over time, on axes for each unit."""

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from cable_sim.errors import CableSimError
from cable_sim.rendering.drawing import Picture, picture_bytes
from cable_sim.rendering.pictures import Picture as Drawn
from cable_sim.sim.readings.channels import TIME
from cable_sim.sim.recording.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
BINS = 2000
"""Most pieces of a long series, of each of which the least and the greatest value are drawn."""
WIDTH = 7.2
HEIGHT = 2.1
"""Width of the picture, and height of each of its axes [in]."""


def part_of(recording: Recording, names: Sequence[str], begin: float, end: float) -> Recording:
    """Return channels of a recording, all for no names, from ``begin`` to ``end`` [s].

    Raises SpecError for a channel that is not recorded.
    """
    wanted = [name for name in names or [c.name for c in recording.channels] if name != TIME]
    columns = dict(zip(recording.columns, recording.units, strict=True))
    known = {channel.name: channel for channel in recording.channels}
    channels = [known[TIME]]
    for name in dict.fromkeys(wanted):
        recording[name]  # known, or an error
        channels.append(known.get(name) or known[TIME]._replace(name=name, unit=columns[name]))
    inside = (recording.time >= begin) & (recording.time <= end)
    series = [recording[channel.name].reshape(len(inside), -1) for channel in channels]
    part = Recording(channels, recording.every)
    part.append(np.concatenate(series, axis=1)[inside])
    return part


def table(recording: Recording) -> Table:
    """Return a table of all columns: unit, first, least, greatest and last value."""
    made = Table(caption=f"{len(recording)} rows")
    for head in ("channel", "unit", "first", "least", "greatest", "last"):
        made.add_column(head, justify="left" if head in ("channel", "unit") else "right")
    for column, unit in zip(recording.columns, recording.units, strict=True):
        series = recording[column]
        seen = series[~np.isnan(series)]  # logs have rows without a sample
        known = (seen[0], seen.min(), seen.max(), seen[-1]) if len(seen) else ()
        made.add_row(column, unit, *(f"{value:.6g}" for value in known), end_section=column == TIME)
    return made


def plot(recording: Recording, channels: Sequence[str] = ()) -> Drawn:
    """Draw channels of a recording over time, all for none.

    Raises SpecError for a channel that is not recorded, CableSimError for fewer than two rows or
    columns, and where matplotlib is not installed.
    """
    part = part_of(recording, channels, -math.inf, math.inf)
    if len(part) < 2 or len(part.columns) < 2:
        raise CableSimError("plot: nothing to draw; it needs a channel and two rows")
    try:
        drawn = picture_bytes(picture(part), "png")
    except ModuleNotFoundError as error:
        raise CableSimError(
            f"plot: {error.name} is not installed: pip install 'cable_sim[plot]'"
        ) from None
    from PIL import Image

    return Drawn(np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB")))


def picture(recording: Recording) -> Picture:
    """Return the picture of a recording with two rows or more."""
    return Picture("recording", "Channels over time.", lambda: _draw(recording))


def _draw(recording: Recording) -> "Figure":
    """Draw all columns over time, those of one unit on the same axes."""
    from matplotlib.figure import Figure

    units = [unit for unit in dict.fromkeys(recording.units[1:])]
    figure = Figure(figsize=(WIDTH, 0.4 + HEIGHT * len(units)))
    rows = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for unit, axes in zip(units, rows, strict=True):
        for column, of_column in zip(recording.columns[1:], recording.units[1:], strict=True):
            if of_column == unit:
                axes.plot(*curve(recording.time, recording[column]), label=column)
        axes.set_ylabel(f"[{unit}]")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    rows[-1].set_xlabel("time [s]")
    return figure


def curve(time: Array, values: Array) -> tuple[Array, Array]:
    """Return the points (n,) and (n,) of a curve that looks like all values over time [s].

    Where time goes back, by a reset, the curve is interrupted by NaN.
    """
    back = np.flatnonzero(np.diff(time) < 0.0) + 1
    size = -(-len(time) // BINS)
    kept = [_extremes(piece, values, size) for piece in np.split(np.arange(len(time)), back)]
    breaks = np.cumsum([len(piece) for piece in kept])[:-1]
    rows = np.concatenate(kept)
    return np.insert(time[rows], breaks, np.nan), np.insert(values[rows], breaks, np.nan)


def _extremes(rows: NDArray[np.int64], values: Array, size: int) -> NDArray[np.int64]:
    """Return the rows of the least and greatest of every ``size`` values, and both ends."""
    if size < 3:
        return rows
    whole = rows[: len(rows) // size * size].reshape(-1, size)
    first = whole[:, 0]
    extremes = [first + pick(values[whole], axis=1) for pick in (np.argmin, np.argmax)]
    return np.unique(np.concatenate([*extremes, rows[:1], rows[-1:], rows[whole.size :]]))
