"""Boxes about bodies, and whether they overlap: against points drawn at random."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transforms3d.quaternions import quat2mat

from cable_sim.cranes import load_crane
from cable_sim.machine.pictures.extents import Block, block, extents
from cable_sim.spec import Box, Cylinder, Sphere

numbers = st.integers(0, 2**32 - 1)


def random_block(random, size=1.0):
    turn = random.normal(size=4)
    return Block(
        random.normal(size=3),
        quat2mat(turn / np.linalg.norm(turn)),
        size * random.uniform(0.1, 1.0, 3),
    )


def inside(solid, points, margin=0.0):
    """Which of the points are in a block that is larger all round by a margin."""
    return (np.abs((points - solid.centre) @ solid.turn) <= solid.half + margin).all(axis=1)


@settings(deadline=None, max_examples=200)
@given(numbers)
def test_blocks_overlap_unless_a_plane_separates_them(seed):
    random = np.random.default_rng(seed)
    a, b = random_block(random), random_block(random)
    local = random.uniform(-1.0, 1.0, (4000, 3)) * a.half
    common = inside(b, a.centre + local @ a.turn.T).any()
    assert a.overlaps(b) == b.overlaps(a)
    if common:
        assert a.overlaps(b)
    if not a.overlaps(b):
        assert not common
        axes = np.concatenate(
            [a.turn.T, b.turn.T, np.cross(a.turn.T[:, None], b.turn.T[None]).reshape(-1, 3)]
        )
        gaps = [
            max(
                (b.corners @ n).min() - (a.corners @ n).max(),
                (a.corners @ n).min() - (b.corners @ n).max(),
            )
            for n in axes
        ]
        assert max(gaps) > 0.0  # the corners themselves are on two sides of a plane


@settings(deadline=None, max_examples=200)
@given(numbers)
def test_a_ball_meets_a_block_nearer_than_its_radius(seed):
    random = np.random.default_rng(seed)
    solid, centre, radius = random_block(random), random.normal(size=3), random.uniform(0.0, 1.0)
    local = np.clip(solid.turn.T @ (centre - solid.centre), -solid.half, solid.half)
    nearest = np.linalg.norm(solid.centre + solid.turn @ local - centre)
    assert solid.meets_ball(centre, radius) == (nearest <= radius)


def test_crossed_bars_are_separated_by_a_plane_along_both_edges():
    cos, sin = math.cos(math.pi / 8), math.sin(math.pi / 8)  # by 45 degrees about its length each
    below = block(Box(10.0, 1.0, 1.0), orientation=(cos, sin, 0.0, 0.0))
    for height, touch in ((math.sqrt(2.0) - 0.01, True), (math.sqrt(2.0) + 0.01, False)):
        assert (
            below.overlaps(block(Box(1.0, 10.0, 1.0), (0.0, 0.0, height), (cos, 0.0, sin, 0.0)))
            == touch
        )


def test_depth_is_how_far_they_go_into_each_other():
    a, b = block(Box(2.0, 2.0, 2.0)), block(Box(2.0, 2.0, 2.0), (1.9, 0.0, 0.0))
    assert a.overlaps(b, 0.09) and not a.overlaps(b, 0.11)


@pytest.mark.parametrize(
    "shape, half",
    [
        (Box(2.0, 4.0, 6.0), (1, 2, 3)),
        (Sphere(0.5), (0.5,) * 3),
        (Cylinder(0.5, 4.0), (0.5, 0.5, 2.0)),
    ],
)
def test_shapes_have_their_boxes(shape, half):
    made = block(shape, (1.0, 2.0, 3.0))
    assert made.half == pytest.approx(half) and made.centre == pytest.approx((1.0, 2.0, 3.0))


def test_a_jib_reaches_as_far_as_its_lattice():
    crane = load_crane("tower_12t")
    body = {body.name: body for body in crane.scene.bodies}["jib"]
    parts = [part.move(body.position, body.orientation) for part in extents(crane.scene)["jib"]]
    assert max(part.corners[:, 0].max() for part in parts) >= crane.axis("trolley").upper
