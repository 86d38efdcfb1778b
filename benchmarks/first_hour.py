"""The first hour of somebody who does not know us, part by part, beside other engines.

Each engine gets an empty environment: `pip install` with its cache of packages, then three programs
in processes of their own: its import, a hundred steps of a pendulum, and these steps with a picture
of them. The first start of a program stands beside the median of later ones; some compile at their
first. Needs an index of packages, and for Exudyn's picture an X display (``xvfb-run``). On an idle
machine only: ``cable-sim bench first_hour``.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import Row

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(__file__).parent / "peers" / "first_hour"
OURS = "cable_sim"
PEERS = ("mujoco", "exudyn", "newton")
PARTS = {"import": [], "100 steps": ["step"], "picture": ["step", "picture"]}
"""Programs by their arguments; none imports only."""
RUNS = 3
PATIENCE = 1800.0
"""Longest time of a program [s]; what takes longer or fails has no row."""
MB = 2.0**20


class Taken(NamedTuple):
    """Time of a process and its children by the clock and on processors [s]."""

    wall: float
    processor: float


def first_hour() -> list[Row]:
    """Times by the clock in the first column, on processors in the second [s], and sizes [MB]."""
    rows = []
    with tempfile.TemporaryDirectory() as room:
        for engine, package in {OURS: str(_wheel()), **{p: p for p in PEERS}}.items():
            rows += _rows_of(engine, package, Path(room) / engine)
    return rows


def _wheel() -> Path:
    """Return the wheel of `make package`; raise FileNotFoundError without one."""
    made = sorted((ROOT / "build" / "dist").glob("*.whl"))
    if not made:
        raise FileNotFoundError("build/dist has no wheel; `make package` builds one")
    return made[-1]


def _rows_of(engine: str, package: str, folder: Path) -> list[Row]:
    """Return the rows of one engine in a new environment."""
    python = str(folder / "bin" / "python")
    install = (python, "-m", "pip", "install", "--quiet", package)
    times = {
        "environment": [_time((sys.executable, "-m", "venv", str(folder)))],
        "pip install": [_time(install)],
    }
    if times["pip install"][0] is None:
        return []
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    for part, arguments in PARTS.items():
        program = (python, str(PROGRAMS / f"{engine}_ball.py"), *arguments)
        times[part] = [_time(program) for _ in range(RUNS)]
    rows = []
    for part, runs in times.items():
        done = [run for run in runs if run is not None]
        for title, some in ((f"{part}, first", done[:1]), (part, done[1:])):
            if some:
                wall, processor = (statistics.median(column) for column in zip(*some, strict=True))
                rows.append(Row("first_hour", f"{engine}, {title}", wall, processor, "s"))
    return [*rows, Row("first_hour", f"{engine}, size", size / MB, size / MB, "MB")]


def _time(command: tuple[str, ...]) -> Taken | None:
    """Return the time of a command in an environment without this one's packages, or None."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    try:
        quiet = subprocess.DEVNULL
        subprocess.run(command, env=kept, timeout=PATIENCE, check=True, stdout=quiet, stderr=quiet)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{' '.join(command[-3:])}: {type(error).__name__}")
        return None
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return Taken(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
