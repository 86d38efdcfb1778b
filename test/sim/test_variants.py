"""The two variants of the step: cranes alone, and everything."""

import os
import warnings

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere, load_scene
from cable_sim.cranes.catalogue import crane_names, load_crane
from cable_sim.errors import CableSimWarning
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.model.cables import variants
from cable_sim.model.cables.variants import extras_of
from cable_sim.ros.launch import run_command
from cable_sim.ros.launch.processes import Child
from cable_sim.scenes import scene_names
from cable_sim.spec import Elevation, Hybrid, Lumped, Obstacle

WITH_MASSES = {"nehe_rope", "held_rope", "cableway_20t"}
HANGING = (Anchor("world"), Anchor("load"))


@pytest.mark.parametrize("name", sorted(crane_names()))
def test_a_crane_needs_no_extras_unless_its_rope_has_masses(name: str) -> None:
    extras = extras_of(Simulator(load_crane(name).scene)._model)
    assert extras is (True if name in WITH_MASSES else None)


@pytest.mark.parametrize(
    "extra",
    [
        {"cables": {"ea": 1e6, "elevation": Elevation(1.0)}},
        {"cables": {"ea": 1e6, "hybrid": Hybrid(density=1.0)}},
        {"cables": {"ea": 1e6, "lumped": Lumped(5, density=1.0)}},
        {"obstacles": (Obstacle("block", Box(1.0, 1.0, 1.0), position=(9.0, 0.0, 0.0)),)},
    ],
    ids=["waves", "wires", "masses", "obstacle"],
)
def test_whatever_cranes_lack_needs_the_extras(extra: dict) -> None:
    load = Body("load", 10.0, shape=Sphere(0.1), position=(0.0, 0.0, -5.0))
    rope = {"length": 5.0} | extra.get("cables", {})
    touches = tuple(solid.name for solid in extra.get("obstacles", ()))
    cable = Cable("rope", HANGING, touches=touches, **rope)
    scene = Scene(bodies=(load,), cables=(cable,), obstacles=extra.get("obstacles", ()))
    assert extras_of(Simulator(scene)._model) is True


def test_all_scenes_share_the_code_of_two_variants() -> None:
    """Code relies on the widths of arrays: one that differs would have a step compiled for it."""
    kinds = set()
    for name in scene_names():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CableSimWarning)
            running = Simulator(load_scene(name))._running
        kinds |= {running.moved._numba_type_, running.looked._numba_type_}
    assert len(kinds) == 2


def test_the_widths_of_waves_are_left_open() -> None:
    """Two layers with other numbers of points run by the same code."""
    pins = []
    for points in (5, 9):
        cable = Cable("rope", HANGING, length=5.0, ea=1e6, elevation=Elevation(1.0, points))
        load = Body("load", 10.0, shape=Sphere(0.1), position=(0.0, 0.0, -5.0))
        pins.append(Simulator(Scene(bodies=(load,), cables=(cable,)))._running.moved)
    waves = [pin.records.state.waves.displacement.shape for pin in pins]
    assert waves[0] != waves[1]
    assert pins[0]._numba_type_ is pins[1]._numba_type_


def test_both_variants_take_a_crane_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    crane = load_crane("tower_12t")
    states = []
    for extras in (None, True):
        monkeypatch.setattr(variants, "extras_of", lambda _, extras=extras: extras)
        simulator = Simulator(crane.scene)
        simulator.command(next(iter(simulator.names.drives)), 0.5)
        simulator.step(400)
        seen = simulator.observe()
        states.append([*arrays_of(simulator._state), np.array(seen.energy)])
    assert len(states[0]) > 20
    for one, other in zip(*states, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_rest_is_compiled_at_the_lowest_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    own = os.getpriority(os.PRIO_PROCESS, 0)

    def start(name: str, words: list[str]) -> Child:
        started.append(Child(name, [*words[:3], "sleep", "60"]))
        return started[-1]

    monkeypatch.setattr(run_command, "Child", start)
    with run_command._rest_compiled():
        process = started[0].process
        while (priority := os.getpriority(os.PRIO_PROCESS, process.pid)) == own:
            pass
        assert priority == 19 and process.poll() is None
    assert process.poll() is not None
