"""Ropes run tangentially around their wheels, are coloured by tension, and are sent only when they
change."""

from types import SimpleNamespace

import numpy as np
import pytest

from cable_sim.machine.pictures.frame import CablePicture
from cable_sim.rendering import bodies, meshes
from cable_sim.rendering.ropes import ARC, Rope, half_turn
from cable_sim.sim.readings.colors import SLACK_COLOR
from cable_sim.spec import Anchor, Cable, Eye, Sheave
from cable_sim.viewer.drawing.ropes import BEHIND, Outlines, Ropes, instances, to_linear_light


@pytest.fixture
def page(api):
    """Make clients that look from a place."""

    def make(eye) -> SimpleNamespace:
        return SimpleNamespace(camera=SimpleNamespace(position=np.array(eye)), scene=type(api)())

    return make


@pytest.fixture
def rope(crane):
    return Rope(crane.scene.cables[0])


def test_pieces_keep_clear_of_the_wheels_centres(rope, crane, frame_of):
    frame = frame_of(angle=0.7)
    points, tension, *_ = rope.line(frame.cables["rope"], frame.poses)
    assert len(tension) == len(points) - 1 and np.isfinite(points).all()
    for node in (1, 2, 3):
        center = frame.cables["rope"].points[node]
        nearest = min(_distance(center, a, b) for a, b in zip(points, points[1:], strict=False))
        assert nearest == pytest.approx(0.25, rel=0.08), (
            "a polygon in the groove lies a little inside it"
        )


def test_rope_lies_on_the_outer_side_of_each_bend(rope, frame_of):
    frame = frame_of()
    points, *_ = rope.line(frame.cables["rope"], frame.poses)
    block = frame.cables["rope"].points[2]
    below = points[np.abs(points - block).max(axis=1) < 0.3]
    assert below[:, 2].min() == pytest.approx(block[2] - 0.25, abs=0.01)
    assert (
        below[:, 2].max() < block[2] + 0.02
        and below[0, 0] < block[0] - 0.2 < block[0] + 0.2 < below[-1, 0]
    )
    assert points[1, 2] > frame.cables["rope"].points[1][2], (
        "over the trolley's sheave, not under it"
    )


def test_a_wheel_keeps_its_side_when_the_path_passes_straight():
    cable = Cable(
        "c",
        (Anchor("world"), Sheave("world", (1.0, 0.0, 0.0), radius=0.2), Anchor("world")),
        ea=1e6,
    )
    rope = Rope(cable)

    def height(end: float) -> float:
        path = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, end]])
        return rope.line(straight(path, np.ones(2)), {})[0][1:-1, 2].mean()

    assert height(-0.5) > 0.1 and height(0.05) > 0.1
    assert len(rope.line(straight(np.zeros((3, 3)), np.ones(2)), {})[0]) == ARC + 3


def test_two_tangent_points_make_half_a_wheel():
    nodes = (
        Anchor("world", (-0.2, 0.0, 5.0)),
        Sheave("world", (-0.2, 0.0, 0.0), radius=0.04, half_turn=True),
        Eye("world", (0.2, 0.0, 0.0)),
        Anchor("world", (0.2, 0.0, 5.0)),
    )
    rope = Rope(Cable("c", nodes, ea=1e6))
    assert rope.wheels[1].kind == "pair" and 2 not in rope.wheels
    path = np.array([node.position for node in nodes])
    points, tension, *_ = rope.line(straight(path, np.array([3.0, 2.0, 1.0])), {})
    assert points[:, 2].min() == pytest.approx(-0.2, abs=1e-9)
    assert len(points) == len(tension) + 1 == ARC + 3
    assert tension[0] == 3.0 and tension[-1] == 1.0 and set(tension[1:-1]) == {2.0}


@pytest.mark.parametrize("gap", (1.0, 2.0, 3.0, 4.9, 5.1, 10.0))
@pytest.mark.parametrize("body", ("world", "beam"))
@pytest.mark.parametrize("after", (Sheave, Eye))
def test_wheels_apart_are_wheels_of_their_own(gap, body, after):
    """At any distance: nothing but ``half_turn`` makes two nodes one wheel."""
    nodes = (
        Anchor("world", (-0.5 * gap, 0.0, -5.0)),
        Sheave(body, (-0.5 * gap, 0.0, 0.0)),
        after(body, (0.5 * gap, 0.0, 0.0)),
        Anchor("world", (0.5 * gap, 0.0, -5.0)),
    )
    path = np.array([node.position for node in nodes])
    picture = straight(path, np.ones(3))
    for on_wheels, radius in ((True, 0.2), (False, 0.0)):  # page and pictures, RViz
        points = Rope(Cable("c", nodes, ea=1e6), on_wheels=on_wheels).line(picture, {}).points
        assert points[:, 2].max() == pytest.approx(radius, abs=1e-9)
        assert np.abs(points[:, 0]).max() <= 0.5 * gap + radius + 1e-9


def test_half_turn_is_a_circle():
    points = half_turn(np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]), np.array([0.3, 0, -1.0]))
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0)
    assert points[ARC // 2] == pytest.approx([0, 0, -1.0], abs=1e-12)


def test_a_cable_with_other_nodes_than_its_scene_is_drawn_as_is(rope, frame_of):
    places = np.array([0, 10, 29])
    picture = CablePicture(
        np.random.default_rng(0).normal(size=(30, 3)), places, np.array([1.0, 2.0]), False
    )
    points, tension, *_ = rope.line(picture, frame_of().poses)
    assert points is picture.points and tension.tolist() == [1.0] * 10 + [2.0] * 19


def test_rope_follows_its_curve_between_the_wheels(rope, frame_of):
    frame = frame_of(sag=3.0)
    picture = frame.cables["rope"]
    picture.tension[:] = 1.0, 2.0, 3.0, 4.0
    points, tension, *_ = rope.line(picture, frame.poses)
    assert len(tension) == len(points) - 1 == 4 * 16 + 3 * ARC, "as many at any time"
    lowest = points[:16][points[:16, 2].argmin()]
    assert lowest[2] == pytest.approx(30.0 - 3.0 + 0.5 * 0.25, abs=0.2) and lowest[
        0
    ] == pytest.approx(6.5, abs=1.0)
    last = points[-17:]
    assert (
        last[-1] == pytest.approx(picture.points[-1])
        and np.abs(last - picture.points[-17:]).max() < 0.25 + 1e-9
    )
    assert tension[:16].tolist() == [1.0] * 16 and tension[-16:].tolist() == [4.0] * 16
    assert set(tension[16 : 16 + ARC]) == {1.5}


def test_sagging_rope_leaves_its_wheels_tangentially(rope, frame_of):
    frame = frame_of(sag=5.0)
    picture = frame.cables["rope"]
    points, *_ = rope.line(picture, frame.poses)
    end = (
        -17
    )  # of the arc on the trolley's outer sheave, where the span to the tip of the jib begins
    spoke, way = points[end] - picture.points[picture.nodes[3]], points[end + 1] - points[end]
    assert np.linalg.norm(spoke) == pytest.approx(0.25)
    assert abs(spoke @ way) < 0.05 * 0.25 * np.linalg.norm(way)
    assert way[2] < -0.5, "down the curve, not along the chord"


def test_a_straight_span_of_many_points_is_drawn_like_one_of_two(rope, frame_of):
    few, many = (
        rope.line(frame.cables["rope"], frame.poses)[0]
        for frame in (frame_of(0.0), frame_of(sag=0.0))
    )
    for point in many:
        assert min(_distance(point, a, b) for a, b in zip(few, few[1:], strict=False)) < 1e-9


def test_points_between_tangent_points_become_the_half_turn():
    nodes = (
        Anchor("world", (-0.2, 0.0, 5.0)),
        Sheave("world", (-0.2, 0.0, 0.0), radius=0.04, half_turn=True),
        Eye("world", (0.2, 0.0, 0.0)),
        Anchor("world", (0.2, 0.0, 5.0)),
    )
    path = np.array([node.position for node in nodes])
    curve = np.insert(path, 2, [[-0.1, 0.0, 9.0], [0.1, 0.0, 9.0]], axis=0)
    rope = Rope(Cable("c", nodes, ea=1e6))
    expected = rope.line(straight(path, np.array([3.0, 2.0, 1.0])), {})
    found = rope.line(
        CablePicture(curve, np.array([0, 1, 4, 5]), np.array([3.0, 2.0, 1.0]), False), {}
    )
    assert all((a == b).all() for a, b in zip(found, expected, strict=True))


def test_instances_reach_from_start_to_end():
    lines = np.random.default_rng(0).normal(size=(20, 2, 3))
    positions, turns, scales = instances(lines, np.full(20, 0.1))
    ends = [
        p + meshes.rotation_matrix(q)[:, 2] * s[2]
        for p, q, s in zip(positions, turns, scales, strict=True)
    ]
    assert np.array(ends) == pytest.approx(lines[:, 1], abs=1e-5)


def test_ropes_send_only_changes(crane, api, frame_of):
    ropes = Ropes(api, crane.scene, bodies.extent(crane.scene))
    assert ropes.update(frame_of())
    node, line = api.nodes["/ropes"], api.nodes["/rope_lines"]
    assert not ropes.update(frame_of())
    assert ropes.update(frame_of(angle=0.01))
    assert api.nodes["/ropes"] is node and api.nodes["/rope_lines"] is line, "made once, then moved"
    assert len(node.batched_positions) == len(node.batched_scales) == len(node.batched_colors)
    assert not ropes.update(frame_of(angle=0.01, tension=4e4)), (
        "new colours alone do not resend the tubes"
    )
    assert node.batched_colors[0, 0] > node.batched_colors[0, 1], (
        "near the end of the scale there is more red than green"
    )


def test_slack_ropes_are_grey(crane, api, frame_of):
    Ropes(api, crane.scene, bodies.extent(crane.scene)).update(frame_of(tension=0.0))
    assert (api.nodes["/ropes"].batched_colors == to_linear_light(np.array(SLACK_COLOR))).all()


def test_colors_become_amounts_of_light():
    # sRGB, IEC 61966-2-1: 0.5 is 21.4 % of the light of 1
    assert to_linear_light(np.array([0.0, 0.5, 1.0])).tolist() == pytest.approx(
        [0, 0.214 * 255, 255], abs=1.5
    )


def test_outlines_lie_behind_their_ropes_for_each_eye(crane, api, frame_of, page):
    ropes = Ropes(api, crane.scene, bodies.extent(crane.scene))
    ropes.update(frame_of())
    pages = {number: page(eye) for number, eye in enumerate(([9.0, -9.0, 4.0], [-7.0, 3.0, 1.0]))}
    outlines = Outlines(SimpleNamespace(get_clients=lambda: pages), ropes)
    assert outlines.update(frame_of())
    for client in pages.values():
        eye = client.camera.position
        way, drawn = ropes.lines - eye, drawn_line(client).points - eye
        away = np.linalg.norm(way, axis=2)
        assert np.linalg.norm(np.cross(way, drawn), axis=2).max() < 1e-5 * (away**2).max()
        farther = np.linalg.norm(drawn, axis=2) / away - 1.0
        assert farther == pytest.approx(np.full(away.shape, BEHIND), rel=0.02)
        assert drawn_line(client).thickness > api.nodes["/rope_lines"].thickness


def test_outlines_are_sent_only_for_what_moves(crane, api, frame_of, page):
    ropes = Ropes(api, crane.scene, bodies.extent(crane.scene))
    ropes.update(frame_of())
    client = page([9.0, -9.0, 4.0])
    pages = {1: client}
    outlines = Outlines(SimpleNamespace(get_clients=lambda: pages), ropes)
    assert outlines.update(frame_of()) and not outlines.update(frame_of())
    client.camera.position = client.camera.position + [0.1, 0.0, 0.0]
    assert not outlines.update(frame_of()), "an eye that moves a little"
    client.camera.position = client.camera.position + [6.0, 0.0, 0.0]
    assert outlines.update(frame_of()), "an eye elsewhere"
    ropes.update(frame_of(angle=0.5))
    assert outlines.update(frame_of())
    assert list(client.scene.nodes) == ["/rope_outlines"], "one node, however often"
    pages.clear()
    assert not outlines.update(frame_of())


def drawn_line(client):
    return client.scene.nodes["/rope_outlines"]


def test_a_tube_is_as_thick_as_its_rope_around_a_visible_line(crane, api, frame_of):
    extent = bodies.extent(crane.scene)
    ropes = Ropes(api, crane.scene, extent)
    for frame in (
        frame_of(sag=2.0),
        frame_of(sag=3.0, tension=4e4),
        frame_of(angle=0.3, sag=3.0, tension=4e4),
    ):
        ropes.update(frame)
        tubes, line = api.nodes["/ropes"], api.nodes["/rope_lines"]
        assert tubes.batched_scales[:, :2] == pytest.approx(extent.scale * 0.008)
        assert line.thickness_units == "screen" and line.thickness >= 2.0
        ends = line.points[:, 1] - line.points[:, 0]
        assert line.points[:, 0] == pytest.approx(tubes.batched_positions, abs=1e-6)
        assert np.linalg.norm(ends, axis=1) == pytest.approx(tubes.batched_scales[:, 2], rel=1e-4)
        assert (line.colors == tubes.batched_colors[:, None]).all()


def test_broken_points_do_not_reach_the_page(crane, api, frame_of):
    frame = frame_of()
    frame.cables["rope"].points[2] = np.nan
    ropes = Ropes(api, crane.scene, bodies.extent(crane.scene))
    assert ropes.update(frame)
    assert len(api.nodes["/ropes"].batched_colors) == 1, "the sling alone"


def straight(path, tension) -> CablePicture:
    """A cable with straight spans through its nodes (n, 3) [m] under tensions (n - 1,) [N]."""
    return CablePicture(path, np.arange(len(path)), tension, False)


def _distance(point, start, end) -> float:
    """From a point to a line segment."""
    along = end - start
    share = np.clip((point - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(point - start - share * along))


def test_no_rope_is_drawn_where_a_wire_has_parted(rope) -> None:
    path = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -3.0], [0.0, 0.0, -4.0]])
    whole = straight(path, np.array([1.0, 0.0, 2.0]))
    assert rope.line(whole, {}).there.tolist() == [True, True, True]
    assert rope.line(whole._replace(severed=np.array([1])), {}).there.tolist() == [
        True,
        False,
        True,
    ]


def test_a_cable_that_is_off_leaves_no_arcs_on_its_wheels(rope, frame_of) -> None:
    frame = frame_of(sag=3.0)
    picture = frame.cables["rope"]
    assert rope.line(picture, frame.poses).there.all()
    off = picture._replace(severed=np.arange(len(picture.points) - 1))
    assert not rope.line(off, frame.poses).there.any()
