"""What a worker makes of its runs: an outcome of each, whatever happens in it; and a sweep in this
process."""

import subprocess
import sys

import pytest
from messages import naming
from sweep_cases import FAILING, MATRIX, RUNS, outcome

from cable_sim.control.matrix import parse_matrix
from cable_sim.control.metrics import metrics_of
from cable_sim.control.run import run
from cable_sim.errors import StepError
from cable_sim_studies.sweeps import work as room
from cable_sim_studies.sweeps.jobs import Batches, jobs_of, tasks_of
from cable_sim_studies.sweeps.pools import InProcess
from cable_sim_studies.sweeps.work import Task, work

JOBS = jobs_of(parse_matrix(MATRIX))
GOOD, BAD = JOBS[0], JOBS[-1]


def task(job):
    return Task(job.run, job.scenario)


def test_the_outcome_of_a_run_are_its_metrics_to_the_bit():
    done = run(GOOD.scenario)
    (found,) = work([task(GOOD)])
    assert (found.run, found.status, found.error, found.reason) == (GOOD.run, "done", "", "")
    assert found.metrics and str(found.metrics) == str(metrics_of(done).flatten())
    assert found.simulated == done.time[-1] and found.wall > 0.0


def test_a_run_that_can_not_be_says_why_and_the_others_go_on():
    bad, good = work([task(BAD), task(GOOD)])
    assert (bad.status, bad.error, bad.metrics) == ("failed", "SpecError", {})
    assert naming("trolley 5").search(bad.reason)
    assert good.status == "done"


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (StepError("no convergence\n at 3 s"), "no convergence at 3 s"),
        (ZeroDivisionError("by\nnought"), r"by nought \(test_sweep_work.py, line \d+, in broken\)"),
        (KeyError(), r"\(test_sweep_work.py, line \d+, in broken\)"),
        (StepError("x" * 5000), "x{597}\\.\\.\\."),
    ],
)
def test_whatever_is_raised_is_a_reason(monkeypatch, raised, reason):
    import re

    def broken(scenario, progress):
        progress(1.5)
        raise raised

    monkeypatch.setattr(room, "run", broken)
    (found,) = work([task(GOOD)])
    assert (found.status, found.error, found.simulated) == ("failed", type(raised).__name__, 1.5)
    assert re.fullmatch(reason, found.reason), found.reason


def test_a_run_has_a_time_limit(monkeypatch):
    def slow(scenario, progress):
        for tick in range(10**9):
            progress(0.01 * (tick + 1))

    monkeypatch.setattr(room, "run", slow)
    (found,) = work([task(GOOD)], timeout=0.02)
    assert (
        found.error == "RunTimeout"
        and naming("longer 0.02 s").search(found.reason)
        and found.simulated > 0.0
    )


def test_a_batch_that_takes_long_is_given_back_with_what_is_done(monkeypatch):
    monkeypatch.setattr(room, "ENOUGH", 0.0)
    (found,) = work([task(job) for job in JOBS])
    assert found.run == JOBS[0].run


def test_a_run_that_hangs_ends_its_process():
    """Only where it is told to, and after the time of grace."""
    code = """
from cable_sim_studies.sweeps import work as room
from cable_sim_studies.sweeps.work import Task
room.GRACE, room.prepare, room._check = 0.1, lambda: None, lambda task: None
def hanging(scenario, progress):
    while True:
        pass
room.run = hanging
room.work([Task("1", None)], timeout=0.1, deadly=True)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == room.HUNG


def test_other_code_than_the_client_s_is_a_failure():
    (found,) = work([Task("another digest", GOOD.scenario)])
    assert found.status == "failed" and "cable_sim" in found.reason


def sweep_in_process(folder, jobs, **options):
    """Do all runs in this process; the store, and outcomes in the order in which they were told."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra `sweep`)")
    from cable_sim_studies.sweeps.run_sweep import conduct
    from cable_sim_studies.sweeps.store import Store

    told = []
    with Store(folder) as store:
        done = conduct(
            tasks_of(jobs, store.finished_runs()), store, InProcess(), told.extend, **options
        )
    return done, Store(folder), told


def test_a_sweep_in_this_process_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    ran = []

    def logged(scenario, **options):
        ran.append(scenario)
        return run(scenario, **options)

    monkeypatch.setattr(room, "run", logged)
    done, store, told = sweep_in_process(tmp_path, JOBS, stop=lambda: len(ran) >= 3)
    assert (
        not done
        and 0 < len(told) < RUNS
        and set(store.finished_runs()) == {one.run for one in told}
    )
    first = len(told)
    done, store, told = sweep_in_process(tmp_path, JOBS)
    assert done and len(told) == RUNS - first
    assert (
        sorted(store.finished_runs().values()) == ["done"] * (RUNS - FAILING) + ["failed"] * FAILING
    )
    assert len(ran) <= RUNS + 1  # but for the one that was under way


def test_runs_in_this_process_have_the_bits_of_single_ones():
    pool = InProcess().outcomes(Batches(map(task, JOBS)), lambda: False)
    found = [one for outcomes in pool for one in outcomes]
    assert sorted(one.run for one in found) == sorted(job.run for job in JOBS)
    alone = {one.run: one.metrics for job in JOBS for one in work([task(job)])}
    assert str({one.run: one.metrics for one in found}) == str(
        {one.run: alone[one.run] for one in found}
    )


def test_a_run_that_fails_or_hangs_leaves_the_others_alone(monkeypatch):
    def mixed(scenario, progress):
        if scenario is JOBS[0].scenario:
            raise StepError("torn out")
        while scenario is JOBS[1].scenario:
            progress(0.5)
        return run(scenario, progress=progress)

    monkeypatch.setattr(room, "run", mixed)
    pool = InProcess(1.0)
    batches = Batches(map(task, JOBS[:3]))
    found = {one.run: one for some in pool.outcomes(batches, lambda: False) for one in some}
    assert [found[job.run].error for job in JOBS[:3]] == ["StepError", "RunTimeout", ""]
    assert str(found[JOBS[2].run].metrics) == str(metrics_of(run(JOBS[2].scenario)).flatten())


def test_a_process_that_is_stopped_in_a_batch_keeps_what_is_done(monkeypatch):
    began = []

    def held(scenario, progress):
        began.append(scenario)
        if len(began) > 3:
            for tick in range(10**9):
                progress(0.01 * tick)  # until it is interrupted
        return run(scenario, progress=progress)

    monkeypatch.setattr(room, "run", held)
    batches = Batches(map(task, JOBS))
    monkeypatch.setattr(batches, "take", lambda: Batches.take(batches) + Batches.take(batches))
    left = len(batches)
    found = [*InProcess().outcomes(batches, lambda: len(began) > 3)]
    assert [len(outcomes) for outcomes in found] == [2, 1]
    assert len(began) == 4 and len(batches) == left - 3
    assert {one.run for outcomes in found for one in outcomes} <= {job.run for job in JOBS}


def test_what_is_told_is_in_the_store_already(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra `sweep`)")
    from cable_sim_studies.sweeps.run_sweep import conduct
    from cable_sim_studies.sweeps.store import Store

    class Pool:
        def outcomes(self, batches, stop):
            while batch := batches.take(1):
                yield [outcome(task.run) for task in batch]

    tasks = [Task(str(i), GOOD.scenario) for i in range(50)]
    with Store(tmp_path) as store:

        def tell(outcomes):
            assert {one.run for one in outcomes} <= set(store.finished_runs())

        assert conduct(tasks, store, Pool(), tell)
    assert len(Store(tmp_path).finished_runs()) == 50
