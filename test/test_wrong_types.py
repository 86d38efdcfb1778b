"""Values of a wrong type: errors of the package, which name the value and what to give instead."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from messages import naming

from cable_sim import BatchSimulator, LocalPlant, Machine, Simulator, equilibrium, load_crane, modes
from cable_sim.errors import CableSimError, CommandError, ModelError, SpecError
from cable_sim.scenes import load_scene

CALLS: dict[str, tuple[Callable[[], Any], type[CableSimError], str]] = {
    "plant of a name": (lambda: LocalPlant("tower_12t"), SpecError, "'tower_12t'.*load_crane"),
    "machine of a scene": (
        lambda: Machine(load_scene("pendulum")),
        SpecError,
        "Scene 'pendulum'.*Crane",
    ),
    "simulator of a crane": (
        lambda: Simulator(load_crane("tower_12t")),
        SpecError,
        "Crane 'tower_12t'.*Scene",
    ),
    "batch of a name": (lambda: BatchSimulator("tower_12t", 2), SpecError, "'tower_12t'.*Scene"),
    "equilibrium of a name": (lambda: equilibrium("pendulum"), SpecError, "'pendulum'.*Scene"),
    "modes of a number": (lambda: modes(3), SpecError, "3.*Scene"),
    "list of changes": (lambda: load_crane("tower_12t", ["a", 3]), SpecError, r"\['a', 3\].*path"),
    "change of a number": (lambda: load_crane("tower_12t", {3: 4}), SpecError, "3.*path"),
    "step in words": (
        lambda: Simulator(load_scene("pendulum"), dt="1 ms"),
        ModelError,
        "dt = 1 ms s.*above 0",
    ),
    "no period": (lambda: LocalPlant(load_crane("lab_gantry"), period=-1.0), ModelError, "-1.0 s"),
    "no step": (lambda: LocalPlant(load_crane("lab_gantry"), dt=0.0), ModelError, "dt = 0.0 s"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_type_is_told(name: str) -> None:
    call, error, words = CALLS[name]
    with pytest.raises(error, match=words):
        call()


def test_commands_and_snapshots_are_of_their_types() -> None:
    plant = LocalPlant(load_crane("tower_12t"))
    simulator = plant.machine.simulator
    for wrong in (100, None, ["trolley"]):
        with pytest.raises(CommandError, match=naming("commands axis")):
            plant.step(wrong)  # type: ignore[arg-type]
    with pytest.raises(CommandError, match=naming("fault 'estop' Fault")):
        plant.machine.faults.inject("estop")  # type: ignore[arg-type]
    with pytest.raises(CommandError, match=naming("save() returned")):
        simulator.restore(3)  # type: ignore[arg-type]
    assert plant.machine.time == 0.0


def test_numbers_of_numpy_are_steps() -> None:
    assert Simulator(load_scene("pendulum"), dt=np.float32(0.5) / 500).dt == np.float32(0.5) / 500
