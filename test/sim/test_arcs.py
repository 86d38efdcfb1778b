"""Arcs of ropes on cylinders of any radius: the way of a taut rope over them is that over the
circle."""

import math

import pytest

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.spec import Cylinder, Hybrid, Obstacle

G, MASS, EA = 9.81, 0.5, 1e6
LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)


def over(radius: float, diameter: float, start: float) -> tuple[Simulator, float]:
    """A weight on a rope over a fixed cylinder, and the height at which it should hang [m].

    The rope comes from where a line at the angle ``start`` from the horizontal touches.
    """
    out = radius + 0.5 * diameter
    far = 10.0 * radius
    touches = (-out * math.sin(start), out * math.cos(start))
    begin = (touches[0] - far * math.cos(start), 0.0, touches[1] - far * math.sin(start))
    turn = 0.5 * math.pi + start
    length = 2.0 * far + out * turn
    angles = [0.5 * math.pi + start - turn * i / 48 for i in range(49)]
    path = tuple((1.01 * out * math.cos(a), 0.0, 1.01 * out * math.sin(a)) for a in angles)
    rope = Cable(
        "rope",
        (Anchor("world", begin), Anchor("weight")),
        ea=EA,
        length=length,
        diameter=diameter,
        damping_time=0.01,
        touches=("cylinder",),
        contacts=24,
        hybrid=Hybrid(density=1e-4, path=path, wound=True),
    )
    weight = Body(
        "weight", MASS, inertia=(1e-3,) * 3, shape=Sphere(0.2 * radius), position=(out, 0.0, -far)
    )
    cylinder = Obstacle("cylinder", Cylinder(radius, 0.2), orientation=LYING, stops_bodies=False)
    simulator = Simulator(Scene(bodies=[weight], cables=[rope], obstacles=[cylinder]))
    simulator.step(2500)
    return simulator, -far - length * MASS * G / EA


@pytest.mark.parametrize("start", [0.0, 0.3, 1.0, 1.55])
@pytest.mark.parametrize(
    "radius, diameter", [(0.005, 5e-4), (0.005, 5e-3), (0.05, 1e-3), (0.5, 0.02)]
)
def test_a_rope_on_a_cylinder_has_the_arc(radius: float, diameter: float, start: float) -> None:
    """Within 1e-4 of it, from a quarter of a turn on."""
    simulator, expected = over(radius, diameter, start)
    seen = simulator.observe()
    assert seen.report.status == 0
    arc = (radius + 0.5 * diameter) * (0.5 * math.pi + start)
    assert seen.body("weight").position[2] == pytest.approx(expected, abs=1e-4 * arc)
