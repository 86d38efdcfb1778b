"""Bending at anchors that hold a direction, and at clamps."""

import math

import numpy as np
import pytest
from scipy.linalg import eigh

from cable_sim import Simulator
from cable_sim.kernels.cables.stiffness import flexure
from cable_sim.model.basis.frames import rotation
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Hybrid, Loose, Scene

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
EI, LENGTH = 200.0, 2.0


def cantilever(parts: int, density: float, load: float = 0.0, damping: float = 4.0) -> Scene:
    """A rod held level at the world, of this many spans, with a load [kg] at its tip."""
    masses = parts - 1
    path = ((0.5 * LENGTH, 0.0, 0.0),)
    made = Hybrid(
        density=density, most=masses, least=masses, bending=EI, damping=damping, path=path
    )
    tip = Anchor("load") if load else Loose((LENGTH, 0.0, 0.0))
    nodes = (Anchor("world", direction=(2.0, 0.0, 0.0)), tip)
    wire = Cable("rod", nodes, ea=1e6, length=LENGTH, hybrid=made, damping_time=0.01)
    if not load:
        return Scene(cables=(wire,))
    body = Body("load", load, shape=Box(0.1, 0.1, 0.1), position=(LENGTH, 0.0, 0.0))
    return Scene(bodies=(body,), cables=(wire,))


def second_differences(parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Turns of a cantilever's nodes per height of the free ones (n, n), and k of each turn."""
    part = LENGTH / parts
    turn = np.zeros((parts, parts))
    for i in range(parts):
        for j, factor in ((i - 1, -1.0), (i, 2.0), (i + 1, -1.0)):
            if j >= 1:
                turn[i, j - 1] = -factor / part
    turn[0] = 0.0
    turn[0, 0] = 1.0 / part
    return turn, np.array([2.0 * EI / part, *[EI / part] * (parts - 1)])


def sag(parts: int, forces: np.ndarray) -> np.ndarray:
    """Heights of a discrete cantilever under forces on its free nodes [m]."""
    turn, stiffness = second_differences(parts)
    return np.linalg.solve(turn.T @ (stiffness[:, None] * turn), forces)


def test_the_discrete_cantilever_is_exact_to_second_order() -> None:
    """The recurrence itself: F L^3 / 3 EI and rho g L^4 / 8 EI, four times closer at half the
    spans."""
    errors = []
    for parts in (4, 8, 16):
        tip = np.zeros(parts)
        tip[-1] = 1.0
        own = np.full(parts, LENGTH / parts)
        own[-1] *= 0.5
        load = sag(parts, tip)[-1] / (LENGTH**3 / (3.0 * EI)) - 1.0
        weight = sag(parts, own)[-1] / (LENGTH**4 / (8.0 * EI)) - 1.0
        assert load == pytest.approx(0.5 / parts**2, rel=1e-6)
        errors.append(weight)
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize(
    ("parts", "density", "load"), [(4, 0.5, 0.0), (8, 0.5, 0.0), (6, 0.1, 0.3)]
)
def test_a_cantilever_sags_as_the_discrete_one(parts: int, density: float, load: float) -> None:
    simulator = Simulator(cantilever(parts, density, load), 2e-3)
    simulator.step(1500)
    own = np.full(parts, density * G * LENGTH / parts)
    own[-1] = 0.5 * own[-1] + load * G
    found = []
    for _ in range(1709):  # eight periods of the load
        simulator.step()
        found.append(-simulator.observe().cable("rod").node_position[-1, 2])
    depth = float(np.mean(found))
    assert depth == pytest.approx(-sag(parts, -own)[-1], rel=4e-3)  # it is not quite level
    assert simulator.report.status == 0


@pytest.mark.parametrize("bending", [EI, 1e4 * EI])
def test_a_held_rod_rings_at_its_first_frequency(bending: float) -> None:
    """That of the discrete rod in the rule of the step; undamped, at any stiffness."""
    parts, density, dt = 6, 0.5, 2e-3
    made = Hybrid(
        density=density,
        most=parts - 1,
        least=parts - 1,
        bending=bending,
        damping=0.0,
        path=((0.5 * LENGTH, 0.0, 0.0),),
    )
    nodes = (Anchor("world", direction=(1.0, 0.0, 0.0)), Loose((LENGTH, 0.0, 0.0)))
    wire = Cable("rod", nodes, ea=1e9, length=LENGTH, hybrid=made)
    simulator = Simulator(Scene(cables=(wire,), gravity=WEIGHTLESS), dt)
    turn, stiffness = second_differences(parts)
    mass = np.full(parts, density * LENGTH / parts)
    mass[-1] *= 0.5
    squares, shapes = eigh(turn.T @ (stiffness[:, None] * turn) * (bending / EI), np.diag(mass))
    state = simulator._state
    free = [*range(1, parts), len(state.nodes.contact_solid) - 1]
    state.nodes.velocity[free, 2] = 1e-3 * shapes[:, 0] / np.abs(shapes[:, 0]).max()
    swing = []
    for _ in range(1200):
        simulator.step()
        swing.append(float(simulator.observe().cable("rod").node_position[-1, 2]))
    rod = math.sqrt(squares[0] / (1.0 + flexure.BETA * dt**2 * squares[0]))
    w = 2.0 / dt * math.asin(0.5 * dt * rod)
    steps = dt * np.arange(1, 1201)
    waves = np.column_stack([np.sin(w * steps), np.cos(w * steps)])
    left = np.linalg.lstsq(waves, swing, rcond=None)[1][0]
    assert math.sqrt(left / np.dot(swing, swing)) < 0.02
    if bending == EI:  # the first root of cos x cosh x = -1
        beam = (1.875104 / LENGTH) ** 2 * math.sqrt(EI / density)
        assert math.sqrt(squares[0]) == pytest.approx(beam, rel=0.03)


def bent(rope: float = 1e-9) -> Scene:
    """Three bodies in a bent wire that is slack: an end, eyes and clamps, held and free."""
    bodies = (
        Body("a", 2.0, inertia=(0.1, 0.2, 0.3)),
        Body("b", 3.0, inertia=(0.3, 0.2, 0.25), position=(1.4, 0.1, 0.05)),
        Body("c", 1.5, inertia=(0.2, 0.2, 0.15), position=(2.5, 0.0, 0.3)),
    )
    nodes = (
        Anchor("a", (0.1, 0.0, 0.0), direction=(1.0, 0.2, 0.0)),
        Eye("b", (0.0, 0.05, 0.1)),
        Anchor("c", (0.0, 0.0, 0.1), direction=(1.0, 0.0, 0.3)),
        Eye("b", (0.9, 0.3, 0.0)),
        Anchor("c", (0.6, 0.3, 0.3)),
        Anchor("a", (4.5, 0.2, 0.3), direction=(1.0, 0.5, 0.5)),
    )
    made = Hybrid(density=rope, most=0, bending=30.0, damping=0.0)
    wire = Cable("wire", nodes, ea=1e-3, length=6.0, hybrid=made)
    return Scene(bodies=bodies, cables=(wire,), gravity=WEIGHTLESS)


def energy_of_bends(simulator: Simulator, ropes: np.ndarray) -> float:
    """Energy of the bends of ``bent`` [J], with the rope of its five spans [m], by hand."""
    bodies = simulator.observe()
    (wire,) = bent().cables
    place, held = [], []
    for node in wire.nodes:
        body = bodies.body(node.body)
        turn = rotation(body.orientation)
        place.append(body.position + turn @ node.position)
        direction = getattr(node, "direction", None)
        held.append(None if direction is None else turn @ direction / np.linalg.norm(direction))
    span = np.diff(place, axis=0)
    u = span / np.linalg.norm(span, axis=1)[:, None]
    turns = [
        (12.0, u[0] @ u[1]),  # eyes turn EI over the length of the wire
        (12.0, u[2] @ u[3]),
        (ropes[0], u[0] @ held[0]),
        (ropes[1], u[1] @ held[2]),
        (ropes[2], u[2] @ held[2]),
        (ropes[3] + ropes[4], u[3] @ u[4]),
        (ropes[4], u[4] @ held[5]),
    ]
    return sum(60.0 / rope * (1.0 - cosine) for rope, cosine in turns)


def test_forces_and_moments_are_the_gradient_of_the_energy() -> None:
    """And so they sum to zero: every node is on one of three free bodies."""
    dt, small = 1e-6, 1e-6
    simulator = Simulator(bent(), dt)
    start = simulator.save()
    ropes = simulator._state.spans.rest_length
    ropes = ropes[ropes > 0.0].copy()
    assert simulator.observe().energy.elastic == pytest.approx(energy_of_bends(simulator, ropes))

    def energy(body: int, axis: int, move: float) -> float:
        simulator.restore(start)
        bodies = simulator._state.bodies
        if axis < 3:
            bodies.position[body, axis] += move
        else:
            turn = np.zeros(3)
            turn[axis - 3] = 0.5 * move
            w, q = bodies.orientation[body, 0], bodies.orientation[body, 1:].copy()
            bodies.orientation[body] = (w - turn @ q, *(q + w * turn + np.cross(turn, q)))
        return energy_of_bends(simulator, ropes)

    slope = np.array(
        [
            [(energy(b, i, -small) - energy(b, i, small)) / (2.0 * small) for i in range(6)]
            for b in (1, 2, 3)
        ]
    )
    simulator.restore(start)
    simulator.step()
    inertia = np.array(
        [(m, m, m, *body.inertia) for m, body in zip((2.0, 3.0, 1.5), bent().bodies, strict=True)]
    )
    found = simulator._state.bodies.velocity[1:4] * inertia / dt
    assert np.abs(slope).max() > 10.0
    assert found == pytest.approx(slope, abs=1e-3)
    assert found[:, :3].sum(axis=0) == pytest.approx(0.0, abs=1e-5)


def test_light_bodies_on_a_stiff_rod_keep_its_momentum() -> None:
    """A free rod, fifty times too stiff for an explicit step on the bodies that hold it at both
    ends and in its middle."""
    body = [
        Body(name, 0.2, inertia=(1e-3, 1e-3, 1e-3), position=(x, 0.0, 0.0))
        for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0))
    ]
    along = (1.0, 0.0, 0.0)
    nodes = tuple(Anchor(name, direction=along) for name in "abc")
    made = Hybrid(density=0.3, most=6, least=6, bending=3e3, damping=0.0)
    wire = Cable("rod", nodes, ea=1e5, length=2.0, hybrid=made, damping_time=0.01)
    simulator = Simulator(Scene(bodies=body, cables=(wire,), gravity=WEIGHTLESS), 1.0 / 240.0)
    simulator.step(40)
    state = simulator._state
    state.bodies.velocity[1:4, 1] = (0.5, -0.3, 0.1)
    state.bodies.velocity[1:4, 4] = (0.4, 0.0, -0.3)
    simulator.step()
    work = simulator._running.work

    def momentum():
        count = int(work.segments.segment_count[0]) + 1
        node, mass = work.segments.mark[:count, 0], work.segments.number[:count, 2]
        return mass @ state.nodes.velocity[node] + 0.2 * state.bodies.velocity[1:4, :3].sum(axis=0)

    before = momentum()
    energy = []
    for _ in range(480):
        simulator.step()
        energy.append(simulator.observe().energy.total)
    assert max(energy[240:]) < 1.05 * max(energy[:240])
    assert momentum() == pytest.approx(before, abs=1e-10)


def test_a_rod_through_a_clamp_sags_as_a_beam_on_three_points() -> None:
    """The clamp leaves the direction free: F l^3 / 48 EI (1 + 2 / n^2), and 5 rho g l^4 / 384 EI,
    of a rod on hinges that stretches so easily that it pulls at none."""
    force, density, parts = 20.0, 0.1, 8
    load = Body("load", force / G, shape=Box(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    nodes = (Anchor("world"), Anchor("load"), Anchor("world", (2.0, 0.0, 0.0)))
    made = Hybrid(density=density, most=6, least=6, bending=EI, damping=5.0)
    wire = Cable("rod", nodes, ea=1e3, length=2.0, hybrid=made, damping_time=0.01)
    simulator = Simulator(Scene(bodies=(load,), cables=(wire,)), 1e-3)
    simulator.step(1000)
    found = []
    for _ in range(2048):  # some eight periods, of which the window leaves the mean
        simulator.step()
        found.append(-simulator.observe().body("load").position[2])
    sags = force * 2.0**3 / 48.0 * (1.0 + 2.0 / parts**2) + 5.0 / 384.0 * density * G * 2.0**4
    mean = np.average(found, weights=np.hanning(len(found)))
    assert mean == pytest.approx(sags / EI, rel=0.01)
    assert simulator.report.status == 0
