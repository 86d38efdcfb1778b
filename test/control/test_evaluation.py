"""What becomes of a scenario: run, judged, under one controller or several, or refused."""

import math
import sys
from dataclasses import replace

import pytest
from messages import naming

from cable_sim.control.controllers.mpc import Mpc
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.scenario import Scenario
from cable_sim.errors import SpecError, StepError
from cable_sim.spec.files import parse_spec
from cable_sim_studies import evaluation
from cable_sim_studies.evaluation import (
    EXAMPLES,
    Judged,
    Outcome,
    evaluate,
    kinds,
    plan_runs,
    scenarios_under,
)
from cable_sim_studies.groups import Group

TEXT = "crane: lab_gantry\nrope_length: 0.3\nmoves: [{axis: trolley, to: 0.1}]\nwatch: 3.0\n"
SHORT = parse_spec(TEXT, Scenario)


def expecting(text: str) -> Scenario:
    """The short scenario, expecting something."""
    return parse_spec(TEXT + f"expect: {{{text}}}\n", Scenario)


def test_metrics_and_pace_come_of_a_run():
    outcome = evaluate("mine", SHORT)
    assert (outcome.name, outcome.controller, outcome.problem, outcome.verdict) == (
        "mine",
        "operator",
        "",
        "",
    )
    assert outcome.metrics.planned_time == pytest.approx(0.1 / 0.281 + 0.281 / 2.25)
    assert outcome.metrics.arrival_time == pytest.approx(outcome.metrics.planned_time, abs=0.1)
    assert (
        outcome.pace.real_time_factor > 0.0
        and outcome.pace.law_longest >= outcome.pace.law_median > 0.0
    )
    assert outcome.metrics.periods_watched > 2.0


def test_the_sway_that_a_ramp_leaves_is_that_of_a_pendulum():
    """Two ramps of t_r, their beginnings d / v apart: 4 a / g sin(w t_r / 2) sin(w d / 2 v) in a
    small swing."""
    found, a, t = evaluate("mine", SHORT).metrics, 2.25, 0.281 / 2.25
    omega = math.sqrt(9.80665 / 0.3)
    apart = 0.1 / 0.281
    expected = 4.0 * a / 9.80665 * abs(math.sin(0.5 * omega * t) * math.sin(0.5 * omega * apart))
    assert found.residual_sway_deg == pytest.approx(math.degrees(expected), rel=0.1)
    assert found.residual_sway_m == pytest.approx(0.3 * expected, rel=0.1)


def test_nothing_is_different_the_second_time():
    first, second = evaluate("a", SHORT), evaluate("b", SHORT)
    assert first.run.same_as(second.run) == ()
    assert repr(first.metrics.flatten()) == repr(second.metrics.flatten())


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("arrival_time: 2.0, residual_sway_deg: 90.0", "ok"),
        ("arrival_time: 2.0, residual_sway_deg: 0.001", "missed"),
        ("limiter_trips: 0", "ok"),
    ],
)
def test_what_is_expected_is_an_upper_bound(text, verdict):
    outcome = evaluate("mine", expecting(text))
    assert outcome.verdict == verdict
    assert [one.name for one in outcome.judged] == [part.split(":")[0] for part in text.split(", ")]


def test_what_never_comes_or_can_t_be_told_is_not_as_expected():
    assert Judged("a", 1.0, 1.0).kept
    assert not Judged("a", math.inf, 1e9).kept
    assert not Judged("a", math.nan, 1e9).kept


def test_a_scenario_that_can_t_be_is_refused():
    outcome = evaluate("far", parse_spec(TEXT.replace("to: 0.1", "to: 10.0"), Scenario))
    assert outcome.verdict == "refused" and outcome.metrics is None and outcome.judged == ()
    assert naming("trolley -0.2225 0.2225 m 10").search(outcome.problem)


def test_physics_that_fail_are_told_apart(monkeypatch):
    def run(scenario, plant, progress):
        raise StepError("at t = 1 s: velocities stopped being finite")

    monkeypatch.setattr(evaluation, "run", run)
    outcome = evaluate("mine", SHORT)
    assert outcome.verdict == "failed" and "finite" in outcome.problem


def test_kinds_are_those_of_all_reference_controllers():
    assert kinds()["operator"] is Operator
    assert all(cls(kind=kind).kind == kind for kind, cls in kinds().items() if kind not in EXAMPLES)


def test_a_scenario_keeps_its_controller_unless_others_are_named():
    (own,) = scenarios_under(SHORT)
    (same,) = scenarios_under(SHORT, ["operator"], seed=7)
    assert own == SHORT and same.controller == SHORT.controller and same.seed == 7
    with pytest.raises(SpecError, match=naming("controller 'pid' operator")):
        list(scenarios_under(SHORT, ["operator", "pid"]))


def test_a_controller_of_ones_own_is_named_by_the_scenario_alone():
    """What a command line can't say is told, with an example that a scenario takes."""
    with pytest.raises(SpecError, match=naming("controller 'custom' scenario's file name")):
        list(scenarios_under(SHORT, ["operator", "custom"]))
    own = parse_spec(TEXT + EXAMPLES["custom"], Scenario)
    assert own.controller.settings == {"damping": 0.2}
    assert [one.controller for one in scenarios_under(own, ["custom", "zv"])] == [
        own.controller,
        Shaped(kind="zv"),
    ]


def test_a_controller_without_its_package_is_refused_with_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "osqp", None)
    outcome = evaluate("mine", replace(SHORT, controller=Mpc(), measured=False))
    assert outcome.verdict == "refused" and "pip install 'cable_sim[mpc]'" in outcome.problem


def test_runs_are_planned_case_by_case_and_each_kind_once():
    group = Group("g", "", {"a": SHORT, "b": SHORT})
    assert [name for name, _ in plan_runs(group, ["operator", "operator"])] == ["a", "b"]


def test_an_outcome_without_a_run_says_why():
    assert Outcome("a", SHORT, problem="because").verdict == "refused"
    assert Outcome("a", SHORT, problem="because", failed=True).verdict == "failed"
