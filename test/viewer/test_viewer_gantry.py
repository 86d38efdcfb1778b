"""The gantry crane on the page: instruments in its own words, a cab on the trolley, and all of it
in view."""

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.rendering import bodies
from cable_sim.rendering import camera as look
from cable_sim.rendering.onboard import driver_view
from cable_sim.viewer import readouts
from cable_sim.viewer.drawing import camera
from cable_sim.viewer.panel import KEYS, NO_CAMERA_ARROWS
from cable_sim.viewer.plots import History

HANGING = {"rig.start.state": "hanging"}


@pytest.fixture(scope="module")
def machine():
    made = Machine(load_crane("gantry_crane", HANGING | {"rig.start.trolley": 1.6}))
    made.tick()
    return made


def test_instruments_speak_of_spreader_and_travel(machine):
    frame = machine.frame(machine.observe())
    lines = {line.name: line for line in readouts.readings(machine.crane, frame, 0.0, 1.45)}
    assert lines["gantry travel"].value == "0.00" and lines["trolley travel"].value == "1.60"
    assert lines["spreader below trolley"].value == "11.98"  # less the stretch of the ropes
    assert lines["load above ground"].value == "6.70"
    assert lines["rope tension, largest"].value == lines["rope tension, smallest"].value == "62.5"
    assert lines["spreader yaw"].value == "0.0"


def test_a_slack_rope_among_taut_ones_is_told(machine):
    frame = machine.frame(machine.observe())
    loose = frame.cables["hoist_rope_2"]._replace(slack=True)
    cables = {**frame.cables, "hoist_rope_2": loose}
    changed = type(frame)(frame.time, frame.poses, cables, frame.axes)
    lines = {line.name: line.value for line in readouts.readings(machine.crane, changed, 0.0, 1.45)}
    assert (lines["rope tension, largest"], lines["rope tension, smallest"]) == ("62.5", "slack")


def test_an_empty_spreader_is_its_own_load():
    machine = Machine(load_crane("gantry_crane", HANGING | {"rig.load": None}))
    frame = machine.frame(machine.tick())
    names = [line.name for line in readouts.readings(machine.crane, frame, 0.0, 0.5)]
    assert "spreader above ground" in names and "load above ground" not in names


@pytest.mark.parametrize("name", ["tower_5t", "sts_51t", "lab_inteco", "lab_gantry"])
def test_every_crane_has_a_page(name):
    """All of it in view, a reading for each axis in its own words, keys for each, and views that
    follow its parts."""
    crane = load_crane(name)
    machine = Machine(crane)
    frame = machine.frame(machine.tick())
    lines = {line.name: line.value for line in readouts.readings(crane, frame, 0.0, 0.1)}
    assert {axis.reading for axis in crane.axes} <= set(lines)
    assert all(axis.name in KEYS for axis in crane.axes)
    extent = bodies.extent(crane.scene)
    places = np.array([position for position, _ in frame.poses.values()])
    inside = np.linalg.norm(places - extent.center, axis=1) <= extent.radius
    assert inside.all()
    position, target = look.overview(extent)
    assert extent.radius < np.linalg.norm(position - target) < 10.0 * extent.radius
    hook = crane.suspension.hook.replace("_", " ")
    assert {"overview", hook, "trolley"} <= set(camera.views(crane))
    assert set(bodies.body_meshes(crane.scene)) >= {"world", "trolley", crane.suspension.load}


def test_every_axis_has_keys_of_its_own(machine):
    keys = [key for axis in machine.crane.axes[:3] for key in KEYS[axis.name]]
    assert len(set(keys)) == 6


def test_no_key_moves_the_camera_as_well():
    """The arrows are the hand's, whose page keeps them from the camera."""
    arrows = {"arrowup", "arrowdown", "arrowleft", "arrowright"}
    used = {axis: set(keys) for axis, keys in KEYS.items()}
    assert set("WASDQE").isdisjoint(set().union(*used.values()))
    assert {axis for axis, keys in used.items() if keys & arrows} == {"x", "y"}
    assert "Arrow" in NO_CAMERA_ARROWS


def test_the_driver_below_the_trolley_looks_at_the_spreader(machine):
    frame = machine.frame(machine.observe())
    eye, target = driver_view(machine.crane, frame)
    trolley, spreader = frame.poses["trolley"][0], frame.poses["spreader"][0]
    assert eye - trolley == pytest.approx([1.5, 0.0, -2.3])
    assert spreader[2] < target[2] < trolley[2]
    assert eye[0] > target[0] + 1.0


def test_the_picture_holds_the_crane_and_not_the_whole_runway(machine):
    extent = bodies.extent(machine.crane.scene)
    low, high = extent.corners.min(axis=0), extent.corners.max(axis=0)
    gantry = machine.crane.details.parts["gantry"]
    assert high[2] > gantry.at[2]
    assert high[0] - low[0] > gantry.size[0]
    assert high[1] - low[1] < 40.0 < np.ptp(gantry.joint.limits)


def test_curves_show_the_tightest_rope(machine):
    history = History(machine.crane)
    history.add(machine.frame(machine.observe()))
    _, tension, hoist = history.columns("tension", "hoist")
    assert tension[-1] == pytest.approx(62.54, abs=0.01) and hoist[-1] == pytest.approx(
        11.97, abs=0.01
    )
