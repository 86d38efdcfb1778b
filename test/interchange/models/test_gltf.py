"""Pictures of scenes and cranes as glTF: nodes by name, where and as large as the bodies are."""

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra `models`)")
pytest.importorskip("mujoco", reason="mujoco is not installed (extra `models`)")

from cable_sim import Anchor, Body, Box, Cable, Scene, export_model, load_crane  # noqa: E402


def test_bodies_and_ropes_are_nodes_in_their_places(tmp_path) -> None:
    """With y up; colours are those of the bodies."""
    half = np.sqrt(0.5)
    load = Body(
        "load",
        10.0,
        shape=Box(1.0, 2.0, 3.0),
        position=(4.0, 5.0, 6.0),
        orientation=(half, 0.0, 0.0, half),
        color=(1.0, 0.5, 0.0),
    )
    rope = Cable("rope", [Anchor("world", (4, 5, 9)), Anchor("load", (0, 0, 1.5))], diameter=0.1)
    export_model(Scene(bodies=[load], cables=[rope]), tmp_path / "scene.glb")
    seen = trimesh.load(tmp_path / "scene.glb")
    assert set(seen.graph.nodes_geometry) == {"load", "rope"}
    place, shape = seen.graph["load"]
    box = seen.geometry[shape].copy().apply_transform(place)
    assert box.bounds == pytest.approx(np.array([(3.0, 4.5, -5.5), (5.0, 7.5, -4.5)]))
    assert box.visual.vertex_colors[0].tolist() == [255, 128, 0, 255]
    place, shape = seen.graph["rope"]
    tube = seen.geometry[shape].copy().apply_transform(place)
    assert tube.bounds[:, 1] == pytest.approx([7.5, 9.0])
    assert np.ptp(tube.bounds, axis=0)[[0, 2]] == pytest.approx(0.1, rel=0.15)


@pytest.mark.parametrize("name", ["tower_12t", "rtg_41t"])
def test_cranes_have_a_node_for_each_body_that_is_drawn(tmp_path, name: str) -> None:
    crane = load_crane(name)
    export_model(crane, tmp_path / "crane.glb")
    seen = trimesh.load(tmp_path / "crane.glb")
    nodes = set(seen.graph.nodes_geometry)
    assert {cable.name for cable in crane.scene.cables} <= nodes
    for body in crane.scene.bodies:
        if body.name in nodes:
            place, _ = seen.graph[body.name]
            x, y, z = body.position
            assert place[:3, 3] == pytest.approx((x, z, -y), abs=1e-5)
    assert {"trolley", "world_solids"} <= nodes
