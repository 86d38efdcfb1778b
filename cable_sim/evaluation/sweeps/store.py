"""Results of a sweep in a folder of Parquet files, which lose no finished run however the sweep
ends.

    manifest.json       the matrix as it was, versions, when the sweep went on and with which wishes
    plan.parquet        a row for each case and seed, with its variants and the digest of its run
    runs/*.parquet      outcomes by digest, each file written whole under another name, put on the
                        disk, then renamed
    results.parquet     the plan with its outcomes: for people

An outcome that has been added is in a file under its name before :meth:`Store.add` returns: killed
after that, it is found again. Of a digest that stands twice, as a failed run that was tried again,
the last one counts. Many small files
are folded into one: the new one is there before the old ones go.
"""

import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from cable_sim.errors import CableSimError
from cable_sim.evaluation.sweeps.columns import AXIS, told_of
from cable_sim.evaluation.sweeps.jobs import Job
from cable_sim.evaluation.sweeps.work import Outcome

FILES = ("manifest.json", "plan.parquet", "results.parquet", "report.html")
"""What is written beside the runs; the last one by the command."""
MOST_FILES = 500
"""When files of outcomes are folded into one."""
OUTCOME = pa.schema([
    ("run", pa.string()), ("status", pa.string()), ("error", pa.string()), ("reason", pa.string()),
    ("simulated", pa.float64()), ("wall", pa.float64()), ("worker", pa.string()),
    ("finished", pa.timestamp("us", tz="UTC")),
])  # fmt: skip
"""What is told of every run beside its metrics, see
:class:`~cable_sim.evaluation.sweeps.work.Outcome`; times in s."""
PLAN = pa.schema([("run", pa.string()), ("case", pa.string()), ("seed", pa.int64())])
"""What is wanted; a column ``axis.<name>`` for each axis of the matrix beside it."""


class Store:
    """The folder of a sweep, for one process at a time that writes: ``with Store(folder) as
    store``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts = folder / "runs"
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Store":
        """Make the folder, and keep others from writing there; CableSimError if another one does,
        or if it can't be."""
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.folder / "lock", "wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CableSimError(f"{self.folder}: another sweep writes its results there") from None
        except OSError as error:
            raise CableSimError(f"{self.folder}: results can't be written there: {error}") from None
        of_mine = (temporary(self.folder / name) for name in FILES)
        for left in (*of_mine, *self._parts.glob(temporary(self._parts / "*.parquet").name)):
            left.unlink(missing_ok=True)  # of a writer that was killed
        return self

    def __exit__(self, *_: object) -> None:
        """Let others write."""
        assert self._lock is not None
        self._lock.close()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep outcomes; they are on the disk when this returns."""
        rows = [outcome._asdict() for outcome in outcomes]
        metrics = {name: None for row in rows for name in row["metrics"]}
        schema = OUTCOME
        for name in metrics:
            schema = schema.append(pa.field(name, pa.float64()))
        plain = [{**{key: row[key] for key in OUTCOME.names}, **row["metrics"]} for row in rows]
        if plain:
            self._append(pa.Table.from_pylist(plain, schema=schema))
            if len(self._files()) >= MOST_FILES:
                self.fold()

    def plan(self, jobs: Iterable[Job]) -> None:
        """Say what is wanted."""
        listed = list(jobs)
        axes = dict.fromkeys(axis for job in listed for axis in job.axes)
        columns: dict[str, list[Any]] = {
            "run": [job.run for job in listed], "case": [job.case for job in listed],
            "seed": [job.scenario.seed for job in listed],
        }  # fmt: skip
        schema = PLAN
        for axis in axes:
            schema = schema.append(pa.field(AXIS + axis, pa.string()))
            columns[AXIS + axis] = [job.axes.get(axis) for job in listed]
        self._write(self.folder / "plan.parquet", pa.table(columns, schema=schema))

    def describe(self, text: str) -> None:
        """Write the manifest."""
        written(self.folder / "manifest.json", lambda file: file.write(text.encode()))

    def finished(self) -> dict[str, str]:
        """Status of every run that has an outcome, by digest."""
        runs = self.runs()
        return dict(zip(runs["run"].to_pylist(), runs["status"].to_pylist(), strict=True))

    def runs(self) -> Any:
        """Table of all outcomes, one for each digest, also of runs that are wanted no more."""
        while True:
            try:
                parts = [_read(path) for path in self._files()]
            except FileNotFoundError:  # its writer has folded files meanwhile
                continue
            table = pa.concat_tables([OUTCOME.empty_table(), *parts], promote_options="default")
            newest = {run: i for i, run in enumerate(table["run"].to_pylist())}
            return table.take(pa.array(sorted(newest.values()), pa.int64()))

    def wanted(self) -> int:
        """How many runs are planned."""
        return int(_read(self._planned()).num_rows)

    def results(self) -> Any:
        """Table of what is wanted and has an outcome: columns of the plan, then those of the
        outcome."""
        plan, runs = _read(self._planned()), self.runs()
        place = {run: i for i, run in enumerate(runs["run"].to_pylist())}
        rows = [i for i, run in enumerate(plan["run"].to_pylist()) if run in place]
        table = plan.take(pa.array(rows, pa.int64()))
        its = runs.take(pa.array([place[run] for run in table["run"].to_pylist()], pa.int64()))
        for field in runs.schema:
            if field.name != "run":
                table = table.append_column(field, its[field.name])
        return table

    def fold(self) -> None:
        """All outcomes in one file."""
        old = self._files()
        if len(old) > 1:
            self._append(self.runs())
            for path in old:
                path.unlink()

    def publish(self) -> Path:
        """Fold the outcomes, and write ``results.parquet``, with units and words for its columns;
        returns its path."""
        self.fold()
        path, table = self.folder / "results.parquet", self.results()
        told = [field.with_metadata(told_of(field.name)) for field in table.schema]
        self._write(path, pa.Table.from_arrays(table.columns, schema=pa.schema(told)))
        return path

    def _planned(self) -> Path:
        """The file of the plan; CableSimError if there is none."""
        path = self.folder / "plan.parquet"
        if not path.is_file():
            raise CableSimError(f"{self.folder}: there is no sweep in this folder")
        return path

    def _files(self) -> list[Path]:
        """Files of outcomes, the oldest first."""
        return sorted(self._parts.glob("*.parquet"))

    def _append(self, table: Any) -> None:
        """One more file of outcomes."""
        files = self._files()
        number = int(files[-1].stem) + 1 if files else 1
        self._write(self._parts / f"{number:09d}.parquet", table)

    def _write(self, path: Path, table: Any) -> None:
        """A table as a file."""
        written(path, lambda file: pq.write_table(table, file))


def written(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file so that it is there as a whole or as it was, whenever the process or the machine
    stops."""
    with open(temporary(path), "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary(path), path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # its name, too
    finally:
        os.close(folder)


def temporary(path: Path) -> Path:
    """What a file is called until it is whole."""
    return path.with_name(f".{path.name}.tmp")


def _read(path: Path) -> Any:
    """The table of a file; CableSimError if there is none in it."""
    try:
        with pq.ParquetFile(
            path
        ) as file:  # read_table would look for columns in the names of folders
            return file.read()
    except pa.ArrowInvalid as error:
        raise CableSimError(
            f"{path}: is no Parquet file: {error}; without it its runs are done again"
        ) from None
