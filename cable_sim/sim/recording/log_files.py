"""Files of logs: cells of named columns, with the places of the cells."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cable_sim.errors import CableSimError, SpecError
from cable_sim.spec.motions.tables import read_lines, take_units
from cable_sim.spec.quantities import is_number

ENCODINGS = ("utf-8-sig", "cp1252")
"""Encodings of text, the first that fits; UTF-16 is known by its mark."""


class Source(NamedTuple):
    """Opened log.

    Parameters
    ----------
    where: the file.
    names, units: of its columns; a unit is empty if there is none.
    rows: number of rows.
    column: function that returns the cells of a column by its place.
    place: function that returns line and character, from 1, of a row and a column.
    """

    where: str
    names: list[str]
    units: list[str]
    rows: int
    column: Callable[[int], Sequence[Any]]
    place: Callable[[int, int], tuple[int, int]]

    def is_number(self, name: str) -> bool:
        """Return True if the first cell of a column that is not empty is a number."""
        cells = self.column(self.names.index(name))
        first = next((cell for cell in cells if cell not in (None, "")), None)
        return is_number(first) if isinstance(first, str) else isinstance(first, int | float)


def open_log(path: str | Path, wanted: Collection[str]) -> Source:
    """Return an opened log; ``wanted`` are the columns to read from a bag, all for none.

    SpecError for a file that can't be read, CableSimError if a package for it is missing.
    """
    place = Path(path)
    if not place.exists():
        raise SpecError(f"{path}: there is no such file")
    if place.suffix.lower() == ".parquet":
        return _open_parquet(place)
    if place.is_dir() or place.suffix.lower() == ".mcap":
        own = None if place.is_dir() else _own(place)
        return own or _open_bag(place, wanted)
    return _own(place) or _open_text(place) if place.suffix.lower() == ".npz" else _open_text(place)


def _open_text(path: Path) -> Source:
    """Return the source of a table of text."""
    head, rest, mark = read_lines(path, "columns of numbers", ENCODINGS)
    units = take_units(rest, len(head.cells))

    def place(row: int, column: int) -> tuple[int, int]:
        cells = rest[row].cells
        return rest[row].number, 1 + sum(len(cell) + len(mark) for cell in cells[:column])

    def cells(column: int) -> list[str]:
        return [line.cells[column] for line in rest]

    return Source(str(path), head.cells, units, len(rest), cells, place)


def _open_parquet(path: Path) -> Source:
    """Return the source of a Parquet file."""
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
    except Exception as error:  # a damaged file makes pyarrow raise anything
        raise SpecError(f"{path}: is no Parquet file that can be read: {error}") from None
    units = [(field.metadata or {}).get(b"unit", b"").decode() for field in table.schema]
    return _of_columns(path, table.column_names, units, [c.to_pylist() for c in table.columns])


def _own(path: Path) -> Source | None:
    """Return the source of a recording of this package; None for another file."""
    from cable_sim.sim.recording.recording_files import read_recording

    try:
        made = read_recording(path)
    except SpecError:
        return None
    columns = [made[column].tolist() for column in made.columns]
    cells = [[None if value != value else value for value in column] for column in columns]
    return _of_columns(path, list(made.columns), list(made.units), cells)


def _of_columns(path: Path, names: list[str], units: list[str], cells: list[Any]) -> Source:
    """Return the source of columns; its places count rows and columns from 1."""
    count = len(cells[0]) if cells else 0
    return Source(
        str(path), names, units, count, lambda i: cells[i], lambda row, i: (row + 1, i + 1)
    )


def _open_bag(path: Path, wanted: Collection[str]) -> Source:
    """Return the source of a ROS bag: a row for each message, with the time of its header or of
    the recording, in columns ``TOPIC.FIELD``."""
    from rosbags.highlevel import AnyReader

    rows: list[dict[str, float]] = []
    try:
        with AnyReader([path]) as bag:
            topics = {name.split(".")[0] for name in wanted}
            chosen = [c for c in bag.connections if not topics or c.topic in topics]
            for connection, stamp, data in bag.messages(chosen):
                message = bag.deserialize(data, connection.msgtype)
                values = dict(_numbers(message, connection.topic))
                kept = {n: v for n, v in values.items() if not wanted or n in wanted}
                if kept:
                    rows.append({"time": _stamp(message, stamp), **kept})
    except ModuleNotFoundError:
        raise
    except Exception as error:  # what a damaged file does to a parser no list of classes foresees
        raise CableSimError(f"{path}: is no bag that can be read: {error}") from None
    merged: dict[float, dict[str, float]] = {}
    for row in rows:
        merged.setdefault(row["time"], {}).update(row)
    ordered = [merged[time] for time in sorted(merged)]
    names = list(dict.fromkeys(name for row in ordered for name in row))
    cells = [[row.get(name) for row in ordered] for name in names]
    return _of_columns(path, names, ["s" if name == "time" else "" for name in names], cells)


def _stamp(message: Any, nanoseconds: int) -> float:
    """Return the time [s] of a message's header, or that of its recording."""
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    return stamp.sec + 1e-9 * stamp.nanosec if stamp else 1e-9 * nanoseconds


def _numbers(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers in a message by their names; items of lists by their own names, if any."""
    if isinstance(value, bool | int | float):
        yield name, float(value)
    elif hasattr(value, "__dataclass_fields__"):
        labels = getattr(value, "name", None)
        for field in value.__dataclass_fields__:
            item = getattr(value, field)
            listed = hasattr(item, "__len__") and not isinstance(item, str)
            if listed and isinstance(labels, list) and len(item) == len(labels):
                for label, one in zip(labels, item, strict=True):
                    yield from _numbers(_plain(one), f"{name}.{field}.{label}")
            elif field != "header":
                yield from _numbers(item, f"{name}.{field}")
    elif hasattr(value, "__len__") and not isinstance(value, str | bytes) and len(value) < 100:
        for place, one in enumerate(value):
            yield from _numbers(_plain(one), f"{name}.{getattr(one, 'name', '') or place}")


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python, and anything else as it is."""
    return value.item() if hasattr(value, "item") else value
