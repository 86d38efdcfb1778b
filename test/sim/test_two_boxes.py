"""Two cubes on a cable (Servin & Lacoursiere 2007, section 5.1): the discrete schemes and their
periods."""

import math

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.scenes import load_scene

H, MASS = 0.01, 1000.0
REDUCED = MASS / 2.0


def spook_recurrence(x: float, v: float, stiffness: float) -> tuple[float, float]:
    """One step of eq. 7-10 with its misprints corrected with gamma = 0, by hand: mean of x over
    three instants, x half a step ahead of v."""
    impulse = -(4.0 * x / H) / (1.0 / REDUCED + 4.0 / (stiffness * H * H))
    v += impulse / REDUCED
    return x + H * v, v


def regularised_recurrence(x: float, v: float, stiffness: float) -> tuple[float, float]:
    """One step of eq. 11-13 by hand: backward Euler of m x'' = -c x."""
    v = (v - H * stiffness * x / REDUCED) / (1.0 + H * H * stiffness / REDUCED)
    return x + H * v, v


RECURRENCES = {"spook": spook_recurrence, "regularised": regularised_recurrence}


def elongation(simulator: Simulator) -> float:
    cable = simulator.observe().cable("cable")
    return cable.length - cable.length_paid_out


@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("stepper", RECURRENCES)
def test_steps_as_the_recurrence_says(stepper: str, stiffness: float) -> None:
    """The engine beside the hand-written recurrence for 1000 steps: agreement to 1e-9 m.

    With spook x starts half a step on, and is read half a step back, where v is.
    """
    simulator = Simulator(load_scene("two_boxes", stiffness=stiffness), dt=H, stepper=stepper)
    ahead = 0.5 * H if stepper == "spook" else 0.0
    start = simulator.observe()
    v = float(np.linalg.norm(start.body_velocity[1] - start.body_velocity[0]))
    x = ahead * v
    for _ in range(1000):
        x, v = RECURRENCES[stepper](x, v, stiffness)
        simulator.step()
        assert abs(elongation(simulator) - (x - ahead * v)) < 1e-9


@pytest.mark.parametrize(("stiffness", "published"), [(10.0, 44.43), (1e3, 4.443)])
@pytest.mark.parametrize("stepper", RECURRENCES)
def test_period(stepper: str, stiffness: float, published: float) -> None:
    """2 pi sqrt(m / 2 c) within 0.1 %, from the zero crossings of the elongation."""
    simulator = Simulator(load_scene("two_boxes", stiffness=stiffness), dt=H, stepper=stepper)
    times, values = [], []
    for _ in range(int(2.2 * published / H)):
        simulator.step()
        times.append(simulator.time)
        values.append(elongation(simulator))
    x, t = np.array(values), np.array(times)
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    period = float(np.diff(np.concatenate([[0.0], crossings])).mean())
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(REDUCED / stiffness), rel=1e-3)
    assert period == pytest.approx(published, rel=1e-3)


def test_decay_of_the_regularised_scheme() -> None:
    """At c = 1e6 and h = 0.01 the amplitude falls by 1 / sqrt(1 + z^2) a step, z = omega h: 9.12
    1/s (misprint 4)."""
    simulator = Simulator(load_scene("two_boxes", stiffness=1e6), dt=H, stepper="regularised")
    z = H * math.sqrt(1e6 / REDUCED)
    start = float(np.linalg.norm(np.diff(simulator.observe().body_velocity, axis=0)))
    steps = 50
    simulator.step(steps)
    x, v = elongation(simulator), float(np.diff(simulator.observe().body_velocity[:, 0])[0])
    omega = z / H
    amplitude = math.sqrt(x * x * omega * omega + v * v)
    # x_n + v_n / omega oscillates within the ellipse of the discrete mode; compare the invariant
    # over whole steps
    rate = -math.log(amplitude / start) / (steps * H)
    assert rate == pytest.approx(math.log(1.0 + z * z) / (2.0 * H), rel=2e-2)
    assert math.log(1.0 + z * z) / (2.0 * H) == pytest.approx(9.12, rel=1e-3)


def test_spook_keeps_the_energy_of_the_mode() -> None:
    """gamma = 0: the amplitude of the discrete mode is the same after 20,000 steps."""
    simulator = Simulator(load_scene("two_boxes", stiffness=1e6), dt=H, stepper="spook")
    peaks = []
    for _ in range(2):
        seen = []
        for _ in range(200):
            simulator.step()
            seen.append(abs(elongation(simulator)))
        peaks.append(max(seen))
        simulator.step(20_000)
    assert peaks[1] == pytest.approx(peaks[0], rel=2e-3)
