"""Heaps of bodies: Coulomb's conditions, weight, momentum, energy, order, ropes and impacts."""

import dataclasses
import math

import numpy as np
import pytest
from collision_scenes import G, brick, scene
from slow_cases import slow_but

from cable_sim import Anchor, Body, Box, Cable, Obstacle, Scene, Simulator, Sphere
from cable_sim.kernels import step
from cable_sim.kernels.status import NOT_CONVERGED
from cable_sim.model.cables.variants import run
from cable_sim.spec import Cylinder

H = 2e-3
SIZE = (0.4, 0.2, 0.2)


def wall(courses=6, length=6, **more) -> list[Body]:
    """Bricks in running bond, heavier and lighter ones."""
    random = np.random.default_rng(3)
    return [
        brick(
            f"brick_{i}_{k}",
            float(random.uniform(8.0, 80.0)),
            SIZE,
            ((k + 0.5 * (i % 2)) * (SIZE[0] + 0.01), 0.0),
            i * SIZE[2],
            **more,
        )
        for i in range(courses)
        for k in range(length - i % 2)
    ]


def tumbling(count=36, seed=1) -> list[Body]:
    """Boxes that fall on a heap."""
    random = np.random.default_rng(seed)
    return [
        Body(
            f"box_{i}",
            float(random.uniform(10.0, 60.0)),
            shape=Box(*random.uniform(0.15, 0.4, 3).tolist()),
            position=(0.6 * (i % 2), 0.6 * (i // 2 % 2), 0.5 + 0.6 * (i // 4)),
            orientation=tuple(random.normal(size=4).tolist()),
        )
        for i in range(count)
    ]


def unequal(seed: int, count=60) -> Scene:
    """Boxes, balls and cylinders of 0.1 to 400 kg, which fall into a bin."""
    random = np.random.default_rng(seed)
    walls = [
        Obstacle(f"wall_{k}", Box(*size), position=(x, y, 0.8))
        for k, (x, y, size) in enumerate(
            (1.1 * x, 1.1 * y, (0.2, 2.4, 1.6) if x else (2.4, 0.2, 1.6))
            for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))
        )
    ]
    bodies = []
    for i in range(count):
        size = float(random.uniform(0.15, 0.4))
        shapes = (
            Box(*(size * random.uniform(0.5, 1.5, 3)).tolist()),
            Sphere(0.6 * size),
            Cylinder(0.5 * size, size * float(random.uniform(0.8, 1.8))),
        )
        bodies.append(
            Body(
                f"body_{i}",
                float(np.exp(random.uniform(math.log(0.1), math.log(400.0)))),
                shape=shapes[random.integers(3)],
                position=(0.62 * (i % 3 - 1), 0.62 * (i // 3 % 3 - 1), 0.4 + 0.7 * (i // 9)),
                orientation=tuple(random.normal(size=4).tolist()),
            )
        )
    return dataclasses.replace(scene(bodies), obstacles=walls)


def is_heap(simulator) -> bool:
    """Return True if contacts were relaxed in the last step."""
    return bool(simulator._running.work.rows.heap[0])


def ground_force(simulator) -> float:
    """Return the sum of the normal forces on the ground [N]."""
    seen = simulator.observe()
    names = [body.name for body in simulator.scene.bodies]
    return sum(seen.contact("ground", name).normal_force for name in names)


class Problem:
    """Rows of the pool in a step, before they are solved."""

    def __init__(self, simulator: Simulator) -> None:
        running = simulator._running
        self.records = running.model, running.state, running.control, running.work
        saved = simulator.save()
        run(*self.records, H, step.PREPARE)
        run(*self.records, H, step.TAKE_IN)
        self.free = running.work.bodies.next_velocity.copy()
        simulator.restore(saved)

    def misses(self) -> tuple[float, float]:
        """Return by how much the last step misses Coulomb's conditions, and the largest demand.

        Both are speeds [m/s].
        """
        model, state, _, work = self.records
        own, width = model.rows.own
        worst = most = 0.0
        for r in range(own, work.rows.used[0], width):
            if not work.rows.active[r]:
                continue
            pressure = state.rows.impulse[r]
            missed, mobility = self.rest(r)
            worst = max(worst, abs(min(missed, mobility * pressure)))
            for q in range(r + 1, r + width):
                role = (q - r) % 3
                if role == 2:
                    continue
                pair = range(q, q + 1 + role)
                bound = work.rows.limit_factor[model.rows.limit_start[q]] * pressure
                rests, mobilities = np.transpose([self.rest(k) for k in pair])
                z = state.rows.impulse[list(pair)]
                aim = z - rests / mobilities.max()
                size = np.linalg.norm(aim)
                aim *= min(1.0, bound / size) if size > 0.0 else 1.0
                worst = max(worst, mobilities.max() * np.linalg.norm(z - aim))
        for r in range(own, work.rows.used[0]):
            most = max(most, abs(work.rows.demand[r]) * work.rows.active[r])
        return worst, most

    def rest(self, r) -> tuple[float, float]:
        """Return what row r has above its demand, and its mobility."""
        model, state, _, work = self.records
        entries = slice(*model.rows.entry_start[r : r + 2])
        change = (work.bodies.next_velocity - self.free)[work.rows.entry_body[entries]]
        rate = np.sum(work.rows.jacobian[entries] * change)
        softness = work.rows.softness[r]
        missed = rate + softness * state.rows.impulse[r] - work.rows.demand[r]
        return missed, work.rows.mobility[r] + softness


@pytest.mark.parametrize("rolling", [0.0, 0.01])
def test_a_falling_heap_holds_the_conditions_of_coulomb(rolling) -> None:
    """Also those of rolling and drilling friction."""
    simulator = Simulator(scene(tumbling(), rolling=rolling, drilling=rolling), dt=H)
    met = 0
    for _ in range(100):
        simulator.step(7)
        problem = Problem(simulator)
        assert simulator.step().status == 0
        if is_heap(simulator):
            met += 1
            worst, most = problem.misses()
            assert worst <= 5e-4 * most
            assert simulator.report.residual <= 1e-4
    assert met > 20


@pytest.mark.parametrize("courses", slow_but([4], [4, 6]))
def test_a_wall_of_bricks_stands_on_its_weight(courses: int) -> None:
    bodies = wall(courses, courses)
    simulator = Simulator(scene(bodies), dt=H)
    simulator.step(100)
    start = simulator.observe().body_position
    weight = G * sum(body.mass for body in bodies)
    for _ in range(200):
        assert simulator.step().status == 0
        assert is_heap(simulator)
        assert ground_force(simulator) == pytest.approx(weight, rel=1e-6)
    simulator.step(2000)
    assert np.abs(simulator.observe().body_position - start).max() < 1e-7


def test_the_order_of_bodies_does_not_matter_to_a_wall() -> None:
    bodies = wall(5, 5)
    places = []
    for order in (bodies, bodies[::-1]):
        simulator = Simulator(scene(order), dt=H)
        simulator.step(500)
        assert is_heap(simulator)
        seen = simulator.observe()
        places.append([seen.body(body.name).position for body in bodies])
    assert np.abs(np.subtract(*places)).max() < 1e-4


def test_balls_that_meet_keep_momentum_and_gain_no_energy() -> None:
    random = np.random.default_rng(5)
    balls = [
        Body(
            f"ball_{i}",
            float(random.uniform(1.0, 9.0)),
            shape=Sphere(0.1),
            position=tuple(0.205 * np.array([i % 4, i // 4 % 4, i // 16])),
            velocity=tuple((-3.0 * (np.array([i % 4, i // 4 % 4, i // 16]) - 1.5)).tolist()),
            angular_velocity=tuple(random.normal(size=3).tolist()),
        )
        for i in range(64)
    ]
    simulator = Simulator(scene(balls, gravity=(0.0, 0.0, 0.0), ground=False), dt=H)
    mass = np.array([ball.mass for ball in balls])[:, None]

    def momenta() -> np.ndarray:
        seen = simulator.observe()
        linear = mass * seen.body_velocity
        spin = 0.4 * mass * 0.1**2 * seen.body_angular_velocity
        angular = np.cross(seen.body_position, linear) + spin
        return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)])

    start = momenta()
    least = first = simulator.observe().energy.total
    met = 0
    for _ in range(100):
        assert simulator.step().status == 0
        met += is_heap(simulator)
        now = simulator.observe().energy.total
        assert now < least + 1e-3 * first
        least = min(least, now)
    assert met > 20
    np.testing.assert_allclose(momenta(), start, atol=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 240.0])
def test_boxes_that_fall_on_a_heap_gain_no_energy(dt) -> None:
    simulator = Simulator(scene(tumbling()), dt=dt)
    energies = [simulator.observe().energy.total]
    for _ in range(round(1.5 / dt)):
        assert simulator.step().status == 0
        energies.append(simulator.observe().energy.total)
    lowest = np.minimum.accumulate(energies)
    assert (energies[1:] - lowest[:-1]).max() < 1e-4 * (energies[0] - energies[-1])


@pytest.mark.parametrize("seed", slow_but([3], [2, 3, 5]))
def test_light_bodies_between_heavy_ones_are_no_springs(seed) -> None:
    """What the solver leaves is told, and gives no energy."""
    simulator = Simulator(unequal(seed), dt=1e-3)
    energies = [simulator.observe().energy.total]
    met = 0
    for _ in range(1200):
        assert simulator.step().status in (0, NOT_CONVERGED)
        met += is_heap(simulator)
        energies.append(simulator.observe().energy.total)
    assert met > 300
    assert np.maximum(np.diff(energies), 0.0).sum() < 1e-4 * (energies[0] - energies[-1])


def test_a_rope_takes_its_share_of_a_brick_in_a_wall() -> None:
    """A spring on a brick of the top course carries what its stretch says, the ground the rest."""
    bodies = wall()
    pull, ea = 120.0, 1e5
    length = 2.0 / (1.0 + pull / ea)
    top = bodies[-1]
    hook = tuple(np.add(top.position, (0.0, 0.0, 2.0 + 0.5 * SIZE[2])).tolist())
    cable = Cable(
        "rope",
        (Anchor("world", hook), Anchor(top.name, (0.0, 0.0, 0.5 * SIZE[2]))),
        ea=ea,
        length=length,
        damping_ratio=0.2,
    )
    simulator = Simulator(dataclasses.replace(scene(bodies), cables=(cable,)), dt=H)
    assert simulator.step(500).status == 0
    weight = G * sum(body.mass for body in bodies)
    for _ in range(20):
        assert simulator.step().status == 0
        assert is_heap(simulator)
        seen = simulator.observe()
        tension = seen.cable("rope").tension
        stretched = hook[2] - seen.body(top.name).position[2] - 0.5 * SIZE[2]
        assert tension == pytest.approx(ea * (stretched / length - 1.0), rel=1e-5)
        assert ground_force(simulator) + tension == pytest.approx(weight, rel=1e-6)


def test_a_ball_bounces_beside_a_heap() -> None:
    """It leaves with e times its speed, and what does not hit it is asked for nothing."""
    ball = Body("ball", 2.0, shape=Sphere(0.1), position=(0.0, 2.0, 0.1 + 0.5))
    simulator = Simulator(scene([*wall(), ball], restitution=0.5), dt=1e-3)
    speeds = []
    for _ in range(400):
        assert simulator.step().status == 0
        assert is_heap(simulator)
        speeds.append(simulator.observe().body("ball").velocity[2])
    landing = math.sqrt(2.0 * G * 0.5)
    assert max(speeds) == pytest.approx(0.5 * landing, rel=5e-3)
