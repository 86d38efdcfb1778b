"""Bending stiffness of hybrid wires: frequencies, statics, momentum, and stability at any
stiffness."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize

from cable_sim import Simulator
from cable_sim.kernels.cables.stiffness import flexure
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Hybrid, Loose, Scene, Sphere

G, FRAME = 9.81, 1.0 / 60.0
WEIGHTLESS = (0.0, 0.0, 0.0)


def rod(
    bending: float, masses: int = 11, length: float = 6.0, density: float = 1.5, ea: float = 1e9
) -> Scene:
    """A straight free wire in space."""
    path = ((0.5 * length, 0.0, 0.0),)
    made = Hybrid(
        density=density, most=masses, least=masses, bending=bending, damping=0.0, path=path
    )
    wire = Cable("wire", (Loose(), Loose((length, 0.0, 0.0))), ea=ea, length=length, hybrid=made)
    return Scene(cables=(wire,), gravity=WEIGHTLESS)


def modes(bending: float, masses: int = 11, length: float = 6.0, density: float = 1.5):
    """Squares of the frequencies of the discrete rod and its modes, masses of the ends halved
    [1/s^2]."""
    count, part = masses + 2, length / (masses + 1)
    second = np.zeros((count - 2, count))
    for i in range(count - 2):
        second[i, i : i + 3] = np.array([1.0, -2.0, 1.0]) / part
    mass = np.diag(density * part * np.array([0.5, *[1.0] * masses, 0.5]))
    return eigh(bending / part * second.T @ second, mass)


@pytest.mark.parametrize(("bending", "mode"), [(30.0, 2), (300.0, 2), (300.0, 3), (3e5, 2)])
def test_a_free_rod_swings_at_the_frequency_of_the_discrete_one(bending: float, mode: int) -> None:
    simulator = Simulator(rod(bending), FRAME)
    squares, shapes = modes(bending)
    shape = shapes[:, mode] / np.abs(shapes[:, mode]).max()
    state = simulator._state
    used = [0, *range(1, 12), len(state.nodes.contact_solid) - 1]
    state.nodes.velocity[used, 2] = 1e-4 * shape
    found, swing = [], []
    for _ in range(2000):
        simulator.step()
        swing.append(float(simulator.observe().node_position[used[0], 2]))
    effective = squares[mode] / (1.0 + flexure.BETA * FRAME**2 * squares[mode])
    w = 2.0 / FRAME * math.asin(0.5 * FRAME * math.sqrt(effective))
    steps = np.arange(1, 2001)
    found = np.linalg.lstsq(
        np.column_stack([np.sin(w * FRAME * steps), np.cos(w * FRAME * steps)]), swing, rcond=None
    )
    left = np.sqrt(found[1][0] / np.dot(swing, swing))
    assert left < 0.02  # of one frequency from the first to the last step, without damping


def test_a_stiff_rope_hangs_where_its_energy_is_least() -> None:
    count, length, density, bending, span = 13, 3.0, 1.2, 15.0, 1.6
    made = Hybrid(density=density, most=count, least=count, bending=bending, damping=2.0)
    wire = Cable(
        "wire",
        (Anchor("world"), Anchor("world", (span, 0.0, 0.0))),
        ea=1e7,
        length=length,
        hybrid=made,
    )
    simulator = Simulator(Scene(cables=(wire,)), FRAME)
    simulator.step(3000)
    seen, part = simulator.observe().cable("wire"), length / (count + 1)

    def points(angle):
        return np.cumsum(
            [[0.0, 0.0], *part * np.column_stack([np.cos(angle), np.sin(angle)])], axis=0
        )

    def energy(angle):
        weight = density * part * G * points(angle)[1:-1, 1].sum()
        return weight + bending / part * (1.0 - np.cos(np.diff(angle))).sum()

    keeps = {"type": "eq", "fun": lambda angle: points(angle)[-1] - (span, 0.0)}
    start = np.linspace(-1.3, 1.3, count + 1)
    best = minimize(energy, start, constraints=keeps, method="SLSQP", options={"ftol": 1e-12})
    assert best.success, best.message
    assert seen.mass_position[:, [0, 2]] == pytest.approx(points(best.x)[1:-1], abs=5e-3)
    limp = dataclasses.replace(wire, hybrid=dataclasses.replace(made, bending=0.0))
    without = Simulator(Scene(cables=(limp,)), FRAME)
    without.step(3000)
    assert np.abs(without.observe().cable("wire").mass_position - seen.mass_position).max() > 0.05


@pytest.mark.parametrize("bending", [10.0, 257.0])  # the latter is a solid rod of steel
def test_no_stiffness_shakes_a_wire_apart(bending: float) -> None:
    made = Hybrid(density=1.0, most=30, bending=bending, damping=0.05)
    ends = Anchor("world"), Anchor("world", (8.0, 0.0, 0.0))
    wire = Cable("wire", ends, ea=1e6, length=9.0, damping_time=0.02, hybrid=made)
    simulator = Simulator(Scene(cables=(wire,)), FRAME)
    start = simulator.observe().energy.total
    for _ in range(600):
        simulator.step()
        assert simulator.observe().energy.total < start + 1.0
    assert simulator.observe().energy.total < start
    assert simulator.report.status == 0


def test_momentum_is_kept_and_bodies_feel_the_bend() -> None:
    balls = tuple(
        Body(name, mass=2.0, shape=Sphere(0.1), position=(x, 0.0, 0.0))
        for name, x in (("a", 0.0), ("b", 1.5))
    )
    made = Hybrid(
        density=0.5,
        most=9,
        least=9,
        bending=20.0,
        damping=0.0,
        path=((0.0, 0.0, 1.0), (1.5, 0.0, 1.0)),
    )
    wire = Cable("wire", (Anchor("a"), Anchor("b")), ea=1e6, length=3.6, hybrid=made)
    simulator = Simulator(Scene(bodies=balls, cables=(wire,), gravity=WEIGHTLESS), FRAME)
    simulator.step()
    state, used = (
        simulator._state,
        [0, *range(1, 10), len(simulator._state.nodes.contact_solid) - 1],
    )

    def momentum():
        masses = np.full(11, 0.5 * 3.6 / 10.0)
        masses[[0, -1]] *= 0.5
        return masses @ state.nodes.velocity[used] + 2.0 * state.bodies.velocity[1:3, :3].sum(
            axis=0
        )

    before = momentum()
    for _ in range(240):
        simulator.step()
        assert momentum() == pytest.approx(before, abs=1e-10)
    apart = state.bodies.position[2] - state.bodies.position[1]
    assert np.linalg.norm(apart) > 2.0  # the bow has pushed them apart


def slack_over_an_eye(bending: float, free: bool = False, **made) -> Scene:
    """24 m of wire on a way of 20 m over an eye, which is not taut for a second; its first end on a
    box if ``free``."""
    box = Body("box", mass=1000.0, shape=Box(1.0, 1.0, 1.0), position=(-9.0, 0.0, 6.0))
    way = Anchor("box" if free else "world", (0.0, 0.0, 0.0) if free else (-9.0, 0.0, 6.0))
    nodes = way, Eye("world", (0.0, 0.0, 10.0)), Anchor("world", (10.0, 0.0, 8.0))
    wire = Cable(
        "wire",
        nodes,
        ea=2e7,
        length=24.0,
        damping_time=0.005,
        hybrid=Hybrid(1.5, bending=bending, **made),
    )
    return Scene(bodies=(box,) if free else (), cables=(wire,))


@pytest.mark.parametrize("stepper", ["regularised", "spook"])
@pytest.mark.parametrize(("bending", "dt"), [(60.0, 1e-3), (900.0, 5e-3), (200.0, FRAME)])
def test_masses_that_come_to_slack_rope_bring_no_energy(
    bending: float, dt: float, stepper: str
) -> None:
    simulator = Simulator(slack_over_an_eye(bending, free=True), dt, stepper=stepper)
    start = simulator.observe().energy
    lowest = start.potential
    for _ in range(200):
        simulator.step()
        now = simulator.observe().energy
        lowest = min(lowest, now.potential)
        assert now.total - start.total < 0.01 * (start.potential - lowest)
    assert simulator.observe().cable("wire").mass_position.size > 0
    assert simulator.report.status == 0


def test_slack_rope_of_tiny_stiffness_falls_like_limp_rope() -> None:
    stiff, limp = (
        Simulator(slack_over_an_eye(bending, damping=0.0), 2e-3) for bending in (1e-9, 0.0)
    )
    for _ in range(150):
        stiff.step()
        limp.step()
    masses = limp.observe().cable("wire").mass_position
    assert len(masses) > 9
    assert stiff.observe().cable("wire").mass_position == pytest.approx(masses, abs=1e-6)


def squeezed(gap: float, bending: float = 30.0, ea: float = 1e4) -> Simulator:
    """A free rod of 6 m with a mass in its middle and bars on both sides, its ends put nearer by
    ``gap`` [m]."""
    simulator = Simulator(rod(bending, masses=1, ea=ea), 1e-3, stepper="spook")
    simulator.step()
    state = simulator._state
    state.nodes.point[0, 0] += gap
    state.nodes.point[2:, 0] -= gap
    return simulator


def test_a_bar_swings_lengthwise_through_squeeze_and_stretch() -> None:
    gap, stiffness, mass = 0.02, 1e4 / 3.0, 1.5 * 1.5
    simulator, w = squeezed(gap), math.sqrt(stiffness / mass)
    energy = stiffness * gap**2
    assert simulator.observe().energy.elastic == pytest.approx(energy, rel=1e-9)
    for n in range(1, 301):
        simulator.step()
        seen = simulator.observe()
        assert seen.node_position[0, 0] == pytest.approx(
            gap * math.cos(w * 1e-3 * n), abs=(w * 1e-3) ** 2 * gap
        )
        assert seen.energy.total == pytest.approx(energy, rel=0.03)


@pytest.mark.parametrize(("part", "pushes"), [(0.99, True), (1.01, False)])
def test_a_bar_folds_where_its_squeeze_costs_more_than_a_fold(part: float, pushes: bool) -> None:
    gap = part * 2.0 * math.sqrt(30.0 / 1e4)
    simulator = squeezed(gap)
    stored = 2.0 * part**2 * 2.0 * 30.0 / 3.0 if pushes else 0.0
    assert simulator.observe().energy.elastic == pytest.approx(stored, rel=1e-9)
    simulator.step()
    force = 1e4 * gap / 3.0 if pushes else 0.0
    assert simulator._state.nodes.velocity[0, 0] == pytest.approx(
        -force * 1e-3 / 2.25, rel=0.02, abs=1e-12
    )
    folded = simulator.observe().energy
    assert (folded.total > 1e-12) == pushes
