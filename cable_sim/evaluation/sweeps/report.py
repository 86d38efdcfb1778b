"""What a sweep says: how a metric spreads over the variants of each axis, which axes matter, what
was worst.

How much an axis matters for a metric is the correlation ratio, the share of the variance that lies
between the means of its variants (R. A. Fisher, Statistical Methods for Research Workers, 1925):

    eta^2 = sum_v n_v (mean_v - mean)^2 / sum_i (x_i - mean)^2,   0 ... 1.

Where some values are infinite, of loads that never settle, say, the x_i are the ranks of the
values, the mean one of
those that are alike: then eta^2 = H / (n - 1) with the H of Kruskal and Wallis (1952). Means are of
finite values only; an infinite one is among the quantiles and the worst. What is not known (NaN)
does not count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.evaluation.sweeps.columns import AXIS
from cable_sim.evaluation.sweeps.store import OUTCOME, PLAN

Array = NDArray[np.float64]
HIGH = 0.95
"""Quantile that is told beside mean and worst."""


class Spread(NamedTuple):
    """A metric over some runs: how many have it, mean, 95 % quantile, and the value of largest
    amount; NaN if none."""

    number: int
    mean: float
    high: float
    worst: float


class Which(NamedTuple):
    """Which run: its case and seed, and its variant of each axis."""

    case: str
    seed: int | None
    variants: Mapping[str, str]


class Extreme(NamedTuple):
    """A run and its value of a metric."""

    run: Which
    value: float


class Failure(NamedTuple):
    """A run that failed, the class of its error, and why."""

    run: Which
    error: str
    reason: str


@dataclass(frozen=True)
class Outcomes:
    """Columns of n runs.

    Parameters
    ----------
    runs: which.
    axes: (n,) variants by name of the axis.
    metrics: (n,) values by name; NaN of runs that failed.
    failures: of those that did.
    """

    runs: list[Which]
    axes: dict[str, list[str]]
    metrics: dict[str, Array]
    failures: list[Failure]

    def variants(self, axis: str) -> list[str]:
        """Names of the variants of an axis, in the order of the cases."""
        return list(dict.fromkeys(self.axes[axis]))

    def rows(self, variants: Mapping[str, str]) -> NDArray[np.bool_]:
        """Which runs have these variants of axes; (n,)."""
        chosen = np.ones(len(self.runs), dtype=bool)
        for axis, variant in variants.items():
            chosen &= np.array(self.axes[axis], dtype=object) == variant
        return chosen

    def by_variant(self, metric: str) -> dict[str, dict[str, Spread]]:
        """How a metric spreads, by axis and variant."""
        values = self.metrics[metric]
        return {
            axis: {
                variant: spread(values[self.rows({axis: variant})])
                for variant in self.variants(axis)
            }
            for axis in self.axes
        }

    def influence(self, metric: str) -> dict[str, float]:
        """eta^2 of each axis for a metric, the largest first; 0 where the metric is the same
        everywhere."""
        values = self.metrics[metric]
        known = ~np.isnan(values)
        if np.isinf(values).any():
            values = ranks(values)
        mean = float(values[known].mean()) if known.any() else 0.0
        whole = float(((values[known] - mean) ** 2).sum())
        found = {}
        for axis in self.axes:
            groups = (values[known & self.rows({axis: variant})] for variant in self.variants(axis))
            between = sum(
                len(group) * (float(group.mean()) - mean) ** 2 for group in groups if len(group)
            )
            found[axis] = between / whole if whole > 0.0 else 0.0
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def grid(self, metric: str, down: str, across: str) -> list[list[Spread]]:
        """How a metric spreads for the variants of two axes, rows for the first."""
        values = self.metrics[metric]
        return [
            [
                spread(values[self.rows({down: one, across: other})])
                for other in self.variants(across)
            ]
            for one in self.variants(down)
        ]

    def worst(self, metric: str, count: int = 5) -> list[Extreme]:
        """The runs with the largest amounts of a metric, the worst first."""
        values = self.metrics[metric]
        order = sorted(np.flatnonzero(~np.isnan(values)), key=lambda i: -abs(values[i]))
        return [Extreme(self.runs[i], float(values[i])) for i in order[:count]]


def ranks(values: Array) -> Array:
    """Ranks of values (n,) from 1 on, the mean one of those that are alike; NaN of NaN."""
    found, known = np.full(values.size, np.nan), ~np.isnan(values)
    _, place, count = np.unique(values[known], return_inverse=True, return_counts=True)
    found[known] = (np.cumsum(count) - 0.5 * (count - 1))[place]
    return found


def spread(values: Array) -> Spread:
    """How values spread; NaN among them do not count."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Spread(0, np.nan, np.nan, np.nan)
    finite = known[np.isfinite(known)]
    mean = float(finite.mean()) if len(finite) else np.nan
    high = float(
        np.sort(known)[math.ceil(HIGH * len(known)) - 1]
    )  # one of them: between two, one may be infinite
    return Spread(len(known), mean, high, float(known[np.argmax(np.abs(known))]))


def outcomes_of(table: Any) -> Outcomes:
    """The columns of a table of results."""
    columns = [name for name in table.column_names if name.startswith(AXIS)]
    axes = {name.removeprefix(AXIS): table[name].to_pylist() for name in columns}
    metrics = [
        name for name in table.column_names if name not in {*columns, *PLAN.names, *OUTCOME.names}
    ]
    cases, seeds = table["case"].to_pylist(), table["seed"].to_pylist()
    runs = [
        Which(cases[i], seeds[i], {axis: its[i] for axis, its in axes.items()})
        for i in range(len(cases))
    ]
    ends = zip(
        table["status"].to_pylist(),
        table["error"].to_pylist(),
        table["reason"].to_pylist(),
        strict=True,
    )
    failures = [
        Failure(run, *why)
        for run, (status, *why) in zip(runs, ends, strict=True)
        if status == "failed"
    ]
    return Outcomes(
        runs,
        axes,
        {name: np.array(table[name].to_numpy(), dtype=float) for name in metrics},
        failures,
    )
