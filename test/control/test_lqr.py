"""The regulator on the cranes: a container to its place, and a tower crane that moves all its axes
at once."""

import dataclasses
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.energy import Energy
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import read_scenario
from cable_sim.spec.scene import GRAVITY

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"


def outside(done: Run, band: float = 0.05) -> float:
    """When the load is for the last time outside the band about its place [s]."""
    off = np.abs(done.load[:, 0] - done.travels[0].target)
    return float(done.time[off > band][-1])


@cache
def placed(controller: AnyController, believed: float) -> Run:
    """41 t on 10 m of falls, pushed, with the file's camera, and falls that are not as long as
    believed."""
    scenario = read_scenario(SCENARIOS / "rtg_place_41t_lqr.yaml")
    sensors = {sensor.name: sensor for sensor in scenario.build().sensors}
    assert sensors["sway.radial"].delay == 0.08
    wrong = dataclasses.replace(scenario.believed, length=believed)
    return run(
        dataclasses.replace(scenario, controller=controller, believed=wrong, watch=12.0, dt=4e-3)
    )


@pytest.mark.parametrize(
    ("controller", "believed"),
    slow_but([(Lqr(), 1.1), (Energy(), 1.1)], [(Lqr(), 1.1), (Lqr(), 0.9), (Energy(), 1.1)]),
)
def test_the_rated_load_is_within_50_mm_in_five_seconds(
    controller: AnyController, believed: float
) -> None:
    done = placed(controller, believed)
    assert (
        outside(done)
        < done.travels[0].ramps.end + math.pi * math.sqrt(10.0 * believed / GRAVITY) + 5.0
    )


def test_the_operator_leaves_it_far_from_there() -> None:
    done = placed(Operator(), 1.0)
    assert np.abs(done.load[-650:, 0] - done.travels[0].target).max() > 0.2


@cache
def moved(controller: AnyController) -> Run:
    """Slewing, trolley and hoist together, with the sensors of the file."""
    scenario = read_scenario(SCENARIOS / "tower_all_axes_lqr.yaml")
    return run(dataclasses.replace(scenario, dt=5e-3, watch=26.0, controller=controller))


@pytest.mark.parametrize("controller", slow_but([Lqr()], [Lqr(), Energy()]))
def test_a_tower_crane_that_moves_all_axes_leaves_little_sway(controller: AnyController) -> None:
    """A tenth of the operator's sway at most, two periods after the moves, and trolley and jib in
    their places."""
    left = []
    for done in (moved(Operator()), moved(controller)):
        late = done.time > max(travel.ramps.end for travel in done.travels) + 20.0
        left.append(float(np.degrees(np.hypot(done.sway[late, 0], done.sway[late, 1]).max())))
    assert left[1] < 0.1 * left[0]
    for travel in done.travels:
        off = done.position[-1, done.axes.index(travel.axis)] - travel.target
        assert abs(off) < (2e-3 if travel.axis == "slewing" else 0.02)
