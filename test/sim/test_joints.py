"""Joints: they hold, they let go what they should, and their reactions balance."""

import math

import numpy as np
import pytest

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator
from cable_sim.kernels.status import SOLVED, TURNED_FAR

ARM = Box(1.0, 0.1, 0.1)


def swinging(kind: str, **options) -> Scene:
    """A rod held at its end, starting level."""
    rod = Body("rod", mass=2.0, shape=ARM, position=(0.5, 0.0, 0.0))
    return Scene(bodies=[rod], joints=[Joint("pin", kind, child="rod", axis=(0, 1, 0), **options)])


def test_hinge_pendulum_has_the_period_of_a_physical_pendulum() -> None:
    """Small swing of a rod about its end: 2 pi sqrt(I / (m g l)), within 0.01 %."""
    inertia = ARM.inertia(2.0)[1] + 2.0 * 0.25
    period = 2.0 * math.pi * math.sqrt(inertia / (2.0 * 9.81 * 0.5))
    tilt = 0.01
    rod = Body(
        "rod",
        mass=2.0,
        shape=Box(0.1, 0.1, 1.0),
        position=(0.5 * math.sin(tilt), 0.0, -0.5 * math.cos(tilt)),
        orientation=(math.cos(tilt / 2), 0.0, -math.sin(tilt / 2), 0.0),
    )
    simulator = Simulator(
        Scene(bodies=[rod], joints=[Joint("pin", "hinge", child="rod", axis=(0, 1, 0))])
    )
    angles = []
    for _ in range(4000):
        simulator.step()
        angles.append(simulator.observe().joint("pin").position - tilt)
    x = np.array(angles)
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossing = k - x[k] / (x[k + 1] - x[k])
    expected = period * (1.0 + tilt**2 / 16.0)
    assert (crossing[1] - crossing[0]) * 1e-3 == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("axis", "point", "speed", "status"),
    [
        ((0, 1, 0), (0.0, 0.0, 0.0), 0.24, SOLVED),
        ((0, 1, 0), (0.0, 0.0, 0.0), 0.26, TURNED_FAR),
        ((1, 0, 0), (0.0, 0.0, 0.0), 2.0, SOLVED),
        ((0, 1, 0), (0.5, 0.0, 0.0), 2.0, SOLVED),
    ],
)
def test_a_turn_that_the_step_cannot_follow_is_told(
    axis: tuple, point: tuple, speed: float, status: int
) -> None:
    """About an end of a rod, below and above a quarter of a radian a step; not about its own axis
    or its centre."""
    spin = tuple(speed / 1e-3 * x for x in axis)
    velocity = tuple(np.cross(spin, np.subtract((0.5, 0.0, 0.0), point)))
    rod = Body(
        "rod", 2.0, shape=ARM, position=(0.5, 0.0, 0.0), velocity=velocity, angular_velocity=spin
    )
    scene = Scene(
        bodies=[rod],
        joints=[Joint("pin", "hinge", child="rod", axis=axis, point=point)],
        gravity=(0, 0, 0),
    )
    assert Simulator(scene).step().status == status


@pytest.mark.parametrize("kind", ["fixed", "hinge", "prismatic", "ball"])
@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_reaction_balances_the_momentum_of_the_child(kind: str, stepper: str) -> None:
    """The joint's mean force over a step is m (dv/dt - g): Newton on the child, and on the parent
    the opposite."""
    parent = Body(
        "base", mass=5.0, shape=ARM, position=(0.0, 1.0, 0.0), angular_velocity=(0.3, 0.2, 0.1)
    )
    child = Body(
        "rod", mass=2.0, shape=ARM, position=(0.5, 0.0, 0.0), angular_velocity=(0.0, 0.4, 0.1)
    )
    scene = Scene(
        bodies=[parent, child],
        joints=[Joint("pin", kind, child="rod", parent="base", axis=(0, 1, 0.5))],
    )
    simulator = Simulator(scene, stepper=stepper)
    simulator.step(200)
    before = simulator.observe()
    simulator.step()
    after = simulator.observe()
    gravity = np.array([0.0, 0.0, -9.81])
    change = (after.body_velocity - before.body_velocity) / 1e-3
    reaction = after.joint("pin").force
    scale = np.linalg.norm(reaction) + 1.0
    np.testing.assert_allclose(reaction, 2.0 * (change[1] - gravity), atol=2e-3 * scale)
    np.testing.assert_allclose(-reaction, 5.0 * (change[0] - gravity), atol=2e-3 * scale)


@pytest.mark.parametrize("kind", ["fixed", "hinge", "prismatic", "ball"])
def test_joint_stays_together(kind: str) -> None:
    """Two seconds of hard swinging: the held directions part by less than 10 um and 10 urad."""
    parent = Body(
        "base", mass=5.0, shape=ARM, position=(0.0, 1.0, 0.0), angular_velocity=(3.0, 2.0, 1.0)
    )
    child = Body(
        "rod", mass=2.0, shape=ARM, position=(0.5, 0.0, 0.0), angular_velocity=(0.0, 4.0, 1.0)
    )
    scene = Scene(
        bodies=[parent, child],
        joints=[Joint("pin", kind, child="rod", parent="base", axis=(0, 1, 0.5))],
    )
    simulator = Simulator(scene)
    worst = 0.0
    for _ in range(200):
        simulator.step(10)
        simulator.observe()
        rows = simulator._model.rows.kind == 0
        worst = max(worst, float(np.abs(simulator._work.rows.gap[rows]).max()))
    assert worst < 1e-4


def test_angle_of_a_hinge_counts_its_turns() -> None:
    """Three turns read 6 pi, not 0; short of it by half of the step in which it gets its speed."""
    scene = Scene(
        bodies=[Body("rotor", mass=1.0, shape=ARM)],
        joints=[Joint("axle", "hinge", child="rotor")],
        drives=[Drive("motor", on="axle", target=-6.0 * math.pi)],
        gravity=(0, 0, 0),
    )
    simulator = Simulator(scene)
    simulator.step(1000)
    turned = -6.0 * math.pi * (1.0 - 0.5e-3)
    assert simulator.observe().joint("axle").position == pytest.approx(turned, rel=1e-9)


def test_end_stop_holds_and_lets_go() -> None:
    """A slider falls on its stop, rests there within 1 mm, and can be lifted off."""
    slider = Body("slider", mass=10.0, shape=Box(0.1, 0.1, 0.1))
    scene = Scene(
        bodies=[slider], joints=[Joint("rail", "prismatic", child="slider", lower=-0.5, upper=0.5)]
    )
    simulator = Simulator(scene)
    simulator.step(1000)
    resting = simulator.observe().joint("rail")
    assert resting.position == pytest.approx(-0.5, abs=1e-3)
    assert resting.force[2] == pytest.approx(98.1, rel=1e-6)
    simulator.push("slider", (0.0, 0.0, 200.0))
    simulator.step(200)
    assert simulator.observe().joint("rail").position > -0.3


def test_compliant_joint_sags_by_its_compliance() -> None:
    """Weight times compliance."""
    scene = swinging("fixed", compliance=1e-5, damping_time=0.05)
    simulator = Simulator(scene)
    simulator.step(5000)
    seen = simulator.observe()
    rotation = 2.0 * seen.body("rod").orientation[2]
    sag = -(seen.body("rod").position[2] + rotation * 0.5)
    assert sag == pytest.approx(2.0 * 9.81 * 1e-5, rel=1e-2)
