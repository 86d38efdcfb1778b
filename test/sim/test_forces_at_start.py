"""Forces before the first step: those that hold the scene at its start."""

from itertools import product

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Anchor, Body, Box, Cable, Joint, Scene, Sheave, Simulator, Sphere, Surface
from cable_sim.kernels.status import CATCH_MISSED
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.spec import Hybrid, Lumped

MASS = 100.0
WEIGHT = MASS * 9.81
FOUR = {"least": 4, "most": 4}


def at_rest(**options) -> Scene:
    """100 kg at rest on a rope that just reaches; without options it can't stretch."""
    load = Body("load", MASS, shape=Sphere(0.2), position=(0.0, 0.0, -5.0))
    rope = Cable("rope", [Anchor("world"), Anchor("load")], **{"length": 5.0} | options)
    return Scene(bodies=[load], cables=[rope])


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_rope_that_cannot_stretch_pulls_at_the_start(stepper) -> None:
    simulator = Simulator(at_rest(), stepper=stepper)
    seen = simulator.observe()
    assert seen.tension("rope") == pytest.approx(WEIGHT, rel=1e-9)
    assert not seen.cable("rope").slack
    assert seen.cable("rope").node_force[1, 2] == pytest.approx(WEIGHT, rel=1e-9)


def test_whirling_rope_has_its_force_at_the_start() -> None:
    """A load that whirls without gravity: m v^2 / r, from the first observation on."""
    load = Body("load", MASS, shape=Sphere(0.2), position=(5.0, 0.0, 0.0), velocity=(0.0, 4.0, 0.0))
    rope = Cable("rope", [Anchor("world"), Anchor("load")], length=5.0)
    scene = Scene(bodies=[load], cables=[rope], gravity=(0.0, 0.0, 0.0))
    simulator = Simulator(scene, dt=1e-4)
    assert simulator.observe().tension("rope") == pytest.approx(MASS * 4.0**2 / 5.0, rel=1e-6)


@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("speed", [1.0, 6.0])
@pytest.mark.parametrize("ea", [None, 1e12])
def test_swing_starts_with_its_weight_and_what_turns_it(ea, speed: float, dt: float) -> None:
    """m (g + v^2 / l) at the start and in the first steps, while it has turned little."""
    load = Body("load", MASS, shape=Sphere(0.2), position=(0, 0, -7.0), velocity=(speed, 0, 0))
    turns = MASS * speed**2 / 7.0
    options = {"ea": ea, "pretension": WEIGHT + turns} if ea else {}
    rope = Cable("rope", [Anchor("world"), Anchor("load")], **options)
    simulator = Simulator(Scene(bodies=[load], cables=[rope]), dt=dt)
    assert simulator.observe().tension("rope") == pytest.approx(WEIGHT + turns, abs=1e-3 * turns)
    for step in range(8):
        simulator.step()
        at = (step + 0.5) * dt * speed / 7.0
        right = WEIGHT * (3.0 * np.cos(at) - 2.0) + turns
        assert simulator.observe().tension("rope") == pytest.approx(right, abs=3e-3 * turns)


def test_two_ropes_over_an_eye_start_with_what_turns_their_loads() -> None:
    """Two loads on one rope over an eye, both swinging: T (1/m + 1/n) = g (a + b) + sum v^2 / l."""
    bodies = [
        Body("left", 50.0, shape=Sphere(0.2), position=(0.0, 0.0, -6.0), velocity=(3.0, 0.0, 0.0)),
        Body("right", 80.0, shape=Sphere(0.2), position=(0.0, 4.0, -3.0), velocity=(-2.0, 0, 0)),
    ]
    rope = Cable("rope", [Anchor("left"), Sheave("world"), Anchor("right")])
    simulator = Simulator(Scene(bodies=bodies, cables=[rope]), dt=2.5e-4)
    demands = 9.81 * (1.0 + 3.0 / 5.0) + 9.0 / 6.0 + 4.0 / 5.0
    right = demands / (1.0 / 50.0 + 1.0 / 80.0)
    assert simulator.observe().tension("rope") == pytest.approx(right, rel=3e-4)


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_force_of_the_start_is_that_of_the_first_step(stepper) -> None:
    """A load that swings through its lowest place; also under the stepper of first order."""
    load = Body("load", MASS, shape=Sphere(0.2), position=(0, 0, -5.0), velocity=(4.0, 0, 0))
    rope = Cable("rope", [Anchor("world"), Anchor("load")], length=5.0)
    simulator = Simulator(Scene(bodies=[load], cables=[rope]), dt=1e-4, stepper=stepper)
    start = simulator.observe().tension("rope")
    simulator.step()
    assert start == simulator.observe().tension("rope") > WEIGHT


def test_look_at_the_start_changes_no_bit() -> None:
    """The first steps are the same with and without a look before them."""
    looked, blind = Simulator(at_rest(length=5.1)), Simulator(at_rest(length=5.1))
    looked.observe()
    looked.step(300)
    blind.step(300)
    for field in ("body_position", "body_velocity", "span_tension"):
        mine, other = getattr(looked.observe(), field), getattr(blind.observe(), field)
        assert mine.tobytes() == other.tobytes()


def test_all_readers_have_the_force_of_the_start() -> None:
    """Observation, channels, recordings and worlds of a batch say the same; so does a reset."""
    simulator = Simulator(at_rest())
    wanted = simulator.observe().tension("rope")
    assert simulator.record(["rope.tension"])["rope.tension"][0] == wanted
    simulator.step(10)
    simulator.reset()
    assert simulator.observe().tension("rope") == wanted
    batch = BatchSimulator(at_rest(), 3)
    assert (batch["rope.tension"] == wanted).all()
    assert batch.observe(2).tension("rope") == wanted
    batch.step(10)
    batch.reset([1])
    assert batch["rope.tension"][1] == wanted


def copy_tension(time, x, u, memory) -> None:
    """Note the first tension that a law reads."""
    if memory[0] == 0.0:
        memory[0] = x[0]
    u[0] = 0.0


def test_law_reads_the_force_of_the_start() -> None:
    simulator = Simulator(at_rest())
    law = simulator.use_law(copy_tension, ["rope.tension"], ["load.force.z"], [0.0])
    simulator.step(5)
    assert law.memory[0] == pytest.approx(WEIGHT, rel=1e-9)


def test_grounds_and_joints_bear_at_the_start() -> None:
    """A box stands on a surface, another one is held by a rigid joint."""
    sunk = 0.25 * WEIGHT / 1e7
    place = (0.0, 0.0, 0.5 - sunk)
    box = Body("box", MASS, shape=Box(1.0, 1.0, 1.0), position=place, collides=True)
    held = Body("held", MASS, shape=Box(1.0, 1.0, 1.0), position=(5.0, 0.0, 3.0))
    joint = Joint("joint", "fixed", "held", point=(4.0, 0.0, 3.0))
    floor = Surface("floor", stiffness=1e7, damping_time=0.02)
    scene = Scene(bodies=(box, held), joints=(joint,), surfaces=(floor,))
    simulator = Simulator(scene)
    force = simulator.observe().joint("joint").force
    torque = simulator.observe().joint("joint").torque
    np.testing.assert_allclose(force, (0.0, 0.0, WEIGHT), atol=1e-6 * WEIGHT)
    np.testing.assert_allclose(torque, (0.0, -WEIGHT, 0.0), atol=1e-6 * WEIGHT)
    assert simulator.observe().body("box").contact_force[2] == pytest.approx(WEIGHT, rel=1e-6)


def test_push_at_the_start_changes_its_force() -> None:
    """Also after the force has been read."""
    load = Body("load", 10.0, shape=Sphere(0.1), position=(0, 0, -1))
    scene = Scene(bodies=[load], cables=[Cable("rope", [Anchor("world"), Anchor("load")])])
    simulator, batch = Simulator(scene), BatchSimulator(scene, 1)
    for push in (0.0, -50.0, -20.0):
        for pushed in (simulator, batch):
            pushed.push("load", (0, 0, push))
        right = pytest.approx(98.1 - push, rel=1e-4)
        assert simulator.cables["rope"].tension == right
        assert simulator.observe().cable("rope").tension == right
        assert batch["rope.tension"] == right


@pytest.mark.parametrize(
    ("masses", "speed", "ea"),
    slow_but(
        [({}, -0.8, 1e9), ({}, 0.8, 1e5), (FOUR, 0.0, 1e9), (FOUR, -0.8, 1e5)],
        product(({}, FOUR), (-0.8, 0.0, 0.8), (1e5, 1e9)),
    ),
)
def test_a_wire_that_is_just_taut_is_so_wherever_it_is(ea, speed, masses) -> None:
    """Half of its weight is at the upper end before the first step, whatever the last bits."""
    above, below, density = np.array((0.3, 0.7, 20.1)), np.array((-7.3, 0.2, 7.7)), 4.0
    length = float(np.linalg.norm(above - below))
    tensions = []
    for place in np.random.default_rng(3).uniform(-2e3, 2e3, (12, 3)):
        position, velocity = tuple(below + place), (0.0, 0.0, speed)
        load = Body("load", MASS, shape=Sphere(0.3), position=position, velocity=velocity)
        nodes = [Anchor("world", tuple(above + place)), Anchor("load")]
        wire = Cable("wire", nodes, ea=ea, length=length, hybrid=Hybrid(density=density, **masses))
        simulator = Simulator(Scene(bodies=[load], cables=[wire]), dt=1e-3)
        start = simulator.observe().tension("wire")
        assert simulator.step().status & ~CATCH_MISSED == 0
        tensions.append((start, simulator.observe().tension("wire")))
    assert np.ptp(tensions, axis=0) == pytest.approx(0.0, abs=1e-11 * ea)
    assert tensions[0][0] == pytest.approx(0.5 * density * length * 9.81, rel=1e-6)


@pytest.mark.parametrize("method, ea", [("chain", None), ("chain", 1e7), ("springs", 1e6)])
def test_masses_that_are_just_taut_are_so_wherever_they_are(method: str, ea) -> None:
    """Rigid ones carry all before the first step; others half a segment, whatever the last bits."""
    above, below, density, masses = np.array((0.3, 0.7, 20.1)), np.array((0.3, 0.7, 7.7)), 4.0, 9
    length = float(np.linalg.norm(above - below))
    whole = density * length * 9.81
    right = WEIGHT + whole if ea is None else 0.5 * whole / (masses - 1)
    for place in np.random.default_rng(3).uniform(-2e3, 2e3, (12, 3)):
        load = Body("load", MASS, shape=Sphere(0.3), position=tuple(below + place))
        nodes = [Anchor("world", tuple(above + place)), Anchor("load")]
        lumped = Lumped(masses, method, density=density)
        rope = Cable("rope", nodes, ea=ea, length=length, lumped=lumped)
        simulator = Simulator(Scene(bodies=[load], cables=[rope]), dt=1e-3)
        assert simulator.observe().tension("rope") == pytest.approx(right, rel=1e-5)


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
@pytest.mark.parametrize("unit", [1.0, 256.0, 2.0**-18])
def test_a_sheave_that_nothing_moves_has_its_loss_in_any_unit(solver, unit) -> None:
    """A rope between fixed points runs over a sheave on a prescribed body; another body is free."""
    block = Body(
        "block",
        unit,
        shape=Sphere(0.2),
        position=(1.0, 0.0, 0.0),
        velocity=(0.5, 0.0, 0.0),
        motion="prescribed",
    )
    free = Body("free", 5.0 * unit, shape=Sphere(0.2), position=(0.0, 9.0, 0.0))
    nodes = [Anchor("world", (-5.0, 0.0, 8.0)), Sheave("block", efficiency=0.9)]
    rope = Cable(
        "rope", [*nodes, Anchor("world", (4.0, 0.0, 9.0))], ea=1e6 * unit, pretension=1e4 * unit
    )
    simulator = Simulator(Scene(bodies=[block, free], cables=[rope]), dt=1e-3, solver=solver)
    simulator.step(3)
    tension = simulator.observe().cable("rope").span_tension
    assert tension.min() / tension.max() == pytest.approx(0.9, rel=1e-6)
    assert simulator.report.status == 0


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_held_rope_moves_with_its_body_from_the_start(stepper) -> None:
    """Half of a slack wire is at its end, and takes no momentum from the body."""
    velocity, turn = (1.0, -2.0, 0.5), (0.0, 0.0, 1.5)
    load = Body(
        "load", 5.0, shape=Sphere(0.3), position=(4, 0, 0), velocity=velocity, angular_velocity=turn
    )
    nodes = [Anchor("world"), Anchor("load", (0.0, 0.2, 0.0))]
    wire = Cable("wire", nodes, ea=1e6, length=9.0, hybrid=Hybrid(density=2.0, most=0))
    scene = Scene(bodies=[load], cables=[wire], gravity=(0.0, 0.0, 0.0))
    simulator = Simulator(scene, dt=1e-5, stepper=stepper)
    simulator.step()
    assert simulator.bodies["load"].velocity == pytest.approx(np.array(velocity), abs=1e-4)
    assert simulator.bodies["load"].angular_velocity == pytest.approx(np.array(turn), abs=1e-3)
