"""The largest step with which the tutorial's rope is stable."""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator
from cable_sim.errors import ModelError
from cable_sim.spec import Scene
from cable_sim.spec.files import apply_changes
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

from .hang import MASS, STIFFNESS, hanging
from .loop import Loop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
PUSH = 1e-4
"""By which a mass is moved to see what that does [m, m/s]."""


@cache
def matrices(friction: float, air: float) -> tuple[Array, Array]:
    """-dF/dx / m and -dF/dv / m of the plain loop's masses but the held one, along the level rope
    [1/s^2, 1/s]."""
    stiffness, damping = np.zeros((79, 79)), np.zeros((79, 79))
    loop = Loop(friction=friction, air=air)
    for i, mass in enumerate(loop.masses[1:]):
        for name, columns in (("position", stiffness), ("velocity", damping)):
            getattr(mass, name)[0] += PUSH
            loop.forces()
            columns[:, i] = [-other.force[0] / other.mass / PUSH for other in loop.masses[1:]]
            getattr(mass, name)[0] -= PUSH
    return stiffness, damping


def radius(h: float, friction: float, air: float) -> float:
    """Largest eigenvalue of a step of ``h`` [s]: above 1 the rope shakes itself to pieces."""
    stiffness, damping = matrices(friction, air)
    one = np.eye(79)
    speed = np.hstack([-h * stiffness, one - h * damping])
    step = np.vstack([np.hstack([one, np.zeros((79, 79))]) + h * speed, speed])
    return float(np.abs(np.linalg.eigvals(step)).max())


@cache
def stable(friction: float, air: float) -> float:
    """Largest stable step [s], by halving."""
    low, high = 1e-3, 4e-3
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if radius(middle, friction, air) <= 1.0 + 1e-9 else (low, middle)
    return low


def theory(friction: float, air: float) -> float:
    """Largest stable step [s]: h d < 2 - h^2 w^2 / 2 of the fastest of 79 masses on 79 springs, one
    end held."""
    mu = 4.0 * math.cos(math.pi / 159.0) ** 2
    square, damping = STIFFNESS * mu / MASS, (friction * mu + air) / MASS
    return 4.0 / (math.sqrt(damping**2 + 4.0 * square) + damping)


def undivided() -> Scene:
    """The hanging rope in steps as long as the simulator's."""
    (rope,) = hanging().cables
    return apply_changes(
        hanging(),
        {"cables": (apply_changes(rope, {"lumped.largest_step": None, "lumped.substeps": False}),)},
    )


def refused(h: float) -> str:
    """What the simulator says to a step of ``h`` [s]; empty when it takes it."""
    try:
        Simulator(undivided(), dt=h)
    except ModelError as error:
        return str(error)
    return ""


def calm(h: float) -> float:
    """Longest spring of the hanging rope in 20 s of steps of ``h`` [s], over its rest length."""
    simulator, longest = Simulator(undivided(), dt=h), 0.0
    for _ in range(200):
        simulator.step(round(0.1 / h))
        longest = max(longest, float(simulator.observe().cable("rope").span_length.max()))
    return longest / 0.05


def limit(progress: Progress) -> Result:
    """The text says that about 2 ms is the largest step. What it is follows from the eigenvalues of
    a step: of the matrices that the plain loop gives when its masses are moved one by one, without
        and with its two frictions.

    The simulator knows the limit beforehand from a formula. It refuses a longer step, or divides
    it.
    """
    found: list[Finding] = []
    for name, friction, air in progress.over((("undamped", 0.0, 0.0), ("as it is", 0.2, 0.02))):
        found.append(
            Quantity(
                f"largest stable step, {name}",
                "2e-3",
                theory(friction, air),
                stable(friction, air),
                1e-5,
                "s",
            )
        )
    near = stable(0.2, 0.02)
    message = refused(1.0005 * near)
    found += [
        Statement(
            "a longer step is refused",
            "0.05 % above the limit",
            "is not stable" in message,
            message,
        ),
        Statement(
            "a shorter one is taken",
            "0.05 % below the limit",
            not refused(0.9995 * near),
            "no complaint",
        ),
        at_most(
            "longest spring just below the limit",
            1.2,
            calm(0.9995 * near),
            "",
            "over its rest length, 20 s",
        ),
    ]
    return Result(found, [Picture("limit", "Largest eigenvalue of a step over its length.", draw)])


def draw() -> "Figure":
    """Spectral radius over the step."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 2.8))
    axes = figure.add_subplot(xlabel="step [ms]", ylabel="largest eigenvalue")
    h = np.linspace(2.0e-3, 2.3e-3, 61)
    for label, friction, air in (("undamped", 0.0, 0.0), ("as it is", 0.2, 0.02)):
        axes.plot(1e3 * h, [radius(x, friction, air) for x in h], label=label)
    axes.legend()
    return figure
