"""Loose ends of hybrid wires that whip along the edge of a solid, or past it."""

import math

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.kernels.status import CAME_OFF, ENERGY_GAINED, SWUNG_ROUND
from cable_sim.sim.sentences import explain
from cable_sim.spec import Anchor, Box, Cable, Cylinder, Hybrid, Loose, Obstacle, Scene

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


def kinetic_energies(simulator: Simulator, steps: int, told: int = 0) -> list[float]:
    """Run so many steps with no other status, and return the kinetic energy after each [J]."""
    energies = []
    for _ in range(steps):
        assert not simulator.step().status & ~told
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
    less than (h v / l)^2 of the whole, goes back with the next step; until then it is told."""
    simulator = over_the_edge(Loose((RIM - 4.0, 0.0, TOP + 0.1)))
    up = np.array((-0.05, 0.0, 0.2)) / math.hypot(0.05, 0.2) * SPEED
    throw(simulator, (-SPEED, 0.0, 0.0), (up[0], aside, up[2]))
    before = simulator.observe().energy.kinetic
    energies = kinetic_energies(simulator, 8, told=ENERGY_GAINED)
    assert simulator.step().status == 0
    assert max(energies) < 1.1 * before
    assert energies[-1] < 1.01 * before


def test_an_end_that_flies_past_a_rough_edge_gains_nothing() -> None:
    """Its rope comes off the edge within the step: friction can't keep it there, and nothing draws
    the end on, by twice what it flies past the edge."""
    simulator = over_the_edge(Loose((RIM - 4.0, 0.0, TOP + 0.1)), friction=0.3)
    throw(simulator, (0.0, 0.0, 0.0), (0.0, 0.0, 4.0 * SPEED))
    before = simulator.observe().energy.kinetic
    assert max(kinetic_energies(simulator, 2)) < 1.01 * before


@pytest.mark.parametrize(("speed", "told"), [(4.0, 0), (10.0, SWUNG_ROUND)])
def test_an_end_that_whips_about_a_rough_edge_is_told(speed: float, told: int) -> None:
    """Friction holds the rope, so that the end turns about the node as about an anchor: by a third
    of a radian a step, then by as much or by 5/6."""
    simulator = over_the_edge(Anchor("world", (RIM - 4.0, 0.0, TOP + 0.1)), friction=200.0)
    throw(simulator, (0.0, 0.0, 0.0), (4.0, 0.0, 0.0))
    assert simulator.step().status == 0
    angle = 0.57
    throw(simulator, (0.0, 0.0, 0.0), (speed * math.cos(angle), 0.0, speed * math.sin(angle)))
    assert simulator.step().status == told


def test_rope_that_comes_off_an_edge_all_at_once_is_told() -> None:
    """A loose wire swings below a slanting cylinder that friction holds it on. When it comes off,
    slack, its weight is lifted by a twentieth of its length."""
    turned = (0.443, 0.394, 0.778, -0.209)
    bar = Cylinder(radius=0.27, length=3.27)
    held = Obstacle("bar", bar, position=(-0.47, 1.46, 7.94), orientation=turned, friction=0.3)
    wire = Cable(
        "wire",
        (Anchor("world", (-3.73, 2.04, 9.46)), Anchor("world", (7.99, -1.84, 13.37))),
        ea=2.15e5,
        length=14.13,
        touches=("bar",),
        hybrid=Hybrid(density=4.3, most=2, least=1),
    )
    scene = Scene(cables=(wire,), obstacles=(held,))
    simulator = Simulator(scene, dt=FRAME, stepper="spook")
    assert simulator.step(40).status == 0
    simulator.release("wire")
    before = simulator.observe().energy.total
    told = []
    while sum(told) == 0:
        told.append(simulator.step().status)
        assert told[-1] or simulator.observe().energy.total < before
    assert told[-1] == CAME_OFF
    assert "came off" in explain(CAME_OFF)
