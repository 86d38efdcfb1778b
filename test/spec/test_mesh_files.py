"""Meshes in files: what is read, what is refused, and where relative paths start from."""

from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.errors import ConfigError, SpecError
from cable_sim.spec import Mesh, Obstacle, Scene
from cable_sim.spec.files import read_spec, to_yaml

trimesh = pytest.importorskip("trimesh", reason="needs trimesh: pip install 'cable_sim[meshes]'")
SCENE = "obstacles:\n- name: solid\n  shape: {kind: mesh, file: FILE, scale: 0.5}\n"


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "off"])
def test_every_format_gives_the_same_solid(tmp_path: Path, suffix: str) -> None:
    """In metres, closed, outward, with z up where the format has y up."""
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    if suffix == "glb":
        box.vertices = box.vertices[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
    box.export(tmp_path / f"box.{suffix}")
    found = Mesh(str(tmp_path / f"box.{suffix}"), scale=0.01)
    assert len(found.corners) == 8 and len(found.triangles()) == 12
    assert np.ptp(found.corners, axis=0) == pytest.approx((0.01, 0.02, 0.03))
    a, b, c = (found.corners[found.triangles()[:, i]] for i in range(3))
    assert (a * np.cross(b, c)).sum() / 6.0 == pytest.approx(6e-6)


def test_mesh_turned_inside_out_is_turned_back(tmp_path: Path) -> None:
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    box.invert()
    box.export(tmp_path / "box.stl")
    found = Mesh(str(tmp_path / "box.stl"))
    a, b, c = (found.corners[found.triangles()[:, i]] for i in range(3))
    assert (a * np.cross(b, c)).sum() / 6.0 == pytest.approx(1.0)


def test_open_mesh_is_refused(tmp_path: Path) -> None:
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    box.update_faces(np.arange(11))
    box.export(tmp_path / "open.stl")
    with pytest.raises(SpecError, match=naming("open.stl closed 3 edges")):
        _ = Mesh(str(tmp_path / "open.stl")).corners


def test_what_is_no_mesh_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.stl").write_text("no mesh")
    with pytest.raises(SpecError, match=r"text\.stl: .*(read|triangles)"):
        _ = Mesh(str(tmp_path / "text.stl")).corners
    with pytest.raises(SpecError, match=naming("file none.stl")):
        Mesh(str(tmp_path / "none.stl"))
    with pytest.raises(SpecError, match=naming("format .stl .obj .glb")):
        Mesh(str(tmp_path / "text.step"))


def test_paths_in_a_file_start_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it is read from; a missing file is told with its line."""
    (tmp_path / "solids").mkdir()
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "solids" / "box.obj")
    (tmp_path / "scene.yaml").write_text(SCENE.replace("FILE", "solids/box.obj"))
    (tmp_path / "wrong.yaml").write_text(SCENE.replace("FILE", "box.obj"))
    monkeypatch.chdir("/")
    scene = read_spec(tmp_path / "scene.yaml", Scene)
    expected = Obstacle("solid", Mesh(str(tmp_path / "solids" / "box.obj"), scale=0.5))
    assert scene.obstacles == (expected,)
    (tmp_path / "again.yaml").write_text(to_yaml(scene))
    assert read_spec(tmp_path / "again.yaml", Scene) == scene
    with pytest.raises(ConfigError, match=naming("wrong.yaml:3:* file /box.obj")):
        read_spec(tmp_path / "wrong.yaml", Scene)


def test_without_trimesh_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "box.obj")
    shape = Mesh(str(tmp_path / "box.obj"))
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'cable_sim\[meshes\]'"):
        _ = shape.corners
