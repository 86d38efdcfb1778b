"""Many random scenes on all cores, with a progress bar, a table of what came of them, and what
failed as files."""

import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.fuzz.checks import Outcome
from benchmarks.fuzz.oracles import ORACLES, examine_all, examine_for
from benchmarks.fuzz.resting import examine_rest, resting
from benchmarks.fuzz.scenes import Case, random_case
from benchmarks.fuzz.shrinking import shrink
from cable_sim.errors import CableSimError
from cable_sim.sim.simulator import explain
from cable_sim.spec.files import to_yaml


class Result(NamedTuple):
    """A seed with what came of its scene."""

    seed: int
    outcome: Outcome


REST = "rest"
"""Oracle with scenes of its own, one for each seed."""
NAMES = (*ORACLES, REST)
DRIVES = "drives"
"""Campaign with shipped cranes in place of scenes, which is run alone."""


def campaign(
    scenes: int, seed: int, steps: int, workers: int, folder: Path, oracles: Sequence[str] = NAMES
) -> int:
    """Run the scenes of ``seed``, ``seed + 1``, ...; return 1 if one failed, else 0.

    What failed is shrunk and written to ``folder`` as SEED.yaml, which ``cable-sim run`` takes.
    With DRIVES alone, cranes are driven in place of scenes (``drives.py``), in one process. Raises
    CableSimError for an oracle that is not known.
    """
    if [*oracles] == [DRIVES]:
        from benchmarks.fuzz import drives  # needs coal, which comes with the tests alone

        return drives.run(scenes, seed, folder)
    for name in oracles:
        if name not in NAMES:
            known = f"known are {', '.join(NAMES)}, and {DRIVES} alone"
            raise CableSimError(f"oracle {name!r} is not known; {known}")
    console = Console()
    counts: Counter[str] = Counter()
    failed: list[Result] = []
    told = Counter[str]()
    seeds = range(seed, seed + scenes)
    results = _results(seeds, steps, workers, tuple(oracles))
    for result in track(results, "random scenes", scenes, console=console):
        counts[result.outcome.ending] += 1
        told.update(f"{name}, told by the status" for name in _symptoms(result, told=True))
        told.update(result.outcome.notes)
        if result.outcome.failed:
            failed.append(result)
            console.print(f"seed {result.seed}: {_sentence(result.outcome)}", markup=False)
    console.print(_table(counts, told, failed, seeds))
    for result in track(failed, "shrinking", disable=not failed, console=console):
        path = write(folder, result, steps)
        console.print(f"seed {result.seed}: {path}", markup=False)
    return int(bool(failed))


def examine_seed(seed: int, steps: int, oracles: tuple[str, ...] = ()) -> Result:
    """Examine the scene of one seed, also by oracles, and its scene at rest."""
    plain = tuple(name for name in oracles if name != REST)
    outcome = examine_all(random_case(seed, steps), steps, plain)
    if REST in oracles:
        rest = examine_rest(resting(seed), steps)
        detail = "; ".join(text for text in (outcome.detail, rest.detail) if text)
        outcome = outcome._replace(symptoms=outcome.symptoms | rest.symptoms, detail=detail)
    return Result(seed, outcome)


def write(folder: Path, result: Result, steps: int) -> Path:
    """Write the scene of a failure, shrunk if it is not one at rest, with its step, stepper and
    symptoms at its head."""
    symptom = min(_symptoms(result, told=False))
    if symptom == REST:
        rest = resting(result.seed)
        case, again = rest.case, examine_rest(rest, steps)
    else:
        case = shrink(random_case(result.seed, steps), steps, symptom)
        again = examine_for(case, steps, symptom)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.seed}.yaml"
    path.write_text(_head(case, again, steps) + to_yaml(case.scene), encoding="utf-8")
    return path


def _symptoms(result: Result, told: bool) -> list[str]:
    """Names of the symptoms that a status told of, or of the others."""
    return [name for name, was_told in result.outcome.symptoms if was_told == told]


def _head(case: Case, outcome: Outcome, steps: int) -> str:
    lines = [
        f"{steps} steps of {case.dt!r} s, {case.stepper}, interventions {list(case.acts)}",
        f"{_sentence(outcome)}",
    ]
    return "".join(f"# {line}\n" for line in lines)


def _sentence(outcome: Outcome) -> str:
    names = ", ".join(sorted(name for name, told in outcome.symptoms if not told))
    status = f"status {outcome.status} {explain(outcome.status)}".rstrip()
    return " ".join(f"{names}: {outcome.detail}; {status}".split())


def _results(
    seeds: Iterable[int], steps: int, workers: int, oracles: tuple[str, ...]
) -> Iterator[Result]:
    """Results in the order of the seeds, from so many processes."""
    work = partial(examine_seed, steps=steps, oracles=oracles)
    if workers == 1:
        yield from map(work, seeds)
        return
    root = str(Path(__file__).parents[2])
    if root not in sys.path:
        sys.path.append(root)  # the processes get it, and find this folder by it
    context = multiprocessing.get_context("spawn")  # threads of compiled code do not survive a fork
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(work, seeds, chunksize=8)


def _table(counts: Counter[str], told: Counter[str], failed: list[Result], seeds: range) -> Table:
    table = Table(caption=f"seeds {seeds[0]} ... {seeds[-1]}")
    table.add_column("what came of it")
    table.add_column("scenes", justify="right")
    for name, count in counts.most_common():
        table.add_row(name, str(count))
    for name, count in told.most_common():
        table.add_row(name, str(count))
    silent = Counter(name for result in failed for name in _symptoms(result, told=False))
    for name, count in silent.most_common():
        table.add_row(f"{name}, silent", str(count), style="red")
    return table


def cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
