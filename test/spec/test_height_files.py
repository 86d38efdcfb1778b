"""Heights of ground from tables, files of numpy and pictures."""

from pathlib import Path

import numpy as np
import pytest
from messages import naming
from PIL import Image

from cable_sim.errors import SpecError
from cable_sim.spec import Heightfield, Obstacle, Scene
from cable_sim.spec.files import parse_spec, read_spec, to_yaml

TABLE = np.arange(12.0).reshape(3, 4)


def test_every_source_gives_the_same_heights(tmp_path: Path) -> None:
    """The first row is at the least y: the lowest line of a picture."""
    np.save(tmp_path / "h.npy", TABLE / 12.0)
    np.savez(tmp_path / "h.npz", heights=TABLE / 12.0)
    Image.fromarray((TABLE[::-1] / 12.0 * 65535.0 + 0.5).astype(np.uint16)).save(tmp_path / "h.png")
    for name in ("h.npy", "h.npz", "h.png"):
        found = Heightfield(6.0, 4.0, file=str(tmp_path / name), factor=12.0)
        assert found.grid == pytest.approx(TABLE, abs=2e-4), name
    grey = Image.fromarray((TABLE[::-1] * 20.0).astype(np.uint8))
    grey.save(tmp_path / "grey.png")
    found = Heightfield(6.0, 4.0, file=str(tmp_path / "grey.png"), factor=255.0)
    assert found.grid == pytest.approx(20.0 * TABLE)


def test_surface_is_drawn_closed_but_for_its_bottom() -> None:
    """Its triangles and the bottom enclose the volume, and look outward."""
    field = Heightfield(6.0, 4.0, TABLE, depth=2.0)
    corners, triangles = field.corners, field.triangles()
    a, b, c = (corners[triangles[:, i]] - (0.0, 0.0, -2.0) for i in range(3))
    volume = (a * np.cross(b, c)).sum() / 6.0  # the bottom, at z = 0 here, adds nothing
    means = [TABLE[:-1, :-1], TABLE[:-1, 1:], TABLE[1:, 1:], TABLE[1:, :-1]]
    prisms = sum((m[0] + m[1] + m[2]) / 6.0 for m in (means[:3], [means[0], *means[2:]]))
    assert volume == pytest.approx((prisms.sum() + 2.0 * 6) * 2.0 * 2.0)
    surface = np.cross(b - a, c - a)[: 2 * 6]
    assert (surface[:, 2] > 0.0).all()


def test_yaml_keeps_heights_and_files(tmp_path: Path) -> None:
    np.save(tmp_path / "h.npy", TABLE)
    text = "obstacles:\n- name: ground\n  shape: {kind: heightfield, x: 6, y: 4, file: h.npy}\n"
    (tmp_path / "scene.yaml").write_text(text)
    scene = read_spec(tmp_path / "scene.yaml", Scene)
    assert scene.obstacles[0].shape.grid == pytest.approx(TABLE)
    written = Scene(obstacles=(Obstacle("ground", Heightfield(6.0, 4.0, TABLE)),))
    assert parse_spec(to_yaml(written), Scene) == written


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "heights file"),
        ({"heights": [[0, 0], [0, 0]], "file": "h.npy"}, "heights file"),
        ({"heights": [[0.0, 1.0]]}, "rows columns shape 1 2"),
        ({"heights": [[0.0, 1.0], [0.0]]}, "rows different lengths [1 2]"),
        ({"heights": [[0.0, float("nan")], [0.0, 0.0]]}, "heights.0.1"),
        ({"file": "h.txt"}, "format .npy .npz .png"),
        ({"file": "none.npy"}, "file none.npy"),
    ],
)
def test_what_is_no_grid_is_refused(more: dict, told: str) -> None:
    with pytest.raises(SpecError, match=naming(told)):
        Heightfield(1.0, 1.0, **more)


def test_file_without_heights_is_told_when_it_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "line.npy", np.zeros(5))
    np.save(tmp_path / "hole.npy", np.array([[0.0, 1.0], [np.inf, 0.0]]))
    (tmp_path / "text.png").write_text("no picture")
    for name, told in (
        ("line.npy", r"not shape \(5,\)"),
        ("hole.npy", "height inf in row 1, column 0"),
        ("text.png", "cannot identify"),
    ):
        with pytest.raises(SpecError, match=f"heights .*{name}: .*{told}"):
            _ = Heightfield(1.0, 1.0, file=str(tmp_path / name)).grid
