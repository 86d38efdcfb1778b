"""Torsion of hybrid wires with masses, over edges and sheaves: closed forms and conservation."""

import dataclasses
import math

import numpy as np
import pytest
from test_torsion import momenta

from cable_sim import Simulator
from cable_sim.spec import Anchor, Body, Box, Cable, Hybrid, Obstacle, Scene, Sheave

G, EA, FRAME = 9.81, 1e6, 1.0 / 60.0
LOAD, STIFFNESS, LENGTH = 50.0, 10.0, 4.0
INERTIA = LOAD * 0.5**2 / 6.0
HALF_PERIOD = math.pi * math.sqrt(INERTIA / STIFFNESS)
ARM = 0.08 * 0.016
LAID = {"torque_factor": 0.08, "diameter": 0.016}
OVER = ((-0.55, 0.0, 0.15), (0.55, 0.0, 0.15))
"""Points of a path over a beam 1 m wide about the origin."""
SIDE, CORNER, TOP = 0.508, 0.508, 0.108
"""Where the wire goes up and down, and the corners of its line, of a wire of 16 mm [m]."""
AROUND = 2.0 * math.hypot(SIDE - CORNER, 2.0 + TOP) + 2.0 * CORNER


def pendulum(masses: int, **cable) -> Scene:
    """A load of 50 kg and half a metre that turns on 4 m of wire, which keeps its masses."""
    load = Body("load", LOAD, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -LENGTH))
    path = ((0.0, 0.0, -0.5 * LENGTH),) * (masses > 0)
    made = Hybrid(density=0.2, most=masses, least=masses, finest=0.2, damping=0.0, path=path)
    length = LENGTH / (1.0 + LOAD * G / EA)
    given = {"ea": EA, "gj": STIFFNESS * LENGTH, "twist": 1.0, "length": length, **cable}
    wire = Cable("wire", (Anchor("world"), Anchor("load")), hybrid=made, **given)
    return Scene(bodies=(load,), cables=(wire,))


def hung_over(layer: dict | None = None, friction: float = 0.0, **cable) -> Scene:
    """A load on a wire that comes up from the ground and goes over a beam."""
    load = Body("load", LOAD, shape=Box(0.5, 0.5, 0.5), position=(SIDE, 0.0, -2.0))
    made = Hybrid(
        **{"density": 1e-6, "most": 0, "damping": 0.0, "path": OVER, "wound": True, **(layer or {})}
    )
    given = {"ea": EA, "gj": STIFFNESS * AROUND, "twist": 1.0, **cable}
    nodes = (Anchor("world", (-SIDE, 0.0, -2.0)), Anchor("load"))
    wire = Cable(
        "wire",
        nodes,
        hybrid=made,
        length=AROUND / (1.0 + LOAD * G / EA),
        touches=("block",),
        **given,
    )
    block = Obstacle("block", Box(1.0, 1.0, 0.2), friction=friction)
    return Scene(bodies=(load,), obstacles=(block,), cables=(wire,))


def half_periods(twists: list[float]) -> np.ndarray:
    """Times between zeros of the twist [s]."""
    now, after = np.array(twists[:-1]), np.array(twists[1:])
    k = np.flatnonzero(now * after < 0.0)
    assert k.size > 1
    return np.diff(FRAME * (k + now[k] / (now[k] - after[k])))


@pytest.mark.parametrize("masses", [0, 2, 8])
def test_half_period_with_masses(masses: int) -> None:
    """pi sqrt(I L / GJ) = 1.434 s, and each mass has its part of the twist."""
    simulator = Simulator(pendulum(masses), FRAME)
    energy, twists = simulator.observe().energy.total, []
    for _ in range(360):
        assert simulator.step().status == 0
        seen = simulator.observe()
        wire = seen.cable("wire")
        twists.append(wire.twist)
        assert seen.energy.total < energy + 1e-3
        parts = np.linspace(0.0, 1.0, masses + 2)[1:-1]
        np.testing.assert_allclose(wire.mass_twist, parts * wire.twist, atol=2e-3)
    assert round(HALF_PERIOD, 3) == 1.434
    np.testing.assert_allclose(half_periods(twists), HALF_PERIOD, rtol=1e-3)
    assert max(twists) == pytest.approx(1.0, abs=1e-3)


def test_eleven_turns_of_a_wire_with_masses() -> None:
    hand = Body("hand", shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -4.0), motion="prescribed")
    wire = dataclasses.replace(
        pendulum(4).cables[0], nodes=(Anchor("world"), Anchor("hand")), twist=0.0
    )
    simulator = Simulator(Scene(bodies=(hand,), cables=(wire,)), FRAME)
    simulator.move("hand", (0.0, 0.0, 0.0), (0.0, 0.0, 22.0 * math.pi / 4.0))
    simulator.step(240)
    simulator.move("hand", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    simulator.step(2)
    seen = simulator.observe().cable("wire")
    assert len(seen.mass_position) == 4
    assert seen.twist == pytest.approx(-22.0 * math.pi, abs=1e-9)
    assert seen.torque == pytest.approx(STIFFNESS * LENGTH / seen.length_paid_out * seen.twist)


@pytest.mark.parametrize("masses", [0, 6])
def test_a_laid_wire_unlays(masses: int) -> None:
    """Free to turn, it swings about the angle at which GJ / L twist + k_t d T is nothing."""
    simulator = Simulator(pendulum(masses, twist=0.0, **LAID), FRAME)
    energy, twists = simulator.observe().energy.total, []
    for _ in range(180):
        simulator.step()
        seen = simulator.observe()
        wire = seen.cable("wire")
        twists.append(wire.twist)
        expected = STIFFNESS * LENGTH / wire.length_paid_out * wire.twist
        # the torque is the mean of a step, half a step behind
        assert wire.torque - expected == pytest.approx(ARM * LOAD * G, abs=0.02)
        assert seen.energy.total < energy + 1e-3
    assert min(twists) == pytest.approx(-2.0 * ARM * LOAD * G / STIFFNESS, rel=0.01)


def test_half_period_over_an_edge() -> None:
    """Rope that bends over edges without friction turns the load with all of its length.

    Its forces across the line, M / l, move the load along the beam as well, which is why it turns
    faster by (I / m l^2) / 2, and by what the rope slides.
    """
    simulator = Simulator(hung_over(), FRAME)
    twists = []
    for _ in range(360):
        assert simulator.step().status == 0
        wire = simulator.observe().cable("wire")
        twists.append(wire.twist)
    assert len(wire.contact_position) >= 2
    np.testing.assert_allclose(half_periods(twists), HALF_PERIOD, rtol=1.2e-2)


def bent_over_a_free_body(**cable) -> Scene:
    """Two bodies pull a twisted wire over the edge of a third, and nothing else acts."""
    box = Box(0.6, 0.4, 0.5)
    bodies = (
        Body("a", 3.0, shape=box, position=(-1.5, 0.2, -1.2), angular_velocity=(0.2, 0.5, -0.3)),
        Body("b", 5.0, shape=box, position=(1.5, -0.3, -1.2), velocity=(0.1, 0.1, -0.1)),
        Body("block", 9.0, shape=Box(1.0, 1.0, 0.2), velocity=(0.0, 0.0, 0.3)),
    )
    given = {"ea": 800.0, "gj": 5.0, "twist": 2.0, "diameter": 0.016, **cable}
    made = Hybrid(density=1e-12, most=0, damping=0.0, path=OVER, wound=True)
    nodes = (Anchor("a", (0.1, 0.0, 0.2)), Anchor("b", (0.0, 0.1, 0.1)))
    wire = Cable("rope", nodes, hybrid=made, touches=("block",), length=3.6, **given)
    obstacle = Obstacle("block", Box(1.0, 1.0, 0.2), body="block")
    return Scene(bodies=bodies, obstacles=(obstacle,), cables=(wire,), gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("laid", [False, True])
def test_momentum_over_the_edges_of_a_free_body(laid: bool) -> None:
    """Momentum is conserved to rounding, energy to second order, while the line bends and turns."""
    scene = bent_over_a_free_body(**(LAID if laid else {}))
    gains = []
    for h in (2e-3, 1e-3):
        simulator = Simulator(scene, h)
        start, energies = momenta(simulator), [simulator.observe().energy.total]
        for _ in range(round(0.1 / h)):
            simulator.step()
            energies.append(simulator.observe().energy.total)
            np.testing.assert_allclose(momenta(simulator), start, atol=2e-11)
        gains.append(np.abs(np.subtract(energies, energies[0])).max())
        assert len(simulator.observe().cable("rope").contact_position) == 2
    assert gains[1] < 0.3 * gains[0] < 0.3 * 1e-3


def test_torque_balance_over_a_sheave() -> None:
    """One torque goes through; the sheave takes what turns it round, and each mass its part."""
    box = Box(0.5, 0.5, 0.5)
    loads = tuple(
        Body(name, LOAD, shape=box, position=(x, 0.0, -3.0))
        for name, x in (("a", -0.3), ("b", 0.3))
    )
    wheel = (Sheave("world", (-0.3, 0.0, 0.0)), Sheave("world", (0.3, 0.0, 0.0)))
    made = Hybrid(density=0.1, most=6, least=4, finest=0.4, damping=0.0)
    nodes = (Anchor("a"), *wheel, Anchor("b"))
    wire = Cable("wire", nodes, hybrid=made, ea=EA, gj=20.0, twist=2.0, pretension=LOAD * G)
    simulator = Simulator(Scene(bodies=loads, cables=(wire,)), FRAME)
    simulator.step(30)
    seen = simulator.observe()
    rope = seen.cable("wire")
    assert len(rope.mass_position) >= 4 and (np.diff(rope.mass_twist) > 0.0).all()
    up = np.array([0.0, 0.0, rope.torque])
    np.testing.assert_allclose(rope.node_torque[[0, 3]], [up, up], atol=1e-6)
    np.testing.assert_allclose(rope.node_torque[1:3].sum(axis=0), -2.0 * up, atol=1e-6)
    spin = seen.body_angular_velocity[-2:, 2]
    assert spin[0] == pytest.approx(spin[1], abs=1e-9) and abs(spin[0]) > 0.1


def test_masses_that_come_and_go_keep_twist_and_energy() -> None:
    """A wire with torsion has the energy of one without and GJ / 2 L twist^2, to rounding."""
    energies, counts, twists = [], set(), []
    for torsion in ({"twist": 7.0}, {"gj": None, "twist": 0.0}):
        scene = pendulum(0, length=4.5, ea=5e3, **torsion)
        hand = Body(
            "load", shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -4.0), motion="prescribed"
        )
        wire = dataclasses.replace(scene.cables[0], hybrid=Hybrid(density=0.2, most=8))
        simulator = Simulator(Scene(bodies=(hand,), cables=(wire,)), FRAME)
        simulator.move("load", (0.0, 0.0, -0.8))
        energies.append([])
        for _ in range(60):
            simulator.step()
            seen = simulator.observe()
            counts.add(len(seen.cable("wire").mass_position))
            twists.append(seen.cable("wire").twist)
            energies[-1].append(seen.energy.total)
    assert len(counts) > 3
    np.testing.assert_allclose(twists[:60], 7.0, rtol=1e-12)
    stored = 0.5 * STIFFNESS * LENGTH / 4.5 * 7.0**2
    np.testing.assert_allclose(np.subtract(*energies), stored, rtol=1e-9)


def spun_over(friction: float, spin: float) -> Simulator:
    """The load on the wire over the beam, set spinning, once the rope has come to stick."""
    scene = hung_over(friction=friction, twist=0.0)
    load = dataclasses.replace(scene.bodies[0], angular_velocity=(0.0, 0.0, spin))
    simulator = Simulator(dataclasses.replace(scene, bodies=(load,)), FRAME)
    simulator.step(3)
    return simulator


def test_rope_that_sticks_holds_a_twist() -> None:
    """Within mu N r only the rope up to the edge turns the load."""
    simulator = spun_over(friction=0.6, spin=0.5)
    torques = []
    far = simulator.observe().cable("wire").node_torque[0]
    for _ in range(150):
        assert simulator.step().status == 0
        seen = simulator.observe().cable("wire")
        torques.append(seen.torque)
        np.testing.assert_allclose(seen.node_torque[0], far, atol=2e-3)
    rigidity = STIFFNESS * AROUND
    near = math.hypot(SIDE - CORNER, 2.0 + TOP)
    expected = math.pi * math.sqrt(INERTIA * near / rigidity)
    np.testing.assert_allclose(half_periods(torques), expected, rtol=1e-2)


def test_rope_that_rolls_hands_on_what_friction_leaves() -> None:
    """M differs by the sum of mu N r across the beam, N = 2^(1/2) T, and energy never rises."""
    simulator = spun_over(friction=0.3, spin=6.0)
    energies, held = [], []
    for _ in range(110):
        simulator.step()
        seen = simulator.observe()
        wire = seen.cable("wire")
        energies.append(seen.energy.total)
        if len(wire.contact_position) == 2:
            held.append(abs(wire.node_torque[0, 2] - wire.node_torque[-1, 2]))
    bound = 2.0 * 0.3 * math.sqrt(2.0) * LOAD * G * 0.008
    assert np.diff(energies).max() < 1e-3 and energies[-1] < energies[0] - 5.0
    # while it turns, a step's mean torque is behind what has rolled at its end
    assert max(held) == pytest.approx(bound, rel=0.02)
