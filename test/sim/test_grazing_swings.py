"""Loads that swing on a rope past a solid, and ropes found too long: no contact and no correction
gives energy."""

from itertools import product

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.spec import Anchor, Body, Box, Cable, Cylinder, Obstacle, Polyhedron, Scene

G, MASS = 9.81, 1000.0
CORNERS = (
    (-0.5, -0.3, -0.5),
    (0.5, -0.3, -0.5),
    (0, 0.4, -0.5),
    (-0.5, -0.3, 0.3),
    (0.5, -0.3, 0.5),
    (0, 0.4, 0.5),
)
SOLIDS = (Box(0.8, 0.5, 0.6), Cylinder(0.3, 1.5), Polyhedron(CORNERS))
POINT = Box(0.05, 0.05, 0.05)
ROPES = {"inextensible": {}, "elastic": {"ea": 1e7, "damping_ratio": 0.02}}


def swing(seed: int, rope: dict) -> Scene:
    """A load let go beside a solid that its rope, taut or a little slack, swings against."""
    random = np.random.default_rng(seed)
    angle, length = random.uniform(0.5, 1.2), random.uniform(8.0, 12.0)
    turn = random.uniform(0.0, 2.0 * np.pi)
    load = length * np.array(
        [np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), -np.cos(angle)]
    )
    solid = np.array([*(-0.15 * load[:2] + random.normal(size=2) * 0.3), -random.uniform(2.0, 3.0)])
    pose = random.normal(size=4)
    pose /= np.linalg.norm(pose)
    cable = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        length=length + random.choice([0.0, 0.05]),
        touches=("solid",),
        **rope,
    )
    return Scene(
        bodies=(Body("load", mass=MASS, shape=POINT, position=tuple(load)),),
        obstacles=(
            Obstacle("solid", SOLIDS[seed % 3], position=tuple(solid), orientation=tuple(pose)),
        ),
        cables=(cable,),
    )


@pytest.mark.parametrize(
    ("rope", "dt"),
    slow_but({("inextensible", 5e-3), ("elastic", 1e-3)}, product(ROPES, (5e-3, 1e-3, 2e-4))),
)
def test_swings_against_solids_gain_no_energy(rope: str, dt: float) -> None:
    """No contact gives 1e-4 of the swing.

    At the time of the velocities a rigid rope is too long by (h v)^2 / 8 L, as it is its length
    half a step on; with a = v^2 / L that takes M (h a)^2 / 8, and a is below 2.8 g.
    """
    touched = 0
    for seed in range(6 if dt > 3e-4 else 3):
        simulator, least, most = Simulator(swing(seed, ROPES[rope]), dt=dt), np.inf, 0.0
        for _ in range(500):  # looks, which take longer than steps
            seen = simulator.observe()
            energy = seen.energy
            least, most = min(least, energy.total), max(most, energy.kinetic)
            assert energy.total - least < 1e-4 * most + MASS * G * G * dt * dt
            touched += len(seen.cable("rope").contact_position) > 0
            assert simulator.step(round(5e-3 / dt)).status == 0
    assert touched > 100


@pytest.mark.parametrize("dt", [5e-3, 1e-3, 2e-4])
@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_a_rigid_rope_found_too_long_is_hauled_in_slowly(stepper: str, dt: float) -> None:
    """13 mm: besides the work of lifting it takes less than a fall of a millimetre, at any step."""
    lift, rope = 0.013, Cable("rope", (Anchor("world"), Anchor("load")), length=5.0)
    scene = Scene(
        bodies=(Body("load", mass=MASS, shape=POINT, position=(3.0, 0.0, -4.0)),), cables=(rope,)
    )
    simulator = Simulator(scene, dt=dt, stepper=stepper)
    simulator._state.bodies.position[1] *= 1.0 + lift / 5.0
    start, least = simulator.observe(), np.inf
    for _ in range(round(0.25 / dt)):
        simulator.step()
        seen = simulator.observe()
        assert seen.energy.total - start.energy.total < MASS * G * (lift + 1e-3)
        least = min(least, seen.cable("rope").length)
    assert least < 5.0 + 1e-3
