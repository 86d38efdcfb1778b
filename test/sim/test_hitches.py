"""Rope that lies on rope on a solid: its law, hitches, and where it starts."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator
from cable_sim.errors import ModelError
from cable_sim.kernels.cables.contact.contact_path import BACKWARD, FORWARD, FREE, LANDED
from cable_sim.kernels.cables.crossing.crossing_rows import NUMBER
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.scenes import load_scene
from cable_sim.scenes.hitches import DIAMETER, RADIUS
from cable_sim.spec import Body, Cylinder, Scene

STEP = 1.0 / 240.0


def landed(simulator: Simulator) -> np.ndarray:
    return np.flatnonzero(simulator._state.nodes.contact_solid == LANDED)


def mates(simulator: Simulator) -> list[tuple[int, int]]:
    """Lower and upper node of each crossing that lies on the pole."""
    nodes = simulator._state.nodes
    radius = np.hypot(*simulator.observe().node_position[:, [0, 2]].T)
    found = landed(simulator)
    return [
        (int(a), int(b)) if radius[a] < radius[b] else (int(b), int(a))
        for i, a in enumerate(found)
        for b in found[i + 1 :]
        if nodes.line[a, NUMBER] == nodes.line[b, NUMBER]
    ]


def pull_by_the_law(simulator: Simulator, friction: float, rope_friction: float) -> float:
    """Tension of the load's end at which the rope slips [N], from that of the tail's end.

    It is handed on from node to node: on an edge by that edge's bound; at a crossing by that of the
    turn, and by what the upper rope presses with. Where both ropes run, each is braked by a share.
    """
    nodes, spans = simulator._state.nodes, simulator._work.spans
    tension = simulator._state.spans.tension_impulse / simulator.dt
    used = np.flatnonzero(spans.length > 0.0)
    before = {int(k): int(j) for j, k in zip(used, used[1:], strict=False)}

    def pull(k: int) -> np.ndarray:
        return tension[k] * spans.direction[k] - tension[before[k]] * spans.direction[before[k]]

    def motion(k: int) -> np.ndarray:
        along = spans.direction[k] + spans.direction[before[k]]
        sense = {FORWARD: 1.0, BACKWARD: -1.0}.get(int(nodes.friction_state[k]), 0.0)
        return sense * along / np.linalg.norm(along)

    below = dict(mates(simulator))
    other = below | {upper: lower for lower, upper in below.items()}
    place = simulator.observe().node_position
    found = tension[used[-1]]
    for k in map(int, used[:0:-1]):
        turn = math.acos(min(float(spans.direction[k] @ spans.direction[before[k]]), 1.0))
        pressed = 0.0
        if nodes.contact_solid[k] == LANDED:
            both = motion(k), motion(other[k])
            share = 1.0
            if np.any(both[0]) and np.any(both[1]):
                share = 0.5 * float(np.linalg.norm(both[0] - both[1]))
            m = math.tanh(0.5 * rope_friction * share * turn)
            if k in below:
                out = place[below[k]] - place[k]
                out /= np.linalg.norm(out)
                between = -pull(below[k]) @ out
                borne = between - pull(k) @ out
                own = abs(pull(k) @ out)
                pressed = rope_friction * share * max(between - own, 0.0) + friction * borne
        else:  # one that slides along its edge has no friction across it
            holds = nodes.friction_state[k] != FREE
            m = math.tanh(0.5 * friction * turn) if holds else 0.0
        found = (found * (1.0 + m) + pressed) / (1.0 - m)
    return float(found)


def drawn(scene: Scene, speed: float) -> Simulator:
    """A hitch whose load end is led down at a speed [m/s]."""
    bodies = tuple(
        dataclasses.replace(body, motion="prescribed") if body.name == "load" else body
        for body in scene.bodies
    )
    simulator = Simulator(dataclasses.replace(scene, bodies=bodies), STEP)
    simulator.move("load", (0.0, 0.0, -speed))
    return simulator


@pytest.mark.parametrize("kind", ["half_hitch", "clove_hitch"])
def test_a_hitch_that_is_drawn_slips_by_the_law(kind: str) -> None:
    simulator = drawn(
        load_scene("hitch", kind=kind, tail=2.0, friction=0.1, rope_friction=0.1), 0.05
    )
    simulator.step(240)
    assert simulator.report.status == 0
    first = simulator._state.spans.tension_impulse[0] / STEP
    assert first == pytest.approx(pull_by_the_law(simulator, 0.1, 0.1), rel=0.02)


@pytest.mark.parametrize(("kind", "holds"), [("round_turns", False), ("clove_hitch", True)])
def test_a_hitch_holds_what_plain_turns_do_not(kind: str, holds: bool) -> None:
    simulator = Simulator(load_scene("hitch", kind=kind, load=100.0, tail=1.0), STEP)
    simulator.step(240)
    before = simulator.observe()
    simulator.step(480)
    after = simulator.observe()
    sank = before.body("load").position[2] - after.body("load").position[2]
    if holds:
        assert sank < 1e-3
        assert simulator.report.status == 0
        assert after.cable("rope").tension == pytest.approx(981.0, rel=0.01)
        assert after.cable("rope").tension_dead_end < 12.0
    else:
        assert sank > 1.0


@pytest.mark.parametrize(
    ("friction", "load", "holds"),
    [(0.15, 10.0, False), (0.22, 100.0, False), (0.26, 10.0, True), (0.26, 3000.0, True)],
)
def test_a_clove_hitch_with_a_loose_end_locks_or_slips(
    friction: float, load: float, holds: bool
) -> None:
    """With a tail of 0.1 kg it slips, or holds any load, from a friction of 0.247 on by the theory.

    So it is found of thread and of climbing ropes.
    """
    scene = load_scene("hitch", load=load, tail=0.1, friction=friction, rope_friction=friction)
    simulator = Simulator(scene, STEP)
    heights = [scene.bodies[1].position[2]]
    for _ in range(2):
        simulator.step(240 if holds else 30)
        heights.append(simulator.observe().body("tail").position[2])
    rises = np.diff(heights)
    if holds:
        assert abs(rises[0]) < 0.02
        assert abs(rises[1]) < 1e-4
    else:
        assert rises.sum() > 0.05


def test_a_rope_lies_on_the_other_one_by_the_thickness_of_both() -> None:
    simulator = Simulator(load_scene("hitch"), STEP)
    simulator.step(120)
    place = simulator.observe().node_position
    assert len(mates(simulator)) == 2
    for lower, upper in mates(simulator):
        assert np.linalg.norm(place[upper] - place[lower]) == pytest.approx(DIAMETER, abs=1e-9)
        facet = math.cos(math.pi / 32)  # it is lower in its middle than at its edges
        assert math.hypot(*place[lower, [0, 2]]) > facet * (RADIUS + 0.5 * DIAMETER)


def test_paths_of_one_height_do_not_tell_which_rope_is_above() -> None:
    scene = load_scene("hitch")
    rope = scene.cables[0]
    assert rope.hybrid is not None
    flat = [
        tuple(np.array(p) * np.where([1, 0, 1], 0.109 / math.hypot(p[0], p[2]), 1.0))
        for p in rope.hybrid.path
    ]
    hybrid = dataclasses.replace(rope.hybrid, path=tuple(flat))
    wrong = dataclasses.replace(scene, cables=(dataclasses.replace(rope, hybrid=hybrid),))
    with pytest.raises(ModelError, match=naming("lead above 0.003 m")):
        Simulator(wrong, STEP)


def test_a_hitch_about_a_free_pole_keeps_the_momentum() -> None:
    scene = load_scene("hitch")
    pole = dataclasses.replace(scene.obstacles[0], body="pole")
    bodies = tuple(
        dataclasses.replace(body, velocity=(0.0, 0.0, v))
        for body, v in zip(scene.bodies, (-1.0, -2.0), strict=True)
    )
    free = dataclasses.replace(
        scene,
        gravity=(0.0, 0.0, 0.0),
        bodies=(*bodies, Body("pole", mass=20.0, shape=Cylinder(RADIUS, 1.0))),
        obstacles=(pole,),
    )
    simulator = Simulator(free, STEP)
    rope = 0.1 * float(scene.cables[0].length or 0.0)
    before = simulator.observe().body_velocity
    simulator.step(60)
    after = simulator.observe().body_velocity
    masses = np.array([body.mass for body in free.bodies])
    assert len(mates(simulator)) >= 1
    assert abs(after[2, 2]) > 0.1
    gained = masses @ (after - before)
    assert np.abs(gained[:3]).max() < 2.0 * rope


@pytest.mark.parametrize(
    ("kind", "load", "tail", "friction", "dt"),
    [
        ("clove_hitch", 100.0, 0.1, 0.22, STEP),
        ("half_hitch", 50.0, 1.0, 0.1, 1.0 / 60.0),
        ("half_hitch", 50.0, 1.0, 0.1, 1.0 / 120.0),
        ("half_hitch", 50.0, 1.0, 0.1, STEP),
        ("half_hitch", 50.0, 1.0, 0.1, 1e-3),
        ("clove_hitch", 1000.0, 0.1, 0.1, 1e-3),
        ("round_turns", 1000.0, 0.1, 0.1, 1.0 / 60.0),
    ],
)
def test_a_hitch_that_slips_lets_its_load_fall(
    kind: str, load: float, tail: float, friction: float, dt: float
) -> None:
    """Its end swings back over its turns and comes to lie on them: that takes no room for contacts.

    The load gets no faster than in free fall.
    """
    scene = load_scene(
        "hitch", kind=kind, load=load, tail=tail, friction=friction, rope_friction=friction
    )
    simulator = Simulator(scene, dt)
    height = simulator.observe().body("load").position[2]
    for _ in range(30):
        simulator.step(round(0.05 / dt))
        seen = simulator.observe().body("load")
        fallen = height - seen.position[2]
        assert seen.velocity[2] ** 2 <= 2.0 * 9.81 * fallen * 1.02
        assert not simulator.report.status & CONTACTS_FULL
    assert fallen > 0.8


def moored(**changes: float) -> Simulator:
    """A mooring hitch after two seconds, drawn tight by the winch."""
    simulator = Simulator(load_scene("mooring_hitch", **changes), STEP)
    simulator.step(480)
    assert simulator.report.status == 0
    return simulator


@pytest.mark.parametrize("pull", [200.0, 500.0, 2000.0])
def test_a_round_turn_and_two_half_hitches_hold(pull: float) -> None:
    """Far beyond what the round turn alone holds by its tail, exp(3 pi mu) times that."""
    simulator = moored(pull=pull)
    before = simulator.observe()
    simulator.step(480)
    after = simulator.observe()
    assert abs(after.body("standing").position[0] - before.body("standing").position[0]) < 5e-4
    hauled = after.cable("hauled").tension
    assert hauled == pytest.approx(pull, rel=1e-3)
    tail = after.cable("rope").tension_dead_end
    assert hauled / tail > 10.0 * math.exp(3.0 * math.pi * 0.2)


@pytest.mark.parametrize("dt", [STEP, pytest.param(1e-3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("friction", [0.1, 0.15])
def test_half_hitches_that_slip_draw_in_no_rope(friction: float, dt: float) -> None:
    """Crossings that came upon one another once drew in rope until it was torn.

    Short spans still have peaks of up to half of EA, for some steps.
    """
    simulator = Simulator(
        load_scene("mooring_hitch", friction=friction, rope_friction=friction), dt
    )
    for _ in range(30):
        simulator.step(round(0.05 / dt))
        assert simulator._state.spans.tension_impulse.max() / dt < 2e5
    assert simulator.observe().body("standing").position[0] > 0.36


def test_the_standing_part_of_a_mooring_hitch_is_in_balance() -> None:
    """The winch pulls against the rope to the pole and against the leg that comes back from there,
    whose tension is within what the round turn lets through."""
    simulator = moored()
    nodes, spans = simulator._state.nodes, simulator._work.spans
    tension = simulator._state.spans.tension_impulse / simulator.dt
    used = np.flatnonzero(spans.length > 0.0)
    solid = nodes.contact_solid
    back = next(int(k) for k in used if solid[k] == 0 and solid[k + 1] in (1, LANDED))
    first = int(used[0])
    along = -tension[first] * spans.direction[first, 0] + tension[back] * spans.direction[back, 0]
    assert along == pytest.approx(500.0, rel=0.02)
    bound = math.exp(3.0 * math.pi * 0.2 * 1.02)
    assert tension[first] / bound < tension[back] < tension[first] * bound


@pytest.mark.parametrize(("dt", "time"), [(1e-3, 0.25), (STEP, 1.0), (1.0 / 60.0, 1.0)])
def test_a_hitch_that_tightens_has_its_energy_from_the_winch(dt: float, time: float) -> None:
    """Turns beside one another in one face of the pole do not go through one another by rounding:
    the rope that then rode on the other one was too short by its thickness."""
    simulator = Simulator(load_scene("mooring_hitch"), dt)
    before = simulator.observe()
    gained = 0.0
    for _ in range(round(time / dt)):
        simulator.step()
        seen = simulator.observe()
        rope = seen.cable("hauled")
        hauled = before.cable("hauled").length_paid_out - rope.length_paid_out
        more = seen.energy.total - before.energy.total - max(rope.tension * hauled, 0.0)
        gained += max(more, 0.0)
        before = seen
    assert simulator.report.status == 0
    assert gained < 2.0
