"""The command ``cable-sim control``: a scenario's controller at a simulator node."""

from contextlib import closing
from typing import Any, NamedTuple

from rich.console import Console

from cable_sim.control.run import run
from cable_sim.control.scenario import Scenario
from cable_sim.control.timing import pace_of
from cable_sim.ros.lockstep.plant import RosPlant


class ControlOptions(NamedTuple):
    """Options that select the node.

    Parameters
    ----------
    namespace: namespace of a running node.
    reset: whether to reset that node to its start first.
    start_node: whether to start a node for this run alone, on an unused ROS domain.
    """

    namespace: str = ""
    reset: bool = False
    start_node: bool = False


def control(scenario: Scenario, options: ControlOptions, console: Console) -> int:
    """Run the controller and print its timing; returns the exit status.

    It is 1 if the controller missed deadlines, 130 after Ctrl-C, and 0 otherwise. CableSimError if
    there is no node, or one that does not match the scenario.
    """
    where: dict[str, Any] = (
        {} if options.start_node else {"namespace": options.namespace, "reset": options.reset}
    )
    waiting = Console(stderr=True).status("waiting for the simulator")
    try:
        with waiting, closing(RosPlant.of(scenario, **where)) as plant:
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
