"""Pictures of an evaluation: one scenario under several controllers, overlaid."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.metrics import BAND, inclination, target
from cable_sim.control.profiles import total
from cable_sim.control.run import Run
from cable_sim.control.trips import limiter_actions
from cable_sim.rendering.drawing import COLORS, Picture
from cable_sim_studies.evaluation import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 800
"""Approximate number of points drawn of a curve. More can't be told apart."""
NEAR = 1e-3
"""Smallest distance from the target that is drawn [m]."""
DEGREES = {"rad": ("deg", 180.0 / np.pi), "m": ("m", 1.0), "1": ("%", 100.0)}
"""Unit and factor in which coordinates are drawn, by their unit."""


def pictures(name: str, outcomes: Sequence[Outcome]) -> list[Picture]:
    """Return pictures of the outcomes of one case; none if no run came to its end."""
    runs = {outcome.controller: outcome.run for outcome in outcomes if outcome.run is not None}
    if not runs:
        return []
    way = (
        "Way of the load from above, from the circle to its target, the cross. Dashed: below "
        "the trolley as planned."
    )
    course = (
        f"Over time: distance of the load from its target, with {1e3 * BAND:g} mm dotted; axes, "
        "planned dashed; sway "
        "from the vertical; pull of the first hoist rope; when limiters act. Upright lines: "
        "arrival."
    )
    arrivals = [
        outcome.metrics.arrival_time if outcome.metrics else np.inf
        for outcome in outcomes
        if outcome.run
    ]
    return [
        Picture(f"{name}_way", way, lambda: _way(runs)),
        Picture(f"{name}_course", course, lambda: _course(runs, arrivals)),
    ]


def _way(runs: dict[str, Run]) -> "Figure":
    """Draw the load's path from above."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.6))
    axes = figure.subplots()
    first = next(iter(runs.values()))
    goal = target(first)
    planned = _planned_coordinates(first)
    if first.plumb is not None:
        axes.plot(*first.plumb.below(planned)[:, :2].T, "--", color="#999999", linewidth=1.0)
    for (kind, run), color in zip(runs.items(), _colors(), strict=False):
        rows = _drawn_rows(run)
        axes.plot(run.load[rows, 0], run.load[rows, 1], color=color, label=kind)
    axes.plot(*first.load[0, :2], "o", color="#444444", markersize=5)
    if goal is not None:
        axes.plot(*goal[:2], "x", color="#b3261e", markersize=9)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.legend()
    return figure


def _course(runs: dict[str, Run], arrivals: Sequence[float]) -> "Figure":
    """Draw distance, coordinates, sway, pull and limiters over time."""
    from matplotlib.figure import Figure

    first = next(iter(runs.values()))
    moving = list(dict.fromkeys(travel.axis for travel in first.travels))
    limiters = sorted(
        {name for run in runs.values() for name in limiter_actions(run.events, float(run.time[-1]))}
    )
    count = 3 + len(moving) + bool(limiters)
    figure = Figure(figsize=(8.0, 1.7 * count))
    panels = figure.subplots(count, 1, sharex=True)
    begin = min((travel.ramps.start for travel in first.travels), default=0.0)
    for (kind, run), color, arrival in zip(runs.items(), _colors(), arrivals, strict=False):
        _draw(panels, kind, run, color, moving)
        if np.isfinite(arrival):
            for panel in panels:
                panel.axvline(begin + arrival, color=color, linewidth=0.7, alpha=0.6)
    _name(panels, first, moving)
    if limiters:
        _limiters(panels[-1], runs, limiters)
    panels[0].legend(loc="lower left")
    panels[-1].set_xlabel("time [s]")
    return figure


def _draw(panels: Any, kind: str, run: Run, color: str, moving: Sequence[str]) -> None:
    """Draw one run on all panels except that of the limiters."""
    rows = _drawn_rows(run)
    goal = target(run)
    time = run.time[rows]
    off = (
        np.full(time.size, np.nan) if goal is None else np.hypot(*(run.load[rows] - goal)[:, :2].T)
    )
    panels[0].plot(
        time, off, color=color, label=kind
    )  # names the colour also where there is no curve
    for panel, axis in zip(panels[1:], moving, strict=False):
        i = run.axes.index(axis)
        panel.plot(time, DEGREES[run.units[i]][1] * run.position[rows, i], color=color)
    sway = panels[1 + len(moving)]
    pull = panels[2 + len(moving)]
    sway.plot(time, np.degrees(inclination(run))[rows], color=color)
    pull.plot(
        time[1:], 1e-3 * run.pull[rows][1:], color=color
    )  # there is none before the first step


def _name(panels: Any, run: Run, moving: Sequence[str]) -> None:
    """Label the panels, and draw the planned coordinates."""
    panels[0].axhline(BAND, linestyle=":", color="#666666", linewidth=0.9)
    panels[0].set_ylabel("off target [m]")
    panels[0].set_yscale("log")
    panels[0].set_ylim(bottom=NEAR)
    time = run.time[_drawn_rows(run)]
    planned = _planned_coordinates(run)
    for panel, axis in zip(panels[1:], moving, strict=False):
        unit, factor = DEGREES[run.units[run.axes.index(axis)]]
        panel.plot(
            time, factor * planned[:, run.axes.index(axis)], "--", color="#999999", linewidth=1.0
        )
        panel.set_ylabel(f"{axis} [{unit}]")
    panels[1 + len(moving)].set_ylabel("sway [deg]")
    panels[2 + len(moving)].set_ylabel("pull [kN]")


def _limiters(panel: Any, runs: dict[str, Run], names: Sequence[str]) -> None:
    """Draw bars for the times at which limiters act, a line for each limiter and controller."""
    lines = [(name, kind) for name in names for kind in runs]
    for y, (name, kind) in enumerate(lines):
        color = dict(zip(runs, _colors(), strict=False))[kind]
        run = runs[kind]
        panel.broken_barh(
            limiter_actions(run.events, float(run.time[-1])).get(name, []),
            (y - 0.4, 0.8),
            color=color,
        )
    panel.set_yticks(range(len(lines)), [name for name, _ in lines])
    panel.set_ylim(-0.6, len(lines) - 0.4)
    panel.invert_yaxis()


def _planned_coordinates(run: Run) -> NDArray[np.float64]:
    """Return the planned coordinates of all axes, at the times that are drawn."""
    time = run.time[_drawn_rows(run)]
    planned = np.tile(run.position[0], (time.size, 1))
    for i, axis in enumerate(run.axes):
        moves = [travel.ramps for travel in run.travels if travel.axis == axis]
        if moves:
            planned[:, i] = [total(moves, float(run.position[0, i]))(t)[0] for t in time.tolist()]
    return planned


def _drawn_rows(run: Run) -> slice:
    """Return the rows that are drawn."""
    return slice(None, None, max(1, run.time.size // POINTS))


def _colors() -> Iterator[str]:
    """Yield the colours of the controllers, repeatedly."""
    while True:
        yield from COLORS
