"""`cable-sim evaluate`: tables, pages, files of numbers, and exit statuses."""

import csv
import json
import math
import re
from dataclasses import replace

import pytest
from html_page import Page
from messages import naming

from cable_sim.cli import main
from cable_sim.control.catalogue import scenario_files
from cable_sim.control.metrics import AxisMetrics, definitions
from cable_sim.control.scenario import Scenario
from cable_sim.spec.files import parse_spec
from cable_sim_studies.commands.evaluate import side_by_side
from cable_sim_studies.evaluation import Outcome, evaluate, kinds
from cable_sim_studies.groups import Group
from cable_sim_studies.reports.evaluation_page import page, summary
from cable_sim_studies.reports.evaluation_plots import pictures
from cable_sim_studies.reports.evaluation_table import (
    KEY,
    label,
    limiter_rows,
    notes,
    ratio,
    rows,
    words,
)

TEXT = (
    "title: A <short> move\ncrane: lab_gantry\nrope_length: 0.3\nmoves: [{axis: trolley, to: "
    "0.1}]\nwatch: 2.5\n"
)
MATRIX = """\
title: two ways
base: {crane: lab_gantry, rope_length: 0.3, watch: 2.5}
axes:
  way: {near: {moves: [{axis: trolley, to: 0.05}]}, far: {moves: [{axis: trolley, to: 0.1}]}}
  line: {short: {rope_length: 0.25}, long: {rope_length: 0.35}}
"""


@pytest.fixture
def cable_sim(capsys, tmp_path, monkeypatch):
    """Runs `cable-sim evaluate` in this process, in a folder of its own: exit status, output,
    errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main(["evaluate", *map(str, words)])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    return run


@pytest.fixture(scope="module")
def outcome():
    """A run that is not as expected."""
    return evaluate(
        "mine", parse_spec(TEXT + "expect: {residual_sway_deg: 1.0, arrival_time: 9.0}", Scenario)
    )


def test_a_scenario_by_its_file(cable_sim, tmp_path):
    (tmp_path / "short.yaml").write_text(TEXT)
    status, output, _ = cable_sim("short.yaml", "--json", "out/all.json", "--csv", "out/all.csv")
    assert status == 0
    assert "short: A <short> move" in output and "results/evaluate/short/report.html" in output
    (found,) = json.loads((tmp_path / "out" / "all.json").read_text())
    assert (found["scenario"], found["controller"], found["verdict"]) == ("short", "operator", "")
    assert found["metrics"]["residual_sway_deg"] > 1.0 and found["metrics"]["trolley.energy"] > 0.0
    assert found["by_the_clock"]["real_time_factor"] > 0.0
    (line,) = csv.DictReader((tmp_path / "out" / "all.csv").open())
    assert float(line["residual_sway_deg"]) == found["metrics"]["residual_sway_deg"]
    assert (tmp_path / "results" / "evaluate" / "short" / "report.html").is_file()


def test_what_is_missed_ends_with_1_and_says_what(cable_sim, tmp_path):
    (tmp_path / "short.yaml").write_text(
        TEXT + "expect: {residual_sway_deg: 1.0, arrival_time: 9.0}\n"
    )
    status, output, _ = cable_sim("short.yaml", "--out", "here")
    assert status == 1
    assert naming("residual_sway_deg expected 1").search(output) and "missed" in output
    assert "arrival_time is" not in output
    assert (tmp_path / "here" / "short" / "report.html").is_file()


def test_some_cases_of_a_matrix(cable_sim, tmp_path):
    (tmp_path / "two.yaml").write_text(MATRIX)
    status, output, _ = cable_sim("two.yaml", "--only", "far", "--json", "all.json")
    assert status == 0
    assert [one["scenario"] for one in json.loads((tmp_path / "all.json").read_text())] == [
        "far-short",
        "far-long",
    ]
    read = Page((tmp_path / "results" / "evaluate" / "two" / "report.html").read_text())
    assert "far-short" in read.text and "far-long" in read.text and "near-" not in read.text


def test_the_list_has_scenarios_and_matrices(cable_sim):
    status, output, _ = cable_sim("--list")
    assert status == 0
    assert re.search(r"^tower_trolley_operator +15 m outward", output, re.MULTILINE)
    assert naming("tower_matrix matrix 1512 {short, long}").search(output)
    assert all(re.search(rf"^{name}  +\S", output, re.MULTILINE) for name in scenario_files())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["no_such"], "scenario 'no_such'"),
        (["short.yaml", "--controller", "operator,pid"], "controller 'pid'"),
        (["short.yaml", "wrong.yaml"], "wrong.yaml:2:8 crane text"),
        (["two.yaml", "--only", "far,windy"], "variant 'windy' near far short long"),
        (["short.yaml", "--only", "far"], "short single scenario matrix variants 'far'"),
        (
            ["short.yaml", "--controller", "custom"],
            "controller 'custom' class kind custom name \"my_",
        ),
        (["tower_matrix"], "1512 runs"),
        (["short.yaml", "--seed", "-1"], "seed"),
        (["short.yaml", "--json", "."], "'--json' '.' directory"),
        (["short.yaml", "--json", "all", "--csv", "./all"], "--json --csv name different files"),
        (["short.yaml", "--out", "two.yaml"], "'--out' 'two.yaml' file"),
    ],
)
def test_wrong_input_ends_with_2_before_anything_runs(cable_sim, tmp_path, given, says):
    (tmp_path / "short.yaml").write_text(TEXT)
    (tmp_path / "wrong.yaml").write_text(TEXT.replace("lab_gantry", "12"))
    (tmp_path / "two.yaml").write_text(MATRIX)
    status, _, errors = cable_sim(*given)
    assert status == 2 and naming(says).search(errors), errors
    assert not (tmp_path / "results").exists()


def test_the_help_names_every_kind_of_controller(capsys):
    for command in ("evaluate", "sweep"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        said = set(re.findall(r"\w+", capsys.readouterr().out))
        assert set(kinds()) <= said, command


def test_a_scenario_that_can_t_be_ends_with_2_and_loses_nothing(cable_sim, tmp_path):
    (tmp_path / "short.yaml").write_text(TEXT)
    (tmp_path / "far.yaml").write_text(TEXT.replace("to: 0.1", "to: 10.0"))
    status, output, _ = cable_sim("far.yaml", "short.yaml")
    assert status == 2
    assert naming("far operator moves[0] trolley -0.2225 0.2225 m").search(output)
    assert (tmp_path / "results" / "evaluate" / "short" / "report.html").is_file()


def test_the_page_needs_nothing_else_and_says_everything(outcome):
    read = Page(page(Group("mine", "A <short> move", {"mine": outcome.scenario}), [outcome]))
    assert set(read.leads) <= read.anchors
    assert len(read.sources) == 2 and all(
        one.startswith("data:image/svg+xml;base64,") for one in read.sources
    )
    assert "A <short> move" in read.text
    for name, made in (definitions() | definitions(AxisMetrics)).items():
        assert name in read.text and made.words[:30] in read.text
    assert naming("1 run 1 expected").search(read.text)
    assert naming("residual_sway_deg expected 1").search(read.text)


def test_curves_have_names_also_where_no_target_is_known(outcome):
    _, course = pictures("case", [replace(outcome, run=replace(outcome.run, plumb=None))])
    legend = course.draw().axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["operator"]


def test_two_controllers_stand_side_by_side(outcome):
    """The same run twice: every ratio is 1, or says nothing."""
    for row in rows([outcome, outcome]):
        assert row.cells[0] == row.cells[1] and row.ratios in (("1",), ("-",))
    read = Page(page(Group("mine", "", {"mine": outcome.scenario}), [outcome, outcome]))
    assert "operator / operator" in read.text
    table = side_by_side("mine", [outcome, outcome])
    assert len(table.columns) == 5 and table.row_count == len(definitions())


def test_a_case_without_a_run_still_has_its_page():
    refused = Outcome("mine", parse_spec(TEXT, Scenario), problem="can <not> be")
    read = Page(page(Group("mine", "", {"mine": refused.scenario}), [refused]))
    assert "can <not> be" in read.text and read.sources == []
    assert naming("1 run 1").search(summary([refused]))
    assert limiter_rows([refused]) == [] and notes(refused) == ["can <not> be"]


def test_a_sway_that_was_watched_too_briefly_is_told(outcome):
    brief = evaluate("brief", parse_spec(TEXT.replace("watch: 2.5", "watch: 0.5"), Scenario))
    assert any(naming("watch longer").search(note) for note in notes(brief))
    assert not any(naming("watch longer").search(note) for note in notes(outcome))


def test_numbers_in_words():
    assert [words(value) for value in (math.inf, math.nan, 0.0, 1e-15, 12.3456, 1234567.0)] == [
        "never",
        "-",
        "0",
        "0",
        "12.35",
        "1.235e+06",
    ]
    assert [ratio(a, b) for a, b in ((1.0, 2.0), (1.0, 0.0), (math.inf, 1.0), (0.0, 2.0))] == [
        "0.5",
        "-",
        "-",
        "0",
    ]


def test_headings_tell_the_units():
    assert [label(name) for name in KEY][:5] == [
        "arrival time [s]",
        "settling time [s]",
        "transient sway [deg]",
        "residual sway [deg]",
        "residual sway [m]",
    ]
    assert label("energy") == "energy [kJ]" and label("limiter_trips") == "limiter trips [-]"
