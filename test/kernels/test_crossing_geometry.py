"""Crossings of ropes as geometry and as a law: nearest spans, passages, twist, and the capstan."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import lsq_linear
from test_passages import Points, passages

from cable_sim.kernels.cables.contact.contact_path import (
    BACKWARD,
    COLUMNS,
    CROSSED,
    FORWARD,
    FREE,
    LANDED,
    MASSIVE,
    SIDE,
    STUCK,
)
from cable_sim.kernels.cables.crossing.crossing_friction import (
    handed_on,
    least_strain,
    level_shift,
    share_friction,
)
from cable_sim.kernels.cables.crossing.crossing_rows import BEFORE, PRESSED, ROUGH, SHARE, TURNS
from cable_sim.kernels.cables.crossing.crossing_sides import (
    begin_turn,
    choose_normal,
    count_passages,
    set_normal,
    untwists,
)
from cable_sim.kernels.cables.crossing.crossing_touches import nearest_parts, touch
from cable_sim.kernels.cables.crossing.crossing_twists import SHARP, turn_towards
from cable_sim.kernels.cables.crossing.span_search import (
    ALL,
    begin_motions,
    find_first_passage,
    relative_motion,
)
from cable_sim.kernels.cables.friction.node_law import crossing_friction_ratio, turn_angle

UP = np.array([0.0, 0.0, 1.0])


class Nodes(NamedTuple):
    """Nodes of two wires with as many each, one behind the other: what a search of them reads."""

    position: Points
    point: Points
    line: Points
    direction: Points
    length: Points
    contact_solid: NDArray[np.int64]
    friction_state: NDArray[np.int64]
    body: NDArray[np.int64]
    start: Points
    swept: Points


class Crossings(NamedTuple):
    """One pair of wires: the first body for its crossings, both wires, the sum of their radii."""

    body: NDArray[np.int64]
    wire: NDArray[np.int64]
    thickness: Points


class Wires(NamedTuple):
    """Cables of both wires, the first nodes of these, and their crossings."""

    cable: NDArray[np.int64]
    node_start: NDArray[np.int64]
    crossings: Crossings


def nodes_at(places: Points) -> Nodes:
    """Return the nodes of two wires at places (2, n, 3) [m], none of them in contact."""
    n = places.shape[1]
    flat = places.reshape(-1, 3).copy()
    span = np.append(np.diff(flat, axis=0), [[0.0, 0.0, 0.0]], axis=0)
    span[n - 1] = 0.0
    length = np.linalg.norm(span, axis=1)
    direction = span / np.maximum(length, 1e-300)[:, None]
    kinds = np.full(2 * n, MASSIVE), np.full(2 * n, FREE), np.zeros(2 * n, dtype=np.int64)
    return Nodes(
        flat,
        flat.copy(),
        np.zeros((2 * n, COLUMNS)),
        direction,
        length,
        *kinds,
        flat.copy(),
        np.zeros((2 * n, 8)),
    )


def two_wires(n: int, thickness: float = 0.02) -> Wires:
    """Return a pair of wires of n nodes each."""
    crossings = Crossings(np.array([7]), np.array([[0, 1]]), np.array([thickness]))
    return Wires(np.array([0, 1]), np.array([0, n, 2 * n]), crossings)


def unit(random: np.random.Generator, n: int | None = None) -> Points:
    """Return random directions, (3,) or (n, 3)."""
    vector = random.normal(size=3 if n is None else (n, 3))
    return vector / np.linalg.norm(vector, axis=-1, keepdims=True)


def test_spans_are_nearest_where_bounded_least_squares_are() -> None:
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        places = random.uniform(-1.0, 1.0, (2, 2, 3))
        (p, p_end), (q, q_end) = places
        across = np.stack([p_end - p, q - q_end], axis=1)
        expected = lsq_linear(across, q - p, (0.0, 1.0), tol=1e-14).x
        found = nearest_parts(0, 2, nodes_at(places))
        inside += 0.0 < min(found) and max(found) < 1.0
        assert found == pytest.approx(expected, abs=1e-5)
    assert 20 < inside < 180


@pytest.mark.parametrize(
    "begin, end, touches", [(0.05, 0.02, True), (0.05, 0.04, False), (0.025, 0.02, False)]
)
@pytest.mark.parametrize("angle", [0.5 * math.pi, 0.4])
def test_spans_across_one_another_touch_at_a_distance(
    begin: float, end: float, touches: bool, angle: float
) -> None:
    """One comes straight down onto the other; along it, or beside it, they do not touch at a
    point."""
    along = np.array([math.cos(angle), math.sin(angle), 0.0])
    across = np.array([[-along, along], [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]])
    across[0, :, 2] = end
    nodes = nodes_at(across)
    nodes.start[:] = nodes.position
    nodes.start[:2, 2] = begin
    found, x, y, away = touch(0, 2, 0.03, False, nodes)
    assert found == touches
    if touches:
        assert (x, y) == pytest.approx((0.5, 0.5)) and away == pytest.approx((0.0, 0.0, end))
    nodes.start[:2] = nodes.position[:2] + [0.5, 0.0, 0.001]  # beside it: it slides past
    assert not touch(0, 2, 0.03, False, nodes)[0]
    nodes.direction[0] = nodes.direction[2]  # along it
    nodes.start[:2, 2] = begin
    assert not touch(0, 2, 0.03, False, nodes)[0]


def test_the_first_passage_of_two_wires_is_the_earliest() -> None:
    """Compared with the roots of the cubic of every pair of spans."""
    random = np.random.default_rng(2)
    n = 5
    wires = two_wires(n)
    seen = 0
    for _ in range(100):
        before, after = random.uniform(-1.0, 1.0, (2, 2, n, 3))
        nodes = nodes_at(before)
        begin_motions(wires, nodes)
        nodes.position[:] = after.reshape(-1, 3)
        side, i, j, time, x, y = find_first_passage(0, ALL, wires, nodes)
        expected = []
        for a in range(n - 1):
            for b in range(n - 1):
                spans = [np.stack([m[0, a : a + 2], m[1, b : b + 2]]) for m in (before, after)]
                found = passages(*spans)
                if len(found) % 2:  # two in one motion take one another back
                    expected.append((found[-1][1], found[0][0], a, n + b))
        seen += bool(expected)
        if not expected:
            assert side == 0.0
            continue
        first = min(expected)
        assert time == pytest.approx(first[0], abs=1e-8) and (side, i, j) == first[1:]
        moved = [
            (1.0 - s) * (after - before).reshape(-1, 3)[k]
            + s * (after - before).reshape(-1, 3)[k + 1]
            for s, k in ((x, i), (y, j))
        ]
        motion = relative_motion((side, i, j, time, x, y), nodes)
        assert motion == pytest.approx(moved[0] - moved[1], abs=1e-9)
    assert 50 < seen


def crossed(legs: Points, normal: Points) -> Nodes:
    """Return two wires that meet at the origin, with the ends of their legs (2, 2, 3) [m]."""
    nodes = nodes_at(np.insert(legs, 1, 0.0, axis=1))
    for k, side in ((1, 1.0), (4, -1.0)):
        nodes.contact_solid[k], nodes.body[k] = CROSSED, 7
        nodes.line[k, :3], nodes.line[k, BEFORE : BEFORE + 3], nodes.line[k, SIDE] = (
            normal,
            normal,
            side,
        )
    return nodes


def lead(nodes: Nodes, path: Points, first: int = 0) -> None:
    """Lead the last end of wire A along a path (m, 3) [m], and count the turns of the crossing."""
    for place in path:
        nodes.start[:] = nodes.position
        begin_turn(1, 4, nodes)
        nodes.position[2] = place
        nodes.direction[1] = place / np.linalg.norm(place)
        nodes.line[[1, 4], TURNS] = choose_normal(1, 4, first, False, nodes)


def turns_with(normal: Points, nodes: Nodes, by: Points) -> float:
    """Return the turns that the crossing has with another normal, turned there by way of ``by``."""
    nodes.start[:] = nodes.position
    turns = float(nodes.line[1, TURNS])
    for goal in (by, normal):
        begin_turn(1, 4, nodes)
        set_normal(1, 4, tuple(goal / np.linalg.norm(goal)), nodes)
        turns += count_passages(1, 4, False, nodes)[0]
    begin_turn(1, 4, nodes)
    nodes.line[[1, 4], TURNS] = turns
    return turns


def round_the_leg(rounds: float) -> Points:
    """Return a way of a leg's end around that of the other rope along x, in uneven steps."""
    angles = np.linspace(0.0, rounds * 2.0 * math.pi, 1 + int(48 * abs(rounds)))
    wide = np.tan(
        0.25 * math.pi * (1.0 + 0.5 * np.sin(np.linspace(0.0, 2.0 * math.pi, angles.size)))
    )
    return np.stack([np.ones_like(angles), wide * np.sin(angles), wide * np.cos(angles)], axis=1)


OPEN = np.array([[[-1.0, 0.1, 1.0], [1.0, 0.0, 1.0]], [[-1.0, 0.2, -1.0], [1.0, 0.0, 0.0]]])
"""A lies on B, and both legs of either go to the sides."""
BESIDE = np.array([0.2, 0.9, 0.1])


@pytest.mark.parametrize("rounds", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_leg_that_is_led_round_the_other_rope_leaves_its_turns(rounds: int, first: int) -> None:
    """All is where it was, but Gauss's linking number of both ropes has changed by one a round."""
    nodes = crossed(OPEN, UP)
    way = round_the_leg(rounds)
    lead(nodes, way, first)
    assert turns_with(UP, nodes, BESIDE) == -rounds
    assert untwists((0.0, 0.0, 1.0), 1, 4, False, nodes) == (rounds == 0)
    lead(nodes, way[::-1], first)
    assert turns_with(UP, nodes, BESIDE) == 0.0


def test_turns_do_not_depend_on_the_way_but_on_its_rounds() -> None:
    """Random ways that never come near the other rope's legs, closed in the end."""
    random = np.random.default_rng(4)
    for _ in range(20):
        nodes = crossed(OPEN, UP)
        steps = np.cumsum(random.uniform(-0.5, 0.5, 60))
        angles = np.append(steps, [0.0, 0.0]) if abs(steps[-1]) < 0.5 else steps
        rounds = round(float(angles[-1]) / (2.0 * math.pi))
        angles = np.append(angles, np.linspace(angles[-1], rounds * 2.0 * math.pi, 20))
        way = np.stack([np.ones_like(angles), np.sin(angles), np.cos(angles)], axis=1)
        lead(nodes, way)
        assert turns_with(UP, nodes, BESIDE) == -rounds


def test_ropes_are_untwisted_where_no_turn_is_left_on_any_way() -> None:
    """Turned by a quarter first, or by another way, a normal passes the arcs as often."""
    random = np.random.default_rng(6)
    free = 0
    for _ in range(200):
        legs, (normal, apart, by) = unit(random, 4).reshape(2, 2, 3), unit(random, 3)
        nodes = crossed(legs, normal)
        nodes.line[[1, 4], TURNS] = random.integers(-1, 2)
        other = crossed(legs, normal)
        other.line[:] = nodes.line
        expected = turns_with(apart, other, by) == 0.0
        if nodes.line[1, TURNS] == 0.0 and normal @ apart > 0.0:
            expected = True  # nothing to be turned back
        assert untwists(tuple(2.0 * apart), 1, 4, False, nodes) == expected
        free += expected
        turned = not (nodes.line[1, :3] == normal).all()
        assert not turned or (nodes.line[1, :3] == pytest.approx(apart) and expected)
    assert 40 < free < 160


def test_a_normal_that_is_turned_has_a_clear_way_to_its_goal() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        normal, goal, along = unit(random, 3)
        if random.random() < 0.2:
            goal = -normal
        nodes = crossed(OPEN, normal)
        turned = turn_towards(1, 4, tuple(goal), tuple(along), nodes)
        assert turned == (normal @ goal < -SHARP)
        now = nodes.line[1, :3]
        assert np.linalg.norm(now) == pytest.approx(1.0)
        assert now @ goal >= -SHARP - 1e-12 and (nodes.line[4, :3] == now).all()
        assert now @ normal >= -1e-9, "no more than a quarter"


def bent(before: Points, after: Points, friction: float, share: float = 1.0) -> Nodes:
    """Return a wire that turns at node 1 of a crossing, as both wires of it do."""
    nodes = crossed(np.stack([[-before, after], [-before, after]]), UP)
    nodes.line[[1, 4], ROUGH], nodes.line[[1, 4], SHARE] = friction, share
    return nodes


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("angle", [0.0, 0.3, 0.5 * math.pi, 3.0, math.pi])
def test_rope_that_slips_over_rope_has_the_ratio_of_the_capstan(
    friction: float, angle: float
) -> None:
    """T_high / T_low = exp(mu theta), with m = tanh(mu theta / 2) as (1 + m) / (1 - m)."""
    before, after = np.array([1.0, 0.0, 0.0]), np.array([math.cos(angle), 0.0, -math.sin(angle)])
    assert turn_angle(tuple(before), tuple(after)) == pytest.approx(angle, abs=1e-12)
    m = crossing_friction_ratio(1, bent(before, after, friction))
    assert (1.0 + m) / (1.0 - m) == pytest.approx(math.exp(friction * angle))
    half = crossing_friction_ratio(1, bent(before, after, friction, 0.5))
    assert (1.0 + half) / (1.0 - half) == pytest.approx(math.exp(0.5 * friction * angle))


def test_rope_without_a_direction_has_no_friction() -> None:
    nodes = bent(UP, np.array([1.0, 0.0, 0.0]), 0.3)
    nodes.direction[1] = 0.0
    assert crossing_friction_ratio(1, nodes) == 0.0


@pytest.mark.parametrize("pressed", [0.0, 3.0])
def test_what_lies_on_a_rope_adds_to_its_bound(pressed: float) -> None:
    """T_high - T_low = m (T_high + T_low) + P, from either side; a rope never pushes."""
    m = 0.2
    ratio, growth = (1.0 - m) / (1.0 + m), (1.0 + m) / (1.0 - m)
    nodes = bent(UP, np.array([1.0, 0.0, 0.0]), 0.3)
    nodes.line[1, PRESSED] = pressed
    assert handed_on(1, 50.0, ratio, nodes) == pytest.approx(50.0 * ratio), "off solids"
    nodes.contact_solid[1] = LANDED
    low = handed_on(1, 50.0, ratio, nodes)
    assert 50.0 - low == pytest.approx(m * (50.0 + low) + pressed)
    assert handed_on(1, 0.5 * pressed, ratio, nodes) == 0.0
    for state, factor in ((FORWARD, growth), (BACKWARD, ratio), (STUCK, 1.0)):
        nodes.friction_state[1] = state
        behind = factor * 40.0 + level_shift(1, factor, nodes)
        grows = {FORWARD: 1.0, BACKWARD: -1.0, STUCK: 0.0}[state]
        assert behind - 40.0 == pytest.approx(grows * (m * (behind + 40.0) + pressed))


@pytest.mark.parametrize("angle", [0.0, 0.5, 0.5 * math.pi, math.pi])
@pytest.mark.parametrize("states", [(FORWARD, FORWARD), (FORWARD, BACKWARD), (FORWARD, STUCK)])
def test_friction_of_two_ropes_is_one_force_that_brakes_both(
    angle: float, states: tuple[int, int]
) -> None:
    """Its part along either motion is w_1 . (w_1 - w_2) / |w_1 - w_2|, come to in a few steps."""
    straight = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    turned = straight @ np.array(
        [[math.cos(angle), math.sin(angle), 0.0], [-math.sin(angle), math.cos(angle), 0.0], UP]
    )
    nodes = crossed(np.stack([straight, turned]), UP)
    nodes.line[[1, 4], SHARE] = 1.0
    nodes.friction_state[[1, 4]] = states
    runs = straight[1], turned[1] if states[1] == FORWARD else -turned[1]
    past = runs[0] - runs[1]
    size = float(np.linalg.norm(past))
    expected = 1.0 if states[1] == STUCK else runs[0] @ past / size if size > 1e-12 else 0.0
    shares = [share_friction(1, 4, nodes) for _ in range(100)]
    assert shares[-1] == pytest.approx(expected, abs=1e-9) == pytest.approx(nodes.line[4, SHARE])
    steps = np.abs(np.diff([1.0, *shares]))
    assert (steps <= 0.25 * abs(1.0 - expected) + 1e-12).all(), "at no time at once"


@pytest.mark.parametrize("kind, least", [(MASSIVE, -1.0), (CROSSED, 0.0), (LANDED, 0.0)])
def test_slack_rope_is_taken_in_at_once_over_a_crossing_alone(kind: int, least: float) -> None:
    nodes = nodes_at(np.zeros((2, 3, 3)))
    nodes.contact_solid[1] = kind
    assert least_strain(0, 2, nodes) == least
