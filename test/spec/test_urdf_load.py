"""Loads from URDF: mass, inertia, and what touches the ground, from the link's own frame."""

import struct
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.errors import SpecError
from cable_sim.spec import Box, Polyhedron, Sphere
from cable_sim.spec.urdf_load import (
    DIRECTIONS,
    FormatError,
    MissingAssetError,
    UnsupportedAssetError,
    read_load,
    read_points,
)

TEXT = """<?xml version="1.0"?>
<robot name="crate"><link name="base">
<inertial><origin xyz="0 0 0.5" rpy="0 0 {yaw}"/><mass value="{mass}"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="60" iyz="0" izz="70"/></inertial>
<visual><material name="red"><color rgba="1 0 0 1"/></material></visual>
<collision><origin xyz="{at}"/><geometry>{geometry}</geometry></collision>
</link></robot>"""
USUAL = {"yaw": 0, "mass": 800, "ixx": 50, "at": "0 0 0.5", "geometry": '<box size="1 1.2 1.4"/>'}
CUBE = np.array([(x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 2)], float)


def read(find=Path, name="", **changes):
    """A load of the usual description, changed."""
    return read_load(TEXT.format(**USUAL | changes), find, name)


def binary(points):
    """A binary STL file of triangles of points (n, 3)."""
    rows = [struct.pack("<12fH", 0, 0, 0, *np.ravel(t), 0) for t in np.reshape(points, (-1, 3, 3))]
    return b"solid".ljust(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def test_a_box_about_the_centre_of_mass():
    body, centre = read()
    assert (body.name, body.mass, body.shape) == ("crate", 800.0, Box(1.0, 1.2, 1.4))
    assert np.array(body.inertia) == pytest.approx(np.diag([50.0, 60.0, 70.0]))
    assert body.position == (0.0, 0.0, 0.5) == tuple(centre)
    assert body.collides and body.color == (1.0, 0.0, 0.0)
    assert read(name="mine")[0].name == "mine"


def test_an_inertia_is_turned_into_the_axes_of_the_link():
    body, _ = read(yaw=np.pi / 2)
    assert np.array(body.inertia) == pytest.approx(np.diag([60.0, 50.0, 70.0]))


def test_a_box_beside_the_centre_of_mass_is_a_polyhedron():
    body, _ = read(at="0 0 0.7")
    corners = np.array(body.shape.corners)
    assert corners.min(axis=0) == pytest.approx((-0.5, -0.6, -0.5))
    assert corners.max(axis=0) == pytest.approx((0.5, 0.6, 0.9))


def test_other_shapes():
    assert read(geometry='<sphere radius="0.4"/>')[0].shape == Sphere(0.4)
    made = read(geometry='<cylinder radius="0.5" length="2"/>')[0].shape
    corners = np.array(made.corners)
    assert np.hypot(corners[:, 0], corners[:, 1]) == pytest.approx(0.5)
    assert set(corners[:, 2]) == {-1.0, 1.0}


@pytest.mark.parametrize("text", [False, True])
def test_a_mesh_is_its_convex_hull(tmp_path, text):
    points = CUBE[[0, 1, 2, 3, 4, 5, 6, 7, 0, 7, 3, 5]]
    lines = "".join(f"vertex {x} {y} {z}\n" for x, y, z in [*points, (1, 1, 1)])
    path = tmp_path / "cube.stl"
    path.write_bytes(f"solid cube\n{lines}endsolid".encode() if text else binary(points))
    mesh = '<mesh filename="package://any/cube.STL" scale="0.5 0.5 1"/>'
    made = read(lambda address: path, geometry=mesh, at="0 0 0")[0].shape
    assert isinstance(made, Polyhedron) and len(made.corners) == 8
    assert np.max(made.corners, axis=0) == pytest.approx((1.0, 1.0, 1.5))
    assert np.min(made.corners, axis=0) == pytest.approx((0.0, 0.0, -0.5))


def test_a_fine_mesh_keeps_the_corners_that_reach_farthest(tmp_path):
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(900, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    (tmp_path / "ball.stl").write_bytes(binary(ball))
    made = read(tmp_path.joinpath, geometry='<mesh filename="ball.stl"/>', at="0 0 0.5")[0].shape
    corners = np.array(made.corners)
    assert 40 < len(corners) <= DIRECTIONS
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    assert (corners @ ways.T).max(axis=0).min() > 0.9


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"mass": 0}, "mass 0 0.0"),
        ({"mass": "heavy"}, "mass value 'heavy' finite number"),
        ({"mass": "inf"}, "mass value 'inf'"),
        ({"ixx": -1}, "positive definite"),
        ({"geometry": "<capsule/>"}, "box sphere cylinder mesh"),
        ({"geometry": '<box size="1 2"/>'}, "box size '1 2' 3 finite numbers"),
        ({"geometry": '<box size="1 2 -3"/>'}, "z 0"),
        ({"geometry": '<cylinder radius="0" length="1"/>'}, "above 0"),
        ({"geometry": '<sphere radius="1"/>', "at": "0 0 0"}, "centre mass"),
        ({"geometry": "<box"}, "XML"),
    ],
)
def test_a_wrong_description_names_its_element(changes, words):
    with pytest.raises(FormatError, match=naming(words)):
        read(**changes)


@pytest.mark.parametrize(
    "text, words",
    [
        ("<sdf/>", "root 'sdf'"),
        ('<robot name="x"/>', "robot 0 links load"),
        ('<robot name="x"><link/></robot>', "link 'inertial'"),
        (TEXT.format(**USUAL).replace("collision", "c"), "0 collision elements"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "entities"),
        (" " * 1_000_001, "1000001 characters"),
    ],
)
def test_what_is_no_load_is_refused(text, words):
    with pytest.raises(FormatError, match=naming(words)):
        read_load(text, Path)


def test_meshes_that_are_not_there_or_no_stl(tmp_path):
    with pytest.raises(UnsupportedAssetError, match=naming("STL files read")):
        read(geometry='<mesh filename="crate.dae"/>')
    with pytest.raises(MissingAssetError, match=naming("'crate.stl' such")):
        read(tmp_path.joinpath, geometry='<mesh filename="crate.stl"/>')
    for data, words in (
        (b"nothing", "triangles"),
        (b"vertex a b c", "read"),
        (b"vertex 0 0 nan", "finite"),
        (binary(CUBE[[0, 1, 2]]), "plane"),
    ):
        (tmp_path / "crate.stl").write_bytes(data)
        with pytest.raises(UnsupportedAssetError, match=words):
            read(tmp_path.joinpath, geometry='<mesh filename="crate.stl"/>')


def test_a_binary_file_may_begin_like_a_text():
    assert read_points(binary(CUBE[:6])) == pytest.approx(CUBE[:6])
    with pytest.raises(SpecError, match="no STL file"):
        read_points(binary(CUBE[:6])[:-1])
