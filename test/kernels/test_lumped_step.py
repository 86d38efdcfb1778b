"""The largest stable step beside the eigenvalues of the whole linearised step, taken from the
kernel by differences."""

import numpy as np
import pytest
from ropes import Springs

from cable_sim.model.cables.lumped import stable_step


def growth(rope, h, held):
    """Largest modulus of an eigenvalue of one step about the straight rope, held ends left out."""
    rope.gravity = (0.0, 0.0, 0.0)
    free = np.arange(3 * rope.n)[3 * held[0] : 3 * rope.n - 3 * held[1]]

    def after(state):
        rope.x[:], rope.v[:] = start, 0.0
        rope.x.ravel()[free] += state[: free.size]
        rope.v.ravel()[free] += state[free.size :]
        rope.run(h)
        return np.concatenate([(rope.x - start).ravel()[free], rope.v.ravel()[free]])

    start, size = rope.x.copy(), 1e-6
    unit = np.eye(2 * free.size) * size
    matrix = np.array([(after(row) - after(-row)) / (2.0 * size) for row in unit]).T
    return abs(np.linalg.eigvals(matrix)).max()


CASES = {
    "one end": (12, 0.05, {"held": (True, False)}),
    "both ends": (9, 0.05, {"held": (True, True)}),
    "no end": (7, 0.3, {"held": (False, False)}),
    "two masses": (2, 0.05, {"held": (True, False)}),
    "damped": (12, 0.05, {"held": (True, False), "friction": 5.0, "air": 0.4}),
}


@pytest.mark.parametrize("count, mass, options", CASES.values(), ids=CASES)
def test_the_step_is_where_an_eigenvalue_leaves_the_circle(count, mass, options) -> None:
    options = {"friction": 0.0, "air": 0.0} | options
    rope = Springs([[0.05 * i, 0.0, 0.0] for i in range(count)], mass, 0.05, 1e4, **options)
    found = stable_step(
        np.full(count, mass), 1e4, options["friction"], options["air"], options["held"]
    )
    assert growth(rope, found * 1.001, options["held"]) > 1.0 + 1e-4
    assert growth(rope, found * 0.999, options["held"]) < 1.0 + 1e-7


def test_the_tutorials_rope() -> None:
    """Misprint 30: 2.216 ms, and 2.237 ms without friction; its text has about 2 ms."""
    assert stable_step(np.full(80, 0.05), 1e4, 0.2, 0.02) == pytest.approx(2.216e-3, abs=5e-7)
    assert stable_step(np.full(80, 0.05), 1e4) == pytest.approx(2.237e-3, abs=7e-7)


def test_tension_and_bending_count_where_they_are_stiffer() -> None:
    """Across a rope under tension never, across one that resists bending."""
    mass, ends = np.full(30, 0.05), (True, True)
    stretched = Springs([[0.1 * i, 0, 0] for i in range(30)], 0.05, 0.05, 100.0, held=ends)
    plain = stable_step(mass, 100.0, held=ends)
    assert plain == stable_step(mass, 100.0, held=ends, rest_length=0.05, stretch=0.05)
    assert (
        growth(stretched, 0.999 * plain, ends) < 1.0 + 1e-7 < growth(stretched, 1.001 * plain, ends)
    )
    stiff = Springs(
        [[0.05 * i, 0, 0] for i in range(30)], 0.05, 0.05, 100.0, held=ends, bending=0.1
    )
    found = stable_step(mass, 100.0, held=ends, rest_length=0.05, bending=0.1)
    assert found < 0.3 * plain
    assert growth(stiff, 0.999 * found, ends) < 1.0 + 1e-7 < growth(stiff, 1.02 * found, ends)


def test_unequal_masses_get_a_bound() -> None:
    """Never above the limit, and at most a third below it."""
    random = np.random.default_rng(2)
    for held in ((True, False), (True, True), (False, False)):
        mass = random.uniform(0.02, 1.0, 10)
        rope = Springs(
            [[0.05 * i, 0.0, 0.0] for i in range(10)],
            1.0,
            0.05,
            1e4,
            friction=1.0,
            air=0.1,
            held=held,
        )
        rope.mass[:] = mass
        found = stable_step(mass, 1e4, 1.0, 0.1, held)
        assert growth(rope, found, held) < 1.0 + 1e-7
        assert growth(rope, 1.5 * found, held) > 1.0 + 1e-3


def test_the_ground_makes_it_shorter() -> None:
    """An upper bound for a rope that stands on end in a soft ground."""
    plane = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    rope = Springs(
        [[0.0, 0.0, 0.05 * i] for i in range(8)],
        0.05,
        0.05,
        1e4,
        repulsion=2000.0,
        absorption=0.0,
        ground=plane,
    )
    found = stable_step(np.full(8, 0.05), 1e4, held=(False, False), ground_stiffness=2000.0)
    assert found < stable_step(np.full(8, 0.05), 1e4, held=(False, False))
    assert (
        growth(rope, found * 0.9999, (False, False))
        < 1.0 + 1e-6
        < growth(rope, found * 1.01, (False, False))
    )


def test_ropes_without_anything_to_shake() -> None:
    assert stable_step([1.0, 1.0], 1e4, held=(True, True)) == np.inf
    assert stable_step([1.0, 1.0], 0.0, friction=1.0, held=(True, False)) == pytest.approx(2.0)
