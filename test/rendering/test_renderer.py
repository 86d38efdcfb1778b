"""Pictures: what is in a scene is in its picture, in its place and its colour."""

from dataclasses import replace

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import ground_height
from cable_sim.rendering.camera import Camera, overview_camera
from cable_sim.rendering.renderer import PLUMB_COLOR, Renderer, dashes, extent_of
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Ground,
    Hybrid,
    Lumped,
    Scene,
    Segments,
    Surface,
    Visual,
)

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def crane():
    """A red box hanging 3 m above the ground on a rope, and a blue lattice beside it."""
    return scene_machine(
        Scene(
            name="hung",
            bodies=(
                Body("load", 100.0, shape=Box(2.0, 2.0, 2.0), position=(0.0, 0.0, 4.0), color=RED),
            ),
            cables=(
                Cable(
                    "rope",
                    (Anchor("world", (0.0, 0.0, 9.0)), Anchor("load", (0.0, 0.0, 1.0))),
                    ea=1e6,
                ),
            ),
            visuals=(
                Visual(
                    "bar",
                    Segments(ends=(((3.0, 0.0, 0.0), (3.0, 0.0, 9.0)),), radius=1e-3),
                    color=BLUE,
                ),
            ),
            surfaces=(Surface("ground"),),
        )
    )


@pytest.fixture(scope="module")
def frame(crane):
    machine = Machine(crane)
    return machine.frame(machine.observe())


def colored(picture, channel):
    """Where a picture is mostly of one colour channel."""
    others = np.delete(picture.astype(int), channel, axis=2).max(axis=2)
    return picture[:, :, channel].astype(int) > others + 40


def test_points_project_where_rays_from_the_eye_meet_the_image():
    camera = Camera(np.array([0.0, -10.0, 2.0]), np.array([0.0, 0.0, 2.0]), 300, 200)
    assert camera.project(np.array([0.0, 0.0, 2.0])) == pytest.approx([150.0, 100.0, 0.1])
    u, v, inverse = camera.project(np.array([1.0, 10.0, 3.0]))
    assert (u - 150.0, 100.0 - v, inverse) == pytest.approx(
        (camera.focal_length / 20.0,) * 2 + (0.05,)
    )
    assert (
        camera.project(np.array([0.0, -20.0, 2.0]))[2] < 0.0
        and camera.project(np.array([0.0, -10.0, 2.0]))[2] < 0.0
    )
    ray = np.array([part[60, 210] for part in np.broadcast_arrays(*camera.rays())])
    u, v, inverse = camera.project(camera.position + 7.0 * ray)
    assert (u, v, inverse) == pytest.approx((210.5, 60.5, 1.0 / 7.0))


def test_all_of_it_is_in_the_picture(crane, frame):
    extent = extent_of(crane, [frame])
    for along in ((-0.6, 0.8, -0.1), (0.0, 1.0, -1.0), (1.0, 0.0, 0.3)):
        seen = overview_camera(extent, 320, 200, along).project(extent.corners)
        assert (seen[:, 2] > 0.0).all()
        assert (seen[:, :2] > -1e-6).all() and (seen[:, 0] < 320).all() and (seen[:, 1] < 200).all()


def test_bodies_and_lattices_are_seen_in_their_colours(crane, frame):
    extent = extent_of(crane, [frame])
    picture = Renderer(crane, extent, 320, 200).draw(frame)
    assert picture.shape == (200, 320, 3) and picture.dtype == np.uint8
    camera = overview_camera(extent, 320, 200, (-0.33, 0.87, -0.34))
    u, v, _ = camera.project(np.array([0.0, 0.0, 4.0]))
    assert colored(picture, 0)[round(v), round(u)]
    bar = colored(picture, 2).any(axis=1)
    assert bar.sum() > 60, "a bar of 1 mm is as wide as a pixel, and so without gaps"
    assert not (np.diff(np.flatnonzero(bar)) > 1).any()


def test_it_goes_where_the_frame_has_it(crane, frame):
    moved = replace(frame, poses={"load": (np.array([0.0, 0.0, 1.5]), frame.poses["load"][1])})
    renderer = Renderer(crane, extent_of(crane, [frame, moved]), 320, 200)
    before, after = (
        np.argwhere(colored(renderer.draw(one), 0))[:, 0].mean() for one in (frame, moved)
    )
    assert after > before + 20.0


def test_the_ground_shows_shadows_only_of_bodies_in_the_frame(crane, frame):
    renderer = Renderer(crane, extent_of(crane, [frame]), 320, 200)
    with_it = renderer.draw(replace(frame, cables={}))
    lost = {"load": (np.full(3, np.nan), frame.poses["load"][1])}
    without = renderer.draw(replace(frame, poses=lost, cables={}))
    darker = with_it.astype(int).sum(axis=2) < without.astype(int).sum(axis=2) - 60
    assert (darker & ~colored(with_it, 0)).sum() > 100
    assert not colored(without, 0).any()


def test_ropes_are_coloured_by_their_tension(crane, frame):
    def rope(tension, slack=False):
        picture = frame.cables["rope"]
        pulled = picture._replace(tension=np.full(len(picture.tension), tension), slack=slack)
        return replace(frame, cables={"rope": pulled})

    renderer = Renderer(crane, extent_of(crane, [frame]), 320, 200)
    low, high, grey = (renderer.draw(one) for one in (rope(1.0), rope(1e9), rope(0.0, True)))
    assert colored(low, 2).sum() > colored(grey, 2).sum() + 20
    assert colored(high, 0).sum() > colored(grey, 0).sum() + 20


def test_a_load_that_is_nowhere_has_no_line_below_it():
    machine = Machine(load_crane("lab_gantry"))
    frame = machine.frame(machine.observe())
    lost = {name: (np.full(3, np.nan), turn) for name, (_, turn) in frame.poses.items()}
    renderer = Renderer(machine.crane, extent_of(machine.crane, [frame]), 96, 64)
    assert not (renderer.draw(replace(frame, poses=lost)) == renderer.draw(frame)).all()


def test_what_is_transparent_lets_through_what_is_behind(crane, frame):
    glass = Visual("glass", Box(6.0, 0.1, 6.0), position=(0.0, -3.0, 4.0), color=BLUE, opacity=0.3)
    behind = scene_machine(replace(crane.scene, visuals=(glass,)))
    picture = Renderer(behind, extent_of(crane, [frame]), 320, 200, (0.0, 1.0, -0.05)).draw(frame)
    red, green, blue = (int(part) for part in picture[colored(picture, 0)].mean(axis=0))
    assert red > blue > green + 30


def test_dashes_lead_from_the_load_to_a_ring_on_the_ground():
    lines = dashes(np.array([1.0, 2.0, 8.0]), 0.0, 24.0)
    assert lines.ends[0, 0] == pytest.approx([1.0, 2.0, 8.0])
    assert lines.ends[..., 2].min() == 0.0 and (lines.ends[..., 2] <= 8.0).all()
    assert (lines.colors == PLUMB_COLOR).all()
    assert len(dashes(np.array([0.0, 0.0, -1.0]), 0.0, 24.0).ends) == 33


def test_ground_of_any_cable_is_in_the_picture():
    ground = Ground((0.0, 0.0, -2.0))
    for model in (
        {"lumped": Lumped(3, density=1.0, ground=ground)},
        {"hybrid": Hybrid(density=1.0, ground=ground)},
    ):
        rope = Cable("rope", (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0))), ea=1e5, **model)
        assert ground_height(Scene(cables=(rope,))) == -2.0


def test_the_sides_that_are_left_out_change_no_pixel(monkeypatch):
    """They are hidden, and closed bodies have the same shadow without them."""
    shown = load_crane("rtg_41t")
    machine = Machine(shown)
    frame = machine.frame(machine.observe())
    renderer = Renderer(shown, extent_of(shown, [frame]), 320, 240, samples=1)
    outer = renderer.draw(frame)
    module = "cable_sim.rendering.renderer._faces_camera"
    monkeypatch.setattr(module, lambda corners: np.ones(len(corners), dtype=bool))
    assert (renderer.draw(frame) == outer).all(axis=2).mean() > 0.9999
    monkeypatch.setattr(module, lambda corners: np.zeros(len(corners), dtype=bool))
    assert (renderer.draw(frame) == outer).all(axis=2).mean() < 0.99
