"""A crane in this process, one call a tick: commands that are possible, and those that are not."""

import warnings

import pytest
from messages import naming

from cable_sim.control.feedback import Command
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimWarning, CommandError
from cable_sim.machine.machine import Machine


@pytest.fixture(scope="module")
def plant() -> LocalPlant:
    return LocalPlant(load_crane("tower_12t", {"rig.start.state": "hanging"}))


def test_a_command_beyond_its_limit_warns_once_an_axis(plant: LocalPlant) -> None:
    plant.reset()
    with pytest.warns(CableSimWarning, match=naming("'trolley' speed 100 clamped 1.333")) as told:
        plant.step({"trolley": 100.0})
    assert told[0].filename == __file__
    with pytest.warns(CableSimWarning, match=naming("'hoist' position -50 clamped")):
        plant.step({"hoist": Command(-50.0, "position"), "trolley": 100.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(100):
            seen = plant.step({"trolley": 100.0, "hoist": -100.0})
    assert 0.1 < seen.axes["trolley"].velocity < 1.34


@pytest.mark.parametrize("value", [None, "fast", float("nan"), [1.0]])
def test_a_command_that_is_no_number_is_refused(plant: LocalPlant, value) -> None:
    with pytest.raises(CommandError, match=naming("'trolley' value finite number")):
        plant.step({"trolley": value})


def test_an_effort_is_a_command(plant: LocalPlant) -> None:
    plant.reset()
    for _ in range(100):
        seen = plant.step({"trolley": Command(2000.0, "effort")})
    assert seen.axes["trolley"].velocity > 0.01
    assert seen.axes["trolley"].effort == pytest.approx(2000.0, rel=0.05)


@pytest.mark.parametrize("name", ["tower_12t", "rtg_41t", "nehe_rope"])
def test_plant_records_load_and_ropes_tick_by_tick(name: str) -> None:
    """The rows are what the controller was told."""
    plant = LocalPlant(load_crane(name))
    first = plant.crane.ropes[0]
    with plant.record() as run:
        seen = [plant.step({}) for _ in range(3)]
    assert [state.time for state in seen] == pytest.approx(run.time[1:])
    assert [state.pull for state in seen] == pytest.approx(run[f"{first}.tension"][1:])
    body = plant.observation.body(plant.crane.watched)
    assert run[f"{plant.crane.watched}.position"][-1] == pytest.approx(body.position)
    assert run.plot().pixels.size


def test_plant_records_chosen_channels_at_every_step() -> None:
    plant = LocalPlant(load_crane("tower_12t"))
    with plant.record(["load.velocity"], every=1) as run:
        plant.step({})
    assert len(run) == 11 and run.columns[1] == "load.velocity.x"
    with pytest.raises(CommandError):
        plant.record(every=0)


def test_commands_beyond_a_limit_push_no_notice_out() -> None:
    """Neither the same again and again, nor another one in each tick."""
    machine = Machine(load_crane("tower_12t"))
    machine.notices.append("something else")
    for i in range(50):
        machine.command("trolley", 50.0 + i)
        machine.command("hoist", 40.0)
    other, trolley, hoist = machine.notices
    assert other == "something else"
    assert naming("'trolley' speed 99 clamped 1.333").search(trolley)
    assert naming("'hoist' speed 40 clamped").search(hoist)
    assert machine.counts["clamped"] == 100
