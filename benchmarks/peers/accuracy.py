"""Cost at equal error and error at equal cost, of entries that ran with several steps each."""

import math

from benchmarks.peers.contest import ENGINES, OURS, Ratio, Result, quartiles
from benchmarks.timing import Clock

LEAST = 1e-6
"""An error below this counts as this: the reference is not more exact."""
SLACK = 1.01
"""An error that is larger by no more than this counts as equal."""


def family(result: Result) -> str:
    """The way without its step: what stands before the last comma."""
    return result.way.rpartition(", ")[0]


def families(results: list[Result]) -> dict[tuple[str, str], list[Result]]:
    """What was timed, by engine and family."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.rounds:
            found.setdefault((result.engine, family(result)), []).append(result)
    return found


def seconds(result: Result) -> list[float]:
    """Costs of all rounds by the clock that counts."""
    return [getattr(one, Clock.name) for one in result.rounds]


def errors_of(results: list[Result], figure: str) -> list[float]:
    """One figure of several results."""
    return [max(abs(one.figures[figure]), LEAST) for one in results]


def costs_at_equal_error(results: list[Result], figure: str, what: str) -> list[Ratio]:
    """What each engine's cheapest way costs at the error of the first entry, over that entry's
    cost.

    Between two steps costs are interpolated, both on a logarithmic scale. A way that is more
    accurate with all its steps counts with the cheapest of them; one that is never as accurate has
    no ratio.
    """
    first = results[0]
    found: dict[str, Ratio] = {}
    for (engine, way), ran in families(results).items():
        wanted = SLACK * max(abs(first.figures[figure]), LEAST)
        errors = errors_of(ran, figure)
        if engine == OURS or not first.rounds or min(errors) > wanted:
            continue
        turns = zip(*map(seconds, ran), strict=True)
        low, middle, high = quartiles(
            [
                cost_at(wanted, errors, list(costs)) / ours
                for costs, ours in zip(turns, seconds(first), strict=True)
            ]
        )
        if engine not in found or middle < found[engine].middle:
            found[engine] = Ratio(engine, way, what, low, middle, high)
    return [found[engine] for engine in ENGINES if engine in found]


def errors_at_equal_cost(results: list[Result], figure: str, what: str) -> list[Ratio]:
    """The least error of each peer, over that of the first entry's family at the same cost.

    Our error is interpolated as costs are; where the peer costs more than our finest step, that
    counts.
    """
    known = families(results)
    ours = known.get((OURS, family(results[0])), [])
    if not ours:
        return []
    spent = [quartiles(seconds(one))[1] for one in ours]
    errors = errors_of(ours, figure)
    found: dict[str, Ratio] = {}
    for (engine, way), ran in known.items():
        if engine == OURS:
            continue
        error, best = min(zip(errors_of(ran, figure), ran, strict=True), key=lambda pair: pair[0])
        budget = max(SLACK * quartiles(seconds(best))[1], min(spent))
        share = error / cost_at(budget, spent, errors)
        if engine not in found or share < found[engine].middle:
            found[engine] = Ratio(engine, way, what, share, share, share)
    return [found[engine] for engine in ENGINES if engine in found]


def cost_at(wanted: float, errors: list[float], costs: list[float]) -> float:
    """Cost at an error that is not below all ``errors``, or error at a cost: the least of those
    that are no worse, or between one of them and one that is worse, on the straight line of the
    logarithms."""
    good = [(error, cost) for error, cost in zip(errors, costs, strict=True) if error <= wanted]
    found = [cost for _, cost in good]
    for error, cost in zip(errors, costs, strict=True):
        if error > wanted:
            for better, dearer in good:
                share = math.log(wanted / better) / math.log(error / better)
                found.append(dearer ** (1.0 - share) * cost**share)
    return min(found)
