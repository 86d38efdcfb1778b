"""Free rotation: the splitting along principal axes keeps what a tumbling body keeps, at any spin
and for ever."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

from cable_sim import Body, Box, Joint, Scene, Simulator
from cable_sim.sim.observation import Observation
from cable_sim.spec import Cylinder, Sphere

TUMBLING = {
    "plank": (Box(6.0, 0.3, 0.05), (2.0, 3.0, 1.0), 1 / 60),
    "beam": (Box(6.0, 0.3, 0.3), (10.0, 1.0, 1.0), 1 / 60),
    "pipe": (Cylinder(0.15, 12.0), (1.0, 0.0, 6.0), 1 / 60),
    "rod": (Cylinder(0.0257, 8.07), (-16.2, 11.97, 19.49), 1 / 60),
    "rod at a millisecond": (Cylinder(0.0257, 8.07), (-16.2, 11.97, 19.49), 1e-3),
    "container": (Box(12.2, 2.44, 2.6), (0.3, 0.5, 0.2), 1 / 60),
    "brick in a hurry": (Box(0.3, 0.2, 0.1), (20.0, 80.0, 30.0), 1 / 60),
    "ball": (Sphere(0.5), (3.0, -2.0, 9.0), 1 / 60),
}


def turned(seen: Observation) -> np.ndarray:
    """The rotation matrix of the body."""
    w, x, y, z = seen.body("body").orientation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def free(dt: float, spin: tuple[float, float, float], **fields) -> Simulator:
    body = Body("body", angular_velocity=spin, **fields)
    return Simulator(Scene(bodies=[body], gravity=(0, 0, 0)), dt=dt)


def momentum(simulator: Simulator) -> np.ndarray:
    seen = simulator.observe()
    rotation = turned(seen)
    return (
        rotation
        @ simulator._model.bodies.inertia[1]
        @ rotation.T
        @ seen.body("body").angular_velocity
    )


def keeps(simulator: Simulator, steps: int) -> None:
    """Energy within 0.5 % at two hundred looks, angular momentum to rounding."""
    before, energy = momentum(simulator), simulator.observe().energy.kinetic
    for _ in range(200):
        assert simulator.step(steps // 200).status == 0
        assert simulator.observe().energy.kinetic == pytest.approx(energy, rel=5e-3)
    np.testing.assert_allclose(momentum(simulator), before, atol=2e-11 * np.linalg.norm(before))


@pytest.mark.parametrize("name", TUMBLING)
def test_a_tumbling_body_keeps_energy_and_momentum(name: str) -> None:
    shape, spin, dt = TUMBLING[name]
    keeps(free(dt, spin, mass=261.0, shape=shape), 40_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", TUMBLING)
def test_a_million_steps_keep_energy_and_momentum(name: str) -> None:
    shape, spin, dt = TUMBLING[name]
    keeps(free(dt, spin, mass=261.0, shape=shape), 1_000_000)


def test_products_of_inertia_change_nothing() -> None:
    """Principal axes askew to the body's frame."""
    axes, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    inertia = axes @ np.diag([1.0, 2.0, 2.8]) @ axes.T
    simulator = free(
        1 / 60, (4.0, 8.0, -3.0), mass=1.0, inertia=tuple(map(tuple, 0.5 * (inertia + inertia.T)))
    )
    keeps(simulator, 40_000)


@pytest.mark.parametrize("spin", [(0.01, 8.0, 0.02), (0.3, 8.0, 0.02), (0.0, 8.0, -0.4)])
def test_the_handle_flips_as_the_elliptic_integral_says(spin: tuple[float, float, float]) -> None:
    """About the middle axis: w_2 = sn(nu t), zero every 2 K / nu, to 0.1 % (Landau & Lifshitz,
    Mechanics, 37)."""
    simulator = free(1e-3, spin, mass=3.0, shape=Box(0.3, 0.2, 0.1))
    moments = np.diag(simulator._model.bodies.inertia[1])
    square, twice = ((moments * spin) ** 2).sum(), (moments * np.square(spin)).sum()
    one, two, three = sorted(moments, reverse=bool(square < twice * np.median(moments)))
    rate = math.sqrt((three - two) * (square - twice * one) / (one * two * three))
    modulus = (two - one) * (twice * three - square) / ((three - two) * (square - twice * one))
    between, middle = 2.0 * ellipk(modulus) / rate, []
    for _ in range(round(2.2 * between / 1e-3)):
        simulator.step()
        seen = simulator.observe()
        middle.append(turned(seen)[:, 1] @ seen.body("body").angular_velocity)
    y = np.array(middle)
    k = np.flatnonzero(y[:-1] * y[1:] <= 0.0)
    crossing = (k - y[k] / (y[k + 1] - y[k])) * 1e-3
    assert crossing[1] - crossing[0] == pytest.approx(between, rel=1e-3)


def test_a_step_back_undoes_a_step() -> None:
    """The rotation is symmetric in time: what has turned for a minute and is turned back stands as
    it stood."""
    simulator = free(1 / 60, (3.0, 8.0, -1.0), mass=3.0, shape=Box(0.3, 0.2, 0.1))
    before = simulator.save().state
    simulator.step(3600)
    middle = simulator.save()
    middle.state.bodies.velocity[1, 3:] *= -1.0
    simulator.restore(middle)
    simulator.step(3600)
    np.testing.assert_allclose(
        simulator.save().state.bodies.velocity[1, 3:], -before.bodies.velocity[1, 3:], atol=1e-8
    )


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_a_top_on_a_ball_joint_precesses_level(stepper: str) -> None:
    """Its torque comes from rows: W = m g r / (I_3 s) with a level axis, to 0.5 %, and it stays
    level."""
    spin, arm, mass, inertia = 200.0, 0.5, 1.0, (0.02, 0.012, 0.012)
    rate = mass * 9.81 * arm / (inertia[0] * spin)
    body = Body(
        "body",
        mass=mass,
        inertia=inertia,
        position=(arm, 0.0, 0.0),
        velocity=(0.0, rate * arm, 0.0),
        angular_velocity=(spin, 0.0, rate),
    )
    simulator = Simulator(
        Scene(bodies=[body], joints=[Joint("foot", "ball", child="body")]), stepper=stepper
    )
    for _ in range(8):
        simulator.step(250)
        x, y, z = simulator.observe().body("body").position
        turn = math.remainder(math.atan2(y, x) - rate * simulator.time, 2.0 * math.pi)
        assert abs(turn) < 5e-3 * rate * simulator.time + 1e-3
        assert abs(z) < 5e-3
