"""Geoms of models: what touches, what is drawn, and how."""

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator

mujoco = pytest.importorskip("mujoco", reason="needs mujoco (extra `models`)")
read_model = pytest.importorskip("cable_sim.interchange.models.read").read_model

PILE = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
    <geom name="step" type="box" size="0.5 0.5 0.1" pos="3 0 0.1"/>
    <geom name="post" type="capsule" size="0.1 0.3" pos="4 0 0.5" contype="0" conaffinity="0"
          rgba="1 0 0 0.5"/>
    <body name="box" pos="0 0 0.2"><freejoint/>
      <geom name="box_shape" type="box" size="0.2 0.2 0.2" mass="4" friction="0.9"/></body>
    <body name="tube" pos="1 0 0.1"><freejoint/>
      <geom name="tube/1" type="cylinder" size="0.1 0.3" euler="90 0 0" mass="2" friction="0.1"/>
      <geom name="flag" type="ellipsoid" size="0.1 0.2 0.3" contype="2" conaffinity="0"/></body>
    <body name="ball" pos="3 0 0.31"><freejoint/>
      <geom name="ball_shape" type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
  <contact><exclude body1="box" body2="ball"/></contact>
</mujoco>
"""


@pytest.fixture
def pile(tmp_path):
    """The scene of the pile, and its notes as one text."""
    path = tmp_path / "pile.xml"
    path.write_text(PILE)
    scene, notes = read_model(path)
    return scene, "\n".join(map(str, notes))


def test_geoms_are_surfaces_obstacles_and_visuals(pile) -> None:
    scene, notes = pile
    assert [(s.name, s.friction) for s in scene.surfaces] == [("floor", 0.3)]
    assert {o.name: (o.shape.kind, o.body) for o in scene.obstacles} == {
        "step": ("box", "world"),
        "box_shape": ("box", "box"),
        "tube_1": ("cylinder", "tube"),
        "flag": ("polyhedron", "tube"),
        "ball_shape": ("polyhedron", "ball"),
    }
    (post,) = scene.visuals
    assert (post.color, post.opacity) == ((1.0, 0.0, 0.0), 0.5)
    assert naming("pile.xml:10: geom 'tube/1' 'tube_1'").search(notes)


def test_friction_is_the_larger_one_as_in_mujoco(pile) -> None:
    """That of the step is 1, of the floor 0.3; the scene takes the later entry of its things."""
    scene, _ = pile
    collision = scene.collision
    assert collision.default.friction == 0.1
    assert [(name, touch.friction) for name, touch in collision.things] == [
        ("box_shape", 0.9),
        ("step", 1.0),
        ("flag", 1.0),
        ("ball_shape", 1.0),
    ]
    floor = {pair[1]: pair[2].friction for pair in collision.pairs if pair[0] == "floor"}
    assert floor == {"box_shape": 0.9, "ball_shape": 1.0}


def test_masks_and_excludes_are_ignored_pairs(pile) -> None:
    scene, _ = pile
    ignored = {frozenset(pair) for pair in scene.collision.ignored}
    assert frozenset(("box_shape", "ball_shape")) in ignored
    for name in ("step", "box_shape", "floor", "ball_shape"):
        assert frozenset(("flag", name)) in ignored
    assert frozenset(("tube_1", "floor")) not in ignored


def test_a_box_slides_and_stops_as_coulomb_says(tmp_path) -> None:
    """From 1.2 m/s with the friction 0.9: v^2 / (2 mu g)."""
    path = tmp_path / "pile.xml"
    key = '<keyframe><key name="push" qvel="1.2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"/></keyframe>'
    path.write_text(PILE.replace("</mujoco>", key + "</mujoco>"))
    scene, _ = read_model(path, keyframe="push")
    simulator = Simulator(scene)
    simulator.step(400)
    way = simulator.observe().body("box").position[0]
    assert way == pytest.approx(1.2**2 / (2 * 0.9 * 9.81), rel=0.02)


def test_without_contact_all_falls(tmp_path) -> None:
    path = tmp_path / "pile.xml"
    path.write_text(PILE)
    scene, _ = read_model(path, contact=False)
    assert scene.collision is None and not scene.obstacles
    simulator = Simulator(scene)
    simulator.step(1000)
    assert simulator.observe().body("box").position[2] == pytest.approx(0.2 - 4.905, abs=0.01)


MESH = """<mujoco>
  <asset><mesh name="wedge" file="wedge.stl" scale="0.001 0.001 0.001"/></asset>
  <worldbody><body name="part" pos="0 0 1" euler="0 0 90"><freejoint/>
    <geom type="mesh" mesh="wedge" pos="0.1 0 0" mass="1"/>
    <geom type="mesh" mesh="wedge" pos="0.1 0 0" mass="0" contype="0" conaffinity="0"/>
  </body></worldbody>
</mujoco>
"""


def test_meshes_are_where_mujoco_has_them(tmp_path) -> None:
    """The hull that touches, and the file that is drawn: the same corners in the world."""
    trimesh = pytest.importorskip("trimesh", reason="needs trimesh (extra `models`)")
    wedge = trimesh.convex.convex_hull(
        np.array([[0, 0, 0], [300, 0, 0], [0, 200, 0], [0, 0, 100], [300, 0, 40.0]])
    )
    wedge.export(tmp_path / "wedge.stl")
    path = tmp_path / "mesh.xml"
    path.write_text(MESH)
    scene, _ = read_model(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    truth = data.geom_xpos[0] + model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    (body,) = scene.bodies
    (hull,), (drawn,) = scene.obstacles, scene.visuals
    assert drawn.shape.kind == "mesh"
    for shape in (hull, drawn):
        turn = _matrix(body.orientation)
        inner = (
            np.array(shape.position) + np.array(shape.shape.corners) @ _matrix(shape.orientation).T
        )
        found = np.array(body.position) + inner @ turn.T
        assert _sorted(found) == pytest.approx(_sorted(truth), abs=1e-6)


def _matrix(quaternion) -> np.ndarray:
    """Return the rotation matrix of a quaternion (w, x, y, z)."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.array(quaternion))
    return matrix.reshape(3, 3)


def _sorted(points: np.ndarray) -> np.ndarray:
    """Return the distinct points in order."""
    return np.unique(np.round(points, 6), axis=0)
