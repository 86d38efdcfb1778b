"""The pool of contacts against closed forms: rest, friction, rolling, impacts, momentum."""

import dataclasses
import math

import numpy as np
import pytest
from collision_scenes import BALL, LYING, ROLLER, STEPS, G, brick, run, scene, stack, tilted
from messages import naming
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from slow_cases import slow_but

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere, Surface
from cable_sim.errors import CableSimWarning, SpecError
from cable_sim.kernels.records.arrays import arrays_by_name
from cable_sim.kernels.status import SLOTS_FULL
from cable_sim.spec import BoxContact, Collision, Cylinder, Joint, Obstacle, Polyhedron, Touch
from cable_sim.spec.files import parse_spec, to_yaml

TOSSED = [
    Body(
        "box",
        mass=2.0,
        shape=Box(0.4, 0.3, 0.2),
        position=(0.0, 0.0, 0.3),
        velocity=(1.0, 0.3, 0.0),
        angular_velocity=(0.0, 0.0, 2.0),
    ),
    Body("ball", mass=1.0, shape=Sphere(0.1), position=(0.0, 0.0, 0.55)),
    Body("can", mass=1.0, shape=Cylinder(0.1, 0.3), position=(0.3, 0.0, 0.75)),
]


def heights(simulator, bodies) -> np.ndarray:
    seen = simulator.observe()
    return np.array([seen.body(body.name).position[2] for body in bodies])


def bits(simulator) -> list[bytes]:
    return [array.tobytes() for array in arrays_by_name(simulator._state).values()]


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize(
    "masses", [[1.0] * 5, [1.0, 1e6], [1e6, 1.0], [1.0, 1e3, 1e6]], ids=["5", "up", "down", "three"]
)
def test_stacks_rest_at_all_steps_and_mass_ratios(masses, dt) -> None:
    bodies = stack(masses)
    simulator = run(bodies, dt, 2.0)
    drop = heights(simulator, bodies) - [body.position[2] for body in bodies]
    # each gives by 1e-10 m of its own weight, and in proportion to what stands on it
    assert np.abs(drop).max() < 1e-10 * max(1.0, masses[-1] / masses[0]) * len(masses) ** 2
    seen = simulator.observe()
    assert max(np.abs(seen.body(b.name).position[:2]).max() for b in bodies) < 1e-8
    weight = G * sum(masses)
    assert seen.contact("ground", "cube_0").normal_force == pytest.approx(weight, rel=1e-9)


@pytest.mark.parametrize("dt", STEPS[1::2])
@pytest.mark.parametrize("ratio", [1.0, 1e6, 1e-6])
def test_a_stack_on_a_slope_creeps_no_tenth_of_a_millimetre(ratio, dt) -> None:
    size = (0.3, 0.3, 0.2)
    bodies = [brick("low", 1.0, size), brick("high", ratio, size, level=0.2)]
    simulator = Simulator(scene(bodies, 0.6, tilted(math.radians(20.0))), dt=dt)
    simulator.step(round(1.0 / dt))
    before = simulator.observe().body_position
    simulator.step(round(10.0 / dt))
    assert np.abs(simulator.observe().body_position - before).max() < 1e-4 / 6.0


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("direction", [0.0, 0.3, math.pi / 4, 2.5])
def test_sliding_stops_at_the_distance_of_the_cone(direction, dt) -> None:
    mu, speed = 0.4, 2.0
    way = np.array([math.cos(direction), math.sin(direction), 0.0])
    simulator = run([brick(velocity=tuple(speed * way))], dt, 1.1 * speed / (mu * G), friction=mu)
    stopped = simulator.observe().body("brick")
    loss = mu * G * dt  # per step: the last one may be a part of a step
    expected = speed**2 / (2.0 * mu * G)
    assert stopped.position @ way == pytest.approx(expected, abs=loss**2 / (8.0 * mu * G) + 1e-6)
    assert abs(np.cross(stopped.position, way)[2]) < 1e-8
    assert np.abs(stopped.velocity).max() < 1e-8


@pytest.mark.parametrize("direction", [0.0, 0.3, math.pi / 4])
def test_a_block_slips_from_the_angle_of_friction_on(direction) -> None:
    mu, time, share = 0.4, 0.3, 1e-3
    for factor in (1.0 - share, 1.0 + share):
        gravity = tilted(math.atan(mu * factor), direction)
        simulator = run([brick()], 1e-3, time, friction=mu, gravity=gravity)
        pull = math.hypot(*gravity[:2]) + mu * gravity[2]
        expected = max(pull, 0.0) * time
        speed = np.linalg.norm(simulator.observe().body("brick").velocity)
        assert speed == pytest.approx(expected, rel=1e-2, abs=1e-7)


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize(("shape", "share"), [(BALL, 5.0 / 7.0), (ROLLER, 2.0 / 3.0)])
def test_round_bodies_roll_down_as_their_inertia_says(shape, share, dt) -> None:
    turn = LYING if shape is ROLLER else (1.0, 0.0, 0.0, 0.0)
    body = Body("round", mass=3.0, shape=shape, position=(0.0, 0.0, 0.1), orientation=turn)
    gravity = tilted(math.radians(10.0))
    simulator = run([body], dt, 0.5, gravity=gravity)
    steps = round(0.5 / dt)
    seen = simulator.observe().body("round")
    assert seen.velocity[0] == pytest.approx(share * gravity[0] * steps * dt, rel=1e-5)
    assert seen.position[2] == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("dt", STEPS)
def test_a_sliding_ball_ends_up_rolling_at_five_sevenths(dt) -> None:
    ball = Body("ball", mass=3.0, shape=BALL, position=(0.0, 0.0, 0.1), velocity=(0.6, 0.8, 0.0))
    simulator = run([ball], dt, 0.5, friction=0.2)
    seen = simulator.observe().body("ball")
    np.testing.assert_allclose(seen.velocity, [3.0 / 7.0, 4.0 / 7.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(seen.angular_velocity[:2], [-40.0 / 7.0, 30.0 / 7.0], atol=1e-5)


@pytest.mark.parametrize("height", np.linspace(0.001, 0.08, 12))
def test_an_end_that_a_rope_whips_down_stops_at_the_ground(height) -> None:
    """A beam falls flat; a rope at one end gets taut, and the other goes on at 1.5 times its speed.

    That may be from farther away than it would have come in the step.
    """
    beam = Body(
        "beam",
        mass=10.0,
        shape=Box(2.0, 0.1, 0.1),
        position=(0.0, 0.0, 0.05 + height),
        velocity=(0.0, 0.0, -5.0),
    )
    nodes = (Anchor("world", (-1.0, 0.0, 9.05 + height)), Anchor("beam", (-1.0, 0.0, 0.0)))
    ropes = (Cable("rope", nodes, length=9.0),)
    still = dataclasses.replace(scene([beam]), cables=ropes)
    simulator = Simulator(still, dt=0.01, stepper="regularised")
    for _ in range(20):
        simulator.step()
        seen = simulator.observe().body("beam")
        tip = Rotation.from_quat(np.roll(seen.orientation, -1)).apply((1.0, 0.0, -0.05))
        assert (seen.position + tip)[2] > -1e-3


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1e6])
def test_sticking_friction_takes_all_sliding_at_any_mass(mass, dt) -> None:
    """A ball that lands and sticks at once rolls on at five sevenths of its speed."""
    start = (0.0, 0.0, 0.1 + dt)  # that falls by dt in the half step before the poses
    ball = Body("ball", mass=mass, shape=BALL, position=start, velocity=(1.0, 0.0, -2.0))
    seen = run([ball], dt, dt).observe().body("ball")
    np.testing.assert_allclose(seen.velocity, [5.0 / 7.0, 0.0, 0.0], atol=2e-4)
    assert seen.angular_velocity[1] == pytest.approx(50.0 / 7.0, abs=2e-3)


def test_rolling_friction_slows_a_ball_in_any_direction() -> None:
    ball = Body(
        "ball",
        mass=3.0,
        shape=BALL,
        position=(0.0, 0.0, 0.1),
        velocity=(0.6, 0.8, 0.0),
        angular_velocity=(-8.0, 6.0, 0.0),
    )
    seen = run([ball], 1e-3, 0.5, rolling=0.002).observe().body("ball")
    left = 1.0 - 5.0 / 7.0 * G * 0.002 / 0.1 * 0.5
    np.testing.assert_allclose(seen.velocity, [0.6 * left, 0.8 * left, 0.0], atol=1e-7)


def test_drilling_friction_slows_a_spinning_ball() -> None:
    ball = Body(
        "ball", mass=3.0, shape=BALL, position=(0, 0, 0.1), angular_velocity=(0.0, 0.0, 10.0)
    )
    seen = run([ball], 1e-3, 0.5, drilling=0.002).observe().body("ball")
    expected = 10.0 - 0.002 * G * 0.5 / (0.4 * 0.1**2)
    np.testing.assert_allclose(seen.angular_velocity, [0.0, 0.0, expected], atol=1e-9)


@pytest.mark.parametrize("dt", STEPS)
def test_an_elastic_ball_bounces_to_its_height_for_ever(dt) -> None:
    ball = Body("ball", mass=3.0, shape=BALL, position=(0.0, 0.0, 0.6))
    simulator = Simulator(scene([ball], restitution=1.0), dt=dt)
    tops = []
    before = 0.0
    while len(tops) < 5:
        simulator.step()
        seen = simulator.observe().body("ball")
        if seen.velocity[2] < 0.0 <= before:
            tops.append(seen.position[2])
        before = seen.velocity[2]
    assert tops == pytest.approx([0.6] * 5, abs=G * dt**2 + 1e-12)


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_bounces_follow_one_another_as_restitution_says(e) -> None:
    ball = Body("ball", mass=3.0, shape=BALL, position=(0.0, 0.0, 0.6))
    simulator = Simulator(scene([ball], restitution=e), dt=1e-4)
    simulator.step(15_000)
    hits = [event.time for event in simulator.observe().events if event.begins][:3]
    fall = math.sqrt(2.0 * 0.5 / G)
    assert hits == pytest.approx(
        [fall, fall * (1 + 2 * e), fall * (1 + 2 * e + 2 * e**2)], rel=2e-3
    )


def roll_up(count, dt, e, hit=1, masses=None) -> np.ndarray:
    """Velocities of balls in a row that touch, after the first ones have come in at 1 m/s."""
    bodies = [
        Body(
            f"ball_{i}",
            mass=masses[i] if masses else 1.0,
            shape=BALL,
            position=(0.2 * i - (0.05 if i < hit else 0.0), 0.0, 0.0),
            velocity=(1.0 if i < hit else 0.0, 0.0, 0.0),
        )
        for i in range(count)
    ]
    simulator = run(bodies, dt, 0.1, restitution=e, gravity=(0, 0, 0), ground=False)
    return simulator.observe().body_velocity[:, 0]


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("hit", [1, 2])
def test_a_cradle_hands_on_as_many_balls_as_hit_it(hit, dt) -> None:
    expected = [0.0] * (5 - hit) + [1.0] * hit
    np.testing.assert_allclose(roll_up(5, dt, 1.0, hit), expected, atol=1e-9)


def test_impacts_of_unequal_balls_keep_momentum_and_energy() -> None:
    masses = np.array([1.0, 0.1, 1.0])
    after = roll_up(3, 1e-3, 1.0, masses=masses.tolist())
    assert masses @ after == pytest.approx(1.0, abs=1e-9)
    assert masses @ after**2 == pytest.approx(1.0, abs=1e-9)
    assert (np.diff(after) >= 0.0).all()


def test_an_inelastic_cradle_follows_the_law_pair_by_pair() -> None:
    """Each ball gives (1 + e) / 2 of its speed to the next."""
    assert roll_up(4, 1e-3, 0.9)[-1] == pytest.approx(0.95**3, abs=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize(("share", "stands"), [(0.98, True), (1.02, False)])
def test_a_stack_topples_beyond_the_harmonic_overhang(share, stands, dt) -> None:
    count = 5
    place = 0.0
    bodies = [brick("table", 1.0, (1.0, 1.0, 1.0), level=-1.0, motion="prescribed")]
    for i in range(count):
        place += share / (2.0 * (count - i))
        bodies.append(brick(f"brick_{i}", 1.0, (1.0, 0.5, 0.1), (place, 0.0), 0.1 * i))
    simulator = run(bodies, dt, 1.5, ground=False)
    fell = np.abs(heights(simulator, bodies) - [b.position[2] for b in bodies]).max()
    assert fell < 1e-5 if stands else fell > 0.1


def quarter(pole: float, slope: float, tilt: float) -> tuple[float, float]:
    """Time [s] and speed [rad/s] at which a rocking block of Housner comes back to its base."""
    landed = lambda _, y: y[0]  # noqa: E731
    landed.terminal = True
    fall = lambda _, y: [y[1], -(pole**2) * math.sin(slope - y[0])]  # noqa: E731
    found = solve_ivp(fall, (0, 20), [tilt, 0], events=landed, rtol=1e-10, atol=1e-12)
    return found.t[-1], -found.y[1, -1]


def test_a_block_rocks_with_the_period_and_loss_of_housner() -> None:
    half, high, dt = 0.1, 0.5, 2.5e-4
    slope = math.atan2(half, high)
    pole = math.sqrt(3.0 * G / (4.0 * math.hypot(half, high)))
    tilt = 0.5 * slope
    turn = Rotation.from_rotvec([0.0, tilt, 0.0])
    body = Body(
        "block",
        mass=100.0,
        shape=Box(2 * half, 0.3, 2 * high),
        position=tuple(-turn.apply([half, 0.0, -high])),
        orientation=tuple(np.roll(turn.as_quat(), 1)),
    )
    simulator = Simulator(scene([body], friction=2.0), dt=dt)
    time, speed = quarter(pole, slope, tilt)
    angles = []
    for _ in range(round(3.0 * time / dt)):
        simulator.step()
        q = simulator.observe().body("block").orientation
        angles.append(2.0 * math.atan2(q[2], q[0]))
    landed = next(i for i, angle in enumerate(angles) if angle < 1e-6)
    assert landed * dt == pytest.approx(time, rel=5e-3)
    left = speed * (1.0 - 1.5 * math.sin(slope) ** 2)
    rises = slope - math.acos(math.cos(slope) + 0.5 * (left / pole) ** 2)
    assert -min(angles[landed:]) == pytest.approx(rises, rel=1.5e-2)


@pytest.mark.parametrize("speed", [50.0, 400.0])
@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
def test_what_is_fast_does_not_pass_what_is_thin(speed, dt) -> None:
    way = np.array([0.9, 0.1, 0.2]) / np.linalg.norm([0.9, 0.1, 0.2])
    bodies = [
        Body("wall", mass=1e4, shape=Box(0.01, 8.0, 8.0)),
        Body(
            "ball",
            mass=1.0,
            shape=Sphere(0.02),
            position=tuple(-way * (0.7 * speed * dt + 0.1)),
            velocity=tuple(way * speed),
        ),
    ]
    simulator = run(bodies, dt, 20 * dt, gravity=(0, 0, 0), ground=False, friction=0.0)
    seen = simulator.observe()
    assert seen.body("ball").position[0] < seen.body("wall").position[0] - 0.024


def angular_momentum(seen, bodies) -> np.ndarray:
    """Angular momentum about the origin [kg m^2/s]."""
    total = np.zeros(3)
    for body in bodies:
        now = seen.body(body.name)
        turn = Rotation.from_quat(np.roll(now.orientation, -1).copy())
        spin = np.array(body.shape.inertia(body.mass)) * turn.inv().apply(
            now.angular_velocity.copy()
        )
        total += turn.apply(spin) + body.mass * np.cross(now.position, now.velocity)
    return total


def test_momentum_is_kept_among_free_bodies() -> None:
    random = np.random.default_rng(3)
    shapes = [Box(0.3, 0.2, 0.4), Sphere(0.2), Cylinder(0.15, 0.4)]
    bodies = [
        Body(
            f"body_{i}",
            mass=float(10.0 ** random.uniform(0, 2)),
            shape=shapes[i % 3],
            position=tuple(0.6 * np.array([i % 2, i // 2 % 2, i // 4])),
            velocity=tuple(random.normal(size=3)),
            angular_velocity=tuple(random.normal(size=3)),
        )
        for i in range(8)
    ]
    masses = np.array([body.mass for body in bodies])
    simulator = Simulator(scene(bodies, gravity=(0, 0, 0), ground=False), dt=2e-3)
    before = masses @ simulator.observe().body_velocity
    turning = angular_momentum(simulator.observe(), bodies)
    energy = simulator.observe().energy.kinetic
    touched = 0
    for _ in range(10):
        simulator.step(50)
        seen = simulator.observe()
        touched += len(seen.events)
        np.testing.assert_allclose(masses @ seen.body_velocity, before, atol=1e-9)
        np.testing.assert_allclose(angular_momentum(seen, bodies), turning, rtol=1e-9)
        assert seen.energy.kinetic <= energy * (1.0 + 1e-9)
        energy = seen.energy.kinetic
    assert touched > 0


def test_an_overlap_goes_at_the_speed_of_push_out() -> None:
    """Boxes that a drive of poses has put into one another part at 0.1 m/s, without a throw."""
    with pytest.warns(CableSimWarning, match=naming("'a' 'b' 0.05 m")):
        Simulator(scene([brick("a"), brick("b", level=0.05)]))
    simulator = Simulator(scene([brick("a"), brick("b", level=0.3)]), dt=1e-3)
    simulator._state.bodies.position[2, 2] = 0.1
    simulator._state.bodies.velocity[2] = 0.0
    fastest = 0.0
    for _ in range(1000):
        simulator.step()
        fastest = max(fastest, simulator.observe().body("b").velocity[2])
    assert 0.05 < fastest < 0.1 + 1e-5
    assert simulator.observe().body("b").position[2] == pytest.approx(0.15, abs=1e-6)


def test_pairs_that_overlap_at_the_start_pass_through() -> None:
    with pytest.warns(CableSimWarning, match=naming("overlap start")):
        simulator = Simulator(scene([brick("a"), brick("b", level=0.05)]), dt=1e-3)
    simulator.step(1000)
    assert simulator.observe().body("b").position[2] == pytest.approx(0.05, abs=1e-6)


def test_ignored_pairs_and_bodies_that_do_not_collide_pass() -> None:
    bodies = [brick("a"), brick("b", level=0.2), brick("c", level=0.4, collides=False)]
    told = Scene(
        bodies=tuple(bodies), surfaces=(Surface(),), collision=Collision(ignore=[("a", "b")])
    )
    simulator = Simulator(told, dt=1e-3)
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.body("b").position[2] == pytest.approx(0.05, abs=1e-6)
    assert seen.body("c").position[2] < -1.0


def test_bodies_that_a_joint_connects_do_not_touch() -> None:
    """A weight fixed below a bar, and hinged to it, would else be pushed out."""
    bar = Body("bar", mass=1.0, shape=Box(1.0, 0.1, 0.1), position=(0.0, 0.0, 1.0))
    fixed = Body("fixed", mass=1.0, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, 1.1))
    arm = Body("arm", mass=1.0, shape=Box(1.0, 0.1, 0.1), position=(0.9, 0.0, 1.0))
    joints = (
        Joint("weld", "fixed", parent="bar", child="fixed", point=(0.0, 0.0, 1.05)),
        Joint("pin", "hinge", parent="bar", child="arm", point=(0.45, 0.0, 1.0), axis=(0, 1, 0)),
    )
    told = Scene(bodies=(bar, fixed, arm), joints=joints, collision=Collision(), gravity=(0, 0, 0))
    simulator = Simulator(told, dt=1e-3)
    simulator.step(100)
    assert np.abs(simulator.observe().body_velocity).max() < 1e-12


@pytest.mark.parametrize("gone", ["two", "pin"])
def test_only_closed_joints_keep_a_pair_from_touching(gone: str) -> None:
    """A block falls on a slab at rest from a joint's reach, and through it while that is closed."""
    slab = Body("slab", motion="prescribed", shape=Box(2.0, 2.0, 0.2))
    block = Body("block", mass=1.0, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, 0.5))
    pin = Joint("pin", "ball", "block", "slab", (0.0, 0.0, 0.5), open=True)
    two = Joint("two", "ball", "block", "slab", (0.0, 0.1, 0.5), open=True)
    told = Scene(bodies=(slab, block), joints=(pin, two), collision=Collision())
    simulator = Simulator(told, dt=1e-3)
    simulator.step(1000)
    rest = simulator.observe()
    assert rest.body("block").position[2] == pytest.approx(0.2, abs=1e-6)
    assert rest.contact("slab", "block").normal_force == pytest.approx(G, rel=1e-6)
    simulator.lock(gone, None, None)
    simulator.step(1)
    assert simulator.observe().contacts == ()
    simulator.unlock(gone)
    simulator.step(500)
    assert simulator.observe().contact("slab", "block").normal_force == pytest.approx(G, rel=1e-6)


def test_what_is_pushed_leaves_and_other_overlaps_stay() -> None:
    boxes = [
        Body(name, 1.0, shape=Box(1.0, 1.0, 1.0), position=(x, 0.0, 0.0))
        for name, x in (("a", 0.0), ("b", 0.9), ("c", 1.8))
    ]
    told = Scene(bodies=boxes, collision=Collision(pushed=["c"]), gravity=(0, 0, 0))
    with pytest.warns(CableSimWarning, match=naming("'a' 'b' 0.1 m overlap")):
        simulator = Simulator(told, dt=1e-3)
    simulator.step(3000)
    a, b, c = (simulator.observe().body(name).position[0] for name in "abc")
    assert b - a < 0.9 and c - b == pytest.approx(0.9 + 0.1 * 3.0, abs=1e-3)  # they coast on


def test_a_watched_force_is_a_channel_of_the_pair() -> None:
    """A block of two falls in the middle: the other's weight is there all the time."""
    one, other = (
        Body(name, 2.0, shape=Box(1.0, 1.0, 1.0), position=(x, 0.0, z))
        for name, x, z in (("one", 0.0, 0.5), ("other", 5.0, 1.0))
    )
    watch = [("ground", "one"), ("other", "ground")]
    told = Scene(bodies=(one, other), surfaces=(Surface(),), collision=Collision(watch=watch))
    simulator = Simulator(told, dt=1e-3)
    force = [f"{a}/{b}.normal_force" for a, b in watch]
    with simulator.record(force) as run:
        simulator.step(1000)
    assert run[force[0]][10:] == pytest.approx(2.0 * G, rel=1e-6)
    assert run[force[1]][:300] == pytest.approx(0.0)
    assert run[force[1]][-1] == pytest.approx(2.0 * G, rel=1e-6)
    assert run[force[1]].sum() * 1e-3 == pytest.approx(2.0 * G * 1.0, rel=2e-2)
    with pytest.raises(SpecError, match=naming("collision 'two'")):
        dataclasses.replace(told, collision=Collision(watch=[("one", "two")]))


def test_a_watched_force_goes_on_as_bodies_come() -> None:
    watch = [("ground", "one"), ("ground", "two")]
    bodies = [brick("one"), brick("two", 5.0, at=(2.0, 0.0))]
    told = Scene(bodies=bodies, surfaces=(Surface(),), collision=Collision(watch=watch))
    before = Simulator(told)
    before.step(20)
    after = Simulator(dataclasses.replace(told, bodies=(brick("new", at=(4.0, 0.0)), *bodies)))
    after.continue_from(before)
    pressed = after._state.pool.pressed
    assert pressed == pytest.approx([3.0 * G, 5.0 * G], rel=1e-3)
    np.testing.assert_array_equal(pressed, before._state.pool.pressed)


def test_a_pair_of_names_has_its_own_friction() -> None:
    touch = (("brick", "ground", Touch(friction=0.1)),)
    told = Scene(
        bodies=(brick(velocity=(1.0, 0.0, 0.0)),),
        surfaces=(Surface(friction=0.9),),
        collision=Collision(pairs=touch),
    )
    simulator = Simulator(told, dt=1e-3)
    simulator.step(100)
    speed = simulator.observe().body("brick").velocity[0]
    assert speed == pytest.approx(1.0 - 0.1 * G * 0.1, rel=1e-4)


def test_a_full_pool_is_told_by_the_status() -> None:
    told = Scene(bodies=(brick(),), surfaces=(Surface(),), collision=Collision(room=3))
    assert Simulator(told).step().status == SLOTS_FULL


def test_fixed_things_of_all_kinds_are_stood_on() -> None:
    corners = [(x, y, 0.1 * (x > 0) + z) for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.0)]
    obstacles = (
        Obstacle("block", Box(1.0, 1.0, 1.0), position=(5.0, 0.0, 0.5)),
        Obstacle("pipe", Cylinder(0.5, 2.0), position=(10.0, 0.0, 0.5), orientation=LYING),
        Obstacle("wedge", Polyhedron(tuple(corners)), position=(15.0, 0.0, 0.5)),
    )
    slab = Surface("slab", point=(20.0, 0.0, 1.0), extent=(0.5, 0.5), thickness=0.2, friction=0.5)
    bodies = [brick(f"on_{x}", at=(float(x), 0.0), level=1.2) for x in (5, 10, 15, 20)]
    told = Scene(bodies=tuple(bodies), surfaces=(slab,), obstacles=obstacles, collision=Collision())
    simulator = Simulator(told, dt=1e-3)
    simulator.step(1500)
    seen = simulator.observe()
    assert seen.body("on_5").position[2] == pytest.approx(1.05, abs=1e-6)
    assert seen.body("on_10").position[2] == pytest.approx(1.05, abs=1e-3)
    assert seen.body("on_20").position[2] == pytest.approx(1.05, abs=1e-6)
    assert seen.body("on_15").position[2] == pytest.approx(0.5 + 0.05 + 0.05, abs=0.01)
    assert seen.contact("block", "on_5").points == 4


def test_events_tell_begin_end_and_impact() -> None:
    ball = Body("ball", mass=1.0, shape=BALL, position=(0.0, 0.0, 0.6))
    simulator = Simulator(scene([ball], restitution=0.5), dt=1e-3)
    simulator.step(500)
    first, second = simulator.observe().events[:2]
    assert (first.begins, second.begins) == (True, False)
    assert {first.first, first.second} == {"ball", "ground"}
    assert first.speed == pytest.approx(math.sqrt(2.0 * G * 0.5), rel=5e-3)
    assert first.time == pytest.approx(math.sqrt(2.0 * 0.5 / G), abs=2e-3)


def test_nothing_of_the_pool_depends_on_the_workspace() -> None:
    simulator = Simulator(scene(TOSSED, 0.4), dt=5e-3)
    snapshot = simulator.save()
    simulator.step(200)
    expected = bits(simulator)
    simulator.restore(snapshot)
    for _ in range(200):
        for field, array in arrays_by_name(simulator._work).items():
            if field != "bodies.inverse_inertia":
                array[...] = np.nan if array.dtype == np.float64 else 1
        simulator.step()
    assert bits(simulator) == expected


def test_looks_between_steps_of_the_pool_change_no_bits() -> None:
    together, apart = (Simulator(scene(TOSSED, 0.4), dt=5e-3) for _ in range(2))
    together.step(200)
    for _ in range(200):
        apart.step()
        apart.observe()
    assert bits(together) == bits(apart)


def test_box_contacts_in_a_collision_are_refused_with_a_rewrite() -> None:
    with pytest.raises(SpecError, match=r"collision\.pairs"):
        Scene(
            bodies=(brick("a"), brick("b", level=0.1)),
            contacts=(BoxContact("a", ["b"]),),
            collision=Collision(),
        )
    with pytest.raises(SpecError, match=r"collision\.pairs"):
        block = Obstacle("block", Box(1.0, 1.0, 1.0), body_friction=0.2)
        Scene(bodies=(brick("a"),), obstacles=(block,), collision=Collision())


def test_unknown_names_of_a_collision_are_refused() -> None:
    with pytest.raises(SpecError, match="'c'"):
        Scene(bodies=(brick("a"),), collision=Collision(ignore=[("a", "c")]))


def test_a_collision_is_written_to_yaml_and_read_back() -> None:
    touch = Collision(
        Touch(friction=0.3), [("a", "ground", Touch(restitution=0.5))], [("a", "ground_2")]
    )
    surfaces = (Surface(), Surface("ground_2", point=(0.0, 0.0, -1.0)))
    told = Scene(bodies=(brick("a"),), surfaces=surfaces, collision=touch)
    assert parse_spec(to_yaml(told), Scene) == told


def free_fall(x: float) -> Body:
    """A load on a rope that swings into the rim of a block."""
    return Body("load", 4000.0, shape=Box(2, 2, 1), position=(x, 0, 3.3), velocity=(0.45, 0, 0))


@pytest.mark.parametrize("dt", STEPS)
def test_a_load_that_swings_into_a_rim_is_not_thrown(dt) -> None:
    """4 t on 30 m of rope meet a platform 0.2 m below its top at 0.45 m/s."""
    weight = 4000.0 * G
    rope = Cable(
        "rope",
        [Anchor("world", (-4.0, 0.0, 33.8)), Anchor("load", (0.0, 0.0, 0.5))],
        ea=1.1e7,
        damping_ratio=0.02,
        pretension=weight,
    )
    told = Scene(
        bodies=(free_fall(-5.0),),
        cables=(rope,),
        obstacles=(Obstacle("platform", Box(6.0, 6.0, 3.0), position=(0.0, 0.0, 1.5)),),
        collision=Collision(),
    )
    simulator = Simulator(told, dt=dt)
    energy = simulator.observe().energy.total
    for _ in range(round(20.0 / dt / 50)):
        assert simulator.step(50).status == 0
        seen = simulator.observe()
        load = seen.body("load")
        assert np.linalg.norm(load.velocity) < 1.0
        assert load.position[2] < 3.35
        assert seen.cable("rope").tension < 1.5 * weight
        assert seen.energy.total < energy + 1.0


def worst_friction(simulator, before, mu) -> tuple[float, float]:
    """How far friction of a step is beyond the cone, and off the direction against sliding.

    ``before`` are the positions of the bodies at the start of the step.
    """
    pool = simulator._state.pool
    velocity = simulator._work.bodies.next_velocity
    beyond, off = 0.0, 0.0
    for c in range(int(pool.used[0])):
        slip = np.zeros(3)
        for sign, body in zip((1.0, -1.0), pool.body[c], strict=True):
            arm = pool.point[c] - before[body]
            slip += sign * (velocity[body, :3] + np.cross(velocity[body, 3:], arm)) * (body > 0)
        slip -= (slip @ pool.normal[c]) * pool.normal[c]
        bound = mu * pool.impulse[c, 0]
        friction = pool.impulse[c, 1:4]
        if bound > 0.0:
            beyond = max(beyond, np.linalg.norm(friction) / bound - 1.0)
        if bound > 0.0 and np.linalg.norm(slip) > 1e-3:  # more than a hard impact gives
            off = max(off, np.linalg.norm(friction / bound + slip / np.linalg.norm(slip)))
    return beyond, off


@pytest.mark.parametrize("dt", slow_but(STEPS[1:], STEPS))
def test_friction_is_on_the_cone_against_sliding(dt) -> None:
    """Box, ball and can that are tossed, slide, spin and tumble: Coulomb's law in every step."""
    simulator = Simulator(scene(TOSSED, 0.4), dt=dt)
    simulator._running.watched = False  # a look would take the velocities of the step away
    for _ in range(round(0.8 / dt)):
        before = simulator._state.bodies.position.copy()
        assert simulator.step().status == 0
        beyond, off = worst_friction(simulator, before, 0.4)
        assert beyond < 1e-7  # as exact as friction settles
        assert off < 1e-3


def test_bodies_come_and_go_while_others_rest() -> None:
    bodies = stack([1.0, 1.0], size=0.2)
    ball = Body("ball", mass=1.0, shape=BALL, position=(0.0, 0.0, 0.7))
    simulator = run(bodies, 5e-3, 0.5)
    for scene_after in (scene([*bodies, ball]), scene([bodies[1], ball])):
        after = Simulator(scene_after, dt=5e-3)
        after.continue_from(simulator)
        simulator = after
        assert simulator.step(200).status == 0
    seen = simulator.observe()
    assert seen.body("cube_1").position[2] == pytest.approx(0.1, abs=1e-6)
    assert seen.body("ball").position[2] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_a_seam_of_solids_does_not_stop_what_slides_over_it(speed: float, dt: float) -> None:
    """Polyhedra and a cylinder on its cap, pressed in by soft points: no speed and no height."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-1, 0)]
    floors = [
        Obstacle(f"floor_{i}", Polyhedron(corners), position=(2.0 * i, 0, 0)) for i in range(4)
    ]
    block = Polyhedron([(x / 2, y / 4, z / 2 + 0.25) for x, y, z in corners])
    touch = Touch(friction=0.0, stiffness=1e8, damping_time=0.005)
    for shape, under in ((Cylinder(0.4, 0.5), 0.25), (block, 0.25)):
        body = Body(
            "body",
            100.0,
            inertia=(20.0, 20.0, 20.0),
            shape=shape,
            position=(0.3, 0.0, under),
            velocity=(speed, 0.0, 0.0),
        )
        simulator = Simulator(
            Scene(bodies=[body], obstacles=floors, collision=Collision(touch)), dt=dt
        )
        for _ in range(round(4.0 / speed / dt)):
            simulator.step()
            assert abs(simulator.bodies["body"].position[2] - under) < 1e-5
        assert simulator.bodies["body"].velocity[0] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize(
    ("mass", "length", "time"), [(2.0**-12, 1.0, 1.0), (1.0, 1.0, 2.0**-4), (8.0, 64.0, 8.0)]
)
def test_a_landing_in_other_units_has_the_same_bits(mass, length, time, stepper: str) -> None:
    """Four corners close at once in steps of 1/60 s; units that are powers of two round alike."""

    def land(m: float, x: float, t: float) -> np.ndarray:
        size = (0.4 * x, 0.3 * x, 0.1 * x)
        box = brick(mass=3.0 * m, size=size, level=0.5 * x, velocity=(0.3 * x / t, 0.0, 0.0))
        falling = scene([box], gravity=(0.0, 0.0, -G * x / t**2), push_out=0.1 * x / t)
        simulator = Simulator(falling, dt=t / 60.0, stepper=stepper)
        rows = []
        for _ in range(60):
            assert simulator.step().status == 0
            seen = simulator.observe()
            rows.append([*seen.body_position[0] / x, *seen.body_velocity[0] * t / x])
        return np.array(rows)

    expected = land(1.0, 1.0, 1.0)
    assert np.ptp(expected[:, 5]) > 2.0
    assert np.array_equal(land(mass, length, time), expected)
