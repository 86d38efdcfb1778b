"""Every scene of the catalogue runs like a crane: by name, with its free drives for axes."""

import numpy as np
import pytest

from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.errors import ConfigError
from cable_sim.machine.machine import Machine
from cable_sim.scenes import CATALOGUE, load_scene
from cable_sim.scenes.machines import load_machine
from cable_sim.spec import Body, Drive, Joint, Scene, Sphere
from cable_sim.spec.files import to_yaml


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_scene_of_the_catalogue_runs_by_its_name(name: str) -> None:
    made = load_machine(name)
    machine = Machine(made)
    frame = machine.frame(machine.tick())
    assert set(frame.poses) == {body.name for body in made.scene.bodies}
    assert set(frame.cables) == {cable.name for cable in made.scene.cables}
    assert all(np.isfinite(position).all() for position, _ in frame.poses.values())
    assert frame.time == pytest.approx(machine.tick_time)


def test_a_name_of_both_catalogues_is_the_crane() -> None:
    assert load_machine("tower_crane").family == "tower_crane"
    assert load_machine("rope_over_block").family == "scene"


def test_a_scene_file_runs(tmp_path) -> None:
    path = tmp_path / "swing.yaml"
    path.write_text(to_yaml(load_scene("pendulum")))
    assert load_machine(path).scene == load_scene("pendulum")


def test_a_name_of_neither_is_told_what_there_is() -> None:
    with pytest.raises(ConfigError, match="tower_12t.*rope_over_block"):
        load_machine("tower_13t")


def lathe(**drive) -> Scene:
    """A disc on a hinge between stops, and a drive on it."""
    return Scene(
        name="lathe",
        gravity=(0.0, 0.0, 0.0),
        bodies=(Body("disc", 2.0, shape=Sphere(0.3)),),
        joints=(Joint("spindle", "hinge", "disc", axis=(0.0, 0.0, 1.0), lower=-1.0, upper=2.0),),
        drives=(Drive("motor", "spindle", **drive),),
    )


def test_a_free_drive_is_an_axis_with_limits_of_drive_and_joint() -> None:
    (axis,) = scene_machine(lathe(max_speed=0.5, max_acceleration=2.0)).axes
    assert (axis.name, axis.joint, axis.unit, axis.trade_unit) == (
        "motor",
        "spindle",
        "rad",
        "deg/s",
    )
    assert (axis.lower, axis.upper, axis.max_speed, axis.max_acceleration) == (-1.0, 2.0, 0.5, 2.0)
    assert axis.trade_factor == pytest.approx(180.0 / np.pi)


def test_an_axis_of_a_scene_obeys_and_stops_at_its_end() -> None:
    machine = Machine(scene_machine(lathe(max_speed=0.5, max_effort=50.0)))
    for _ in range(600):
        machine.command("motor", 0.5)
        seen = machine.tick()
        if machine.time == pytest.approx(2.0):
            assert machine.axis_state(seen, "motor").velocity == pytest.approx(0.5)
    assert machine.axis_state(seen, "motor").position == pytest.approx(2.0, abs=2e-3)


def test_a_drive_that_its_scene_moves_is_left_to_it() -> None:
    machine = Machine(scene_machine(lathe(target=0.4)))
    assert machine.crane.axes == ()
    for _ in range(100):
        seen = machine.tick()
    assert seen.drive("motor").velocity == pytest.approx(0.4)
