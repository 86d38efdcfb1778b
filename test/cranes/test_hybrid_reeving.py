"""Hoist ropes of hybrid wire: a container lands, the ropes go slack by metres, and it is lifted."""

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.spec.scene import GRAVITY

STEP = 5e-3
HANGING = {
    "reeving.model": "hybrid",
    "rig.start.state": "hanging",
    "rig.start.depth": 37.0,
    "rig.load.mass": 28e3,
}
FALLS = 8


def hoist(simulator: Simulator, speed: float, time: float) -> int:
    """Pay out at a speed [m/s], or brake, for a time [s]; return all status flags."""
    simulator.command("hoist", speed, "speed", brake=speed == 0.0)
    flags = 0
    for _ in range(round(time / STEP)):
        flags |= simulator.step().status
    return flags


def test_a_container_lands_and_is_lifted_again() -> None:
    """A dead end carries its share of what hangs below, and the weight of its own fall."""
    crane = load_crane("sts_51t", HANGING)
    simulator = Simulator(crane.scene, dt=STEP)
    for axis in ("gantry", "trolley"):
        simulator.command(axis, 0.0, "speed", brake=True)
    flags = hoist(simulator, 0.0, 1.0)
    rope = crane.scene.cables[0].rope
    seen = simulator.observe().cable(crane.ropes[0])
    hung = sum(b.mass for b in crane.scene.bodies if b.name in ("spreader", "container"))
    expected = GRAVITY * (hung / FALLS + rope.mass_per_metre * 0.5 * seen.length)
    assert seen.tension_dead_end == pytest.approx(expected, rel=3e-3)
    flags |= hoist(simulator, 1.0, 4.5) | hoist(simulator, 0.0, 1.0)
    seen = simulator.observe().cable(crane.ropes[0])
    assert seen.length_paid_out - seen.length > 1.5
    assert seen.tension_dead_end == pytest.approx(
        GRAVITY * rope.mass_per_metre * 0.5 * seen.length, rel=0.5
    )
    flags |= hoist(simulator, -1.0, 5.5) | hoist(simulator, 0.0, 2.0)
    np.testing.assert_allclose(
        [simulator.observe().cable(name).tension_dead_end for name in crane.ropes],
        expected,
        rtol=0.1,
    )
    assert flags == 0
