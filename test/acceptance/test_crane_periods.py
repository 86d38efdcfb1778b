"""Pendulum and bounce of the default tower crane: 12.69 s and 1.045 Hz, for both steppers and a
coarse step.

The quoted values are those of 6 t and the block as one mass on two falls of 40 m, with 160 m of
rope in all and sheaves without losses. So the block gets the load's mass, and the load the mass of
a feather.
"""

import math

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.cranes import load_crane

G, EA = 9.81, 1.0957e7
STEPS = [
    ("spook", 1e-3, 0.002),
    ("regularised", 1e-3, 0.002),
    ("spook", 1 / 60, 0.01),
    ("regularised", 1 / 60, 0.01),
]


def hanging(hook_depth: float, dt: float, stepper: str) -> Simulator:
    crane = load_crane(
        "tower_12t",
        {
            "hooks.hook_block.mass": 6349.0,
            "rig.load.mass": 1.0,
            "rig.start.state": "hanging",
            "rig.start.hook_depth": hook_depth,
            "reeving.sheave_efficiency": 1.0,
            "hoist_rope.damping_ratio": 0.0,
        },
    )
    simulator = Simulator(crane.scene, dt=dt, stepper=stepper)
    for axis in crane.axes:
        simulator.command(axis.drive, 0.0, "speed", brake=True)
    return simulator


def period(
    simulator: Simulator, component: int, force: float, kick: float, duration: float
) -> float:
    """Mean period of a component of the block's position after a kick [s]."""
    rest = simulator.observe().body("hook_block").position[component]
    push = np.zeros(3)
    push[component] = force
    simulator.push("hook_block", push)
    simulator.step(max(1, round(kick / simulator.dt)))
    simulator.push("hook_block")
    times, values = [], []
    while simulator.time < duration:
        simulator.step(max(1, round(0.01 / simulator.dt)))
        times.append(simulator.time)
        values.append(simulator.observe().body("hook_block").position[component] - rest)
    t, x = np.array(times), np.array(values)
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    return float((crossings[-1] - crossings[0]) / (crossings.size - 1))


@pytest.mark.parametrize(("stepper", "dt", "tolerance"), slow_but({STEPS[0], STEPS[3]}, STEPS))
def test_pendulum(stepper: str, dt: float, tolerance: float) -> None:
    """Swing across the jib with the centre of mass 40 m below the sheaves: 2 pi sqrt(L / g) = 12.69
    s."""
    simulator = hanging(40.0, dt, stepper)
    seen = simulator.observe()
    depth = seen.body("trolley").position[2] - seen.body("hook_block").position[2]
    simulator = hanging(40.0 + (40.0 - depth), dt, stepper)
    swing = period(simulator, 1, 2000.0, 0.5, 80.0)
    assert swing == pytest.approx(2.0 * math.pi * math.sqrt(40.0 / G), rel=tolerance)
    assert swing == pytest.approx(12.69, rel=tolerance)


@pytest.mark.parametrize(("stepper", "dt", "tolerance"), STEPS)
def test_bounce(stepper: str, dt: float, tolerance: float) -> None:
    """160 m of rope: n sqrt(EA / (L m)) / 2 pi = 1.045 Hz."""
    length = hanging(40.0, dt, stepper).observe().cable("hoist_rope").length
    simulator = hanging(40.0 + (160.0 - length) / 2.0, dt, stepper)
    assert simulator.observe().cable("hoist_rope").length == pytest.approx(160.0, abs=1e-2)
    frequency = 1.0 / period(simulator, 2, 5000.0, 0.1, 12.0)
    assert frequency == pytest.approx(
        math.sqrt(4.0 * EA / (160.0 * 6350.0)) / (2.0 * math.pi), rel=tolerance
    )
    assert frequency == pytest.approx(1.045, rel=tolerance)
