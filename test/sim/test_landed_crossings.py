"""Rope that lies on rope on a pole: what it weighs, slides, locks and lifts, node by node."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from test_wire_crossing import draped

from cable_sim import Simulator
from cable_sim.kernels import wires as kernel_records
from cable_sim.kernels.cables.contact.contact_path import (
    CROSSED,
    FORWARD,
    FREE,
    HEIGHT,
    LANDED,
    STUCK,
)
from cable_sim.kernels.cables.crossing.crossing_landing import (
    bend_force,
    face_below,
    lift,
    nearest_solid,
    press,
    pull,
    slide_node,
    slide_stiffness,
    take_to,
    update_landed,
)
from cable_sim.kernels.cables.crossing.crossing_nodes import add_crossing, remove_crossing
from cable_sim.kernels.cables.crossing.crossing_rows import (
    NUMBER,
    PRESSED,
    SHARE,
    find_crossing_nodes,
)
from cable_sim.kernels.cables.friction.node_law import crossing_friction_ratio
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.records.lines import Around, Nodes, WireLines
from cable_sim.model.cables import laid_crossings
from cable_sim.scenes import load_scene
from cable_sim.scenes.hitches import DIAMETER

Points = NDArray[np.float64]
STEP = 1.0 / 240.0


class Hitch(NamedTuple):
    """A hitch that holds, with the records that kernels of crossings take."""

    simulator: Simulator
    wires: WireLines
    nodes: Nodes
    lower: int
    upper: int


def combined(kind: Any, *records: Any) -> Any:
    """Return a record with the fields of others by their names, the first that has one."""
    found: dict[str, Any] = {}
    for name, value in itertools.chain.from_iterable(r._asdict().items() for r in records):
        found.setdefault(name, value)
    return kind(**{name: found[name] for name in kind._fields})


def records(simulator: Simulator) -> tuple[WireLines, Nodes]:
    """Return the wires and nodes of a simulator, as ``kernels/wires.py`` combines them."""
    m, s, w = simulator._running.model, simulator._state, simulator._work
    moving, waves = (
        made.py_func(m, s, w) for made in (kernel_records.moving, kernel_records.waves)
    )
    around = Around(moving, waves, m.touches, w.touches)
    nodes = combined(
        Nodes, around, s.nodes, s.spans, s.touches, s.wires, w.nodes, w.spans, w.segments, w.cables
    )
    wires = combined(WireLines, m.wires, m.cables, m.twist, m.spans, m.wind, m.rows, m)
    return wires, nodes


@pytest.fixture
def hitch() -> Hitch:
    """A clove hitch about a pole, after half a second."""
    simulator = Simulator(load_scene("hitch", kind="clove_hitch"), STEP)
    simulator.step(120)
    wires, nodes = records(simulator)
    landed = np.flatnonzero(nodes.contact_solid == LANDED)
    first = int(landed[0])
    (other,) = [int(k) for k in landed[1:] if nodes.line[k, NUMBER] == nodes.line[first, NUMBER]]
    radius = np.hypot(nodes.position[:, 0], nodes.position[:, 2])
    lower, upper = (first, other) if radius[first] < radius[other] else (other, first)
    return Hitch(simulator, wires, nodes, lower, upper)


def normal(hitch: Hitch) -> Points:
    """Return the outward normal of the face below a crossing."""
    _, out = face_below(
        0, tuple(hitch.nodes.position[hitch.lower]), hitch.nodes.solids, hitch.nodes.bodies
    )
    return np.array(out)


def shake(hitch: Hitch, size: float, seed: int = 0) -> Points:
    """Return a place beside the lower node [m]."""
    return hitch.nodes.position[hitch.lower] + size * np.random.default_rng(seed).normal(size=3)


def test_ropes_lie_their_thickness_apart(hitch: Hitch) -> None:
    apart = hitch.nodes.position[hitch.upper] - hitch.nodes.position[hitch.lower]
    assert apart == pytest.approx(DIAMETER * normal(hitch), abs=1e-9)


def test_pulls_are_those_of_the_spans_beside(hitch: Hitch) -> None:
    """T_out u_out - T_in u_in, and its part by the bend alone: the mean of both tensions."""
    nodes = hitch.nodes
    for k in (hitch.lower, hitch.upper):
        before, behind = nodes.tension_impulse[k - 1], nodes.tension_impulse[k]
        come, go = nodes.direction[k - 1], nodes.direction[k]
        force, total = pull(k, nodes)
        assert total == before + behind > 0.0
        assert force == pytest.approx(behind * go - before * come, rel=1e-12)
        bend = np.array(bend_force(k, nodes))
        rest = 0.5 * (behind - before) * (go + come)
        assert bend + rest == pytest.approx(np.array(force), rel=1e-12)


def test_the_bound_is_what_presses_times_friction(hitch: Hitch) -> None:
    """P = mu_rope s max(N_upper - |F_lower . n|, 0) + mu_solid N, from the tensions by hand."""
    nodes, (lower, upper) = hitch.nodes, (hitch.lower, hitch.upper)
    out = normal(hitch)
    on_lower, on_upper = (np.array(pull(k, nodes)[0]) @ out for k in (lower, upper))
    number = int(nodes.line[lower, NUMBER])
    pair = int(np.searchsorted(hitch.wires.crossings.body, number, "right")) - 1
    a, b = find_crossing_nodes(pair, number, hitch.wires, nodes)
    assert update_landed(STEP, pair, a, b, hitch.wires, nodes)
    share = nodes.line[lower, SHARE]
    between = share * max(-on_upper - abs(on_lower), 0.0)
    mu_rope, mu_solid = hitch.wires.crossings.friction[pair], nodes.solids.friction[0]
    bound = mu_rope * between - mu_solid * (on_lower + on_upper)
    assert bound > 0.0 and mu_rope > 0.0 and mu_solid > 0.0
    assert nodes.line[lower, PRESSED] == pytest.approx(bound, rel=1e-9)
    assert nodes.line[upper, PRESSED] == 0.0


@pytest.mark.parametrize("state", [FREE, STUCK])
def test_rope_beside_a_node_that_is_taken_elsewhere_lies_evenly(hitch: Hitch, state: int) -> None:
    nodes, k = hitch.nodes, hitch.lower
    nodes.friction_state[k] = state
    rope = nodes.rest_length[k - 1] + nodes.rest_length[k]
    place = shake(hitch, 1e-3)
    take_to(0, k, tuple(place), nodes)
    assert nodes.position[k] == pytest.approx(place, abs=1e-12)
    assert nodes.rest_length[k - 1] + nodes.rest_length[k] == pytest.approx(rope, rel=1e-14)
    ratio = nodes.rest_length[k - 1 : k + 1] / nodes.length[k - 1 : k + 1]
    assert ratio[0] == pytest.approx(ratio[1], rel=1e-12)
    for span in (k - 1, k):
        way = nodes.position[span + 1] - nodes.position[span]
        assert nodes.length[span] == pytest.approx(np.linalg.norm(way), rel=1e-12)


@pytest.mark.parametrize("sticks", [False, True])
def test_rope_runs_over_a_node_that_slides_unless_it_sticks(hitch: Hitch, sticks: bool) -> None:
    """Running rope keeps the strain of both spans to each other, sticking rope its lengths."""
    nodes, k = hitch.nodes, hitch.lower
    nodes.friction_state[k] = STUCK if sticks else FREE
    nodes.rest_length[k - 1] *= 0.999
    rest = nodes.rest_length[k - 1 : k + 1].copy()
    ratio = rest / nodes.length[k - 1 : k + 1]
    slide_node(0, k, tuple(shake(hitch, 5e-4)), nodes)
    after = nodes.rest_length[k - 1 : k + 1]
    assert after.sum() == pytest.approx(rest.sum(), rel=1e-14)
    if sticks:
        assert (after == rest).all()
    else:
        assert after[0] != pytest.approx(rest[0], rel=1e-6)
        now = after / nodes.length[k - 1 : k + 1]
        assert now[0] / now[1] == pytest.approx(ratio[0] / ratio[1], rel=1e-12)


@pytest.mark.parametrize("sticks", [False, True])
def test_stiffness_of_a_slide_is_the_slope_of_the_pulls(hitch: Hitch, sticks: bool) -> None:
    """Differences of T u of both spans; K counts T / l along them, too, which they do not have."""
    nodes, k = hitch.nodes, hitch.lower
    nodes.friction_state[k] = STUCK if sticks else FREE
    random = np.random.default_rng(3)
    per_length = hitch.wires.compliance_per_length[0]
    ends = nodes.position[[k - 1, k + 1]]
    tension = nodes.tension_impulse[[k - 1, k]] / STEP
    here, length = nodes.position[k], nodes.length[[k - 1, k]]
    stiff = 1.0 / (per_length * nodes.rest_length[[k - 1, k]]) if sticks else np.zeros(2)

    def force(place: Points) -> Points:
        way = ends - place
        size = np.linalg.norm(way, axis=1)
        return ((tension + stiff * (size - length)) / size) @ way

    for _ in range(5):
        along = random.normal(size=3)
        along /= np.linalg.norm(along)
        small = 1e-7
        slope = (force(here - small * along) - force(here + small * along)) @ along / (2 * small)
        cosine = ((ends - here) / length[:, None]) @ along
        counted = slide_stiffness(STEP, 0, k, tuple(along), hitch.wires, nodes) / STEP
        assert counted == pytest.approx(slope + (tension / length) @ cosine**2, rel=1e-5)


@pytest.mark.parametrize(("share", "locks"), [(0.999, False), (1.001, True)])
def test_rope_locks_where_slack_rope_would_not_be_drawn(
    hitch: Hitch, share: float, locks: bool
) -> None:
    """T_high (1 - m) = P is the limit."""
    nodes, k = hitch.nodes, hitch.upper
    nodes.friction_state[k] = FORWARD
    high = max(nodes.tension_impulse[k - 1], nodes.tension_impulse[k])
    ratio = crossing_friction_ratio(k, nodes)
    assert ratio > 0.01
    bound = share * high * (1.0 - ratio)
    press(k, bound, nodes)
    assert nodes.line[k, PRESSED] == bound
    assert nodes.friction_state[k] == (STUCK if locks else FORWARD)


def test_a_crossing_that_is_lifted_is_a_free_one(hitch: Hitch) -> None:
    nodes, k = hitch.nodes, hitch.lower
    number = int(nodes.line[k, NUMBER])
    rope = nodes.rest_length.sum()
    lift(0, k, 0, tuple(shake(hitch, 1e-3)), hitch.wires, nodes)
    assert nodes.contact_solid[k] == CROSSED and nodes.body[k] == number
    assert nodes.line[k, HEIGHT] == 0.5 * DIAMETER
    assert (nodes.velocity[k] == 0.0).all()
    assert nodes.rest_length.sum() == pytest.approx(rope, rel=1e-14)


def test_the_nearest_face_is_the_one_with_the_least_depth(hitch: Hitch) -> None:
    """Depth of random points, from the planes of the pole's faces."""
    nodes, solids = hitch.nodes, hitch.nodes.solids
    random = np.random.default_rng(4)
    body = int(solids.body[0])
    turn = load_quaternion(nodes.bodies.orientation, body)
    faces = slice(solids.face_start[0], solids.face_start[1])
    normals = np.array([rotate(turn, tuple(n)) for n in solids.face_normal[faces]])
    offsets = solids.face_offset[faces]
    seen = 0
    for _ in range(200):
        point = random.uniform(-0.15, 0.15, 3)
        depths = offsets - normals @ (point - nodes.bodies.position[body])
        t, deep, out = nearest_solid(0, tuple(point), 0.02, nodes)
        assert (t == 0) == (depths.min() > -0.02)
        if t == 0:
            seen += 1
            assert deep == pytest.approx(depths.min(), abs=1e-12)
            assert out == pytest.approx(normals[depths.argmin()], abs=1e-12)
    assert 20 < seen < 180


def test_a_removed_crossing_gives_rope_back() -> None:
    """Put into any two spans and removed, it gives back rope, accounts and places."""
    random = np.random.default_rng(5)
    simulator = Simulator(draped(), STEP)
    simulator.step(5)
    simulator.observe()  # places the nodes
    wires, nodes = records(simulator)
    first, second = (
        np.flatnonzero(nodes.length[slice(*wires.node_start[c : c + 2])][:-1] > 0.0)
        + wires.node_start[c]
        for c in (0, 1)
    )
    fields = ("rest_length", "length", "path_offset", "position", "contact_solid", "body")
    m, n = (list(wires.cable).index(c) for c in (0, 1))
    order = (m, n) if wires.crossings.wire[0, 0] == m else (n, m)
    spans = {m: first, n: second}
    for _ in range(20):
        before = {name: getattr(nodes, name).copy() for name in fields}
        i, j = (int(random.choice(spans[wire])) for wire in order)
        x, y = random.uniform(0.2, 0.8, 2)
        found = 1.0, i, j, 1.0, x, y
        body = add_crossing(0, found, (0.0, 0.0, 1.0), 0.5, wires, nodes)
        assert body >= 0
        a, b = find_crossing_nodes(0, body, wires, nodes)
        assert nodes.contact_solid[a] == nodes.contact_solid[b] == CROSSED
        assert nodes.rest_length.sum() == pytest.approx(before["rest_length"].sum(), rel=1e-14)
        for wire, k in sorted(zip(order, (a, b), strict=True), key=lambda one: -one[1]):
            remove_crossing(wire, k, wires, nodes)
        for name in fields:
            assert getattr(nodes, name) == pytest.approx(before[name], abs=1e-12), name


@pytest.mark.parametrize("inside", [True, False])
def test_spans_of_one_face_cross_where_their_lines_do(inside: bool) -> None:
    """The parts of both spans at their meeting, from which the spans are made."""
    random = np.random.default_rng(6)
    for _ in range(50):
        point, u, v = random.normal(size=(3, 3))
        x = random.uniform(0.05, 0.95) if inside else random.uniform(1.1, 2.0)
        y = random.uniform(0.05, 0.95)
        if np.linalg.norm(np.cross(u, v)) < 0.3 * np.linalg.norm(u) * np.linalg.norm(v):
            continue
        a, c = point - x * u, point - y * v
        on_first, on_second = laid_crossings._crossing_parts(a, a + u, c[None], (c + v)[None])
        if inside:
            assert (on_first[0], on_second[0]) == pytest.approx((x, y), abs=1e-9)
        else:
            assert math.isnan(on_first[0]) and math.isnan(on_second[0])


def test_spans_above_one_another_or_along_do_not_cross() -> None:
    a, b = np.zeros(3), np.array([1.0, 0.0, 0.0])
    above = np.array([[0.5, -0.5, 2.0 * laid_crossings.TOUCHING]])
    on_first, _ = laid_crossings._crossing_parts(a, b, above, above + [0.0, 1.0, 0.0])
    assert math.isnan(on_first[0])
    along = np.array([[0.2, -0.001, 0.0]])
    on_first, _ = laid_crossings._crossing_parts(a, b, along, along + [1.0, 0.02, 0.0])
    assert math.isnan(on_first[0]), "at a slope below ASKEW"


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.1, 0.35), (0.5, 1.0)])
def test_a_part_of_a_path_has_that_part_of_its_length(bounds: tuple[float, float]) -> None:
    path = np.random.default_rng(7).normal(size=(6, 3))
    part = laid_crossings._part_of(path, bounds)

    def length(points: Points) -> float:
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    assert length(part) == pytest.approx((bounds[1] - bounds[0]) * length(path), rel=1e-12)


def test_the_nearest_point_of_a_path_is_nearer_than_any_other() -> None:
    random = np.random.default_rng(8)
    path = random.normal(size=(5, 3))
    for _ in range(50):
        point = 2.0 * random.normal(size=3)
        found = laid_crossings._nearest(path, point)
        t = np.linspace(0.0, 1.0, 501)[:, None]
        every = np.concatenate([a + t * (b - a) for a, b in itertools.pairwise(path)])
        distance = np.linalg.norm(every - point, axis=1).min()
        assert np.linalg.norm(found - point) <= distance + 1e-12
        assert np.linalg.norm(found - point) >= distance - 1e-4
