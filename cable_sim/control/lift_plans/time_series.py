"""The course of a lift as time series, by any instrument."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.lift_plans.lift_plan import LiftPlan
from cable_sim.cranes.crane import Crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LiftSeries:
    """A lift as arrays of n samples.

    ``time`` [s] since the plan began; ``load`` (n, 3), its centre of mass in the world [m];
    ``pull`` of the hoist rope at the drum [N]; ``slings``, the sum of their tensions [N]; sway
    angles [rad], NaN where they mean nothing; ``axes``, coordinates [rad or m] by name.
    """

    time: Array
    load: Array
    pull: Array
    slings: Array
    radial: Array
    tangential: Array
    axes: dict[str, Array]

    @classmethod
    def of(cls, crane: Crane, samples: list[tuple[Any, ...]]) -> "LiftSeries":
        """The samples of a crane's lift, at least one, each with its axes in the crane's order."""
        time, load, pull, slings, radial, tangential, axes = (
            np.array(column, dtype=float) for column in zip(*samples, strict=True)
        )
        by_name = {axis.name: axes[:, i] for i, axis in enumerate(crane.axes)}
        return cls(time, load, pull, slings, radial, tangential, by_name)


def slings_of(crane: Crane) -> tuple[str, ...]:
    """Names of the cables that the load hangs on: those between hook and load."""
    if crane.suspension is None:
        return ()
    ends = {crane.suspension.hook, crane.suspension.load}
    return tuple(c.name for c in crane.scene.cables if {node.body for node in c.nodes} == ends)


def play(
    machine: Machine, plan: LiftPlan | None, duration: float, interval: float
) -> Iterator[Observation]:
    """Run a machine for a duration, with the commands of a plan if there is one.

    Yields the observation of every interval [s], from the start on, and that of the end.
    """
    yield machine.observe()
    every = max(1, round(interval / machine.tick_time))
    ticks = max(1, round(duration / machine.tick_time))
    for tick in range(1, ticks + 1):
        for motion, speed in (plan.speeds_at(machine.time) if plan else {}).items():
            machine.command(motion, speed)
        observation = machine.tick()
        if tick % every == 0 or tick == ticks:
            yield observation


def rehearse(
    plan: LiftPlan,
    crane: Crane,
    sample_time: float = 0.05,
    progress: Callable[[float], object] | None = None,
) -> LiftSeries:
    """Play a plan in this process, without ROS and as fast as it goes.

    ``sample_time`` [s] is simulated; ``progress`` is told the time [s] at every later sample.
    """
    machine = Machine(crane)
    slings = slings_of(crane)
    samples = []
    for observation in play(machine, plan, plan.duration, sample_time):
        samples.append(_sample(machine, observation, slings))
        if progress is not None and observation.time > 0.0:
            progress(machine.time)
    return LiftSeries.of(crane, samples)


def _sample(machine: Machine, observation: Observation, slings: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a sample of a machine's state."""
    crane = machine.crane
    x, y, z = (float(part) for part in observation.body(crane.watched).position)
    rope = observation.cable(crane.ropes[0])
    sway = machine.sway(observation)
    radial, tangential = (
        (np.nan, np.nan) if rope.slack or sway is None else (sway.radial, sway.tangential)
    )
    return (
        machine.time,
        (x, y, z),
        rope.tension,
        sum(observation.cable(name).tension for name in slings),
        radial,
        tangential,
        tuple(machine.axis_state(observation, axis.name).position for axis in crane.axes),
    )
