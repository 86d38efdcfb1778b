"""Polyhedra of given faces: what is refused, in words that name it, what is put right, and where
they are the same."""

import warnings

import numpy as np
import pytest
from messages import naming
from scipy.spatial.transform import Rotation

from cable_sim.errors import CableSimWarning, ConfigError, SpecError
from cable_sim.spec import Obstacle, Polyhedron, Scene
from cable_sim.spec.files import parse_spec, to_yaml

CUBE = tuple(
    (x, y, z) for z in (0.0, 1.0) for x, y in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
)
FACES = ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
TRIANGLES = tuple(part for a, b, c, d in FACES for part in ((a, b, c), (a, c, d)))


def with_corner(i: int, *corner: float) -> tuple:
    return (*CUBE[:i], corner, *CUBE[i + 1 :])


MISTAKES = {
    "open": (CUBE, FACES[:-1], ["edge corners 0 3 open", "face 0"]),
    "three at an edge": (CUBE, (*FACES, (0, 1, 6)), ["edge corners 0 1 3 faces 0 2 6"]),
    "one face turned": (
        CUBE,
        (FACES[0][::-1], *FACES[1:]),
        ["faces 0 2 run", "corners 0 1", "turn"],
    ),
    "no such corner": (CUBE, (*FACES[:-1], (3, 0, 4, 8)), ["faces.5 corner 8 exist", "0 7"]),
    "negative corner": (CUBE, (*FACES[:-1], (3, 0, 4, -1)), ["faces.5.3", "0 -1"]),
    "corner that is no integer": (
        CUBE,
        (*FACES[:-1], (3, 0, 4, 7.0)),
        ["faces.5.3", "valid integer 7.0"],
    ),
    "two corners": (CUBE, (*FACES, (0, 1)), ["faces.6", "3 items", "2"]),
    "three faces": (CUBE, FACES[:3], ["faces", "4 items", "3"]),
    "corner twice in a face": (CUBE, (*FACES[:-1], (3, 0, 4, 4)), ["faces.5 corner 4 [3 0 4 4]"]),
    "corner twice": ((*CUBE, (1.0, 1.0, 1.0)), FACES, ["corners.8 [1.0 1.0 1.0] corner 6"]),
    "not flat": (
        with_corner(6, 1.0, 1.0, 1.2),
        FACES,
        ["faces.1 [4 5 6 7] flat", "0.0495 m plane", "triangles"],
    ),
    "dent": (
        with_corner(6, 0.6, 0.6, 0.6),
        TRIANGLES,
        ["convex corner", "0.555 m outside face", "several convex"],
    ),
    "corner outside that no face has": (
        (*CUBE, (0.5, 0.5, 1.5)),
        FACES,
        ["corner 8 0.5 m outside face 1"],
    ),
    "no area": (
        (*CUBE, (0.5, 0.0, 0.0)),
        ((3, 2, 1, 8, 0), (0, 8, 1), *FACES[1:]),
        ["faces.1 [0 8 1] area"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_face_edge_or_corner_and_what_is_allowed(kind: str) -> None:
    corners, faces, parts = MISTAKES[kind]
    with pytest.raises(SpecError) as caught:
        Polyhedron(corners, faces)
    for part in parts:
        assert naming(part).search(str(caught.value)), str(caught.value)


def enclosed(solid: Polyhedron) -> float:
    """Volume by the divergence theorem; positive only if the triangles look outward."""
    a, b, c = (np.array(solid.corners)[solid.triangles()[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("faces", [FACES, TRIANGLES])
def test_sound_faces_are_kept_without_a_word_and_survive_yaml(faces: tuple) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solid = Polyhedron(CUBE, faces)
        scene = Scene(obstacles=(Obstacle("cube", solid), Obstacle("hull", Polyhedron(CUBE))))
        assert parse_spec(to_yaml(scene), Scene) == scene
    assert solid.faces == faces and enclosed(solid) == pytest.approx(1.0)
    assert "faces" not in to_yaml(Polyhedron(CUBE))


def test_all_inward_faces_are_reversed_with_a_warning() -> None:
    with pytest.warns(CableSimWarning, match=naming("faces clockwise")):
        solid = Polyhedron(np.array(CUBE), [face[::-1] for face in FACES])
    assert solid.faces == FACES and enclosed(solid) == pytest.approx(1.0)


def test_corners_that_no_face_has_are_named() -> None:
    with pytest.warns(CableSimWarning, match=naming("corners 8 face")):
        solid = Polyhedron((*CUBE, (0.5, 0.5, 0.5)), FACES)
    assert enclosed(solid) == pytest.approx(1.0)


def test_meshes_in_single_precision_are_flat_enough() -> None:
    turn = Rotation.random(random_state=1).as_matrix()
    corners = (np.array(CUBE) * (7.3, 5.1, 4.7) @ turn.T + (10.37, -2.11, 3.3)).astype(np.float32)
    assert enclosed(Polyhedron(corners, FACES)) == pytest.approx(7.3 * 5.1 * 4.7, rel=1e-5)


def test_a_file_is_told_where_the_mistake_is() -> None:
    corners, faces = ([list(item) for item in items] for items in (CUBE, FACES[:-1]))
    text = f"corners: {corners}\nfaces: {faces}\nkind: polyhedron\n"
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, Polyhedron, "cube.yaml")
    assert naming("cube.yaml:2:8 faces edge corners 0 3 open").search(str(caught.value))
