"""ExternalWrenches on the load: when they act, and that their impulse arrives."""

import numpy as np
import pytest
from messages import naming

from cable_sim.control.plants.load_pushes import LoadPush, force_on_load
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, SpecError


def test_pushes_add_up_and_end() -> None:
    pushes = (LoadPush((10.0, 0.0, 0.0), 0.1, 0.2), LoadPush((0.0, 5.0, 0.0), 0.2, 0.05))
    told = [force_on_load(pushes, k * 0.01, 0.01) for k in range(40)]
    assert told[:10] == [None] * 10 and told[31:] == [None] * 9
    assert told[10:20] == [(10.0, 0.0, 0.0)] * 10 and told[20:25] == [(10.0, 5.0, 0.0)] * 5
    assert told[25:30] == [(10.0, 0.0, 0.0)] * 5 and told[30] == (0.0, 0.0, 0.0)


def test_a_push_gives_the_load_its_impulse_and_no_more() -> None:
    """F t = m v for a load of 1 kg that is pushed for a tenth of a second, a small part of its
    swing."""
    crane = load_crane("lab_inteco", {"rig.start.depth": 0.9})
    plant = LocalPlant(crane, pushes=(LoadPush((0.3, -0.2, 0.0), 0.05, 0.1),))
    seen = plant.reset()
    while seen.time < 0.155:
        seen = plant.step({"trolley": 0.0, "gantry": 0.0, "hoist": 0.0})
    assert seen.load is not None
    assert seen.load.velocity[:2] == pytest.approx([0.03, -0.02], rel=0.03)
    peaks = []
    while seen.time < 3.0:
        seen = plant.step({"trolley": 0.0, "gantry": 0.0, "hoist": 0.0})
        assert seen.load is not None
        peaks.append(seen.load.velocity[0])
    assert np.abs(peaks).max() == pytest.approx(0.03, rel=0.03)
    plant.reset()
    assert not plant.machine.pushes.acting


def test_what_cannot_be_pushed_is_said() -> None:
    with pytest.raises(SpecError, match="duration"):
        LoadPush((1.0, 0.0, 0.0), 0.0, 0.0)
    plant = LocalPlant(load_crane("lab_inteco"), pushes=(LoadPush((1e6, 0.0, 0.0)),))
    plant.reset()
    with pytest.raises(CommandError, match=naming("push 'hook_block' force 1e")):
        plant.step({})
