"""Boxes on boxes: rest, slide, stack, topple, collide, pile up."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from scipy.spatial.transform import Rotation

from cable_sim import Body, Box, Joint, Scene, Simulator, load_scene
from cable_sim.errors import SpecError
from cable_sim.kernels.status import NOT_CONVERGED
from cable_sim.spec import BoxContact, Collision, Obstacle, Touch

G = 9.81


def floor(**more) -> Obstacle:
    """A wide block whose top is at zero height."""
    return Obstacle("floor", Box(20.0, 20.0, 1.0), **{"position": (0.0, 0.0, -0.5)} | more)


def chain_of(names: list[str], **more) -> list[BoxContact]:
    """Contacts of each with the next."""
    return [BoxContact(a, [b], **more) for a, b in zip(names, names[1:], strict=False)]


def every(names: list[str], **more) -> list[BoxContact]:
    """Contacts of each with all that follow."""
    return [BoxContact(name, names[i + 1 :], **more) for i, name in enumerate(names[:-1])]


def stack(*masses: float, offsets=(), **more) -> Simulator:
    """Boxes of 1 x 1 x 0.5 m on one another and on the floor."""
    offsets = offsets or (0.0,) * len(masses)
    bodies = [
        Body(f"b{i}", mass, shape=Box(1.0, 1.0, 0.5), position=(x, 0.0, 0.25 + 0.5 * i))
        for i, (mass, x) in enumerate(zip(masses, offsets, strict=True))
    ]
    names = ["floor", *(body.name for body in bodies)]
    return Simulator(Scene(bodies=bodies, obstacles=[floor()], contacts=chain_of(names, **more)))


def test_box_rests_on_a_box_with_its_weight_on_four_corners() -> None:
    """Penetration m g / (4 k) at each level; forces m g, equal and opposite; no creep in ten
    seconds."""
    simulator = stack(300.0, 100.0, stiffness=1e6)
    simulator.step(3000)
    seen = simulator.observe()
    lower, upper = seen.body("b0").position, seen.body("b1").position
    assert lower[2] == pytest.approx(0.25 - 400.0 * G / 4e6, abs=1e-9)
    assert seen.energy.ground == pytest.approx(
        ((400.0 * G) ** 2 + (100.0 * G) ** 2) / 8e6, rel=1e-6
    )
    assert seen.energy.elastic == 0.0
    assert upper[2] - lower[2] == pytest.approx(0.5 - 100.0 * G / 4e6, abs=1e-9)
    contact = seen.contact("b0", "b1")
    assert contact.points == 4
    assert contact.normal_force == pytest.approx(981.0, rel=1e-6)
    np.testing.assert_allclose(contact.force, (0.0, 0.0, 981.0), atol=1e-3)
    np.testing.assert_allclose(seen.contact("b1", "b0").force, (0.0, 0.0, -981.0), atol=1e-3)
    np.testing.assert_allclose(seen.contact("floor", "b0").force, (0.0, 0.0, 400.0 * G), atol=1e-3)
    np.testing.assert_allclose(seen.body("b0").contact_force, (0.0, 0.0, 2943.0), atol=1e-3)
    simulator.step(10_000)
    np.testing.assert_allclose(simulator.observe().body_position, [lower, upper], atol=1e-8)


def test_light_box_carries_one_of_a_hundred_times_its_mass() -> None:
    simulator = stack(10.0, 1000.0)
    simulator.step(10_000)
    seen = simulator.observe()
    assert seen.body("b1").position[2] == pytest.approx(
        0.75 - (1000.0 + 1010.0) * G / 4e8, abs=1e-8
    )
    assert np.abs(seen.body_position[:, :2]).max() < 1e-6
    assert simulator.report.status == 0


def tilted(angle: float, friction: float, tilt_moves: bool) -> Simulator:
    """A flat box on a tilted one, which is fixed, or a body that does not move."""
    turn = (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    rests = 100.0 * G * math.cos(angle) / 4e8
    box = Body(
        "box", 100.0, shape=Box(1.0, 1.0, 0.2), orientation=turn, position=(0.6 - rests) * normal
    )
    slope = dict(shape=Box(40.0, 2.0, 1.0), orientation=turn)
    fixed = (
        Body("slope", motion="prescribed", **slope) if tilt_moves else Obstacle("slope", **slope)
    )
    return Simulator(
        Scene(
            bodies=[box, fixed] if tilt_moves else [box],
            obstacles=[] if tilt_moves else [fixed],
            contacts=[BoxContact("box", ["slope"], friction)],
        )
    )


@pytest.mark.parametrize("tilt_moves", [False, True])
@pytest.mark.parametrize(("angle", "friction"), [(0.2, 0.1), (0.3, 0.2)])
def test_box_slides_down_a_box_with_coulomb_acceleration(
    angle: float, friction: float, tilt_moves: bool
) -> None:
    """a = g (sin - mu cos)."""
    simulator = tilted(angle, friction, tilt_moves)
    simulator.step(200)
    before = np.linalg.norm(simulator.observe().body("box").velocity)
    simulator.step(800)
    after = np.linalg.norm(simulator.observe().body("box").velocity)
    assert (after - before) / 0.8 == pytest.approx(
        G * (math.sin(angle) - friction * math.cos(angle)), rel=2e-3
    )


def test_box_sticks_to_a_box_below_the_angle_of_friction() -> None:
    """tan(angle) = 0.309 < mu = 0.32: after settling it moves less than 10 um in ten seconds; the
    slope bears m g."""
    simulator = tilted(0.3, 0.32, False)
    simulator.step(1000)
    before = simulator.observe().body("box").position
    simulator.step(10_000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body("box").position, before, atol=1e-5)
    np.testing.assert_allclose(seen.contact("box", "slope").force, (0.0, 0.0, -981.0), atol=1e-2)


def test_stack_of_five_stands_for_a_minute() -> None:
    """Each a quarter of its width off the one below, to and fro: less than 1 mm of creep, nothing
    turns."""
    simulator = stack(*[100.0] * 5, offsets=(0.0, 0.25, 0.0, 0.25, 0.0))
    simulator.step(1000)
    start = simulator.observe()
    simulator.step(60_000)
    seen = simulator.observe()
    assert np.abs(seen.body_position - start.body_position).max() < 1e-3
    assert np.abs(seen.body_orientation - start.body_orientation).max() < 1e-3
    assert [seen.contact(*pair).points for pair in seen.names.contacts] == [4] * 5


@pytest.mark.parametrize(("offset", "stands"), [(0.19, True), (0.21, False)])
def test_a_leaning_stack_topples_past_the_edge_of_its_base(offset: float, stands: bool) -> None:
    """Five boxes: the four upper ones are 2.5 offsets off the middle of the lowest, whose edge is
    at a half."""
    simulator = Simulator(load_scene("stacked_boxes", offset=offset))
    simulator.step(4000)
    top = simulator.observe().body("box_5").position[2]
    assert (abs(top - 2.25) < 1e-3) if stands else (top < 1.5)


def momentum(simulator: Simulator, seen) -> np.ndarray:
    """Linear momentum [kg m/s], and angular momentum about the origin [kg m^2/s]."""
    total = np.zeros(6)
    for body in simulator.scene.bodies:
        view = seen.body(body.name)
        turn = Rotation.from_quat(np.roll(seen.body(body.name).orientation, -1))
        spin = turn.apply(
            np.array(body.shape.inertia(body.mass)) * turn.inv().apply(view.angular_velocity.copy())
        )
        total[:3] += body.mass * view.velocity
        total[3:] += np.cross(view.position, body.mass * view.velocity) + spin
    return total


@pytest.mark.parametrize("seed", range(6))
def test_boxes_that_collide_keep_linear_and_angular_momentum(seed: int) -> None:
    """Two free boxes in any pose, off centre, with spin and friction; they meet, lose energy, and
    nothing is made."""
    random = np.random.default_rng(seed)
    bodies = [
        Body(
            name,
            mass,
            shape=Box(*random.uniform(0.5, 1.0, 3)),
            position=(x, *random.uniform(-0.15, 0.15, 2)),
            orientation=tuple(random.normal(size=4)),
            velocity=(-2.0 * x, *random.normal(size=2) * 0.2),
            angular_velocity=tuple(random.normal(size=3)),
        )
        for name, mass, x in (("a", 10.0, -1.0), ("b", 30.0, 1.0))
    ]
    simulator = Simulator(
        Scene(bodies=bodies, contacts=[BoxContact("a", ["b"], 0.3)], gravity=(0.0, 0.0, 0.0))
    )
    start = simulator.observe()
    met = 0
    for _ in range(1500):
        simulator.step()
        met += simulator.observe().contact("a", "b").points > 0
    seen = simulator.observe()
    assert met > 0
    assert seen.energy.kinetic < 0.99 * start.energy.kinetic
    np.testing.assert_allclose(momentum(simulator, seen), momentum(simulator, start), atol=1e-9)


def pile(seed: int) -> Scene:
    """Six boxes that tumble into a bin of five fixed ones."""
    random = np.random.default_rng(seed)
    bodies = [
        Body(
            f"b{i}",
            random.uniform(20.0, 200.0),
            shape=Box(*random.uniform(0.3, 0.9, 3)),
            position=(*random.uniform(-0.5, 0.5, 2), 1.0 + 1.2 * i),
            orientation=tuple(random.normal(size=4)),
            angular_velocity=tuple(random.normal(size=3)),
        )
        for i in range(6)
    ]
    walls = [
        Obstacle(
            f"wall{i}",
            Box(*((0.2, 4.0) if i < 2 else (4.0, 0.2)), 2.0),
            position=(*((1.5 * (-1.0) ** i, 0.0) if i < 2 else (0.0, 1.5 * (-1.0) ** i)), 1.0),
        )
        for i in range(4)
    ]
    fixed = ["floor", *(wall.name for wall in walls)]
    names = [body.name for body in bodies]
    return Scene(
        bodies=bodies,
        obstacles=[floor(), *walls],
        contacts=[*every(names), *(BoxContact(name, fixed) for name in names)],
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_tumbling_pile_gains_no_energy_and_comes_to_rest(seed: int) -> None:
    """Ten seconds: the energy never rises above what it was before by more than 0.1 % of the
    fall."""
    simulator = Simulator(pile(seed))
    energies, unsettled = [simulator.observe().energy.total], 0
    for _ in range(1000):
        simulator.step(10)
        energies.append(simulator.observe().energy.total)
        assert simulator.report.residual < 1e-4
        unsettled += simulator.report.status == NOT_CONVERGED
    assert unsettled <= 3  # steps with friction that had no solution within the rounds
    lowest = np.minimum.accumulate(energies)
    assert (energies[1:] - lowest[:-1]).max() < 1e-3 * (energies[0] - energies[-1])
    seen = simulator.observe()
    assert seen.energy.kinetic < 1e-3
    assert (seen.body_position[:, 2] > 0.1).all() and (
        np.abs(seen.body_position[:, :2]) < 1.5
    ).all()


@pytest.mark.parametrize("seed", [5, 9])
def test_bodies_that_jam_one_another_settle(seed: int) -> None:
    """With a friction of 1, bounds of more than 100 steps go round, until sweeps end them."""
    plain = pile(seed)
    touch = Collision(Touch(friction=1.0))
    simulator = Simulator(Scene(bodies=plain.bodies, obstacles=plain.obstacles, collision=touch))
    energies = [simulator.observe().energy.total]
    for _ in range(2000):
        assert simulator.step().status == 0
        energies.append(simulator.observe().energy.total)
    lowest = np.minimum.accumulate(energies)
    assert (energies[1:] - lowest[:-1]).max() < 1e-5 * (energies[0] - energies[-1])


@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_a_bar_lies_across_the_edge_of_another(gap: float) -> None:
    """Guided upright, on an edge each: one point, at the crossing, and m g / k deep.

    Edges are round, with a ten-thousandth of the half edge: each ends by (sqrt 2 - 1) r sooner.
    """
    on_edge = Rotation.from_rotvec([math.pi / 4, 0.0, 0.0])
    turn = Rotation.from_rotvec([0.0, 0.0, 1.1]) * on_edge
    height = 0.2 * math.sqrt(2.0) - 2.0 * (math.sqrt(2.0) - 1.0) * 1e-4 * 0.1
    lower = Obstacle("lower", Box(2.0, 0.2, 0.2), orientation=tuple(np.roll(on_edge.as_quat(), 1)))
    upper = Body(
        "upper",
        100.0,
        shape=Box(2.0, 0.2, 0.2),
        position=(0.2, 0.1, height + gap),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
    )
    guide = Joint("guide", "prismatic", child="upper", axis=(0.0, 0.0, 1.0), point=upper.position)
    simulator = Simulator(
        Scene(
            bodies=[upper],
            obstacles=[lower],
            joints=[guide],
            contacts=[BoxContact("upper", ["lower"])],
        )
    )
    simulator.step(3000)
    seen = simulator.observe()
    assert seen.contact("lower", "upper").points == 1
    assert seen.contact("lower", "upper").normal_force == pytest.approx(981.0, rel=1e-6)
    assert seen.body("upper").position[2] == pytest.approx(height - 981.0 / 1e8, abs=1e-9)


@pytest.mark.parametrize(
    ("mass", "speed"), [(100.0, 0.05), (100.0, 1.0), (100.0, 3.0), (15_000.0, 1.0), (15_000.0, 3.0)]
)
def test_a_seam_does_not_stop_what_slides_over_it(mass: float, speed: float) -> None:
    """From one smooth level box to the next: no speed is lost, and no height."""
    slabs = [
        Obstacle(f"slab{i}", Box(2.0, 4.0, 1.0), position=(2.0 * i, 0.0, -0.5)) for i in range(3)
    ]
    sunk = mass * G / 4e8
    box = Body(
        "box",
        mass,
        shape=Box(1.0, 1.0, 0.5),
        position=(0.4, 0.0, 0.25 - sunk),
        velocity=(speed, 0.0, 0.0),
    )
    contact = BoxContact("box", [slab.name for slab in slabs], friction=0.0)
    simulator = Simulator(Scene(bodies=[box], obstacles=slabs, contacts=[contact]))
    for _ in range(100):
        simulator.step(round(1.2 / speed / 100 / simulator.dt))
        seen = simulator.observe().body("box")
        assert abs(seen.position[2] - 0.25) < 1.5 * sunk
    assert seen.position[0] > 1.5
    assert seen.velocity[0] == pytest.approx(speed, rel=1e-3)


def test_a_box_slides_down_beside_another() -> None:
    """Along a smooth wall from above its rim to below it: as in free fall."""
    wall = Obstacle("wall", Box(1.0, 4.0, 1.0), position=(-0.5, 0.0, -0.5))
    box = Body("box", 100.0, shape=Box(1.0, 1.0, 0.5), position=(0.5 - 1e-5, 0.0, 1.0))
    simulator = Simulator(
        Scene(bodies=[box], obstacles=[wall], contacts=[BoxContact("box", ["wall"], 0.0)])
    )
    simulator.step(700)
    seen = simulator.observe().body("box")
    assert seen.velocity[2] == pytest.approx(-0.7 * G, rel=1e-6)
    assert 0.5 - 1e-5 <= seen.position[0] < 0.51


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize("speed", [0.0, 30.0])
def test_a_fast_box_is_caught_at_the_surface(dt: float, speed: float) -> None:
    """Dropped from 2 m, or thrown at 30 m/s: no deeper than the compliance of its corners lets it,
    nor back up by 1 mm.

    A row that closes leaves the speed sigma lambda, sigma = 1 / (k h (h + gamma)); h times that is
    m v / (4 k (h + gamma)).
    """
    box = Body(
        "box",
        100.0,
        shape=Box(1.0, 1.0, 1.0),
        position=(0.0, 0.0, 2.5),
        velocity=(0.0, 0.0, -speed),
    )
    simulator = Simulator(
        Scene(bodies=[box], obstacles=[floor()], contacts=[BoxContact("box", ["floor"])]), dt=dt
    )
    heights = []
    for _ in range(round(2.0 / dt)):
        simulator.step()
        heights.append(simulator.observe().body("box").position[2])
    landed = next(i for i, z in enumerate(heights) if z < 0.5001)
    impact = 100.0 * math.sqrt(speed**2 + 4.0 * G) / (4e8 * (dt + 0.005))
    assert 0.5 - min(heights) < impact
    assert max(heights[landed:]) < 0.501
    assert heights[-1] == pytest.approx(0.5 - 981.0 / 4e8, abs=1e-7)


def test_container_between_cell_guides_stays_between_them() -> None:
    """Lowered askew and pushed to and fro along, across and round: it never leaves the clearance of
    20 mm a side."""
    clear = 0.02
    guides = [
        Obstacle(
            f"guide_{x}{y}",
            Box(0.15, 0.15, 8.0),
            position=(sx * (3.029 + clear + 0.075), sy * 1.0, 0.0),
        )
        for x, sx in (("l", -1.0), ("r", 1.0))
        for y, sy in (("n", -1.0), ("p", 1.0))
    ]
    sides = [
        Obstacle(
            f"side_{y}", Box(4.0, 0.15, 8.0), position=(0.0, sy * (1.219 + clear + 0.075), 0.0)
        )
        for y, sy in (("n", -1.0), ("p", 1.0))
    ]
    box = Body(
        "container",
        10_000.0,
        shape=Box(6.058, 2.438, 2.591),
        position=(0.0, 0.0, 2.0),
        angular_velocity=(0.0, 0.0, 0.05),
    )
    names = [guide.name for guide in (*guides, *sides)]
    simulator = Simulator(
        Scene(
            bodies=[box],
            obstacles=[*guides, *sides],
            contacts=[BoxContact("container", names, 0.2, 1e9)],
        )
    )
    touched = set()
    for i in range(400):
        push = 30_000.0 * np.array([math.sin(0.2 * i), math.cos(0.13 * i), 0.0])
        simulator.push(
            "container", (*push[:2], 10_000.0 * G * 0.98), (0.0, 0.0, 50_000.0 * math.sin(0.31 * i))
        )
        simulator.step(10)
        seen = simulator.observe()
        touched |= {name for name in names if seen.contact("container", name).points}
        x, y, _ = seen.body("container").position
        turn = Rotation.from_quat(np.roll(seen.body("container").orientation, -1))
        assert abs(x) < clear + 1e-3 and abs(y) < clear + 1e-3
        assert turn.magnitude() < 2.0 * clear / 2.0 + 1e-3
    assert touched == set(names)


@pytest.mark.parametrize(
    ("tilt", "bearing"), [((0.0, 0.0), 4), ((0.01, 0.0), 2), ((0.01, 0.01), 1)]
)
def test_contact_tells_how_many_corners_bear(tilt: tuple[float, float], bearing: int) -> None:
    """A guided spreader that comes down level, on an edge, and on a corner."""
    turn = Rotation.from_rotvec([*tilt, 0.0])
    box = Body("container", 2000.0, shape=Box(6.0, 2.4, 2.6), position=(0.0, 0.0, 1.3))
    spreader = Body(
        "spreader",
        1000.0,
        shape=Box(6.0, 2.4, 0.4),
        position=(0.0, 0.0, 2.86),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
    )
    guide = Joint(
        "guide", "prismatic", child="spreader", axis=(0.0, 0.0, 1.0), point=spreader.position
    )
    contacts = [BoxContact("container", ["floor", "spreader"])]
    simulator = Simulator(
        Scene(bodies=[box, spreader], obstacles=[floor()], joints=[guide], contacts=contacts)
    )
    assert simulator.observe().contact("spreader", "container").points == 0
    simulator.step(1000)
    assert simulator.observe().contact("spreader", "container").points == bearing


def test_obstacles_on_a_body_bear_it() -> None:
    """A light plate on two legs, which are obstacles on it: it stands, and falls over without one
    of them."""
    legs = [
        Obstacle(f"leg{i}", Box(0.1, 1.0, 0.5), "plate", (x, 0.0, -0.3))
        for i, x in enumerate((-0.4, 0.4))
    ]
    plate = Body("plate", 50.0, shape=Box(1.0, 1.0, 0.1), position=(0.0, 0.0, 0.55))
    for count, height in ((2, 0.55), (1, 0.4)):
        scene = Scene(
            bodies=[plate],
            obstacles=[floor(), *legs],
            contacts=[BoxContact("floor", ["plate", *(leg.name for leg in legs[:count])])],
        )
        simulator = Simulator(scene)
        simulator.step(2000)
        found = simulator.observe().body("plate").position[2]
        assert (abs(found - height) < 1e-4) if count == 2 else (found < height)


def test_container_is_set_on_a_stack() -> None:
    """It hangs in the ropes, then stands on four corners as meant; ropes slack, its neighbour
    untouched."""
    simulator = Simulator(load_scene("container_on_stack"))
    simulator.step(1000)
    seen = simulator.observe()
    assert sum(seen.cable(f"fall_{i}").tension for i in (1, 2, 3, 4)) == pytest.approx(
        20_000.0 * G, rel=0.1
    )
    assert seen.contact("container", "tier_2").points == 0
    simulator.step(20_000)
    seen = simulator.observe()
    assert seen.contact("container", "tier_2").points == 4
    assert seen.contact("container", "tier_2").normal_force == pytest.approx(20_000.0 * G, rel=1e-4)
    assert all(seen.cable(f"fall_{i}").slack for i in (1, 2, 3, 4))
    assert seen.contact("container", "beside_3").points == 0
    sunk = (50_000.0 + 35_000.0 + 20_000.0) * G / 4e8
    np.testing.assert_allclose(
        seen.body("container").position, (0.03, 0.0, 2.5 * 2.591 - sunk), atol=1e-4
    )


def test_the_sparse_solver_finds_the_same() -> None:
    scene = load_scene("stacked_boxes", count=4, offset=0.2)
    first, second = Simulator(scene), Simulator(scene, solver="sparse")
    first.step(200)
    second.step(200)
    np.testing.assert_allclose(
        second.observe().body_position, first.observe().body_position, atol=1e-8
    )


def test_a_pair_that_is_not_there_is_named_with_the_known_ones() -> None:
    seen = stack(10.0, 10.0).observe()
    with pytest.raises(SpecError, match=naming("'floor' 'b1' pair floor b0 b0 b1")):
        seen.contact("floor", "b1")


def test_boxes_pass_through_one_another_without_a_contact() -> None:
    scene = dataclasses.replace(stack(100.0).scene, contacts=())
    simulator = Simulator(scene)
    simulator.step(1000)
    assert simulator.observe().body("b0").position[2] == pytest.approx(0.25 - 0.5 * G, rel=1e-2)
