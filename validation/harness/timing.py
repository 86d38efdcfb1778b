"""Time of a step on this machine: readings without verdicts, for timing parts."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 7


def step_time(scene: Scene, h: float, count: int) -> float:
    """Return the best time [s] of a step of ``h`` [s] of the scene.

    Each of several rounds takes ``count`` steps from the same state.
    """
    simulator = Simulator(scene, dt=h)
    best = math.inf
    simulator.step()
    start = simulator.save()
    for _ in range(ROUNDS):
        simulator.restore(start)
        begin = time.perf_counter()
        simulator.step(count)
        best = min(best, (time.perf_counter() - begin) / count)
    return best


def draw_times(
    taken: Mapping[tuple[str, int], float], counts: Sequence[int], of_what: str
) -> "Figure":
    """Draw times [s] by kind and number over that number, both axes logarithmic.

    ``of_what`` says what is counted.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.8))
    axes = figure.subplots()
    for kind in dict.fromkeys(kind for kind, _ in taken):
        axes.loglog(counts, [1e6 * taken[kind, n] for n in counts], "o-", markersize=4, label=kind)
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.minorticks_off()
    axes.set_xlabel(of_what)
    axes.set_ylabel("time of a step [us]")
    axes.legend()
    return figure
