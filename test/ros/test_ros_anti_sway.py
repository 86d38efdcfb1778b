"""The example controller in C++: the energy law of the package, over the socket of a real node."""

import subprocess
import time

import numpy as np
import pytest
from slow_cases import slow_but

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from std_srvs.srv import SetBool, Trigger

from cable_sim.control.controllers import Energy, Operator
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.scenario import Move, Scenario

CRANE = "lab_inteco"
TICK = 10_000_000
CYCLES = 1200
START = 50
"""Cycle in which both axes begin to move."""


def run_in_python(controller, trolley, hoist):
    """Both axes to places [m] at a cycle, in this process, with the truth for sensors.

    Returns the task, of which the example knows as much, and rows of time, place, speed, sway and
    command. The example's pendulum has a length that is linear in the hoist's coordinate.
    """
    axes = {"trolley": trolley, "hoist": hoist}
    moves = tuple(Move(axis=axis, to=to, start=1e-9 * TICK * START) for axis, to in axes.items())
    scenario = Scenario(crane=CRANE, moves=moves, controller=controller, measured=False)
    plant = LocalPlant.of(scenario)
    seen = plant.reset()
    task = scenario.task(plant.crane, seen, plant.period)
    middle, slope = task.length(0.5), (task.length(0.9) - task.length(0.1)) / 0.8
    at_zero = middle - 0.5 * slope
    task = task._replace(length=lambda depth, across=False: at_zero + slope * depth)
    law, rows = controller.start(task), []
    for _ in range(CYCLES):
        control = law(seen)
        place, speed, _ = seen.axes["trolley"]
        rows.append((seen.time, place, speed, seen.sway.radial, control["trolley"]))
        seen = plant.step(control)
    return task, np.array(rows, dtype=float)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the node's socket is."""
    return str(tmp_path_factory.mktemp("socket") / "ros2_control.sock")


@pytest.fixture(scope="module")
def node(start_waiting, path):
    """A node that waits at its start."""
    made = start_waiting(path, crane_config=CRANE)
    yield made
    assert made.end() == 0


@pytest.fixture
def damp(probe, node, path, cpp_program):
    """Runs the example controller on the node for a task; rows as those of Python."""

    def drive(task, controller):
        trolley, hoist = task.travels
        at_zero = task.length(0.0)
        parameters = {
            "max_speed": trolley.ramps.speed,
            "max_acceleration": trolley.ramps.acceleration,
            "lag": task.crane.lag("trolley"),
            "length_at_zero": at_zero,
            "length_slope": task.length(1.0) - at_zero,
            "damping": controller.damping,
            "settling": controller.settling,
        }
        numbers = (TICK, CYCLES, START, trolley.target, *hoist.ramps[:3])
        words = [*map(repr, numbers), *(f"{key}={value!r}" for key, value in parameters.items())]
        assert probe.call(SetBool, "/cable_sim/pause", data=True).success
        assert probe.call(Trigger, "/cable_sim/reset").success
        command = [cpp_program("damp_sway"), path, *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
            first = driver.stdout.readline()
            time.sleep(0.5)  # the commands that were sent before it have come by then
            assert probe.call(SetBool, "/cable_sim/pause", data=False).success
            lines = (first + driver.communicate(timeout=120.0)[0]).splitlines()
        rows = np.array([[float.fromhex(word) for word in line.split()] for line in lines])
        return rows[:, (0, 1, 2, 5, 6)]

    return drive


@pytest.mark.parametrize(
    ("damping", "settling", "trolley", "hoist"),
    slow_but([(0.5, 0.5, 0.3, 0.8)], [(0.5, 0.5, 0.3, 0.8), (0.8, 0.7, -0.2, 0.3)]),
)
def test_the_cpp_controller_leaves_the_sway_of_the_python_law(
    damp, damping, settling, trolley, hoist
):
    """Place, speed, sway and command have the same bits at every tick, while hoisting, too. So has
    what is left of the sway: a fraction of that after the same moves without the law."""
    controller = Energy(damping=damping, shaper="none", settling=settling)
    task, python = run_in_python(controller, trolley, hoist)
    cpp = damp(task, controller)
    assert np.array_equal(cpp, python)
    _, operator = run_in_python(Operator(), trolley, hoist)
    last = CYCLES // 4
    left, without = (np.abs(rows[-last:, 3]).max() for rows in (cpp, operator))
    assert left < 0.05 * without, (left, without)
