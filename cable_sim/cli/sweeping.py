"""The command that runs all cases of a matrix."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command, console, interrupt_event
from cable_sim.cli.options import Kinds, Only, Seed, number, words
from cable_sim.errors import CableSimError

Matrix = Annotated[
    str | None,
    typer.Argument(
        metavar="MATRIX", help="Matrix or scenario of config/scenarios, or a YAML file."
    ),
]
Repeat = Annotated[int, typer.Option(min=1, help="Runs per case, with consecutive seeds.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Processes; left out, one for each core, or none for few runs."),
]
Scheduler = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler whose workers do the runs: tcp://10.0.0.5:8786, or the file that "
        "it wrote, NAME.json.",
    ),
]
InProcess = Annotated[
    bool, typer.Option("--in-process", help="Run in this process, one run at a time, without Dask.")
]
Timeout = Annotated[float | None, number(metavar="S", min=0.1, help="Time limit of a run [s].")]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, help="Number of runs to do now.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Repeat failed runs.")]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh/--resume", help="Move old results aside and start again, or continue them."
    ),
]
SweepFolder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Folder of the sweep; left out, results/sweep/NAME."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done.")]
ReportOn = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Report on the folder of a sweep, even while it runs, and exit."
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="With --report: metrics to show; left out, the usual ones."),
]


@command
def sweep(
    matrix: Matrix = None,
    only: Only = None,
    controller: Kinds = None,
    seed: Seed = None,
    repeat: Repeat = 1,
    workers: Workers = None,
    scheduler: Scheduler = "",
    in_process: InProcess = False,
    timeout: Timeout = None,
    limit: Limit = None,
    retry_failed: RetryFailed = False,
    fresh: Fresh = False,
    out: SweepFolder = None,
    dry_run: DryRun = False,
    report: ReportOn = None,
    metric: Metrics = None,
) -> int:
    """Run all cases of a matrix of scenarios, on all cores or a cluster, and report the metrics.

    Results are in [bold]results/sweep/NAME/results.parquet[/bold], with a report beside them. Each
    run is saved when it ends: after Ctrl-C or a crash, the same command continues the sweep. A run
    that fails is recorded with its reason, and the others continue. Exit status 1 if one failed.

    Examples: [bold]cable-sim sweep tower_matrix --dry-run[/bold],
    [bold]cable-sim sweep tower_matrix --only rated --only none[/bold],
    [bold]cable-sim sweep --report results/sweep/tower_matrix --metric energy[/bold]
    """
    _check(matrix, report, metric, in_process, scheduler, workers)
    from cable_sim_studies.commands import sweep as room

    if report is not None:
        return room.report(report, words(metric), console(200))
    assert matrix is not None
    selection = room.RunSelection(words(only), words(controller), seed, repeat)
    way = room.Way(workers, scheduler, in_process, timeout, limit, retry_failed, fresh, dry_run)
    return room.sweep(matrix, out, selection, way, console(200), interrupt_event().is_set)


def _check(
    matrix: str | None,
    report: Path | None,
    metric: list[str] | None,
    in_process: bool,
    scheduler: str,
    workers: int | None,
) -> None:
    """CableSimError for words that can't be combined."""
    if (matrix is None) == (report is None):
        raise CableSimError("give a MATRIX to run, or --report with the folder of a sweep")
    if metric and report is None:
        raise CableSimError("--metric goes with --report")
    given = {"--in-process": in_process, "--scheduler": scheduler, "--workers": workers}
    ways = [word for word, value in given.items() if value]
    if len(ways) > 1:
        raise CableSimError(f"{' and '.join(ways)} can't be combined")
