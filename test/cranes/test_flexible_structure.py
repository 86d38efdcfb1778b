"""Cranes on a mast that bends: at rest from the start, deflection, frames, errors."""

from dataclasses import replace

import numpy as np
import pytest
from messages import naming

from cable_sim import CableSimWarning, Simulator, SpecError, equilibrium, load_crane, modes
from cable_sim.ros.basis.frames import links

FLEXIBLE = {"crane.structure.mode": "flexible"}
HEIGHT, EI = 63.5, 1.67e10
"""Of the mast of tower_12t [m, N m^2]."""


def tower(**changes):
    """The tower crane on its mast, with a load that hangs."""
    return load_crane("tower_12t", FLEXIBLE | {"rig.start.state": "hanging"} | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rig.start.radius": 60.0, "rig.load.mass": 3000.0},
        {"rig.start.slewing_angle_deg": 70.0, "reeving.n_falls": 4},
        {"crane.hook_height": 75, "rig.start.hook_depth": 20.0},
        {"rig.start.state": "on_ground"},
    ],
)
def test_crane_on_a_mast_that_bends_starts_at_rest(changes) -> None:
    """Its camber holds what the statics of the file say that it carries."""
    scene = tower(**changes).scene
    simulator = Simulator(scene)
    simulator.step(3000)
    assert simulator.observe().report.status == 0
    for body in scene.bodies:
        moved = simulator.bodies[body.name].position - body.position
        assert np.abs(moved).max() < 2e-4, body.name


@pytest.mark.parametrize("name", ["tower_5t", "luffing_12t"])
def test_other_cranes_on_such_masts_start_at_rest(name: str) -> None:
    scene = load_crane(name, FLEXIBLE).scene
    simulator = Simulator(scene)
    simulator.step(3000)
    for body in scene.bodies:
        moved = simulator.bodies[body.name].position - body.position
        assert np.abs(moved).max() < 1e-3, body.name


def test_frames_follow_the_mast() -> None:
    """Its nodes move freely in TF, and what slews turns on the last one."""
    found = {link.name: (link.parent, link.kind) for link in links(tower())}
    assert found["mast_2"] == ("base_link", "floating")
    assert found["jib"] == ("mast_3", "revolute")


def test_outline_tells_that_the_mast_bends() -> None:
    assert "mast: bends" in tower().details.outline()


def test_heavier_load_turns_the_end_of_the_mast() -> None:
    """By M tan(b L) / (EI b) under a moment, b^2 = P / EI of the weight on it."""
    radius, more = 40.0, 1500.0
    scene = tower(**{"rig.start.radius": radius, "rig.load.mass": 2000.0}).scene
    bodies = [replace(b, mass=b.mass + more) if b.name == "load" else b for b in scene.bodies]
    seen = equilibrium(replace(scene, bodies=bodies)).observation
    w, _, y, _ = seen.body("jib").orientation
    weight = 9.81 * sum(b.mass for b in bodies if not b.name.startswith("mast"))
    weight += 9.81 * sum(b.mass for b in bodies if b.name.startswith("mast")) / 3.0
    wave = np.sqrt(weight / EI)
    moment = more * 9.81 * radius
    assert 2.0 * np.arctan2(y, w) == pytest.approx(
        moment * np.tan(wave * HEIGHT) / (EI * wave), rel=2e-2
    )


def test_tower_sways_below_half_a_hertz() -> None:
    """As measured towers do: Oliveira and Correia 2021."""
    rigid = [mode.frequency for mode in modes(load_crane("tower_12t").scene)]
    soft = [mode.frequency for mode in modes(load_crane("tower_12t", FLEXIBLE).scene)]
    tower_modes = [f for f in soft if min(abs(f - np.array(rigid))) > 0.02]
    assert 0.1 < min(tower_modes) < 0.5


def test_mast_that_is_near_to_buckling_is_told() -> None:
    """Of Euler's load pi^2 EI / 4 L^2."""
    with pytest.warns(CableSimWarning, match=naming("parts.mast.beam 1.224e+06 N")):
        tower(**{"parts.mast.beam.ei_y": 2.0e9})
    with pytest.raises(SpecError, match=naming("mast carries 6.119e+05 N")):
        tower(**{"parts.mast.beam.ei_y": 1.0e9})


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"parts.jib.on": "world"}, "parts.mast.beam 'mast'"),
        ({"parts.mast.points": {"top": [0.0, 0.0, 60.0]}}, "parts.mast.beam points wheels"),
        ({"parts.mast.beam.ei_y": 0.0}, "parts.mast.beam.ei_y 0.0"),
    ],
)
def test_wrong_beams_are_refused_by_name(changes, said: str) -> None:
    with pytest.raises(SpecError, match=naming(said)):
        tower(**changes)
