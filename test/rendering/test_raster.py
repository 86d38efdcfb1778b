"""Which triangle is seen in which pixel."""

import numpy as np
import pytest

from cable_sim.rendering.raster import covered_pixels, visible_triangles


def triangle(*corners, inverse=1.0):
    """Corners (3, 3) from u and v, all at one depth, or each with its own."""
    return np.column_stack([np.array(corners, dtype=float), np.broadcast_to(inverse, 3)])


def test_a_triangle_covers_the_pixels_whose_middles_are_inside():
    owner = visible_triangles(triangle((0, 0), (8, 0), (0, 8))[None], 10, 10).owner.reshape(10, 10)
    u, v = np.meshgrid(np.arange(10) + 0.5, np.arange(10) + 0.5)
    inside = u + v < 8.0
    on_the_edge = u + v == 8.0
    assert ((owner == 0) == inside)[~on_the_edge].all()


def test_two_halves_cover_a_square_without_a_gap():
    halves = np.stack([triangle((1, 1), (7, 1), (7, 6)), triangle((1, 1), (7, 6), (1, 6))])
    owner = visible_triangles(halves, 9, 9).owner.reshape(9, 9)
    assert (owner[1:6, 1:7] >= 0).all() and (owner >= 0).sum() == 30


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_one_is_seen_whatever_comes_first(order):
    both = [
        triangle((0, 0), (9, 0), (0, 9), inverse=0.1),
        triangle((0, 0), (9, 0), (0, 9), inverse=0.2),
    ]
    found = visible_triangles(np.stack([both[i] for i in order]), 4, 4)
    assert (found.owner == order.index(1)).all() and found.inverse == pytest.approx(0.2)


def test_planes_that_cross_are_seen_each_where_it_is_nearer():
    level = triangle((0, 0), (40, 0), (0, 40), inverse=0.5)
    slope = triangle((0, 0), (40, 0), (0, 40), inverse=(0.0001, 1.0, 0.0001))
    row = visible_triangles(np.stack([level, slope]), 20, 20).owner.reshape(20, 20)[0]
    assert (row[:19] == 0).all() and row[19] == 0  # 1/depth of the slope is 0.5 at u = 20
    row = visible_triangles(np.stack([level, slope]), 30, 5).owner.reshape(5, 30)[0]
    assert row[18] == 0 and row[22] == 1


def test_what_is_not_before_the_camera_or_no_number_is_left_out():
    behind = triangle((0, 0), (9, 0), (0, 9), inverse=(-1.0, 1.0, 1.0))
    lost = triangle((0, 0), (np.nan, 0), (0, 9))
    assert (visible_triangles(np.stack([behind, lost]), 4, 4).owner == -1).all()
    assert (visible_triangles(np.zeros((0, 3, 3)), 4, 4).owner == -1).all()


def test_what_reaches_beyond_the_picture_is_cut_at_its_edges():
    owner = visible_triangles(triangle((-100, -100), (300, -100), (-100, 300))[None], 6, 4).owner
    assert len(owner) == 24 and (owner == 0).all()


def barycentric(corners, width, height):
    """Shares (n, height, width, 3) of the corners of triangles in every pixel's middle."""
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    pixels = np.stack([u, v, np.ones_like(u)])
    flat = np.stack([corners[..., 0], corners[..., 1], np.ones_like(corners[..., 0])], axis=1)
    return np.moveaxis(np.einsum("nij,jvu->nivu", np.linalg.inv(flat), pixels), 1, -1)


def test_pixels_agree_with_the_barycentric_rule():
    random = np.random.default_rng(7)
    corners = random.uniform((-15, -10, 0.1), (55, 40, 2.0), (80, 3, 3))
    corners[:40, 1:] = corners[:40, :1] + random.uniform(-6, 6, (40, 2, 3)) * (1, 1, 0.01)
    corners[5, 1, 1] = corners[5, 0, 1]  # a level edge above, and one below
    corners[6, 2, 1] = corners[6, 1, 1]
    shares = barycentric(corners, 40, 30)
    inside = (shares > 0.0).all(axis=-1)
    inverse = np.where(inside, np.einsum("nvuj,nj->nvu", shares, corners[..., 2]), 0.0)
    found = visible_triangles(corners, 40, 30)
    assert found.inverse.reshape(30, 40) == pytest.approx(inverse.max(axis=0), rel=1e-9)
    expected = np.where(inside.any(axis=0), inverse.argmax(axis=0), -1)
    assert (found.owner.reshape(30, 40) == expected).all()
    assert (covered_pixels(corners, 40, 30) == inside.any(axis=0)).all()
