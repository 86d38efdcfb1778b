"""Joints: they hold, they let go what they should, and their reactions balance."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator, Sphere
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


def swing_turned(angle: float, kind: str, compliance: float, damping_time: float) -> np.ndarray:
    """Readings (n, 12) of a body that swings on a joint, turned back about the vertical by an
    angle [rad]: place, force, torque, angular velocity."""
    turn = Rotation.from_rotvec((0.0, 0.0, angle))
    body = Body(
        "body",
        500.0,
        shape=Box(2.0, 0.5, 0.6),
        position=turn.apply((1.5, 0.2, 0.1)),
        orientation=np.roll(turn.as_quat(), 1),
        angular_velocity=turn.apply((0.3, 0.2, 0.5)),
    )
    joint = Joint(
        "joint",
        kind,
        "body",
        axis=turn.apply((0.3, 0.5, 0.8)),
        compliance=compliance,
        damping_time=damping_time,
    )
    simulator = Simulator(Scene(bodies=(body,), joints=(joint,)), dt=2e-3)
    rows = []
    for _ in range(300):
        simulator.step()
        seen = simulator.observe()
        view = seen.joint("joint")
        vectors = (seen.body("body").position, view.force, view.torque)
        rows.append([*vectors, seen.body("body").angular_velocity])
    return turn.inv().apply(np.array(rows).reshape(-1, 3)).reshape(-1, 12)


@pytest.mark.parametrize("kind", ["fixed", "prismatic", "hinge", "ball"])
@pytest.mark.parametrize(("compliance", "damping_time"), [(1e-5, 0.0), (1e-5, 0.02), (1e-7, 1e-3)])
def test_compliant_joints_know_no_heading(kind, compliance, damping_time) -> None:
    """The scene turned by 45 degrees, or by others, moves alike to 1e-9 of the largest values."""
    straight = swing_turned(0.0, kind, compliance, damping_time)
    size = np.abs(straight).max(axis=0).reshape(4, 3).max(axis=1).repeat(3)
    size[6:9] = size[3:6]  # a ball has no torque, but for rounding, and the arm is about 1 m
    for angle in (0.25 * math.pi, 0.7, 2.5):
        turned = swing_turned(angle, kind, compliance, damping_time)
        assert (np.abs(turned - straight) < 1e-9 * size).all()


def test_compliant_joint_turns_about_any_axis_alike() -> None:
    """A torque about any axis turns a fixed joint by arcsin of compliance times torque."""
    compliance, torque = 1e-4, 2000.0
    for axis in ((1.0, 0.0, 0.0), (0.6, 0.0, 0.8), (0.48, 0.64, 0.6)):
        body = Body("body", 50.0, shape=Sphere(0.5))
        joint = Joint("joint", "fixed", "body", compliance=compliance, damping_time=0.05)
        scene = Scene(bodies=(body,), joints=(joint,), gravity=(0.0, 0.0, 0.0))
        simulator = Simulator(scene)
        simulator.push("body", torque=torque * np.array(axis))
        simulator.step(4000)
        turn = Rotation.from_quat(np.roll(simulator.observe().body("body").orientation, -1))
        # the row's torque is the derivative of sin^2 / (2 eps): sin cos / eps
        angle = 0.5 * math.asin(2.0 * compliance * torque)
        np.testing.assert_allclose(turn.as_rotvec(), angle * np.array(axis), atol=1e-6)
