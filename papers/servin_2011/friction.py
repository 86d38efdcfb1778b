"""Figures 12 and 13: friction of a wire over a beam, across its edges and along them, at a step of 1/60 s."""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from cable_sim.scenes.servin_2011 import wire_over_beam
from cable_sim.spec.scene import GRAVITY
from cable_sim.studies import Finding, Picture, Progress, Quantity, Result, Statement, at_most

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H = 1.0 / 60.0
RATIO = 0.5
"""Of the loads, across the edges."""
SLOPES = (10.0, 20.0, 30.0)
"""Of the beam, along its edges [degrees]."""
FRICTIONS = tuple(round(0.05 * i, 2) for i in range(21))
"""0 to 1, of all runs; where less is done before it sticks, finer."""
FINE = tuple(round(0.02 * i, 2) for i in range(1, 12))
FACETS = 32
WITHIN = 0.01
"""What is asked of accelerations, thresholds and ratios of tensions."""
JUDGED = 0.05
"""Accelerations above this part of g are judged by their relative deviation."""
STILL = 2e-4
"""An acceleration below this part of g is none."""
EASED, SETTLED, WATCHED = 6.0, 1.0, 1.0
"""Along edges: how long the slope takes to come, the wire to slide, and half of what is looked at [s]."""
HELD = 600.0
"""How long 2.5 turns hold [s]."""


def edges_ratio(mu: float) -> float:
    """Ratio of the tensions on both sides of two edges at right angles."""
    return ((1.0 + mu) / (1.0 - mu)) ** 2 if mu < 1.0 else math.inf


def facets_ratio(mu: float, half_turns: int = 1) -> float:
    """The same of the round beam: of a polygon, close to exp(mu pi)."""
    m = mu * math.tan(math.pi / FACETS)
    return ((1.0 + m) / (1.0 - m)) ** (half_turns * FACETS // 2)


def atwood(rho: float) -> float:
    """Acceleration of loads that draw a wire across edges with that ratio [m/s^2]."""
    return GRAVITY * max(1.0 - RATIO * rho, 0.0) / (1.0 + RATIO * rho) if rho < math.inf else 0.0


def coulomb(mu: float, slope: float) -> float:
    """Acceleration of equal loads down inclined edges [m/s^2].

    On each edge the wire pulls along it with m y, y = g sin(theta) - a, and presses with
    m (hypot(y, g cos(theta)) + g cos(theta)) / sqrt(2): with the weight, and with the tension of the span over the beam.
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
def across(mu: float, rounded: bool) -> tuple[float, float]:
    """Acceleration of the heavy load down [m/s^2], and the ratio of the tensions."""
    simulator = Simulator(load_scene("wire_over_beam", friction=mu, ratio=RATIO, rounded=rounded), dt=H)
    simulator.step(15)
    before = simulator.observe().body("left").velocity[2]
    simulator.step(15)
    seen = simulator.observe()
    wire = seen.cable("wire")
    return float(before - seen.body("left").velocity[2]) / (15 * H), wire.tension / wire.tension_dead_end


@cache
def along(mu: float, slope: float) -> tuple[float, float]:
    """Acceleration of the wire down the edges [m/s^2], and how far it came in the end [m].

    The loads are held back against the slope at first, and let go slowly, or they would swing by twice its angle. The
    places of the wire on the edge are taken, and not the loads, which swing a little on a wire that sticks.
    """
    scene = load_scene("wire_over_beam", friction=mu, ratio=1.0, slope=slope)
    simulator = Simulator(scene, dt=H)
    for hold in 0.5 + 0.5 * np.cos(np.linspace(0.0, math.pi, round(EASED / H))):
        for body in scene.bodies:
            simulator.push(body.name, force=(0.0, -hold * body.mass * scene.gravity[1], 0.0))
        simulator.step()
    simulator.step(round(SETTLED / H))
    places = []
    for _ in range(3):
        places.append(float(simulator.observe().cable("wire").contact_position[0, 1]))
        simulator.step(round(WATCHED / H))
    return (places[2] - 2.0 * places[1] + places[0]) / WATCHED**2, places[2]
