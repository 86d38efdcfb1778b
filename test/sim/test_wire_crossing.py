"""Wires that run over one another."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from scipy.optimize import brentq

from cable_sim import Simulator
from cable_sim.errors import SpecError
from cable_sim.kernels.cables.contact.contact_path import CROSSED, FORWARD, STUCK
from cable_sim.spec import Anchor, Body, Cable, Hybrid, Scene, Sphere

G, FRAME = 9.81, 1.0 / 60.0


def draped(
    mass: float = 50.0,
    other: float | None = None,
    crosses: bool = True,
    apart: float = 2.0,
    friction: float | None = None,
    diameter: float = 0.016,
) -> Scene:
    """A wire between two anchors, and another one that falls on it with a ball at either end."""
    balls = tuple(
        Body(name, mass=m, shape=Sphere(0.1), position=(0.0, y, -2.0))
        for name, y, m in (("left", -0.5 * apart, mass), ("right", 0.5 * apart, other or mass))
    )
    over = Hybrid(
        density=0.1,
        most=10,
        path=((0.0, 0.0, 0.5),),
        crosses=("rail",) if crosses else (),
        crossing_friction=friction,
    )
    drape = Cable(
        "drape",
        (Anchor("left"), Anchor("right")),
        ea=1e5,
        length=5.2,
        damping_time=0.3,
        diameter=diameter,
        hybrid=over,
    )
    rail = Cable(
        "rail",
        (Anchor("world", (-5.0, 0.0, 0.0)), Anchor("world", (5.0, 0.0, 0.0))),
        ea=2e5,
        length=10.0,
        damping_time=0.3,
        diameter=diameter,
        hybrid=Hybrid(density=0.2, most=10),
    )
    return Scene(bodies=balls, cables=(rail, drape))


def crossings(simulator: Simulator) -> int:
    return int((simulator._state.nodes.contact_solid == CROSSED).sum()) // 2


@pytest.mark.parametrize("diameter", [0.016, 0.1])
def test_a_wire_carries_another_one_above_it_by_both_radii(diameter: float) -> None:
    scene = draped(apart=0.04, diameter=diameter)  # so that the balls hardly swing to and fro
    simulator = Simulator(scene, FRAME)
    simulator.step(60)  # the balls fall into the drape
    simulator.step(2340)
    assert crossings(simulator) == 1
    assert simulator.report.status == 0
    seen = simulator.observe()
    load = (
        2.0 * 50.0 * G + 0.1 * 5.2 * G
    )  # taut it has no masses; the rail's is that of its anchors
    sag = brentq(
        lambda d: 2.0 * 2e5 * (math.hypot(5.0, d) / 5.0 - 1.0) * d / math.hypot(5.0, d) - load,
        0.01,
        3.0,
    )
    rail, drape = seen.node_position[simulator._state.nodes.contact_solid == CROSSED]
    assert np.linalg.norm(drape - rail) == pytest.approx(diameter, rel=1e-9)
    assert drape[2] - rail[2] == pytest.approx(diameter, rel=0.01)
    assert rail[2] == pytest.approx(-sag, rel=0.01)
    legs = sum(float(np.linalg.norm(seen.body(n).position - drape)) for n in ("left", "right"))
    assert legs == pytest.approx(5.2 * (1.0 + 50.0 * G / 1e5), abs=2e-3)
    assert seen.cable("drape").tension == pytest.approx(50.0 * G, rel=0.01)
    assert seen.cable("rail").tension == pytest.approx(
        2e5 * (math.hypot(5.0, sag) / 5.0 - 1.0), rel=0.02
    )


def test_ropes_touch_and_come_apart_at_the_sum_of_their_radii() -> None:
    """A taut wire goes down onto a thick one and up again, ten times, and is as long as before."""
    scene = draped(diameter=0.1, apart=4.0)
    rail, drape = scene.cables
    drape = dataclasses.replace(
        drape, length=3.99, hybrid=dataclasses.replace(drape.hybrid, path=())
    )
    balls = tuple(
        dataclasses.replace(ball, motion="prescribed", position=(0.0, ball.position[1], 0.2))
        for ball in scene.bodies
    )
    cables = dataclasses.replace(rail, length=9.99), drape
    simulator = Simulator(Scene(bodies=balls, cables=cables), FRAME)
    apart: list[list[float]] = [[], []]
    tensions = []
    gap = 0.2
    for step in range(10 * 240):
        before = crossings(simulator)
        for name in ("left", "right"):
            simulator.move(name, (0.0, 0.0, -0.24 * math.sin(math.pi * (step + 0.5) / 120.0)))
        simulator.step()
        seen = simulator.observe()
        last, gap = gap, seen.body("left").position[2] - seen.cable("rail").curve[:, 2].min()
        if crossings(simulator) != before:
            apart[before].append(gap if before else last)  # where the wire is straight
        if step % 240 == 120:
            tensions.append(seen.cable("drape").tension)
    assert len(apart[0]) == len(apart[1]) == 10
    assert min(apart[0]) > 0.09
    assert max(apart[0]) < 0.09 + 0.5 * FRAME
    assert min(apart[1]) > 0.1 - 0.3 * FRAME
    assert max(apart[1]) < 0.1 + 0.3 * FRAME
    assert np.array(tensions[1:]) == pytest.approx(tensions[1], rel=0.01)


def test_a_thick_rope_that_turns_over_another_one_gains_nothing() -> None:
    scene = draped(apart=0.4, diameter=0.1)
    balls = tuple(dataclasses.replace(ball, velocity=(0.0, 2.0, 0.0)) for ball in scene.bodies)
    simulator = Simulator(dataclasses.replace(scene, bodies=balls), FRAME)
    simulator.step(60)
    energies, normals = [], []
    for _ in range(180):
        simulator.step()
        energies.append(simulator.observe().energy.total)
        crossed = np.flatnonzero(simulator._state.nodes.contact_solid == CROSSED)
        normals.append(simulator._state.nodes.line[crossed[0], :3].copy())
    assert np.linalg.norm(np.diff(normals, axis=0), axis=1).sum() > 0.5
    assert np.diff(energies).max() < 0.1


def test_what_may_not_cross_falls_through() -> None:
    simulator = Simulator(draped(crosses=False), FRAME)
    simulator.step(240)
    assert crossings(simulator) == 0
    assert simulator.observe().body("left").position[2] < -50.0


def test_an_unequal_pair_runs_over_a_wire_as_over_a_pulley() -> None:
    simulator = Simulator(draped(30.0, 33.0), FRAME)
    simulator.step(40)
    for _ in range(20):  # the whole swings up and down meanwhile, with tensions of 130 to 1200 N
        wire = simulator.observe().cable("drape")
        assert wire.tension == pytest.approx(
            wire.tension_dead_end, rel=0.01
        )  # but for the rope's weight
        simulator.step()
    seen = simulator.observe()
    assert seen.body("right").velocity[2] < seen.body("left").velocity[2] - 0.5


def test_a_wire_that_is_lifted_off_is_free_again() -> None:
    scene = draped()
    bodies = tuple(dataclasses.replace(body, motion="prescribed") for body in scene.bodies)
    simulator = Simulator(dataclasses.replace(scene, bodies=bodies), FRAME)
    for name in ("left", "right"):
        simulator.move(name, (0.0, 0.0, -0.5))
    simulator.step(150)
    assert crossings(simulator) == 1
    for name in ("left", "right"):
        simulator.move(name, (0.0, 0.0, 1.5))
    simulator.step(600)
    assert crossings(simulator) == 0
    assert simulator.observe().body("left").position[2] > 5.0
    assert simulator.observe().cable("drape").curve[:, 2].min() > 2.0
    assert np.isfinite(simulator.observe().node_position).all()


def test_two_wires_that_meet_in_space_keep_their_momentum() -> None:
    balls = tuple(
        Body(name, mass=m, shape=Sphere(0.1), position=place, velocity=(0.0, 0.0, v))
        for name, place, v, m in (
            ("a", (-3.0, 0.0, 0.0), 0.0, 20.0),
            ("b", (3.0, 0.0, 0.0), 0.0, 20.0),
            ("c", (0.0, -3.0, 0.5), -2.0, 5.0),
            ("d", (0.0, 3.0, 0.5), -2.0, 5.0),
        )
    )
    made = Hybrid(density=0.1, most=8, damping=0.0)
    cables = (
        Cable("ab", (Anchor("a"), Anchor("b")), ea=1e5, length=6.0, hybrid=made),
        Cable(
            "cd",
            (Anchor("c"), Anchor("d")),
            ea=1e5,
            length=6.0,
            hybrid=dataclasses.replace(made, crosses=("ab",)),
        ),
    )
    simulator = Simulator(Scene(bodies=balls, cables=cables, gravity=(0.0, 0.0, 0.0)), FRAME)
    most = 0
    for _ in range(60):
        simulator.step()
        most = max(most, crossings(simulator))
    velocity = simulator.observe().body_velocity
    momentum = np.array([20.0, 20.0, 5.0, 5.0]) @ velocity
    assert most == 1
    assert velocity[0, 0] > 0.05  # the still ones are drawn together
    assert velocity[1, 0] < -0.05
    rope = 0.6 * abs(velocity[:, 2]).max()  # the momentum that ropes may have
    assert momentum == pytest.approx([0.0, 0.0, -20.0], abs=0.05 * 20.0 + rope)


@dataclasses.dataclass
class Seen:
    """What a crossing of the drape does in a step [N, rad, m, J]."""

    before: float
    behind: float
    turn: float
    state: int
    rope: float
    energy: float


def watch(simulator: Simulator, steps: int) -> list[Seen]:
    """Return what the drape does at its crossing in each of the next steps."""
    state = simulator._state
    found = []
    for _ in range(steps):
        points = simulator.observe().node_position
        simulator.step()
        (_, k) = np.flatnonzero(state.nodes.contact_solid == CROSSED)  # the rail's is the first
        come, go = points[k] - points[k - 1], points[k + 1] - points[k]
        cosine = come @ go / np.linalg.norm(come) / np.linalg.norm(go)
        first = simulator._running.model.cables.node_start[1]
        found.append(
            Seen(
                before=state.spans.tension_impulse[k - 1] / FRAME,
                behind=state.spans.tension_impulse[k] / FRAME,
                turn=math.acos(cosine),
                state=int(state.nodes.friction_state[k]),
                rope=float(state.spans.rest_length[first:k].sum()),
                energy=simulator.observe().energy.total,
            )
        )
    return found


def test_rope_slips_over_rope_at_the_ratio_of_the_capstan() -> None:
    """80 kg against 20 kg are more than exp(0.3 pi) = 2.57."""
    simulator = Simulator(draped(20.0, 80.0, apart=0.04, friction=0.3), FRAME)
    simulator.step(30)  # there are no masses any more
    seen = watch(simulator, 54)
    for step in seen:
        assert step.state == FORWARD
        assert step.behind == pytest.approx(step.before * math.exp(0.3 * step.turn), rel=0.005)
    assert seen[-1].rope < seen[0].rope - 1.0
    energy = np.array([step.energy for step in seen])
    assert np.diff(energy).max() < 0.0
    assert simulator.report.status == 0


def test_rope_sticks_to_rope_below_the_ratio_of_the_capstan() -> None:
    """50 kg against 30 kg are less than exp(0.3 pi) = 2.57."""
    simulator = Simulator(draped(30.0, 50.0, apart=0.04, friction=0.3), FRAME)
    simulator.step(100)
    seen = watch(simulator, 200)
    assert {step.state for step in seen} == {STUCK}
    ropes = [step.rope for step in seen]
    assert max(ropes) - min(ropes) < 1e-12
    assert seen[-1].behind / seen[-1].before == pytest.approx(50.0 / 30.0, rel=0.01)
    assert np.diff([step.energy for step in seen]).max() < 1e-3
    assert abs(simulator.observe().body_velocity[:, 2]).max() < 0.01


def test_the_sparse_solver_knows_crossings() -> None:
    scene = draped(20.0, 80.0, apart=0.04, friction=0.3)
    found = []
    for solver in ("envelope", "sparse"):
        simulator = Simulator(scene, FRAME, solver=solver)
        simulator.step(60)
        found.append(simulator.observe().body_position)
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_frictions_of_a_pair_that_differ_are_refused() -> None:
    scene = draped(friction=0.3)
    rail, drape = scene.cables
    rough = Hybrid(density=0.2, crossing_friction=0.2)
    with pytest.raises(SpecError, match=r"'drape': hybrid: crossing_friction: 0.3 contradicts"):
        Scene(bodies=scene.bodies, cables=(dataclasses.replace(rail, hybrid=rough), drape))


def test_friction_on_no_wire_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("'drape' hybrid crossing_friction crosses wire")):
        draped(crosses=False, friction=0.3)


def test_crossings_have_no_friction_by_the_law_of_the_paper() -> None:
    with pytest.raises(SpecError, match=naming("crossing_friction 0.3 Coulomb's law")):
        Hybrid(density=1.0, crossing_friction=0.3, friction_law="hmr_2011")
    scene = draped(friction=0.3)
    paper = Hybrid(density=0.2, friction_law="hmr_2011")
    rail = dataclasses.replace(scene.cables[0], hybrid=paper)
    with pytest.raises(SpecError, match="'rail': hybrid: friction_law: 'hmr_2011', but"):
        Scene(bodies=scene.bodies, cables=(rail, scene.cables[1]))


def test_a_wire_that_is_none_cannot_be_crossed() -> None:
    made = Hybrid(density=0.1, crosses=("hook",))
    cable = Cable("wire", (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0))), ea=1e5, hybrid=made)
    with pytest.raises(SpecError, match=naming("crosses 'hook' wire")):
        Scene(cables=(cable,))
