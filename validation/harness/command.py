"""The command ``cable-sim papers``; ``cable-sim accept`` runs and reports its studies likewise."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cable_sim.errors import CableSimError
from validation.harness.catalogue import load_study, paper_names
from validation.harness.report import HEADER, WRITERS, summary
from validation.harness.study import Outcome, Study, disagreements, findings, run_study


def list_papers(console: Console) -> int:
    """Print the known papers with their references."""
    for name in paper_names():
        console.print(
            f"{name:24s}{load_study(name).reference}", soft_wrap=True, markup=False, highlight=False
        )
    return 0


def check_papers(names: Sequence[str], console: Console) -> int:
    """Run papers without timings, and print one line per quantity; returns 1 if one misses."""
    status = 0
    for study in _studies(names):
        outcomes = _run(study, timing=False)
        for line in lines(study.name, outcomes):
            style = "red" if line.startswith("missed") else None
            console.print(line, soft_wrap=True, markup=False, highlight=False, style=style)
        console.print(f"{study.name}: {summary(outcomes)}", markup=False, highlight=False)
        status = status or (1 if disagreements(outcomes) else 0)
    return status


def report_papers(names: Sequence[str], form: str, results: Path, console: Console) -> int:
    """Run papers and write their reports to ``results/papers/NAME``.

    Returns 1 if a quantity misses, and 0 otherwise.
    """
    return report_studies(_studies(names), form, results / "papers", console)


def report_studies(studies: Iterable[Study], form: str, results: Path, console: Console) -> int:
    """Run studies, write their reports to ``results/NAME``, and print their tables.

    Returns 1 if a quantity misses, and 0 otherwise.
    """
    if form not in WRITERS:
        raise CableSimError(f"format {form!r} is not known; known are {', '.join(WRITERS)}")
    status = 0
    for study in studies:
        outcomes = _run(study, timing=True)
        written = WRITERS[form](results / study.name, study, outcomes)
        console.print(table(study, outcomes))
        console.print(
            f"{study.name}: {summary(outcomes)}; report in {written}",
            soft_wrap=True,
            highlight=False,
        )
        status = status or (1 if disagreements(outcomes) else 0)
    return status


def lines(name: str, outcomes: list[Outcome]) -> list[str]:
    """Return one line per finding: verdict, paper, quantity, ours, theory, deviation."""
    rows = []
    for finding in findings(outcomes):
        cells = finding.cells()
        rows.append(
            (finding.verdict or "-", name, finding.name, cells.ours, cells.theory, cells.deviation)
        )
    widths = [max(len(row[i]) for row in rows) for i in range(5)] if rows else []
    padded = [
        [f"{cell:{width}s}" for cell, width in zip(row, widths, strict=False)] for row in rows
    ]
    return ["  ".join([*cells, row[5]]).rstrip() for cells, row in zip(padded, rows, strict=True)]


def table(study: Study, outcomes: list[Outcome]) -> Table:
    """Return a table of all findings for a terminal, part by part."""
    shown = Table(*HEADER, title=study.title, title_justify="left")
    for part, result in outcomes:
        if result.findings:
            shown.add_row(Text(part.title, "bold"))
        for finding in result.findings:
            verdict = Text(
                finding.verdict, {"missed": "red", "ok": "green"}.get(finding.verdict, "")
            )
            shown.add_row(*map(Text, (finding.name, *finding.cells())), verdict)
        shown.add_section()
    return shown


def _studies(names: Sequence[str]) -> list[Study]:
    """Return the named papers, or all of them.

    CableSimError, before any runs, for an unknown name or if there are no papers.
    """
    wanted = tuple(dict.fromkeys(names)) or paper_names()
    if not wanted:
        raise CableSimError(
            "the folder 'papers' is missing: it is part of the checkout and of the installed "
            "package"
        )
    return [load_study(name) for name in wanted]


def _run(study: Study, timing: bool) -> list[Outcome]:
    """Run a study behind a progress bar, on a terminal."""
    console = Console(stderr=True)
    share = TextColumn("{task.percentage:3.0f} %")
    columns = (TextColumn("{task.description}"), BarColumn(), share, TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(study.name, total=1.0)
        return run_study(study, lambda share: bar.update(task, completed=share), timing)
