"""The scenarios that come with the package: found, read, and every one of them run."""

import math
from itertools import product

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim.control.catalogue import load_scenario, read_any, scenario_file, scenario_files
from cable_sim.control.check import summary
from cable_sim.control.matrix import Matrix
from cable_sim.control.run import run
from cable_sim.errors import CableSimError, ConfigError, SpecError
from cable_sim_studies.evaluation import evaluate
from cable_sim_studies.groups import load_group, load_groups
from cable_sim_studies.groups import single_scenarios as singles

SAMPLES = ("short-high-empty-calm-nominal-none", "long-hoisting-half-gust-wrong-sensor_dead")
"""Of each matrix; the rest of its variants stands in ``Matrix.samples``, which takes longer."""
PLAIN = (
    "gantry_empty_in_a_gust",
    "gantry_trolley_move",
    "lab_gantry_cart",
    "tower_beyond_the_chart",
    "tower_slew_trolley_hoist",
    "tower_trolley_operator",
)
"""Single scenarios under an operator, which run to their ends here; those of other controllers do
so in their tests."""
SCENARIO = "title: mine\ncrane: lab_gantry\nmoves: [{axis: trolley, to: 0.05}]\nwatch: 1.0\n"


def test_scenarios_and_matrices_are_found_by_name():
    files = scenario_files()
    assert {"tower_matrix", "gantry_matrix", "tower_trolley_operator"} <= set(files)
    assert "tower_matrix" not in singles() and "tower_trolley_operator" in singles()
    assert scenario_file("tower_matrix") == files["tower_matrix"]


def test_an_installed_package_has_its_scenarios(tmp_path, monkeypatch):
    """In share/ of a prefix, as colcon installs them; the source tree's own come first."""
    folder = tmp_path / "share" / "cable_sim" / "config" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "of_the_prefix.yaml").write_text(SCENARIO)
    (folder / "tower_matrix.yaml").write_text("not the one that is meant")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert load_group("of_the_prefix").cases["of_the_prefix"].title == "mine"
    assert isinstance(read_any(scenario_file("tower_matrix")), Matrix)


def test_without_the_source_tree_they_are_those_of_the_prefix(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "cable_sim" / "config" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "only_one.yaml").write_text(SCENARIO)
    monkeypatch.setattr(
        "cable_sim.control.catalogue.shared_folders",
        lambda name: [tmp_path / "share" / "cable_sim" / name],
    )
    assert set(scenario_files()) == {"only_one"}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(SpecError, match=naming("'no_such' gantry_matrix tower_trolley_operator")):
        load_group("no_such")
    with pytest.raises(ConfigError, match=naming("no_such.yaml:1:1 such")):
        load_group("no_such.yaml")


def test_a_folder_stands_for_its_single_scenarios(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.yaml").write_text(SCENARIO)
    (tmp_path / "m.yaml").write_text(
        "base: {crane: lab_gantry, moves: []}\naxes: {x: {one: {}, two: {watch: 1.0}}}"
    )
    assert [group.name for group in load_groups([str(tmp_path)])] == ["a", "b"]
    assert list(load_group(tmp_path / "m.yaml", ["two"]).cases) == ["two"]
    with pytest.raises(CableSimError, match=naming("scenario 'a'")):
        load_groups([str(tmp_path), str(tmp_path / "a.yaml")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CableSimError, match=naming("file scenario")):
        load_groups([str(tmp_path / "empty")])


def test_a_single_scenario_has_no_variants():
    """To leave them out of account would run what was not meant."""
    for names in (["tower_trolley_operator"], ["tower_matrix", "tower_trolley_operator"], []):
        with pytest.raises(SpecError, match=naming("single scenario matrix variants 'rated'")):
            load_groups(names, ["rated"])


def test_where_one_scenario_is_wanted_a_matrix_is_none():
    assert load_scenario("tower_trolley_operator").crane == "tower_12t"
    with pytest.raises(SpecError, match=naming("tower_matrix matrix 1512 scenarios")):
        load_scenario("tower_matrix")


def test_mistakes_of_a_file_are_told_with_their_places(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(SCENARIO + "expect: {residual_sway: 0.5}\nload: heavy\n")
    with pytest.raises(ConfigError) as error:
        load_group(file)
    first, second = map(str, error.value.problems)
    assert first.startswith(f"{file}:5:10: expect.residual_sway: ") and naming(
        "field 'residual_sway' peak_pull"
    ).search(first)
    assert second.startswith(f"{file}:6:7: load: ") and "number" in second


class Enough(Exception):
    """What was to be seen has been seen."""


@pytest.mark.parametrize("name", [*singles()])
def test_every_single_scenario_begins(name):
    """Crane, controller and moves go together, and nothing fails within a simulated second and a
    half."""
    times = []

    def tell(time):
        times.append(time)
        if time >= 1.5:
            raise Enough

    (scenario,) = load_group(name).cases.values()
    with pytest.raises(Enough):
        run(scenario, progress=tell)
    assert times[-1] == pytest.approx(1.5, abs=0.5)


@pytest.mark.parametrize("name", PLAIN)
def test_a_scenario_runs_to_its_end(name):
    """Its axes make their moves, it is watched for two periods, and the load gets there but for its
    sway."""
    (scenario,) = load_group(name).cases.values()
    outcome = evaluate(name, scenario)
    assert outcome.problem == "" and outcome.verdict in ("", "ok")
    found = outcome.metrics
    if name == "tower_beyond_the_chart":
        assert found.limiters["load_moment_limiter"].number == 1
        assert found.arrival_time == math.inf
        return
    assert found.planned_time <= found.arrival_time + 1.0 and math.isfinite(found.arrival_time)
    assert found.periods_watched >= 2.0
    assert not {"load_moment_limiter", "load_limiter", "slack_rope_switch"} & set(found.limiters)
    assert found.final_error < max(0.1, 0.05 * found.residual_sway_m)
    assert 1.0 <= found.hoist_factor < 1.3


@pytest.mark.parametrize(
    ("case", "name"),
    slow_but(
        {(SAMPLES[0], "gantry_matrix"), (SAMPLES[1], "tower_matrix")},
        product(SAMPLES, ("tower_matrix", "gantry_matrix")),
    ),
)
def test_samples_of_the_matrices_run(name, case):
    (scenario,) = load_group(name, case.split("-")).cases.values()
    outcome = evaluate(case, scenario)
    assert outcome.problem == ""
    assert np.isfinite(outcome.run.load).all()
    found = outcome.metrics
    assert math.isfinite(found.arrival_time) and found.periods_watched >= 2.0
    assert found.residual_sway_deg < 20.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tower_matrix", "gantry_matrix"])
def test_every_variant_of_the_matrices_runs(name):
    matrix = read_any(scenario_file(name))
    for case in matrix.samples():
        outcome = evaluate(case, matrix.case(case))
        assert outcome.problem == "", case
        assert np.isfinite(outcome.run.load).all(), case


def test_check_sums_up_scenarios_and_matrices(tmp_path):
    assert naming("rtg_41t controller operator trolley -8 6").search(
        summary(scenario_file("gantry_trolley_move"))
    )
    file = tmp_path / "m.yaml"
    file.write_text(
        "base: {crane: lab_gantry, moves: []}\naxes: {way: {in: {}, out: {moves: [{axis: trolley, "
        "to: 0.2}]}}}"
    )
    assert naming("matrix 2 scenarios 2 way").search(summary(file))
    file.write_text(file.read_text().replace("to: 0.2", "to: 2.0"))
    with pytest.raises(SpecError, match=naming("case moves[0] trolley -0.2225 0.2225 m 2")):
        summary(file)


def test_check_tells_what_is_wrong_with_a_scenario(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(SCENARIO.replace("trolley", "slewing"))
    with pytest.raises(SpecError, match=naming("axis 'slewing' trolley hoist")):
        summary(file)
    file.write_text(SCENARIO.replace("lab_gantry", "no_such_crane"))
    with pytest.raises(ConfigError, match=naming("no_such_crane* such")):
        summary(file)
