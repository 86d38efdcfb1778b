"""Loose ends of hybrid wires that whip along the edge of a solid, or past it."""

import math

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.spec import Anchor, Box, Cable, Hybrid, Loose, Obstacle, Scene

FRAME = 1.0 / 60.0
TOP = 0.5
RIM = 1.0
"""Height of the box's top, and where its edge is [m]."""
SPEED = 10.0
"""Speed of the loose ends: 17 cm in a step, as far as the end is from the edge [m/s]."""


def over_the_edge(first: Anchor | Loose, friction: float = 0.0) -> Simulator:
    """A weightless wire from ``first`` over the edge of a box, whose end is 0.2 m below the
    edge."""
    box = Obstacle("box", Box(2.0 * RIM, 20.0, 2.0 * TOP), friction=friction)
    wire = Cable(
        "wire",
        (first, Loose((RIM + 0.05, 0.0, TOP - 0.2))),
        ea=1e6,
        touches=("box",),
        hybrid=Hybrid(density=1.0, most=0, damping=0.0),
    )
    scene = Scene(cables=(wire,), obstacles=(box,), gravity=(0.0, 0.0, 0.0))
    return Simulator(scene, dt=FRAME, stepper="spook")


def throw(simulator: Simulator, first: tuple[float, ...], last: tuple[float, ...]) -> None:
    """Give both ends a velocity [m/s]."""
    simulator._state.nodes.velocity[0] = first
    simulator._state.nodes.velocity[-1] = last


def kinetic_energies(simulator: Simulator, steps: int) -> list[float]:
    """Run so many steps, and return the kinetic energy after each [J]."""
    energies = []
    for _ in range(steps):
        assert simulator.step().status == 0
        energies.append(simulator.observe().energy.kinetic)
    return energies


def test_an_end_that_whips_along_an_edge_keeps_its_speed() -> None:
    """It turns not about the node, which slides with it: in the plane that side and top of the box
    unfold to, it goes round the anchor, 4.2 m away, and keeps its speed."""
    simulator = over_the_edge(Anchor("world", (RIM - 4.0, 0.0, TOP + 0.1)))
    throw(simulator, (0.0, 0.0, 0.0), (0.0, SPEED, 0.0))
    before = simulator.observe().energy.kinetic
    assert len(simulator.observe().cable("wire").contact_position) == 1
    energies = kinetic_energies(simulator, 6)
    assert energies == pytest.approx([before] * 6, rel=0.02)


@pytest.mark.parametrize("aside", [0.0, 3.0])
def test_an_end_that_runs_off_over_an_edge_gains_nothing(aside: float) -> None:
    """Both ends run with the taut wire. The node at the edge lets go when the end passes it,
    instead of drawing at the end in the same sense beyond it. The energy of the sudden turn there,
    less than (h v / l)^2 of the whole, goes back with the next step."""
    simulator = over_the_edge(Loose((RIM - 4.0, 0.0, TOP + 0.1)))
    up = np.array((-0.05, 0.0, 0.2)) / math.hypot(0.05, 0.2) * SPEED
    throw(simulator, (-SPEED, 0.0, 0.0), (up[0], aside, up[2]))
    before = simulator.observe().energy.kinetic
    energies = kinetic_energies(simulator, 8)
    assert max(energies) < 1.1 * before
    assert energies[-1] < 1.01 * before
