"""The first view shows all of the crane; the others go along with a part of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cable_sim.cranes import crane_names, load_crane
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import crane_extent, extent, extent_around
from cable_sim.rendering.camera import FIELD, Camera, Window, overview
from cable_sim.rendering.onboard import driver_view
from cable_sim.rendering.renderer import extent_of
from cable_sim.viewer.drawing.camera import (
    CURVES,
    NARROW,
    PANEL,
    SHEET,
    Rider,
    first_view,
    free_window,
    views,
)


@pytest.fixture
def rider(crane):
    camera = SimpleNamespace(
        position=np.zeros(3), look_at=np.zeros(3), image_width=1300, image_height=1000
    )
    return Rider(camera, crane, extent(crane.scene)), camera


@pytest.mark.parametrize(
    "window",
    [
        Window(0.8, 1.1),
        Window(0.3, 1.1),
        Window(1.1, 0.3),
        Window(0.46, 0.46, -0.2, 1.0),
        Window(-0.1, 0.9, 0.9, 0.1),
        free_window(1400.0, 900.0),
        free_window(577.0, 900.0),
        free_window(390.0, 844.0),
        free_window(0.0, 0.0),
    ],
)
def test_overview_holds_every_corner(crane, window):
    whole = extent(crane.scene)
    position, target = overview(whole, window)
    forward = (target - position) / np.linalg.norm(target - position)
    across = np.cross(forward, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    away = whole.corners - position
    depth = away @ forward
    assert depth.min() > 0.0
    x, y = (
        away @ axis / depth / np.tan(0.5 * FIELD) for axis in (across, np.cross(across, forward))
    )
    assert -window.left <= x.min() and x.max() <= window.right
    assert -window.below <= y.min() and y.max() <= window.above
    wide, high = np.ptp(x) / (window.left + window.right), np.ptp(y) / (window.below + window.above)
    assert max(wide, high) > 0.7, "and fills it"


def test_the_picture_is_where_neither_panel_nor_curves_are():
    wide, narrow = free_window(1400.0, 900.0), free_window(390.0, 844.0)
    assert wide.left == wide.right == pytest.approx(0.98 * (1400 - PANEL - CURVES) / 900)
    assert wide.below == wide.above == 1.0
    assert narrow.left == narrow.right == 390 / 844
    assert narrow == free_window(780.0, 1688.0), "a phone with four pixels for one"
    assert free_window(780.0, 1024.0).below > 0.9, "a window beside another one"
    assert 422 * (1.0 + narrow.below) == pytest.approx(0.6 * 844), "above the sheet"


def test_overview_is_the_same_once_the_panel_is_docked(rider):
    """The page reports the width without the panel then."""
    rider, camera = rider
    rider.choose("overview", None)
    first = np.array(camera.position)
    camera.image_width -= int(PANEL + CURVES)
    rider.choose("overview", None)
    assert camera.position == pytest.approx(first)


def test_a_page_that_fell_back_to_the_first_view_is_aimed_again(rider, crane, frame_of):
    """The page's own overview, once; a view that the user or a part has chosen stays."""
    rider, camera = rider
    whole = extent(crane.scene)
    first = whole.scale * first_view(crane, whole)[0]
    camera.image_width, camera.image_height = 390, 844
    rider.choose("overview", None)
    own = np.array(camera.position)
    assert np.abs(own - first).max() > 1.0
    camera.position = first
    rider.settle()
    assert camera.position == pytest.approx(own)
    camera.position = turned = first + (0.0, 0.1, 0.0)
    rider.settle()
    assert camera.position is turned
    rider.choose("block", frame_of())
    camera.position = first
    rider.settle()
    assert camera.position is first


@pytest.mark.parametrize("view, body", [("block", "block"), ("trolley", "trolley")])
def test_followed_part_stays_in_the_middle(rider, crane, frame_of, view, body):
    rider, camera = rider
    scale = extent(crane.scene).scale
    rider.choose(view, frame_of())
    offset = camera.position - camera.look_at
    rider.follow(frame_of(angle=0.3))
    assert camera.look_at == pytest.approx(scale * frame_of(angle=0.3).poses[body][0])
    assert camera.position - camera.look_at == pytest.approx(offset)


def test_a_view_of_a_jib_is_called_so_and_follows_its_tip(crane, frame_of):
    hung = crane.suspension._replace(trolley="upper", trolley_point=(20.0, 0.0, 1.0))
    luffing = replace(crane, suspensions=(hung,))
    assert views(luffing) == ("overview", "block", "upper", "cab")
    camera = SimpleNamespace(position=np.zeros(3), image_width=1300, image_height=1000)
    whole = extent(crane.scene)
    frame = frame_of(angle=0.5 * np.pi)
    Rider(camera, luffing, whole).choose("upper", frame)
    tip = frame.poses["upper"][0] + np.array([0.0, 20.0, 1.0])
    assert camera.look_at == pytest.approx(whole.scale * tip)


def test_followed_part_keeps_the_users_own_angle(rider, frame_of):
    rider, camera = rider
    rider.choose("block", frame_of())
    camera.position = camera.look_at + np.array([0.0, 0.0, 0.7])
    rider.follow(frame_of(angle=0.3))
    assert camera.position - camera.look_at == pytest.approx([0.0, 0.0, 0.7])


def test_lagging_reports_do_not_add_up(rider, frame_of):
    rider, camera = rider
    rider.choose("block", frame_of())
    stale = camera.position.copy(), camera.look_at.copy()
    for i in range(50):
        rider.follow(frame_of(angle=0.02 * i))
        camera.position, camera.look_at = (point.copy() for point in stale)
    rider.follow(frame_of(angle=1.0))
    assert camera.look_at == pytest.approx(
        rider._extent.scale * frame_of(angle=1.0).poses["block"][0]
    )


def test_view_without_frame_waits(rider, frame_of):
    rider, camera = rider
    rider.choose("block", None)
    assert not camera.position.any()
    rider.follow(frame_of())
    assert camera.position.any()


def test_cab_turns_with_the_jib(crane, frame_of):
    eye, _ = driver_view(crane, frame_of())
    turned, _ = driver_view(crane, frame_of(angle=np.pi / 2))
    assert eye[:2] == pytest.approx([2.2, -1.7]) and turned[:2] == pytest.approx([1.7, 2.2])
    assert eye[2] == pytest.approx(28.4)


def test_overview_can_be_chosen_again(rider, frame_of):
    rider, camera = rider
    rider.choose("cab", frame_of())
    rider.choose("overview", frame_of())
    wide = np.linalg.norm(camera.position - camera.look_at)
    camera.image_width = 700 - PANEL
    rider.choose("overview", None)
    assert np.linalg.norm(camera.position - camera.look_at) > 1.5 * wide, (
        "a narrow page needs more distance"
    )


def test_another_extent_aims_the_overview_anew(rider, crane):
    rider, camera = rider
    wide = extent_around(crane.scene, np.array([[-300.0, -300.0, 0.0], [300.0] * 3]))
    rider.choose("overview", None)
    before = camera.position
    rider.reframe(wide)
    after = camera.position
    Rider(camera, crane, wide).choose("overview", None)
    assert camera.position == pytest.approx(after) != pytest.approx(before)


@pytest.mark.parametrize("name", crane_names())
@pytest.mark.parametrize("width, height", [(390.0, 844.0), (1400.0, 900.0)])
def test_first_view_frames_what_hangs(name, width, height):
    """The load, or what is watched, is in the window that the panels leave free."""
    machine = load_crane(name)
    whole = crane_extent(machine)
    camera = SimpleNamespace(image_width=width, image_height=height)
    Rider(camera, machine, whole).choose("overview", None)
    position, target = np.array(camera.position), np.array(camera.look_at)
    docked = width if width < NARROW else width - PANEL - CURVES
    view = Camera(position / whole.scale, target / whole.scale, int(docked), int(height))
    load = next(body for body in machine.scene.bodies if body.name == machine.watched)
    u, v, near = view.project(np.array(load.position))
    assert near > 0.0 and 0.02 * docked < u < 0.98 * docked
    assert 0.0 < v < (1.0 - SHEET if width < NARROW else 1.0) * height


def test_a_sea_to_the_horizon_leaves_the_crane_as_large():
    quay = load_crane("sts_51t")
    whole, machine = extent(quay.scene), Machine(quay)
    assert whole.radius < 100.0 and whole.ground < -15.0
    assert extent_of(quay, [machine.frame(machine.observe())]).radius < 100.0
