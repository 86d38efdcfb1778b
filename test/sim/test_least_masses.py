"""Wires that keep a least number of masses: their rope runs over eyes and into winches."""

import math

import pytest

from cable_sim import Anchor, Body, Cable, Drive, Eye, Scene, Simulator, Sphere, Winch
from cable_sim.spec import Drum, Hybrid


def drop(least: int, most: int, dt: float) -> tuple[float, int]:
    """Way of a load of 20 kg that draws 2 kg up over an eye for a second [m], and all flags."""
    ends = {"left": (2.0, (-1.0, 0.0, -6.0)), "right": (20.0, (1.0, 0.0, -1.0))}
    bodies = [
        Body(name, mass, shape=Sphere(0.05), position=place) for name, (mass, place) in ends.items()
    ]
    wire = Cable(
        "wire",
        (Anchor("left"), Eye("world"), Anchor("right")),
        ea=1e5,
        length=math.hypot(1.0, 6.0) + math.hypot(1.0, 1.0),
        damping_time=0.01,
        hybrid=Hybrid(density=0.05, least=least, most=most, damping=0.0),
    )
    simulator = Simulator(Scene(bodies=bodies, cables=[wire]), dt=dt)
    flags = 0
    for _ in range(round(1.0 / dt)):
        flags |= simulator.step().status
    return -1.0 - simulator.bodies["right"].position[2], flags


@pytest.mark.parametrize("masses", [1, 3, 5, 8])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_masses_that_a_wire_has_to_keep_pass_an_eye(masses: int, dt: float) -> None:
    """The load falls as it does on a wire without masses."""
    free, _ = drop(0, 0, dt)
    kept, flags = drop(masses, masses, dt)
    assert kept == pytest.approx(free, rel=0.02) and free > 3.5
    assert flags == 0


def test_a_winch_takes_in_the_masses_that_a_wire_has_to_keep() -> None:
    """It lifts the load by what it hauls, and the wire still has about as many masses."""
    load = Body("load", 50.0, shape=Sphere(0.1), position=(0.0, 0.0, -10.0))
    wire = Cable(
        "wire",
        (Drum("world"), Anchor("load")),
        ea=1e6,
        length=10.0,
        damping_time=0.01,
        winch=Winch("winch", 100.0),
        hybrid=Hybrid(density=0.1, least=6, most=6, damping=0.5),
    )
    drive = Drive("haul", "winch", target=-2.0, max_acceleration=2.0)
    simulator = Simulator(Scene(bodies=[load], cables=[wire], drives=[drive]), dt=1e-3)
    for _ in range(4000):
        assert simulator.step().status == 0
    seen = simulator.observe()
    out = seen.cable("wire").length_paid_out
    assert out == pytest.approx(3.0, abs=0.01)
    assert seen.body("load").position[2] == pytest.approx(-out, abs=0.05)
    assert len(seen.cable("wire").mass_position) >= 2
