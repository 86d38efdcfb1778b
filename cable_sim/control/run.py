"""One run of a scenario: plant and controller in lockstep, and what was seen, as arrays."""

import dataclasses
import math
import time as wall
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.feedback import Command, Control, Feedback
from cable_sim.control.load_kinematics import LoadKinematics, load_kinematics_of
from cable_sim.control.pendulum import pendulum_length
from cable_sim.control.plants.plant import LocalPlant, Plant
from cable_sim.control.scenario import Scenario
from cable_sim.control.task import Task, Travel
from cable_sim.cranes.family_spec import hoist_of

Array = NDArray[np.float64]
BY_THE_CLOCK = ("wall", "law_times", "latencies")
"""Fields of a run that are by the clock on the wall, and so different every time."""


class LimitEvent(NamedTuple):
    """Change of state of a limiter, the emergency stop or the dead-man control, at a time [s].

    All count as ``ok`` before the start, so that any other state at the start is a change.
    """

    time: float
    name: str
    state: str


@dataclass(frozen=True)
class Run:
    """Record of ``n`` ticks of a crane with ``a`` axes, in their sense, SI, the truth.

    Parameters
    ----------
    scenario: that was run.
    axes: names of the axes, columns of what follows.
    time: (n,) at the end of each tick; the first is the start [s].
    position, velocity, effort: (n, a) of the axes [m or rad, m/s or rad/s, N or N m].
    wanted: (n, a) speed that was commanded for the tick that ends there [m/s or rad/s]; NaN where
        none was.
    load, load_velocity: (n, 3) centre of the load in the world [m, m/s].
    sway, sway_rate: (n, 2) radial and tangential, of the hook [rad, rad/s].
    length: (n,) from trolley to hook [m].
    pull: (n,) of the first hoist rope [N].
    events: of limiters.
    travels: the planned moves.
    wall: how long it took [s].
    units: of the axes' coordinates, ``m`` or ``rad``.
    period: between two calls of the controller [s].
    pendulum: length of the pendulum that sways like the load when all moves are made [m]; NaN where
        it is not known.
    plumb: where the load hangs at rest; None where that is not known.
    law_times: (n - 1,) how long the controller took for each tick, on the wall's clock [s].
    heading: (n,) of the load about the vertical, anticlockwise from above [rad]; NaN where it is
        not known.
    by_place: names of the axes that were sent to places, or by efforts; ``wanted`` tells neither.
    latencies: (k,) how long states waited for their commands, on the wall's clock [s]; (0,) in one
        process.
    """

    scenario: Scenario
    axes: tuple[str, ...]
    time: Array
    position: Array
    velocity: Array
    effort: Array
    wanted: Array
    load: Array
    load_velocity: Array
    sway: Array
    sway_rate: Array
    length: Array
    pull: Array
    events: tuple[LimitEvent, ...]
    travels: tuple[Travel, ...]
    wall: float
    units: tuple[str, ...] = ()
    period: float = math.nan
    pendulum: float = math.nan
    plumb: LoadKinematics | None = None
    law_times: Array = dataclasses.field(default_factory=lambda: np.zeros(0))
    heading: Array = dataclasses.field(default_factory=lambda: np.zeros(0))
    by_place: tuple[str, ...] = ()
    latencies: Array = dataclasses.field(default_factory=lambda: np.zeros(0))

    def same_as(self, other: "Run") -> tuple[str, ...]:
        """Names of the arrays that differ from another run's, by a single bit even; empty if none
        does."""
        unlike = ("scenario", *BY_THE_CLOCK)
        arrays = [field.name for field in dataclasses.fields(self) if field.name not in unlike]
        return tuple(
            name for name in arrays if not _are_equal(getattr(self, name), getattr(other, name))
        )


def run(
    scenario: Scenario,
    plant: Plant | None = None,
    progress: Callable[[float], object] | None = None,
) -> Run:
    """Run a scenario, in this process unless another plant is given; that is left open.

    ``progress`` is told the simulated time [s], now and then. ConfigError, SpecError or
    CommandError for a scenario that can't be; StepError where the physics fails.
    """
    began = wall.perf_counter()
    plant = plant or LocalPlant.of(scenario)
    seen = plant.reset()
    task = scenario.task(plant.crane, seen, plant.period)
    law = scenario.controller.start(task)
    end = max((travel.ramps.end for travel in task.travels), default=0.0) + scenario.watch
    log = _Log(seen, plant.heading)
    while seen.time < end - 0.5 * plant.period:
        asked = wall.perf_counter()
        control = law(seen)
        log.law_times.append(wall.perf_counter() - asked)
        seen = plant.step(control)
        log.add(control, seen, plant.heading)
        if progress is not None and len(log.rows) % 50 == 0:
            progress(seen.time)
    return log.close(scenario, task, wall.perf_counter() - began, plant.latencies)


class _Log:
    """Rows of numbers, one for each tick."""

    def __init__(self, first: Feedback, heading: float) -> None:
        self.axes = tuple(first.axes)
        self.by_place: dict[str, None] = {}
        self.rows: list[list[float]] = []
        self.events: list[LimitEvent] = []
        self.limits = dict.fromkeys(first.limits, "ok")
        self.law_times: list[float] = []
        self.add({}, first, heading)

    def add(self, control: Control, seen: Feedback, heading: float) -> None:
        """Add a row: the commands, and the state after them."""
        row = [seen.time]
        for state in seen.axes.values():
            row += state
        row += [self._speed(name, control.get(name, math.nan)) for name in self.axes]
        row += (*seen.load.position, *seen.load.velocity) if seen.load else (math.nan,) * 6
        row += seen.sway or (math.nan,) * 5
        row += (heading, seen.pull)
        self.rows.append(row)
        if seen.limits != self.limits:
            known = dict.fromkeys(seen.limits, "ok") | self.limits
            changed = (name for name, state in seen.limits.items() if state != known[name])
            self.events += [LimitEvent(seen.time, name, seen.limits[name]) for name in changed]
            self.limits = seen.limits

    def _speed(self, axis: str, wanted: float | Command) -> float:
        """The speed that is commanded; NaN for a place or an effort, which is noted."""
        if not isinstance(wanted, Command):
            return wanted
        if wanted.mode == "speed":
            return wanted.value
        self.by_place[axis] = None
        return math.nan

    def close(self, scenario: Scenario, task: Task, took: float, latencies: Sequence[float]) -> Run:
        """The rows as arrays, and what is to be known of the crane."""
        table = np.array(self.rows, dtype=float)
        a = len(self.axes)
        states = table[:, 1 : 1 + 3 * a].reshape(-1, a, 3)
        rest = table[:, 1 + 3 * a :]
        load = rest[:, a : a + 6]
        sway = rest[:, a + 6 : a + 11]
        return Run(
            scenario,
            self.axes,
            table[:, 0],
            states[..., 0],
            states[..., 1],
            states[..., 2],
            rest[:, :a],
            load[:, :3],
            load[:, 3:],
            sway[:, :2],
            sway[:, 2:4],
            sway[:, 4],
            rest[:, -1],
            tuple(self.events),
            task.travels,
            took,
            tuple(task.crane.axis(name).unit for name in self.axes),
            task.period,
            _pendulum(task),
            load_kinematics_of(task.crane, task.first),
            np.array(self.law_times),
            rest[:, a + 11],
            tuple(self.by_place),
            np.array(latencies, dtype=float),
        )


def _pendulum(task: Task) -> float:
    """True length of the pendulum when all moves are made [m]."""
    ends = {axis: state.position for axis, state in task.first.axes.items()}
    ends |= {travel.axis: travel.target for travel in task.travels}
    hoist = hoist_of(task.crane)
    return pendulum_length(task.crane)(ends[hoist]) if hoist in ends else math.nan


def _are_equal(mine: object, other: object) -> bool:
    """Return True if two arrays have the same bits, or two other values are equal."""
    if isinstance(mine, np.ndarray) and isinstance(other, np.ndarray):
        return mine.tobytes() == other.tobytes()
    return mine == other or (mine != mine and other != other)  # NaN is what it is
