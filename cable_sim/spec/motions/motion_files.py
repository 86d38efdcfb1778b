"""Motions of bodies from CSV files: measured, or computed by another program."""

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from cable_sim.errors import SpecError, check_kind, warn
from cable_sim.spec.motions.motions import DIRECTIONS, Motion, Offset
from cable_sim.spec.motions.tables import Line, read_lines, take_units
from cable_sim.spec.motions.units import units_like

TIME = "time"
UNITS = {
    TIME: units_like("s"),
    **dict.fromkeys(DIRECTIONS[:3], units_like("m")),
    **dict.fromkeys(DIRECTIONS[3:], units_like("rad")),
}
"""Units of every column by what makes them SI."""
LARGE_ANGLE = 1.0
"""Largest angle without a unit that is taken without a word [rad]: ships roll less, and degrees
give more."""

Columns = Mapping[str, str | tuple[str, str]]


class _Column(NamedTuple):
    """Column to read: its place in a line, what it is, its name in the file, and its unit."""

    place: int
    what: str
    name: str
    unit: str | None

    def value(self, line: Line) -> float:
        """Return the number of a line in SI; SpecError if it is none."""
        try:
            number = float(line.cells[self.place])
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            cell = line.cells[self.place].strip()
            raise SpecError(f"{line.where}: {self.name}: {cell!r} is not a finite number")
        return number * (UNITS[self.what][self.unit] if self.unit else 1.0)


def read_motion(
    path: str | Path,
    of: str,
    ramp: float = 0.0,
    columns: Columns | None = None,
    start: float | Literal["first"] | None = None,
) -> Motion:
    """Return the motion of a body by the poses of a CSV file.

    Its first line names the columns: ``time`` [s] and any of x, y, z [m], roll, pitch, yaw [rad],
    which are offsets as in :class:`~cable_sim.spec.motions.motions.Motion`. A line below it may
    tell other units, such as deg. Columns are parted by commas, semicolons or tabs. Beside the
    latter two, numbers may have decimal commas. Lines that begin with # are left out. Angles go the
    short way from line to line, such as a heading from 359 to 1 degrees. Warns of angles above 1
    rad without a unit, and of a table that does not reach over the simulation's start. Raises
    SpecError with the line for a column or unit that is unknown or missing, and for what is not a
    finite number.

    Parameters
    ----------
    of: name of the body.
    ramp: lets a motion in that does not begin at zero [s].
    columns: meaning of the columns by their names in the file, such as
        ``{"Heave": "z", "Roll": ("roll", "deg")}``. Others are left out, but for ``time``.
    start: time in the table at which the simulation starts [s]; "first" is that of its first line.
    """
    head, rest, _ = read_lines(path, f"the columns time and {', '.join(DIRECTIONS)}")
    units = take_units(rest, len(head.cells))
    taken = _columns(head, units, columns)
    table = {column.what: [column.value(line) for line in rest] for column in taken}
    for column in taken:
        _check_angles(path, column, table[column.what])
        if column.what in DIRECTIONS[3:]:
            table[column.what] = _unwrapped(table[column.what])
    times = _times(path, table.pop(TIME), start)
    none = [0.0] * len(rest)
    poses: list[Offset] = list(zip(*(table.get(d, none) for d in DIRECTIONS), strict=True))
    return Motion(of, times=tuple(times), poses=tuple(poses), ramp=ramp)


def _unwrapped(angles: list[float]) -> list[float]:
    """Return angles [rad] that turn by half a turn at most, from 0 and from one to the next."""

    def go_on(before: float, angle: float) -> float:
        return angle + math.tau * round((before - angle) / math.tau)

    return [*itertools.accumulate(angles, go_on, initial=0.0)][1:]


def _columns(head: Line, units: list[str], given: Columns | None) -> list[_Column]:
    """Return the columns to read; refuse what is unknown, there twice or missing."""
    names = head.cells
    if given is not None:
        _check_meanings(head.where, given)
    meanings = {name: name for name in names} if given is None else dict(given)
    if not any(TIME in (meaning, meaning[0]) for meaning in meanings.values()):
        meanings[TIME] = TIME
    found = []
    for name, meaning in meanings.items():
        what, unit = (meaning, None) if isinstance(meaning, str) else meaning
        if what not in UNITS:
            raise SpecError(
                f"{head.where}: column {what!r} is not known; known are {', '.join(UNITS)}; "
                "columns= tells what those of the file are"
            )
        if names.count(name) > 1:
            raise SpecError(f"{head.where}: column {name!r} is there twice")
        if name in names:
            place = names.index(name)
            if unit and units[place] not in ("", unit):
                warn(f"{head.where}: {name}: is read in {unit}; the file says {units[place]}", 3)
            found.append(_Column(place, what, name, unit or units[place] or None))
        elif given and name in given:
            raise SpecError(f"{head.where}: column {name!r} is not there; {', '.join(names)} are")
    _check(head.where, found)
    return found


def _check_meanings(where: str, given: Columns) -> None:
    """Refuse what says no meaning of a column."""
    check_kind(f"{where}: columns", given, Mapping, "meanings by name, such as {'Heave': 'z'}")
    for name, meaning in given.items():
        pair = isinstance(meaning, tuple | list) and [type(one) for one in meaning] == [str, str]
        if not (pair or isinstance(meaning, str)):
            raise SpecError(
                f"{where}: columns: {name!r}: {meaning!r} is not allowed; give a name such as 'z', "
                "or a name and a unit, such as ('roll', 'deg')"
            )


def _check(where: str, found: list[_Column]) -> None:
    """Refuse columns that have an unknown unit, mean the same, or lack time or poses."""
    meant = [column.what for column in found]
    for _, what, name, unit in found:
        if unit is not None and unit not in UNITS[what]:
            known = ", ".join(UNITS[what])
            raise SpecError(f"{where}: {name}: unit {unit!r} is not known; known are {known}")
        if meant.count(what) > 1:
            raise SpecError(f"{where}: column {what!r} is there twice")
    if TIME not in meant or len(meant) < 2:
        raise SpecError(f"{where}: needs a column time and one of {', '.join(DIRECTIONS)}")


def _check_angles(path: str | Path, column: _Column, values: list[float]) -> None:
    """Warn of a column without a unit that may be in degrees."""
    largest = max(map(abs, values), default=0.0)
    if column.what in DIRECTIONS[3:] and column.unit is None and largest > LARGE_ANGLE:
        warn(
            f"{path}: {column.name} is up to {largest:g} rad; say its unit, such as "
            f"columns={{{column.name!r}: ({column.what!r}, 'deg')}}",
            3,
        )


def _times(path: str | Path, times: list[float], start: float | str | None) -> list[float]:
    """Return the times of a table [s] after the simulation's start; warn if it is not reached."""
    if not times:
        return times
    if start is None:
        if not times[0] <= 0.0 <= times[-1]:
            warn(
                f"{path}: the table goes from {times[0]:.12g} s to {times[-1]:.12g} s, and the "
                "simulation starts at 0 s; say start='first', or the time at which it starts",
                3,
            )
        return times
    zero = times[0] if start == "first" else start
    if isinstance(zero, str | bool) or not math.isfinite(zero):
        raise SpecError(f"{path}: start: {start!r} is neither 'first' nor a finite time")
    return [time - zero for time in times]
