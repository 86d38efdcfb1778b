"""Buffers: how far what runs into them presses them."""

import math

import pytest

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.buffers import Buffer
from cable_sim.errors import SpecError

START = {
    "rig.start.state": "hanging",
    "rig.start.radius": 69.0,
    "rig.load.mass": 1.0,
    "hooks.hook_block.mass": 1.0,
}


@pytest.mark.parametrize("stiffness", [2e5, 2e6])
def test_a_trolley_presses_its_buffer_by_v_sqrt_m_over_k(stiffness: float) -> None:
    """Driven at 1 m/s up to it, its drive then without power; little damping takes exp(-zeta pi /
    2) of it."""
    made = Buffer(stiffness, damping_time=1e-3)
    led = {"limits.trolley_buffer": made, "drives.trolley.accel": 10.0, "drives.trolley.tau": 1e-3}
    crane = load_crane("tower_12t", START | led)
    simulator, farthest = Simulator(crane.scene, dt=2e-4), 0.0
    end, mass = crane.axis("trolley").upper, crane.details.parts["trolley"].mass
    simulator.command("trolley", 1.0, "speed")
    while simulator.drives["trolley"].position < end - 0.01:
        simulator.step()
    simulator.set_drive("trolley", powered=False)
    for _ in range(2000):
        simulator.step()
        farthest = max(farthest, simulator.drives["trolley"].position - end)
    damping_ratio = 0.5 * made.damping_time * math.sqrt(stiffness / mass)
    expected = math.sqrt(mass / stiffness) * math.exp(-0.5 * math.pi * damping_ratio)
    assert farthest == pytest.approx(expected, rel=0.03)


def test_a_file_without_buffers_has_hard_stops() -> None:
    crane = load_crane("tower_12t", {"limits.trolley_buffer": None})
    assert (
        next(joint for joint in crane.scene.joints if joint.name == "trolley").stop_compliance
        == 0.0
    )
    with pytest.raises(SpecError, match="stiffness"):
        Buffer(0.0)
