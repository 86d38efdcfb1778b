"""The command ``cable-sim evaluate``."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cable_sim.control.catalogue import read_any as read_file
from cable_sim.control.catalogue import scenario_files
from cable_sim.control.matrix import Matrix
from cable_sim.control.scenario import Scenario
from cable_sim.errors import CableSimError
from cable_sim.sim.progress import terminal_progress
from cable_sim_studies.evaluation import STATUS, Outcome, Plants, evaluate, plan_runs
from cable_sim_studies.groups import Group, load_groups
from cable_sim_studies.reports.evaluation_page import summary, write_page
from cable_sim_studies.reports.evaluation_table import (
    KEY,
    group_by_case,
    key_cells,
    label,
    notes,
    rows,
)

MOST = 200
"""Largest number of runs in one evaluation. Pages get too long beyond it, and sweeps do more."""


class EvaluationOptions(NamedTuple):
    """Options of an evaluation: what to evaluate, and where to write reports.

    Parameters
    ----------
    names: names of scenarios and matrices, or files, or folders; empty for all single scenarios of
        the catalogue.
    only: variants of matrices to pick.
    controllers: kinds to compare side by side; empty for the scenario's own.
    out: folder for the reports.
    json, csv: files for all numbers; None to write none.
    seed: seed in place of the scenarios'.
    plants: factory of the plants; None to run the cranes in this process.
    """

    names: Sequence[str] = ()
    only: Sequence[str] = ()
    controllers: Sequence[str] = ()
    out: Path = Path("results/evaluate")
    json: Path | None = None
    csv: Path | None = None
    seed: int | None = None
    plants: Plants | None = None


def list_scenarios(console: Console) -> int:
    """Print the catalogue: name and title of each entry, and the axes of a matrix."""
    files = scenario_files()
    width = max(map(len, files), default=0) + 2
    for name, path in files.items():
        read = read_file(path)
        text = read.title
        if isinstance(read, Matrix):
            axes = " x ".join("{" + ", ".join(variants) + "}" for variants in read.axes.values())
            text = f"{read.title}; matrix of {len(read)}: {axes}"
        console.print(f"{name:{width}s}{text}", soft_wrap=True, markup=False, highlight=False)
    return 0


def evaluate_scenarios(options: EvaluationOptions, console: Console) -> int:
    """Run scenarios, print their metrics and write their reports; returns the exit status.

    The status is 0 if all is well, and 1 if the physics failed or a pass criterion was missed. It
    is 2 if a scenario can't be run. Finished runs are written and reported even then. CableSimError
    for invalid options, before anything runs.
    """
    groups = load_groups(options.names, options.only)
    runs = {group.name: plan_runs(group, options.controllers, options.seed) for group in groups}
    count = sum(map(len, runs.values()))
    if count > MOST:
        raise CableSimError(
            f"{count} runs are too many to look at, {MOST} is the most; pick of a matrix with "
            "--only"
        )
    import_module("matplotlib")  # which the reports need: told before the runs, not after
    outcomes: dict[str, list[Outcome]] = {}
    reports: dict[str, Path] = {}
    with _bar(count) as tell:
        for group in groups:
            outcomes[group.name] = [
                evaluate(name, made, tell(name, made), options.plants)
                for name, made in runs[group.name]
            ]
            reports[group.name] = write_page(options.out / group.name, group, outcomes[group.name])
    for group in groups:
        _tell(group, outcomes[group.name], reports[group.name], console)
    every = [(name, outcome) for name, found in outcomes.items() for outcome in found]
    if options.json:
        write_json(options.json, every)
    if options.csv:
        write_csv(options.csv, every)
    return max((STATUS[outcome.verdict] for _, outcome in every), default=0)


def table(group: Group, outcomes: Sequence[Outcome]) -> Table:
    """Return the key metrics of a group for a terminal, one line for each run."""
    several = len({outcome.controller for outcome in outcomes}) > 1
    title = f"{group.name}: {group.title}" if group.title else group.name
    shown = Table(title=Text(title), title_justify="left")
    shown.add_column("scenario", overflow="fold")
    if several:
        shown.add_column("controller")
    for name in KEY:
        shown.add_column(
            Text(label(name)), justify="right"
        )  # a unit in brackets would be taken for a style
    shown.add_column("verdict")
    for name, found in group_by_case(outcomes).items():
        for i, one in enumerate(found):
            head = [name if i == 0 else "", *([one.controller] if several else [])]
            verdict = Text(one.verdict or "-", {"ok": "green", "": ""}.get(one.verdict, "red"))
            shown.add_row(*map(Text, [*head, *key_cells(one)]), verdict)
    return shown


def side_by_side(name: str, outcomes: Sequence[Outcome]) -> Table:
    """Return all metrics of one case for a terminal, a column for each controller.

    Further columns have the ratios to the first controller.
    """
    kinds = [outcome.controller for outcome in outcomes]
    shown = Table("metric", "unit", title=Text(name), title_justify="left")
    for head in [*kinds, *(f"{kind} / {kinds[0]}" for kind in kinds[1:])]:
        shown.add_column(Text(head), justify="right")
    for row in rows(outcomes):
        shown.add_row(*map(Text, (row.name, row.unit, *row.cells, *row.ratios)))
    return shown


def write_json(path: Path, outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """Write all numbers, with the names of their groups.

    The file has null for a metric that does not apply, and "never" for an infinite one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made = [_record(group, outcome) for group, outcome in outcomes]
    path.write_text(json.dumps(made, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def write_csv(path: Path, outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """Write all numbers, one line for each run.

    A cell is empty for a metric that does not apply, and ``inf`` for an event that never came.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"group": group, "scenario": one.name, "controller": one.controller, "verdict": one.verdict}
        | (
            {
                name: "" if math.isnan(value) else repr(value)
                for name, value in one.metrics.flatten().items()
            }
            if one.metrics
            else {}
        )
        for group, one in outcomes
    ]
    heads = dict.fromkeys(head for line in lines for head in line)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(heads), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def _record(group: str, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a JSON record."""
    metrics = outcome.metrics
    pace = outcome.pace
    return {
        "group": group,
        "scenario": outcome.name,
        "controller": outcome.controller,
        "verdict": outcome.verdict,
        "problem": outcome.problem,
        "metrics": {name: _number(value) for name, value in metrics.flatten().items()}
        if metrics
        else {},
        "limiters": {name: trips._asdict() for name, trips in metrics.limiters.items()}
        if metrics
        else {},
        "expected": {one.name: {"bound": one.bound, "kept": one.kept} for one in outcome.judged},
        "by_the_clock": {name: _number(value) for name, value in pace._asdict().items()}
        if pace
        else {},
    }


def _number(value: float) -> float | str | None:
    """Return a number as a JSON value: "never" for infinity, null for NaN."""
    if math.isinf(value):
        return "never"
    return None if math.isnan(value) else value


def _tell(group: Group, outcomes: Sequence[Outcome], report: Path, console: Console) -> None:
    """Print the outcomes of a group."""
    console.print(table(group, outcomes))
    for name, found in group_by_case(outcomes).items():
        if len(found) > 1 and len(group.cases) == 1:
            console.print(side_by_side(name, found))
        for one in found:
            for note in notes(one):
                where = f"{name}, {one.controller}: {note}"
                console.print(where, style="red", markup=False, highlight=False, soft_wrap=True)
    told = f"{group.name}: {summary(outcomes)}; report in {report}"
    console.print(told, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _bar(count: int) -> Iterator[Any]:
    """Show a progress bar over so many runs.

    It yields a function that takes a scenario and returns a callback for the time of its run.
    """
    columns = (
        TextColumn("{task.completed}/{task.total}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with terminal_progress(*columns) as bar:
        task = bar.add_task("", total=count)
        begun = 0

        def tell(name: str, scenario: Scenario) -> Any:
            nonlocal begun
            bar.update(task, completed=begun)
            begun += 1
            head = f"{name}, {scenario.controller.kind}"
            return lambda time: bar.update(task, description=f"{head}: {time:.0f} s")

        yield tell
