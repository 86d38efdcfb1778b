"""Load, slings and site: starts in equilibrium, platforms where the plan says."""

import math

import pytest
from messages import naming

from cable_sim.cranes import load_crane, standard_rope
from cable_sim.cranes.families.kit.words.site import KitSite
from cable_sim.cranes.rigging.rig import (
    Ground,
    Load,
    Platform,
    Slings,
    hang_from,
    sling_length,
    stand_on,
)
from cable_sim.errors import SpecError

LOAD = Load(mass=4000.0, size=(2.0, 1.6, 1.0))
SLINGS = Slings(standard_rope("6x36ws_iwrc", 0.016), height=1.8, slack=0.01)


def way(hanging, load=LOAD):
    """From the hook to an upper corner [m]."""
    return math.dist(
        (0.0, 0.0, hanging.hook),
        (0.5 * load.size[0], 0.5 * load.size[1], hanging.load + 0.5 * load.size[2]),
    )


def test_a_standing_load_sinks_in_by_its_weight_on_four_corners():
    placed = stand_on(3.0, LOAD, SLINGS, Ground(stiffness=1e6))
    assert placed.load == pytest.approx(3.0 + 0.5 - 4000.0 * 9.81 / 4e6, rel=1e-12)


def test_slings_of_a_standing_load_have_the_slack_of_the_file():
    placed = stand_on(0.0, LOAD, SLINGS, Ground())
    assert sling_length(LOAD, SLINGS) - way(placed) == pytest.approx(0.01, rel=1e-9)


def test_slings_of_a_hanging_load_carry_it():
    placed = hang_from(30.0, LOAD, SLINGS)
    rest = sling_length(LOAD, SLINGS)
    tension = SLINGS.rope.ea * (way(placed) - rest) / rest
    upright = (placed.hook - placed.load - 0.5) / way(placed)
    assert 4.0 * tension * upright == pytest.approx(4000.0 * 9.81, rel=1e-9)


def test_a_platform_stands_where_slewing_and_trolley_go():
    platform = Platform(name="roof", size=(6.0, 4.0), height=3.0, polar=(45.0, 120.0))
    assert platform.centre == pytest.approx((-22.5, 38.97114317029974))
    site = KitSite(platforms=(platform,))
    assert site.support_height(-22.5 + 2.9, 38.97 - 1.9) == 3.0
    assert site.support_height(-22.5 + 2.9, 38.97 - 2.1) == 0.0
    ground, top = site.surfaces()
    assert ground.extent == (math.inf, math.inf)
    assert top.point == pytest.approx((*platform.centre, 3.0))
    assert top.extent == (3.0, 2.0)
    assert top.thickness <= 3.0
    (block,) = site.visuals()
    assert block.position[2] + 0.5 * block.shape.z == pytest.approx(3.0)


def test_a_platform_needs_one_place():
    with pytest.raises(SpecError, match=naming("polar xy")):
        Platform(name="roof", size=(6.0, 6.0), height=3.0)


def test_the_load_starts_on_the_platform_when_it_is_there():
    crane = load_crane(
        "tower_12t", {"rig.start.radius": 45.0, "rig.start.slewing_angle_deg": 120.0}
    )
    load = next(body for body in crane.scene.bodies if body.name == "load")
    assert load.position[2] == pytest.approx(3.5, abs=2e-4)
    assert load.position[:2] == pytest.approx((-22.5, 38.97114317029974))
