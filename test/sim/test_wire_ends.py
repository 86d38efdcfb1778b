"""Hybrid wires that are cut, break, are released and attached while they run."""

import dataclasses

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.status import WIRE_BROKE
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drum,
    Hybrid,
    Loose,
    Obstacle,
    Scene,
    Sphere,
    Winch,
)

G, FRAME = 9.81, 1.0 / 60.0


def hung(mass: float = 100.0, **wire) -> Scene:
    """A ball on a wire of 10 m."""
    ball = Body("ball", mass=mass, shape=Sphere(0.2), position=(0.0, 0.0, -10.2))
    other = Body("other", mass=30.0, shape=Sphere(0.2), position=(1.0, 0.0, -10.0))
    made = Hybrid(density=0.5, most=16, damping=0.0, attaches=("other",))
    ends = (Anchor("world"), Anchor("ball", (0.0, 0.0, 0.2)))
    cable = Cable("wire", ends, ea=1e5, damping_time=0.05, hybrid=made, **{"length": 10.0, **wire})
    return Scene(bodies=(ball, other), cables=(cable,))


def books(simulator: Simulator) -> tuple[float, np.ndarray]:
    """Mass [kg] of the wire, and momentum [kg m/s] of all that moves."""
    state, model = simulator._state, simulator._model
    density, start = model.cables.density[0], model.cables.node_start[:2]
    used = [
        k
        for k in range(*start)
        if k in (start[0], start[1] - 1) or state.nodes.contact_solid[k] == -2
    ]
    rest = np.array(
        [state.spans.rest_length[a:b].sum() for a, b in zip(used, used[1:], strict=False)]
    )
    masses = 0.5 * density * (np.array([0.0, *rest]) + np.array([*rest, 0.0]))
    momentum = masses @ state.nodes.velocity[used]
    for i, body in enumerate(simulator.scene.bodies, start=1):
        momentum = momentum + body.mass * state.bodies.velocity[i, :3]
    return float(masses.sum()), momentum


@pytest.mark.parametrize("place", [0.0, 2.5, 5.0, 10.0])
def test_a_wire_that_is_cut_lets_its_load_fall(place: float) -> None:
    simulator = Simulator(hung(), FRAME)
    simulator.step(300)
    before = simulator.observe()
    simulator.cut("wire", place)
    simulator.step()
    momentum = books(simulator)[1]
    mass = books(simulator)[0]
    simulator.step(60)
    assert books(simulator)[0] == pytest.approx(mass, rel=1e-12)
    assert mass == pytest.approx(5.0, rel=1e-12)
    seen, ball = simulator.observe(), simulator.observe().body("ball")
    (gap,) = seen.cable("wire").severed
    upper, lower = seen.cable("wire").curve[gap : gap + 2]
    assert upper[2] - lower[2] > 2.0
    # the rope that falls with the ball was as strained as it was tight, and draws the ball up at
    # first
    assert ball.velocity[2] == pytest.approx(
        before.body("ball").velocity[2] - G * 61 * FRAME, abs=0.4
    )
    assert seen.cable("wire").tension_dead_end < 10.0
    assert simulator.report.status == 0
    assert np.isfinite(momentum).all()


def test_a_cut_keeps_momentum_and_moment() -> None:
    free = dataclasses.replace(hung(), gravity=(0.0, 0.0, 0.0))
    ends = (Anchor("other"), Anchor("ball", (0.0, 0.0, 0.2)))
    ball = dataclasses.replace(free.bodies[0], velocity=(0.0, 3.0, -2.0))
    cable = dataclasses.replace(free.cables[0], nodes=ends, length=8.0)
    other = dataclasses.replace(free.bodies[1], position=(0.0, 0.0, -2.0), velocity=(0.5, 0.0, 0.0))
    simulator = Simulator(dataclasses.replace(free, bodies=(ball, other), cables=(cable,)), FRAME)
    simulator.step(30)
    before = books(simulator)
    simulator.cut("wire", 3.3)
    for _ in range(120):
        simulator.step()
        mass, momentum = books(simulator)
        assert mass == pytest.approx(before[0], rel=1e-12)
        assert momentum == pytest.approx(before[1], abs=1e-8)
    parts = simulator.observe()
    assert np.linalg.norm(parts.body("ball").position - parts.body("other").position) > 8.5


@pytest.mark.parametrize(("strength", "breaks"), [(0.9, True), (1.1, False)])
def test_a_wire_breaks_at_its_breaking_force(strength: float, breaks: bool) -> None:
    weight = 105.0 * G
    simulator = Simulator(
        hung(length=10.0 / (1.0 + weight / 1e5), breaking_force=strength * weight), FRAME
    )
    found = 0
    for _ in range(600):
        found |= simulator.step().status & WIRE_BROKE
    assert bool(found) == breaks
    assert (simulator.observe().body("ball").position[2] < -15.0) == breaks


def test_the_breaking_span_is_the_one_that_pulls_most() -> None:
    """The upper half of a heavy rope carries more than the lower: it breaks at its top."""
    made = Hybrid(density=5.0, most=16, damping=1.0, path=((0.0, 0.0, -5.0),))
    ends = Anchor("world"), Loose((0.0, 0.0, -10.0))
    cable = Cable("wire", ends, ea=1e8, length=10.0, breaking_force=430.0, hybrid=made)
    simulator = Simulator(Scene(cables=(cable,)), FRAME)
    for _ in range(600):
        if simulator.step().status & WIRE_BROKE:
            break
    else:
        pytest.fail("did not break")
    simulator.step(30)
    assert simulator.observe().cable("wire").tension < 0.2 * 430.0


def test_a_released_load_falls_and_an_attached_end_holds() -> None:
    simulator = Simulator(hung(), FRAME)
    simulator.step(300)
    simulator.release("wire")
    simulator.step(30)
    seen = simulator.observe()
    assert seen.body("ball").velocity[2] == pytest.approx(-G * 30 * FRAME, abs=0.05)
    assert np.abs(seen.cable("wire").node_force[-1]).max() == 0.0
    simulator.attach("wire", "world")
    simulator.step(1200)
    assert simulator.observe().cable("wire").tension < 60.0
    assert simulator.report.status == 0


def test_an_end_may_be_attached_to_another_body() -> None:
    scene = hung()
    other = dataclasses.replace(scene.bodies[1], position=(0.0, 0.0, -9.8), mass=40.0)
    ball = dataclasses.replace(scene.bodies[0], position=(5.0, 0.0, -10.2))
    loose = dataclasses.replace(scene.cables[0], nodes=(Anchor("world"), Loose((0.0, 0.0, -9.9))))
    simulator = Simulator(dataclasses.replace(scene, bodies=(ball, other), cables=(loose,)), FRAME)
    simulator.attach("wire", "other", (0.0, 0.0, 0.2), end="last")
    simulator.step(900)
    seen = simulator.observe()
    wire = seen.cable("wire")
    assert wire.tension_dead_end == pytest.approx(40.0 * G, rel=0.02)
    assert wire.node_force[-1] == pytest.approx([0.0, 0.0, 40.0 * G], abs=10.0)
    assert wire.node_position[-1] == pytest.approx(
        seen.body("other").position + [0.0, 0.0, 0.2], abs=1e-6
    )
    simulator.release("wire")
    simulator.step(60)
    assert simulator.observe().body("other").velocity[2] < -9.0


def test_a_cut_wire_slides_off_a_block() -> None:
    block = Obstacle("block", Box(1.0, 2.0, 1.0), position=(0.0, 0.0, 0.0))
    bodies = tuple(
        Body(name, mass=50.0, shape=Sphere(0.1), position=(x, 0.0, -5.0))
        for name, x in (("a", -0.6), ("b", 0.6))
    )
    made = Hybrid(density=0.3, most=10, path=((-0.6, 0.0, 0.6), (0.6, 0.0, 0.6)))
    ends = Anchor("a"), Anchor("b")
    cable = Cable(
        "wire", ends, ea=1e5, length=12.2, damping_time=0.05, touches=("block",), hybrid=made
    )
    simulator = Simulator(Scene(bodies=bodies, obstacles=(block,), cables=(cable,)), FRAME)
    simulator.step(200)
    assert len(simulator.observe().cable("wire").contact_position) >= 2
    simulator.cut("wire", 6.1)
    simulator.step(240)
    seen = simulator.observe()
    assert len(seen.cable("wire").contact_position) == 0
    for name in ("a", "b"):
        assert seen.body(name).velocity[2] < -30.0
    assert np.isfinite(seen.cable("wire").curve).all()


def test_a_winch_takes_in_what_is_left_of_a_cut_wire() -> None:
    made = Hybrid(density=0.5, most=16)
    ball = Body("ball", mass=100.0, shape=Sphere(0.2), position=(0.0, 0.0, -10.2))
    cable = Cable(
        "wire",
        (Drum("world"), Anchor("ball", (0.0, 0.0, 0.2))),
        ea=1e5,
        length=10.0,
        damping_time=0.05,
        hybrid=made,
        winch=Winch("winch", mass=100.0, rate=0.0),
    )
    simulator = Simulator(Scene(bodies=(ball,), cables=(cable,)), FRAME)
    simulator.cut("wire", 4.0)
    simulator.step(2)
    winch = simulator._state.bodies.velocity[1 + 1]
    for _ in range(300):
        winch[0] = -2.0
        simulator.step()
    seen = simulator.observe()
    assert np.isfinite(seen.node_position).all()
    assert seen.cable("wire").mass_position[0] == pytest.approx([0.0, 0.0, 0.0], abs=0.05)


def test_what_cannot_be_done_is_refused() -> None:
    simulator = Simulator(hung(), FRAME)
    before = simulator.save()
    for call, message in (
        (lambda: simulator.cut("wire", 11.0), "10 m rope"),
        (lambda: simulator.cut("wire", float("nan")), "10 m rope"),
        (lambda: simulator.release("wire", "middle"), "first last"),
        (lambda: simulator.attach("wire", "ball"), "release first"),
    ):
        with pytest.raises(CommandError, match=naming(message)):
            call()
    simulator.release("wire")
    with pytest.raises(CommandError, match=naming("release 'wire' last free")):
        simulator.release("wire")
    with pytest.raises(CommandError, match=naming("1.02 m end bring 0.588")):
        simulator.attach("wire", "other", (0.0, 0.0, -0.2))
    with pytest.raises(CommandError, match=naming("'other' 0.8 m end bring 0.588")):
        simulator.attach("wire", "other")
    with pytest.raises(CommandError, match="'ball', 'other', 'world'"):
        simulator.attach("wire", "winch")
    with pytest.raises(SpecError, match="'rope'"):
        simulator.cut("rope", 1.0)
    with pytest.raises(SpecError, match=naming("attaches 'nothing'")):
        made = dataclasses.replace(hung().cables[0].hybrid, attaches=("nothing",))
        dataclasses.replace(hung(), cables=(dataclasses.replace(hung().cables[0], hybrid=made),))
    simulator.restore(before)
    simulator.step(60)
    assert simulator.report.status == 0
