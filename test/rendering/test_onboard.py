"""Cameras on a crane: where they are, what they see, and what stands behind them."""

import numpy as np
import pytest

from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import raster
from cable_sim.rendering.camera import Camera
from cable_sim.rendering.clipping import clip_bars, clip_triangles, split_bars
from cable_sim.rendering.onboard import OnboardCameras
from cable_sim.rendering.renderer import Renderer, extent_of
from cable_sim.scenes.machines import load_machine


@pytest.fixture(scope="module")
def crane():
    return load_machine("tower_12t")


@pytest.fixture(scope="module")
def frame(crane) -> Frame:
    machine = Machine(crane)
    return machine.frame(machine.observe())


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("tower_12t", ("hook_camera", "cab_camera")),
        ("lab_inteco", ("hook_camera",)),
        ("two_towers", ("hook_camera", "west/hook_camera", "cab_camera")),
        ("nehe_rope", ()),
    ],
)
def test_a_crane_has_a_camera_above_each_hook_and_in_its_cab(name, names):
    assert OnboardCameras(load_machine(name), 64, 48).names == names


def test_hook_camera_looks_down_with_outward_up(crane, frame):
    camera = OnboardCameras(crane, 64, 48).camera("hook_camera", frame)
    trolley = np.array(frame.poses["trolley"][0])
    right, up, forward = camera.axes
    assert forward == pytest.approx([0.0, 0.0, -1.0], abs=1e-9)
    outward = (trolley - frame.poses["jib"][0])[:2]
    assert up[:2] @ outward == pytest.approx(np.linalg.norm(outward), rel=1e-3)
    below = trolley - (0.0, 0.0, 20.0)
    u, v, inverse = camera.project(below)
    assert u == pytest.approx(32.0) and v > 24.0, "the falls are behind the camera, on the inside"
    assert 1.0 / inverse == pytest.approx(20.0, abs=0.6)
    with pytest.raises(KeyError):
        OnboardCameras(crane, 64, 48).camera("boom_camera", frame)


def test_both_cameras_see_the_load_where_it_is_projected(crane, frame):
    cameras = OnboardCameras(crane, 480, 360)
    renderer = Renderer(crane, extent_of(crane, [frame]), 480, 360, samples=1)
    body = next(body for body in crane.scene.bodies if body.name == "load")
    half = 0.5 * np.array((body.shape.x, body.shape.y, body.shape.z))
    steps = np.linspace(-0.9, 0.9, 9)
    top = np.array([(x, y, 1.0) for x in steps for y in steps]) * half + frame.poses["load"][0]
    for name in cameras.names:
        camera = cameras.camera(name, frame)
        renderer.look(camera)
        picture = renderer.draw(frame)
        assert picture.shape == (360, 480, 3)
        u, v, _ = camera.project(top).astype(int).T
        red, green, blue = picture[v, u].astype(int).T
        seen = red > 1.3 * np.maximum(green, blue)
        assert seen.mean() > 0.6, f"{name}: the load is red, between its slings"


def test_the_view_from_inside_a_body_is_free(crane, frame):
    """The driver's eyes are inside the cab, which is a closed box."""
    cameras = OnboardCameras(crane, 64, 48)
    renderer = Renderer(crane, extent_of(crane, [frame]), 64, 48, samples=1)
    renderer.look(cameras.camera("cab_camera", frame))
    assert np.median(renderer.draw(frame)) > 180, "the ground is pale, the cab dark"


def test_sizes_of_pixels_on_the_ground_are_differences_of_places():
    camera = Camera(
        np.array([1.0, -2.0, 30.0]), np.array([4.0, 3.0, 2.0]), 80, 60, up=(0.3, 0.2, 0.8)
    )
    x, y, z = camera.rays()
    assert z.max() < 0.0
    depth = -30.0 / z
    found = camera.pixel_sizes(depth.astype(np.float32), z.astype(np.float32))
    for ray, size in zip((x, y), found, strict=True):
        differences = np.hypot(*np.gradient(depth * ray))[1:-1, 1:-1]
        assert size[1:-1, 1:-1] == pytest.approx(differences, rel=2e-3)


def test_what_reaches_behind_the_camera_is_cut_off_there():
    """Depth is x here: areas beyond the plane x = 1 are known."""
    triangles = np.array(
        [
            [[2.0, 0, 0], [4, 0, 0], [2, 3, 0]],
            [[0.0, 0, 0], [3, 0, 0], [0, 3, 0]],
            [[3.0, 0, 0], [3, 3, 0], [0, 0, 0]],
            [[0.0, 0, 0], [0.9, 0, 0], [0, 3, 0]],
        ]
    )
    parts, whose = clip_triangles(triangles, triangles[:, :, 0], 1.0)
    areas = 0.5 * np.cross(parts[:, 1] - parts[:, 0], parts[:, 2] - parts[:, 0])
    assert np.bincount(whose, np.abs(areas[:, 2]), 4) == pytest.approx([3.0, 2.0, 4.0, 0.0])
    assert (areas[:, 2] > 0.0).all(), "as the triangles themselves turn"
    assert parts[:, :, 0].min() == pytest.approx(1.0)
    bars = np.array(
        [[[0.0, 0, 0], [4, 8, 0]], [[4.0, 8, 0], [0, 0, 0]], [[0.0, 0, 0], [0.5, 1, 1]]]
    )
    ends, kept = clip_bars(bars, bars[:, :, 0], 1.0)
    assert list(kept) == [0, 1]
    assert ends.ravel() == pytest.approx([1.0, 2, 0, 4, 8, 0, 4, 8, 0, 1, 2, 0])


def test_bars_are_split_where_they_pass_their_depth():
    """One through it, one on its far side, one that ends there; each with a depth of its own."""
    bars = np.array(
        [
            [[1.0, 0.0, 0.0], [5.0, 4.0, 8.0]],
            [[4.0, 0.0, 0.0], [6.0, 0.0, 0.0]],
            [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        ]
    )
    ends, whose = split_bars(bars, bars[:, :, 0], np.array([2.0, 3.0, 2.0]))
    middle = [2.0, 1.0, 2.0]
    assert whose.tolist() == [0, 1, 2, 0]
    np.testing.assert_allclose(ends[[0, 3]], [[bars[0, 0], middle], [middle, bars[0, 1]]])
    np.testing.assert_array_equal(ends[[1, 2]], bars[[1, 2]])


def test_covered_pixels_are_those_with_a_visible_triangle():
    corners = np.random.default_rng(3).uniform((-20, -20, -0.1), (90, 70, 1.0), (300, 3, 3))
    owner = raster.visible_triangles(corners, 64, 48).owner.reshape(48, 64)
    covered = raster.covered_pixels(corners[:12], 64, 48)
    assert 0.2 < covered.mean() < 1.0
    few = raster.visible_triangles(corners[:12], 64, 48).owner.reshape(48, 64)
    assert (covered == (few >= 0)).all() and (owner >= 0).all()
