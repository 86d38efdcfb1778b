"""The massless cable against closed forms: hang, Atwood, tackle, slack, winch."""

import math

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Eye, Scene, Sheave, Simulator, Sphere, Winch
from cable_sim.cranes import load_crane
from cable_sim.scenes import load_scene
from cable_sim.spec import Drum

G = 9.81


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("n_falls", [2, 4])
def test_static_hang_of_the_crane(n_falls: int, stepper: str) -> None:
    """Without sheave losses: tension (load + block) g / n over the slope of the falls, stretch T L
    / EA, to 0.1 %."""
    crane = load_crane(
        "tower_12t",
        {
            "rig.start.state": "hanging",
            "reeving.n_falls": n_falls,
            "reeving.sheave_efficiency": 1.0,
            "rig.load.mass": 6000.0,
            "drum.layers": None,
        },
    )
    simulator = Simulator(crane.scene, stepper=stepper)
    for axis in crane.axes:
        simulator.command(axis.drive, 0.0, "speed", brake=True)
    simulator.step(20_000)
    seen = simulator.observe()
    rope = seen.cable(crane.ropes[0])
    block = next(body for body in crane.scene.bodies if body.name == crane.suspension.hook)
    falls = rope.node_position[1:] - rope.node_position[:-1]
    slope = np.abs(falls[:, 2]) / rope.span_length
    tension = (6000.0 + block.mass) * G / slope[slope > 0.5].sum()
    np.testing.assert_allclose(rope.span_tension, tension, rtol=1e-3)
    spec = next(cable for cable in crane.scene.cables if cable.name == crane.ropes[0])
    stretch = rope.length - rope.length_paid_out
    assert stretch == pytest.approx(tension * rope.length_paid_out / spec.axial_rigidity, rel=1e-3)
    assert seen.drive("hoist").effort == pytest.approx(-tension, rel=1e-3)
    assert seen.joint("slewing").force[2] == pytest.approx(
        G * sum(body.mass for body in crane.scene.bodies), rel=1e-6
    )


def test_node_forces_add_up_to_nothing_and_bend_with_the_rope() -> None:
    """Sum of all node forces zero; an eye with a right angle feels T sqrt(2)."""
    cable = Cable(
        "rope",
        [Anchor("world"), Eye("world", (1.0, 0.0, 0.0)), Anchor("ball")],
        stiffness=1e5,
        damping_time=0.02,
    )
    ball = Body("ball", mass=10.0, shape=Sphere(0.1), position=(1.0, 0.0, -1.0))
    simulator = Simulator(Scene(bodies=[ball], cables=[cable]))
    simulator.step(3000)
    rope = simulator.observe().cable("rope")
    np.testing.assert_allclose(rope.node_force.sum(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(rope.node_force[1], (-98.1, 0.0, -98.1), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("efficiency", [1.0, 0.9])
def test_atwood_accelerates_as_it_should(efficiency: float) -> None:
    """a = g (eta M - m) / (eta M + m) for a heavy side M that sinks and a rope without mass."""
    simulator = Simulator(load_scene("atwood", left=60.0, right=40.0, efficiency=efficiency))
    simulator.step(200)
    before = simulator.observe().body("left").velocity[2]
    simulator.step(500)
    after = simulator.observe().body("left").velocity[2]
    expected = -G * (efficiency * 60.0 - 40.0) / (efficiency * 60.0 + 40.0)
    assert (after - before) / 0.5 == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(("efficiency", "moves"), [(0.70, False), (0.64, False), (0.72, True)])
def test_atwood_sticks_below_its_efficiency(efficiency: float, moves: bool) -> None:
    """60 against 42 kg: it runs only if the efficiency is above 42 / 60 = 0.7."""
    simulator = Simulator(load_scene("atwood", left=60.0, right=42.01, efficiency=efficiency))
    simulator.step(3000)
    first = simulator.observe().body("left").position[2]
    simulator.step(3000)
    moved = first - simulator.observe().body("left").position[2]
    assert (moved > 0.1) == moves
    if not moves:
        assert abs(moved) < 1e-4


def test_four_part_tackle_with_the_losses_of_the_handbooks() -> None:
    """Efficiency 0.917 on every sheave: hoisting, advantage 3.25 and lead line 0.309 of the load,
    to 0.5 %."""
    simulator = Simulator(load_scene("tackle", n_falls=4, efficiency=0.917, mass=1000.0, speed=0.5))
    simulator.step(6000)
    rope = simulator.observe().cable("rope")
    assert simulator.observe().cable("rope").length_rate < 0.0
    weight = 1000.0 * G
    advantage = weight / rope.tension
    expected = 0.917 * (1.0 - 0.917**4) / (1.0 - 0.917)
    assert expected == pytest.approx(3.25, rel=5e-3)
    assert advantage == pytest.approx(expected, rel=5e-3)
    assert rope.tension / weight == pytest.approx(0.309, rel=5e-3)
    steps = np.sort(
        np.unique(rope.span_tension.round(6))
    )  # the two tangent points of a wheel share a tension
    assert steps.size == 5
    np.testing.assert_allclose(steps[:-1] / steps[1:], 0.917, rtol=1e-3)


def test_slack_cable_carries_nothing_and_catches_without_pushing() -> None:
    """A ball thrown towards the anchor flies free, falls back and is caught; tension is never below
    zero."""
    ball = Body("ball", mass=5.0, shape=Sphere(0.1), position=(0, 0, -2.0), velocity=(0, 0, 3.0))
    cable = Cable(
        "rope", [Anchor("world"), Anchor("ball")], stiffness=1e5, damping_ratio=0.3, length=2.0
    )
    simulator = Simulator(Scene(bodies=[ball], cables=[cable]))
    simulator.step(100)
    free = simulator.observe()
    assert free.cable("rope").slack and free.cable("rope").tension == 0.0
    assert free.body("ball").velocity[2] == pytest.approx(3.0 - G * 0.1, rel=1e-9)
    lowest = 0.0
    for _ in range(300):
        simulator.step(10)
        seen = simulator.observe()
        lowest = min(lowest, seen.body("ball").position[2])
        assert seen.cable("rope").tension >= 0.0
    assert lowest > -2.2
    assert not simulator.observe().cable("rope").slack


def test_winch_lifts_by_the_rope_it_takes_in() -> None:
    """A drum driven at 0.5 m/s on a single line: the load rises as fast, and the drive feels the
    weight."""
    load = Body("load", mass=200.0, shape=Box(1, 1, 1), position=(0, 0, -10.0))
    cable = Cable(
        "rope",
        [Drum("world"), Anchor("load", (0, 0, 0.5))],
        ea=1e6,
        damping_ratio=0.3,
        pretension=200.0 * G,
        winch=Winch("winch", mass=500.0),
    )
    scene = Scene(
        bodies=[load],
        cables=[cable],
        drives=[Drive("hoist", on="winch", target=-0.5, max_acceleration=0.5)],
    )
    simulator = Simulator(scene)
    simulator.step(8000)
    seen = simulator.observe()
    assert seen.body("load").velocity[2] == pytest.approx(0.5, rel=1e-2)
    assert seen.cable("rope").length_rate == pytest.approx(-0.5)
    assert seen.drive("hoist").effort == pytest.approx(-200.0 * G, rel=1e-2)


def test_winch_without_a_drive_runs_free() -> None:
    """Load m and rotor M on one rope fall with m g / (m + M)."""
    load = Body("load", mass=200.0, shape=Box(1, 1, 1), position=(0, 0, -10.0))
    cable = Cable(
        "rope",
        [Drum("world"), Anchor("load", (0, 0, 0.5))],
        ea=1e7,
        damping_ratio=0.5,
        pretension=1.0,
        winch=Winch("winch", mass=600.0),
    )
    simulator = Simulator(Scene(bodies=[load], cables=[cable]))
    simulator.step(500)
    before = simulator.observe().body("load").velocity[2]
    simulator.step(500)
    after = simulator.observe().body("load").velocity[2]
    assert (after - before) / 0.5 == pytest.approx(-G * 200.0 / 800.0, rel=1e-3)


@pytest.mark.parametrize("ratio", [0.02, 0.1])
def test_damping_ratio_is_that_of_the_bounce(ratio: float) -> None:
    """The logarithmic decrement of the bounce is 2 pi zeta."""
    load = Body(
        "load", mass=200.0, shape=Box(1, 1, 1), position=(0, 0, -10.0), velocity=(0.0, 0.0, -0.1)
    )
    cable = Cable(
        "rope",
        [Anchor("world"), Anchor("load", (0, 0, 0.5))],
        stiffness=1e5,
        damping_ratio=ratio,
        pretension=200.0 * G,
    )
    simulator = Simulator(Scene(bodies=[load], cables=[cable]))
    heights = []
    for _ in range(3000):
        simulator.step()
        heights.append(simulator.observe().body("load").position[2])
    x = np.array(heights) + 10.0
    peaks = x[1:-1][(x[1:-1] < x[:-2]) & (x[1:-1] < x[2:])]
    assert math.log(peaks[0] / peaks[3]) / 3.0 == pytest.approx(2.0 * math.pi * ratio, rel=2e-2)


def test_inextensible_cable_holds_its_length() -> None:
    """Neither ea nor stiffness: a pendulum of constant length, at 1/60 s."""
    ball = Body("ball", mass=5.0, shape=Sphere(0.1), position=(1.0, 0, 0))
    simulator = Simulator(
        Scene(bodies=[ball], cables=[Cable("rope", [Anchor("world"), Anchor("ball")])]), dt=1 / 60
    )
    worst = 0.0
    for _ in range(600):
        simulator.step()
        worst = max(worst, abs(simulator.observe().cable("rope").length - 1.0))
    assert worst < 0.02


def test_sheave_at_rest_holds_less_than_its_limit() -> None:
    """Friction at rest is what is needed, not what is possible: equal weights keep equal
    tensions."""
    simulator = Simulator(load_scene("atwood", left=50.0, right=50.0, efficiency=0.9))
    simulator.step(5000)
    tension = simulator.observe().cable("cable").span_tension
    assert isinstance(simulator.scene.cables[0].nodes[1], Sheave)
    np.testing.assert_allclose(tension, 50.0 * G, rtol=1e-3)


@pytest.mark.parametrize("n_falls", [2, 4])
def test_sheaves_at_rest_hold_only_what_they_must(n_falls: int) -> None:
    """From rest in equilibrium nothing wants to run over a sheave, so the tension is the same all
    along the rope."""
    simulator = Simulator(load_scene(f"tower_12t_{n_falls}falls_hanging"))
    for _ in range(3):
        simulator.step(500)
        tension = simulator.observe().cable("hoist_rope").span_tension
        np.testing.assert_allclose(tension, tension.mean(), rtol=1e-6)


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12, 1.0 - 1e-12, 1.0001])
def test_taut_rope_moves_alike_in_other_units(factor) -> None:
    """A rope over a sheave that cannot stretch, as long as its path: the same bits in units of a
    64th metre and an eighth second, in which gravity is the same number."""
    path = np.array([(3.19, 0.5645, 21.768), (-9.1698, -0.5404, 18.6945), (-9.0, 1.405, 7.2976)])
    length = factor * np.linalg.norm(np.diff(path, axis=0), axis=1).sum()

    def places(unit: float) -> np.ndarray:
        first, second, end = map(tuple, unit * path)
        speed = np.sqrt(unit) * np.array((-0.8365, 0.9026, -0.5203))
        load = Body("load", 235.0, shape=Sphere(unit), position=end, velocity=speed)
        nodes = (Anchor("world", first), Sheave("world", second), Anchor("load"))
        rope = Cable("rope", nodes, length=unit * length)
        simulator = Simulator(Scene(bodies=(load,), cables=(rope,)), dt=1e-3 * np.sqrt(unit))
        found = []
        for _ in range(40):
            simulator.step()
            seen = simulator.observe()
            found.append([*seen.body("load").position / unit, *seen.span_tension[:2]])
        return np.array(found)

    wanted = places(1.0)
    for unit in (64.0, 4.0, 1.0 / 64.0):
        assert (places(unit) == wanted).all()
