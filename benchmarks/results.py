"""Rows of results, as a table on the screen and as a CSV file that says where it comes from."""

import csv
import datetime
import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Clock

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("numpy", "scipy", "numba", "mujoco", "exudyn")


class Row(NamedTuple):
    """One number: the best and the middle one of several measurements, their unit, and what is to
    be known."""

    benchmark: str
    case: str
    best: float
    median: float
    unit: str
    note: str = ""


def machine() -> dict[str, str]:
    """What the numbers depend on: day, processor, cores that may be used, versions."""
    described = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu(),
        "cores": str(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        ),
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "clock": Clock.name,
        "python": platform.python_version(),
    }
    return described | {name: _version(name) for name in PACKAGES}


def show(rows: Iterable[Row], about: dict[str, str]) -> None:
    """Print the table."""
    table = Table(caption=", ".join(f"{key} {value}" for key, value in about.items()))
    for name in Row._fields:
        table.add_column(name, justify="right" if name in ("best", "median") else "left")
    for row in rows:
        table.add_row(
            row.benchmark, row.case, f"{row.best:.4g}", f"{row.median:.4g}", row.unit, row.note
        )
    Console(width=None if Console().is_terminal else 160).print(table)


def save(rows: Iterable[Row], about: dict[str, str], folder: Path = FOLDER) -> Path:
    """Write ``YYYY-MM-DD_HHMM.csv``: comment lines about the machine, a header, the rows; returns
    the file.

    FileExistsError for a second one of the same minute, so that the first is not lost.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{about['date'][:16].replace(' ', '_').replace(':', '')}.csv"
    with path.open("x", newline="", encoding="utf-8") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in about.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(
            (r.benchmark, r.case, f"{r.best:.5g}", f"{r.median:.5g}", r.unit, r.note) for r in rows
        )
    return path


def _cpu() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str:
    """Its version, or that it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
