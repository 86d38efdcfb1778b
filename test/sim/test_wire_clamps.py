"""Clamps of hybrid wires: frequencies, chains of bodies, momentum, and two wires for one."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from scipy.linalg import eigh
from scipy.optimize import fsolve

from cable_sim import Simulator
from cable_sim.errors import SpecError
from cable_sim.spec import Anchor, Body, Cable, Elevation, Eye, Hybrid, Loose, Scene, Sphere

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
EA, PULL, DENSITY, BEAD = 2e5, 1000.0, 0.1, 2.0


def on_a_wire(offset=(0.0, 0.0, 0.0)) -> Scene:
    """A bead of 2 kg clamped on a taut wire of 4 m, a quarter of the way along it."""
    place = tuple(-x for x in offset)
    bead = Body("bead", BEAD, shape=Sphere(0.1), position=(1.0 + place[0], place[1], place[2]))
    nodes = (Anchor("world"), Anchor("bead", offset), Anchor("world", (4.0, 0.0, 0.0)))
    made = Hybrid(density=DENSITY, most=0, damping=0.0)
    wire = Cable("wire", nodes, ea=EA, length=4.0 / (1.0 + PULL / EA), hybrid=made)
    return Scene(bodies=(bead,), cables=(wire,), gravity=WEIGHTLESS)


def set_off(simulator: Simulator, axis: int, speed: float) -> None:
    """Give the bead and the rope that it holds a speed along an axis, or about one (3 to 5)."""
    state = simulator._state
    state.bodies.velocity[1, axis] = speed
    clamp = int(simulator._model.wires.held_node[0])
    if axis < 3:
        state.nodes.velocity[clamp, axis] = speed


def frequency(simulator: Simulator, read, steps: int) -> float:
    """Angular frequency of a reading about zero, by its upward crossings [rad/s]."""
    found = []
    for _ in range(steps):
        simulator.step()
        found.append(read(simulator.observe()))
    z = np.array(found)
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    times = (up - z[up] / (z[up + 1] - z[up])) * simulator.dt
    return 2.0 * math.pi / float(np.diff(times).mean())


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
def test_a_clamped_bead_swings_as_a_string_says(solver: str) -> None:
    """Along, EA (1 / L_1 + 1 / L_2) in the rule of the rows; across, T (1 / l_1 + 1 / l_2)."""
    dt, steps = 1e-3, 1000
    mass = BEAD + 0.5 * DENSITY * 4.0 / (1.0 + PULL / EA)
    ratio = 1.0 / 1.0 + 1.0 / 3.0
    along = math.sqrt(EA * (1.0 + PULL / EA) * ratio / mass)
    across = math.sqrt(PULL * ratio / mass)
    simulator = Simulator(on_a_wire(), dt, solver=solver)
    set_off(simulator, 0, 0.01)
    start = simulator.observe().energy.total
    found = frequency(simulator, lambda seen: seen.body("bead").position[0] - 1.0, steps)
    assert found == pytest.approx(2.0 / dt * math.atan(0.5 * dt * along), rel=1e-4)
    assert simulator.observe().energy.total == pytest.approx(start, abs=0.02 * 1e-4)
    simulator = Simulator(on_a_wire(), dt, solver=solver)
    set_off(simulator, 2, 0.01)
    found = frequency(simulator, lambda seen: seen.body("bead").position[2], steps)
    assert found == pytest.approx(2.0 / dt * math.asin(0.5 * dt * across), rel=1e-5)


def test_a_bead_held_off_its_centre_turns_as_it_should() -> None:
    """Clamped at r from its centre, it moves and turns with the springs T / l of both sides."""
    arm, inertia, dt = 0.1, 0.4 * BEAD * 0.1**2, 1e-3
    rope = 0.5 * DENSITY * 4.0 / (1.0 + PULL / EA)
    lever = np.array([1.0, -arm])
    spring = PULL * (1.0 / 1.0 + 1.0 / 3.0) * np.outer(lever, lever)
    mass = np.diag([BEAD, inertia]) + rope * np.outer(lever, lever)
    squares, shapes = eigh(spring, mass)
    simulator = Simulator(on_a_wire((0.0, 0.0, arm)), dt)
    state = simulator._state
    push = 1e-3 * shapes[:, 1]
    state.bodies.velocity[1, 1], state.bodies.velocity[1, 3] = push
    state.nodes.velocity[int(simulator._model.wires.held_node[0]), 1] = lever @ push
    found = frequency(simulator, lambda seen: seen.body("bead").position[1], 1500)
    assert found == pytest.approx(2.0 / dt * math.asin(0.5 * dt * math.sqrt(squares[1])), rel=1e-4)


def test_no_rope_passes_a_clamp_and_each_side_has_its_tension() -> None:
    """A load on the bead is on the upper side alone; the lower side keeps its rope and slack."""
    bead = Body("bead", 100.0, shape=Sphere(0.1), position=(0.0, 0.0, -2.0))
    nodes = (Anchor("world"), Anchor("bead"), Anchor("world", (0.0, 0.0, -5.0)))
    made = Hybrid(density=0.2, most=8)
    wire = Cable("wire", nodes, ea=1e6, length=5.1, hybrid=made, damping_time=0.02)
    simulator = Simulator(Scene(bodies=(bead,), cables=(wire,)), 1.0 / 60.0)
    state = simulator._state
    clamp = int(simulator._model.wires.held_node[0])
    before = state.spans.rest_length[:clamp].sum(), state.spans.rest_length[clamp:].sum()
    assert before == pytest.approx((5.1 * 2.0 / 5.0, 5.1 * 3.0 / 5.0))
    simulator.step(600)
    seen = simulator.observe().cable("wire")
    sides = [state.spans.rest_length[:clamp].sum(), state.spans.rest_length[clamp:].sum()]
    assert sides == pytest.approx(before, rel=1e-12)
    hangs = (100.0 + 0.2 * sides[0]) * G
    assert hangs < seen.tension < hangs + 0.2 * sides[1] * G
    assert seen.tension_dead_end < 0.2 * sides[1] * G
    simulator.cut("wire", 1.0)
    simulator.step(120)
    seen = simulator.observe()
    assert seen.body("bead").position[2] < -5.0  # it hangs on the lower side
    assert seen.cable("wire").tension_dead_end > 500.0
    assert state.spans.rest_length[clamp:].sum() == pytest.approx(before[1], rel=1e-12)


def test_a_string_of_clamped_bodies_hangs_as_a_chain() -> None:
    """Nine beads on ten equal sides: H is the same in all, V jumps by the weight of each."""
    count, length, span, mass, density = 9, 10.0, 8.0, 5.0, 0.1
    side = length / (count + 1)
    weight = (mass + density * side) * G

    def way(pulls):
        v = pulls[1] - weight * np.arange(count + 1)
        pull = np.hypot(pulls[0], v)
        part = side * (1.0 + pull / EA) / pull
        return np.column_stack([pulls[0] * part, -v * part])

    pulls = fsolve(lambda p: way(p).sum(axis=0) - (span, 0.0), (200.0, 0.5 * weight * count))
    places = np.cumsum(way(pulls), axis=0)[:-1]
    beads = tuple(
        Body(f"bead{i}", mass, shape=Sphere(0.05), position=(float(x), 0.0, float(z)))
        for i, (x, z) in enumerate(places)
    )
    inner = (Anchor(bead.name) for bead in beads)
    nodes = (Anchor("world"), *inner, Anchor("world", (span, 0.0, 0.0)))
    made = Hybrid(density=density, most=0)
    wire = Cable("wire", nodes, ea=EA, length=length, hybrid=made, damping_time=0.01)
    simulator = Simulator(Scene(bodies=beads, cables=(wire,)), 1.0 / 240.0)
    simulator.step(480)
    seen = simulator.observe()
    found = np.array([seen.body(bead.name).position for bead in beads])
    assert found[:, [0, 2]] == pytest.approx(places, abs=2e-3)
    v = pulls[1] - weight * np.arange(count + 1)
    assert seen.cable("wire").span_tension == pytest.approx(np.hypot(pulls[0], v), rel=5e-3)


def free_wire(clamped: bool) -> Scene:
    """A free body with a wire through it, in space, that has masses on both sides."""
    bead = Body("bead", 1.0, shape=Sphere(0.2), position=(1.0, 0.0, 0.0))
    made = Hybrid(density=0.5, most=6, least=6, damping=0.0)
    ends = Loose((0.0, 0.1, 0.0)), Loose((3.0, 0.1, 0.0))
    if clamped:
        nodes = (ends[0], Anchor("bead", (0.0, 0.1, 0.0)), ends[1])
        cables = (Cable("wire", nodes, ea=1e5, length=3.0, hybrid=made),)
    else:
        half = dataclasses.replace(made, most=3, least=3)
        at = Anchor("bead", (0.0, 0.1, 0.0))
        cables = (
            Cable("a", (ends[0], at), ea=1e5, length=1.0, hybrid=half),
            Cable("b", (at, ends[1]), ea=1e5, length=2.0, hybrid=half),
        )
    return Scene(bodies=(bead,), cables=cables, gravity=WEIGHTLESS)


def test_momentum_of_a_free_body_and_its_wire_is_kept() -> None:
    simulator = Simulator(free_wire(clamped=True), 1.0 / 240.0)
    simulator.step(40)  # all masses are there
    state, model = simulator._state, simulator._model
    state.bodies.velocity[1] = (0.3, -0.2, 0.5, 1.0, 3.0, 2.0)
    simulator.step()

    def momentum():
        work = simulator._running.work
        count = int(work.segments.segment_count[0])
        nodes = work.segments.mark[: count + 1, 0]
        masses = work.segments.number[: count + 1, 2]
        return masses @ state.nodes.velocity[nodes] + state.bodies.velocity[1, :3]

    assert model.wires.held_node.size == 1
    before = momentum()
    assert np.abs(before).max() > 0.1
    for _ in range(300):
        simulator.step()
        assert momentum() == pytest.approx(before, abs=1e-11)
    assert simulator.report.status == 0


def test_a_clamp_is_where_two_wires_end() -> None:
    one = Simulator(free_wire(clamped=True), 1.0 / 240.0)
    two = Simulator(free_wire(clamped=False), 1.0 / 240.0)
    for simulator in (one, two):
        simulator.step(40)
        simulator._state.bodies.velocity[1] = (0.3, -0.2, 0.5, 1.0, 3.0, 2.0)
    for _ in range(240):
        one.step()
        two.step()
    found = [simulator.observe().body("bead").position for simulator in (one, two)]
    assert np.abs(found[0] - (1.0, 0.0, 0.0)).max() > 0.05
    assert found[0] == pytest.approx(found[1], abs=1e-6)


CLAMPED = (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0)), Anchor("world", (2.0, 0.0, 0.0)))
HYBRID = Hybrid(density=1.0)


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({}, ("nodes.1", "massless", "hybrid")),
        ({"elevation": Elevation(density=1.0)}, ("nodes.1", "elevation", "cables")),
        (
            {"hybrid": HYBRID, "nodes": (*CLAMPED[:1], Anchor("world", swivel=True), CLAMPED[2])},
            ("nodes.1 swivel", "leave"),
        ),
        ({"hybrid": HYBRID, "ea": None}, ("nodes.1", "0 1 'world'", "ea")),
        ({"hybrid": HYBRID, "gj": 1.0}, ("nodes.1", "torque", "swivel")),
        (
            {"hybrid": HYBRID, "nodes": (Anchor("world", direction=(1, 0, 0)), CLAMPED[2])},
            ("nodes.0 direction", "bending"),
        ),
        (
            {
                "hybrid": Hybrid(density=1.0, bending=1.0),
                "nodes": (Anchor("world", direction=(0, 0, 0)), CLAMPED[2]),
            },
            ("nodes.0 direction", "0.0 0.0 0.0"),
        ),
    ],
)
def test_clamps_that_make_no_sense_are_refused(fields, parts) -> None:
    with pytest.raises(SpecError) as told:
        Cable(**{"name": "wire", "nodes": CLAMPED, "ea": 1e5} | fields)
    for part in parts:
        assert naming(part).search(str(told.value))
    assert Cable("wire", CLAMPED, ea=1e5, hybrid=HYBRID).clamps == (1,)
    assert Cable("wire", (CLAMPED[0], Eye("world", (1, 0, 0)), CLAMPED[2])).clamps == ()
