"""The multibody chain beside dense linear algebra, and what theory says of hanging and free
ones."""

import time

import numpy as np
import pytest
from ropes import Chain
from scipy.special import jn_zeros

from cable_sim.kernels.cables.particles import chain as kernels
from cable_sim.kernels.status import LOST_PIVOT, NOT_FINITE, SOLVED, TOO_FINE

H = 0.01


def crumpled(particles, seed, attached, ea=500.0, gamma=0.03):
    """A chain in no order at all: every number random."""
    random = np.random.default_rng(seed)
    chain = Chain(
        random.normal(size=(particles, 3)),
        random.uniform(0.1, 2.0, particles),
        random.uniform(0.5, 1.5, particles - 1),
        attached,
        ea=ea,
        gamma=gamma,
        air=0.3,
    )
    chain.v[:] = random.normal(size=(particles, 3))
    return chain, random


def dense_rows(chain, h):
    """J over all velocities, sigma, rhs and the velocities without segments.

    They are from the formulas of the paper, but damp the part b of the rate at the start of the
    step: 1/2 where the step resolves the fastest motion along the chain, 0 of rigid segments.
    """
    count = chain.n - 1
    jacobian, softness, rhs = np.zeros((count, 3 * chain.n)), np.zeros(count), np.zeros(count)
    moves = chain.inverse / (1.0 + h * chain.air[0] * chain.inverse)
    for k in range(count):
        reach = chain.x[k + 1] - chain.x[k]
        length = np.sqrt(reach @ reach)
        jacobian[k, 3 * k : 3 * k + 3] = reach / length
        jacobian[k, 3 * k + 3 : 3 * k + 6] = -reach / length
        gamma = chain.gamma[0] if chain.compliance[0] > 0.0 else max(chain.gamma[0], 2.0 * h)
        stretch = chain.compliance[0] * chain.rest[k]
        swing = h * (h + gamma) * 2.0 * (moves[k] + moves[k + 1])
        early = 0.5 * min(1.0, 0.25 * stretch / swing) if swing > 0.0 else 0.5
        weight = 1.0 / (1.0 + 4.0 * (1.0 - early) * gamma / h)
        rate = jacobian[k] @ chain.v.ravel()
        softness[k] = 4.0 * stretch * weight / h**2
        rhs[k] = weight * (
            (1.0 - 4.0 * early * gamma / h) * rate - 4.0 * (chain.rest[k] - length) / h
        )
    falling = chain.v + h * np.array(chain.gravity)
    free = falling / (1.0 + h * chain.air[0] * chain.inverse)[:, None]
    return jacobian, softness, rhs, free


def outside(chain, random, fixed):
    """A body or two at the ends: how impulses on the end nodes move them, and how they would move
    without."""
    parts = random.normal(size=(6, 6))
    mobility = np.zeros((6, 6)) if fixed else parts @ parts.T
    for e, held in enumerate(chain.attached[0]):
        if not held:
            mobility[3 * e : 3 * e + 3] = mobility[:, 3 * e : 3 * e + 3] = 0.0
    return mobility, random.normal(size=(2, 3))


def dense_step(chain, h, mobility, outside_velocity):
    """Impulses and new velocities of the whole system at once."""
    jacobian, softness, rhs, free = dense_rows(chain, h)
    matrix = np.diag(np.repeat(chain.inverse / (1.0 + h * chain.air[0] * chain.inverse), 3))
    ends = np.r_[0:3, 3 * chain.n - 3 : 3 * chain.n]
    matrix[np.ix_(ends, ends)] += mobility
    for e, node in enumerate((0, -1)):
        if chain.attached[0, e]:
            free[node] = outside_velocity[e]
    free = free.ravel()
    impulse = np.linalg.solve(
        jacobian @ matrix @ jacobian.T + np.diag(softness), rhs - jacobian @ free
    )
    return impulse, (free + matrix @ jacobian.T @ impulse).reshape(-1, 3)


def solve_ends(chain, mobility, outside_velocity):
    """What a global solver does with the end rows: adds its bodies to them, and solves."""
    jacobian = np.zeros((2, 6))
    jacobian[0, :3], jacobian[1, 3:] = chain.direction[0], -chain.direction[chain.n - 2]
    if chain.n == 2 and chain.attached.all():
        jacobian[0, 3:] = -chain.direction[0]
    matrix = jacobian @ mobility @ jacobian.T + np.diag(chain.softness[0])
    matrix += chain.coupling[0] * np.array([[0.0, 1.0], [1.0, 0.0]])
    demand = chain.end_demand[0] - jacobian @ outside_velocity.ravel()
    on = np.flatnonzero(chain.active[0])
    chain.end_impulse[:] = 0.0
    chain.end_impulse[0, on] = np.linalg.solve(matrix[np.ix_(on, on)], demand[on])


ENDS = {"free": (False, False), "first": (True, False), "last": (False, True), "both": (True, True)}


@pytest.mark.parametrize("fixed", [False, True], ids=["bodies", "fixed"])
@pytest.mark.parametrize("attached", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("segments", [1, 2, 3, 12])
def test_condensed_chain_is_the_dense_one(segments, attached, fixed) -> None:
    for seed in range(5):
        chain, random = crumpled(segments + 1, seed, attached)
        mobility, outside_velocity = outside(chain, random, fixed)
        wanted, _ = dense_step(chain, H, mobility, outside_velocity)
        chain.condense(H)
        solve_ends(chain, mobility, outside_velocity)
        chain.resolve()
        np.testing.assert_allclose(chain.impulse[:-1], wanted, rtol=1e-10, atol=1e-10)
        assert chain.impulse[-1] == 0.0


@pytest.mark.parametrize("ea", [200.0, np.inf], ids=["elastic", "rigid"])
@pytest.mark.parametrize("attached", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("segments", [1, 2, 7])
def test_steps_beside_dense_ones(segments, attached, ea) -> None:
    """Free ends and ends that move with given velocities, 50 steps, each from the chain's own
    state."""
    if ea == np.inf and segments == 1 and attached == (True, True):
        return  # a rigid bar between two given motions has no solution
    chain, random = crumpled(segments + 1, 3, attached, ea, gamma=0.02)
    chain.rest[:-1] = np.linalg.norm(np.diff(chain.x, axis=0), axis=1)
    chain.end_velocity[:] = random.normal(size=(2, 3))
    for _ in range(50):
        position = chain.x.copy()
        wanted, velocity = dense_step(chain, 1e-3, np.zeros((6, 6)), chain.end_velocity[0])
        assert chain.run(1e-3) == SOLVED
        scale = max(1.0, abs(wanted).max())
        np.testing.assert_allclose(chain.impulse[:-1], wanted, atol=1e-10 * scale)
        np.testing.assert_allclose(chain.v, velocity, atol=1e-9 * scale)
        np.testing.assert_allclose(chain.x, position + 1e-3 * chain.v, atol=1e-12)


def test_ends_that_contradict_each_other_are_reported() -> None:
    """A straight rigid chain between two fixed points."""
    chain = Chain([[0.5 * i, 0, 0] for i in range(5)], 1.0, 0.5, (True, True))
    assert chain.run(H) == LOST_PIVOT
    assert np.isfinite(chain.x).all()


def test_ropes_in_one_call_are_ropes_alone() -> None:
    """Three ropes in one call step as each alone, to the last bit."""
    alone = [
        crumpled(n, n, ends)[0]
        for n, ends in ((4, (True, True)), (2, (True, False)), (7, (False, False)))
    ]
    join = {
        name: np.concatenate([getattr(c, name) for c in alone])
        for name in vars(alone[0])
        if name not in ("h", "gravity", "n", "start")
    }
    together = Chain([[0, 0, 0], [0, 0, 1]], 1.0, 1.0)
    vars(together).update(join, start=np.array([0, 4, 6, 13]))
    assert together.run(H, 20) == SOLVED
    for rope in alone:
        rope.run(H, 20)
    np.testing.assert_array_equal(together.x, np.concatenate([c.x for c in alone]))
    np.testing.assert_array_equal(together.impulse, np.concatenate([c.impulse for c in alone]))
    assert elastic_energy(together, H, 2) == pytest.approx(elastic_energy(alone[2], H), rel=1e-12)


def test_a_free_chain_keeps_momentum_and_angular_momentum() -> None:
    chain, _ = crumpled(9, 1, (False, False))
    chain.gravity, chain.air = (0.0, 0.0, 0.0), np.zeros(1)
    mass = (1.0 / chain.inverse)[:, None]
    before = (mass * chain.v).sum(axis=0), (mass * np.cross(chain.x, chain.v)).sum(axis=0)
    chain.run(1e-3, 2000)
    np.testing.assert_allclose((mass * chain.v).sum(axis=0), before[0], atol=1e-11)
    np.testing.assert_allclose(
        (mass * np.cross(chain.x, chain.v)).sum(axis=0), before[1], atol=1e-10
    )


def seen_places(chain, h):
    """Where the masses are at the time of their velocities (n, 3) [m]."""
    return chain.x - 0.5 * h * chain.v


def elastic_energy(chain, h, r=0):
    """The kernel's, of rope r after a step [J]."""
    ropes = chain.records[0]
    return kernels.elastic_energy(h, r, True, ropes, seen_places(chain, h), chain.impulse)


def energy(chain, h):
    """Of all masses that are not attached, and of their segments [J]."""
    inner = chain.inverse > 0.0
    heights = seen_places(chain, h)[inner, 2]
    moving = 0.5 * (chain.v[inner] ** 2).sum(axis=1) + 9.81 * heights
    return (moving / chain.inverse[inner]).sum() + elastic_energy(chain, h)


def swinging(h, gamma, seed=0, seconds=10.0):
    """Change of energy of a loose elastic chain that falls between two points, every 0.1 s.

    It is chaotic: starts that differ by 1e-9 m, as those of two seeds, soon go apart.
    """
    x = np.array([[0.4 * i, 0.1 * np.sin(i), 0.0] for i in range(11)])
    x[1:-1] += 1e-9 * np.random.default_rng(seed).normal(size=(9, 3))
    chain = Chain(x, 0.2, 0.5, (True, True), ea=2000.0, gamma=gamma)
    chain.impulse[:-1] = h * 2000.0 * (np.linalg.norm(np.diff(x, axis=0), axis=1) / 0.5 - 1.0)
    first, seen = energy(chain, h), []
    for _ in range(int(10 * seconds)):
        chain.run(h, round(0.1 / h))
        seen.append(energy(chain, h) - first)
    return np.array(seen)


def test_energy_of_an_undamped_chain_stays() -> None:
    """It oscillates with the part (w h)^2, a sixteenth with a quarter of the step, and does not
    drift: the mean of eight starts stays in the same proportion. Damped, it falls."""
    longer, shorter = (
        np.array([swinging(h, 0.0, seed) for seed in range(8)]) for h in (1e-4, 2.5e-5)
    )
    assert abs(longer).max() < 3e-3 and abs(longer[:, 50:].mean()) < 5e-4
    assert abs(shorter).max() < 0.1 * abs(longer).max() and abs(shorter[:, 50:].mean()) < 5e-5
    damped = swinging(1e-4, 0.02)
    assert damped.max() < 0.0 and damped[-1] < -1.0


@pytest.mark.parametrize("z", [0.3, 0.5, 1.0, 3.0, 30.0, 1e3, 1e6])
def test_velocities_that_contradict_a_segment_do_not_grow(z) -> None:
    """Two masses of 1 kg, 1 m apart, that part at 2 m/s: undamped, those of z = 30 got 10 times as
    fast."""
    h, fastest = 5e-3, 0.0
    chain = Chain([[0, 0, 0], [1, 0, 0]], 1.0, 1.0, ea=z**2 / (4.0 * h**2), gravity=(0.0, 0.0, 0.0))
    chain.v[:, 0] = -1.0, 1.0
    for _ in range(200):
        chain.run(h)
        fastest = max(fastest, abs(chain.v[:, 0]).max())
    assert fastest < 1.03
    assert z < 1.0 or abs(chain.v).max() < 0.01


def test_energy_of_a_stiff_chain_is_that_of_its_tension() -> None:
    """A loose chain that falls between two points, z = 630, keeps its energy; its gaps show a
    tenth more than it has, of the chords of turns."""
    h, rigidity, rest, mass = 2.5e-3, 4e8, 0.5, 0.2
    x = np.array([[0.4 * i, 0.0, -0.3 * min(i, 10 - i)] for i in range(11)])
    chain = Chain(x, mass, rest, (True, True), ea=rigidity)
    start = energy(chain, h)
    seen, gaps, heights = [], [], []
    for _ in range(200):
        chain.run(h)
        seen.append(energy(chain, h))
        places = seen_places(chain, h)
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        heights.append(9.81 * mass * places[1:-1, 2].sum())
        gaps.append(0.5 * rigidity / rest * ((rest - lengths) ** 2).sum())
    fallen = 9.81 * mass * x[1:-1, 2].sum() - min(heights)
    assert max(abs(np.array(seen) - start)) < 1e-3 * fallen
    assert max(gaps) > 0.1 * fallen


def hanging(count, length=2.0, ea=1e9):
    """A chain that hangs from its first node: masses of a uniform rope, half of one at the tip."""
    piece = length / count
    mass = np.full(count + 1, piece)
    mass[-1] = 0.5 * piece
    return Chain(
        [[0, 0, -piece * i] for i in range(count + 1)],
        mass,
        piece,
        (True, False),
        ea=ea,
        gamma=0.01,
    )


def test_tension_of_a_hanging_chain_is_the_weight_below() -> None:
    chain = hanging(20)
    chain.run(1e-3, 3000)
    below = 9.81 * np.cumsum(1.0 / chain.inverse[:0:-1])[::-1]
    np.testing.assert_allclose(chain.impulse[:-1] / 1e-3, below, rtol=1e-6)
    assert chain.end_impulse[0, 0] == chain.impulse[0]


def own_motion(chain, mode):
    """Frequency [1/s] and shape of a mode of the hanging masses, by their matrix."""
    masses = 1.0 / chain.inverse[1:]
    pull = 9.81 * np.cumsum(masses[::-1])[::-1] / chain.rest[0]
    stiff = np.diag(pull + np.append(pull[1:], 0.0)) - np.diag(pull[1:], 1) - np.diag(pull[1:], -1)
    root = np.sqrt(masses)
    squares, shapes = np.linalg.eigh(stiff / np.outer(root, root))
    return np.sqrt(squares[mode - 1]), shapes[:, mode - 1] / root


def frequency(track, h):
    """Of an oscillation about zero, by its passages [1/s]."""
    at = np.flatnonzero(track[1:] * track[:-1] < 0.0)
    passages = h * (at + track[at] / (track[at] - track[at + 1]))
    return np.pi / np.diff(passages).mean()


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_period_of_the_hanging_chain(mode) -> None:
    """As 100 masses have it, to 1e-4; they as the rope (zeros of J0, Bernoulli) up to terms of
    second order."""
    chain, h = hanging(100), 5e-4
    own, shape = own_motion(chain, mode)
    chain.x[1:, 0] = 1e-4 * shape / abs(shape).max()
    track = []
    for _ in range(int(5 * 2 * np.pi / own / h)):
        chain.run(h)
        track.append((chain.x[1:, 0] / chain.inverse[1:]) @ shape)
    found = frequency(np.array(track), h)
    assert found == pytest.approx(own, rel=1e-4)
    rope = jn_zeros(0, mode)[-1] / 2.0 * np.sqrt(9.81 / 2.0)
    assert found == pytest.approx(rope, rel=2e-4 * mode**2)
    finer, _ = own_motion(hanging(200), mode)
    assert (own - rope) / (finer - rope) == pytest.approx(4.0, rel=0.02)


def test_cost_is_linear() -> None:
    """A particle among 20,000 costs about what one among 200 does."""
    best = {}
    for count in (200, 20_000):
        chain = Chain(
            [[0.1 * i, 0, 0] for i in range(count)], 0.1, 0.1, (True, False), ea=1e5, gamma=0.02
        )
        chain.run(H)
        times = []
        for _ in range(7):
            begin = time.thread_time()  # of this thread alone, whatever else runs
            chain.run(H, 100_000 // count)
            times.append(time.thread_time() - begin)
        best[count] = min(times)
    assert best[20_000] < 3.0 * best[200]


def heavily_loaded(segments, load, ea, gamma):
    """A rope of 1 kg and 10 m with a load of so many kg."""
    mass = np.full(segments + 1, 1.0 / segments)
    mass[-1] = 0.5 / segments + load
    points = [[0.0, 0.0, -10.0 * i / segments] for i in range(segments + 1)]
    return Chain(points, mass, 10.0 / segments, (True, False), ea=ea, gamma=gamma)


def worst_after_shaking(chain, h, seconds=10):
    """Largest stretch [-] in so many seconds after a push aside of a millionth of a segment."""
    chain.run(h, 60)
    chain.x[1:, 0] += 1e-6 * chain.rest[0] * np.random.default_rng(0).normal(size=chain.n - 1)
    worst = 0.0
    for _ in range(seconds):
        chain.run(h, 60)
        lengths = np.linalg.norm(np.diff(chain.x, axis=0), axis=1)
        worst = max(worst, abs(lengths / chain.rest[:-1] - 1.0).max())
    return worst


@pytest.mark.parametrize("load, most", [(1.0, 44), (10.0, 18), (100.0, 6)])
def test_how_finely_a_loaded_chain_can_be_divided(load, most) -> None:
    """At 1/60 s: just as far as h w of the fastest motion across stays below 2 (misprint 40); the
    paper says half."""
    h = 1.0 / 60.0
    for ea, gamma in ((np.inf, 0.0), (1e8, 2.0 * h), (1e6, 0.5 * h)):
        assert worst_after_shaking(heavily_loaded(most, load, ea, gamma), h) < 0.01
        assert worst_after_shaking(heavily_loaded(most + 1, load, ea, gamma), h) > 0.05
    for segments, is_below in ((most, True), (most + 1, False)):
        chain = heavily_loaded(segments, load, np.inf, 0.0)
        fastest, _ = own_motion(chain, segments)
        assert (h * fastest < 2.0) == is_below
    tension, pieces = (load + 1.0) * 9.81, (10.0 / most) * (1.0 / most)
    assert tension < 1.1 * pieces / (h * np.cos(np.pi / (2 * most))) ** 2


@pytest.mark.parametrize("ea", [1e4, 1e8])
def test_the_limit_needs_no_damping_where_nothing_bounces(ea) -> None:
    """A stretched chain at rest, 20 s at 1/60 s: what pushed it aside stays as small as it was."""
    chain = heavily_loaded(18, 10.0, ea, 0.0)
    below = 9.81 * np.cumsum(1.0 / chain.inverse[:0:-1])[::-1]
    chain.x[1:, 2] = -np.cumsum(chain.rest[:-1] * (1.0 + below / ea))
    chain.x[1:, 0] = 1e-6 * np.random.default_rng(0).normal(size=18)
    chain.run(1.0 / 60.0, 1200)
    assert abs(chain.x[:, 0]).max() < 1e-5


@pytest.mark.parametrize(
    "segments, attached, times",
    [
        (1, ENDS["first"], 2.0),
        (6, ENDS["first"], 1.0),
        (6, ENDS["free"], 1.0),
        (2, ENDS["both"], 2.0),
        (3, ENDS["both"], 4.0 / 3.0),
    ],
)
def test_fineness_at_its_bound(segments, attached, times) -> None:
    """h^2 T = m l for the mean of both sides of a mass, and more between two ends; of thrusts a
    quarter."""
    chain = Chain([[0, 0, -0.5 * k] for k in range(segments + 1)], 0.2, 0.5, attached)
    others = Chain([[0, 0, 0], [0, 0, 1]], 0.2, 0.5)
    bound = times * 0.2 * 0.5 / H
    for factor, flags in ((0.999, SOLVED), (1.001, TOO_FINE), (-0.249, SOLVED), (-0.251, TOO_FINE)):
        impulse = np.append(np.full(segments, factor * bound), np.nan)
        ropes = (np.array([0, 2, 3 + segments]), np.concatenate([others.attached, chain.attached]))
        masses = (
            np.concatenate([others.inverse, chain.inverse]),
            np.concatenate([others.rest, chain.rest]),
        )
        assert (
            kernels.check_fineness(H, *ropes, *masses, np.concatenate([others.impulse, impulse]))
            == flags
        )


@pytest.mark.parametrize("attached", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("segments", [1, 2, 3, 12])
@pytest.mark.parametrize("number", [np.nan, np.inf, 1e200])
def test_what_is_not_finite_is_found_before_the_step(segments, attached, number) -> None:
    """In any place or velocity of any mass, or too large to be squared."""
    for array in ("x", "v"):
        for i in range(segments + 1):
            if array == "v" and (
                number == 1e200 or (attached[i == segments] and i in (0, segments))
            ):
                # no square of a velocity is taken; an attached end has that of what it hangs on
                continue
            chain, _ = crumpled(segments + 1, 2, attached)
            getattr(chain, array)[i, 1] = number
            before = chain.x.copy(), chain.v.copy(), chain.impulse.copy()
            assert chain.run(H, 3) == NOT_FINITE, (array, i)
            for kept, now in zip(before, (chain.x, chain.v, chain.impulse), strict=True):
                np.testing.assert_array_equal(now, kept)


PLANE = ((0.0, 0.0, -0.1), (0.0, 0.0, 1.0))
TILTED = ((0.0, 0.0, 0.0), (0.6, 0.0, 0.8))


def test_a_rope_laid_on_the_ground_comes_to_rest() -> None:
    """Dropped slack from 0.4 m at 1/60 s: still after 3 s, in the plane to 1e-12 m, and never below
    it by more."""
    x = [[0.09 * i, 0.02 * np.sin(i), 0.3 + 0.02 * np.cos(2 * i)] for i in range(30)]
    chain = Chain(x, 0.05, 0.1, ea=1e5, gamma=0.02, ground=PLANE, friction=0.5)
    deepest = np.inf
    for _ in range(180):
        chain.run(1.0 / 60.0)
        deepest = min(deepest, chain.x[:, 2].min() + 0.1)
    assert deepest > -1e-12
    assert abs(chain.x[:, 2] + 0.1).max() < 1e-12
    assert abs(chain.v).max() < 1e-6
    gaps = np.linalg.norm(np.diff(chain.x, axis=0), axis=1) - 0.1
    assert abs(gaps).max() < 4.5 * 0.5 * 9.81 / 60.0**2  # what friction holds against the lengths


def lying(friction, plane=PLANE, **options):
    """A straight rope of 20 masses on a plane, along y."""
    x = [[0.0, 0.1 * i, plane[0][2]] for i in range(20)]
    return Chain(x, 0.05, 0.1, ea=1e5, gamma=0.02, ground=plane, friction=friction, **options)


@pytest.mark.parametrize("h", [1e-3, 1.0 / 60.0])
def test_a_sliding_rope_stops_by_coulombs_law(h) -> None:
    """Along itself and across: after u^2 / (2 mu g), to the half step that the sum over steps is
    less."""
    for direction in (np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])):
        chain, speed, loss = lying(0.3), 1.5, 0.3 * 9.81
        chain.v[:] = speed * direction
        start = chain.x.copy()
        chain.run(h, int(2.0 / h))
        moved = (chain.x - start) @ direction
        np.testing.assert_allclose(
            moved, speed**2 / (2.0 * loss) - 0.5 * h * speed, atol=0.5 * loss * h * h
        )
        assert abs(chain.v).max() < 1e-12


def test_what_drags_a_rope_feels_its_friction() -> None:
    """The end's tension is mu m g of all masses that slide."""
    chain = lying(0.4, attached=(True, False))
    chain.end_velocity[0, 0] = (0.0, -0.5, 0.0)
    chain.run(1e-3, 3000)
    assert chain.impulse[0] / 1e-3 == pytest.approx(0.4 * 19 * 0.05 * 9.81, rel=1e-6)
    np.testing.assert_allclose(chain.v[1:, 1], -0.5, atol=1e-6)


@pytest.mark.parametrize("friction, sticks", [(0.74, False), (0.76, True)])
def test_a_rope_sticks_on_a_slope(friction, sticks) -> None:
    """tan of the slope is 0.75; a rope that sticks does not move by a bit."""
    chain = lying(friction, TILTED)
    start = chain.x.copy()
    chain.run(1e-3, 1000)
    if sticks:
        assert abs(chain.x - start).max() < 1e-12
    else:
        down = np.array([0.8, 0.0, -0.6])
        wanted = 0.5 * 9.81 * (0.6 - friction * 0.8) * 1.0**2
        np.testing.assert_allclose((chain.x - start) @ down, wanted, rtol=2e-3)


def test_a_particle_below_the_ground_rises_slowly() -> None:
    chain = lying(0.0)
    chain.gravity = (0.0, 0.0, 0.0)
    chain.x[:, 2] -= 0.01
    chain.run(1e-3)
    np.testing.assert_allclose(chain.x[:, 2] + 0.1, -0.0075, atol=1e-15)


@pytest.mark.parametrize("ea", [500.0, 2e4, np.inf], ids=["soft", "stiff", "rigid"])
@pytest.mark.parametrize("attached", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_rope_pulls_and_is_never_too_long(seed, attached, ea) -> None:
    """Complementarity in 100 steps of a crumpled rope: each segment pulls or has room."""
    chain, random = crumpled(9, seed, attached, ea, gamma=0.02)
    chain.pull_only = np.array([True])
    chain.rest[:-1] = np.linalg.norm(np.diff(chain.x, axis=0), axis=1) * random.uniform(
        0.8, 1.05, 8
    )
    chain.end_velocity[:] = 0.1 * random.normal(size=(2, 3))
    slack = 0
    for _ in range(100):
        along = np.diff(chain.x, axis=0)
        length = np.linalg.norm(along, axis=1)
        gap = chain.rest[:-1] - length
        assert chain.run(1e-3) == SOLVED
        pull = chain.impulse[:-1]
        assert (pull >= -1e-9 * max(pull.max(), 1e-3)).all()
        rate = -((along / length[:, None]) * np.diff(chain.v, axis=0)).sum(axis=1)
        idle = pull <= 0.0
        too_long = np.minimum(gap + 1e-3 * rate, 0.0)[idle & (gap >= 0.0)]
        assert (too_long > -1e-9).all()
        slack += idle.sum()
    assert 0 < slack < 800


def test_a_taut_rope_steps_as_a_rod_does() -> None:
    """Under its weight every segment pulls: the same bits as those of one that could push."""
    points = np.column_stack([np.zeros(9), np.zeros(9), -1.01 * np.arange(9.0)])
    rod = Chain(points, 0.5, 1.0, (True, False), ea=5e3, gamma=0.02)
    rope = Chain(points, 0.5, 1.0, (True, False), ea=5e3, gamma=0.02, pull_only=True)
    assert rod.run(1e-3, 50) == SOLVED == rope.run(1e-3, 50)
    assert rod.impulse[:-1].min() > 0.0
    np.testing.assert_array_equal(rope.x, rod.x)
    np.testing.assert_array_equal(rope.impulse, rod.impulse)


@pytest.mark.parametrize("ea", [1e6, np.inf], ids=["elastic", "rigid"])
def test_what_is_thrown_up_on_a_rope_is_in_free_flight(ea) -> None:
    points = np.column_stack([np.zeros(6), np.zeros(6), -np.arange(6.0)])
    mass = np.array([1.0, 0.1, 0.1, 0.1, 0.1, 100.0])
    rope = Chain(points, mass, 1.0, (True, False), ea=ea, pull_only=True)
    rope.v[:, 2] = np.linspace(0.0, 3.0, 6)
    highest = rope.x[-1, 2]
    for _ in range(400):
        rope.run(1e-3)
        assert rope.impulse.min() >= -1e-9
        highest = max(highest, rope.x[-1, 2])
    assert highest == pytest.approx(-5.0 + 9.0 / (2.0 * 9.81), abs=3e-3)
