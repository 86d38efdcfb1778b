"""Section 5.3: what a step costs, for cables of N spans with M intervals each."""

import itertools
import math
import time
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from cable_sim import Anchor, Body, Cable, Eye, Scene, Simulator, Sphere
from cable_sim.spec import Elevation
from validation.harness import Picture, Progress, Reading, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (10, 32, 100)
"""Spans, and intervals of each."""
STEPS = 100_000
"""The paper's number of steps, for the smallest cable; larger ones run for as many spans times
intervals."""
LEAST = 2_000
"""Steps of the largest."""
STEP = 1e-4
"""What a step costs does not depend on its length; with this one no span is too tight [s]."""
SCHEMES: tuple[Literal["explicit", "implicit"], ...] = ("explicit", "implicit")
PRINTED = {(10, 10): "0.02", (100, 100): "1.3"}
"""Of the paper, for the simplest and the heaviest model, on a machine of 2008 [ms]."""


def many_spans(
    spans: int, intervals: int, scheme: Literal["explicit", "implicit"] = "explicit"
) -> Scene:
    """A load on a rope that runs over fixed points 5 m apart, up and down a little."""
    points = [(5.0 * i, 0.0, 0.5 * (i % 2)) for i in range(spans)]
    x, y, z = points[-1]
    nodes = (
        Anchor("world", points[0]),
        *(Eye("world", point) for point in points[1:]),
        Anchor("load"),
    )
    layer = Elevation(1.0, intervals + 1, 0.5, scheme)
    return Scene(
        name="many_spans",
        bodies=(Body("load", 200.0, shape=Sphere(0.2), position=(x, y, z - 5.0)),),
        cables=(Cable("rope", nodes, ea=1e7, pretension=200.0 * 9.81, elevation=layer),),
    )


def step_time(scene: Scene, steps: int) -> float:
    """Mean time of a step, in one run [s]."""
    simulator = Simulator(scene, dt=STEP)
    simulator.step(10)
    begin = time.perf_counter()
    simulator.step(steps)
    return (time.perf_counter() - begin) / steps


def timings(progress: Progress) -> Result:
    """Time of a step on this machine for 10 to 100 spans of 10 to 100 intervals; the whole scene,
    with a load and the solver. The smallest cable runs for 100 000 steps, as in the paper, the
    others for fewer the larger they are.

    The paper claims a cost linear in N M: the slope of a straight line through the logarithms of
    the explicit times is told, with the largest deviation from a time per point and one per span.
    Here a curve moves both ways across its chord, the paper's only in the vertical plane.
    """
    cases = list(itertools.product(SCHEMES, COUNTS, COUNTS))
    taken = {}
    for scheme, spans, intervals in progress.over(cases):
        steps = max(LEAST, STEPS * COUNTS[0] ** 2 // (spans * intervals))
        taken[scheme, spans, intervals] = step_time(many_spans(spans, intervals, scheme), steps)
    found = []
    for (scheme, spans, intervals), seconds in taken.items():
        printed = PRINTED.get((spans, intervals), "") if scheme == "explicit" else ""
        name = f"time of a step, {spans} spans of {intervals} intervals, {scheme}"
        found.append(Reading(name, 1e3 * seconds, "ms", printed))
    found += _line({case[1:]: seconds for case, seconds in taken.items() if case[0] == "explicit"})
    caption = (
        "Section 5.3. Time of a step over the intervals in all spans, on this machine; "
        "crosses: the paper."
    )
    return Result(found, [Picture("cost", caption, partial(_draw, taken))])


def _line(taken: dict[tuple[int, int], float]) -> list[Reading]:
    """What the times of the explicit scheme grow like."""
    spans, intervals = np.array(list(taken)).T
    times = np.array(list(taken.values()))
    power, _ = np.polyfit(np.log(spans * intervals), np.log(times), 1)
    columns = np.column_stack([np.ones(times.size), spans, spans * intervals])
    parts, *_ = np.linalg.lstsq(columns / times[:, None], np.ones(times.size), rcond=None)
    apart = float(np.abs(columns @ parts / times - 1.0).max())
    return [
        Reading(
            "growth of the time with N M",
            float(power),
            "",
            "1",
            "exponent; the rest of a step takes from it",
        ),
        Reading("time per interval", 1e9 * float(parts[2]), "ns"),
        Reading("time per span", 1e9 * float(parts[1]), "ns"),
        Reading("largest deviation from a line in N and N M", apart, "", "", "relative"),
    ]


def _draw(taken: dict[tuple[str, int, int], float]) -> "Figure":
    """Times over points, both logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.8))
    axes = figure.subplots()
    for (color, scheme), spans in itertools.product(enumerate(SCHEMES), COUNTS):
        sizes = [spans * intervals for intervals in COUNTS]
        times = [1e3 * taken[scheme, spans, intervals] for intervals in COUNTS]
        style = {10: "-", 32: "--", 100: ":"}[spans]
        label = f"{scheme}, {spans} spans"
        axes.loglog(sizes, times, f"o{style}", color=f"C{color}", markersize=4, label=label)
    printed = {math.prod(case): float(value) for case, value in PRINTED.items()}
    axes.loglog(list(printed), list(printed.values()), "kx", label="printed, 2008")
    axes.set_xlabel("intervals in all spans, N M")
    axes.set_ylabel("time of a step [ms]")
    axes.legend()
    return figure
