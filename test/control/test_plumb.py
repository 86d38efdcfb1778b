"""Where a load hangs at rest: straight axes, a jib that slews, and back."""

import math

import numpy as np
import pytest

from cable_sim.control.load_kinematics import NOWHERE, LoadKinematics, load_kinematics_of
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes import load_crane

GANTRY = LoadKinematics(
    (1.0, -2.0, 8.0), (5.0, 6.0, 7.0), ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))
)
TOWER = LoadKinematics(
    (0.0, 30.0, 10.0), (30.0, 0.0, 40.0), (NOWHERE, NOWHERE, (0.0, 0.0, -1.0)), (1, 0)
)


def test_straight_axes_move_the_load_along_their_directions():
    (point,) = GANTRY.below((4.0, -1.0, 10.0))
    assert point == pytest.approx((6.0, 9.0, 5.0))


def test_a_jib_carries_it_round():
    quarter, turned = TOWER.below([(0.5 * math.pi, 20.0, 12.0), (-2.0 * math.pi, 30.0, 10.0)])
    assert quarter == pytest.approx((0.0, 20.0, 38.0), abs=1e-12)
    assert turned == pytest.approx(TOWER.load, abs=1e-12)


@pytest.mark.parametrize("plumb", [GANTRY, TOWER])
def test_coordinates_are_the_inverse(plumb):
    """Also where the angle passes half a turn, and a whole one."""
    at = np.linspace(plumb.first, (9.0, 44.0, 31.0), 200)
    assert np.abs(plumb.coordinates(plumb.below(at)) - at).max() < 1e-12


def test_the_angle_begins_with_the_turns_that_the_axis_has():
    plumb = TOWER._replace(first=(2.0 * math.pi + 3.0, 30.0, 10.0))
    at = np.linspace(plumb.first, (2.0 * math.pi + 4.0, 25.0, 10.0), 50)
    assert np.abs(plumb.coordinates(plumb.below(at)) - at).max() < 1e-12


def test_slewing_moves_the_load_by_its_radius():
    assert TOWER.lever(0, (1.0, 25.0, 10.0)) == 25.0
    assert TOWER.lever(1, (1.0, 25.0, 10.0)) == TOWER.lever(2, (1.0, 25.0, 10.0)) == 1.0
    assert GANTRY.lever(0, (1.0, 25.0, 10.0)) == 1.0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tower_12t", {"rig.start.state": "hanging", "rig.start.slewing_angle_deg": 130.0}),
        ("rtg_41t", {"rig.start.state": "hanging", "rig.start.trolley": 3.0}),
        ("lab_gantry", {}),
        ("lab_inteco", {}),
    ],
)
def test_a_crane_starts_where_its_load_hangs(name, changes):
    """And its axes move it the way that they say, but for the sway of a slow move."""
    crane = load_crane(name, changes)
    plant = LocalPlant(crane)
    first = plant.reset()
    plumb = load_kinematics_of(crane, first)
    at = np.array([state.position for state in first.axes.values()])
    assert plumb.below(at)[0] == pytest.approx(first.load.position, abs=1e-6)
    names = {"slewing", "trolley", "hoist", "gantry"}
    moved = {axis.name: 0.02 * axis.max_speed for axis in crane.axes if axis.name in names}
    for _ in range(2000):
        seen = plant.step(moved)
    at = np.array([state.position for state in seen.axes.values()])
    way = np.subtract(seen.load.position, first.load.position)
    assert np.linalg.norm(way) > 0.02
    assert np.linalg.norm(plumb.below(at)[0] - seen.load.position) < 0.2 * np.linalg.norm(way)


def test_what_nothing_is_known_of_has_none():
    crane = load_crane("nehe_rope")
    assert load_kinematics_of(crane, LocalPlant(crane).reset()) is None
