"""From rubber to steel to the rigid limit: a load falls half a metre into its rope, at any step,
and nothing explodes.

Undamped SPOOK once gained energy without end where a one-sided cable was too stiff for the step:
see ``kernels/multibody/rows.py`` on z^2.
"""

import numpy as np
import pytest

from cable_sim import Simulator, load_scene
from cable_sim.kernels.status import CATCH_MISSED
from cable_sim.spec import Anchor, Body, Box, Cable, Rope, Scene

MASS, LENGTH, FALL, G = 100.0, 10.0, 0.5, 9.81
MATERIALS = {
    "rubber": {"rope": Rope("solid", 0.03, material="rubber")},
    "nylon": {"rope": Rope("solid", 0.01, material="nylon")},
    "wire rope": {"rope": Rope("6x36ws_iwrc", 0.016)},
    "steel": {"rope": Rope("solid", 0.05, material="steel")},
    "stiffer": {"ea": 1e9},
    "than anything": {"ea": 1e12},
    "rigid": {},
}


def falling(material: str) -> Scene:
    kwargs = MATERIALS[material]
    if kwargs:
        kwargs = kwargs | {"damping_time": 0.0}
    body = Body(
        "load",
        MASS,
        shape=Box(0.5, 0.5, 0.5),
        position=(0.0, 0.0, FALL - LENGTH),
        velocity=(0.2, 0.0, 0.0),
    )
    return Scene(
        bodies=(body,),
        cables=(Cable("rope", (Anchor("world"), Anchor("load")), length=LENGTH, **kwargs),),
    )


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
@pytest.mark.parametrize("material", MATERIALS)
def test_a_fall_into_the_rope_gains_no_energy(material: str, dt: float, stepper: str) -> None:
    """Half a minute without damping: the energy rises by no more than 6e-4 of the fall.

    That is (omega h)^2 of rubber, the softest, at 1/60 s: the second order of the step.
    """
    simulator = Simulator(falling(material), dt=dt, stepper=stepper)
    start, status, most = simulator.observe().energy.total, 0, -np.inf
    for _ in range(round(30.0 / dt / 30)):
        status |= simulator.step(30).status
        most = max(most, simulator.observe().energy.total)
    assert status & ~CATCH_MISSED == 0  # stiff ropes catch within a step
    assert most < start + 6e-4 * MASS * G * FALL


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("material", ["steel", "stiffer", "than anything", "rigid"])
def test_what_is_too_stiff_for_the_step_comes_to_hang(material: str, stepper: str) -> None:
    """At 1/60 s: the mean tension is the weight, the stretch m g L / EA."""
    simulator = Simulator(falling(material), dt=1 / 60, stepper=stepper)
    simulator.step(600)
    tensions, stretches = [], []
    for _ in range(1200):
        simulator.step()
        rope = simulator.observe().cable("rope")
        tensions.append(rope.tension)
        stretches.append(rope.length - LENGTH)
    cable = simulator.scene.cables[0]
    expected = MASS * G * LENGTH / cable.axial_rigidity if cable.axial_rigidity else 0.0
    assert np.mean(tensions) == pytest.approx(MASS * G, rel=2e-3)
    assert np.mean(stretches) == pytest.approx(expected, rel=1e-2, abs=1e-5)


@pytest.mark.parametrize("falls", [2, 4])
@pytest.mark.parametrize("dt", [0.02, 0.1, 0.2])
def test_the_crane_at_long_steps(falls: int, dt: float) -> None:
    """The hanging crane keeps its load at steps far beyond what the node allows."""
    simulator = Simulator(load_scene(f"tower_12t_{falls}falls_hanging"), dt=dt)
    start = simulator.observe().body("load").position
    simulator.step(round(20.0 / dt))
    assert simulator.report.status == 0
    np.testing.assert_allclose(simulator.observe().body("load").position, start, atol=0.02)
