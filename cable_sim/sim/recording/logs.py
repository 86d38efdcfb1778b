"""Logs of real machines, read as they are: columns by name and unit, and a report of what was read.

Text (CSV with commas, semicolons or tabs, also as Excel writes it), Parquet, recordings of this
package, and ROS bags or MCAP files, whose columns are ``TOPIC.FIELD``.
"""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ConfigError, Problem, SpecError, check_kind, suggestion
from cable_sim.sim.readings.channels import TIME, Channel
from cable_sim.sim.recording.log_files import Source, open_log
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim.spec.motions.tables import HEAD
from cable_sim.spec.motions.units import UNITS, unit_of

Array = NDArray[np.float64]
GAP = 3.0
"""Step over the usual one from which on rows are missing [-]."""
OUTLIER = 20.0
"""Distance from both neighbours, over the usual step, of an outlier [-]."""
TIMES = ("time", "t", "timestamp", "zeit", "date", "datetime")
"""Names of a column of times that needs no mapping, in any case."""
MEANING = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[(?P<unit>[^\]]*)\])?\s*")
"""Pattern of a meaning: a name, and the unit in the file."""


class Log(Recording):
    """Recording read from a log, in SI units; NaN where a column has no sample.

    ``findings`` are sentences about gaps, outliers and missing samples, ``zero`` is the date of the
    time 0, empty if the log has none, and ``source`` the file.
    """

    source: str = ""
    zero: str = ""
    findings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([f"{self.source}: {super().__repr__()}", *self.findings])


class _Column(NamedTuple):
    """Column to read: its place in the file, its name there, its meaning, unit of SI and factor."""

    place: int
    name: str
    what: str
    si: str
    factor: float


def read_log(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    missing: Sequence[str] = ("",),
    first_at_0: bool = False,
) -> Log:
    """Return the log in a file, in SI units.

    Raises ConfigError, with file, line and column, for a cell that is no finite number, and a time
    that does not increase; SpecError for a file that can't be read, without a column of times, or
    with two columns of one name, and for an unknown unit.

    Parameters
    ----------
    path: CSV, Parquet, NPZ, MCAP, or the folder of a bag.
    columns: meaning of the columns by their names in the file, with the unit in which the file has
        them, such as ``{"Trolley_Pos[mm]": "trolley.position [mm]"}``. One column is the ``time``
        [s], or has dates of ISO 8601. Left out, all columns of numbers, by their names; a unit is
        that in brackets behind the name, or in a line below the head.
    missing: cells that tell that there is no sample.
    first_at_0: makes the time of the first row 0 [s]. Dates always do.
    """
    source = open_log(path, set(columns or ()))
    taken = _columns(source, columns)
    time, zero = _times(source, taken.pop(0), missing)
    if first_at_0 and len(time):
        time = time - time[0]
    series = [_series(source, column, missing) for column in taken]
    channels = [Channel(TIME, (), "s", NEVER_READ, 0)]
    channels += [Channel(column.what, (), column.si, NEVER_READ, 0) for column in taken]
    made = Log(channels, 0)
    made.append(np.column_stack([time, *series]))
    made.source, made.zero = str(path), zero
    made.findings = tuple(_findings(made))
    return made


def _columns(source: Source, given: Mapping[str, str] | None) -> list[_Column]:
    """Return the columns to read, that of the time first."""
    for name in source.names:
        if source.names.count(name) > 1 and (given is None or name in given):
            raise SpecError(f"{source.where}: column {name!r} is there twice")
    meanings = dict(_by_default(source)) if given is None else dict(given)
    check_kind(f"{source.where}: columns", meanings, Mapping, "meanings by name")
    if given is not None and not any(_what(text) == TIME for text in meanings.values()):
        usual = _by_default(source).items()
        meanings |= {n: text for n, text in usual if _what(text) == TIME and n not in given}
    found = [_column(source, name, text, given is None) for name, text in meanings.items()]
    whats = [column.what for column in found]
    for what in whats:
        if whats.count(what) > 1:
            raise SpecError(f"{source.where}: two columns are {what!r}; columns= tells them apart")
    if TIME not in whats:
        raise SpecError(
            f"{source.where}: has no column of times; say which is, such as columns={{"
            f"{source.names[0]!r}: 'time [s]'}}; there are {', '.join(source.names)}"
        )
    if len(found) < 2:
        raise SpecError(f"{source.where}: has no column of numbers beside the time")
    return sorted(found, key=lambda column: column.what != TIME)


def _what(meaning: str) -> str:
    """Return the name in a meaning."""
    return meaning.partition("[")[0].strip()


def _by_default(source: Source) -> dict[str, str]:
    """Return the meaning of every column of numbers by its own name and unit."""
    meanings = {}
    for name, unit in zip(source.names, source.units, strict=True):
        head = HEAD.fullmatch(name)
        plain, own = (head["name"], head["unit"]) if head else (name, unit)
        what = TIME if plain.strip().lower() in TIMES else plain.strip()
        if what == TIME or source.is_number(name):
            meanings[name] = f"{what} [{own}]" if own in UNITS else what
    return meanings


def _column(source: Source, name: str, meaning: str, as_it_is: bool) -> _Column:
    """Return a column by its meaning; SpecError if it is not there, or its unit is unknown.

    ``as_it_is``, an unknown unit stays.
    """
    if name not in source.names:
        known = ", ".join(source.names)
        near = suggestion(name, source.names)
        raise SpecError(f"{source.where}: column {name!r} is not there{near}; {known} are")
    found = MEANING.fullmatch(meaning) if isinstance(meaning, str) else None
    if not found:
        raise SpecError(
            f"{source.where}: columns: {name!r}: {meaning!r} is not allowed; give a name and a "
            "unit, such as 'trolley.position [mm]'"
        )
    place = source.names.index(name)
    head = HEAD.fullmatch(name)
    said = source.units[place] or (head["unit"] if head else "")
    text = found["unit"] if found["unit"] is not None else said
    if as_it_is and text and text not in UNITS:
        return _Column(place, name, found["name"], text, 1.0)
    default = "s" if found["name"] == TIME else "-"
    unit = unit_of(text or default, f"{source.where}: column {name!r}")
    if found["name"] == TIME and unit.si != "s":
        raise SpecError(f"{source.where}: column {name!r}: unit {text!r} is none of time")
    return _Column(place, name, found["name"], unit.si, unit.factor)


def _problem(source: Source, row: int, column: _Column, text: str) -> ConfigError:
    """Return the error of a cell."""
    line, place = source.place(row, column.place)
    return ConfigError([Problem(source.where, line, place, column.name, text)])


def _series(source: Source, column: _Column, missing: Sequence[str]) -> Array:
    """Return the numbers (n,) of a column in SI; NaN where there is no sample."""
    values = np.empty(source.rows)
    for row, cell in enumerate(source.column(column.place)):
        empty = cell is None or (isinstance(cell, str) and cell.strip() in missing)
        values[row] = math.nan if empty else _number(cell)
        if not (empty or math.isfinite(values[row])):
            told = f"{str(cell)!r} is not a finite number; missing= names cells without a sample"
            raise _problem(source, row, column, told)
    return values * column.factor


def _number(cell: Any) -> float:
    """Return the number of a cell; NaN if it is none."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def _times(source: Source, column: _Column, missing: Sequence[str]) -> tuple[Array, str]:
    """Return the times (n,) [s] and the date of 0; ConfigError where they do not increase."""
    cells = source.column(column.place)
    zero = ""
    if cells and not source.is_number(column.name):
        dates = [_date(source, row, column, cell) for row, cell in enumerate(cells)]
        zero = dates[0].isoformat()
        times = np.array([(date - dates[0]).total_seconds() for date in dates])
    else:
        times = _series(source, column, ())
    wrong = np.flatnonzero(~(np.diff(times) > 0.0))
    if len(wrong):
        row = int(wrong[0]) + 1
        before, now = times[row - 1], times[row]
        told = f"time {now:.9g} s is not after {before:.9g} s of the row before; it must increase"
        raise _problem(source, row, column, told)
    return times, zero


def _date(source: Source, row: int, column: _Column, cell: Any) -> datetime.datetime:
    """Return the date of a cell, in UTC if it names no zone."""
    try:
        made = (
            cell
            if isinstance(cell, datetime.datetime)
            else datetime.datetime.fromisoformat(_iso(str(cell)))
        )
    except ValueError:
        told = f"{str(cell)!r} is neither a number nor a date such as 2026-03-01T08:00:00.125Z"
        raise _problem(source, row, column, told) from None
    return made if made.tzinfo else made.replace(tzinfo=datetime.timezone.utc)


def _iso(text: str) -> str:
    """Return a date as all versions of Python read it: with a zone of digits, and six decimals."""
    text = re.sub(r"[zZ]$", "+00:00", text.strip().replace(",", "."))
    return re.sub(r"\.(\d{1,9})", lambda found: f".{found[1][:6]:0<6}", text)


def _findings(log: Log) -> list[str]:
    """Return sentences about a log: rate, gaps, samples that miss, outliers."""
    steps = np.diff(log.time)
    if not len(steps):
        return ["has a single row"]
    usual = float(np.median(steps))
    made = [f"a row every {usual:.6g} s, from {steps.min():.6g} to {steps.max():.6g} s"]
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        worst = int(gaps[np.argmax(steps[gaps])])
        made.append(
            f"{len(gaps)} gap(s), the longest of {steps[worst]:.6g} s at {log.time[worst]:.6g} s"
        )
    for name in log.columns[1:]:
        values = log[name]
        lost = int(np.isnan(values).sum())
        if lost:
            made.append(f"{name}: {lost} of {len(values)} rows without a sample")
        made += _outliers(log, name)
    return made


def _outliers(log: Log, name: str) -> list[str]:
    """Return a sentence about values far from both neighbours, if there are any."""
    kept = ~np.isnan(log[name])
    values, time = log[name][kept], log.time[kept]
    if len(values) < 10:
        return []
    before, after = np.diff(values)[:-1], np.diff(values)[1:]
    usual = float(np.mean(np.abs(np.diff(values)))) or math.inf
    far = (before * after < 0.0) & (np.minimum(np.abs(before), np.abs(after)) > OUTLIER * usual)
    if not far.any():
        return []
    at = int(np.flatnonzero(far)[0]) + 1
    return [f"{name}: {far.sum()} outlier(s), such as {values[at]:.6g} at {time[at]:.6g} s"]
