"""A lift's report as files for people and programs: Markdown with a picture, JSON, and the series
as CSV."""

import json
import math
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from cable_sim.control.lift_plans.lift_plan import LiftPlan
from cable_sim.control.lift_plans.report import LiftReport, RunFigures, measure
from cable_sim.control.lift_plans.time_series import LiftSeries
from cable_sim.cranes.crane import Crane
from cable_sim.rendering.drawing import Picture, picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = "line pull, sway and path of the load"


def conclude(
    folder: Path,
    plan: LiftPlan,
    crane: Crane,
    track: LiftSeries,
    tolerance: float,
    console: Console,
    run: RunFigures | None = None,
) -> int:
    """Measure a lift, write its report and show it; returns the exit status of its command."""
    report = measure(plan, crane, track, run)
    write_report(folder, crane, report, track, tolerance)
    show(report, folder, tolerance, console)
    return 0 if report.succeeded(tolerance) else 1


def write_report(
    folder: Path, crane: Crane, report: LiftReport, track: LiftSeries, tolerance: float
) -> list[Path]:
    """Write ``report.json``, ``report.md``, ``track.csv`` and ``track.png``; returns their
    paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / name for name in ("report.json", "report.md", "track.csv", "track.png")]
    figures = {
        **_finite(asdict(report)),
        "tolerance": tolerance,
        "succeeded": report.succeeded(tolerance),
    }
    files[0].write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    files[1].write_text(markdown(report, tolerance), encoding="utf-8")
    _write_series(files[2], crane, track)
    picture = Picture("track", CAPTION, lambda: _draw(report, track))
    files[3].write_bytes(picture_bytes(picture, "png"))
    return files


def results_folder(results: Path, plan: LiftPlan) -> Path:
    """A new name in the folder ``results`` for a run of the plan."""
    return results / f"{plan.name}_{datetime.now():%Y-%m-%d_%H%M%S}"


def show(report: LiftReport, folder: Path, tolerance: float, console: Console) -> None:
    """The report on a terminal, and the folder where it is written."""
    table = Table("figure", "value", title=f"{report.plan} on {report.crane}", title_justify="left")
    for name, value in rows(report):
        table.add_row(name, value)
    console.print(table)
    console.print(
        report.verdict(tolerance), style="green" if report.succeeded(tolerance) else "red"
    )
    console.print(f"report in {folder}", soft_wrap=True)


def rows(report: LiftReport) -> list[tuple[str, str]]:
    """The figures as names and values with units."""
    made = [("landed at (x, y, z)", _metres(report.landed))]
    if report.target is not None:
        made += [
            ("target (x, y, z)", _metres(report.target)),
            ("distance from the target", f"{report.miss:.3f} m"),
            ("height above the target", f"{report.height_error:+.4f} m"),
        ]
    made += [
        ("stands, slings slack", "yes" if report.standing else "no"),
        ("on the hook", f"from {report.lift_off_time:.1f} s to {report.landing_time:.1f} s"),
        (
            "peak line pull",
            f"{1e-3 * report.peak_pull:.2f} kN at {report.peak_pull_time:.1f} s, "
            f"{100.0 * report.peak_pull_share:.1f} % of the breaking force",
        ),
        (
            "largest sway",
            f"{report.sway_radial:.2f} deg radial, {report.sway_tangential:.2f} deg tangential",
        ),
        ("sway before landing", f"{report.sway_at_landing:.2f} deg"),
    ]
    if report.run is not None:
        run = report.run
        made += [
            ("real-time factor", f"{run.real_time_factor:.4f}"),
            ("missed ticks", str(run.missed_ticks)),
            ("commands", f"{run.rejected} rejected, {run.clamped} clamped"),
            ("lost samples", str(run.lost_samples)),
        ]
    return made


def markdown(report: LiftReport, tolerance: float) -> str:
    """The report as text with its picture."""
    lines = [
        f"# {report.plan} on {report.crane}",
        "",
        report.verdict(tolerance).capitalize() + ".",
        "",
    ]
    lines += [
        "| figure | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows(report)),
    ]
    return "\n".join([*lines, "", f"![{CAPTION}](track.png)", ""])


def _write_series(path: Path, crane: Crane, track: LiftSeries) -> None:
    """The series, one row per sample."""
    names = [f"{axis.name}_{axis.unit}" for axis in crane.axes]
    header = [
        "time_s",
        "load_x_m",
        "load_y_m",
        "load_z_m",
        "pull_N",
        "slings_N",
        "radial_rad",
        "tangential_rad",
    ]
    columns = [track.time, *track.load.T, track.pull, track.slings, track.radial, track.tangential]
    data = np.column_stack([*columns, *track.axes.values()])
    np.savetxt(
        path, data, fmt="%.7g", delimiter=",", header=",".join([*header, *names]), comments=""
    )


def _draw(report: LiftReport, track: LiftSeries) -> "Figure":
    """Draw line pull, sway and height over time, and the way of the load seen from above."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 7.0))
    grid = figure.add_gridspec(3, 2, width_ratios=(3, 2))
    pull, sway, height = (figure.add_subplot(grid[row, 0]) for row in range(3))
    pull.plot(track.time, 1e-3 * track.pull, label="at the drum")
    pull.plot(track.time, 1e-3 * track.slings, label="slings, sum")
    pull.set_ylabel("tension [kN]")
    sway.plot(track.time, np.degrees(track.radial), label="radial")
    sway.plot(track.time, np.degrees(track.tangential), label="tangential")
    sway.set_ylabel("sway [deg]")
    height.plot(track.time, track.load[:, 2], label="centre of the load")
    height.set_ylabel("height [m]")
    height.set_xlabel("time [s]")
    way = figure.add_subplot(grid[:, 1])
    _draw_path(way, report, track)
    for axes in (pull, sway, height, way):
        axes.legend(loc="best")
    figure.suptitle(f"{report.plan} on {report.crane}")
    return figure


def _draw_path(axes: Any, report: LiftReport, track: LiftSeries) -> None:
    """Draw the load's way from above."""
    axes.plot(track.load[:, 0], track.load[:, 1], label="load")
    axes.plot(0.0, 0.0, "k+", markersize=12, label="slewing axis")
    axes.plot(*report.landed[:2], "o", label="landed")
    if report.target is not None:
        axes.plot(*report.target[:2], "rx", markersize=10, label="target")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")


def _metres(point: tuple[float, float, float]) -> str:
    """A point for people."""
    return ", ".join(f"{value:.3f}" for value in point) + " m"


def _finite(value: Any) -> Any:
    """The same with None for numbers that are not finite, for which JSON has no word."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
