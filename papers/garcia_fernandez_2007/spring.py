"""Equation 1 and the forces on the nodes: spring constant, sign of the damping, pull on the
nodes."""

import math

import numpy as np

from cable_sim import Anchor, Body, Cable, Eye, Scene, Simulator, Sphere
from cable_sim.spec import Elevation
from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Progress, Quantity, Result, at_least, fit_mode

G = GRAVITY
H = 5e-4
MODULUS, AREA = 105e9, 1.0e-4
"""Of a wire rope of 16 mm or so: modulus, metallic area [Pa, m^2]."""
STEP_EFFECT = 5e-5
"""Of the step on either constant: (omega h)^2 / 6 and / 4, where omega h is 0.0115 at most."""
MASS, DENSITY, TIME = 2000.0, 1.5, 2e-3
"""Load [kg], rope [kg/m], damping over stiffness [s]."""


def hanging(length: float) -> Scene:
    """A load on an upright rope, a little below its place of rest; ``length`` of the rope [m]."""
    ea = MODULUS * AREA
    drop = length * (1.0 + 1.1 * MASS * G / ea)
    return Scene(
        name="hanging",
        bodies=(Body("load", MASS, shape=Sphere(0.3), position=(0.0, 0.0, -drop)),),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Anchor("load")),
                ea=ea,
                length=length,
                damping_time=TIME,
                elevation=Elevation(DENSITY),
            ),
        ),
    )


def spring(progress: Progress) -> Result:
    """A load bounces on an upright rope, whose spring constant m (omega^2 + delta^2) and rate of
    decay delta are fitted.

    Eq. 1 prints the spring constant E / L, which is none; with the area A of the metal, E A / L, it
    is what the load feels. It prints - c (dl/dt - dL/dt) for the damping, too, with which the
    bounce would grow at the rate c / 2m. With + it decays.
    """
    found: list[Finding] = []
    for length in progress.over((10.0, 20.0, 40.0)):
        simulator, values = Simulator(hanging(length), dt=H), []
        rest = -length * (1.0 + MASS * G / (MODULUS * AREA))
        for _ in range(4000):
            simulator.step()
            values.append(simulator.observe().body("load").position[2] - rest)
        mode = fit_mode(values, H)
        decay = mode.decay_rate(H)
        measured = MASS * ((2.0 * math.pi / mode.period) ** 2 + decay**2)
        constant = MODULUS * AREA / length
        found += [
            Quantity(
                f"spring constant, {length:g} m",
                None,
                constant,
                measured,
                STEP_EFFECT,
                "N/m",
                "E A / L",
            ),
            Quantity(
                f"decay rate, {length:g} m",
                None,
                0.5 * TIME * constant / MASS,
                decay,
                STEP_EFFECT,
                "1/s",
                "c / 2m",
            ),
            at_least(
                f"the damping damps, {length:g} m", 0.0, decay, "1/s", "eq. 1 as printed: negative"
            ),
        ]
    return Result(found)


def over_pulleys(density: float) -> Scene:
    """A rope over two fixed pulleys at different heights, at rest."""
    nodes = (
        Anchor("world"),
        Eye("world", (15.0, 0.0, 4.0)),
        Eye("world", (25.0, 6.0, 4.0)),
        Anchor("world", (40.0, 6.0, 0.0)),
    )
    layer = Elevation(density) if density else None
    return Scene(
        name="over_pulleys",
        cables=(Cable("rope", nodes, ea=1e7, pretension=8000.0, elevation=layer),),
    )


def forces(progress: Progress) -> Result:
    """What a rope at rest over two pulleys pulls its nodes with: T d and - T d of the neighbouring
    spans, and only one of them at the ends (the last is F_N, printed F_(N-1)). Massless, all forces
    together are nothing.

    With mass the curves' ends pull across their chords as well, so that the nodes carry the weight
    across the chords: rho g l cos(slope) on every span. The part along a sloping chord is missing
        in a model with one tension.
    """
    found: list[Finding] = []
    for density in progress.over((0.0, 1.5)):
        simulator = Simulator(over_pulleys(density), dt=1e-3)
        simulator.step(200)
        seen = simulator.observe().cable("rope")
        chords = np.diff(seen.node_position, axis=0)
        lengths = np.linalg.norm(chords, axis=1)
        d = chords / lengths[:, None]
        along = np.zeros((4, 3))
        along[:-1] += seen.tension * d
        along[1:] -= seen.tension * d
        down = np.array([0.0, 0.0, -density * G])
        across = lengths[:, None] * (down - (d @ down)[:, None] * d)
        along[:-1] += 0.5 * across
        along[1:] += 0.5 * across
        apart = float(np.abs(seen.node_force - along).max()) / seen.tension
        tag = f"{density:g} kg/m"
        found += [
            Quantity(
                f"forces on the nodes, {tag}",
                None,
                0.0,
                apart,
                1e-9,
                "",
                "largest error over the tension",
            ),
            Quantity(
                f"weight on all nodes, {tag}",
                None,
                -float(across[:, 2].sum()),
                -float(seen.node_force[:, 2].sum()),
                1e-6,
                "N",
            ),
        ]
    return Result(found)
