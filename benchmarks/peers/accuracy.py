"""Cost at equal error, of entries that ran with several steps each."""

import math

import numpy as np

from benchmarks.peers.contest import ENGINES, OURS, Ratio, Result, quartiles
from benchmarks.timing import Clock

LEAST = 1e-9
"""An error below this counts as this."""


def family(result: Result) -> str:
    """The way without its step: what stands behind the last comma."""
    return result.way.rpartition(", ")[0]


def at_equal_error(results: list[Result], figures: dict[str, str]) -> list[Ratio]:
    """What each engine's cheapest way costs at the error of the first entry, over that entry's cost, by each figure.

    Between two steps costs are interpolated, both on a logarithmic scale. A way that is more accurate with all its
    steps counts with the cheapest of them; one that is never as accurate has no ratio.
    """
    first, found = results[0], []
    for figure, what in figures.items():
        cheapest: dict[str, Ratio] = {}
        for ratio in _ratios(results, first, figure, what):
            if ratio.engine not in cheapest or ratio.middle < cheapest[ratio.engine].middle:
                cheapest[ratio.engine] = ratio
        found += [cheapest[engine] for engine in ENGINES if engine in cheapest]
    return found


def _ratios(results: list[Result], first: Result, figure: str, what: str) -> list[Ratio]:
    """Of all ways but that of the first entry."""
    found = []
    wanted = max(first.figures[figure], LEAST) if first.rounds else math.nan
    for engine, way in dict.fromkeys((result.engine, family(result)) for result in results):
        ran = [one for one in results if (one.engine, family(one)) == (engine, way) and one.rounds]
        if (engine, way) == (OURS, family(first)) or not ran:
            continue
        errors = [max(one.figures[figure], LEAST) for one in ran]
        if min(errors) > wanted:
            continue
        spent = np.array([[getattr(turn, Clock.name) for turn in one.rounds] for one in ran])
        ours = [getattr(turn, Clock.name) for turn in first.rounds]
        shares = [cost_at(wanted, errors, list(costs)) / mine for costs, mine in zip(spent.T, ours, strict=True)]
        found.append(Ratio(engine, way, what, *quartiles(shares)))
    return found


def cost_at(wanted: float, errors: list[float], costs: list[float]) -> float:
    """Cost at an error, which is not below all ``errors``; the least cost of those that are more accurate, or between
    one of them and one that is less accurate the straight line of the logarithms."""
    good = [(error, cost) for error, cost in zip(errors, costs, strict=True) if error <= wanted]
    found = [cost for _, cost in good]
    for error, cost in zip(errors, costs, strict=True):
        if error > wanted:
            for better, dearer in good:
                share = math.log(wanted / better) / math.log(error / better)
                found.append(dearer ** (1.0 - share) * cost**share)
    return min(found)
