"""Ropes that go through their own eye, and slings about a load."""

import math
from itertools import product

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Simulator, load_scene
from cable_sim.kernels.cables.contact.contact_path import LANDED
from cable_sim.kernels.status import CATCH_MISSED, NOT_CONVERGED
from cable_sim.scenes.slings import DIAMETER, RADIUS
from cable_sim.sim.statics import equilibrium

GROWN = RADIUS + 0.5 * DIAMETER
LOG = 500.0
G = 9.81


def legs(seen) -> np.ndarray:
    """Unit vectors of the three legs of a choker at its shackle (3, 3)."""
    shackle = seen.body("shackle").position
    edges = seen.cable("sling").contact_position
    ends = [np.array([0.0, 0.0, 1.5]), edges[0], edges[-1]]
    return np.array([(end - shackle) / np.linalg.norm(end - shackle) for end in ends])


def test_the_legs_of_a_choker_without_friction_have_equal_angles() -> None:
    """Three forces of one size at a light shackle balance at 120 deg, and the two legs to the log
    are tangents: the natural angle of a choker hitch."""
    rest = equilibrium(load_scene("slung_log", friction=0.0, shackle=0.2)).observation
    cosines = legs(rest) @ legs(rest).T
    assert np.degrees(np.arccos(cosines[np.triu_indices(3, 1)])) == pytest.approx(120.0, abs=1.0)
    apart = rest.body("shackle").position - rest.body("log").position
    assert np.linalg.norm(apart) == pytest.approx(GROWN / math.sin(math.radians(60.0)), rel=5e-3)
    assert rest.cable("sling").tension == pytest.approx(LOG * G, rel=0.01)


@pytest.mark.parametrize(
    ("shackle", "friction"),
    slow_but(
        {(2.0, 0.1), (2.0, 0.3), (10.0, 0.2), (10.0, 0.5)},
        product((2.0, 10.0), (0.1, 0.2, 0.3, 0.5)),
    ),
)
def test_a_choker_with_friction_holds_its_log(friction: float, shackle: float) -> None:
    """Its light shackle has no tension that fits Coulomb's law in some steps (Painlevé). The load
    stays where it hangs, and every step is solved."""
    simulator = Simulator(load_scene("slung_log", friction=friction, shackle=shackle), 1.0 / 240.0)
    for _ in range(12):
        assert not simulator.step(60).status & NOT_CONVERGED
        assert simulator.observe().body("log").position[2] == pytest.approx(-0.01, abs=0.012)
    assert simulator.observe().cable("sling").tension == pytest.approx(LOG * G, rel=0.3)


@pytest.mark.parametrize(
    ("shackle", "dt", "friction"),
    slow_but(
        {
            (2.0, 1.0 / 60.0, 0.5),
            (2.0, 1.0 / 240.0, 0.1),
            (10.0, 1.0 / 60.0, 0.1),
            (10.0, 1.0 / 120.0, 0.3),
            (10.0, 1e-3, 0.5),
        },
        product((2.0, 10.0), (1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0, 1e-3), (0.1, 0.3, 0.5)),
    ),
)
def test_friction_in_a_choker_does_no_work(shackle: float, dt: float, friction: float) -> None:
    """The shackle swings to and fro, and rope stops and turns round each time: kinetic and
    potential energy together rise by less than the elastic energy of 3 J."""
    scene = load_scene("slung_log", friction=friction, shackle=shackle)
    simulator, energies = Simulator(scene, dt), []
    for _ in range(round(1.5 / dt)):
        assert simulator.step().status & ~CATCH_MISSED == 0
        energy = simulator.observe().energy
        energies.append(energy.kinetic + energy.potential)
    assert float((energies - np.minimum.accumulate(energies)).max()) < 2.0


@pytest.mark.parametrize("kind", ["basket", "double_basket", "crossed_basket"])
def test_the_legs_of_a_basket_carry_half_of_the_log_each(kind: str) -> None:
    simulator = Simulator(load_scene("slung_log", kind=kind), 1.0 / 240.0)
    for _ in range(8):
        assert simulator.step(60).status == 0
    seen = simulator.observe()
    assert np.abs(seen.body("log").position).max() < 0.03
    sling = seen.cable("sling")
    assert sling.tension + sling.tension_dead_end == pytest.approx(
        LOG * G / math.cos(math.asin(GROWN / 1.5)), rel=0.05
    )


def test_a_crossed_basket_lies_on_itself_below_the_log() -> None:
    simulator = Simulator(load_scene("slung_log", kind="crossed_basket"), 1.0 / 240.0)
    nodes = simulator.save().state.nodes
    a, b = np.flatnonzero(nodes.contact_solid == LANDED)
    assert np.linalg.norm(nodes.point[a] - nodes.point[b]) == pytest.approx(DIAMETER, abs=1e-6)
    simulator.step(240)
    assert np.count_nonzero(simulator.save().state.nodes.contact_solid == LANDED) == 2


def test_a_noose_closes_on_its_bollard() -> None:
    """The winch draws the loop of 0.5 m radius tight, up to what it can pull."""
    simulator = Simulator(load_scene("noose"), 1.0 / 240.0)
    simulator.step(12 * 240)
    seen = simulator.observe()
    honda = np.linalg.norm(seen.body("honda").position[:2])
    edges = seen.cable("rope").contact_position
    assert honda < 0.3
    assert len(edges) >= 8
    assert seen.cable("rope").tension == pytest.approx(2000.0, rel=0.02)
