"""The scene catalogue: every scene builds, is written and read, and starts as its docstring
says."""

import inspect
import math

import numpy as np
import pytest
from messages import naming

from cable_sim.errors import ConfigError, SpecError
from cable_sim.scenes import CATALOGUE, load_scene, scene_names
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Eye, Scene, Sheave
from cable_sim.spec.files import parse_spec, to_yaml

NAMES = {
    "nehe_rope",
    "bending_crane",
    "chain_on_hook",
    "two_boxes",
    "pendulum",
    "atwood",
    "tackle",
    "drum_with_layers",
    "bouncing_load",
    "sliding_box",
    "spinning_body",
    "chain",
    "tower_12t_2falls_hanging",
    "tower_12t_4falls_hanging",
    "tower_crane",
    "rtg_41t_hanging",
    "gantry_crane",
    "rope_over_block",
    "elevation_over_platform",
    "boxes_on_wires",
    "wire_over_cylinder",
    "wire_over_beam",
    "wire_net",
    "rope_crane",
    "wrapped_block",
    "wire_on_wire",
    "breaking_wire",
    "hitch",
    "mooring_hitch",
    "slung_log",
    "noose",
    "stacked_boxes",
    "container_on_stack",
    "heavy_atwood",
    "traction_elevator",
    "friction_hoist",
    "haul_rope",
    "capstan_winch",
    "traction_wire",
}


def path_length(scene, cable):
    """Length of a cable's way at the start, for bodies that are not turned."""
    at = {body.name: body.position for body in scene.bodies} | {"world": (0.0, 0.0, 0.0)}
    points = np.array([np.add(at[node.body], node.position) for node in cable.nodes])
    return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def test_the_catalogue_is_complete():
    assert set(scene_names()) >= NAMES


def test_two_scenes_of_one_name_are_refused():
    def ropeway():
        """Another one."""

    with pytest.raises(ValueError, match="'ropeway'"):
        scene(ropeway)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_scene_builds_and_survives_yaml(name):
    scene = load_scene(name)
    assert isinstance(scene, Scene)
    assert parse_spec(to_yaml(scene), Scene) == scene


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_scene_explains_itself_and_its_parameters(name):
    doc = inspect.getdoc(CATALOGUE[name])
    for parameter in inspect.signature(CATALOGUE[name]).parameters:
        assert f"``{parameter}``" in doc


def test_two_boxes_are_those_of_the_paper():
    scene = load_scene("two_boxes", stiffness=1e6, speed=0.2)
    left, right = scene.bodies
    assert left.mass == right.mass == 1000.0
    assert (left.shape.x, left.shape.y, left.shape.z) == (2.0, 2.0, 2.0)
    (cable,) = scene.cables
    assert path_length(scene, cable) == cable.length == 4.0
    assert cable.stiffness == 1e6
    assert right.velocity[0] - left.velocity[0] == pytest.approx(0.2)
    assert left.mass * left.velocity[0] + right.mass * right.velocity[0] == 0.0
    assert scene.gravity == (0.0, 0.0, 0.0)


def test_the_pendulum_starts_at_its_angle_on_a_straight_cable():
    scene = load_scene("pendulum", length=3.0, angle=0.5)
    (ball,), (cable,) = scene.bodies, scene.cables
    assert math.atan2(ball.position[0], -ball.position[2]) == pytest.approx(0.5)
    assert path_length(scene, cable) == pytest.approx(cable.length)


def test_both_parts_of_atwoods_machine_hang_upright():
    scene = load_scene("atwood")
    (cable,) = scene.cables
    at = {body.name: body.position for body in scene.bodies}
    assert cable.nodes[1].position[0] == at["left"][0]
    assert cable.nodes[2].position[0] == at["right"][0]
    assert isinstance(cable.nodes[1], Sheave)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16])
def test_a_tackle_of_n_falls_has_n_wheels_and_vertical_falls(n):
    scene = load_scene("tackle", n_falls=n, efficiency=0.9)
    (cable,), (block,) = scene.cables, scene.bodies
    points = [
        np.add(block.position if node.body == "block" else (0, 0, 0), node.position)
        for node in cable.nodes
    ]
    bodies = [node.body for node in cable.nodes]
    falls = [
        (points[i], points[i + 1]) for i in range(len(points) - 1) if bodies[i] != bodies[i + 1]
    ]
    assert len(falls) == n
    assert all(a[0] == pytest.approx(b[0]) for a, b in falls)
    assert np.mean([a[0] for a, _ in falls]) == pytest.approx(block.position[0])
    wheels = [node for node in cable.nodes if isinstance(node, Sheave)]
    assert len(wheels) == n == sum(isinstance(node, Eye) for node in cable.nodes)
    assert {wheel.efficiency for wheel in wheels} == {0.9}


def test_the_drum_starts_in_its_fourth_layer():
    scene = load_scene("drum_with_layers")
    (winch,), (cable,) = scene.winches, scene.cables
    radii = winch.drum.pitch_radii(cable.diameter)
    assert radii == pytest.approx([0.156, 0.1664, 0.1768, 0.1872], abs=5e-5)
    assert (
        2.0 * math.pi * 20.0 * sum(radii[:3])
        < winch.drum.wound
        < winch.drum.capacity(cable.diameter)
    )


def test_a_tackle_of_seventeen_falls_is_refused():
    with pytest.raises(SpecError, match="1 ... 16"):
        load_scene("tackle", n_falls=17)


@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_the_sliding_box_starts_flat_and_balanced_on_its_incline(angle):
    scene = load_scene("sliding_box", angle=angle, speed=2.0, mass=100.0)
    (box,), (ground,) = scene.bodies, scene.surfaces
    normal = np.array(ground.normal)
    sunk = 0.1 - np.dot(normal, box.position)
    assert 4.0 * ground.stiffness * sunk == pytest.approx(100.0 * 9.81 * math.cos(angle))
    assert np.dot(normal, box.velocity) == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(box.velocity) == pytest.approx(2.0)
    assert box.velocity[2] <= 0.0
    w, x, y, z = box.orientation
    up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
    assert up == pytest.approx(ground.normal)


def test_the_spinning_body_spins_about_its_middle_axis():
    (book,) = load_scene("spinning_body").bodies
    moments = book.shape.inertia(book.mass)
    assert sorted(moments)[1] == moments[1]
    assert abs(book.angular_velocity[1]) == max(map(abs, book.angular_velocity))


def test_the_chain_hangs_together():
    scene = load_scene("chain", n=5, length=0.4)
    assert len(scene.bodies) == len(scene.joints) == 5
    for joint, body in zip(scene.joints, scene.bodies, strict=True):
        assert joint.child == body.name
        assert body.position[0] - joint.point[0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("name", "n"), [("tower_12t_2falls_hanging", 2), ("tower_12t_4falls_hanging", 4)]
)
def test_the_hanging_crane_carries_its_rated_load(name, n):
    scene = load_scene(name)
    rope = scene.cables[0]
    gross = sum(body.mass for body in scene.bodies if body.name in ("load", "hook_block"))
    assert rope.pretension == pytest.approx(gross * 9.81 / n, rel=1e-4)


def test_an_unknown_scene_or_parameter_lists_the_known():
    with pytest.raises(SpecError, match=naming("'two_boxs' *two_boxes*")):
        load_scene("two_boxs")
    with pytest.raises(SpecError, match=naming("parameter 'hardness' stiffness speed")):
        load_scene("two_boxes", hardness=1.0)


def test_scene_files_are_read_and_take_no_parameters(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(to_yaml(load_scene("pendulum")), encoding="utf-8")
    assert load_scene(path) == load_scene("pendulum")
    with pytest.raises(SpecError, match=naming("scene.yaml' parameters length")):
        load_scene(path, length=2.0)
    with pytest.raises(ConfigError, match="two_boxes"):
        load_scene(tmp_path / "nothing.yaml")


def test_the_boxes_weigh_four_thousand_times_what_their_wires_do():
    scene = load_scene("boxes_on_wires", boxes=2)
    wires = sum(cable.density * cable.length for cable in scene.cables)
    assert sum(body.mass for body in scene.bodies) / wires == pytest.approx(4000.0)


@pytest.mark.parametrize(
    ("name", "parameters", "match"),
    [
        ("boxes_on_wires", {"boxes": 0}, "boxes 1"),
        ("wire_over_cylinder", {"model": "rope"}, "model hybrid chain beads"),
        ("wire_over_cylinder", {"model": "beads", "masses": 0}, "masses 1"),
        ("wire_over_cylinder", {"facets": 2}, "facets 3"),
        ("wire_net", {"rows": 2, "columns": 2}, "2 x 2"),
        ("wrapped_block", {"turns": 9}, "turns 1 8 9"),
        ("wrapped_block", {"length": 5.0}, "length"),
    ],
)
def test_scenes_of_hybrid_wires_say_what_they_cannot_be(name, parameters, match):
    with pytest.raises(SpecError, match=naming(match)):
        load_scene(name, **parameters)
