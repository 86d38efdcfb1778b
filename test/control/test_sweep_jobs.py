"""What a sweep has to do: by what a run is known, which runs are wanted, and how they are handed
out."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming
from sweep_cases import MATRIX, outcome

from cable_sim.control.controllers.custom import Custom
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.matrix import parse_matrix
from cable_sim.control.scenario import Believed, Move, Scenario
from cable_sim.cranes.catalogue import crane_file
from cable_sim.errors import SpecError
from cable_sim.machine.faults import Fault
from cable_sim.spec.wind import FromFile, Steady, Weather
from cable_sim_studies.sweeps import identity as room
from cable_sim_studies.sweeps.identity import identity
from cable_sim_studies.sweeps.jobs import (
    BATCH_TIME,
    LARGEST,
    Batches,
    RunSelection,
    jobs_of,
    tasks_of,
)
from cable_sim_studies.sweeps.work import Task

PLAIN = Scenario("tower_12t", (Move("trolley", by=5.0),))


@pytest.mark.parametrize(
    "changes",
    [
        {"load": 3000.0},
        {"rope_length": 20.0},
        {"start": {"trolley": 20.0}},
        {"changes": {"sensors.seed": 2}},
        {"moves": (Move("trolley", by=5.1),)},
        {"moves": (Move("trolley", to=5.0),)},
        {"believed": Believed(1.2)},
        {"wind": Weather((Steady(8.0),))},
        {"faults": (Fault("power_loss"),)},
        {"measured": False},
        {"seed": 0},
        {"dt": 5e-4},
        {"period": 0.02},
        {"watch": 31.0},
        {"crane": "tower_5t"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_changed_scenario_is_another_run(changes):
    assert identity(dataclasses.replace(PLAIN, **changes)) != identity(PLAIN)


def test_settings_of_the_controller_make_another_run():
    @dataclasses.dataclass(frozen=True)
    class Other(Operator):
        share: float = 0.5

    runs = {
        identity(dataclasses.replace(PLAIN, controller=Other(share=share))) for share in (0.5, 0.6)
    }
    assert len(runs | {identity(PLAIN)}) == 3


def test_a_controller_of_one_s_own_counts_by_its_source(tmp_path):
    """Also one in a package, whose other modules it may import; the folder's name does not
    matter."""
    seen = []
    for name in ("a", "b"):
        (tmp_path / name / "package").mkdir(parents=True)
    for text in ("1", "2"):
        for folder in (tmp_path / "a", tmp_path / "b"):
            (folder / "mine.py").write_text(text)
            (folder / "package" / "other.py").write_text(text)
        for name in ("mine:Law", "package.law:Law"):
            customs = [
                Custom(name, folder=str(folder)) for folder in (tmp_path / "a", tmp_path / "b")
            ]
            (run,) = {identity(dataclasses.replace(PLAIN, controller=custom)) for custom in customs}
            seen.append(run)
    other = Custom("mine:Law", {"gain": 2.0}, str(tmp_path / "a"))
    assert len({*seen, identity(dataclasses.replace(PLAIN, controller=other))}) == 5


def test_a_title_makes_no_other_run():
    assert identity(dataclasses.replace(PLAIN, title="the same")) == identity(PLAIN)


def test_the_crane_counts_by_what_is_in_its_file(tmp_path):
    copy = tmp_path / "my_crane.yaml"
    copy.write_bytes(crane_file("tower_12t").read_bytes())
    mine = dataclasses.replace(PLAIN, crane=str(copy))
    assert identity(mine) == identity(PLAIN)
    copy.write_text(copy.read_text() + "\n# another one\n")
    assert identity(mine) != identity(PLAIN)


def test_a_run_identity_depends_on_the_content_of_wind_files(tmp_path):
    wind = tmp_path / "storm.csv"
    crane = tmp_path / "mine.yaml"
    crane.write_text(f"crane: {{type: none}}\nwind: {{sum_of: [{{kind: file, path: {wind}}}]}}\n")
    scenarios = [
        dataclasses.replace(PLAIN, wind=Weather((FromFile(str(wind)),))),
        dataclasses.replace(PLAIN, crane=str(crane)),
    ]
    seen = []
    for text in ("t,speed,direction_deg\n0,1,0\n", "t,speed,direction_deg\n0,2,0\n"):
        wind.write_text(text)
        seen += map(identity, scenarios)
    assert len(set(seen)) == 4


def test_other_code_is_another_run(monkeypatch):
    before = identity(PLAIN)
    monkeypatch.setattr(room, "code", lambda: "another one")
    assert identity(PLAIN) != before


def test_a_crane_that_is_not_there_has_a_digest_too():
    """The run says what is wrong, and the others go on."""
    assert identity(dataclasses.replace(PLAIN, crane="./nix.yaml")) != identity(PLAIN)


def test_jobs_are_the_cases_in_their_order():
    matrix = parse_matrix(MATRIX)
    jobs = jobs_of(matrix)
    assert [job.case for job in jobs] == list(matrix.names())
    assert jobs[5].axes == {"way": "long", "load": "light", "rope": "low"}
    assert len({job.run for job in jobs}) == len(jobs) == 12
    assert [job.run for job in jobs_of(matrix)] == [job.run for job in jobs]


def test_wishes():
    matrix = parse_matrix(MATRIX)
    wanted = jobs_of(matrix, RunSelection(only=("long", "heavy"), repeat=3))
    assert [(job.case, job.scenario.seed) for job in wanted] == [
        (f"long-heavy-{rope}", seed) for rope in ("high", "low") for seed in (0, 1, 2)
    ]
    seven = jobs_of(matrix, RunSelection(only=("long", "heavy", "low"), seed=7, repeat=2))
    assert [job.scenario.seed for job in seven] == [7, 8]
    own = jobs_of(parse_matrix(MATRIX.replace("watch: 0.8", "seed: 5")), RunSelection(repeat=2))
    assert {job.scenario.seed for job in own} == {5, 6}


def test_controllers_that_are_asked_for_are_an_axis():
    matrix = parse_matrix(MATRIX)
    jobs = jobs_of(matrix, RunSelection(only=("long",), controllers=("operator",)))
    assert [job.axes["controller"] for job in jobs] == ["operator"] * 4
    assert {job.run for job in jobs} <= {job.run for job in jobs_of(matrix)}  # it is their own
    with pytest.raises(SpecError, match=naming("controller 'nix' operator")):
        jobs_of(matrix, RunSelection(controllers=("nix",)))


def test_a_single_scenario_is_a_case():
    (job, other) = jobs_of(PLAIN, RunSelection(repeat=2), "plain")
    assert (job.case, job.axes, job.scenario.seed, other.scenario.seed) == ("plain", {}, 0, 1)
    with pytest.raises(SpecError, match=naming("plain single scenario")):
        jobs_of(PLAIN, RunSelection(only=("rated",)), "plain")


def test_finished_runs_are_skipped_and_equal_runs_done_once():
    jobs = jobs_of(parse_matrix(MATRIX.replace("{load: 0.15}", "{load: 0.05}")))
    assert len(jobs) == 12 and len(tasks_of(jobs, ())) == 6
    assert [task.run for task in tasks_of(jobs, {jobs[0].run, "another"})] == [
        jobs[i].run for i in (1, 4, 5, 8, 9)
    ]


@settings(deadline=None)
@given(count=st.integers(0, 300), workers=st.integers(1, 9), wall=st.floats(1e-4, 100.0))
def test_batches_hold_every_task_once_and_about_a_second_of_work(count, workers, wall):
    tasks = [Task(str(i), PLAIN) for i in range(count)]
    batches, seen = Batches(tasks), []
    while batch := batches.take(workers):
        assert len(batch) <= LARGEST and (
            len(batch) == 1 or len(batch) * wall <= BATCH_TIME * (1.0 + 1e-9)
        )
        assert seen or len(batch) == 1  # nobody knows yet how long it takes
        assert len(batch) <= max(1, (count - len(seen)) // (2 * workers))
        batches.learn(outcome(task.run, wall=wall) for task in batch)
        seen += batch
    assert seen == tasks and len(batches) == 0


def test_short_runs_go_in_large_batches_until_a_longer_one_comes():
    batches = Batches([Task(str(i), PLAIN) for i in range(1000)])
    batches.learn([outcome("0", wall=0.05), outcome("1", "failed", wall=1e-6)])
    assert len(batches.take(2)) == 20
    batches.learn([outcome("2", wall=0.4)])
    assert len(batches.take(2)) == 2


def test_what_is_given_back_is_the_next():
    batches = Batches([Task(str(i), PLAIN) for i in range(10)])
    batches.learn([outcome("0", wall=0.1)])
    batch = batches.take()
    assert [task.run for task in batch] == ["0", "1", "2", "3", "4"]
    batches.give_back(batch[2:])
    assert len(batches) == 8 and [task.run for task in batches.take()] == ["2", "3", "4", "5"]
