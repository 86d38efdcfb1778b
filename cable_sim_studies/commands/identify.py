"""The commands ``cable-sim identify`` and ``cable-sim validate``."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from cable_sim.atomic_files import write_text
from cable_sim.cranes.catalogue import load_crane
from cable_sim.errors import SpecError
from cable_sim.sim.progress import terminal_progress
from cable_sim.sim.recording.logs import Log, read_log
from cable_sim_studies.identification.fitting import MOST_STEPS, Step
from cable_sim_studies.identification.identify import HEADS, RESULTS, Identification, identify
from cable_sim_studies.identification.parameters import parse_parameter
from cable_sim_studies.identification.validation import validate

FOLDER = Path("results") / "identify"
"""Default folder, with a folder by the name of each crane."""
VALIDATIONS = Path("results") / "validate"
"""Default folder of the pages of validations."""
SUFFIXES = (".csv", ".txt", ".parquet", ".npz", ".mcap")
"""Endings of logs in a folder."""


class IdentificationOptions(NamedTuple):
    """Options of an identification; see :func:`cable_sim_studies.identification.identify`.

    ``fresh`` removes the runs of an earlier start.
    """

    parameters: Sequence[str]
    changes: Mapping[str, Any] = {}
    signals: Sequence[str] = ()
    noise: Mapping[str, float] = {}
    columns: Mapping[str, str] = {}
    skip: float = 0.0
    starts: int = 3
    fresh: bool = False


def identify_crane(
    crane: str,
    logs: Sequence[Path],
    options: IdentificationOptions,
    folder: Path | None,
    console: Console,
) -> int:
    """Identify a crane and write the results; return 1 if the recordings are not explained."""
    base = load_crane(crane, options.changes)
    parameters = [parse_parameter(text) for text in options.parameters]
    place = folder or FOLDER / base.name
    store = place / "runs"
    if options.fresh:
        shutil.rmtree(store, ignore_errors=True)
    names = [one.path for one in parameters]
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with terminal_progress(*columns) as bar:
        task = bar.add_task("first run", total=MOST_STEPS)

        def tell(step: Step) -> None:
            found = ", ".join(
                f"{name} {value:.5g}" for name, value in zip(names, step.values, strict=True)
            )
            text = f"start {step.start}, step {step.number}: mean square {step.mean_square:.4g}"
            bar.update(task, completed=step.number, description=text)
            bar.console.print(f"{text}; {found}", markup=False, highlight=False, soft_wrap=True)
            write_text(place / "progress.txt", f"{text}; {found}\n")

        found = identify(
            base,
            read_logs(logs, options.columns),
            parameters,
            signals=options.signals,
            noise=options.noise,
            skip=options.skip,
            starts=options.starts,
            store=store,
            progress=tell,
        )
    paths = found.save(place)
    _show(found, paths, console)
    return 0 if found.is_explained else 1


def validate_crane(
    crane: str,
    logs: Sequence[Path],
    columns: Mapping[str, str],
    settings: Mapping[str, Any],
    out: Path | None,
    console: Console,
) -> int:
    """Compare a crane with logs and write the report; return 1 if a tolerance is not kept."""
    found = validate(load_crane(crane), read_logs(logs, columns), **settings)
    path = found.save(out or VALIDATIONS / f"{found.crane.name}.html")
    table = Table("recording", "signal", "rms", "worst", "mean", "allowed", "")
    for one in found.errors:
        allowed = f"{one.allowed:.4g}" if one.allowed < float("inf") else "-"
        numbers = (f"{value:.4g}" for value in (one.rms, one.worst, one.mean))
        verdict = "" if allowed == "-" else "kept" if one.is_kept else "missed"
        table.add_row(found.sources[one.recording - 1], one.signal, *numbers, allowed, verdict)
    console.print(table)
    console.print(f"{path} written", markup=False, highlight=False, soft_wrap=True)
    return 0 if found.is_kept else 1


def read_logs(paths: Sequence[Path], columns: Mapping[str, str]) -> list[Log]:
    """Return the logs in files, and in folders that are no bags; SpecError for an empty folder."""
    found: list[Path] = []
    for path in paths:
        folder = path.is_dir() and not (path / "metadata.yaml").is_file()
        inside = sorted(one for one in path.iterdir() if one.suffix in SUFFIXES) if folder else []
        if folder and not inside:
            raise SpecError(f"{path}: has no logs; known are {', '.join(SUFFIXES)}")
        found += inside if folder else [path]
    return [read_log(path, columns or None) for path in found]


def _show(found: Identification, paths: Sequence[Path], console: Console) -> None:
    """Print the parameters, the conclusions and the paths of the files."""
    table = Table(*HEADS)
    for row in found.estimates:
        table.add_row(row.path, *(f"{value:.5g}" for value in row[1:]))
    console.print(table)
    for text in found.sentences:
        console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)
    told = ", ".join(str(path) for path in paths if path.name != RESULTS)
    console.print(f"{told} written", markup=False, highlight=False, soft_wrap=True)
