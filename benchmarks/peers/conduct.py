"""Runs the comparisons, writes the page, its picture and the raw figures, and says what is
missing."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from benchmarks import compiled, results
from benchmarks.peers import engines
from benchmarks.peers.catalogue import COMPARISONS
from benchmarks.peers.contest import Comparison, Outcome, hold
from benchmarks.peers.page import comparison_text, page, summary
from benchmarks.peers.picture import draw
from benchmarks.timing import CLOCKS, ROUNDS

FOLDER = Path(results.__file__).parent


def default_page(names: Sequence[str] = ()) -> Path:
    """``docs/proof.md`` of the source tree for all comparisons; for some of them, or without that
    tree, ``results/proof.md`` where the command runs."""
    docs = FOLDER.parent / "docs"
    return docs / "proof.md" if docs.is_dir() and not names else Path("results") / "proof.md"


def conduct(
    names: Sequence[str], out: Path | None, rounds: int = ROUNDS, console: Console | None = None
) -> int:
    """All comparisons, or those named; 0 if everybody was there and gave the numbers that were
    asked of him."""
    console = console or Console()
    out = out or default_page(names)
    chosen = [COMPARISONS[name] for name in names or COMPARISONS]
    about = results.machine() | {
        "compiler": compiled.compiler_version(),
        "flags": " ".join(compiled.FAST),
    }
    outcomes = run(chosen, rounds, console)
    raw = write(outcomes, about, rounds, out)
    console.print(
        f"{comparison_text(outcomes)}\n{summary(outcomes)}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"written to {out} and {raw}", markup=False, soft_wrap=True)
    return tell(outcomes, console)


def run(chosen: Sequence[Comparison], rounds: int, console: Console) -> list[Outcome]:
    """One after the other, with a bar."""
    outcomes = []
    with Progress(console=console) as progress:
        task = progress.add_task("", total=len(chosen) * (rounds + 2))
        for comparison in chosen:
            progress.update(task, description=comparison.title)
            outcomes.append(hold(comparison, rounds, lambda: progress.advance(task)))
    return outcomes


def write(outcomes: Sequence[Outcome], about: dict[str, str], rounds: int, out: Path) -> Path:
    """Page, picture and raw figures; returns the file of the latter, in ``benchmarks/results`` for
    docs/proof.md."""
    stamp = about["date"][:16].replace(" ", "_").replace(":", "")
    folder = (
        results.FOLDER
        if out.resolve() == default_page().resolve() and out.parent.is_dir()
        else out.parent
    )
    raw = folder / f"{stamp}_peers.json"
    picture = out.parent / "images" / "proof.svg"
    for path in (raw, out):
        path.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(json.dumps(figures(outcomes, about)) + "\n", encoding="utf-8")
    files = {"raw": raw, "benchmarks": Path(engines.__file__).with_name("catalogue.py")}
    if draw(outcomes, picture):
        files["picture"] = picture
    links = {
        name: Path(os.path.relpath(path, out.parent)).as_posix() for name, path in files.items()
    }
    out.write_text(page(outcomes, about, rounds, links), encoding="utf-8")
    return raw


def figures(outcomes: Sequence[Outcome], about: dict[str, str]) -> dict[str, Any]:
    """All that was measured; seconds of every round by both clocks."""
    return {
        "machine": about,
        "comparisons": {
            outcome.comparison.name: {
                "unit": outcome.comparison.unit,
                "results": [_result(result) for result in outcome.results],
                "absent": [one._asdict() for one in outcome.absent],
                "ratios": [ratio._asdict() for ratio in outcome.ratios],
            }
            for outcome in outcomes
        },
    }


def _result(result: Any) -> dict[str, Any]:
    """Of one entry."""
    told = {name: value for name, value in result._asdict().items() if name != "rounds"}
    for clock in CLOCKS:
        told[clock] = [float(f"{getattr(one, clock):.4g}") for one in result.rounds]
    return told


def tell(outcomes: Sequence[Outcome], console: Console) -> int:
    """Say who was missing and who gave other numbers; the exit status."""
    wanted = {one.engine for outcome in outcomes for one in outcome.absent if one.missing}
    for name in sorted(wanted):
        console.print(
            f"{name} is not installed: {engines.INSTALL[name]}",
            style="red",
            markup=False,
            soft_wrap=True,
        )
    for outcome in outcomes:
        for result in outcome.results:
            if result.refused:
                said = f"{outcome.comparison.name}: {result.engine}, {result.way}: {result.refused}"
                console.print(said, style="red", markup=False, soft_wrap=True)
    return 0 if all(outcome.complete for outcome in outcomes) else 1
