"""Small scenes of bodies that touch, for tests."""

import math

from cable_sim import Body, Box, Scene, Simulator, Sphere, Surface
from cable_sim.spec import Collision, Cylinder, Touch

G = 9.81
STEPS = [2.5e-4, 1e-3, 1e-2, 1.0 / 60.0]
BALL = Sphere(0.1)
ROLLER = Cylinder(0.1, 0.5)
LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Turns a cylinder from z to y."""


def tilted(angle: float, direction: float = 0.0) -> tuple[float, float, float]:
    """Gravity on a level plane that stands for one that falls at an angle in a direction."""
    along = G * math.sin(angle)
    return along * math.cos(direction), along * math.sin(direction), -G * math.cos(angle)


def scene(bodies, friction=0.5, gravity=(0.0, 0.0, -G), ground=True, **touch) -> Scene:
    """Bodies that touch each other, and a plane, in the same way."""
    surfaces = (Surface(friction=friction),) if ground else ()
    material = Touch(**{"friction": friction, **touch})
    return Scene(
        bodies=tuple(bodies),
        surfaces=surfaces,
        collision=Collision(default=material),
        gravity=gravity,
    )


def brick(name="brick", mass=3.0, size=(0.4, 0.3, 0.1), at=(0.0, 0.0), level=0.0, **more) -> Body:
    """A box that stands on a level."""
    position = (*at, level + 0.5 * size[2])
    return Body(name, mass=mass, shape=Box(*size), position=position, **more)


def stack(masses, size=0.2, at=(), **more) -> list[Body]:
    """Cubes on one another."""
    places = at or [(0.0, 0.0)] * len(masses)
    return [
        brick(f"cube_{i}", mass, (size, size, size), places[i], i * size, **more)
        for i, mass in enumerate(masses)
    ]


def run(bodies, dt: float, time: float, **more) -> Simulator:
    """A scene after some time, in which all steps were solved."""
    simulator = Simulator(scene(bodies, **more), dt=dt)
    report = simulator.step(round(time / dt))
    assert report.status == 0, report
    return simulator
