"""The tutorial's rope at rest in the air: the stretch of its springs."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from cable_sim.spec import Loose, Scene
from cable_sim.spec.scene import GRAVITY
from validation.harness import Picture, Progress, Quantity, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNT, MASS, STIFFNESS = 80, 0.05, 1e4
"""Masses [-, kg], springs [N/m]."""
SECONDS = 150.0
"""The air takes e^-30 of the bounce in that time."""


def hanging() -> Scene:
    """The rope straight down, with no ground."""
    scene = load_scene("nehe_rope")
    (rope,) = scene.cables
    assert rope.lumped and rope.length
    nodes = (rope.nodes[0], Loose((0.0, 0.0, -rope.length)))
    return replace(
        scene, cables=(replace(rope, nodes=nodes, lumped=replace(rope.lumped, ground=None)),)
    )


@cache
def stretches() -> NDArray[np.float64]:
    """Of all springs at rest [m], the top one first."""
    simulator = Simulator(hanging(), dt=0.002)
    simulator.step(round(SECONDS / simulator.dt))
    return simulator.observe().cable("rope").span_length - 0.05


def hang(progress: Progress) -> Result:
    """Mass 0 is held, so the top spring carries 79 masses: 38.75 N, for which the text has about 40
    N and 4 mm.

    80 masses are joined by 79 springs: the rope "of 4 m" is 3.95 m long. Hanging, it is longer by
    m g / k (1 + 2 + ... + 79).
    """
    below = np.arange(COUNT - 1, 0, -1) * MASS * GRAVITY
    found = stretches()
    return Result(
        [
            Quantity(
                "stretch of the top spring",
                "4e-3",
                below[0] / STIFFNESS,
                float(found[0]),
                1e-9,
                "m",
            ),
            Quantity(
                "force of the top spring", "40", below[0], float(found[0]) * STIFFNESS, 1e-9, "N"
            ),
            Quantity(
                "stretch of the rope", None, below.sum() / STIFFNESS, float(found.sum()), 1e-9, "m"
            ),
            Quantity(
                "length of the rope without weight",
                "4",
                0.05 * (COUNT - 1),
                Simulator(hanging()).observe().cable("rope").length,
                1e-12,
                "m",
                "79 springs, not 80",
            ),
        ],
        [
            Picture(
                "hang",
                "Stretch of the springs at rest, and the weight below over the stiffness.",
                draw,
            )
        ],
    )


def draw() -> "Figure":
    """Stretch over the springs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 2.8))
    axes = figure.add_subplot(xlabel="spring, from the top", ylabel="stretch [mm]")
    axes.plot(np.arange(1, COUNT), 1e3 * stretches(), ".", label="simulated")
    axes.plot(
        np.arange(1, COUNT),
        1e3 * np.arange(COUNT - 1, 0, -1) * MASS * GRAVITY / STIFFNESS,
        label="theory",
    )
    axes.legend()
    return figure
