"""Pendulums whose point of suspension, length or counterweight moves, and what is exact of them.

All hang on ropes without mass or stretch. Let p be the point of suspension, l the length and r the
ball less p. With the pull lambda per mass and length along the rope,

    r'' = g - p'' - lambda r,       lambda = (r . (g - p'') + r' . r' - l l'' - l'^2) / l^2,

which follows from r . r = l^2. The swinging Atwood machine has M on the other side of its eyes,
with the tension T the same,

    T = m M (g (1 + cos a) + l a'^2) / (m + M),     l'' = g cos a + l a'^2 - T / m.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from cable_sim import Anchor, Body, Box, Cable, Drive, Eye, Scene, Simulator, Sphere
from cable_sim.spec import Drum, Winch

Array = NDArray[np.float64]
GRAVITY = 9.81
MASS = 100.0
LENGTH = 5.0
ANGLE = 0.5
"""m/s^2, kg, m, rad from the vertical."""
ATWOOD = 3.0
"""Mass of the counterweight over that of the ball [-]."""
RADIUS = 10.0
SLEWING = 0.2
"""Of the slewing one: of its point of suspension [m], of the turn [rad/s]."""
REELING = 0.5
HASTE = 1.0
"""Reeling in: speed [m/s] and acceleration up to it [m/s^2]."""
STIFFNESS = 4e4
"""Of the one that bounces [N/m]."""


def integrate(rates: Callable[[float, Array], Any], begin: Any, end: float) -> Array:
    """State at the end, by a method of order 8."""
    solution = solve_ivp(rates, (0.0, end), begin, "DOP853", rtol=1e-12, atol=1e-13)
    return np.asarray(solution.y[:, -1])


def hanging() -> Array:
    """Place from which a ball is let go, seen from its point of suspension (3,) [m]."""
    return LENGTH * np.array([np.sin(ANGLE), 0.0, -np.cos(ANGLE)])


def ball(position: Array) -> Body:
    """What swings."""
    return Body("ball", MASS, shape=Sphere(0.01), position=tuple(position))


def ball_place(simulator: Simulator, h: float, end: float) -> Array:
    """Place of the ball at the end (3,) [m]."""
    simulator.step(round(end / h))
    return np.array(simulator.observe().body("ball").position)


def atwood_place(h: float, end: float) -> Array:
    """Place of the ball of a swinging Atwood machine (3,) [m]."""
    counterweight = Body("weight", ATWOOD * MASS, shape=Sphere(0.01), position=(-3.0, 0.0, -LENGTH))
    eyes = Eye("world", (-3.0, 0.0, 0.0)), Eye("world")
    rope = Cable("rope", (Anchor("weight"), *eyes, Anchor("ball")))
    return ball_place(
        Simulator(Scene(bodies=(counterweight, ball(hanging())), cables=(rope,)), dt=h), h, end
    )


def exact_atwood(end: float) -> Array:
    """Its exact place (3,) [m]."""

    def rates(t: float, y: Array) -> Array:
        length, angle, out, turn = y
        swing = length * turn * turn
        pull = GRAVITY * (1.0 + np.cos(angle)) + swing
        pull *= ATWOOD / (1.0 + ATWOOD)
        sideways = -(2.0 * out * turn + GRAVITY * np.sin(angle)) / length
        return np.array([out, turn, GRAVITY * np.cos(angle) + swing - pull, sideways])

    length, angle, _, _ = integrate(rates, (LENGTH, ANGLE, 0.0, 0.0), end)
    return length * np.array([np.sin(angle), 0.0, -np.cos(angle)])


def slewing_place(h: float, end: float) -> Array:
    """Place of the ball on a jib that slews evenly (3,) [m]."""
    jib = Body(
        "jib", 1.0, shape=Box(1.0, 1.0, 1.0), motion="prescribed", angular_velocity=(0, 0, SLEWING)
    )
    rope = Cable("rope", (Anchor("jib", (RADIUS, 0.0, 0.0)), Anchor("ball")))
    scene = Scene(bodies=(jib, ball(hanging() + (RADIUS, 0.0, 0.0))), cables=(rope,))
    return ball_place(Simulator(scene, dt=h), h, end)


def exact_slewing(end: float) -> Array:
    """Its exact place (3,) [m]."""

    def suspension(t: float) -> Array:
        return RADIUS * np.array([np.cos(SLEWING * t), np.sin(SLEWING * t), 0.0])

    def rates(t: float, y: Array) -> Array:
        load = np.array([0.0, 0.0, -GRAVITY]) + SLEWING**2 * suspension(t)
        pull = (y[:3] @ load + y[3:] @ y[3:]) / LENGTH**2
        return np.concatenate([y[3:], load - pull * y[:3]])

    begin = (*hanging(), 0.0, -SLEWING * RADIUS, 0.0)
    return integrate(rates, begin, end)[:3] + suspension(end)


def reeling_place(h: float, end: float) -> Array:
    """Place of the ball while a winch takes in its rope (3,) [m]."""
    rope = Cable("rope", (Drum("world"), Anchor("ball")), winch=Winch("winch", 500.0))
    drive = Drive("haul", "winch", max_acceleration=HASTE)
    simulator = Simulator(Scene(bodies=(ball(hanging()),), cables=(rope,), drives=(drive,)), dt=h)
    simulator.command("haul", -REELING, "speed")
    return ball_place(simulator, h, end)


def exact_reeling(end: float) -> Array:
    """Its exact place (3,) [m]."""
    ramp = REELING / HASTE

    def rates(t: float, y: Array) -> Array:
        speed = -min(HASTE * t, REELING)
        faster = -HASTE if t < ramp else 0.0
        length = np.linalg.norm(y[:3])
        pull = y[2] * -GRAVITY + y[3:] @ y[3:] - length * faster - speed * speed
        return np.concatenate([y[3:], np.array([0.0, 0.0, -GRAVITY]) - pull / length**2 * y[:3]])

    first = integrate(rates, (*hanging(), 0.0, 0.0, 0.0), ramp)
    return integrate(lambda t, y: rates(t + ramp, y), first, end - ramp)[:3]


def bouncing_place(h: float, end: float) -> Array:
    """Place of a ball that bounces on its rope (3,) [m]."""
    rope = Cable("rope", (Anchor("world"), Anchor("ball")), ea=STIFFNESS * LENGTH, length=LENGTH)
    settled = LENGTH + MASS * GRAVITY / STIFFNESS
    scene = Scene(
        bodies=(ball(np.array([0.0, 0.0, -LENGTH - 0.2 * (settled - LENGTH)])),), cables=(rope,)
    )
    return ball_place(Simulator(scene, dt=h), h, end)


def exact_bouncing(end: float) -> Array:
    """Its exact place (3,) [m]."""
    sag = MASS * GRAVITY / STIFFNESS
    swing = np.cos(np.sqrt(STIFFNESS / MASS) * end)
    return np.array([0.0, 0.0, -LENGTH - sag + 0.8 * sag * swing])
