"""Anything an operator may do, in any order, for hours: nothing breaks.

A crane gets random orders on all axes: speeds, positions and efforts to beyond their limits,
brakes, emergency stops, silence until the watchdog acts. That drops the load, lays the rope slack,
swings the load against the ground, runs the trolley into its stops. Every tick all numbers are
finite, no cable pushes, and no corner of the load is deeper in the ground than its SINK.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED
from cable_sim.machine.actuation import MODES
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation

SINK = {
    "tower_12t": 0.05,
    "rtg_41t": 0.6,
    "luffing_12t": 0.05,
    "overhead_32t": 0.1,
    "offshore_25t": 0.1,
    "mobile_32t": 0.1,
    "crawler_50t": 0.1,
    "cableway_20t": 0.1,
}
"""Deepest that a corner of the load may be below the ground [m]; at rest it is 0.1 and 1 mm. A
container of 41 t that is let go with its spreader comes down at 15 m/s, on one corner: v sqrt(m /
k)."""
PARTS = ("luffing_12t", "overhead_32t", "offshore_25t", "mobile_32t", "crawler_50t", "cableway_20t")
"""Cranes that are put together of parts."""
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
REPEAT = 0.25
"""Time between two repetitions of an order [s]; the watchdog acts after 0.5 s."""


@dataclass
class Tally:
    """What was seen in a run."""

    ticks: int = 0
    statuses: Counter = field(default_factory=Counter)
    """Ticks by status flags."""
    iterations: int = 0
    residual: float = 0.0
    deepest: float = 0.0
    tension: float = 0.0

    def count(self, flag: int) -> int:
        """Ticks in which a flag was set."""
        return sum(ticks for status, ticks in self.statuses.items() if status & flag)


class Operator:
    """Gives random orders: every few seconds others."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self.machine, self.random = machine, np.random.default_rng(seed)
        self.orders: dict[str, tuple[float, str, bool]] = {}
        self.until = self.repeat = 0.0

    def act(self) -> None:
        """Repeat the present orders, or think of others."""
        if self.machine.time >= self.until:
            self.until = self.repeat = self.machine.time + self.random.uniform(0.2, 6.0)
            self.machine.emergency_stop(self.random.random() < 0.05)
            self.machine.restart.reset()
            self.orders = {
                axis.name: self.order(axis)
                for axis in self.machine.crane.axes
                if self.random.random() < 0.8
            }
            self.repeat = self.machine.time
        if self.machine.time >= self.repeat:
            self.repeat += REPEAT
            for name, (value, mode, brake) in self.orders.items():
                self.machine.command(name, value, mode, brake)

    def order(self, axis) -> tuple[float, str, bool]:
        """A value up to 1.3 times what the axis allows, a mode, and now and then the brake."""
        driven = axis.drive in {drive.name for drive in self.machine.crane.scene.drives}
        mode = self.random.choice(MODES if driven else [mode for mode in MODES if mode != "effort"])
        if mode == "speed":
            value = self.random.uniform(-1.3, 1.3) * axis.max_speed
        elif mode == "position":
            span = axis.upper - axis.lower
            value = self.random.uniform(axis.lower - 0.1 * span, axis.upper + 0.1 * span)
        elif mode == "lever":
            value = self.random.uniform(-1.3, 1.3)
        else:
            limit = self.machine.simulator.drives[axis.drive].max_effort * axis.ratio
            value = self.random.choice([0.0, self.random.uniform(-1.3, 1.3)]) * limit
        return float(value), str(mode), bool(self.random.random() < 0.1)


def corner_heights(observation: Observation, load: str, size: np.ndarray) -> np.ndarray:
    """Heights of the corners of the load above the ground [m]."""
    body = observation.body(load)
    w, x, y, z = body.orientation
    up = np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)])
    return body.position[2] + CORNERS @ (up * size)


def check(observation: Observation, load: str, size: np.ndarray, sink: float, tally: Tally) -> None:
    """The three conditions on an observation; keeps the extremes."""
    o = observation
    numbers = (
        o.body_position,
        o.body_orientation,
        o.body_velocity,
        o.body_angular_velocity,
        o.body_contact_force,
        o.joint_position,
        o.joint_force,
        o.joint_torque,
        o.drive_effort,
        o.span_tension,
        o.cable_length_paid_out,
    )
    assert all(np.isfinite(array).all() for array in numbers), f"t = {o.time} s: {o}"
    assert o.span_tension.min() >= 0.0, (
        f"t = {o.time} s: a cable pushes with {o.span_tension.min()} N"
    )
    lowest = o.body(load).position[2] - 0.5 * np.linalg.norm(size)
    if lowest < 0.0:
        lowest = corner_heights(o, load, size).min()
        assert lowest > -sink, f"t = {o.time} s: a corner is {-lowest} m under the ground"
    tally.deepest = max(tally.deepest, -lowest)
    tally.tension = max(tally.tension, o.span_tension.max())


def run(seconds: float, seed: int, name: str = "tower_12t", **changes: Any) -> Tally:
    """Let an operator play with a crane for so long [simulated s]."""
    machine = Machine(load_crane(name, changes), dt=1e-3, substeps=10)
    load = machine.crane.suspension.load
    size = np.array(machine.crane.details.rig.load.size)
    operator, tally = Operator(machine, seed), Tally()
    while tally.ticks < round(seconds / machine.tick_time):
        operator.act()
        observation = machine.tick()
        tally.ticks += 1
        tally.statuses[observation.report.status] += 1
        tally.iterations = max(tally.iterations, observation.report.iterations)
        tally.residual = max(tally.residual, observation.report.residual)
        check(observation, load, size, SINK[name], tally)
    return tally


def test_a_minute_of_random_commands() -> None:
    """60 s: every status is clean."""
    tally = run(60.0, seed=1)
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally


@pytest.mark.parametrize("model", ["massless", "elevation"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_gantry_under_random_commands(seed: int, model: str) -> None:
    """20 s: the same of a container on four ropes, over stacks that it falls on and runs into."""
    tally = run(20.0, seed, "rtg_41t", **{"reeving.model": model})
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally


@pytest.mark.parametrize("name", PARTS)
def test_a_crane_of_parts_under_random_commands(name: str) -> None:
    """20 s: the same of cranes that a file puts together."""
    tally = run(20.0, 1, name)
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["tower_12t", *PARTS])
def test_hours_of_random_commands(name: str) -> None:
    """10,000 s, which is 1e7 steps."""
    tally = run(1e4, 2, name)
    print(tally)
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally
