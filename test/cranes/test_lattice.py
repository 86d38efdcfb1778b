"""Lattices: complete, connected, and no more bars than a browser draws with ease."""

from collections import defaultdict

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim.cranes import load_crane
from cable_sim.cranes.families.kit.look import draw
from cable_sim.cranes.families.kit.words.parts import Drawn
from cable_sim.cranes.parts.drawn import square_lattice, triangle_lattice
from cable_sim.errors import SpecError
from cable_sim.spec import Segments

N_FALLS = pytest.mark.parametrize("n", [2, 4])


def parts(n=2):
    """Visuals of the crane by body."""
    by_body = defaultdict(dict)
    for visual in load_crane("tower_12t", {"reeving.n_falls": n}).scene.visuals:
        by_body[visual.body][visual.name] = visual
    return by_body


def reach(visual):
    """Bounding box of a visual's bars."""
    points = np.array(visual.shape.ends).reshape(-1, 3)
    return points.min(axis=0), points.max(axis=0)


@N_FALLS
def test_there_are_fewer_than_900_bars(n):
    visuals = load_crane("tower_12t", {"reeving.n_falls": n}).scene.visuals
    assert 300 < sum(len(v.shape.ends) for v in visuals if isinstance(v.shape, Segments)) < 900


def test_every_body_has_something_to_see():
    assert set(parts()) == {"world", "jib", "trolley", "hook_block", "load"}


def test_mast_and_jib_have_the_files_dimensions():
    low, high = reach(parts()["world"]["mast_1_chords"])
    assert high[0] - low[0] == pytest.approx(2.3)
    assert high[2] < load_crane("tower_12t").details.parts["jib"].at[2]
    assert high[2] > 60.0
    low, high = reach(parts()["jib"]["jib_4_chords"])
    assert high[0] == pytest.approx(70.0 + 1.2)  # beyond the trolley at the end of the chart


@pytest.mark.parametrize(
    "lattice",
    [
        square_lattice((0.0, 0.0, 0.5), (0.0, 0.0, 61.0), 2.3),
        square_lattice((1.0, 0.0, 0.0), (9.0, 20.0, 3.0), 1.5, 4.0),
        triangle_lattice(1.15, 70.0, 0.75, 0.35, (1.7, 1.05)),
    ],
)
def test_no_bar_is_without_length_and_none_stands_twice(lattice):
    chords, web = lattice
    bars = [frozenset(bar) for bar in (*chords, *web)]
    assert all(len(bar) == 2 for bar in bars)
    assert len(set(bars)) == len(bars)


def test_every_diagonal_of_the_jib_ends_at_a_chord():
    chords, web = triangle_lattice(0.0, 20.0, 0.75, 0.35, (1.7, 1.0))
    for bar in web:
        for x, y, z in bar:
            on_rail = abs(y) == 0.75 and z == 0.35
            on_top = y == 0.0 and z == pytest.approx(0.35 + 1.7 - 0.7 * x / 20.0)
            assert on_rail or on_top
    assert len(chords) == 3


@pytest.mark.parametrize(
    ("n", "drawn"),
    [(2, ["hook_block_near"]), (4, ["hook_block_near", "trolley_across", "hook_block_far"])],
)
def test_wheels_of_half_turns_are_drawn_where_the_rope_is(n, drawn):
    crane = load_crane("tower_12t", {"reeving.n_falls": n})
    rope = crane.scene.cables[0]
    wheels = [v for v in crane.scene.visuals if v.name in drawn]
    assert [wheel.name for wheel in wheels] == drawn
    turns = [i for i, node in enumerate(rope.nodes) if getattr(node, "half_turn", False)]
    for wheel, i in zip(wheels, turns, strict=True):
        first, last = (np.array(node.position) for node in rope.nodes[i : i + 2])
        np.testing.assert_allclose(wheel.position, 0.5 * (first + last), atol=1e-12)
        assert wheel.shape.radius == pytest.approx(0.5 * np.linalg.norm(last - first))
        axle = quat2mat(wheel.orientation)[:, 2]
        assert axle @ (last - first) == pytest.approx(0.0, abs=1e-12) == axle[2]


def other_side(point):
    """Return a point with y turned round."""
    return point[0], -point[1], point[2]


def test_mirrored_shapes_are_drawn_on_both_sides():
    chain = ((1.0, 0.5, 0.0), (1.0, 0.5, 2.0), (0.0, 0.0, 3.0))
    shapes = (
        Drawn(bars=(chain,), mirrored=True),
        Drawn(box=(1.0, 0.1, 0.2), at=(0.0, 0.4, 1.0), mirrored=True),
        Drawn(lattice=((0.0, 1.0, 0.0), (9.0, 1.0, 0.0)), side=0.5, mirrored=True),
    )
    bars, box, lattice = (draw("part", "jib", (0.0, 0.0, 0.0), shape) for shape in shapes)
    assert [b.shape.ends for b in bars] == [
        (chain[:2], chain[1:]),
        tuple((other_side(a), other_side(b)) for a, b in (chain[:2], chain[1:])),
    ]
    assert [b.position for b in box] == [(0.0, 0.4, 1.0), (0.0, -0.4, 1.0)]
    assert len({visual.name for visual in lattice}) == len(lattice) == 4
    (low, high), (mirrored_low, mirrored_high) = (reach(lattice[i]) for i in (0, 2))
    assert (mirrored_low[1], mirrored_high[1]) == pytest.approx((-high[1], -low[1]))
    assert mirrored_low[[0, 2]] == pytest.approx(low[[0, 2]])
    with pytest.raises(SpecError, match=naming("mirrored towards")):
        Drawn(cylinder=(0.1, 1.0), towards="jib.tip", mirrored=True)


@N_FALLS
def test_the_hooks_bowl_is_where_the_slings_hold(n):
    crane = load_crane("tower_12t", {"reeving.n_falls": n})
    hook = next(v for v in crane.scene.visuals if v.name == "hook_block_hook")
    assert isinstance(hook.shape, Segments)
    lowest = min(point[2] for bar in hook.shape.ends for point in bar)
    sling = crane.scene.cables[1].nodes[0]
    assert lowest == pytest.approx(sling.position[2], abs=1e-9)


@N_FALLS
def test_the_rope_runs_free_of_mast_and_deck(n):
    crane = load_crane("tower_12t", {"reeving.n_falls": n})
    visuals = {visual.name: visual for visual in crane.scene.visuals}
    turntable = visuals["jib_2"]
    assert turntable.position[2] + 0.5 * turntable.shape.z < 0.0
    assert reach(visuals["jib_4_chords"])[0][2] > 0.0
    motor = visuals["jib_13"]
    assert motor.position[1] - 0.5 * motor.shape.y > 0.2
