"""Anything an operator may do, in any order, for hours: nothing breaks.

A crane gets random orders on all axes: speeds, positions and efforts to beyond their limits,
brakes, emergency stops, silence until the watchdog acts. That drops the load, lays the rope slack,
swings the load against the ground, runs the trolley into its stops. Every tick all numbers are
finite, no cable pushes, and no corner of the load is deeper in the ground than what hangs can press
it: the ground has a spring k at each corner, so one that comes with v stops after v sqrt(m / k).
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pytest
from slow_cases import slow_but

from benchmarks.fuzz.driving import Operator
from cable_sim.cranes import load_crane
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation

PARTS = ("luffing_12t", "overhead_32t", "offshore_25t", "mobile_32t", "crawler_50t", "cableway_20t")
"""Cranes that are put together of parts."""
FALL = 0.1
"""Speed that a load gains between two looks at it [m/s]."""
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass
class Tally:
    """What was seen in a run."""

    ticks: int = 0
    statuses: Counter = field(default_factory=Counter)
    """Ticks by status flags."""
    iterations: int = 0
    residual: float = 0.0
    deepest: float = 0.0
    fastest: float = 0.0
    """Speed of a corner of the load at most [m/s]."""
    tension: float = 0.0

    def count(self, flag: int) -> int:
        """Ticks in which a flag was set."""
        return sum(ticks for status, ticks in self.statuses.items() if status & flag)


def corner_heights(observation: Observation, load: str, size: np.ndarray) -> np.ndarray:
    """Heights of the corners of the load above the ground [m]."""
    body = observation.body(load)
    w, x, y, z = body.orientation
    up = np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)])
    return body.position[2] + CORNERS @ (up * size)


def corner_speed(observation: Observation, load: str, size: np.ndarray) -> float:
    """Speed of a corner of the load at most [m/s]."""
    body = observation.body(load)
    turning = np.linalg.norm(body.angular_velocity) * 0.5 * np.linalg.norm(size)
    return float(np.linalg.norm(body.velocity) + turning)


def check(observation: Observation) -> None:
    """All numbers are finite, and no cable pushes."""
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


def run(seconds: float, seed: int, name: str = "tower_12t", **changes: Any) -> Tally:
    """Let an operator play with a crane for so long [simulated s]."""
    machine = Machine(load_crane(name, changes), dt=1e-3, substeps=10)
    hung = machine.crane.suspension
    details = machine.crane.details
    size = np.array(details.rig.load.size)
    mass = sum(body.mass for body in machine.crane.scene.bodies if body.name in hung[2:4])
    give = np.sqrt(mass / details.site.ground.stiffness)
    operator, tally = Operator(machine, seed), Tally()
    while tally.ticks < round(seconds / machine.tick_time):
        operator.act()
        observation = machine.tick()
        tally.ticks += 1
        tally.statuses[observation.report.status] += 1
        tally.iterations = max(tally.iterations, observation.report.iterations)
        tally.residual = max(tally.residual, observation.report.residual)
        check(observation)
        tally.tension = max(tally.tension, observation.span_tension.max())
        tally.fastest = max(tally.fastest, corner_speed(observation, hung.load, size))
        tally.deepest = max(tally.deepest, -corner_heights(observation, hung.load, size).min())
        most = (tally.fastest + FALL) * give
        assert tally.deepest <= most, f"t = {observation.time} s: {tally.deepest} of {most} m"
    return tally


def test_a_minute_of_random_commands() -> None:
    """60 s: every status is clean."""
    tally = run(60.0, seed=1)
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally


@pytest.mark.parametrize(
    ("seed", "model"),
    slow_but({(1, "massless"), (2, "elevation")}, product((1, 2, 3), ("massless", "elevation"))),
)
def test_a_gantry_under_random_commands(seed: int, model: str) -> None:
    """20 s: the same of a container on four ropes, over stacks that it falls on and runs into."""
    tally = run(20.0, seed, "rtg_41t", **{"reeving.model": model})
    assert tally.count(LOST_PIVOT) == 0, tally
    assert tally.count(NOT_CONVERGED) == 0, tally


@pytest.mark.parametrize("name", slow_but(set(PARTS) - {"mobile_32t"}, PARTS))
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
