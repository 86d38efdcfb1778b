"""The proof page as Markdown: where a peer is better first, then the ratios, then every comparison
with its table."""

from collections.abc import Iterable, Sequence

from benchmarks.peers.contest import ENGINES, OURS, Comparison, Outcome, Ratio, Result, costs
from benchmarks.timing import CLOCKS, Clock

HEAD = """# Proof: beside other engines

`cable-sim bench --peers` runs the same scenes side by side in cable_sim, MuJoCo, Exudyn, numpy and plain C++. It writes
this page, which is not edited by hand. Before the engines are timed, their results must agree within the given tolerance.
"""
METHOD = """## How it is measured

All take turns, A B C A B C, {rounds} times after one round to warm up. A ratio is the time or error of a peer divided by ours:
**above 1 the peer is slower or less accurate, below 1 it is better.** Ratios of times are computed for each round with the
{clock} clock. The tables show the median and, in brackets, the quartiles, for this machine and these versions. All engines run on
one thread. C++ means plain loops, compiled by the system's compiler. numpy means array code as a careful user writes it.
Neither has a simulator around it.

*Errors* are read at an engine's own time. With Euler and implicitfast of MuJoCo, velocities are half a step earlier than
positions, and a run from rest leads by half a step. So its positions are compared with those half a step later; otherwise
an error of first order would remain. cable_sim, C++ and numpy have such a scheme, too, and move the positions back to the
time of the velocities before they are read. Exudyn and the Runge-Kutta method do not lead.

The models of all engines are in [benchmarks]({benchmarks}). If you can make one of them faster or more accurate, please
do. The raw figures of all rounds are in [{raw_name}]({raw}).

    pip install -r requirements/bench.txt     # MuJoCo and Exudyn
    cable-sim bench --peers                   # about two minutes; see --help
"""


def page(
    outcomes: Sequence[Outcome], about: dict[str, str], rounds: int, links: dict[str, str]
) -> str:
    """The whole page; ``links`` are those to the ``raw`` figures, the list of ``benchmarks``, and
    the ``picture`` if there is one."""
    shown = (
        [f"![Time or error of every engine over ours]({links['picture']})\n"]
        if "picture" in links
        else []
    )
    parts = [
        HEAD,
        _machine(about),
        comparison_text(outcomes),
        *shown,
        summary(outcomes),
        *map(section, outcomes),
        METHOD.format(
            rounds=rounds, clock=Clock.name, raw_name=links["raw"].rpartition("/")[2], **links
        ),
    ]
    return "\n".join(parts)


def _machine(about: dict[str, str]) -> str:
    """What the run was made on, in a sentence."""
    return f"This run: {', '.join(f'{name} {told}' for name, told in about.items())}.\n"


def comparison_text(outcomes: Sequence[Outcome]) -> str:
    """Who is better than we are, and who is about level."""
    ahead = [line for outcome in outcomes for line in _sentences(outcome, "peer_wins")]
    level = [line for outcome in outcomes for line in _sentences(outcome, "level")]
    absent = dict.fromkeys(
        one.engine for outcome in outcomes for one in outcome.absent if one.missing
    )
    nowhere = "Nowhere in this run." + (
        f" Not installed were {', '.join(absent)}." if absent else ""
    )
    told = (
        "\n".join(["The time or error of the peer, divided by ours:\n", *ahead])
        if ahead
        else nowhere
    )
    text = f"## Where a peer is better\n\n{told}\n"
    return text + ("\nAbout level:\n\n" + "\n".join(level) + "\n" if level else "")


def _sentences(outcome: Outcome, which: str) -> list[str]:
    """Of the list: a line for each way that has such ratios."""
    told: dict[tuple[str, str], list[str]] = {}
    for ratio in outcome.ratios:
        if getattr(ratio, which):
            told.setdefault((ratio.engine, ratio.way), []).append(
                f"{ratio.what} {spread_text(ratio)}"
            )
    title = outcome.comparison.title
    return [
        f"* **{engine}**, {way}; *{title}*: {', '.join(parts)}."
        for (engine, way), parts in told.items()
    ]


def summary(outcomes: Iterable[Outcome]) -> str:
    """The table of ratios: a line for each comparison and each thing that is compared."""
    peers = [engine for engine in ENGINES if engine != OURS]
    lines = []
    for outcome in outcomes:
        ratios = outcome.ratios
        for what in dict.fromkeys(ratio.what for ratio in ratios) or ("",):
            found = {ratio.engine: ratio for ratio in ratios if ratio.what == what}
            cells = [_cell(found.get(engine), engine, outcome) for engine in peers]
            lines.append([outcome.comparison.title, what, *cells])
    return "## Ratios: a peer over cable_sim\n\n" + table(["", "what", *peers], lines)


def _cell(ratio: Ratio | None, engine: str, outcome: Outcome) -> str:
    """A ratio, or why there is none."""
    if ratio:
        return f"**{spread_text(ratio)}**" if ratio.peer_wins else spread_text(ratio)
    if any(one.engine == engine and one.missing for one in outcome.absent):
        return "not installed"
    ran = [result for result in outcome.results if result.engine == engine]
    if ran and all(result.refused for result in ran):
        return "not the same numbers"
    return "never as accurate" if ran else "-"


def section(outcome: Outcome) -> str:
    """A comparison: what is equal and what is not, and all that was measured."""
    comparison = outcome.comparison
    results = outcome.results
    figures = list(dict.fromkeys(name for result in results for name in result.figures))
    clocks = [f"{comparison.unit}, {clock}" for clock in CLOCKS]
    lines = [
        [
            result.engine,
            result.way,
            *_costs(result, comparison, results[0]),
            *(_number(result.figures.get(name)) for name in figures),
        ]
        for result in results
    ]
    lines += [[one.engine, one.why] for one in outcome.absent]
    head = ["", "how", *clocks, "time over ours", *figures]
    return f"## {comparison.title}\n\n{comparison.text}\n\n{table(head, lines)}"


def _costs(result: Result, comparison: Comparison, first: Result) -> list[str]:
    """Cost by both clocks, and over the first by the one that counts."""
    if not result.rounds:
        return [f"not timed: {result.refused}", "", ""]
    told = []
    for clock in CLOCKS:
        low, middle, high = (comparison.per_second * cost for cost in result.cost(clock))
        told.append(f"{_number(middle)} ({_number(low)} ... {_number(high)})")
    over = [_number(ratio.middle) for ratio in costs([first, result])]
    return [*told, *(over or [""])]


def _number(value: float | None) -> str:
    """Three digits; thousands as such."""
    return "" if value is None else f"{float(f'{value:.3g}'):,g}"


def spread_text(ratio: Ratio) -> str:
    """Median and quartiles, where there are any."""
    if ratio.low == ratio.high:
        return _number(ratio.middle)
    return f"{_number(ratio.middle)} ({_number(ratio.low)} ... {_number(ratio.high)})"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """In Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows)
        + "\n"
    )
