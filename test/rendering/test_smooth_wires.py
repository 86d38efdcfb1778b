"""Hybrid wires are drawn smoothly through their masses, and straight where they touch."""

import numpy as np
import pytest

from cable_sim import Simulator, load_scene
from cable_sim.machine.pictures.frame import CablePicture, move_with_ends, smooth_at
from cable_sim.rendering.ropes import MOST_PIECES, Rope

PARTS = 3
NO_GAPS = np.zeros(0, dtype=np.int64)


def chord_offsets(line, points, parts):
    """Distance of each inner point of a line from its straight piece, over that one's length."""
    offsets = []
    for i, (start, end) in enumerate(zip(points[:-1], points[1:], strict=True)):
        way = end - start
        length = np.linalg.norm(way)
        inner = line[i * parts + 1 : (i + 1) * parts] - start
        if length > 0.0:
            offsets.append(np.linalg.norm(np.cross(inner, way / length), axis=1).max() / length)
        else:
            assert not inner.any()
            offsets.append(0.0)
    return np.array(offsets)


@pytest.fixture(scope="module")
def unwinding():
    """A wire about a block that falls out of it: masses and contact nodes."""
    scene = load_scene("wrapped_block")
    simulator = Simulator(scene, dt=1.0 / 60.0)
    simulator.step(25)
    return scene.cables[0], CablePicture.of(simulator.observe().cable("wire"))


def test_a_line_bends_at_its_bends_and_nowhere_else():
    """A zigzag of unequal lines, with coincident points, smooth at three of its corners."""
    points = np.array(
        [
            [0, 0, 0],
            [1, 1, 0],
            [1, 1, 0],
            [3, 0, 1],
            [3.1, 0.5, 1],
            [5, 0, 0],
            [7, 0, 3],
            [9, 0, 3],
        ],
        dtype=float,
    )
    bends = np.array([False, True, True, True, False, False, True, False])
    line = smooth_at(points, bends, NO_GAPS, PARTS)
    assert len(line) == PARTS * 7 + 1
    np.testing.assert_array_equal(line[::PARTS], points)
    offsets = chord_offsets(line, points, PARTS)
    assert offsets[4] == pytest.approx(0.0, abs=1e-12)
    assert offsets[1] == 0.0
    assert (offsets[[0, 2, 3, 5, 6]] > 0.01).all()
    ways = np.diff(smooth_at(points, bends, NO_GAPS, 400), axis=0)
    ways = ways[np.linalg.norm(ways, axis=1) > 0.0]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    turns = np.arccos(np.clip(np.sum(ways[1:] * ways[:-1], axis=1), -1.0, 1.0))
    assert np.count_nonzero(turns > 0.1) == 2, "kinks where it is not smooth"


def test_a_line_stays_near_its_straight_pieces():
    """The bound of the docstring, for random ways that turn by less than a right angle."""
    chance = np.random.default_rng(5)
    for _ in range(200):
        ways = np.array([1.0, 0.0, 0.0]) + chance.uniform(-0.7, 0.7, (12, 3))
        ways *= chance.uniform(0.05, 2.0, (12, 1))
        points = np.vstack([np.zeros((1, 3)), np.cumsum(ways, axis=0)])
        bends = chance.random(13) < 0.6
        ahead = ways / np.linalg.norm(ways, axis=1, keepdims=True)
        turn = np.arccos(np.clip(np.sum(ahead[1:] * ahead[:-1], axis=1), -1.0, 1.0))
        turn = np.concatenate([[0.0], turn, [0.0]]) * bends
        bound = 4.0 / 27.0 * (np.sin(turn[:-1]) + np.sin(turn[1:]))
        blunt = turn < 0.5 * np.pi
        blunt = blunt[:-1] & blunt[1:]
        line = smooth_at(points, bends, NO_GAPS, 6)
        assert (chord_offsets(line, points, 6)[blunt] <= bound[blunt] + 1e-12).all()


def test_the_bends_of_a_circle_are_round():
    """Twelve points: the line stays on it within half a per cent but at its straight ends."""
    angle = np.linspace(0.0, 2.0 * np.pi, 13)
    points = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(13)])
    line = smooth_at(points, np.ones(13, dtype=bool), NO_GAPS, PARTS)[PARTS:-PARTS]
    assert np.abs(np.linalg.norm(line, axis=1) - 1.0).max() < 5e-3


def test_a_bend_follows_the_shorter_of_its_lines():
    """The parabola through three points, over the length along their lines: 2 m in x, 8 m in y."""
    points = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 8.0, 0.0]])
    line = smooth_at(points, np.ones(3, dtype=bool), NO_GAPS, 10_000)
    for way in (line[10_000] - line[9_999], line[10_001] - line[10_000]):
        assert way[1] / way[0] == pytest.approx(0.25, rel=1e-2)


def test_ends_at_a_gap_are_straight():
    points = np.array(
        [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 0, 0], [4, 0, 0], [5, 1, 0]], dtype=float
    )
    line = smooth_at(points, np.ones(6, dtype=bool), np.array([2]), PARTS)
    offsets = chord_offsets(line, points, PARTS)
    assert offsets[2] == pytest.approx(0.0, abs=1e-12)
    assert (offsets[[0, 1, 3, 4]] > 0.01).all()


def test_the_line_of_a_wire_passes_its_masses_and_contact_nodes(unwinding):
    cable, picture = unwinding
    assert len(picture.masses) > 2 and len(picture.contacts) > 2
    rope = Rope(cable, PARTS)
    line = rope.line(picture, {})
    parts = rope.parts(len(picture.points))
    assert parts == PARTS and len(line.points) == parts * (len(picture.points) - 1) + 1
    assert len(line.tension) == len(line.colors) == len(line.there) == len(line.points) - 1
    np.testing.assert_array_equal(line.points[::parts], picture.points)
    offsets = chord_offsets(line.points, picture.points, parts)
    massive = (picture.points[:, None] == picture.masses).all(axis=2).any(axis=1)
    beside = massive[1:] | massive[:-1]
    assert offsets[beside].max() > 1e-3 and offsets.max() < 8.0 / 27.0
    assert offsets[~beside].max() < 1e-12, "between contact nodes it lies on the solid"


def test_a_wire_with_many_points_is_drawn_as_it_is(unwinding):
    rope = Rope(unwinding[0], PARTS)
    assert rope.parts(MOST_PIECES) == 1 and rope.parts(MOST_PIECES // 2) == 2
    assert Rope(load_scene("tower_crane").cables[0]).parts(5) == 1


def test_points_that_coincide_stay_together_when_ends_move() -> None:
    """A wire has more points than nodes; apart they would turn its tangents at random."""
    points = np.array([0.0, 4.0, 4.0, 4.0, 10.0, 10.0])[:, None] * np.array([1.0, 0.0, 0.0])
    moved = move_with_ends(points, points[0], points[-1] + [0.0, 0.0, 0.5])
    np.testing.assert_allclose(moved, points + 0.05 * points[:, :1] * [0.0, 0.0, 1.0], atol=1e-15)
    still = np.zeros((3, 3))
    np.testing.assert_array_equal(move_with_ends(still, still[0], still[0] + 2.0)[:, 0], [0, 1, 2])
