"""Statistics of a sweep: spread of a metric by axis and variant, influence of axes, worst runs.

The influence of an axis on a metric is the correlation ratio. That is the share of the variance
between the means of its variants (R. A. Fisher, Statistical Methods for Research Workers, 1925):

    eta^2 = sum_v n_v (mean_v - mean)^2 / sum_i (x_i - mean)^2,   0 ... 1.

Some values may be infinite, for example of loads that never settle. The x_i are then the ranks of
the values, with the mean rank for equal ones. In that case eta^2 = H / (n - 1) with the H of
Kruskal and Wallis (1952). Means are of finite values only; quantiles and the worst value include
infinite ones. Unknown values (NaN) do not count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim_studies.sweeps.columns import AXIS
from cable_sim_studies.sweeps.store import OUTCOME, PLAN

Array = NDArray[np.float64]
HIGH = 0.95
"""Quantile that is reported beside the mean and the worst value."""


class Spread(NamedTuple):
    """Statistics of a metric over several runs: count, mean, 95 % quantile, and worst value.

    The worst value is that of the largest amount. Without values the statistics are NaN.
    """

    number: int
    mean: float
    high: float
    worst: float


class Which(NamedTuple):
    """Identification of a run: its case and seed, and its variant of each axis."""

    case: str
    seed: int | None
    variants: Mapping[str, str]


class Extreme(NamedTuple):
    """Run with its value of a metric."""

    run: Which
    value: float


class Failure(NamedTuple):
    """Failed run, with the class of its error and the reason."""

    run: Which
    error: str
    reason: str


@dataclass(frozen=True)
class Outcomes:
    """Results of n runs, by column.

    Parameters
    ----------
    runs: identification of the runs.
    axes: (n,) variants by name of the axis.
    metrics: (n,) values by name; NaN for runs that failed.
    failures: failed runs.
    """

    runs: list[Which]
    axes: dict[str, list[str]]
    metrics: dict[str, Array]
    failures: list[Failure]

    def variants(self, axis: str) -> list[str]:
        """Return the names of an axis' variants, in the order of the cases."""
        return list(dict.fromkeys(self.axes[axis]))

    def rows(self, variants: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return a mask (n,) of the runs that have these variants."""
        chosen = np.ones(len(self.runs), dtype=bool)
        for axis, variant in variants.items():
            chosen &= np.array(self.axes[axis], dtype=object) == variant
        return chosen

    def spread_by_variant(self, metric: str) -> dict[str, dict[str, Spread]]:
        """Return the spread of a metric, by axis and variant."""
        values = self.metrics[metric]
        return {
            axis: {
                variant: spread(values[self.rows({axis: variant})])
                for variant in self.variants(axis)
            }
            for axis in self.axes
        }

    def influence(self, metric: str) -> dict[str, float]:
        """Return eta^2 of each axis for a metric, the largest first.

        It is 0 where the metric is the same everywhere.
        """
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
        """Return the spread of a metric for the variants of two axes, rows for the first."""
        values = self.metrics[metric]
        return [
            [
                spread(values[self.rows({down: one, across: other})])
                for other in self.variants(across)
            ]
            for one in self.variants(down)
        ]

    def worst_runs(self, metric: str, count: int = 5) -> list[Extreme]:
        """Return the runs with the largest amounts of a metric, the worst first."""
        values = self.metrics[metric]
        order = sorted(np.flatnonzero(~np.isnan(values)), key=lambda i: -abs(values[i]))
        return [Extreme(self.runs[i], float(values[i])) for i in order[:count]]


def ranks(values: Array) -> Array:
    """Return ranks of values (n,) from 1 on, the mean rank for equal values; NaN for NaN."""
    from scipy.stats import rankdata  # slow to import, and only reports need it

    return np.asarray(rankdata(values, nan_policy="omit"))


def spread(values: Array) -> Spread:
    """Return the spread of values; NaN among them do not count."""
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
    """Return the outcomes in a table of results."""
    columns = [name for name in table.column_names if name.startswith(AXIS)]
    axes = {name.removeprefix(AXIS): table[name].to_pylist() for name in columns}
    metrics = [
        name for name in table.column_names if name not in {*columns, *PLAN.names, *OUTCOME.names}
    ]
    cases = table["case"].to_pylist()
    seeds = table["seed"].to_pylist()
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
