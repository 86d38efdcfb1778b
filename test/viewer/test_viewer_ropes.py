"""Ropes run tangentially around their wheels, are coloured by tension, and are sent only when they change."""

import numpy as np
import pytest

from cable_sim.machine.frame import CablePicture
from cable_sim.sim.colors import SLACK_COLOR
from cable_sim.spec import Anchor, Cable, Eye, Sheave
from cable_sim.viewer import drawing, meshes
from cable_sim.viewer.ropes import ARC, Rope, Ropes, half_turn, instances


@pytest.fixture
def rope(crane):
    return Rope(crane.scene.cables[0])


def test_pieces_keep_clear_of_the_wheels_centres(rope, crane, frame_of):
    frame = frame_of(angle=0.7)
    points, tension = rope.pieces(frame.cables["rope"], frame)
    assert len(tension) == len(points) - 1 and np.isfinite(points).all()
    for node in (1, 2, 3):
        center = frame.cables["rope"].points[node]
        nearest = min(_distance(center, a, b) for a, b in zip(points, points[1:], strict=False))
        assert nearest == pytest.approx(0.25, rel=0.08), "a polygon in the groove lies a little inside it"


def test_rope_lies_on_the_outer_side_of_each_bend(rope, frame_of):
    frame = frame_of()
    points, _ = rope.pieces(frame.cables["rope"], frame)
    block = frame.cables["rope"].points[2]
    below = points[np.abs(points - block).max(axis=1) < 0.3]
    assert below[:, 2].min() == pytest.approx(block[2] - 0.25, abs=0.01)
    assert below[:, 2].max() < block[2] + 0.02 and below[0, 0] < block[0] - 0.2 < block[0] + 0.2 < below[-1, 0]
    assert points[1, 2] > frame.cables["rope"].points[1][2], "over the trolley's sheave, not under it"


def test_side_of_a_wheel_is_kept_when_the_path_swings_through_straight():
    cable = Cable("c", (Anchor("world"), Sheave("world", (1.0, 0.0, 0.0), radius=0.2), Anchor("world")), ea=1e6)
    rope = Rope(cable)

    class Nowhere:
        poses = {}

    def height(end: float) -> float:
        path = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, end]])
        return rope.pieces(CablePicture(path, np.ones(2), False), Nowhere)[0][1:-1, 2].mean()

    assert height(-0.5) > 0.1 and height(0.05) > 0.1
    assert len(rope.pieces(CablePicture(np.zeros((3, 3)), np.ones(2), False), Nowhere)[0]) == ARC + 3


def test_two_tangent_points_make_half_a_wheel():
    nodes = (Anchor("world", (-0.2, 0.0, 5.0)), Sheave("world", (-0.2, 0.0, 0.0), radius=0.04),
             Eye("world", (0.2, 0.0, 0.0)), Anchor("world", (0.2, 0.0, 5.0)))  # fmt: skip
    rope = Rope(Cable("c", nodes, ea=1e6))
    assert rope.wheels[1].kind == "pair" and 2 not in rope.wheels
    path = np.array([node.position for node in nodes])
    points, tension = rope.pieces(CablePicture(path, np.array([3.0, 2.0, 1.0]), False), None)
    assert points[:, 2].min() == pytest.approx(-0.2, abs=1e-9)
    assert len(points) == len(tension) + 1 == ARC + 3
    assert tension[0] == 3.0 and tension[-1] == 1.0 and set(tension[1:-1]) == {2.0}


def test_half_turn_is_a_circle():
    points = half_turn(np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]), np.array([0.3, 0, -1.0]))
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0)
    assert points[ARC // 2] == pytest.approx([0, 0, -1.0], abs=1e-12)


def test_discretised_cable_is_drawn_as_it_comes(rope, frame_of):
    picture = CablePicture(np.random.default_rng(0).normal(size=(30, 3)), np.ones(29), False)
    points, tension = rope.pieces(picture, frame_of())
    assert points is picture.points and len(tension) == 29


def test_instances_reach_from_start_to_end():
    lines = np.random.default_rng(0).normal(size=(20, 2, 3))
    positions, turns, scales = instances(lines, np.full(20, 0.1))
    ends = [p + meshes.rotation_matrix(q)[:, 2] * s[2] for p, q, s in zip(positions, turns, scales, strict=True)]
    assert np.array(ends) == pytest.approx(lines[:, 1], abs=1e-5)


def test_ropes_send_only_changes(crane, api, frame_of):
    ropes = Ropes(api, crane.scene, drawing.extent(crane.scene))
    assert ropes.update(frame_of())
    node = api.nodes["/ropes"]
    assert not ropes.update(frame_of())
    assert ropes.update(frame_of(angle=0.01))
    assert len(node.batched_positions) == len(node.batched_scales) == len(node.batched_colors)
    assert not ropes.update(frame_of(angle=0.01, tension=4e4)), "new colours alone do not resend the tubes"
    assert node.batched_colors[0, 0] > node.batched_colors[0, 1], "near the end of the scale it is red"


def test_slack_ropes_are_grey(crane, api, frame_of):
    Ropes(api, crane.scene, drawing.extent(crane.scene)).update(frame_of(tension=0.0))
    assert api.nodes["/ropes"].batched_colors == pytest.approx(
        np.rint(255.0 * np.array([SLACK_COLOR] * len(api.nodes["/ropes"].batched_colors)))
    )


def test_ropes_are_thinner_from_near_and_never_thinner_than_they_are(crane, api, frame_of):
    extent = drawing.extent(crane.scene)
    ropes = Ropes(api, crane.scene, extent)
    ropes.update(frame_of())
    far = api.nodes["/ropes"].batched_scales[0, 0]
    ropes.seen_from(1.0)
    ropes.update(frame_of())
    near = api.nodes["/ropes"].batched_scales[0, 0]
    assert near < far and near == pytest.approx(extent.scale * 0.008)


def test_broken_points_do_not_reach_the_page(crane, api, frame_of):
    frame = frame_of()
    frame.cables["rope"].points[2] = np.nan
    ropes = Ropes(api, crane.scene, drawing.extent(crane.scene))
    assert ropes.update(frame)
    assert len(api.nodes["/ropes"].batched_colors) == 1, "the sling alone"


def _distance(point, start, end) -> float:
    """From a point to a line segment."""
    along = end - start
    share = np.clip((point - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(point - start - share * along))
