"""Results of a sweep in a folder of Parquet files; no finished run is lost.

    manifest.json       the matrix as it was, and versions and options of every start of the sweep
    plan.parquet        a row for each case and seed, with its variants and the digest of its run
    runs/*.parquet      outcomes by digest, each file written whole under another name, put on the
                        disk, then renamed
    results.parquet     the plan with its outcomes: for people

When :meth:`Store.add` returns, the outcome is in a file under its final name. It survives a crash
after that. If a digest occurs twice, as after a failed run was repeated, the last outcome counts.
Many small files are folded into one: the new file is complete before the old ones are removed.
Every Parquet file has a checksum of all its bytes in its metadata, which is compared when it is
read. Parquet's own are those of pages; a flipped bit between them can drop whole columns.
"""

import fcntl
import itertools
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from cable_sim.atomic_files import leftovers, write_atomically, write_text
from cable_sim.errors import CableSimError
from cable_sim_studies.sweeps.columns import AXIS, column_metadata
from cable_sim_studies.sweeps.jobs import Job
from cable_sim_studies.sweeps.work import Outcome

FILES = ("manifest.json", "plan.parquet", "results.parquet", "report.html")
"""Files beside the runs; the command writes the last one."""
MOST_FILES = 500
"""Number of files of outcomes at which they are folded into one."""
SEAL = b"cable_sim.crc32:"
"""Mark of the metadata before the checksum of a file, in which these digits count as zeros."""
OPEN_SEAL = SEAL + b"0" * 8
OUTCOME = pa.schema(
    [
        ("run", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("reason", pa.string()),
        ("simulated", pa.float64()),
        ("wall", pa.float64()),
        ("worker", pa.string()),
        ("finished", pa.timestamp("us", tz="UTC")),
    ]
)
"""Columns of every run beside its metrics; times in s.

See :class:`~cable_sim_studies.sweeps.work.Outcome`.
"""
PLAN = pa.schema([("run", pa.string()), ("case", pa.string()), ("seed", pa.int64())])
"""Columns of the plan; each axis of the matrix adds a column ``axis.<name>``."""


class Store:
    """Folder of a sweep, with one writing process at a time: ``with Store(folder) as store``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts = folder / "runs"
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Store":
        """Make the folder, and lock it for writing.

        CableSimError if another process writes there, or if the folder can't be made.
        """
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.folder / "lock", "wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CableSimError(f"{self.folder}: another sweep writes its results there") from None
        except OSError as error:
            raise CableSimError(f"{self.folder}: results can't be written there: {error}") from None
        of_mine = (leftovers(self.folder, name) for name in FILES)
        for left in itertools.chain(*of_mine, leftovers(self._parts, "*.parquet")):
            left.unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Unlock the folder."""
        assert self._lock is not None
        self._lock.close()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Store outcomes; they are on the disk when this returns."""
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
        """Write the plan."""
        listed = list(jobs)
        axes = dict.fromkeys(axis for job in listed for axis in job.axes)
        columns: dict[str, list[Any]] = {
            "run": [job.run for job in listed],
            "case": [job.case for job in listed],
            "seed": [job.scenario.seed for job in listed],
        }
        schema = PLAN
        for axis in axes:
            schema = schema.append(pa.field(AXIS + axis, pa.string()))
            columns[AXIS + axis] = [job.axes.get(axis) for job in listed]
        self._write(self.folder / "plan.parquet", pa.table(columns, schema=schema))

    def describe(self, text: str) -> None:
        """Write the manifest."""
        write_text(self.folder / "manifest.json", text)

    def finished_runs(self) -> dict[str, str]:
        """Return the status of every run that has an outcome, by digest."""
        runs = self.runs()
        return dict(zip(runs["run"].to_pylist(), runs["status"].to_pylist(), strict=True))

    def runs(self) -> Any:
        """Return the table of all outcomes, one for each digest, also of runs no longer planned."""
        while True:
            try:
                parts = [_read(path) for path in self._files()]
            except FileNotFoundError:  # its writer has folded files meanwhile
                continue
            table = pa.concat_tables([OUTCOME.empty_table(), *parts], promote_options="default")
            newest = {run: i for i, run in enumerate(table["run"].to_pylist())}
            return table.take(pa.array(sorted(newest.values()), pa.int64()))

    def planned_count(self) -> int:
        """Return the number of planned runs."""
        return int(_read(self._plan_file()).num_rows)

    def results(self) -> Any:
        """Return the table of planned runs that have an outcome.

        Columns of the plan come first, then those of the outcome.
        """
        plan = _read(self._plan_file())
        runs = self.runs()
        place = {run: i for i, run in enumerate(runs["run"].to_pylist())}
        rows = [i for i, run in enumerate(plan["run"].to_pylist()) if run in place]
        table = plan.take(pa.array(rows, pa.int64()))
        its = runs.take(pa.array([place[run] for run in table["run"].to_pylist()], pa.int64()))
        for field in runs.schema:
            if field.name != "run":
                table = table.append_column(field, its[field.name])
        return table

    def fold(self) -> None:
        """Fold all outcomes into one file."""
        old = self._files()
        if len(old) > 1:
            self._append(self.runs())
            for path in old:
                path.unlink()

    def publish(self) -> Path:
        """Fold the outcomes, and write ``results.parquet``; returns its path.

        The columns have units and descriptions.
        """
        self.fold()
        path = self.folder / "results.parquet"
        table = self.results()
        told = [field.with_metadata(column_metadata(field.name)) for field in table.schema]
        self._write(path, pa.Table.from_arrays(table.columns, schema=pa.schema(told)))
        return path

    def _plan_file(self) -> Path:
        """Return the file of the plan; CableSimError if there is none."""
        path = self.folder / "plan.parquet"
        if not path.is_file():
            raise CableSimError(f"{self.folder}: there is no sweep in this folder")
        return path

    def _files(self) -> list[Path]:
        """Return the files of outcomes, the oldest first."""
        return sorted(self._parts.glob("*.parquet"))

    def _append(self, table: Any) -> None:
        """Write one more file of outcomes."""
        files = self._files()
        number = int(files[-1].stem) + 1 if files else 1
        self._write(self._parts / f"{number:09d}.parquet", table)

    def _write(self, path: Path, table: Any) -> None:
        """Write a table as a file with its checksum."""
        sealed = table.replace_schema_metadata({b"checksum": OPEN_SEAL})
        sink = pa.BufferOutputStream()
        pq.write_table(sealed, sink)
        content = sink.getvalue().to_pybytes()
        before, _, after = content.rpartition(OPEN_SEAL)
        seal = SEAL + b"%08x" % zlib.crc32(content)
        write_atomically(path, lambda file: file.write(before + seal + after))


def _read(path: Path) -> Any:
    """Return the table of a file; CableSimError if there is none in it, or if it is damaged."""
    content = path.read_bytes()
    before, found, after = content.rpartition(SEAL)
    try:
        if found:  # files of before have no checksum
            told = after[:8]
            counted = b"%08x" % zlib.crc32(before + OPEN_SEAL + after[8:])
            if told != counted:
                raise ValueError(f"its checksum is {counted.decode()}, not {told!r}")
        # read_table would look for columns in the names of folders
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        return table.replace_schema_metadata(None)
    except Exception as error:  # a damaged file makes pyarrow raise anything
        raise CableSimError(
            f"{path}: is damaged, or no Parquet file: {error}; without it its runs are done again"
        ) from None
