"""The rope of masses and springs: forces against differences of energies, what is conserved,
bending, soft ground."""

import numpy as np
import pytest
from ropes import GRAVITY, Chain, Springs
from scipy.optimize import minimize

from cable_sim.kernels.cables.particles.bending import vertex_energy, vertex_forces
from cable_sim.kernels.cables.particles.ground import apply_hard_plane, plane_force, reduce_sliding
from cable_sim.kernels.cables.particles.lumped import substeps

RATIOS = {0.3: 1, 1.0: 1, 1.0 + 1e-12: 1, 1.001: 2, 2.0: 2, 3.0: 3, 8.4: 9}
UP = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def crumpled(count=7, seed=0, **options):
    """A rope in no order at all."""
    random = np.random.default_rng(seed)
    x = np.cumsum(random.normal(size=(count, 3)), axis=0)
    rope = Springs(x, 0.3, 1.2, 50.0, **options)
    rope.v[:] = random.normal(size=(count, 3))
    return rope


def gradient(energy, x, size=1e-6):
    """Central differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][place] += size
        moved[1][place] -= size
        found[place] = (energy(moved[0]) - energy(moved[1])) / (2.0 * size)
    return found


@pytest.mark.parametrize("pull_only", [False, True])
@pytest.mark.parametrize("bending", [0.0, 3.0])
def test_forces_are_the_gradient_of_the_energy(pull_only, bending) -> None:
    """Weight, stretch and bending together; two seeds, so that some springs are slack."""
    for seed in (0, 1):
        rope = crumpled(seed=seed, pull_only=pull_only, bending=bending)
        wanted = -gradient(lambda x, rope=rope: sum(rope.energies(x)[1:]), rope.x)
        np.testing.assert_allclose(rope.forces(), wanted, atol=2e-6)


def test_the_soft_grounds_force_is_the_gradient_of_its_energy() -> None:
    normal = np.array([0.6, 0.0, 0.8])
    rope = crumpled(
        ground=((0.1, 0.0, -0.2), tuple(normal)),
        repulsion=70.0,
        absorption=0.0,
        held=(False, False),
    )
    rope.v[:] = 0.0
    force = rope.forces()
    wanted = -gradient(lambda x: rope.energies(x)[4], rope.x)
    rope.run(1e-6)
    found = rope.v * 0.3 / 1e-6 - force
    assert 0 < (abs(wanted).max(axis=1) > 0).sum() < rope.n
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("objective", [False, True])
def test_friction_takes_energy_and_acts_as_it_is_said(objective) -> None:
    """Along the spring, the power is -c rate^2; the tutorial's is -c |drift|^2."""
    rope = crumpled(count=2, friction=4.0, objective=objective)
    rope.gravity = (0.0, 0.0, 0.0)
    damped = rope.forces()
    elastic = rope.forces(v=np.zeros((2, 3)))
    power = ((damped - elastic) * rope.v).sum()
    drift = rope.v[1] - rope.v[0]
    along = (rope.x[1] - rope.x[0]) / np.linalg.norm(rope.x[1] - rope.x[0])
    assert power == pytest.approx(
        -4.0 * (drift @ along) ** 2 if objective else -4.0 * drift @ drift, rel=1e-12
    )
    np.testing.assert_allclose(damped.sum(axis=0), 0.0, atol=1e-12)


def test_springs_that_only_pull() -> None:
    """No force while short; never a push, however fast it closes; tension as reported."""
    for seed in range(5):
        rope = crumpled(seed=seed, pull_only=True, objective=True, friction=40.0)
        assert (rope.tensions() >= 0.0).all()
    short = Springs(
        [[0, 0, 0], [0.5, 0, 0]],
        1.0,
        1.0,
        50.0,
        friction=3.0,
        pull_only=True,
        gravity=(0.0, 0.0, 0.0),
    )
    short.v[1] = (1.0, 2.0, 0.0)
    assert (short.forces() == 0.0).all()
    long = Springs([[0, 0, 0], [1.5, 0, 0]], 1.0, 1.0, 50.0, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(long.tensions(), [25.0])
    np.testing.assert_allclose(long.forces(), [[25.0, 0, 0], [-25.0, 0, 0]])


@pytest.mark.parametrize("objective, bending", [(True, 0.0), (True, 2.0), (False, 0.0)])
def test_momentum_and_angular_momentum(objective, bending) -> None:
    """Both stay with friction along the springs; the tutorial's friction takes angular momentum,
    and only that."""
    rope = crumpled(friction=0.5, objective=objective, bending=bending, gravity=(0.0, 0.0, 0.0))
    momentum, spin = rope.v.sum(axis=0), np.cross(rope.x, rope.v).sum(axis=0)
    rope.run(1e-3, 3000)
    np.testing.assert_allclose(rope.v.sum(axis=0), momentum, atol=1e-11)
    change = abs(np.cross(rope.x, rope.v).sum(axis=0) - spin).max()
    assert change < 1e-10 if objective else change > 0.1


def test_only_the_tutorials_friction_slows_a_turning_rope() -> None:
    """A rod of two masses, turning at 2 rad/s: misprint 29."""
    for objective, kept in ((True, True), (False, False)):
        rope = Springs(
            [[-0.5, 0, 0], [0.5, 0, 0]],
            1.0,
            1.0,
            1e5,
            friction=0.2,
            objective=objective,
            gravity=(0.0, 0.0, 0.0),
        )
        rope.v[:, 1] = (-1.0, 1.0)
        rope.run(1e-4, 10_000)
        assert (np.linalg.norm(rope.v, axis=1) > 0.99).all() == kept
        assert kept or np.linalg.norm(rope.v[0]) == pytest.approx(np.exp(-0.4), rel=1e-2)


def test_energy_stays_within_the_order_of_the_step() -> None:
    """Without friction: bounded by w h, and smaller in proportion at a smaller step."""
    spread = []
    for h in (4e-4, 1e-4):
        rope = crumpled(bending=0.5)
        first, seen = sum(rope.energies()), []
        for _ in range(100):
            rope.run(h, int(0.1 / h))
            seen.append(abs(sum(rope.energies()) - first))
        spread.append(max(seen))
    assert spread[0] < 0.01 * sum(crumpled(bending=0.5).energies()[:3:2])
    assert spread[1] < 0.5 * spread[0]


def test_bending_energy_of_a_ring() -> None:
    """EI L / (2 R^2), up to the part (l / R)^2 / 12; and the forces on a ring are radial."""
    radius, count, stiffness = 2.0, 60, 3.0
    angle = 2.0 * np.pi * np.arange(count + 2) / count
    points = radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    length = np.linalg.norm(points[1] - points[0])
    vertices = zip(np.diff(points[:-1], axis=0), np.diff(points[1:], axis=0), strict=True)
    total = sum(vertex_energy(stiffness / length, tuple(a), tuple(b)) for a, b in vertices)
    wanted = 0.5 * stiffness * count * length / radius**2
    assert total / wanted - 1.0 == pytest.approx(
        -((length / radius) ** 2) / 12.0, abs=0.2 * (length / radius) ** 2
    )
    assert abs(total / wanted - 1.0) < 2e-3


def test_bending_forces_are_in_equilibrium() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(3, 3))
    start, end = map(np.array, vertex_forces(2.0, tuple(x[1] - x[0]), tuple(x[2] - x[1])))
    middle = -start - end
    np.testing.assert_allclose(
        sum(np.cross(p, f) for p, f in zip(x, (start, middle, end), strict=True)), 0.0, atol=1e-13
    )


def test_a_beam_sags_as_beams_do() -> None:
    """Hinged at both ends, under its weight: 5 q L^4 / (384 EI) in the middle (for a rope that
    hardly stretches)."""
    count, length, stiffness, line = 41, 2.0, 40.0, 0.5
    piece = length / (count - 1)
    x = np.stack([np.linspace(0.0, length, count), np.zeros(count), np.zeros(count)], axis=1)
    rope = Springs(
        x, line * piece, piece, 50.0, bending=stiffness
    )  # soft, so that tension carries little of it

    def energy(z):
        y = x.copy()
        y[1:-1, 2] = z
        weight, stretch, bent = rope.energies(y)[1:4]
        rope.forces(y)
        return weight + stretch + bent, -rope.force[1:-1, 2]

    found = minimize(energy, np.zeros(count - 2), jac=True, method="BFGS", options={"gtol": 1e-10})
    wanted = -5.0 * line * 9.81 * length**4 / (384.0 * stiffness)
    assert found.x[(count - 3) // 2] == pytest.approx(wanted, rel=3e-3)


def resting(friction, count=10, **options):
    """A straight rope at rest in a soft ground, as deep as its weight presses it."""
    depth = 0.05 * 9.81 / 100.0
    x = [[0.05 * i, 0.0, -depth] for i in range(count)]
    return Springs(
        x, 0.05, 0.05, 1e4, friction=0.2, objective=True, ground=UP, slide=friction, **options
    )


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)])
def test_sliding_distance(direction) -> None:
    """u^2 / (2 mu g), less half a step's way; all masses alike, and they stop for good."""
    rope, speed, loss, h = resting(0.25), 2.0, 0.25 * 9.81, 1e-3
    rope.v[:] = speed * np.array(direction)
    start = rope.x.copy()
    rope.run(h, 1000)
    moved = (rope.x - start) @ direction
    np.testing.assert_allclose(
        moved, speed**2 / (2.0 * loss) - 0.5 * h * speed, atol=2.0 * loss * h * h
    )
    rest = rope.x.copy()
    rope.run(h, 1000)
    assert abs(rope.x - rest).max() < 1e-12 and abs(rope.v[:, :2]).max() == 0.0


def test_sticking() -> None:
    """A pull of 0.9 mu N on each mass moves nothing by a bit; 1.1 mu N gives the rest of it as
    acceleration."""
    for share in (0.9, 1.1):
        rope = resting(0.5, gravity=(share * 0.5 * 9.81, 0.0, -9.81))
        start = rope.x.copy()
        rope.run(1e-3, 1000)
        moved = rope.x[:, 0] - start[:, 0]
        if share < 1.0:
            assert (moved == 0.0).all()
        else:
            np.testing.assert_allclose(moved, 0.5 * 0.1 * 0.5 * 9.81, rtol=3e-3)


def test_a_slope_holds_a_rope_below_its_angle() -> None:
    """tan = 0.75."""
    for friction, sticks in ((0.76, True), (0.74, False)):
        rope = resting(friction)
        turn = np.array(
            [[0.8, 0.0, -0.6], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8]]
        )  # rows: down the slope, across, out
        depth = 0.8 * 0.05 * 9.81 / 100.0
        rope.x[:] = np.outer(0.05 * np.arange(10), turn[1]) - depth * turn[2]
        rope.normal = np.array([turn[2]])
        start = rope.x.copy()
        rope.run(1e-3, 1000)
        moved = (rope.x - start) @ turn[0]
        assert abs(moved).max() < 1e-12 if sticks else moved.min() > 0.03


def test_a_soft_ground_with_much_absorption_returns_a_third() -> None:
    """With 2 sqrt(m k) a weightless mass leaves with 1/e of its speed."""
    for_two = 2.0 * np.sqrt(0.05 * 100.0)
    rope = Springs(
        [[0, 0, 0], [0.05, 0, 0]],
        0.05,
        0.05,
        1e4,
        ground=UP,
        absorption=for_two,
        gravity=(0.0, 0.0, 0.0),
    )
    rope.v[:, 2] = -1.0
    rope.run(1e-5, 30_000)
    np.testing.assert_allclose(rope.v[:, 2], np.exp(-1.0), rtol=1e-3)
    assert plane_force(100.0, 2.0, 0.1, -1.0) == 0.0 and plane_force(100.0, 2.0, -0.1, 1.0) == 10.0


def test_one_velocity_on_a_plane() -> None:
    """Friction slows without turning; a hard plane lets a mass land, and leaves alone one that
    rises."""
    normal = (0.6, 0.0, 0.8)
    slower = np.array(reduce_sliding((0.8 + 0.6, 1.0, -0.6 + 0.8), normal, 0.5 * np.sqrt(2.0)))
    np.testing.assert_allclose(
        slower, np.array([0.6, 0.0, 0.8]) + 0.5 * np.array([0.8, 1.0, -0.6]), atol=1e-15
    )
    assert np.array(reduce_sliding((0.8, 0.0, -0.6), normal, 2.0)) == pytest.approx(
        np.zeros(3), abs=1e-15
    )
    assert apply_hard_plane(0.1, 0.5, (0.0, 0.0, 1.0), 0.05, (1.0, 0.0, -0.4)) == (1.0, 0.0, -0.4)
    np.testing.assert_allclose(
        apply_hard_plane(0.1, 0.5, (0.0, 0.0, 1.0), 0.05, (1.0, 0.0, -0.7)), (0.9, 0.0, -0.5)
    )


def test_held_ends_say_what_pulls_on_them() -> None:
    """Hanging between two points: both ends together carry the weight, and the tensions are the
    catenary's."""
    rope = Springs(
        [[0.05 * i * 0.8, 0, -0.0] for i in range(21)],
        0.05,
        0.05,
        1e4,
        friction=0.5,
        air=0.3,
        held=(True, True),
    )
    rope.run(1e-3, 20_000)
    np.testing.assert_allclose(
        rope.end_force[0].sum(axis=0), [0.0, 0.0, -21 * 0.05 * 9.81], atol=1e-6
    )
    level = (
        rope.tensions() * np.diff(rope.x[:, 0]) / np.linalg.norm(np.diff(rope.x, axis=0), axis=1)
    )
    np.testing.assert_allclose(level, level[0], rtol=1e-6)
    np.testing.assert_allclose(rope.end_force[0, :, 0], [level[0], -level[0]], rtol=1e-6)


def test_it_hangs_as_the_chain_does() -> None:
    """Springs and distances with the same stiffness, between the same points."""
    points = [[0.04 * i, 0, 0] for i in range(21)]
    rope = Springs(points, 0.05, 0.05, 1e4, friction=0.5, air=0.3, held=(True, True))
    chain = Chain(
        points, 0.05, 0.05, (True, True), ea=1e4 * 0.05, gamma=0.01, air=0.3, gravity=GRAVITY
    )
    rope.run(1e-3, 20_000)
    chain.run(1e-3, 20_000)
    np.testing.assert_allclose(rope.x, chain.x, atol=1e-7)
    np.testing.assert_allclose(rope.tensions(), chain.impulse[:-1] / 1e-3, rtol=1e-6)


def test_ropes_in_one_call_are_ropes_alone() -> None:
    """Two ropes with different data, to the last bit."""
    ends = {"held": (True, False), "ground": UP}
    first = crumpled(5, 1, friction=0.3, bending=0.4, **ends)
    second = crumpled(8, 2, objective=True, pull_only=True)
    both = Springs([[0, 0, 0], [0, 0, 1]], 1.0, 1.0, 1.0)
    names = [name for name in vars(first) if name not in ("gravity", "n", "start")]
    vars(both).update(
        {name: np.concatenate([getattr(r, name) for r in (first, second)]) for name in names}
    )
    both.start = np.array([0, 5, 13])
    for rope in (both, first, second):
        rope.run(1e-3, 50)
    np.testing.assert_array_equal(both.x, np.concatenate([first.x, second.x]))
    np.testing.assert_array_equal(
        both.end_force, np.concatenate([first.end_force, second.end_force])
    )
    np.testing.assert_array_equal(both.energies()[0], first.energies()[0])
    np.testing.assert_array_equal(both.tensions(), np.r_[first.tensions(), 0.0, second.tensions()])


@pytest.mark.parametrize("largest", [1e-3, 2e-3, 0.1, 1.0 / 3.0, 1.0 / 60.0, 7e-5])
def test_a_tick_of_the_largest_step_is_one_step(largest) -> None:
    """And k of them are k, whatever rounding makes of the quotient; the tutorial takes one more, as
    its text has it."""
    assert {ratio: substeps(ratio * largest, largest) for ratio in RATIOS} == RATIOS
    assert substeps(largest, np.inf) == 1
