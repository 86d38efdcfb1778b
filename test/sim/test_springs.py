"""Springs on joint coordinates, and buffers at end stops: closed forms of the damped oscillator."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Joint, Scene, Simulator
from cable_sim.errors import SpecError

CUBE = Box(0.4, 0.4, 0.4)
MASS, STIFFNESS = 200.0, 5e4


def sprung(kind: str, zeta: float) -> tuple[Simulator, float]:
    """A body on a spring that starts 0.1 from its rest at 0.3, and the spring's frequency
    [rad/s]."""
    inertia = MASS if kind == "prismatic" else CUBE.inertia(MASS)[2]
    omega = math.sqrt(STIFFNESS / inertia)
    damping = 2.0 * zeta * STIFFNESS / omega
    joint = Joint("j", kind, "body", position=0.4, rest=0.3, stiffness=STIFFNESS, damping=damping)
    return Simulator(
        Scene(bodies=[Body("body", MASS, shape=CUBE)], joints=[joint], gravity=(0, 0, 0)), dt=2e-4
    ), omega


@pytest.mark.parametrize("kind", ["hinge", "prismatic"])
@pytest.mark.parametrize("zeta", [0.0, 0.1])
def test_spring_is_the_damped_oscillator(kind: str, zeta: float) -> None:
    """q = rest + 0.1 e^(-zeta w t) (cos w_d t + zeta / sqrt(1 - zeta^2) sin w_d t) over three
    periods, to 0.5 %."""
    simulator, omega = sprung(kind, zeta)
    damped, times, read = omega * math.sqrt(1.0 - zeta**2), [], []
    for _ in range(int(3 * 2 * math.pi / omega / 2e-4 / 10)):
        simulator.step(10)
        times.append(simulator.time)
        read.append(simulator.observe().joint("j").position)
    t = np.array(times)
    wave = np.cos(damped * t) + zeta / math.sqrt(1.0 - zeta**2) * np.sin(damped * t)
    atol = 5e-4 if kind == "prismatic" else 2e-3
    np.testing.assert_allclose(read, 0.3 + 0.1 * np.exp(-zeta * omega * t) * wave, atol=atol)


def test_spring_force_is_its_reaction_and_energy() -> None:
    """Held 0.1 out by its weight: k x is what the joint gives, k x^2 / 2 what it stores."""
    weight = MASS * 9.81
    joint = Joint("j", "prismatic", "body", stiffness=weight / 0.1, rest=0.1)
    simulator = Simulator(Scene(bodies=[Body("body", MASS, shape=CUBE)], joints=[joint]))
    simulator.step(100)
    seen = simulator.observe()
    assert seen.joint("j").position == pytest.approx(0.0, abs=1e-9)
    assert seen.joint("j").force[2] == pytest.approx(weight, rel=1e-9)
    assert seen.energy.elastic == pytest.approx(0.5 * weight * 0.1, rel=1e-9)


def run_into_buffer(damping_time: float) -> tuple[float, float, float]:
    """Deepest compression [m], time of contact [s] and speed of leaving [m/s] of 200 kg at 2
    m/s."""
    joint = Joint(
        "rail",
        "prismatic",
        "body",
        axis=(1, 0, 0),
        upper=0.001,
        stop_compliance=1.0 / STIFFNESS,
        stop_damping_time=damping_time,
    )
    body = Body("body", MASS, shape=CUBE, velocity=(2.0, 0.0, 0.0))
    simulator = Simulator(Scene(bodies=[body], joints=[joint], gravity=(0, 0, 0)), dt=2e-5)
    deepest, steps = 0.0, 0
    while steps < 20000:
        simulator.step(5)
        seen = simulator.observe().joint("rail")
        deepest, steps = max(deepest, seen.position - 0.001), steps + 5
        if seen.velocity < 0.0 and seen.force[0] == 0.0:
            break
    return deepest, steps * 2e-5 - 0.0005, -seen.velocity


def test_buffer_stops_with_its_energy_and_sends_back() -> None:
    """v sqrt(m / k) deep, pi sqrt(m / k) long, out as fast as in, all to 1 %."""
    deep, time, out = run_into_buffer(0.0)
    assert deep == pytest.approx(2.0 * math.sqrt(MASS / STIFFNESS), rel=0.01)
    assert time == pytest.approx(math.pi * math.sqrt(MASS / STIFFNESS), rel=0.01)
    assert out == pytest.approx(2.0, rel=0.01)


def test_damped_buffer_lets_go_where_it_would_pull() -> None:
    """Contact ends where x + gamma dx/dt = 0: closed form of the half wave of a damped
    oscillator."""
    omega, zeta = math.sqrt(STIFFNESS / MASS), 0.3
    deep, time, out = run_into_buffer(2.0 * zeta / omega)
    damped = omega * math.sqrt(1.0 - zeta**2)
    t = np.linspace(1e-4, math.pi / damped, 200001)
    x = 2.0 / damped * np.exp(-zeta * omega * t) * np.sin(damped * t)
    rate = (
        2.0
        * np.exp(-zeta * omega * t)
        * (np.cos(damped * t) - zeta * omega / damped * np.sin(damped * t))
    )
    ends = int(np.argmax(x + 2.0 * zeta / omega * rate <= 0.0))
    assert deep == pytest.approx(x.max(), rel=0.01)
    assert time == pytest.approx(t[ends], rel=0.01)
    assert out == pytest.approx(-rate[ends], rel=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "fixed", "stiffness": 5.0}, "stiffness 5 spring's fixed joint"),
        ({"kind": "fixed", "damping": 5.0}, "damping 5 friction motion"),
        ({"kind": "hinge", "stop_compliance": 1e-3}, "belong end stops lower upper"),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict, message: str) -> None:
    with pytest.raises(SpecError, match=naming(message)):
        Joint("j", child="body", **options)
