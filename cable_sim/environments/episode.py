"""One episode: a crane with a task, from one action to the next."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.feedback import Feedback, LoadState
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.scenario import Scenario
from cable_sim.cranes.parts.devices import Limiter
from cable_sim.environments.load_position import Places
from cable_sim.environments.observations import Perceived, Readings, Truth, observation_entries
from cable_sim.environments.reward import costs, potential, progress, terminal_reward
from cable_sim.environments.settings import Settings
from cable_sim.environments.tasks import Tasks
from cable_sim.machine.sway import measure_sway

ACTED = ("tripped", "latched")
"""Limiter states that end an episode."""


class Episode:
    """Task under way.

    The first tick passes without a command, so that sensors have been read.

    Attributes
    ----------
    task: what has to be done, as controllers of ``control/`` take it.
    goal: target coordinates of the load, by axis; ``point`` is the same in the world [m].
    """

    def __init__(self, settings: Settings, tasks: Tasks, scenario: Scenario) -> None:
        self._settings = settings
        self._axes = tasks.axes
        self._rated = tasks.rated
        self.crane = tasks.build(scenario)
        self.plant = LocalPlant(self.crane, settings.dt, settings.tick)
        self.plant.machine.command_timeout = math.inf  # an action is held for its period
        rest = self.plant.reset()
        self.task = scenario.task(self.crane, rest, settings.period)
        self.places = Places(self.crane, rest)
        stays = {name: rest.axes[name].position for name in self.places.axes}
        self.goal = stays | {travel.axis: travel.target for travel in self.task.travels}
        self.point = self.places.point(self.goal)
        self._perceive: Callable[[Feedback], Perceived] = (
            Readings(self.places, self._axes, rest, settings.period)
            if settings.measured
            else Truth(self.places, scenario.load or 0.0)
        )
        self._fastest = {name: self.crane.axis(name).max_speed for name in self._axes}
        self._dangers = [limiter.name for limiter in self.crane.limiters if not ends_a_way(limiter)]
        self._action: tuple[float, ...] = (0.0,) * len(self._axes)
        self._wanted = self._action
        self._calm = 0
        self._largest_sway = 0.0
        self.plant.step({})
        self._began = self.plant.machine.time
        self._look()

    @property
    def observation(self) -> NDArray[np.float32]:
        """Current observation; see ``environments/observations.py``."""
        return observation_entries(
            self.crane, self._axes, self._rated, self.goal, self._perceived, self._action
        )

    @property
    def seen(self) -> Feedback:
        """Feedback of the crane after the last action."""
        return self.plant.look()

    @property
    def time(self) -> float:
        """Time since the first action could be taken [s]."""
        return self.plant.machine.time - self._began

    @property
    def metrics(self) -> dict[str, Any]:
        """Current metrics of the episode, by name.

        These are the time [s], the load's distance from its target [m], its speed [m/s], the
        present sway and the largest sway so far [rad].
        """
        return {
            "time": self.time,
            "distance": self._distance,
            "load_speed": self._speed,
            "sway": self._sway,
            "largest_sway": self._largest_sway,
        }

    def command(self, action: Sequence[float]) -> None:
        """Command shares of the axes' largest speeds, which are held until the next ones."""
        self._wanted = tuple(action)
        for name, share in zip(self._axes, action, strict=True):
            self.plant.machine.command(name, share * self._fastest[name])

    def outcome(self) -> tuple[dict[str, float], bool, str]:
        """Return parts of the reward, whether the load has arrived, and a failure, if any.

        The failure names the limiter that ended the episode, or ``ground``. Call this once after
        the period of each action.
        """
        before = self._potential
        weights = self._settings.weights
        self._look()
        failure = self._failure()
        arrived = not failure and self._has_arrived()
        reward = {
            "progress": progress(weights, before, self._potential),
            **costs(weights, self._settings.period, self._sway, self._action, self._wanted),
            "end": terminal_reward(weights, arrived, bool(failure)),
        }
        self._action = self._wanted
        return reward, arrived, failure

    def _look(self) -> None:
        """Update perception, potential, distance, speed and sway from the feedback."""
        seen = self._sight()
        load = seen.load
        assert load is not None and seen.sway is not None
        self._perceived = self._perceive(seen)
        at = self.places.load_position(seen)
        ways = {name: self.goal[name] - at[name] for name in self._axes}
        self._potential = potential(self._settings.weights, ways, self._fastest)
        self._distance = math.dist(load.position, self.point)
        self._speed = math.hypot(*load.velocity)
        self._sway = math.hypot(seen.sway.radial, seen.sway.tangential)
        self._largest_sway = max(self._largest_sway, self._sway)

    def _sight(self) -> Feedback:
        """Return the part of the feedback that is needed here, in a quarter of its time."""
        machine = self.plant.machine
        hung = self.crane.suspension
        assert hung is not None
        body = machine.simulator.bodies.__getitem__
        load = body(hung.load)
        place = LoadState(tuple(load.position.tolist()), tuple(load.velocity.tolist()))
        axes = {name: machine.motions[name].state() for name in self.places.axes}
        readings = machine.readings if self._settings.measured else {}
        return Feedback(machine.time, axes, readings, {}, measure_sway(hung, body), place, math.nan)

    def _has_arrived(self) -> bool:
        """Return True if the load has been at its target, and calm, for long enough.

        Call this once a period: each call counts as one.
        """
        settings = self._settings
        there = self._distance < settings.band and self._speed < settings.calm
        self._calm = self._calm + 1 if there else 0
        return there and self._calm * settings.period >= settings.hold

    def _failure(self) -> str:
        """Return the reason why the load can't arrive any more; empty as long as it can."""
        machine = self.plant.machine
        limits = machine.plc.limits if machine.plc and self._dangers else {}
        for name in self._dangers:
            if limits[name] in ACTED:
                return name
        assert self.crane.suspension is not None
        load = machine.simulator.bodies[self.crane.suspension.load]
        return "ground" if load.contact_force.any() else ""


def ends_a_way(limiter: Limiter) -> bool:
    """Return True if a limiter only keeps an axis within its range.

    Such a limiter stops or slows the axis, and the task can still succeed.
    """
    return limiter.quantity.startswith("hoist.margin.") or limiter.quantity.endswith(".position")
