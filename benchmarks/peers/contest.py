"""A comparison: who takes part, and what came of it when all ran by turns.

Everybody runs once before the clocks do, and has to give the numbers that are asked of him
(``Entry.limits``); who does not is in the table with what he gave, and is not timed. A ratio is a
peer's cost over that of the first entry, which
is ours, or its error over our least: above 1 the peer is the slower or the less accurate one. Costs
are compared round by round, as both see the same good and bad times then; told are median and
quartiles of the ratios of all rounds.
"""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.timing import Case, Clock, Round, run_by_turns

OURS = "cable_sim"
ENGINES = (OURS, "MuJoCo", "Exudyn", "C++", "numpy")
"""In the order of tables and bars."""


class Entry(NamedTuple):
    """One way to do it: in an engine, timed by a case, judged after that has run once.

    ``judge`` gives figures by name, with their unit in the name; those in ``limits`` must not be
    above that. ``scale`` makes from the seconds of the case's piece of work the cost of the
    comparison's, where these differ.
    """

    engine: str
    way: str
    case: Case
    judge: Callable[[], dict[str, float]] = dict
    limits: Mapping[str, float] = {}
    scale: float = 1.0


class Absent(NamedTuple):
    """An engine that takes no part, and why; ``missing`` if it could be installed."""

    engine: str
    why: str
    missing: bool = False


class Result(NamedTuple):
    """What came of an entry: its figures, costs of all rounds [s], and why it was not timed if it
    was not."""

    engine: str
    way: str
    figures: dict[str, float]
    rounds: list[Round]
    refused: str = ""

    def cost(self, clock: str) -> tuple[float, float, float]:
        """Lower quartile, median and upper quartile [s], by one of CLOCKS."""
        return quartiles([getattr(one, clock) for one in self.rounds])


class Ratio(NamedTuple):
    """A peer over ours, in ``what``: lower quartile, median, upper quartile; above 1 the peer is
    worse."""

    engine: str
    way: str
    what: str
    low: float
    middle: float
    high: float

    @property
    def peer_wins(self) -> bool:
        """Whether the peer is better by more than a hundredth, in three of four rounds at least."""
        return self.high < 0.99

    @property
    def level(self) -> bool:
        """Whether two times are about the same."""
        return self.low < self.high and self.low <= 1.01 and not self.peer_wins


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    ``unit`` and ``per_second`` are those of the cost in tables; ``text`` says what is equal and
    what is not, in Markdown; ``enter`` makes the entries, ours first; ``count`` makes the ratios
    that stand in the summary.
    """

    name: str
    title: str
    unit: str
    per_second: float
    text: str
    enter: Callable[[], list[Entry | Absent]]
    count: "Callable[[list[Result]], list[Ratio]]"


@dataclass
class Outcome:
    """A comparison that has run."""

    comparison: Comparison
    results: list[Result]
    absent: list[Absent] = field(default_factory=list)

    @property
    def ratios(self) -> list[Ratio]:
        """Those of the summary."""
        return self.comparison.count(self.results)

    @property
    def complete(self) -> bool:
        """Whether all engines were there, and gave the numbers that were asked of them."""
        return not any(one.missing for one in self.absent) and not any(
            result.refused for result in self.results
        )


def hold(comparison: Comparison, rounds: int, told: Callable[[], object] = lambda: None) -> Outcome:
    """Have all entries of a comparison run; ``told`` is called ``rounds`` + 2 times on the way."""
    entries = comparison.enter()
    there = [entry for entry in entries if isinstance(entry, Entry)]
    judged = [_run_entry(entry) for entry in there]
    told()
    fit = {i: entry.case for i, entry in enumerate(there) if not judged[i].refused}
    spent = run_by_turns(fit, rounds, told)
    results = [
        result._replace(
            rounds=[Round(*(entry.scale * seconds for seconds in one)) for one in spent.get(i, [])]
        )
        for i, (entry, result) in enumerate(zip(there, judged, strict=True))
    ]
    return Outcome(comparison, results, [entry for entry in entries if isinstance(entry, Absent)])


def _run_entry(entry: Entry) -> Result:
    """An entry after it has run once."""
    try:
        entry.case.before()
        entry.case.work()
        figures = entry.judge()
    except FloatingPointError as error:
        return Result(entry.engine, entry.way, {}, [], str(error))
    over = [
        f"{name}: {figures[name]:.3g}, above {most:g}"
        for name, most in entry.limits.items()
        if not figures[name] <= most
    ]
    return Result(entry.engine, entry.way, figures, [], "; ".join(over))


def quartiles(values: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile; the value three times if there is one only."""
    if len(values) < 2:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def costs(results: list[Result], what: str = "time") -> list[Ratio]:
    """Cost of every other entry over that of the first, round by round."""
    first, *others = results
    found = []
    for result in others:
        pairs = (
            zip(result.rounds, first.rounds, strict=True) if result.rounds and first.rounds else ()
        )
        if shares := [getattr(one, Clock.name) / getattr(ours, Clock.name) for one, ours in pairs]:
            found.append(Ratio(result.engine, result.way, what, *quartiles(shares)))
    return found


def errors(results: list[Result], figure: str, least: float, what: str) -> list[Ratio]:
    """A figure of every entry of a peer over the best of ours, by its size; what is below ``least``
    counts as that."""
    sizes = [
        (one, max(abs(one.figures[figure]), least)) for one in results if figure in one.figures
    ]
    ours = min((size for one, size in sizes if one.engine == OURS), default=0.0)
    return [
        Ratio(one.engine, one.way, what, *(size / ours,) * 3)
        for one, size in sizes
        if one.engine != OURS and ours
    ]


def best_ratios(ratios: list[Ratio]) -> list[Ratio]:
    """The best way of every engine but ours, in the order of ENGINES."""
    chosen = {}
    for ratio in sorted(ratios, key=lambda ratio: ratio.middle, reverse=True):
        chosen[ratio.engine] = ratio
    return [chosen[engine] for engine in ENGINES if engine in chosen and engine != OURS]
