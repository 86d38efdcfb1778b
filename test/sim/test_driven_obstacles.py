"""Hybrid wires that an obstacle moves by its friction, as a traction sheave does."""

import math

import pytest

from cable_sim import Simulator, load_scene

RIM = 0.3 + 0.01


def run(seconds: float, **changes: float):
    """A traction sheave after some time."""
    simulator = Simulator(load_scene("traction_wire", **changes), 1.0 / 240.0)
    for _ in range(round(4.0 * seconds)):
        assert simulator.step(60).status == 0
    return simulator.observe()


@pytest.mark.parametrize("rate", [0.5, -0.5, 1.5])
def test_wire_that_sticks_goes_along_with_the_rim(rate: float) -> None:
    """In the mean: the edges of the prism come one after another."""
    simulator = Simulator(load_scene("traction_wire", rate=rate), 1.0 / 240.0)
    simulator.step(480)
    before = simulator.observe()
    assert simulator.step(240).status == 0
    after = simulator.observe()
    for name, sense in (("left", 1.0), ("right", -1.0)):
        rise = after.body(name).position[2] - before.body(name).position[2]
        assert rise == pytest.approx(sense * rate * RIM, rel=5e-3)


def test_the_motor_feels_the_difference_of_the_tensions() -> None:
    seen = run(3.0)
    wire = seen.cable("wire")
    loads = wire.tension - wire.tension_dead_end
    rope = 0.5 * 9.81 * (seen.body("right").position[2] - seen.body("left").position[2])
    assert seen.drive("motor").effort == pytest.approx((loads + rope) * RIM, rel=0.02)
    assert loads == pytest.approx(20.0 * 9.81, rel=0.03)


@pytest.mark.parametrize("friction", [0.1, 0.2, 0.3])
def test_wire_slips_on_the_rim_at_the_ratio_of_the_capstan(friction: float) -> None:
    left = 1.5 * 80.0 * math.exp(math.pi * friction)
    simulator = Simulator(load_scene("traction_wire", left=left, friction=friction), 1.0 / 240.0)
    simulator.step(240)
    seen = simulator.observe()
    wire = seen.cable("wire")
    ratio = wire.tension / wire.tension_dead_end
    assert ratio == pytest.approx(math.exp(math.pi * friction), rel=0.01)
    assert seen.body("left").velocity[2] < -0.5
