"""A scene becomes one mesh per body, and afterwards only what moves is sent."""

import dataclasses

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.extents import half_height
from cable_sim.rendering import bodies
from cable_sim.rendering.camera import OBLIQUE, overview_camera
from cable_sim.scenes import load_scene
from cable_sim.spec import Aim, Body, Box, Cylinder, Scene, Sphere, Surface, Visual
from cable_sim.viewer.drawing import drawing, environment, scale_figures


def test_every_body_with_a_look_gets_one_finite_mesh(crane):
    meshes = bodies.body_meshes(crane.scene)
    assert set(meshes) == {"world", "upper", "trolley", "block", "load"}
    for mesh in meshes.values():
        assert np.isfinite(mesh.vertices).all()
        assert mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)
        assert len(mesh.colors) == len(mesh.vertices)
    assert len(meshes["load"].vertices) == 24


def test_wheels_follow_their_bodies_and_are_drawn_once_if_shared(crane):
    wheels = bodies.wheel_meshes(crane.scene.cables)
    assert [name for name, _ in wheels] == ["upper", "trolley", "block", "trolley"]
    assert len(bodies.wheel_meshes(crane.scene.cables[:1] * 2)) == 4


def test_wheel_stands_across_its_axis(crane):
    _, sheave = bodies.wheel_meshes(crane.scene.cables)[1]
    assert np.ptp(sheave.vertices, axis=0)[1] < 0.3 * np.ptp(sheave.vertices, axis=0)[0]
    assert np.ptp(sheave.vertices, axis=0)[0] > 0.5


def test_extent_covers_the_crane(crane):
    extent = bodies.extent(crane.scene)
    assert extent.corners[:, 0].max() >= 40.0 and extent.corners[:, 2].min() <= 0.0
    assert extent.ground == 0.0
    assert extent.scale * extent.radius == pytest.approx(bodies.DRAWN_RADIUS)


def test_extent_of_an_empty_scene_is_a_place_to_look_at():
    extent = bodies.extent(Scene())
    assert np.isfinite(extent.center).all() and extent.radius > 1.0


def test_ground_is_the_endless_level_surface():
    deck = Surface("deck", point=(0.0, 0.0, 7.0), extent=(1.0, 1.0))
    assert bodies.ground_height(Scene(surfaces=(deck, Surface(point=(0.0, 0.0, -2.0))))) == -2.0
    assert bodies.ground_height(Scene(surfaces=(deck,))) is None
    assert bodies.ground_height(load_scene("chain_on_hook")) == 0.0


def test_the_backdrop_lies_below_a_scene_without_a_ground():
    shown = bodies.extent(load_scene("rope_over_block"))
    assert shown.ground < shown.corners[:, 2].min() - 0.4 * shown.radius


def test_platform_is_a_slab_whose_top_is_the_surface():
    scene = Scene(
        surfaces=(Surface("deck", point=(10.0, 10.0, 5.0), extent=(4.0, 3.0), thickness=0.2),)
    )
    vertices = bodies.body_meshes(scene)["world"].vertices
    assert vertices.max(axis=0) == pytest.approx([14.0, 13.0, 5.0])
    assert vertices.min(axis=0) == pytest.approx([6.0, 7.0, 4.8])


def test_sloping_platform_covers_its_projection():
    scene = Scene(
        surfaces=(Surface("ramp", normal=(1.0, 0.0, 1.0), extent=(4.0, 3.0), thickness=1e-3),)
    )
    vertices = bodies.body_meshes(scene)["world"].vertices
    assert np.ptp(vertices[:, 0]) == pytest.approx(8.0, abs=0.01)
    assert np.ptp(vertices[:, 2]) == pytest.approx(8.0, abs=0.01)


@pytest.mark.parametrize(
    "shape, half", [(Box(1.0, 1.0, 3.0), 1.5), (Sphere(0.7), 0.7), (Cylinder(1.0, 4.0), 2.0)]
)
def test_half_height(shape, half):
    assert half_height(Body("b", shape=shape)) == half


def test_only_what_moved_is_sent(crane, api, frame_of):
    shown = drawing.Bodies(api, crane.scene, 0.1)
    assert shown.update(frame_of()) == 0, "everything stands where the scene put it"
    assert shown.update(frame_of(angle=0.1)) == 4
    assert shown.update(frame_of(angle=0.1)) == 0
    frame = frame_of(angle=0.1)
    frame.poses["load"] = (frame.poses["load"][0] + 0.01, frame.poses["load"][1])
    assert shown.update(frame) == 1
    assert api.nodes["/bodies/load"].batched_positions[0] == pytest.approx(
        0.1 * frame.poses["load"][0]
    )


def test_what_points_at_a_moved_body_is_sent(crane, api, frame_of):
    aim = Aim("ram", "trolley", "load")
    ram = Visual("ram_0", Cylinder(0.1, 1.0), "ram", (0.0, 0.0, 0.5))
    scene = dataclasses.replace(crane.scene, aims=(aim,), visuals=(*crane.scene.visuals, ram))
    shown = drawing.Bodies(api, scene, 0.1)
    frame = frame_of()
    assert shown.update(frame) == 0
    frame.poses["load"] = (frame.poses["load"][0] + 1.0, frame.poses["load"][1])
    assert shown.update(frame) == 2
    w, *_ = api.nodes["/bodies/ram"].batched_wxyzs[0]
    assert w < 0.3, "it points down"


def test_what_is_beside_the_crane_comes_and_goes(crane, api, frame_of):
    shown = drawing.Bodies(api, crane.scene, 0.1)
    frame = frame_of()
    frame.poses["crate"] = (np.array([3.0, 0.0, 1.0]), np.eye(4)[0])
    crate = Visual("crate_0", Box(1.0, 1.0, 1.0), "crate")
    shown.update(dataclasses.replace(frame, visuals=(crate,)))
    assert api.nodes["/bodies/crate"].args[2][0] == pytest.approx([0.3, 0.0, 0.1])
    moved = dataclasses.replace(frame, poses={"crate": (np.zeros(3), np.eye(4)[0])})
    assert shown.update(moved) == 0 and "/bodies/crate" not in api.nodes
    assert "/bodies/load" in api.nodes


def test_a_quay_to_the_horizon_casts_no_shadow(api):
    scene = load_crane("sts_51t").scene
    scale = bodies.extent(scene).scale
    drawing.Bodies(api, scene, scale)
    assert [name for name, node in api.nodes.items() if not getattr(node, "cast_shadow", True)] == [
        "/backdrop/world",
        "/haze/world",
    ]
    whole = bodies.body_meshes(scene)["world"]
    near, far = drawing.split(whole, drawing.FAR * bodies.DRAWN_RADIUS / scale)
    assert len(near.faces) + len(far.faces) == len(whole.faces) and len(near.faces) > 1000
    assert np.abs(near.vertices).max() < 100.0 and np.abs(far.vertices).max() > 3000.0
    slab = [s for s in scene.surfaces if s.name == "ground"][0]
    corner = np.add(slab.point, (*slab.extent, 0.0))
    assert (far.vertices == corner).all(axis=1).any(), "nor does a slab of 58 by 150 m"
    together = np.concatenate([part.vertices[part.faces].sum(axis=1) for part in (near, far)])
    expected = whole.vertices[whole.faces].sum(axis=1)
    assert together.sum(axis=0) == pytest.approx(expected.sum(axis=0))


def test_unknown_and_broken_poses_are_passed_over(crane, api, frame_of):
    shown = drawing.Bodies(api, crane.scene, 0.1)
    frame = frame_of()
    frame.poses["stranger"] = frame.poses["load"]
    frame.poses["load"] = (np.full(3, np.nan), frame.poses["load"][1])
    assert shown.update(frame) == 0


def test_radius_rings_lie_on_the_ground_with_radius_and_capacity(api):
    crane = load_crane("tower_12t")
    extent = bodies.extent(crane.scene)
    api.configure_default_lights = api.configure_environment_map = lambda **_: None
    environment.build(api, crane, extent)
    circles = [node for node in api.nodes.values() if node.kind == "add_line_segments"]
    labels = [node.args[0] for node in api.nodes.values() if node.kind == "add_label"]
    chart = crane.details.chart
    assert labels == [f"{r} m: {chart.capacity(r) / 1000:.1f} t" for r in range(10, 80, 10)]
    for number, circle in enumerate(circles, start=1):
        points = circle.args[0] / extent.scale
        away = np.linalg.norm(points[..., :2], axis=-1)
        assert away == pytest.approx(np.full(away.shape, 10.0 * number), rel=1e-5)
        assert points[..., 2] == pytest.approx(np.full(away.shape, 0.0), abs=0.05)


def test_a_quay_stands_on_the_backdrop():
    scene = load_crane("sts_51t").scene
    assert bodies.ground_height(scene) is None
    whole = bodies.extent(scene)
    assert whole.ground < -17.5 < whole.corners[:, 2].min()


def test_plumb_line_reaches_from_the_load_to_the_ground(crane, api, frame_of):
    extent = bodies.extent(crane.scene)
    line = environment.PlumbLine(api, crane.scene, crane.suspension.load, extent)
    line.update(frame_of())
    length = api.nodes["/plumb/line"].batched_scales[0, 2] / extent.scale
    assert length == pytest.approx(12.0 - 0.5, abs=0.01)
    assert api.nodes["/plumb/ring"].visible
    standing = frame_of()
    standing.poses["load"] = (np.array([20.0, 0.0, 0.5]), standing.poses["load"][1])
    line.update(standing)
    assert not api.nodes["/plumb/ring"].visible
    line.update(dataclasses.replace(standing, poses={}))


def test_shapes_of_contact_go_with_their_bodies(api):
    scene = load_crane("tower_12t").scene
    drawn = drawing.Bodies(api, scene, 1.0)
    shapes = {name for name in api.nodes if name.startswith(drawing.SHAPES)}
    assert shapes == {
        f"{drawing.SHAPES}/{name}" for name in ("world", "jib", "trolley", "hook_block", "load")
    }
    machine = Machine(load_crane("tower_12t"))
    frame = machine.frame(machine.observe())
    moved = dict(frame.poses) | {"hook_block": (np.array([1.0, 2.0, 3.0]), (1.0, 0.0, 0.0, 0.0))}
    drawn.update(dataclasses.replace(frame, poses=moved))
    for folder in ("/bodies", drawing.SHAPES):
        place = api.nodes[f"{folder}/hook_block"].batched_positions[0]
        assert place == pytest.approx((1.0, 2.0, 3.0))


@pytest.mark.parametrize("name", ["tower_12t", "crawler_50t", "rtg_41t", "sts_51t"])
def test_a_person_stands_in_front_of_the_load(name):
    """On the ground, outside of the load and of every stack."""
    machine = load_crane(name)
    place = scale_figures.standing_place(machine, bodies.crane_extent(machine))
    assert place is not None and place[2] == 0.0
    load = next(body for body in machine.scene.bodies if body.name == machine.watched)
    away = place[:2] - load.position[:2]
    assert away @ np.array([OBLIQUE[0], OBLIQUE[1]]) < -scale_figures.ASIDE
    for surface in machine.scene.surfaces:
        if surface.point[2] > 0.0:
            assert (np.abs(place[:2] - surface.point[:2]) > surface.extent).any()


def test_haze_hides_a_backdrop_at_the_foot_of_the_sky():
    mesh = drawing.haze_over(np.array([[0.0, 0.0, -2.0], [1.0, 0.0, -0.5]]))
    away = np.linalg.norm(mesh.vertices[:, :2], axis=1) / bodies.DRAWN_RADIUS
    assert (mesh.vertices[:, 2] == -0.5).all(), "it lies on the highest face"
    assert (mesh.colors[away < 2.0, 3] == 0.0).all() and (mesh.colors[away > 13.0, 3] == 1.0).all()
    first, second, third = mesh.vertices[mesh.faces.T]
    assert (np.cross(second - first, third - first)[:, 2] > 0.0).all(), "it is seen from above"
    area = 0.5 * np.cross(second - first, third - first)[:, 2].sum()
    outer, inner = (drawing.HAZE[i][0] * bodies.DRAWN_RADIUS for i in (0, -1))
    assert area == pytest.approx(np.pi * (outer**2 - inner**2), rel=0.01)


def test_no_part_of_the_crane_hides_the_person():
    """To the load's left the carrier of the mobile crane stands in front."""
    crane = load_crane("mobile_32t")
    place = scale_figures.standing_place(crane, bodies.crane_extent(crane))
    load = next(body for body in crane.scene.bodies if body.name == crane.watched)
    assert (place[:2] - load.position[:2]) @ scale_figures.RIGHT > 0.0


@pytest.mark.parametrize("name", ["tower_12t", "mobile_32t", "magnet_8t", "rtg_41t", "crawler_50t"])
def test_lorry_and_house_are_in_the_first_view_of_a_phone(name):
    crane = load_crane(name)
    extent = scale_figures.frame_person(crane, bodies.crane_extent(crane))
    eye = overview_camera(extent, *scale_figures.UPRIGHT)
    figures = scale_figures.scale_figures(crane, extent)
    assert len(figures) == 3
    for mesh in figures.values():
        across = eye.project(mesh.vertices / extent.scale)[:, 0]
        assert across.min() > -1.0 and across.max() < eye.width + 1.0


@pytest.mark.parametrize("name", ["tower_12t", "mobile_32t", "rtg_41t", "sts_51t"])
def test_lorry_and_house_have_their_sizes_and_stand_clear(name):
    """At full size, on the person's ground, and in no body's or stack's way."""
    crane = load_crane(name)
    extent = bodies.crane_extent(crane)
    figures = scale_figures.scale_figures(crane, extent)
    assert list(figures) == ["person", "lorry", "house"]
    boxes = [
        bodies.corners(crane.scene, bodies.visual_meshes((v,)), None) for v in crane.scene.drawn
    ]
    for figure, height in (("lorry", 3.05), ("house", 8.5)):
        points = figures[figure].vertices / extent.scale
        assert points[:, 2].min() == pytest.approx(0.0, abs=1e-6)
        assert points[:, 2].max() == pytest.approx(height)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        for box in boxes:
            inside = (box.min(axis=0) < middle) & (middle < box.max(axis=0))
            assert not inside.all()


@pytest.mark.parametrize("name", ["offshore_25t", "lab_gantry", "nehe_rope"])
def test_nobody_stands_on_a_sea_or_beside_a_model(name):
    machine = load_crane(name)
    assert scale_figures.standing_place(machine, bodies.crane_extent(machine)) is None


def test_first_view_shows_the_person_from_foot_to_head():
    crane = load_crane("crawler_50t")
    extent = bodies.crane_extent(crane)
    foot = scale_figures.standing_place(crane, extent)
    framed = scale_figures.frame_person(crane, extent)
    assert framed.corners[-2] == pytest.approx(foot)
    assert framed.corners[-1] - foot == pytest.approx([0.0, 0.0, 1.75])
    assert (framed.radius, framed.ground) == (extent.radius, extent.ground)
    small = load_crane("lab_gantry")
    alone = bodies.crane_extent(small)
    assert scale_figures.frame_person(small, alone) is alone
