"""The runs of figures 12 and 13: a wire over a beam, drawn across its edges or along them; and what
Coulomb's law says.

At a step of 1/60 s.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from cable_sim import Simulator, load_scene
from cable_sim.spec.scene import GRAVITY

H = 1.0 / 60.0
RATIO = 0.5
"""Of the loads, across the edges."""
SLOPES = (10.0, 20.0, 30.0)
"""Of the beam, along its edges [degrees]."""
FRICTIONS = (*(0.02 * i for i in range(12)), *(0.05 * i for i in range(5, 21)))
"""0 to 1, finer where the wire slides."""
WITHIN = 0.01
"""What is asked of accelerations, thresholds and ratios of tensions."""
JUDGED = 0.05
"""Accelerations above this part of g are judged by their relative deviation."""
STILL = 2e-4 * GRAVITY
"""Less is no acceleration [m/s^2]."""
STUCK = 1.2
"""Where friction is that many times what is needed, the wire is not to move at all."""
LEVEL, EASED, SETTLED, WATCHED = 0.5, 6.0, 1.0, 1.0
"""Along edges: how long there is no slope, how long it takes to come, the wire to slide, and half
of what is looked at [s]."""
HELD, CREEP = 600.0, 1e-3
"""How long 2.5 turns hold [s], and how far the loads may move [m]."""


def capstan(mu: float) -> float:
    """Ratio of the tensions on both sides of a beam, on two edges or on many."""
    return math.exp(mu * math.pi)


def atwood(rho: float) -> float:
    """Acceleration of loads that draw a wire across edges with that ratio [m/s^2]."""
    return GRAVITY * max(1.0 - RATIO * rho, 0.0) / (1.0 + RATIO * rho) if rho < math.inf else 0.0


def coulomb(mu: float, slope: float) -> float:
    """Acceleration of equal loads down inclined edges [m/s^2].

    On each edge the wire pulls along it with m y, y = g sin(theta) - a, and presses with
    m (hypot(y, g cos(theta)) + g cos(theta)) / sqrt(2): with the tension of the span over the beam,
    and the weight.
    """
    from scipy.optimize import brentq

    along, into = GRAVITY * math.sin(math.radians(slope)), GRAVITY * math.cos(math.radians(slope))

    def excess(y: float) -> float:
        return y - mu * (math.hypot(y, into) + into) / math.sqrt(2.0)

    return 0.0 if excess(along) <= 0.0 else along - float(brentq(excess, 0.0, along))


def stick(slope: float) -> float:
    """Friction from which on the wire stays on inclined edges."""
    theta = math.radians(slope)
    return math.sqrt(2.0) * math.sin(theta) / (1.0 + math.cos(theta))


@cache
def across(mu: float, rounded: bool, law: str = "coulomb") -> tuple[float, float]:
    """Acceleration of the heavy load down [m/s^2], and the ratio of the tensions."""
    simulator = Simulator(
        load_scene("wire_over_beam", friction=mu, ratio=RATIO, rounded=rounded, law=law), dt=H
    )
    simulator.step(15)
    before = simulator.observe().body("left").velocity[2]
    simulator.step(15)
    seen = simulator.observe()
    wire = seen.cable("wire")
    return float(before - seen.body("left").velocity[2]) / (
        15 * H
    ), wire.tension / wire.tension_dead_end


@cache
def along(
    mu: float, slope: float, law: str = "coulomb", eased: bool = True, h: float = H
) -> tuple[float, float]:
    """Acceleration of the wire down the edges [m/s^2], and how far it came in the end [m].

    The loads are held back against the slope at first, and ``eased`` slowly, or they swing by twice
    its angle. The places of the wire on the edge are taken, and not the loads, which swing a little
    on a wire that sticks.
    """
    scene = load_scene("wire_over_beam", friction=mu, ratio=1.0, slope=slope, law=law)
    simulator = Simulator(scene, dt=h)
    for turn in np.linspace(
        -math.pi * LEVEL / EASED, math.pi, round((LEVEL + EASED) / h) if eased else 0
    ):
        hold = 0.5 + 0.5 * math.cos(max(turn, 0.0))
        for body in scene.bodies:
            simulator.push(body.name, force=(0.0, -hold * body.mass * scene.gravity[1], 0.0))
        simulator.step()
    simulator.step(round(SETTLED / h))
    places = []
    for _ in range(3):
        places.append(float(simulator.observe().cable("wire").contact_position[0, 1]))
        simulator.step(round(WATCHED / h))
    return (places[2] - 2.0 * places[1] + places[0]) / WATCHED**2, places[2]


@cache
def creep() -> float:
    """How far 0.9 kg let 100 kg sink, or rise, on 2.5 turns around the round beam [m]."""
    scene = load_scene(
        "wire_over_beam", friction=0.3, load=100.0, ratio=0.009, rounded=True, half_turns=5
    )
    simulator = Simulator(scene, dt=H)
    simulator.step(round(20.0 / H))
    start = simulator.observe().body_position
    simulator.step(round(HELD / H))
    return float(np.abs(simulator.observe().body_position - start).max())


def threshold(run: Callable[..., tuple[float, float]], beam: float) -> float:
    """Friction from which on the wire does not get faster on a beam, that with this slope or round,
    by halving."""
    low, high = 0.0, 1.0
    while high - low > 2e-4:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if run(middle, beam)[0] > STILL else (low, middle)
    return 0.5 * (low + high)


def deviation(expected: list[float], ours: list[float]) -> float:
    """Largest relative error of the accelerations that are worth it."""
    return max(
        abs(a / theory - 1.0)
        for theory, a in zip(expected, ours, strict=True)
        if theory > JUDGED * GRAVITY
    )
