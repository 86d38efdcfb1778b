"""Meshes are closed, look outward and have the size they should."""

import json
import math
import struct

import numpy as np
import pytest

from cable_sim.rendering import meshes
from cable_sim.rendering.ground import grid_step
from cable_sim.spec import Segments
from cable_sim.viewer.drawing.environment import dome
from cable_sim.viewer.drawing.glb import linear, to_glb


def volume(vertices, faces) -> float:
    """Enclosed volume by the divergence theorem; positive only if the triangles look outward."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def is_closed(vertices, faces) -> bool:
    """Whether every edge is met once in each direction, with vertices of one place taken
    together."""
    _, merged = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    merged = merged.reshape(-1)
    edges: dict[tuple[int, int], int] = {}
    for face in merged[faces]:
        for i, j in ((0, 1), (1, 2), (2, 0)):
            if face[i] != face[j]:
                edges[face[i], face[j]] = edges.get((face[i], face[j]), 0) + 1
    return all(edges.get((j, i), 0) == count for (i, j), count in edges.items())


def test_box_has_its_volume_and_own_corners_per_face():
    vertices, faces = meshes.box(2.0, 3.0, 4.0)
    assert vertices.shape == (24, 3) and faces.shape == (12, 3)
    assert volume(vertices, faces) == pytest.approx(24.0)
    assert is_closed(vertices, faces)


@pytest.mark.parametrize(
    "mesh, expected, tolerance",
    [
        (meshes.cylinder(0.5, 2.0, 64), math.pi * 0.25 * 2.0, 0.01),
        (meshes.sphere(1.5, 64), 4.0 / 3.0 * math.pi * 1.5**3, 0.02),
    ],
)
def test_round_shapes_approach_their_volume(mesh, expected, tolerance):
    assert volume(*mesh) == pytest.approx(expected, rel=tolerance)
    assert is_closed(*mesh)


def test_wheel_is_closed_and_its_flanges_stand_above_the_groove():
    vertices, faces = meshes.wheel(0.25, 0.08)
    assert is_closed(vertices, faces) and volume(vertices, faces) > 0.0
    assert np.hypot(vertices[:, 0], vertices[:, 1]).max() == pytest.approx(0.25 + 0.04)


def test_drum_is_closed_and_its_flanges_stand_above_the_barrel():
    vertices, faces = meshes.drum(0.3)
    assert is_closed(vertices, faces) and volume(vertices, faces) > math.pi * 0.3**2 * 0.77
    assert np.hypot(vertices[:, 0], vertices[:, 1]).max() == pytest.approx(1.35 * 0.3)
    assert np.ptp(vertices[:, 2]) == pytest.approx(2.6 * 0.3)


def test_bars_lie_between_their_ends_and_look_outward():
    starts, ends = [[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 0, 3], [4, 1, 1], [2, 2, 2]]
    vertices, faces = meshes.bars(starts, ends, 0.1, sides=6)
    assert vertices.shape == (2 * 12, 3), "the bar without length is left out"
    first = vertices[:12]
    assert np.hypot(first[:, 0], first[:, 1]) == pytest.approx(0.1)
    normal = np.cross(*(vertices[faces[:12, i]] - vertices[faces[:12, 0]] for i in (1, 2)))
    middle = vertices[faces[:12]].mean(axis=1) * (1.0, 1.0, 0.0)
    assert (np.einsum("ij,ij->i", normal, middle) > 0.0).all()


def test_thin_lattice_bars_take_four_sides():
    vertices, _ = meshes.shape_mesh(
        Segments(ends=(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),), radius=0.05)
    )
    assert len(vertices) == 8


def test_placed_turns_and_moves():
    turned = meshes.place_mesh(
        meshes.box(2.0, 1.0, 1.0), (1, 0, 0), (5.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0), 0.5
    )
    assert np.ptp(turned.vertices, axis=0) == pytest.approx([1.0, 2.0, 1.0])
    assert turned.vertices.mean(axis=0) == pytest.approx([5.0, 0.0, 0.0])
    assert turned.colors[0] == pytest.approx([1.0, 0.0, 0.0, 0.5])


def test_merged_keeps_faces_with_their_vertices():
    one = meshes.place_mesh(meshes.box(1, 1, 1), (1, 1, 1))
    two = meshes.place_mesh(meshes.box(1, 1, 1), (0, 0, 0), (9, 0, 0))
    both = meshes.merge([one, meshes.EMPTY, two])
    assert len(both.vertices) == 48 and both.faces.max() == 47
    assert volume(both.vertices, both.faces) == pytest.approx(2.0)
    assert len(meshes.merge([]).vertices) == 0


def test_quaternions_turn_z_into_any_direction():
    random = np.random.default_rng(1)
    directions = np.concatenate(
        [random.normal(size=(50, 3)), [[0, 0, 1.0], [0, 0, -1.0], [1e-9, 0, -1.0]]]
    )
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    quaternions = meshes.quaternions_from_z(directions)
    assert np.linalg.norm(quaternions, axis=1) == pytest.approx(1.0)
    for quaternion, direction in zip(quaternions, directions, strict=True):
        assert meshes.rotation_matrix(quaternion)[:, 2] == pytest.approx(direction, abs=1e-8)


def test_glb_holds_the_mesh():
    mesh = meshes.place_mesh(meshes.box(1, 2, 3), (0.5, 0.5, 0.5))
    data = to_glb(mesh)
    magic, version, total = struct.unpack_from("<4sII", data)
    assert (magic, version, total) == (b"glTF", 2, len(data))
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    binary = data[28 + size :]
    counts = [accessor["count"] for accessor in document["accessors"]]
    assert counts == [24, 24, 36] and size % 4 == 0
    assert len(binary) == document["buffers"][0]["byteLength"]
    positions = np.frombuffer(binary, "<f4", 72).reshape(-1, 3)
    assert positions == pytest.approx(mesh.vertices)
    assert "alphaMode" not in document["materials"][0] and "extensionsUsed" not in document


def test_glb_blends_what_is_transparent_and_leaves_unlit_alone():
    mesh = meshes.place_mesh(meshes.box(1, 2, 3), (0.5, 0.5, 0.5), opacity=0.4)
    data = to_glb(mesh, unlit=True)
    assert b'"BLEND"' in data and b"KHR_materials_unlit" in data


def test_linear_light_keeps_black_and_white():
    assert linear([0.0, 1.0, 2.0]) == pytest.approx([0.0, 1.0, 1.0])
    assert linear(0.5) == pytest.approx(0.2140, abs=1e-4)


def test_sky_is_seen_from_inside():
    sky = dome(10.0)
    assert volume(sky.vertices, sky.faces) < 0.0
    assert np.isfinite(sky.vertices).all() and np.linalg.norm(
        sky.vertices, axis=1
    ).max() == pytest.approx(10.0)
    assert sky.colors.min() >= 0.0 and sky.colors.max() <= 1.0


@pytest.mark.parametrize("size, step", [(62.0, 10.0), (41.0, 5.0), (10.0, 1.0), (0.5, 0.05)])
def test_grid_cells_are_round_lengths(size, step):
    assert grid_step(size) == pytest.approx(step)
