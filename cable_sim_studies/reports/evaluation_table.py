"""Tables of an evaluation's numbers as rows of text, for terminals, pages and files."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cable_sim.control.metrics import AxisMetrics, definitions
from cable_sim.control.timing import Pace
from cable_sim.machine.rigging.overloads import OVERLOAD
from cable_sim_studies.evaluation import Outcome

KEY = (
    "arrival_time",
    "settling_time",
    "transient_sway_deg",
    "residual_sway_deg",
    "residual_sway_m",
    "overshoot",
    "final_error",
    "hoist_factor",
    "energy",
    "limiter_trips",
)
"""Metrics of a table of several scenarios; there is no room for more."""
WATCHED = 2.0
"""Least number of periods for which residual sway must be observed [-]."""
JOULES = ("energy",)
"""Metrics shown in kJ."""


class Row(NamedTuple):
    """One metric of a scenario under several controllers.

    ``cells`` has a value for each, ``ratios`` the ratios of all but the first to the first.

    ``bound`` is the upper bound of the pass criterion, ``kept`` tells which cells are within it.
    Without a criterion ``bound`` is empty and ``kept`` all True.
    """

    name: str
    unit: str
    cells: tuple[str, ...]
    ratios: tuple[str, ...]
    bound: str = ""
    kept: tuple[bool, ...] = ()


def words(value: float) -> str:
    """Return a value as text: ``never`` for an infinite one, ``-`` for NaN."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "never" if value > 0.0 else "-never"
    return f"{value:.4g}" if abs(value) >= 1e-9 else "0"


def ratio(value: float, first: float) -> str:
    """Return a value over that of the first controller; ``-`` where the ratio has no meaning."""
    if not (math.isfinite(value) and math.isfinite(first)) or abs(first) < 1e-9:
        return "-"
    return f"{value / first:.3g}"


def rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return all metrics of one scenario under several controllers, in their order."""
    found = [outcome.metrics.figures() if outcome.metrics else {} for outcome in outcomes]
    bounds = {one.name: one.bound for outcome in outcomes for one in outcome.judged}
    return [
        _row(name, made.unit, [figures.get(name, math.nan) for figures in found], bounds.get(name))
        for name, made in definitions().items()
    ]


def axis_rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return rows for the metrics of the axes that move."""
    axes = dict.fromkeys(
        travel.axis for outcome in outcomes if outcome.run for travel in outcome.run.travels
    )
    made = []
    for axis in axes:
        for name, definition in definitions(AxisMetrics).items():
            values = [
                getattr(o.metrics.axes[axis], name) if o.metrics else math.nan for o in outcomes
            ]
            made.append(_row(f"{axis}: {name}", definition.unit, values))
    return made


def pace_rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return rows for the timing by the wall clock."""
    return [
        _row(name, made.unit, [getattr(o.pace, name) if o.pace else math.nan for o in outcomes])
        for name, made in definitions(Pace).items()
    ]


def limiter_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Return the name, count and duration of every limiter that acted, for each controller."""
    acted = [outcome.metrics.limiters if outcome.metrics else {} for outcome in outcomes]
    names = dict.fromkeys(name for trips in acted for name in trips)
    return [
        (
            name,
            *(
                f"{trips[name].number} x, {trips[name].time:.4g} s" if name in trips else "-"
                for trips in acted
            ),
        )
        for name in names
    ]


def notes(outcome: Outcome) -> list[str]:
    """Return remarks on an outcome that its numbers do not show."""
    if outcome.metrics is None:
        return [outcome.problem]
    missed = [one for one in outcome.judged if not one.kept]
    said = [
        f"{one.name} is {words(one.value)}, expected is {words(one.bound)} at most"
        for one in missed
    ]
    said += [
        f"{event.name.removesuffix(OVERLOAD)} was loaded beyond its breaking force at "
        f"{event.time:.4g} s"
        for event in (outcome.run.events if outcome.run else ())
        if event.name.endswith(OVERLOAD)
    ]
    periods = outcome.metrics.periods_watched
    if math.isfinite(outcome.metrics.arrival_time) and periods < WATCHED:
        said.append(
            f"the sway was watched for {periods:.2g} periods only, once the axes rested; watch it "
            "longer"
        )
    return said


def group_by_case(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return outcomes by the name of their case, in order."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.name, []).append(outcome)
    return found


def label(name: str) -> str:
    """Return a metric's name for a heading, with its unit."""
    unit = definitions()[name].unit
    return (
        f"{name.replace('_', ' ').removesuffix(' ' + unit)} [{'k' if name in JOULES else ''}{unit}]"
    )


def key_cells(outcome: Outcome) -> list[str]:
    """Return the cells of an outcome's key metrics."""
    if outcome.metrics is None:
        return [""] * len(KEY)
    found: Mapping[str, float] = outcome.metrics.figures()
    return [words(1e-3 * found[name] if name in JOULES else found[name]) for name in KEY]


def _row(name: str, unit: str, values: Sequence[float], bound: float | None = None) -> Row:
    """Return one row of values."""
    ratios = tuple(ratio(value, values[0]) for value in values[1:])
    if bound is None:
        return Row(name, unit, tuple(map(words, values)), ratios)
    return Row(
        name,
        unit,
        tuple(map(words, values)),
        ratios,
        words(bound),
        tuple(value <= bound for value in values),
    )
