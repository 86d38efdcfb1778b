"""Markers as RViz gets them: by its rules, along the cables, and back again to pictures of them."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transforms3d.quaternions import quat2mat

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from rclpy.serialization import deserialize_message
from rviz_rules import Display, Everywhere, refused
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.machine.spawning import Load, Loads
from cable_sim.rendering.bodies import body_meshes, pose_of, visual_meshes
from cable_sim.rendering.meshes import quaternions_from_z
from cable_sim.ros.basis import messages
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.client.node_state_cache import NodeStateCache, cable_pictures, poses_of
from cable_sim.ros.publish.cable_markers import ROUNDING, CableMarkers, spans_of, thin_nodes
from cable_sim.ros.publish.markers import scene_markers
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.readings.colors import color_limits, tension_colors
from cable_sim.spec import Anchor, Body, Box, Eye, Loose, Polyhedron, Sphere
from cable_sim.spec.cables.cable_models import MASSLESS

finite = st.floats(-10.0, 10.0)


def shown(markers, observation):
    """An array as it comes out of the wire."""
    return deserialize_message(markers.fill(observation), MarkerArray)


def test_scene_markers_keep_rviz_rules_and_show_everything(crane):
    array = scene_markers(crane, "c/", "map")
    assert refused(array) == []
    wheels = sum(n.kind in ("sheave", "drum") for c in crane.scene.cables for n in c.nodes)
    shapes = sum(body.shape is not None and body.drawn for body in crane.scene.bodies)
    scene = crane.scene
    assert len(array.markers) == 1 + wheels + shapes + len(scene.visuals) + len(scene.surfaces)
    for marker in array.markers[1:]:
        assert marker.frame_locked == (marker.header.frame_id != "map")
    assert {m.header.frame_id for m in array.markers} <= {"map"} | {
        f"c/{b.name}" for b in scene.bodies
    }


def test_luffing_cylinders_stand_in_frames_of_their_own():
    """Their markers hang on frames that point from place to place; a page knows them already."""
    crane = load_crane("mobile_32t")
    (foot, _), array = crane.scene.aims, scene_markers(crane, "c/", "map")
    assert refused(array) == []
    (barrel,) = (m for m in array.markers if m.header.frame_id == f"c/{foot.name}")
    assert barrel.pose.position.z == pytest.approx(0.5 * barrel.scale.z)
    bodies = {
        body.name: SimpleNamespace(
            position=np.array(body.position), orientation=np.array(body.orientation)
        )
        for body in crane.scene.bodies
    }
    moves = messages.TransformsMessage(["house"], "c/", "map", Time(), crane.scene.aims)
    sent = moves.fill(SimpleNamespace(body=bodies.__getitem__)).transforms
    names = ["c/house", *(f"c/{aim.name}" for aim in crane.scene.aims)]
    assert [stamped.child_frame_id for stamped in sent] == names
    place, turn = pose_of(crane.scene, foot.name)
    move, spin = sent[1].transform.translation, sent[1].transform.rotation
    assert (move.x, move.y, move.z) == pytest.approx(place)
    assert messages.wxyz(spin) == pytest.approx(turn)
    cache = NodeStateCache()
    cache.take_scene(array, crane, "c/")
    assert cache.visuals == ()


def test_a_page_draws_spawned_loads_as_the_scene_has_them(crane):
    """From markers alone: a box, a ball, and a solid of many corners."""
    loads = Loads(crane)
    machine = Machine(crane)
    solid = Polyhedron(((0, 0, 1), (1, 0, -1), (-1, 1, -1), (-1, -1, -1), (0.1, 0, 0)))
    for i, shape in enumerate((Box(1.0, 2.0, 0.5), Sphere(0.4), solid)):
        inertia = (100.0, 100.0, 100.0)
        body = Body(f"own_{i}", 500.0, inertia, position=(23.0 + 5.0 * i, 0.0, 4.0), shape=shape)
        machine = loads.spawn(machine, Load(body), "spook")
    mail = NodeStateCache()
    mail.take_scene(scene_markers(machine.crane, "c/", "map"), crane, "c/")
    drawn = body_meshes(machine.crane.scene)
    made = visual_meshes(mail.visuals)
    assert list(made) == list(loads.names)
    for name, mesh in made.items():
        assert np.ptp(mesh.vertices, axis=0) == pytest.approx(np.ptp(drawn[name].vertices, axis=0))
        assert mesh.colors[0] == pytest.approx(drawn[name].colors[0], abs=1e-6)
    assert poses_of([one.body for one in mail.visuals], "c/", "map", mail) is None, (
        "not heard of yet"
    )
    mail.tree = {f"c/{name}": ("map", np.ones(3), np.eye(4)[0]) for name in made}
    assert set(poses_of([one.body for one in mail.visuals], "c/", "map", mail)) == set(made)
    mail.take_scene(scene_markers(crane, "c/", "map"), crane, "c/")
    assert mail.visuals == ()


def test_cable_markers_keep_rviz_rules_and_their_point_count(crane, machine, observation):
    markers = CableMarkers(crane, "", "world")
    first, again = shown(markers, observation), shown(markers, machine.observe())
    assert refused(first, again, moves=True) == []
    spans = sum(len(cable.nodes) - 1 for cable in crane.scene.cables)
    kinds = [m.type for m in first.markers]
    assert kinds.count(Marker.LINE_STRIP) == kinds.count(Marker.CYLINDER) == spans
    assert [(m.ns, m.id, len(m.points)) for m in first.markers] == [
        (m.ns, m.id, len(m.points)) for m in again.markers
    ]


def test_who_comes_late_is_told_to_forget_what_was_there_before(crane, observation):
    markers, display = CableMarkers(crane, "", "map"), Display(Everywhere())
    display.take(
        MarkerArray(
            markers=[Marker(ns="of another crane", id=3, scale=Vector3(x=1.0, y=1.0, z=1.0))]
        )
    )
    plain = shown(markers, observation)
    array = markers.replacing_array(observation)
    assert array.markers[1:] == plain.markers and refused(array) == []
    display.take(array)
    assert set(display.shown) == {(m.ns, m.id) for m in plain.markers}


def test_an_unhooked_cable_is_not_shown_until_it_is_hooked_on(crane):
    machine = Machine(crane)
    markers = CableMarkers(crane, "c/", "map")
    name = crane.scene.cables[-1].name
    machine.simulator.unhook(name)
    opacities = []
    for _ in range(2):
        array = shown(markers, machine.observe())
        seen = {m.ns: m.color.a for m in array.markers}
        opacities.append([seen[ns] for ns in (spans_of(name, "c/"), f"c/tubes/{name}")])
        assert seen[spans_of(crane.scene.cables[0].name, "c/")] == 1.0
        if not opacities[1:]:
            machine.simulator.hook(name, reach=1.0)
    assert opacities == [[0.0, 0.0], [1.0, 1.0]]


def test_a_remote_page_leaves_out_the_same_pieces_as_the_markers(crane):
    machine, markers, mail = Machine(crane), CableMarkers(crane, "c/", "map"), NodeStateCache()
    name = crane.scene.cables[-1].name
    machine.simulator.unhook(name)
    frame = machine.frame(machine.observe())
    mail.take_markers(shown(markers, machine.observe()))
    for cable, picture in cable_pictures(crane, "c/", frame.poses, mail).items():
        assert picture.severed.tolist() == frame.cables[cable].severed.tolist()
        assert (len(picture.severed) > 0) == (cable == name)


def test_a_loose_end_behind_an_eye_stays_as_in_the_markers():
    mail, nodes = NodeStateCache(), (Anchor("world"), Eye("world", (1.0, 0.0, 0.0)), Loose())
    cable = SimpleNamespace(name="wire", nodes=nodes, model=MASSLESS)
    mail.lines[spans_of("wire", ""), 1] = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, -2.0]])
    crane = SimpleNamespace(scene=SimpleNamespace(cables=(cable,)))
    points = cable_pictures(crane, "", {}, mail)["wire"].points
    np.testing.assert_array_equal(points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, -2.0]])


def test_cable_markers_are_a_line_on_the_curve_inside_a_tube(crane):
    heavy = load_crane("tower_12t", {"reeving.model": "elevation"})
    machine, markers = Machine(heavy), CableMarkers(heavy, "c/", "map")
    for _ in range(2):
        observation = machine.tick()
        array = shown(markers, observation)
        assert refused(array) == []
        for cable in heavy.scene.cables:
            seen = observation.cable(cable.name)
            strips = [m for m in array.markers if m.ns == spans_of(cable.name, "c/")]
            tubes = [m for m in array.markers if m.ns == f"c/tubes/{cable.name}"]
            assert [m.id for m in strips] == list(range(len(cable.nodes) - 1)) and len(
                tubes
            ) == len(seen.curve) - 1
            ends = seen.curve_nodes
            for strip, first, last in zip(strips, ends, ends[1:], strict=False):
                drawn = np.array([(p.x, p.y, p.z) for p in strip.points])
                assert (drawn == seen.curve[first : last + 1]).all()
            for tube, start, end in zip(tubes, seen.curve, seen.curve[1:], strict=False):
                place, half = tube.pose.position, 0.5 * tube.scale.z
                along = quat2mat(messages.wxyz(tube.pose.orientation))[:, 2]
                middle = np.array([place.x, place.y, place.z])
                np.testing.assert_allclose(
                    [middle - half * along, middle + half * along], [start, end], atol=1e-9
                )
                assert cable.diameter < strips[0].scale.x < tube.scale.x == tube.scale.y == 0.1
                strip = next(s for s, last in zip(strips, ends[1:], strict=False) if tube.id < last)
                assert tube.color == strip.color


def test_tubes_of_coincident_or_nan_points_keep_rviz_rules(crane, observation):
    name = crane.ropes[0]
    broken = observation.cable(name).curve.copy()
    broken[2], broken[4] = broken[1], np.nan
    views = {cable.name: observation.cable(cable.name) for cable in crane.scene.cables}
    views[name] = views[name]._replace(curve=broken)
    markers = CableMarkers(crane, "", "world")
    array = shown(markers, SimpleNamespace(cable=views.get))
    assert refused(array) == []
    assert {m.scale.z for m in array.markers if m.ns == f"tubes/{name}" and m.id == 1} == {1e-3}


def test_wire_nodes_are_sphere_lists_or_delete_markers():
    """Two boxes fall on their wires: masses before, contact nodes after; over ROS as in this
    process."""
    crane = load_machine("boxes_on_wires")
    machine = Machine(crane)
    markers = CableMarkers(crane, "c/", "map")
    mail = NodeStateCache()
    said = set()
    for steps in (1, 9, 50):
        for _ in range(steps):
            observation = machine.tick()
        array = shown(markers, observation)
        assert refused(array) == []
        balls = {m.id: m for m in array.markers if m.ns == "c/wire_nodes"}
        mail.take_markers(array)
        frame = machine.frame(observation)
        over_ros = cable_pictures(crane, "c/", frame.poses, mail)
        for number, (name, picture) in enumerate(frame.cables.items()):
            masses, slides, sticks = (balls.get(3 * number + kind) for kind in range(3))
            assert sticks is None
            if slides is None:
                assert not len(picture.contacts)
                continue
            assert len(masses.points) == len(picture.masses)
            drawn = [(p.x, p.y, p.z) for p in slides.points]
            np.testing.assert_array_equal(np.reshape(drawn, (-1, 3)), picture.contacts)
            assert masses.color.b > masses.color.g - 1e-9 and slides.color.g < 0.5 * slides.color.b
            np.testing.assert_allclose(over_ros[name].masses, picture.masses, atol=1e-9)
            np.testing.assert_allclose(over_ros[name].contacts, picture.contacts, atol=1e-9)
            assert over_ros[name].sticks.tolist() == picture.sticks.tolist()
            said |= {("mass", masses.action), ("contact", slides.action)}
    assert said == {("mass", Marker.ADD), ("contact", Marker.ADD)}


def test_sticking_contact_nodes_are_larger_and_old_ones_deleted():
    crane = load_machine("wire_over_beam")
    observation = Machine(crane).tick()
    view, markers = observation.cable("wire"), CableMarkers(crane, "", "world")
    assert len(view.contact_position) == 2
    one_sticks = view._replace(contact_sticks=np.array([False, True]))
    arrays = [
        shown(markers, SimpleNamespace(cable=lambda _, seen=seen: seen))
        for seen in (one_sticks, view)
    ]
    assert refused(*arrays, moves=True) == []
    slides, sticks = (m for m in arrays[0].markers if m.ns == "wire_nodes")
    assert (
        sticks.scale.x == pytest.approx(1.5 * slides.scale.x)
        and slides.scale.x > markers.cables[0].width
    )
    assert (sticks.points[0].x, sticks.points[0].z) == tuple(view.contact_position[1][[0, 2]])
    slides, sticks = (m for m in arrays[1].markers if m.ns == "wire_nodes")
    assert len(slides.points) == 2 and sticks.action == Marker.DELETE


def test_a_frame_hangs_the_marker_curve_on_the_newest_poses():
    crane = load_crane("tower_12t", {"reeving.model": "elevation"})
    machine, markers, mail = Machine(crane), CableMarkers(crane, "c/", "map"), NodeStateCache()
    observation = machine.tick()
    frame = machine.frame(observation)
    states = messages.CableStatesMessage(crane, BASE, Time())

    def pictured(poses):
        return cable_pictures(crane, "c/", poses, mail)

    straight = pictured(frame.poses)["hoist_rope"]
    assert straight.nodes.tolist() == list(range(7)) and not straight.tension.any(), (
        "before the first markers"
    )
    mail.take_markers(shown(markers, observation))
    mail.take_cables(states.fill(observation))
    for name, picture in pictured(frame.poses).items():
        assert (picture.nodes == frame.cables[name].nodes).all()
        np.testing.assert_allclose(picture.points, frame.cables[name].points, atol=1e-9)
        np.testing.assert_allclose(picture.tension, frame.cables[name].tension)
    poses = dict(frame.poses)
    moved = np.array([0.02, 0.03, -0.1])  # the hook since the markers
    poses["hook_block"] = (poses["hook_block"][0] + moved, poses["hook_block"][1])
    then, now = frame.cables["hoist_rope"], pictured(poses)["hoist_rope"]
    change = now.points - then.points
    np.testing.assert_allclose(
        change[then.nodes], [[0.0] * 3] * 3 + [moved] * 2 + [[0.0] * 3] * 2, atol=1e-9
    )
    np.testing.assert_allclose(change[then.nodes[2] + 16], 0.5 * moved, atol=1e-9)


@given(st.tuples(finite, finite, finite).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_tilting_brings_z_onto_the_axis(axis):
    q = quaternions_from_z(axis)
    np.testing.assert_allclose(
        quat2mat(q) @ (0.0, 0.0, 1.0), np.array(axis) / np.linalg.norm(axis), atol=1e-9
    )


def test_a_cable_is_thinned_to_the_wanted_points_but_keeps_nodes():
    crane = load_crane("tower_12t", {"reeving.model": "elevation"})
    observation = Machine(crane).tick()
    seen = observation.cable("hoist_rope")
    assert len(seen.curve) > 40
    for most in (2, 20, 33, 1000):
        array = shown(CableMarkers(crane, "", "world", most), observation)
        assert refused(array) == []
        strips = [m for m in array.markers if m.ns == spans_of("hoist_rope", "")]
        drawn = [np.array([(p.x, p.y, p.z) for p in strip.points]) for strip in strips]
        count = sum(len(points) for points in drawn) - (len(drawn) - 1)
        assert count == sum(m.ns == "tubes/hoist_rope" for m in array.markers) + 1
        assert count <= max(most, len(seen.curve_nodes)) and count >= min(
            most, len(seen.curve)
        ) - len(strips)
        for points, first, last in zip(drawn, seen.curve_nodes, seen.curve_nodes[1:], strict=False):
            np.testing.assert_array_equal(points[[0, -1]], seen.curve[[first, last]])
            assert {tuple(p) for p in points} <= {tuple(p) for p in seen.curve[first : last + 1]}


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(0, 120))
def test_points_are_left_out_evenly(pieces, most):
    nodes = np.cumsum([0, *pieces])
    kept, places = thin_nodes(nodes, most)
    assert (kept[places] == nodes).all() and (np.diff(kept) > 0).all()
    assert len(kept) <= max(most, len(nodes))
    assert len(kept) == nodes[-1] + 1 if most > nodes[-1] else True
    for first, last in pairwise(places):
        gaps = np.diff(kept[first : last + 1])
        assert gaps.max() - gaps.min() <= 1


def test_a_thinned_rope_of_masses_keeps_its_tensest_colours():
    crane = load_machine("nehe_rope")
    machine = Machine(crane)
    for _ in range(60):
        observation = machine.tick()
    seen = observation.cable("rope")
    mail, markers = NodeStateCache(), CableMarkers(crane, "", "world", 30)
    array = shown(markers, observation)
    assert refused(array) == []
    (strip,) = [m for m in array.markers if m.type == Marker.LINE_STRIP]
    assert len(strip.points) == len(strip.colors) == 30
    assert sum(m.type == Marker.CYLINDER for m in array.markers) == 29 * ROUNDING
    kept = thin_nodes(seen.curve_nodes, 30)[0]
    worst = np.array([seen.span_tension[a:b].max() for a, b in pairwise(kept)])
    reds = np.array([color.r for color in strip.colors])
    expected = tension_colors(worst, color_limits(crane.scene)["rope"].tension)[:, 0]
    np.testing.assert_allclose(reds[:-1], expected, atol=1e-6)
    mail.take_markers(array)
    mail.take_cables(messages.CableStatesMessage(crane, BASE, Time()).fill(observation))
    picture = cable_pictures(crane, "", machine.frame(observation).poses, mail)["rope"]
    assert len(picture.points) == 30 and len(picture.tension) == 29
    assert np.corrcoef(picture.tension, worst)[0, 1] > 0.9
