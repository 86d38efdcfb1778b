"""Wires that run over themselves."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from linking import closed, linking_number, points_apart, turns
from numpy.typing import NDArray
from scipy.optimize import root

from cable_sim import Simulator
from cable_sim.kernels.cables.contact.contact_path import (
    BACKWARD,
    CROSSED,
    FORWARD,
    MASSIVE,
    UNUSED,
)
from cable_sim.kernels.cables.crossing.crossing_friction import FOLLOWS
from cable_sim.kernels.cables.crossing.crossing_rows import GIVE, LIGHT, SHARE
from cable_sim.kernels.records.world import State
from cable_sim.sim.statics import equilibrium
from cable_sim.spec import Anchor, Body, Cable, Eye, Hybrid, Scene, Sphere

G, FRAME = 9.81, 1.0 / 60.0
POSTS = np.array([(-3.0, 0.0, 0.0), (3.0, 0.0, 0.0), (0.0, 2.0, 1.0)])
CORNERS = np.array([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.25), (0.0, -1.0, 0.25)])
Points = NDArray[np.float64]


def length_of(points: Points) -> float:
    return sum(float(np.linalg.norm(b - a)) for a, b in pairwise(points))


def hung(friction: float | None = None) -> Scene:
    """A wire with a ball at its end that falls on the wire's own first span, and hangs over it."""
    start = (0.0, -0.05, 0.05)
    ball = Body("ball", mass=50.0, shape=Sphere(0.1), position=start)
    first, second, third = (tuple(point) for point in POSTS.tolist())
    wire = Cable(
        "wire",
        (Anchor("world", first), Eye("world", second), Eye("world", third), Anchor("ball")),
        ea=1e5,
        length=length_of(np.vstack([POSTS, start])) + (0.5 if friction is None else 1.0),
        damping_time=0.3,
        hybrid=Hybrid(
            density=0.01 if friction is None else 0.1,
            most=20,
            crosses=("wire",),
            crossing_friction=friction,
        ),
    )
    return Scene(bodies=(ball,), cables=(wire,))


@pytest.mark.parametrize("diameter", [0.016, 0.1])
def test_a_wire_rests_on_itself_where_its_pulls_are_in_balance(diameter: float) -> None:
    """Without friction its tension is the same everywhere: four unit vectors are in balance, and
    both parts press on one another along the line between them."""
    scene = hung()
    wire = dataclasses.replace(scene.cables[0], diameter=diameter)
    rest = equilibrium(dataclasses.replace(scene, cables=(wire,)), FRAME)
    nodes = rest.simulator()._state.nodes
    points = rest.observation.node_position[nodes.contact_solid == CROSSED]

    def unbalanced(x: Points) -> Points:
        """Return what is left of the pulls on both parts with a pressure x[6] between them."""
        over, under, apart = x[:3], x[3:6], x[:3] - x[3:6]
        to_posts = POSTS - np.array([over, over, under])
        pulls = to_posts / np.linalg.norm(to_posts, axis=1)[:, None]
        press = x[6] * apart / diameter
        left = pulls[0] + pulls[1] + press, pulls[2] + (0.0, 0.0, -1.0) - press
        return np.array([*left[0], *left[1], apart @ apart / diameter**2 - 1.0])

    found = root(unbalanced, [*points[0], *points[1], 1.0], tol=1e-12)
    assert found.success
    assert points.ravel() == pytest.approx(found.x[:6], abs=2e-3)
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(diameter, rel=1e-9)
    assert rest.observation.cable("wire").tension == pytest.approx(50.0 * G, rel=2e-3)


def test_a_wire_slips_over_itself_at_the_ratio_of_the_capstan() -> None:
    """One rope at two nodes of one place, each with its own turn; friction is one force of both."""
    simulator = Simulator(hung(0.2), FRAME)
    simulator.step(58)  # there are no masses any more
    state = simulator._state
    slid = np.zeros(2, dtype=int)
    share = float(state.nodes.line[np.flatnonzero(state.nodes.contact_solid == CROSSED)[0], SHARE])
    least = 1.0
    for _ in range(30):
        points = simulator.observe().node_position
        mu = 0.2 * share
        least = min(least, share)
        simulator.step()
        share += FOLLOWS * (share_of(simulator.observe().node_position, state) - share)
        found = np.flatnonzero(state.nodes.contact_solid == CROSSED)
        assert len(found) == 2
        for i, k in enumerate(found):
            come, go = points[k] - points[k - 1], points[k + 1] - points[k]
            turn = math.acos(come @ go / np.linalg.norm(come) / np.linalg.norm(go))
            before, behind = state.spans.tension_impulse[k - 1], state.spans.tension_impulse[k]
            most = 1.01 * math.exp(mu * turn)
            assert behind < before * most
            assert before < behind * most
            sense = {FORWARD: 1.0, BACKWARD: -1.0}.get(int(state.nodes.friction_state[k]))
            if sense:
                slid[i] += 1
                ratio = before * math.exp(mu * turn * sense)
                assert behind == pytest.approx(ratio, rel=0.01)
    assert (slid > 10).all()
    assert least < 0.8


def share_of(points: Points, state: State) -> float:
    """Return |w_1 - w_2| / 2 of a crossing where both ropes run, else 1."""
    runs = []
    for k in np.flatnonzero(state.nodes.contact_solid == CROSSED):
        sense = {FORWARD: 1.0, BACKWARD: -1.0}.get(int(state.nodes.friction_state[k]))
        if sense is None:
            return 1.0
        spans = np.diff(points[k - 1 : k + 2], axis=0)
        way = (spans / np.linalg.norm(spans, axis=1)[:, None]).sum(axis=0)
        runs.append(sense * way / np.linalg.norm(way))
    return 0.5 * float(np.linalg.norm(runs[0] - runs[1]))


def test_slack_rope_is_drawn_over_itself_at_once() -> None:
    """Else a span would stay slack for the time of the damping, and the energy jump by 14 J."""
    simulator = Simulator(hung(0.2), FRAME)
    energy = []
    for _ in range(110):
        simulator.step()
        energy.append(simulator.observe().energy.total)
    assert np.diff(energy).max() < 0.5
    assert energy[-1] < energy[0] - 600.0


def test_both_nodes_of_a_crossing_move_as_one_mass() -> None:
    """v+ = v' + w J^T lambda of one step, where the node is not in balance."""
    simulator = Simulator(hung(), FRAME)
    simulator.step(25)
    state, work = simulator._state, simulator._work
    crossed = np.flatnonzero(state.nodes.contact_solid == CROSSED)
    spans = [k for node in crossed for k in (node - 1, node)]
    assert (state.nodes.contact_solid != MASSIVE).all()
    directions = work.spans.direction[spans] * np.array([-1.0, 1.0, -1.0, 1.0])[:, None]
    stiffness = state.spans.tension_impulse[spans] / work.spans.length[spans]
    ball = simulator.observe().body("ball").velocity
    light = LIGHT * 0.01 * state.spans.rest_length[spans].sum()
    mass = FRAME * stiffness.sum() + light
    free = (FRAME * stiffness[3] * ball + 0.25 * light * ball) / mass
    simulator.step()
    give = state.nodes.line[crossed[0], GIVE] ** 2
    own = give * state.spans.tension_impulse[spans] @ directions
    assert np.linalg.norm(own) > 0.05
    assert state.nodes.velocity[crossed[0]] == pytest.approx(
        free + own, abs=0.02 * np.linalg.norm(own)
    )


def shaken(crosses: bool = True, friction: float | None = None) -> Scene:
    """A slack wire over four corners, whose last span falls on its first one."""
    corners = tuple(
        Body(
            f"corner_{i}", mass=1.0, shape=Sphere(0.02), position=tuple(corner), motion="prescribed"
        )
        for i, corner in enumerate(CORNERS.tolist())
    )
    wire = Cable(
        "wire",
        (Anchor("corner_0"), Eye("corner_1"), Eye("corner_2"), Anchor("corner_3")),
        ea=2e4,
        length=length_of(CORNERS) + 0.6,
        damping_time=0.05,
        hybrid=Hybrid(
            density=0.2, most=16, crosses=("wire",) if crosses else (), crossing_friction=friction
        ),
    )
    return Scene(bodies=corners, cables=(wire,))


def linking(simulator: Simulator) -> int:
    """Return the linking number of the first and last part of the wire between corners, closed far
    away: it changes where they pass through each other."""
    nodes, model = simulator._state.nodes, simulator._running.model
    points = points_apart(simulator)
    parts = []
    first = int(model.cables.node_start[0])
    while first < model.cables.node_start[1] - 1:
        last = first + int(model.spans.slots[first]) + 1
        parts.append(range(first, last + 1))
        first = last
    loops = []
    for part, height in ((parts[0], -50.0), (parts[-1], 50.0)):
        inner = [k for k in part[1:-1] if nodes.contact_solid[k] != UNUSED]
        loops.append(closed(points[[part[0], *inner, part[-1]]], height))
    return round(linking_number(*loops) + turns(simulator, parts[0], parts[-1]))


def shake(simulator: Simulator, seed: int, steps: int, reach: float, speed: float) -> int:
    """Lower the last span onto the first one, and move all corners at random by up to ``reach``
    [m]; return how often the linking number changes."""
    random = np.random.default_rng(seed)
    place = np.zeros((4, 3))
    goal = place
    down = np.array([(0.0, 0.0, z) for z in (0.0, 0.0, -0.6, -0.6)])
    passages, before = 0, linking(simulator)
    for step in range(steps):
        if step % 20 == 0:
            goal = down + random.uniform(-reach, reach, (4, 3))
        way = goal - place
        far = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        way *= np.minimum(1.0, speed * FRAME / far)
        place = place + way
        for i in range(4):
            simulator.move(f"corner_{i}", way[i] / FRAME)
        simulator.step()
        passages += linking(simulator) != before
        before = linking(simulator)
    return passages


def test_a_wire_that_is_shaken_does_not_go_through_itself() -> None:
    """At 1 m/s it gets several crossings next to one another, whose twist counts."""
    assert shake(Simulator(shaken(), FRAME), 1, 1500, 0.3, 1.0) == 0


@pytest.mark.parametrize("friction", [None, 0.3])
def test_a_slack_wire_does_not_fall_through_itself(friction: float | None) -> None:
    simulator = Simulator(shaken(friction=friction), FRAME)
    assert shake(simulator, 6, 300, 0.05, 0.1) == 0
    assert (simulator._state.nodes.contact_solid == CROSSED).sum() >= 2
    through = Simulator(shaken(crosses=False), FRAME)
    assert shake(through, 6, 300, 0.05, 0.1) > 0


@pytest.mark.slow
def test_a_wire_that_is_lifted_does_not_go_through_itself() -> None:
    assert shake(Simulator(shaken(), FRAME), 6, 100_000, 0.3, 0.3) == 0


def test_a_wire_that_crosses_itself_has_room_for_both_nodes() -> None:
    scene = shaken()
    simulator = Simulator(scene, FRAME)
    assert simulator._running.model.crossings.wire.tolist() == [[0, 0]]
    assert simulator._running.model.crossings.row_entry[0, 0] >= 0
