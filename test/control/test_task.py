"""What a controller is told of its task, and what a run keeps of its commands."""

import math

import numpy as np
import pytest

from cable_sim.control.metrics import metrics_of, twist
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Believed, Move, Scenario
from cable_sim.cranes import load_crane
from cable_sim.machine.external_wrenches import Push


def told(**fields):
    """The task of a gantry's scenario."""
    scenario = Scenario("rtg_41t", (), rope_length=12.0, **fields)
    plant = LocalPlant.of(scenario)
    return scenario.task(plant.crane, plant.reset(), plant.period)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.3, 0.5)], ids=["in its middle", "beside it"])
def test_the_load_is_all_that_hangs_on_the_spreader(offset):
    """Of a container whose centre of mass is beside its middle half is a body of its own."""
    changes = {"rig.load.offset": offset}
    assert told(load=30e3, changes=changes).load == pytest.approx(30e3)
    assert told(load=30e3, changes=changes, believed=Believed(load=0.8)).load == pytest.approx(24e3)


def test_an_empty_spreader_is_its_own_load():
    mass = load_crane("rtg_41t").details.hooks["spreader"].mass
    assert told(load=0.0).load == pytest.approx(mass)


def test_the_lag_of_an_axis_is_that_of_its_drive():
    task = told()
    axes = task.crane.details.axes
    assert all(task.crane.lag(name) == axes[name].tau for name in ("trolley", "gantry"))
    assert task.crane.lag("trolley") != task.crane.lag("gantry")


def test_a_torque_turns_the_load_about_the_vertical():
    """psi = M t^2 / (2 I), exactly: the slings meet in one point of the hook, and don't hold it."""
    torque, scenario = 200.0, Scenario("tower_12t", (), load=3000.0, rope_length=30.0)
    plant = LocalPlant.of(scenario)
    plant.reset()
    (load,) = (body for body in plant.crane.scene.bodies if body.name == "load")
    inertia = load.inertia[2] if load.inertia is not None else load.shape.inertia(load.mass)[2]
    first = plant.heading
    for _ in range(20):
        plant.machine.pushes.give(
            Push("load", (0.0, 0.0, 0.0), (0.0, 0.0, torque)), plant.machine.time
        )
        plant.step({})
    assert plant.heading - first == pytest.approx(0.5 * torque / inertia * 0.2**2, rel=1e-9)


def test_a_load_below_a_hook_does_not_go_round_with_the_jib():
    moves = (Move("slewing", by_deg=20.0),)
    done = run(Scenario("tower_12t", moves, load=3000.0, rope_length=20.0, watch=1.0, dt=4e-3))
    largest = math.degrees(np.abs(twist(done)).max())
    assert metrics_of(done).twist_deg == pytest.approx(largest) and 0.0 < largest < 0.1


def test_a_crane_without_a_load_has_no_heading():
    assert math.isnan(LocalPlant(load_crane("nehe_rope")).heading)
