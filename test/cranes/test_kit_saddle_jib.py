"""A saddle jib as a crane of parts: its falls, its drum, its hoist, and what is refused."""

import math

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError

G = 9.81
TAG = {"length": 20.0, "mass_per_metre": 0.3, "masses": 41, "friction": 0.5}
HANGING = {"rig.start.state": "hanging"}


@pytest.mark.parametrize("falls", [2, 4])
@pytest.mark.parametrize("tag", [None, TAG])
def test_all_falls_together_carry_what_hangs(falls, tag):
    """W = T n cos(slope), with falls 0.8 m apart on top and 0.28 m at the block."""
    turned = HANGING | {"rig.start.slewing_angle_deg": 50.0, "reeving.n_falls": falls}
    crane = load_crane("tower_5t", turned | {"rig.tag_line": tag})
    block = {2: 200.0, 4: 230.0}[falls]
    above = 42.7 - 25.0 - 1.5 - 0.8
    mass = 1500.0 + block + (0.3 * min(20.0, above) if tag else 0.0)
    cos = math.cos(math.atan2(0.4 - 0.14, 25.0 - 0.7))
    pull = crane.scene.cables[0].pretension
    assert pull == pytest.approx(mass * G / (falls * cos), rel=1e-4)


@pytest.mark.parametrize("depth", [10.0, 25.0])
def test_the_drum_holds_the_rope_down_to_the_ground(depth):
    """What the hook still goes down, on two falls, and three dead wraps of the first layer."""
    winch = load_crane("tower_5t", HANGING | {"rig.start.hook_depth": depth}).scene.winches[0]
    rope = 2.0 * (42.7 - depth)
    dead = 3.0 * math.pi * winch.drum.diameter
    assert winch.drum.wound - rope == pytest.approx(dead, abs=0.15)
    assert winch.drum.dead_wraps == 3.0


@pytest.mark.parametrize("mass", [100.0, 1500.0, 2500.0])
def test_the_rated_speed_of_a_hoist_is_that_of_its_load(mass):
    """P / ((m + m_hook) g), up to the largest."""
    changes = HANGING | {"rig.load.mass": mass, "axes.hoist.emergency_brake": 11919.0}
    crane = load_crane("tower_5t", changes)
    axis = crane.axis("hoist")
    assert axis.max_speed == pytest.approx(min(1.333, 18700.0 / ((mass + 200.0) * G)))
    drive = next(drive for drive in crane.scene.drives if drive.name == "hoist")
    assert axis.emergency_brake == pytest.approx(11919.0 / drive.brake_effort)
    assert (axis.lower, axis.upper, axis.ratio) == pytest.approx((2.7, 42.7, 2.0))
    assert axis.zero == pytest.approx(57.0 + 0.28 - 2.0 * 0.7, abs=5e-3)  # level, across, hook


def test_ropes_of_parts_run_over_platforms_that_catch_them():
    """They ran through them without a word."""
    platform = {"name": "roof", "size": (6.0, 6.0), "height": 35.0, "xy": (12.0, 0.0)}
    crane = load_crane("tower_5t", {"site.platforms": ({**platform, "catches_ropes": True},)})
    assert crane.scene.cables[0].touches == ("roof_block",)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reeving.n_falls": 3}, "reeving.n_falls 2 4 3"),
        (
            {"rig.start.state": "hanging", "rig.start.at.hoist": 42.0},
            "rig.start.at.hoist 40.39* load support 42",
        ),
        ({"rig.start.at": {"hoist": 20.0}}, "rig.start.at.trolley 2.5 0"),
        ({"rig.load.size": (2.0, 2.0, 39.5)}, "high 2.7 m"),
        ({"axes.trolley.rated_power": 1e3}, "rated_power rope hook"),
        (
            {"ropes.hoist_rope.drum.layers": 1, "rig.start.state": "hanging"},
            "ropes.hoist_rope.drum 1 layers",
        ),
        ({"rig.load": None, "rig.slings": None}, "start.state load"),
        (
            {
                "rig.load": None,
                "rig.slings": None,
                "rig.tag_line": TAG,
                "rig.start.state": "hanging",
            },
            "tag_line load",
        ),
        ({"ropes.hoist_rope.winch_mass": None}, "drum winch"),
        ({"hooks.hook_block.wheels.axle": {"at": (0.0, 0.0, 0.0), "diameter": 0.3}}, "wheels.axle"),
    ],
)
def test_a_wrong_file_is_told(changes, told):
    with pytest.raises(SpecError, match=naming(told)):
        load_crane("tower_5t", changes)
