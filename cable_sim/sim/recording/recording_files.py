"""Files of recordings: CSV for tables, NPZ for numpy, MCAP for viewers of time series.

All three hold every number exactly, the names of the columns and their units. CSV has a line for
each row below a header such as ``time [s],load.position.x [m]``; exact in pandas by
``read_csv(path, float_precision="round_trip")``. NPZ has an array for each channel. MCAP has a
topic for each channel, with messages in JSON: ``{"x": 0.5, "y": 0.0, "z": 7.0}``, or ``value`` of
a single number. Their schema tells the unit, and their time is the simulated one [ns]. NPZ and MCAP
also hold the begins and ends of touches; those of ``lift.csv`` are in ``lift.events.csv`` beside
it, if there are any.
"""

import csv
import functools
import io
import itertools
import json
import math
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np

from cable_sim.atomic_files import write_atomically
from cable_sim.errors import CableSimError, SpecError
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.readings.quantities import PARTS
from cable_sim.sim.readings.views import TouchEvent
from cable_sim.sim.recording.recording import TIME, Recording

ABOUT = "cable_sim recording"
"""Name, in NPZ and MCAP, of what tells the channels and events."""
VALUE = "value"
"""Part of a message that is a single number."""
HEADED = re.compile(r"(.*) \[(.*)\]", re.DOTALL)
"""Pattern of a header: column and unit."""
EVENTS = ("time [s]", "first", "second", "begins", "speed [m/s]")
"""Header of a table of events."""
BEGINS = {"True": True, "False": False}
"""Words of such a table."""
Read = TypeVar("Read")
NEVER_READ = np.zeros(0, np.int64)


class Format(NamedTuple):
    """Functions that write a recording to a binary file, and read one."""

    write: Callable[[Recording, IO[bytes]], None]
    read: Callable[[IO[bytes]], Recording]


def write_recording(recording: Recording, path: "str | os.PathLike[str]") -> None:
    """Write a recording; its suffix tells the format.

    The file appears when it is complete. Raises SpecError for another suffix, CableSimError for
    MCAP where its package is missing, OSError for a file that can't be written.
    """
    path = Path(path)
    form = _format(path)
    write_atomically(path, functools.partial(form.write, recording))
    if form is FORMATS[".csv"]:
        if recording.events:
            write_atomically(
                _events_beside(path), functools.partial(_write_lines, [EVENTS, *recording.events])
            )
        else:  # those of an earlier recording
            _events_beside(path).unlink(missing_ok=True)


def _events_beside(path: Path) -> Path:
    """Return the path of the events of a table."""
    return path.with_suffix(".events.csv")


def read_recording(path: "str | os.PathLike[str]") -> Recording:
    """Return the recording in a CSV, NPZ or MCAP file, with 0 steps between rows: unknown.

    Raises SpecError for another suffix and for a file that holds no recording, CableSimError for
    MCAP where its package is missing, OSError for a file that can't be read.
    """
    path = Path(path)
    form = _format(path)
    made = _read(path, form.read)
    if form is FORMATS[".csv"] and _events_beside(path).exists():
        made.note(_read(_events_beside(path), _read_events))
    return made


def _read(path: Path, read: Callable[[IO[bytes]], Read]) -> Read:
    """Return what a function reads in a file; raise SpecError if it is damaged."""
    with path.open("rb") as file:
        try:
            return read(file)
        except (CableSimError, OSError):
            raise
        except Exception as error:  # whatever damage leads to
            told = f": {error}" if str(error) else ""
            raise SpecError(
                f"{path}: not a recording that cable_sim wrote, or damaged "
                f"({type(error).__name__}{told})"
            ) from error


def _format(path: Path) -> Format:
    """Return the format of a path; raise SpecError for an unknown suffix."""
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise SpecError(
            f"recording {str(path)!r}: suffix {path.suffix!r} is not known; allowed are "
            f"{', '.join(FORMATS)}"
        )
    return found


def _filled(made: Recording, rows: Any) -> Recording:
    """Return a recording with rows, or their numbers one after the other."""
    made.append(np.asarray(rows, float).reshape(-1, len(made.columns)))
    return made


def _write_csv(recording: Recording, file: IO[bytes]) -> None:
    """Write a header and the rows."""
    names = zip(recording.columns, recording.units, strict=True)
    header = [f"{column} [{unit}]" for column, unit in names]
    rows = recording.rows.tolist()
    if np.isnan(recording.rows).any():  # an empty cell is no sample, for other programs as well
        rows = [["" if value != value else value for value in row] for row in rows]
    _write_lines([header, *rows], file)


def _write_lines(lines: Iterable[Iterable[Any]], file: IO[bytes]) -> None:
    """Write lines of a table."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    text.detach()


def _read_csv(file: IO[bytes]) -> Recording:
    """Read a header and the rows; columns of one vector are one channel again."""
    lines = csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""), strict=True)
    heads = [HEADED.fullmatch(head) for head in next(lines)]
    named = [(head[1], head[2]) for head in heads if head]
    if len(named) < len(heads) or not named or named[0][0] != TIME:
        raise ValueError("the first line must name columns as 'time [s],load.position.x [m]' does")
    rows = [[float(word or math.nan) for word in line] for line in lines]
    if any(len(row) != len(named) for row in rows):
        raise ValueError(f"every line must have {len(named)} numbers")
    return _filled(Recording([*_joined(named)], 0), rows)


def _read_events(file: IO[bytes]) -> list[TouchEvent]:
    """Read a header and the events."""
    header, *lines = csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
    if tuple(header) != EVENTS:
        raise ValueError(f"the first line must be {','.join(EVENTS)}")
    return [
        TouchEvent(float(time), first, second, BEGINS[begins], float(speed))
        for time, first, second, begins, speed in lines
    ]


def _joined(named: Sequence[tuple[str, str]]) -> Iterator[Channel]:
    """Return channels of columns and units: those of a vector are one."""
    at = 0
    while at < len(named):
        column, unit = named[at]
        name = column.rpartition(".")[0]
        parts: tuple[str, ...] = ()
        for known in PARTS:
            following = named[at : at + len(known)]
            if following == [(f"{name}.{part}", unit) for part in known] and name:
                parts = known
        yield Channel(name if parts else column, parts, unit, NEVER_READ, 0)
        at += max(len(parts), 1)


def _about(recording: Recording) -> str:
    """Return channels and events as JSON."""
    channels = [{"name": c.name, "unit": c.unit, "parts": c.parts} for c in recording.channels]
    return json.dumps(
        {"channels": channels, "events": recording.events, "lost_events": recording.lost_events}
    )


def _empty(about: str) -> Recording:
    """Return a recording without rows of the channels and events that JSON tells."""
    told = json.loads(about)
    channels = [
        Channel(one["name"], tuple(one["parts"]), one["unit"], NEVER_READ, 0)
        for one in told["channels"]
    ]
    made = Recording(channels, 0)
    made.note([TouchEvent(*event) for event in told["events"]], told["lost_events"])
    return made


def _write_npz(recording: Recording, file: IO[bytes]) -> None:
    """Write an array for each channel."""
    series = {channel.name: recording[channel.name] for channel in recording.channels}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {ABOUT: np.array(_about(recording)), **series}.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asanyarray(array), allow_pickle=False)


def _read_npz(file: IO[bytes]) -> Recording:
    """Read an array for each channel."""
    with np.load(file, allow_pickle=False) as arrays:
        made = _empty(str(arrays[ABOUT]))
        series = [arrays[c.name].reshape(-1, max(len(c.parts), 1)) for c in made.channels]
    return _filled(made, np.concatenate(series, axis=1))


def _write_mcap(recording: Recording, file: IO[bytes]) -> None:
    """Write a topic for each channel."""
    writer = _mcap("writer").Writer(file)
    writer.start(library="cable_sim")
    writer.add_metadata(ABOUT, {"about": _about(recording)})
    topics = [(_topic(writer, c), c.parts or (VALUE,)) for c in recording.channels]
    for count, row in enumerate(recording.rows.tolist()):
        stamp = max(round(1e9 * row[0]), 0)
        numbers = iter(row)
        for topic, parts in topics:
            message = ", ".join(f'"{part}": {_number(next(numbers))}' for part in parts)
            writer.add_message(topic, stamp, f"{{{message}}}".encode(), stamp, count)
    writer.finish()


def _topic(writer: Any, channel: Channel) -> int:
    """Register the topic of a channel; return its number."""
    number = {"type": "number", "description": f"[{channel.unit}]", "unit": channel.unit}
    schema = {
        "title": channel.name,
        "type": "object",
        "properties": {part: number for part in channel.parts or (VALUE,)},
    }
    kind = writer.register_schema(channel.name, "jsonschema", json.dumps(schema).encode())
    known: int = writer.register_channel(channel.name, "json", kind, {"unit": channel.unit})
    return known


def _number(value: float) -> str:
    """Return a number in JSON, which knows no words for infinity and NaN."""
    if math.isfinite(value):
        return repr(value)
    return "null" if math.isnan(value) else "1e999" if value > 0.0 else "-1e999"


def _read_mcap(file: IO[bytes]) -> Recording:
    """Read a topic for each channel, in the order of the file: time may go back by a reset."""
    reader = _mcap("reader").make_reader(file)
    about = {one.name: one.metadata for one in reader.iter_metadata()}
    made = _empty(about[ABOUT]["about"])
    told = (
        json.loads(message.data).values()
        for _, _, message in reader.iter_messages(log_time_order=False)
    )
    numbers = itertools.chain.from_iterable(told)
    return _filled(made, [math.nan if one is None else one for one in numbers])


def _mcap(module: str) -> Any:
    """Return a module of MCAP; raise CableSimError where it is not installed."""
    try:
        import mcap.reader
        import mcap.writer
    except ModuleNotFoundError as error:
        raise CableSimError(
            f"{error.name} is not installed: pip install 'cable_sim[bag]', or write .csv or .npz"
        ) from error
    return getattr(mcap, module)


FORMATS = {
    ".csv": Format(_write_csv, _read_csv),
    ".npz": Format(_write_npz, _read_npz),
    ".mcap": Format(_write_mcap, _read_mcap),
}
"""Formats by suffix."""
