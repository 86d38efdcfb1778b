"""The elevation cable on top of another engine: here a few point masses, stepped by hand, and
MuJoCo."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator
from cable_sim.errors import ModelError
from cable_sim.spec import Anchor, Body, Cable, Elevation, Eye, Scene, Sphere
from validation.harness.catalogue import paper_module

CableForces = paper_module("garcia_fernandez_2008", "cable_forces").CableForces
G = np.array([0.0, 0.0, -9.81])
NODES = np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [8.0, 0.5, -6.0]])


def test_the_spring_and_its_damper() -> None:
    """EA / L (l - L) + c (dl/dt - dL/dt) (misprints 13 and 14), cut off at zero; along the spans on
    all nodes."""
    still, down = np.zeros((3, 3)), np.array([[0.0] * 3, [0.0] * 3, [0.0, 0.0, -0.3]])
    chords = np.diff(NODES, axis=0)
    lengths = np.linalg.norm(chords, axis=1)
    cable = CableForces(NODES, ea=1e5, length=13.9, damping=200.0)
    rate = chords[1] / lengths[1] @ down[2]
    expected = 1e5 / 13.9 * (lengths.sum() - 13.9)
    assert cable.pull(NODES, still).tension == pytest.approx(expected)
    assert cable.pull(NODES, down, 0.1).tension == pytest.approx(expected + 200.0 * (rate - 0.1))
    assert cable.pull(NODES, -100.0 * down).tension == 0.0
    cable.length = 15.0
    assert cable.pull(NODES, 1e3 * down).tension == 0.0
    cable.length = 13.9
    pull = cable.pull(NODES, still)
    units = chords / lengths[:, None]
    np.testing.assert_allclose(
        pull.forces, expected * np.array([units[0], units[1] - units[0], -units[1]]), atol=1e-9
    )
    np.testing.assert_allclose(pull.forces.sum(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize(
    "layer",
    [
        None,
        pytest.param(Elevation(0.5, 17, 0.4), marks=pytest.mark.slow),
        Elevation(0.5, 17, 0.4, "implicit"),
    ],
)
def test_point_masses_move_as_in_the_simulator(layer: Elevation | None) -> None:
    """A load on a rope over a wheel, thrown aside: symplectic Euler by hand beside the package's
    own solver."""
    mass, ea, length, h, steps = 40.0, 2e5, 14.0, 2.5e-4, 6000
    body = Body(
        "load", mass, shape=Sphere(0.1), position=tuple(NODES[2]), velocity=(0.4, -0.2, 0.0)
    )
    nodes = (Anchor("world"), Eye("world", tuple(NODES[1])), Anchor("load"))
    simulator = Simulator(
        Scene(
            bodies=(body,), cables=(Cable("rope", nodes, ea=ea, length=length, elevation=layer),)
        ),
        h,
    )
    cable = CableForces(NODES, ea, length, layer=layer)
    points = NODES.copy()
    speeds = np.zeros((3, 3))
    speeds[2] = body.velocity
    for _ in range(steps):
        pull = cable.pull(points, speeds)
        speeds[2] += h * (pull.forces[2] / mass + G)
        cable.advance(h, pull.tension, points, speeds)
        points[2] += h * speeds[2]
    simulator.step(steps)
    seen = simulator.observe()
    assert np.linalg.norm(points[2] - NODES[2]) > 0.4
    np.testing.assert_allclose(points[2], seen.body("load").position, atol=2e-3)
    if layer:
        np.testing.assert_allclose(cable.curve(points), seen.cable("rope").curve, atol=1e-2)
        assert cable.curve(points)[8, 2] < -0.005


def test_it_carries_a_load_of_mujoco() -> None:
    """Positions and velocities in, forces out: a ball of another engine bounces with 2 pi sqrt(m /
    k)."""
    mujoco = pytest.importorskip(
        "mujoco", reason="mujoco is not installed (requirements/bench.txt)"
    )
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.0005"/><worldbody><body name="load" pos="0 0 '
        '-5.03"><freejoint/>'
        '<geom size="0.1" mass="20"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    points, speeds, heights = np.array([[0.0, 0.0, 0.0], data.qpos[:3]]), np.zeros((2, 3)), []
    cable = CableForces(points, ea=2e4, length=5.0)
    for _ in range(8000):
        points[1], speeds[1] = data.qpos[:3], data.qvel[:3]
        data.xfrc_applied[1, :3] = cable.pull(points, speeds).forces[1]
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
    z = np.array(heights) - np.mean(heights)
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    assert 5e-4 * np.diff(up).mean() == pytest.approx(
        2.0 * math.pi * math.sqrt(20.0 / 4e3), rel=5e-3
    )


def test_too_tight_curves_are_straightened_and_energy_reported() -> None:
    cable = CableForces(NODES, ea=1e7, length=13.9, layer=Elevation(0.5, 33, scheme="explicit"))
    cable._wave[0, 0] = 0.05 * np.sin(np.linspace(0.0, math.pi, 33))
    pull = cable.pull(NODES, np.zeros((3, 3)))
    cable.advance(0.01, pull.tension, NODES, np.zeros((3, 3)))
    excess = pull.length - np.linalg.norm(np.diff(NODES, axis=0), axis=1).sum()
    assert cable.energy_lost == pytest.approx(pull.tension * excess)
    assert not cable._wave.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(positions=NODES[:1]), "positions shape"),
        (dict(positions=NODES[[0, 0, 1]]), "same point"),
        (dict(ea=0.0), "ea 0.0"),
        (dict(length=-1.0), "length -1.0"),
        (dict(length=math.nan), "length nan"),
        (dict(damping=-1.0), "damping -1.0"),
        (dict(layer=Elevation()), "density"),
    ],
)
def test_bad_input(change: dict, message: str) -> None:
    with pytest.raises(ModelError, match=naming(message)):
        CableForces(**{"positions": NODES, "ea": 1e5, "length": 14.0, **change})
