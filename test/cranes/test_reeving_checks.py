"""Reevings that can't be threaded, ropes that are too weak, wheels that are too small, fleet
angles, charts."""

import math
import warnings
from pathlib import Path

import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.devices import Chart
from cable_sim.cranes.rigging.reeving_checks import fleet_angle
from cable_sim.errors import CableSimWarning, ConfigError, SpecError

FILE = Path(__file__).parents[2] / "config" / "tower_5t.yaml"
DRUM = "{kind: drum, body: trolley, position: [0.025, 0, 0]}"
WHEEL = "{kind: wheel, body: hook_block, position: [0, 0, 0.1], diameter: 0.05, efficiency: 0.98}"
END = "{kind: anchor, body: trolley, position: [-0.025, 0, 0]}"
BOB = "{kind: anchor, body: hook_block, position: [0, 0, 0.1]}"
NODE = "{kind: sheave, body: %s, position: [0, 0, %g]}"
BLOCK, CRAB = NODE % ("hook_block", 0.1), NODE % ("trolley", 0.0)
EYE = "{kind: eye, body: trolley, position: [0.1, 0, 0]}"


def load(tmp_path, nodes, n_falls=2):
    """The crane of a file with that path."""
    path = "\n".join(f"    - {node}" for node in nodes)
    text = FILE.read_text(encoding="utf-8")
    text = text.replace("  n_falls: 2 ", f"  path:\n{path}\n  n_falls: {n_falls} ")
    own = tmp_path / "crane.yaml"
    own.write_text(text, encoding="utf-8")
    return load_crane(own)


def test_a_path_that_can_be_threaded_loads_without_a_word(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(tmp_path, [DRUM, WHEEL, END]).suspension.n_falls == 2


@pytest.mark.parametrize(
    ("nodes", "n_falls", "field", "says"),
    [
        ([WHEEL, END], 2, "reeving.path[0]", "is of kind wheel; the first node is the drum"),
        (
            [DRUM, WHEEL],
            2,
            "reeving.path[1]",
            "is of kind wheel; the last node of the path is no anchor",
        ),
        (
            [DRUM, DRUM, END],
            2,
            "reeving.path[1]",
            "is of kind drum; between the ends the rope runs over",
        ),
        (
            [DRUM, WHEEL, EYE, EYE, END],
            2,
            "reeving.path[3]",
            "the point (0.1, 0, 0) of 'trolley' where the",
        ),
        (
            [DRUM, WHEEL.replace("hook_block", "hook"), END],
            2,
            "reeving.path[1]",
            "no body 'hook'; the rope can run",
        ),
        ([DRUM, WHEEL, END], 4, "reeving.n_falls", "n_falls is 4, but the path has 2 falls"),
        (
            [DRUM, BOB],
            2,
            "reeving.n_falls",
            "the number is odd, for 2 anchor it on 'trolley' or beside it",
        ),
    ],
)
def test_a_path_that_can_not_be_threaded_is_told_in_its_place(
    tmp_path, nodes, n_falls, field, says
):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, nodes, n_falls)
    (problem,) = caught.value.problems
    assert says in problem.problem
    assert problem.field.startswith(field)
    if "path[" in field:
        number = int(field[-2])
        lines = (tmp_path / "crane.yaml").read_text(encoding="utf-8").splitlines()
        assert lines[problem.line - 1].strip() == f"- {nodes[number]}"


def test_two_falls_in_one_place_are_warned_of(tmp_path):
    with pytest.warns(CableSimWarning, match="reeving.path: falls 2 and 3 run through one another"):
        load(tmp_path, [DRUM, BLOCK, CRAB, BLOCK, END], n_falls=4)
    path = ("trolley.drum", "hook_block.axle", "trolley.below", "hook_block.axle", "trolley.drum")
    told = "ropes.hoist_rope.path: falls 1 and 4 run through one another"
    with pytest.warns(CableSimWarning, match=told):
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
        "hoist_rope: breaks at 89.8 kN",
        "2.88 times the pull of 31.1 kN",
        "asks for 5",
        "'16mm 34x7 1960'",
    ):
        assert word in text
    (text,) = said("tower_12t", {"reeving.design_factor": 8.0})
    assert "asks for 8: take a rope such as '20mm 34x7 1960', or more falls" in text
    (text,) = said("rtg_41t", {"reeving.design_factor": 8.0})
    assert "7.54 times the pull of 62.5 kN" in text


def test_ropes_and_wheels_of_cranes_of_parts_are_judged_alike():
    """10 mm 34x7 breaks at 0.318 x 100 x 1.96 kN = 62.3 kN."""
    rope = {"ropes.hoist_rope.rope": "10mm 34x7 1960"}
    said_of_rope, *others = sorted(said("luffing_12t", rope), key=lambda text: "breaks" not in text)
    assert said_of_rope.startswith("ropes.hoist_rope.rope: breaks at 62.3 kN")
    assert "ropes.hoist_rope.design_factor asks for 5" in said_of_rope and not others
    small = {"parts.head.wheels.foot.diameter": 0.2}
    (text,) = said("luffing_12t", small)
    assert text.startswith("parts.head.wheels.foot.diameter: 0.2 m is")
    (text,) = said("lab_inteco", {"ropes.hoist_rope.drum.pitch_diameter": 0.03})
    assert text.startswith("ropes.hoist_rope.drum.pitch_diameter: 0.03 m is 15.0 rope diameters")


def test_wheels_that_bend_the_rope_are_warned_of():
    (text,) = said("tower_12t", {"reeving.sheave_diameter": 0.24})
    assert (
        text.startswith("reeving.sheave_diameter: 0.24 m is 15.0 rope diameters")
        and "0.288 m" in text
    )


def test_the_fleet_angle_is_that_of_the_widest_rope():
    assert fleet_angle(0.5, 10.0) == pytest.approx(math.atan(0.025))
    changes = {"drum.width": 0.9}
    assert said("tower_12t", changes | {"drum.max_fleet_angle_deg": 2.4}) == []
    (text,) = said("tower_12t", changes | {"drum.max_fleet_angle_deg": 1.25})
    # from the drum, 10 m behind the slewing axis, to the wheel at the mast's edge are 11.15 m
    assert "11.2 m away" in text and "2.31 deg, above 1.25" in text and "0.487 m or less" in text


CHART = "crane.rated_chart.falls_2."


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {CHART + "points": ((40.0, 5600.0), (50.0, 5700.0))},
            "chart grows with radius, from 5600 kg at 40 m to 5700",
        ),
        (
            {CHART + "points": ((50.0, 4240.0), (40.0, 4240.0))},
            "radii must increase, not 50 ... 40",
        ),
        ({CHART + "points": ((40.0, 5900.0),)}, "5900 kg at 40 m; q_max, r_full and law make 5609"),
        (
            {CHART + "law.r0": 40.0, CHART + "points": ()},
            "law: r0 must be below r_full, 37.8, not 40: the capacity",
        ),
    ],
)
def test_a_chart_that_grows_or_contradicts_itself_is_refused(changes, says):
    with pytest.raises(SpecError) as caught:
        load_crane("tower_12t", changes)
    assert says in str(caught.value)


def test_a_control_s_own_chart_that_grows_is_refused():
    assert Chart(2.0, 4.0, 1.0, 3.9, 6.0).capacity(5.0) == 2.0
    with pytest.raises(
        SpecError, match="r0 must be below r_full, 4, not 4: the capacity would grow with radius"
    ):
        Chart(2.0, 4.0, 1.0, 4.0, 6.0)


@pytest.mark.parametrize(
    ("name", "n"), [(name, n) for name in ("tower_12t", "tower_5t") for n in (2, 4)]
)
def test_published_capacities_are_in_the_file_and_met(name, n):
    """The chart of the maker within 10 kg, to which it is rounded."""
    spec = load_crane(name, {"reeving.n_falls": n}).details
    assert len(spec.chart.points) >= 2
    for radius, capacity in spec.chart.points:
        assert spec.rated_capacity(radius) == pytest.approx(capacity, abs=10.0)
