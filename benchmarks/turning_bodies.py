"""Bodies that turn on a cable with torsion and on a hinge with a spring, and what is exact of them.

On the cable I a'' = -(GJ / L) a. On the hinge, a m from the centre of a bar that hangs,

    (I + m a^2) b'' = -m g a sin b - k b.
"""

from typing import Any

import numpy as np

from benchmarks.moving_pendulums import GRAVITY, Array, integrate
from cable_sim import Anchor, Body, Box, Cable, Joint, Scene, Simulator

MASS = 100.0
WIDTH = 0.5
INERTIA = MASS * WIDTH**2 / 6.0
"""Of a cube [kg], its edge [m], about any axis through its centre [kg m^2]."""
LENGTH = 5.0
GJ = 500.0
SPIN = 3.0
"""Of its cable [m], [N m^2], and its angular velocity at the start [rad/s]."""
REACH = 1.0
SPRING = 300.0
SWING = 1.0
"""Of the hinge: its distance from the centre [m], [N m/rad], angular velocity at the start
[rad/s]."""


def cube(distance: float, **motion: Any) -> Body:
    """Cube at a distance below the origin [m]."""
    place = (0.0, 0.0, -distance)
    return Body("cube", MASS, shape=Box(WIDTH, WIDTH, WIDTH), position=place, **motion)


def pointer(simulator: Simulator) -> Array:
    """Place of a point that stands off the cube's centre by 1 m, seen from there (3,) [m]."""
    w, x, y, z = simulator.observe().body("cube").orientation
    return np.array([w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])


def twisting_place(h: float, end: float) -> Array:
    """Place of the pointer of a cube that turns on its cable (3,) [m]."""
    turning = cube(LENGTH, angular_velocity=(0.0, 0.0, SPIN))
    rope = Cable("rope", (Anchor("world"), Anchor("cube")), gj=GJ)
    simulator = Simulator(Scene(bodies=(turning,), cables=(rope,)), dt=h)
    simulator.step(round(end / h))
    return pointer(simulator)


def exact_twisting(end: float) -> Array:
    """Its exact place (3,) [m]."""
    rate = np.sqrt(GJ / LENGTH / INERTIA)
    angle = SPIN / rate * np.sin(rate * end)
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def springing_place(h: float, end: float) -> Array:
    """Place of the pointer of a cube that swings on a hinge with a spring (3,) [m]."""
    swinging = cube(REACH, velocity=(-SWING * REACH, 0.0, 0.0), angular_velocity=(0.0, SWING, 0.0))
    hinge = Joint("hinge", "hinge", "cube", axis=(0.0, 1.0, 0.0), stiffness=SPRING)
    simulator = Simulator(Scene(bodies=(swinging,), joints=(hinge,)), dt=h)
    simulator.step(round(end / h))
    return pointer(simulator)


def exact_springing(end: float) -> Array:
    """Its exact place (3,) [m]."""
    inertia = INERTIA + MASS * REACH**2

    def rates(t: float, y: Array) -> Array:
        turn = -(MASS * GRAVITY * REACH * np.sin(y[0]) + SPRING * y[0]) / inertia
        return np.array([y[1], turn])

    angle, _ = integrate(rates, (0.0, SWING), end)
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])
