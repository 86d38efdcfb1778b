"""Figures 5 to 8: three panels (a), (b), (c) for the three constants, and a column for each time
stepper."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .schemes import SCHEMES
from .validation import DURATIONS, H, Test, record, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLED = 200
"""With fewer samples than this, each is marked."""


def draw_displacements(test: Test, name: str, load_name: str, scale: float) -> "Figure":
    """Displacement, and load over constant at the instant where the scheme takes it, both times
    ``scale``."""

    def draw(axes: Any, constant: float, stepper: str) -> None:
        series = record(test, constant, stepper)
        marker = "." if series.time.size < SAMPLED else ""
        axes.plot(series.time, scale * series.displacement, marker=marker, markersize=4, label=name)
        instants = series.time[1:] - (0.0 if stepper == "regularised" else 0.5 * H)
        axes.plot(instants, scale * series.load[1:], "--", label=load_name)

    return _panels(test, draw, name)


def draw_energies(test: Test, elastic: str) -> "Figure":
    """W, U_k, U_p and the elastic energy."""

    def draw(axes: Any, constant: float, stepper: str) -> None:
        series = record(test, constant, stepper)
        axes.plot(series.time, series.total, label="$W$", linewidth=1.6)
        for column, name in enumerate(("$U_k$", "$U_p$", elastic)):
            axes.plot(series.time, series.energy[:, column], label=name, linewidth=1.0)

    return _panels(test, draw, "energy [J]")


def _panels(test: Test, draw: Callable[[Any, float, str], None], label: str) -> "Figure":
    """The grid of panels, each filled by ``draw``."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 7.2))
    grid = figure.subplots(len(DURATIONS), len(SCHEMES), sharey="row")
    for row, (letter, constant) in enumerate(zip("abc", DURATIONS, strict=True)):
        for column, stepper in enumerate(SCHEMES):
            axes = grid[row, column]
            draw(axes, constant, stepper)
            axes.set_title(f"({letter}) {_label(test, constant)}, {stepper}")
            axes.margins(x=0.0)
            if column == 0:
                axes.set_ylabel(label)
            if row == len(DURATIONS) - 1:
                axes.set_xlabel("time [s]")
    figure.legend(*grid[0, -1].get_legend_handles_labels(), loc="outside upper right", ncols=5)
    return figure


def _label(test: Test, constant: float) -> str:
    """Such as c_s = 10^3 N/m."""
    value = short(constant).replace("1e", "10^")
    return f"${test.constant} = {value}$ {test.constant_unit}"
