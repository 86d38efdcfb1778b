"""Frames that point from one body to another: luffing cylinders, ropes and pendants of cranes."""

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError
from cable_sim.rendering.bodies import body_meshes, pose_of
from cable_sim.rendering.meshes import rotation_matrix
from cable_sim.spec import Aim, Body, Cylinder, Scene, Sphere, Visual

LUFFING = {"luffing_12t": (15.0, 85.0), "offshore_25t": (5.0, 82.0), "mobile_32t": (1.0, 76.0)}
"""Range of the angle of each crane's boom [deg]."""
BALL = Body("ball", 1.0, shape=Sphere(0.1))


@pytest.mark.parametrize("name", LUFFING)
@pytest.mark.parametrize("end", [0, 1])
def test_both_halves_of_a_luffing_gear_slide_into_one_another(name, end) -> None:
    """They lie on one line between their places, overlap there, and do not reach beyond it."""
    empty = {"rig.load": None, "rig.slings": None}  # a level boom is too low for a load
    scene = load_crane(name, {"rig.start.at.luffing_deg": LUFFING[name][end], **empty}).scene
    places = {aim.name: pose_of(scene, aim.name) for aim in scene.aims}
    lengths = {v.body: v.shape.length for v in scene.visuals if v.body in places}
    (first, start), (second, far) = ((key, place) for key, (place, _) in places.items())
    way = far - start
    distance = np.linalg.norm(way)
    for key, towards in ((first, way), (second, -way)):
        along = rotation_matrix(places[key][1])[:, 2]
        assert along == pytest.approx(towards / distance, abs=1e-12)
        assert 0.4 * distance < lengths[key] < distance
        vertices = body_meshes(scene)[key].vertices[:, 2]
        assert (vertices.min(), vertices.max()) == pytest.approx((0.0, lengths[key]))
    assert lengths[first] + lengths[second] > distance


def test_an_aim_follows_the_poses_of_both_bodies() -> None:
    half_turn = np.array([0.0, 0.0, 0.0, 1.0])
    aim = Aim("rod", "ball", "other", (1.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    other = Body("other", 1.0, shape=Sphere(0.1))
    scene = Scene(bodies=[BALL, other], aims=[aim], visuals=[Visual("v", Cylinder(1, 1), "rod")])
    poses = {"ball": (np.array([0.0, 0.0, 5.0]), half_turn), "other": (np.full(3, 3.0), half_turn)}
    place, turn = pose_of(scene, "rod", poses)
    assert place == pytest.approx([-1.0, 0.0, 5.0])
    assert rotation_matrix(turn)[:, 2] == pytest.approx([0.8, 0.6, 0.0])


@pytest.mark.parametrize(
    ("aim", "told"),
    [
        (Aim("rod", "ball", "bell"), "aim 'rod' 'bell' ball"),
        (Aim("rod", "world", "ball"), "aim 'rod' body 'world' ball"),
        (Aim("ball", "ball", "ball"), "name 'ball'"),
    ],
)
def test_aims_that_can_not_be_are_refused(aim, told) -> None:
    with pytest.raises(SpecError, match=naming(told)):
        Scene(bodies=[BALL], aims=[aim])
