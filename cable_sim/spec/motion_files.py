"""Motions of bodies from CSV files: measured, or computed by another program."""

import csv
import math
from pathlib import Path

from cable_sim.errors import SpecError
from cable_sim.spec.motions import DIRECTIONS, Motion, Offset

TIME = "time"


def read_motion(path: str | Path, of: str, ramp: float = 0.0) -> Motion:
    """Return the motion of a body by the poses of a CSV file.

    Its first line names the columns: ``time`` [s] and any of x, y, z [m], roll, pitch, yaw [rad],
    which are offsets as in :class:`~cable_sim.spec.motions.Motion`; lines that begin with # are
    left out. ``ramp`` [s] lets a motion in that does not begin at zero. Raises SpecError with the
    line for a column that is unknown or missing, and for what is not a finite number.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [
        (number, cells)
        for number, line in enumerate(lines, start=1)
        for cells in csv.reader([line])
        if cells and not line.startswith("#")
    ]
    if not rows:
        raise SpecError(f"{path}: is empty; it needs the columns time and {', '.join(DIRECTIONS)}")
    (first, head), *rest = rows
    columns = [name.strip() for name in head]
    _check_columns(f"{path}:{first}", columns)
    times: list[float] = []
    poses: list[Offset] = []
    for number, cells in rest:
        values = _numbers(f"{path}:{number}", columns, cells)
        times.append(values[TIME])
        x, y, z, roll, pitch, yaw = (values.get(name, 0.0) for name in DIRECTIONS)
        poses.append((x, y, z, roll, pitch, yaw))
    return Motion(of, times=tuple(times), poses=tuple(poses), ramp=ramp)


def _check_columns(where: str, columns: list[str]) -> None:
    """Refuse columns that are unknown, there twice or missing."""
    for name in columns:
        if name not in (TIME, *DIRECTIONS):
            known = ", ".join((TIME, *DIRECTIONS))
            raise SpecError(f"{where}: column {name!r} is not known; known are {known}")
        if columns.count(name) > 1:
            raise SpecError(f"{where}: column {name!r} is there twice")
    if TIME not in columns or len(columns) < 2:
        raise SpecError(f"{where}: needs a column time and one of {', '.join(DIRECTIONS)}")


def _numbers(where: str, columns: list[str], cells: list[str]) -> dict[str, float]:
    """Return the numbers of a line by their columns."""
    if len(cells) != len(columns):
        raise SpecError(f"{where}: has {len(cells)} values for {len(columns)} columns")
    found = {}
    for name, cell in zip(columns, cells, strict=True):
        try:
            found[name] = float(cell)
        except ValueError:
            found[name] = math.nan
        if not math.isfinite(found[name]):
            raise SpecError(f"{where}: {name}: {cell.strip()!r} is not a finite number")
    return found
