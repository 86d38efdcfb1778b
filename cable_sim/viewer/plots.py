"""The last minute of tension, sway and height as curves."""

import math
from collections import deque
from collections.abc import Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.machine.pictures.frame import Frame
from cable_sim.viewer.readouts import tension_scale, tension_unit

WINDOW = 60.0
"""Simulated time span of the curves [s]."""
PERIOD = 0.25
"""Simulated time between points of the curves [s].

A 5 m rope sways in 4.5 s, which is 18 points a period.
"""
FINE_PERIOD = 0.05
"""The same of chosen curves [s], which may be of anything that swings."""
CHANNELS = ("tension", "radial", "tangential", "hoist")

COLORS = ("#d6242b", "#1d6fd1", "#e08a00", "#1f9d55")
"""Colours of the lines of a chosen chart."""

TIME_AXIS = {
    "size": 26,
    "label": "time before now [s]",
    "labelSize": 14,
    "labelFont": "10px system-ui",
}
"""Axis of the time: sizes of its figures and of its label [pixels].

It has no fixed range. The page finds ticks anew only when an axis changes, and a chart that was
made before its panel had a width would have none for as long as the values stand still. Of fewer
than two samples it would make an axis without a width, and keep it.
"""

Array = NDArray[np.float64]
Lines = tuple[tuple[str, str], ...]


class Curve(NamedTuple):
    """A chart of readings: its title, their unit, and their names, each a line of the chart."""

    title: str
    unit: str
    names: tuple[str, ...]


class History:
    """Samples of the last minute, one row for each.

    A row is time [s], rope tension [kN or N], sway radial and tangential [deg], the coordinate of
    the hoist [m], or of the vertical axis of a machine without a hoist, and the ``readings``.

    Parameters
    ----------
    crane: whose frames.
    readings: names of readings of the frames.
    """

    def __init__(self, crane: Crane, readings: Sequence[str] = ()) -> None:
        self.crane = crane
        self._readings = tuple(readings)
        self._names = (*CHANNELS, *readings)
        self._period = FINE_PERIOD if readings else PERIOD
        self.unit, self._size = tension_unit(tension_scale(crane))
        hoist = hoist_of(crane)
        self.lift = next(
            (axis for axis in crane.axes if axis.name == hoist or axis.linear.endswith("z")), None
        )
        self._samples: deque[tuple[float, ...]] = deque()

    def add(self, frame: Frame) -> bool:
        """Take a sample if one is due and return True if so; a clock set back starts anew."""
        last = self._samples[-1][0] if self._samples else -math.inf
        if frame.time < last:
            self._samples.clear()
        elif frame.time - last < self._period - 1e-9:
            return False
        self._samples.append((frame.time, *self._values(frame)))
        while frame.time - self._samples[0][0] > WINDOW + 1e-9:
            self._samples.popleft()
        return True

    def columns(self, *channels: str) -> tuple[Array, ...]:
        """Return time before now (n,) [s], from -60 or later to 0, and the given channels (n,)."""
        if not self._samples:
            return tuple(np.zeros(0) for _ in (None, *channels))
        table = np.array(self._samples)
        picked = [table[:, 1 + self._names.index(channel)] for channel in channels]
        return (table[:, 0] - table[-1, 0], *picked)

    def _values(self, frame: Frame) -> tuple[float, ...]:
        """Return one sample of all channels."""
        ropes = [frame.cables[rope] for rope in self.crane.ropes if rope in frame.cables]
        tension = max(
            (float(rope.tension[0]) / self._size for rope in ropes if len(rope.tension)),
            default=0.0,
        )
        sway = (frame.sway.radial, frame.sway.tangential) if frame.sway else (0.0, 0.0)
        radial, tangential = map(math.degrees, sway)
        lift = frame.axes.get(self.lift.name) if self.lift else None
        hoist = lift.position if lift else 0.0
        chosen = (frame.readings.get(name, math.nan) for name in self._readings)
        return tension, radial, tangential, hoist, *chosen


class Plots:
    """Curves in their own panel: the chosen ones, or tension, sway of a hanging load, and height.

    Parameters
    ----------
    gui: of a viser server, inside the container of the curves.
    history: samples of what is drawn.
    chosen: charts of readings; without any, the usual ones are drawn.
    """

    def __init__(self, gui: Any, history: History, chosen: Sequence[Curve] = ()) -> None:
        self._history = history
        wanted = [_lines(curve) for curve in chosen] or self._usual(history)
        self._charts = [
            (_chart(gui, history, title, series), tuple(name for name, _ in series))
            for title, series in wanted
        ]

    @staticmethod
    def _usual(history: History) -> list[tuple[str, Lines]]:
        """Return titles and lines of the usual charts of a crane."""
        wanted: list[tuple[str, Lines]] = []
        if history.crane.ropes:
            wanted.append((f"rope tension [{history.unit}]", (("tension", "#d6242b"),)))
        if history.crane.suspension:
            sway = (("radial", "#1d6fd1"), ("tangential", "#e08a00"))
            wanted.append(("sway [°]", sway))
        if history.lift:
            wanted.append(
                (f"{history.lift.reading or history.lift.name} [m]", (("hoist", "#1f9d55"),))
            )
        return wanted

    def remove(self) -> None:
        """Take the charts from the page."""
        for chart, _ in self._charts:
            chart.remove()

    def update(self) -> None:
        """Send the present curves, from two samples on."""
        for chart, channels in self._charts:
            columns = self._history.columns(*channels)
            if len(columns[0]) > 1:
                chart.data = columns


def _lines(curve: Curve) -> tuple[str, Lines]:
    """Return title and lines of a chosen chart."""
    return f"{curve.title} [{curve.unit}]", tuple(zip(curve.names, cycle(COLORS)))


def _chart(gui: Any, history: History, title: str, series: tuple[tuple[str, str], ...]) -> Any:
    """Return one chart; ``series`` are (channel, colour)."""
    lines = tuple(
        {"label": name.rpartition(".")[2], "stroke": color, "width": 1.6, "points": {"show": False}}
        for name, color in series
    )
    # Around a flat line uPlot would show a range as large as the value: at least +-1 of the unit is
    # enough.
    soft = {"pad": 0.1, "soft": 1.0, "mode": 2}
    around = {"min": {**soft, "soft": -1.0}, "max": soft}
    scales: dict[str, Any] = {"x": {"time": False}, "y": {"range": around}}
    if (
        series[0][0] == "hoist" and history.crane.suspension
    ):  # tens of metres; a hand's go around zero
        del scales["y"]
    axis = {
        "font": "10px system-ui",
        "size": 48,
        "grid": {"stroke": "rgba(128,128,128,0.18)", "width": 1},
    }
    return gui.add_uplot(
        (np.array([-PERIOD, 0.0]), *(np.zeros(2) for _ in series)),
        series=({"label": "t [s]"}, *lines),
        title=title,
        scales=scales,
        axes=({**axis, **TIME_AXIS}, {**axis, "space": 16}),
        legend={"show": len(series) > 1, "live": False},
        cursor={"show": True, "drag": {"x": False, "y": False}},
        height=128,
        padding=(4, 12, 0, 0),
    )
