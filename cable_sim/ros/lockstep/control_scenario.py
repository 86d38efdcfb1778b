"""The command ``cable-sim control``: a scenario's controller at a simulator node."""

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from rich.console import Console

from cable_sim.control.run import run
from cable_sim.control.scenario import Scenario
from cable_sim.control.timing import pace_of
from cable_sim.ros.lockstep.plant import RosPlant


def control(scenario: Scenario, node: Mapping[str, Any], console: Console) -> int:
    """Run the controller and print its timing; returns the exit status.

    ``node`` are parameters of :class:`RosPlant` that select a running node. The status is 1 if the
    controller missed deadlines, 130 after Ctrl-C, and 0 otherwise. CableSimError if there is no
    node, or one that does not match the scenario.
    """
    waiting = Console(stderr=True).status("waiting for the simulator")
    try:
        with waiting, closing(RosPlant.of(scenario, **node)) as plant:
            done = run(scenario, plant, lambda time: waiting.update(f"{time:.1f} s"))
    except KeyboardInterrupt:
        return 130
    told = plant.deadlines
    pace = pace_of(done)
    fast = f"{1e3 * pace.latency_median:.1f} ms (+- {1e3 * pace.latency_jitter:.1f} ms)"
    said = f"{told.answered} states answered, after {fast} and {1e3 * told.slowest:.1f} ms at most"
    said = f"{done.time[-1]:.2f} s in {done.wall:.1f} s: {said}, {told.missed} deadlines missed"
    console.print(said, markup=False, highlight=False, soft_wrap=True)
    return 1 if told.missed else 0
