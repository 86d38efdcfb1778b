"""The command ``cable-sim sweep``."""

import json
import os
import platform
import shlex
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from cable_sim import __version__
from cable_sim.atomic_files import write_atomically
from cable_sim.control.catalogue import read_any, scenario_file
from cable_sim.control.controllers.custom import Custom
from cable_sim.errors import CableSimError
from cable_sim.sim.progress import terminal_progress
from cable_sim.spec.files import read_text
from cable_sim_studies.reports.evaluation_table import KEY, words
from cable_sim_studies.reports.provenance import version_of
from cable_sim_studies.reports.sweep_page import page
from cable_sim_studies.sweeps.columns import definition
from cable_sim_studies.sweeps.identity import code
from cable_sim_studies.sweeps.jobs import CONTROLLER, Job, RunSelection, jobs_of, tasks_of
from cable_sim_studies.sweeps.pools import InProcess, Pool, Stop
from cable_sim_studies.sweeps.report import Outcomes, Which, outcomes_of, spread
from cable_sim_studies.sweeps.run_sweep import conduct
from cable_sim_studies.sweeps.store import Store
from cable_sim_studies.sweeps.work import Outcome, Task

TOLD = ("settling_time", "transient_sway_deg", "residual_sway_deg", "final_error", "energy")
"""Metrics shown in a terminal by default."""
FOLDER = Path("results") / "sweep"
"""Default folder of sweeps, with a folder by the name of each matrix."""
FEW = 8
"""Runs up to which no other processes are started: each takes seconds to load what it needs."""
LIBRARIES = ("numpy", "scipy", "numba", "pyarrow", "distributed")
"""Packages whose versions affect results and files."""


class Way(NamedTuple):
    """Options of a sweep's execution.

    Parameters
    ----------
    workers: processes of this machine; None to choose by the runs.
    scheduler: address of a Dask scheduler, in place of processes of this machine; empty for none.
    in_process: whether to run without Dask.
    timeout: longest duration of a run [s].
    limit: largest number of runs, this time.
    retry_failed: whether to repeat runs that failed.
    fresh: whether to ignore the results of earlier runs.
    dry: whether to print the plan only.
    """

    workers: int | None = None
    scheduler: str = ""
    in_process: bool = False
    timeout: float | None = None
    limit: int | None = None
    retry_failed: bool = False
    fresh: bool = False
    dry: bool = False


def sweep(
    matrix: str,
    folder: Path | None,
    selection: RunSelection,
    way: Way,
    console: Console,
    stop: Stop,
) -> int:
    """Run the remaining part of a sweep and report it.

    Returns 1 if one of its runs has failed, 130 if it was stopped before its end, and 0 otherwise.
    """
    path = scenario_file(matrix)
    jobs = jobs_of(read_any(path), selection, path.stem)
    folder = folder or FOLDER / path.stem
    if way.dry:
        left = _remaining_tasks(
            jobs, Store(folder).finished_runs() if folder.is_dir() and not way.fresh else {}, way
        )
        return _tell_plan(jobs, left, folder, console)
    if way.fresh:
        _set_aside(folder, console)
    with Store(folder) as store:
        left = _remaining_tasks(jobs, store.finished_runs(), way)
        store.describe(_manifest(folder, matrix, path, selection, way))
        store.plan(jobs)
        done = not left or _conduct(left, store, way, stop)
        store.publish()
        status = report(folder, (), console)
    if done and not tasks_of(jobs, Store(folder).finished_runs()):
        return status
    what = "as far as --limit allows" if done else "stopped"
    console.print(
        f"{what}; repeat the command to continue", style="yellow", markup=False, highlight=False
    )
    return status if done else 130


def report(folder: Path, metrics: Sequence[str], console: Console) -> int:
    """Print the results of a sweep, and write ``report.html`` into its folder.

    Returns 1 if a run has failed, and 0 otherwise.
    """
    store = Store(folder)
    seen = outcomes_of(store.results())
    shown = list(metrics) or [name for name in KEY if name in seen.metrics]
    for name in shown:
        if name not in seen.metrics:
            known = ", ".join(seen.metrics) or "none, because no run is finished"
            raise CableSimError(f"metric {name!r} is not known; known are {known}")
    matrix, sessions = _sessions(folder / "manifest.json")
    again = _repeat_command(matrix, sessions[-1]["selection"])
    summary = _summary(seen, store)
    made = page(Path(matrix).stem, summary, seen, shown, again)
    write_atomically(folder / "report.html", lambda file: file.write(made.encode()))
    if seen.metrics:
        console.print(_table(seen, list(metrics) or [name for name in TOLD if name in shown]))
    for (error, reason), count in Counter(
        (run.error, run.reason) for run in seen.failures
    ).most_common(5):
        console.print(
            f"{count} x {error}: {reason}",
            style="red",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    console.print(
        f"{summary}; report in {folder / 'report.html'}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 1 if seen.failures else 0


def _remaining_tasks(jobs: list[Job], known: dict[str, str], way: Way) -> list[Task]:
    """Return the tasks that remain to be run."""
    finished = {run for run, status in known.items() if status == "done" or not way.retry_failed}
    return tasks_of(jobs, finished)[: way.limit]


def _conduct(left: list[Task], store: Store, way: Way, stop: Stop) -> bool:
    """Run the tasks behind a progress bar, on a terminal; return True if all were done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TextColumn("{task.fields[rate]:.3g} runs/s"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    count = 0
    failed = 0
    with terminal_progress(*columns, refresh_per_second=2) as bar:
        task = bar.add_task(store.folder.name, total=len(left), failed=0, rate=0.0)

        def tell(outcomes: list[Outcome]) -> None:
            nonlocal count, failed
            count += len(outcomes)
            failed += sum(outcome.status == "failed" for outcome in outcomes)
            rate = count / max(time.monotonic() - began, 1e-9)
            bar.update(task, completed=count, failed=failed, rate=rate)

        with _pool(way, left) as pool:
            return conduct(left, store, pool, tell, stop)


def _pool(way: Way, left: list[Task]) -> AbstractContextManager[Pool]:
    """Return the pool that executes the runs."""
    cores = len(os.sched_getaffinity(0))
    own = any(isinstance(task.scenario.controller, Custom) for task in left)
    if way.in_process or stays_here(way, len(left), cores, own):
        return nullcontext(InProcess(way.timeout))
    from cable_sim_studies.sweeps.cluster import local_cluster, remote_cluster

    if way.scheduler:
        return remote_cluster(way.scheduler, way.timeout)
    return local_cluster(min(way.workers or cores, len(left)), way.timeout)


def stays_here(way: Way, runs: int, cores: int, own: bool) -> bool:
    """Return True if this process is at least as fast as others, and as safe.

    It is as fast where there is one core, or where runs are done before others have started. It is
    not as safe with a controller of the user's ``own``, whose module runs may share and which may
    hang, nor with a time limit, as only a process can be ended.
    """
    asked = way.scheduler or way.workers or way.timeout is not None
    return not asked and not own and (cores == 1 or runs <= FEW)


def _set_aside(folder: Path, console: Console) -> None:
    """Rename the folder of an earlier sweep, if there is one, so that nothing in it is lost.

    CableSimError if it is this process' working directory, whose files would move with it.
    """
    if not folder.exists():
        return
    here = Path.cwd()
    if folder.resolve() in (here, *here.parents):
        raise CableSimError(
            f"--fresh: {folder} can't be set aside from within; call it from elsewhere or name "
            "another"
        )
    with Store(folder):  # nobody writes there
        aside = folder.with_name(f"{folder.name}_{datetime.now():%Y-%m-%d_%H%M%S}")
        folder.rename(aside)
    console.print(
        f"the old results are now in {aside}", markup=False, highlight=False, soft_wrap=True
    )


def _manifest(folder: Path, matrix: str, file: Path, selection: RunSelection, way: Way) -> str:
    """Return the manifest's text: the matrix as it is, and an entry for each start of the sweep.

    An entry has the time, the versions and the options.
    """
    before = folder / "manifest.json"
    sessions = _sessions(before)[1] if before.is_file() else []
    now = {
        "began": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "host": platform.node(),
        "code": code(),
        "versions": {"cable_sim": __version__, "python": platform.python_version()}
        | {name: version_of(name) for name in LIBRARIES},
        "selection": {
            name: value
            for name, value in selection._asdict().items()
            if value != RunSelection._field_defaults[name]
        },
        "way": {
            name: value
            for name, value in way._asdict().items()
            if value != Way._field_defaults[name]
        },
    }
    whole = {"matrix": matrix, "text": read_text(file), "sessions": [*sessions, now]}
    return json.dumps(whole, indent=1) + "\n"


def _sessions(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return the matrix and the starts of the sweep in a manifest; CableSimError if damaged."""
    try:
        manifest = json.loads(read_text(path))
        sessions = [{**one, "selection": dict(one["selection"])} for one in manifest["sessions"]]
        return str(manifest["matrix"]), sessions
    except (ValueError, KeyError, TypeError) as error:
        raise CableSimError(f"{path}: is damaged: {error!r}; remove it to start anew") from None


def _repeat_command(matrix: str, selection: Mapping[str, Any]) -> Callable[[Which], str]:
    """Return a function that gives the command to repeat one run of this sweep, with its plots."""

    def command(run: Which) -> str:
        given = ["cable-sim", "evaluate", matrix]
        mine = {CONTROLLER} if "controllers" in selection else set()
        only = [variant for axis, variant in run.variants.items() if axis not in mine]
        given += ["--only", ",".join(only)] if only else []
        given += ["--controller", run.variants[CONTROLLER]] if mine else []
        return shlex.join(
            [*given, "--seed", str(run.seed)] if {"seed", "repeat"} & set(selection) else given
        )

    return command


def _summary(seen: Outcomes, store: Store) -> str:
    """Return a sentence on the number of finished runs."""
    wanted = store.planned_count()
    count = len(seen.runs)
    failed = len(seen.failures)
    text = f"{count - failed} of {wanted} runs are done"
    return (
        text
        + (f", {failed} failed" if failed else "")
        + (f", {wanted - count} are left" if wanted > count else "")
    )


def _table(seen: Outcomes, metrics: Sequence[str]) -> Table:
    """Return a table of the metrics' spread, for a terminal.

    It has 95 % quantiles for each variant, and for all runs.
    """
    shown = Table("axis", "variant", title="95th percentile over the runs", title_justify="left")
    for metric in metrics:
        unit = definition(metric).unit
        shown.add_column(
            Text(f"{metric} [{unit}]" if unit else metric), justify="right"
        )  # else a style
    spreads = {metric: seen.spread_by_variant(metric) for metric in metrics}
    for axis in seen.axes:
        for i, variant in enumerate(seen.variants(axis)):
            values = [words(spreads[metric][axis][variant].high) for metric in metrics]
            shown.add_row(Text("" if i else axis), Text(variant), *values)
        shown.add_section()
    shown.add_row(
        "all", "", *(words(spread(seen.metrics[metric]).high) for metric in metrics), style="bold"
    )
    return shown


def _tell_plan(jobs: list[Job], left: list[Task], folder: Path, console: Console) -> int:
    """Print the plan without running it."""
    axes: dict[str, dict[str, None]] = {}
    for job in jobs:
        for axis, variant in job.axes.items():
            axes.setdefault(axis, {})[variant] = None
    width = max(map(len, axes), default=0) + 2
    for axis, variants in axes.items():
        console.print(f"{axis:{width}s}{', '.join(variants)}", markup=False, highlight=False)
    seeds = len({(job.case, job.scenario.seed) for job in jobs}) // len({job.case for job in jobs})
    each = f" with {seeds} seeds each" if seeds > 1 else ""
    runs = f"{len(jobs)} runs{each}, {len(left)} of them to be done"
    console.print(f"{runs}; results in {folder}", markup=False, highlight=False, soft_wrap=True)
    return 0
