"""Ropes that are too weak, wheels that are too small, fleet angles, charts."""

import math
import warnings

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.devices import Chart
from cable_sim.cranes.rigging.reeving_checks import fleet_angle
from cable_sim.errors import CableSimWarning, SpecError


def test_two_falls_in_one_place_are_warned_of():
    path = ("trolley.drum", "hook_block.axle", "trolley.below", "hook_block.axle", "trolley.drum")
    told = "ropes.hoist_rope.path falls 1 4 run"
    with pytest.warns(CableSimWarning, match=naming(told)):
        load_crane("lab_inteco", {"ropes.hoist_rope.path": path})


def said(name, changes):
    """The warnings of a crane with changes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_crane(name, changes)
    return [str(warning.message) for warning in caught if warning.category is CableSimWarning]


def test_a_rope_weaker_than_its_design_factor_is_warned_of():
    """(6 t + 350 kg) g / 2 = 31.15 kN; 12 mm 34x7 breaks at 0.318 x 144 x 1.96 kN = 89.8 kN, 2.88
    times that."""
    (text,) = said("tower_12t", {"hoist_rope": "12mm 34x7 1960"})
    for word in (
        "ropes.hoist_rope.rope breaks 89.8 kN",
        "2.88 31.1 kN",
        "asks 5",
        "'16mm 34x7 1960'",
    ):
        assert naming(word).search(text)
    (text,) = said("tower_12t", {"reeving.design_factor": 8.0})
    assert naming("asks 8 rope '20mm 34x7 1960' falls").search(text)
    (text,) = said("rtg_41t", {"reeving.design_factor": 8.0})
    assert naming("7.54 62.5 kN").search(text)


def test_ropes_and_wheels_of_cranes_of_parts_are_judged_alike():
    """10 mm 34x7 breaks at 0.318 x 100 x 1.96 kN = 62.3 kN."""
    rope = {"ropes.hoist_rope.rope": "10mm 34x7 1960"}
    said_of_rope, *others = sorted(said("luffing_12t", rope), key=lambda text: "breaks" not in text)
    assert naming("ropes.hoist_rope.rope 62.3 kN").search(said_of_rope)
    assert naming("ropes.hoist_rope.design_factor asks 5").search(said_of_rope) and not others
    small = {"parts.head.wheels.foot.diameter": 0.2}
    (text,) = said("luffing_12t", small)
    assert text.startswith("parts.head.wheels.foot.diameter: 0.2 m ")
    (text,) = said("lab_inteco", {"ropes.hoist_rope.drum.pitch_diameter": 0.03})
    assert naming("ropes.hoist_rope.drum.pitch_diameter 0.03 m 15.0").search(text)


def test_wheels_that_bend_the_rope_are_warned_of():
    path = "parts.trolley.wheels.outer.diameter"
    (text,) = said("tower_12t", {path: 0.24})
    assert naming(f"{path} 0.24 m 15.0").search(text) and "0.288 m" in text


def test_the_fleet_angle_is_that_of_the_widest_rope():
    assert fleet_angle(0.5, 10.0) == pytest.approx(math.atan(0.025))
    changes = {"drum.width": 0.9}
    assert said("tower_12t", changes | {"drum.max_fleet_angle_deg": 2.4}) == []
    (text,) = said("tower_12t", changes | {"drum.max_fleet_angle_deg": 1.25})
    # from the drum, 10 m behind the slewing axis, to the wheel at the mast's edge are 11.15 m
    assert (
        "11.2 m away" in text and "2.31 deg, above 1.25" in text and naming("0.487 m").search(text)
    )


CHART = "chart."


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {CHART + "points": ((40.0, 5600.0), (50.0, 5700.0))},
            "chart grows radius 5600 kg 40 m 5700",
        ),
        ({CHART + "points": ((50.0, 4240.0), (40.0, 4240.0))}, "radii increase 50 40"),
        ({CHART + "points": ((40.0, 5900.0),)}, "5900 kg 40 m q_max r_full law 5609.*"),
        ({CHART + "law.r0": 40.0, CHART + "points": ()}, "law r0 below r_full 37.8 40 capacity"),
    ],
)
def test_a_chart_that_grows_or_contradicts_itself_is_refused(changes, says):
    with pytest.raises(SpecError) as caught:
        load_crane("tower_12t", changes)
    assert naming(says).search(str(caught.value))


def test_a_control_s_own_chart_that_grows_is_refused():
    assert Chart(2.0, 4.0, 1.0, 3.9, 6.0).capacity(5.0) == 2.0
    with pytest.raises(SpecError, match=naming("r0 below r_full 4 4 capacity grow radius")):
        Chart(2.0, 4.0, 1.0, 4.0, 6.0)


@pytest.mark.parametrize(
    ("name", "n"), [(name, n) for name in ("tower_12t", "tower_5t") for n in (2, 4)]
)
def test_published_capacities_are_in_the_file_and_met(name, n):
    """The chart of the maker within 10 kg, to which it is rounded."""
    spec = load_crane(name, {"reeving.n_falls": n}).details
    assert len(spec.chart.points) >= 2
    for radius, capacity in spec.chart.points:
        assert spec.chart.capacity(radius) == pytest.approx(capacity, abs=10.0)
