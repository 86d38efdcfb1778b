"""What all controllers with feedback share: plans behind the drives' lags, sensors that fail,
bounds, mistakes."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.energy import Energy
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.methods.axis_tracker import AxisTracker
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario, read_scenario
from cable_sim.errors import SpecError
from cable_sim.machine.faults import Fault

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"
CONTROLLERS = [Lqr(), Energy()]
SHORT = Scenario(
    "rtg_41t",
    (Move("trolley", by=4.0, start=0.5), Move("gantry", by=3.0, start=1.0)),
    rope_length=11.6,
    start={"trolley": -4.0},
    changes={"site.stacks": ()},
    dt=5e-3,
    watch=3.0,
)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_move_that_goes_as_planned_needs_hardly_any_feedback(controller: AnyController) -> None:
    """What is commanded differs from the shaped plan by a small share of the speed, though the
    drives lag."""
    scenario = dataclasses.replace(SHORT, controller=controller, watch=8.0)
    plan_only = dataclasses.replace(scenario, controller=Lqr(effort=1e4))
    led, planned = run(scenario), run(plan_only)
    for axis, fastest in (("trolley", 1.167), ("gantry", 1.5)):
        i = led.axes.index(axis)
        assert np.nanmax(np.abs(led.wanted[:, i] - planned.wanted[:, i])) < 0.04 * fastest
        assert led.position[-1, i] == pytest.approx(
            led.travels[0 if axis == "trolley" else 1].target, abs=0.01
        )


@pytest.mark.parametrize(
    "dead",
    slow_but(
        ["sway.radial", "trolley.position"],
        ["sway.radial", "trolley.position", "trolley.speed", "hoist.position"],
    ),
)
def test_with_a_dead_sensor_it_goes_on_by_its_model(dead: str) -> None:
    """All commands are numbers, and the trolley still gets near to its place."""
    fault = Fault("sensor_dead", dead, start=1.0)
    done = run(dataclasses.replace(SHORT, controller=Lqr(), faults=(fault,), watch=10.0))
    trolley = done.axes.index("trolley")
    assert np.isfinite(done.wanted[1:, [trolley, done.axes.index("gantry")]]).all()
    assert done.position[-1, trolley] == pytest.approx(0.0, abs=0.1)
    assert np.degrees(np.abs(done.sway[-300:, 0])).max() < 1.0


def test_commands_stay_within_what_the_axes_allow() -> None:
    """The load is pushed so hard that both bounds count, and not so hard that the trolley's wheels
    slip."""
    scenario = read_scenario(SCENARIOS / "rtg_place_41t_lqr.yaml")
    pushed = dataclasses.replace(scenario.pushes[0], force=(40e3, 20e3, 0.0), start=2.0)
    done = run(dataclasses.replace(scenario, pushes=(pushed,), watch=12.0, dt=5e-3))
    axis, i = scenario.build().axis("trolley"), done.axes.index("trolley")
    assert np.nanmax(np.abs(done.wanted[:, i])) <= axis.max_speed
    assert (
        np.nanmax(np.abs(np.diff(done.velocity[:, i])))
        <= 1.05 * axis.max_acceleration * scenario.period
    )
    assert done.position[-1, i] == pytest.approx(7.0, abs=0.1)


def test_what_stops_the_crane_does_not_wind_the_controller_up() -> None:
    """A drive that trips for six seconds: afterwards the trolley comes to its place, slowly and
    without a jump."""
    trip = Fault("drive_trip", "trolley", start=2.0, duration=6.0)
    done = run(dataclasses.replace(SHORT, controller=Lqr(), faults=(trip,), watch=35.0))
    i = done.axes.index("trolley")
    assert np.abs(done.velocity[done.time > 8.0, i]).max() < 0.4
    assert done.position[:, i].max() < 0.1
    assert done.position[-1, i] == pytest.approx(0.0, abs=0.02)


def test_the_truth_instead_of_sensors() -> None:
    """A laboratory crane has no sensors; measured: false takes the truth, and says so where that is
    missing."""
    moves = (Move("trolley", by=0.3), Move("gantry", by=-0.2), Move("hoist", by=0.2))
    scenario = Scenario(
        "lab_inteco", moves, controller=Lqr(), watch=6.0, measured=False, start={"hoist": 0.5}
    )
    done = run(scenario)
    assert np.degrees(np.abs(done.sway[-100:])).max() < 0.1
    with pytest.raises(SpecError, match=naming("measure sway.radial encoder tachometer camera")):
        run(dataclasses.replace(scenario, measured=True))


def test_axes_that_feedback_can_not_move_are_refused() -> None:
    with pytest.raises(SpecError, match=naming("feedback moves trolley gantry rtg_41t 'hoist'")):
        run(dataclasses.replace(SHORT, controller=Lqr(axes=("hoist",))))


def test_an_axis_without_a_move_can_help() -> None:
    """Slewing swings the load outward: the trolley calms at least half of it where it may."""
    move = (Move("slewing", by_deg=30.0, start=0.5),)
    scenario = Scenario(
        "tower_12t",
        move,
        load=3000.0,
        rope_length=30.0,
        start={"trolley": 30.0},
        dt=5e-3,
        watch=20.0,
        controller=Lqr(),
    )
    alone = run(scenario)
    helped = run(dataclasses.replace(scenario, controller=Lqr(axes=("slewing", "trolley"))))
    late = alone.time > alone.time[-1] - 10.0
    outward = [float(np.abs(done.sway[late, 0]).max()) for done in (alone, helped)]
    assert outward[1] < 0.5 * outward[0]
    trolley = helped.axes.index("trolley")
    assert helped.position[-1, trolley] == pytest.approx(30.0, abs=0.05)
    assert np.isnan(alone.wanted[1:, trolley]).all()


def test_what_is_meant_is_the_plan_behind_the_lag() -> None:
    """v' = (v_plan - v) / tau and its integral, for a ramp in closed form: v = a (t - tau (1 -
    exp(-t / tau)))."""
    crane = SHORT.build()
    plant = LocalPlant(crane)
    task = SHORT.task(crane, plant.reset(), 0.01)
    a, lag = 0.25, crane.details.axes["trolley"].tau
    lane = AxisTracker(task, "trolley", lambda t: (-4.0 + 0.5 * a * t * t, a * t, a), True)
    for k in range(300):
        lane.go_on(0.01 * k)
    left = math.exp(-3.0 / lag)
    assert lane.meant_speed == pytest.approx(a * (3.0 - lag * (1.0 - left)), rel=1e-3)
    assert lane.meant == pytest.approx(
        -4.0 + a * (4.5 - lag * 3.0 + lag**2 * (1.0 - left)), abs=1e-4
    )
