"""Lift plans: what they say, and that every mistake is found in its place."""

import math

import pytest
from messages import naming

from cable_sim.control.lift_plans.lift_plan import crane_of, parse_plan, read_plan
from cable_sim.cranes import load_crane
from cable_sim.errors import ConfigError, SpecError

HEADER = "time,motion,speed\n"


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


def problems(text, crane):
    """Line, column, field and problem of everything that is wrong."""
    with pytest.raises(ConfigError) as raised:
        parse_plan(text, crane, "plan.csv")
    assert all(problem.file == "plan.csv" for problem in raised.value.problems)
    return [problem[1:] for problem in raised.value.problems]


def test_speeds_are_in_the_sense_and_the_units_of_the_axes(crane):
    plan = parse_plan(HEADER + "0,hoist,30\n0,trolley,-60\n1,slewing,0.6\n", crane)
    assert plan.speeds_at(2.0) == pytest.approx(
        {"hoist": -0.5, "trolley": -1.0, "slewing": 0.6 * 2 * math.pi / 60}
    )


def test_a_speed_holds_from_its_time_until_the_next_one(crane):
    plan = parse_plan(HEADER + "1,hoist,6\n3,trolley,6\n4.5,hoist,0\n", crane)
    assert [plan.speeds_at(t)["hoist"] for t in (0.0, 0.999, 1.0, 4.499, 4.5, 99.0)] == [
        0.0,
        0.0,
        -0.1,
        -0.1,
        0.0,
        0.0,
    ]
    assert plan.duration == 4.5


def test_comments_that_mean_something(crane):
    text = (
        "# crane: tower_12t\n#start_polar: 20 -90 (m, deg)\n# target_polar: 10 90 3\n"
        + HEADER
        + "0,hoist,0 # none\n"
    )
    plan = parse_plan(text, crane)
    assert plan.crane == crane_of(text) == "tower_12t"
    assert plan.start == pytest.approx((20.0, -math.pi / 2))
    assert plan.target == pytest.approx((0.0, 10.0, 3.0), abs=1e-12)
    assert parse_plan("# target: 1 2 -3\n" + HEADER + "0,hoist,0", crane).target == (1.0, 2.0, -3.0)


def test_spaces_and_empty_lines_do_not_matter(crane):
    spaced = parse_plan("\n time , motion,speed\n\n 0 ,  hoist , 6 \n", crane)
    assert spaced.courses == parse_plan(HEADER + "0,hoist,6\n", crane).courses


@pytest.mark.parametrize(
    ("rows", "line", "column", "field", "says"),
    [
        ("0,hoist,fast", 2, 9, "speed", "number 'fast'"),
        ("0,hoist, nan", 2, 10, "speed", "finite number nan"),
        ("inf,hoist,1", 2, 1, "time", "finite number inf"),
        ("-1,hoist,1", 2, 1, "time", "0 s -1"),
        ("2,hoist,1\n1,hoist,0", 3, 1, "time", "before command above 2 s 1"),
        ("2,hoist,1\n2,hoist,0", 3, 1, "time", "hoist command 2 s"),
        ("0,luffing,1", 2, 3, "motion", "'luffing' tower_12t slewing trolley hoist"),
        ("0,trolley,90", 2, 11, "speed", "trolley tower_12t -79.98 79.98 m/min"),
        ("0,slewing,-0.71", 2, 11, "speed", "-0.71 rpm fast"),
        ("0,hoist", 2, 1, "", "3 values (time,motion,speed) 2"),
        ("0,hoist,1,2", 2, 1, "", "4 values"),
        ("# target: 1 2\n0,hoist,1", 2, 11, "target", "3 numbers '1 2'"),
        ("# target: 1 2 x\n0,hoist,1", 2, 11, "target", "number 'x'"),
    ],
)
def test_a_mistake_is_named_with_its_place(crane, rows, line, column, field, says):
    found = problems(HEADER + rows, crane)
    assert len(found) == 1, found
    assert found[0][:3] == (line, column, field)
    assert naming(says).search(found[0][3])


def test_all_mistakes_are_told_at_once(crane):
    assert [
        line for line, *_ in problems(HEADER + "0,hoist,x\n1,nix,1\n2,hoist,1\n1,hoist,1", crane)
    ] == [2, 3, 5]


def test_a_speed_rounded_up_from_the_limit_means_the_limit(crane):
    plan = parse_plan(
        HEADER + "0,trolley,80\n", crane
    )  # 80 m/min is 1.3333 m/s, the file says 1.333
    assert plan.speeds_at(0.0)["trolley"] == crane.axis("trolley").max_speed


@pytest.mark.parametrize("text", ["", "# nothing\n", HEADER])
def test_an_empty_plan_says_what_it_needs(crane, text):
    assert "time,motion,speed" in problems(text, crane)[0][3]


def test_a_wrong_header_is_told(crane):
    assert naming("'time,motion,speed' 't,axis,v'").search(
        problems("t,axis,v\n0,hoist,1\n", crane)[0][3]
    )


def test_a_missing_file_is_told(crane, tmp_path):
    with pytest.raises(ConfigError, match=naming("nix.csv:1:1 such")):
        read_plan(tmp_path / "nix.csv", crane)


def test_a_crane_without_slewing_is_refused_with_what_it_has():
    with pytest.raises(SpecError, match=naming("cranes slewing trolley hoist rtg_41t gantry")):
        parse_plan(HEADER + "0,hoist,10\n", load_crane("rtg_41t"))
