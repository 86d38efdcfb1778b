"""The two soft modes of the tower crane: frequencies, damping, static deflection, and a start at
rest."""

import math

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine

SOFT = {"crane.structure.mode": "soft"}
HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}
MODES = {"tower_torsion": 0.35, "jib_pitch": 0.45}
"""Frequencies of the empty crane as its file has it start [Hz]."""


def crossings(x: np.ndarray, dt: float) -> np.ndarray:
    """Times at which x goes up through zero [s]."""
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    return (k - x[k] / (x[k + 1] - x[k])) * dt


@pytest.mark.parametrize("name", MODES)
def test_empty_crane_modes_have_the_given_frequency_and_damping(name: str) -> None:
    """Struck and let go: the frequency within 0.2 %, log decrement 2 pi zeta within 5 %."""
    machine = Machine(load_crane("tower_12t", SOFT), substeps=10)
    start = machine.tick().joint(name).position
    child = "tower_head" if name == "tower_torsion" else "jib"
    axis = machine.simulator._state.joints.axes[machine.simulator.names.index("joints", name), 0, 2]
    for _ in range(10):
        machine.simulator.push(
            child, torque=2e5 * axis
        )  # so little that the slack slings stay slack
        machine.tick()
    machine.simulator.push(child)
    x = np.array([machine.tick().joint(name).position for _ in range(1200)]) - start
    ups = crossings(x, machine.tick_time)
    assert 1.0 / np.diff(ups).mean() == pytest.approx(MODES[name], rel=2e-3)
    peaks = [x[int(a / 0.01) : int(b / 0.01) + 1].max() for a, b in zip(ups, ups[1:], strict=False)]
    decrement = math.log(peaks[0] / peaks[2]) / 2.0
    assert decrement == pytest.approx(2.0 * math.pi * 0.01, rel=0.05)


def test_jib_sags_by_the_moment_over_its_stiffness() -> None:
    """A pull F at the load, held until all is calm: F r / k more, to 0.5 %; and torsion under a
    torque."""
    parts = load_crane("tower_12t", SOFT).details.parts
    calm = {
        f"parts.{part}.joint.damping": 50.0 * parts[part].joint.damping
        for part in ("tower_head", "jib")
    }
    crane = load_crane("tower_12t", SOFT | HANGING | calm)
    machine = Machine(crane)
    machine.simulator.push("load", (0.0, 0.0, -10e3))
    machine.simulator.push("jib", torque=(0.0, 0.0, 1e5))
    for _ in range(1500):
        seen = machine.tick()
    joints = {joint.name: joint for joint in crane.scene.joints}
    radius = seen.joint("trolley").position
    assert seen.joint("jib_pitch").position == pytest.approx(
        -10e3 * radius / joints["jib_pitch"].stiffness, rel=5e-3
    )
    assert seen.joint("tower_torsion").position == pytest.approx(
        1e5 / joints["tower_torsion"].stiffness, rel=5e-3
    )


TURNED = {"rig.start.slewing_angle_deg": 70.0, "rig.start.radius": 35.0}


@pytest.mark.parametrize("start", [{}, HANGING, HANGING | TURNED])
def test_soft_crane_starts_at_rest(start: dict) -> None:
    """Nothing moves by more than the rope's own start: 1 mm at the load, 1e-5 rad in the steel, for
    2 s."""
    machine = Machine(load_crane("tower_12t", SOFT | start))
    first = machine.observe()
    for _ in range(200):
        seen = machine.tick()
    np.testing.assert_allclose(seen.body("load").position, first.body("load").position, atol=1e-3)
    for name in MODES:
        assert abs(seen.joint(name).position) < 1e-5


def test_rigid_is_the_default_and_has_neither() -> None:
    crane = load_crane("tower_12t")
    assert [joint.name for joint in crane.scene.joints] == ["slewing", "trolley"]
    soft = load_crane("tower_12t", SOFT)
    for family in (crane, soft):
        assert (
            sum(body.mass for body in family.scene.bodies if body.name in ("jib", "slewing_part"))
            == 45000.0
        )
