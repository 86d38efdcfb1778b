"""Free bodies: what must be conserved, and how well the rest is kept."""

import math

import numpy as np
import pytest

from cable_sim import Body, Box, Scene, Simulator, Sphere


def tumbling(stepper: str = "spook", dt: float = 1e-3) -> Simulator:
    """A brick of three different moments that spins about its middle axis, and a bit about the
    others."""
    body = Body(
        "brick",
        mass=3.0,
        shape=Box(0.3, 0.2, 0.1),
        velocity=(1.0, 2.0, 3.0),
        angular_velocity=(0.01, 8.0, 0.02),
    )
    return Simulator(Scene(bodies=[body], gravity=(0, 0, 0)), dt=dt, stepper=stepper)


def angular_momentum(simulator: Simulator) -> np.ndarray:
    body = simulator.observe().body("brick")
    w, *xyz = body.orientation
    x, y, z = xyz
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    inertia = np.diag(Box(0.3, 0.2, 0.1).inertia(3.0))
    return rotation @ inertia @ rotation.T @ body.angular_velocity


def test_angular_momentum_of_a_tumbling_body_is_kept_to_rounding() -> None:
    """100,000 steps through a hundred flips about the middle axis: relative drift below 1e-11."""
    simulator = tumbling()
    before, energy = angular_momentum(simulator), simulator.observe().energy.kinetic
    simulator.step(100_000)
    np.testing.assert_allclose(
        angular_momentum(simulator), before, atol=1e-11 * np.linalg.norm(before)
    )
    assert simulator.observe().energy.kinetic == pytest.approx(energy, rel=1e-6)


def test_free_rotation_is_of_second_order() -> None:
    """Halving the step divides the error of the orientation by four."""

    def orientation(dt: float) -> np.ndarray:
        simulator = tumbling(dt=dt)
        simulator.step(round(1.0 / dt))
        return simulator.observe().body("brick").orientation

    exact = orientation(1.0 / 16384)
    coarse, fine = (np.linalg.norm(orientation(1.0 / n) - exact) for n in (256, 512))
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def test_symmetric_top_precesses_at_the_rate_of_euler() -> None:
    """Spin s about the axis of a disc-like body and a small tilt: the body cone turns at (I3 / I1 -
    1) s."""
    body = Body("top", mass=1.0, inertia=(1.0, 1.0, 1.5), angular_velocity=(0.01, 0.0, 20.0))
    simulator = Simulator(Scene(bodies=[body], gravity=(0, 0, 0)), dt=1e-3)
    period = 2.0 * math.pi / ((1.5 - 1.0) * 20.0)
    tilt = []
    for _ in range(int(2.2 * period / 1e-3)):
        simulator.step()
        seen = simulator.observe().body("top")
        w, x, y, z = seen.orientation
        axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        first = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
        tilt.append((seen.angular_velocity - (seen.angular_velocity @ axis) * axis) @ first)
    values = np.array(tilt)
    ups = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    assert (ups[1] - ups[0]) * 1e-3 == pytest.approx(period, rel=5e-3)


def test_free_fall_is_exact() -> None:
    """v = v_0 - g t and x = v_0 t - g t^2 / 2, and the energy stays: position Verlet."""
    thrown = Body("ball", mass=2.0, shape=Sphere(0.1), velocity=(1.0, 0.0, 3.0))
    simulator = Simulator(Scene(bodies=[thrown]), dt=1e-3)
    start = simulator.observe()
    np.testing.assert_allclose(start.body("ball").position, 0.0, atol=1e-15)
    simulator.step(1000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body("ball").velocity, (1.0, 0.0, 3.0 - 9.81), rtol=1e-12)
    np.testing.assert_allclose(
        seen.body("ball").position, (1.0, 0.0, 3.0 - 9.81 / 2.0), rtol=1e-12, atol=1e-15
    )
    assert seen.energy.total == pytest.approx(start.energy.total, rel=1e-12)


def test_pushes_and_prescribed_motion() -> None:
    """A force accelerates by F / m, a torque by tau / I; a prescribed velocity goes evenly to the
    new one."""
    bodies = [
        Body("free", mass=2.0, inertia=(1.0, 2.0, 2.5)),
        Body(
            "cart", mass=1.0, inertia=(1.0, 1.0, 1.0), motion="prescribed", velocity=(1.0, 0.0, 0.0)
        ),
    ]
    simulator = Simulator(Scene(bodies=bodies, gravity=(0, 0, 0)), dt=1e-2)
    simulator.push("free", (4.0, 0.0, 0.0), (0.0, 3.0, 0.0))
    simulator.push("cart", (1e6, 0.0, 0.0))
    simulator.step()
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body("free").velocity, (0.02, 0.0, 0.0))
    np.testing.assert_allclose(seen.body("free").angular_velocity, (0.0, 0.015, 0.0), atol=1e-12)
    simulator.move("cart", (0.0, 2.0, 0.0))
    simulator.step()
    np.testing.assert_allclose(simulator.observe().body("cart").position, (0.015, 0.01, 0.0))
