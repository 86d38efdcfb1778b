"""Sweeps on Dask: two worker processes, one of which is killed; a client that is killed, and what
goes on then.

All with the same twelve runs, of which four fail. ``sweep_preload`` logs the runs of a worker and
holds them at a gate, so that what is killed is killed in the middle of a run.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from messages import naming
from sweep_cases import FAILING, FREE, GATE, LOG, MATRIX, RUNS, begun

pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra `sweep`)")
dask = pytest.importorskip("dask", reason="dask is not installed (extra `sweep`)")
distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed (extra `sweep`)"
)
psutil = pytest.importorskip("psutil", reason="psutil is not installed; distributed brings it")

from cable_sim.control.matrix import parse_matrix  # noqa: E402
from cable_sim.errors import CableSimError  # noqa: E402
from cable_sim_studies.sweeps import cluster as room  # noqa: E402
from cable_sim_studies.sweeps import work as work_room  # noqa: E402
from cable_sim_studies.sweeps.jobs import jobs_of, tasks_of  # noqa: E402
from cable_sim_studies.sweeps.pools import InProcess  # noqa: E402
from cable_sim_studies.sweeps.run_sweep import conduct  # noqa: E402
from cable_sim_studies.sweeps.store import Store  # noqa: E402

PRELOAD = "sweep_preload"
JOBS = jobs_of(parse_matrix(MATRIX))
PATIENCE = 120.0
TOLD = ("simulated", "wall", "worker", "finished")
"""Columns that are different every time, or as far as a run came."""


def wait_for(condition, what):
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for {what}"
        time.sleep(0.05)


def environment(folder):
    """For processes whose runs are logged in a folder, and held until there is a gate in it."""
    found = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": found, LOG: str(folder / "log"), GATE: str(folder / "gate")}


def results(store):
    """Statuses, reasons and metrics of all runs by digest, as text in which every bit of a number
    shows."""
    rows = store.runs().drop_columns([name for name in TOLD if name != "simulated"]).to_pylist()
    return {row["run"]: repr(sorted(row.items(), key=str)) for row in rows}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Results of the runs in this process."""
    with Store(tmp_path_factory.mktemp("alone")) as store:
        assert conduct(tasks_of(JOBS, ()), store, InProcess())
    return results(store)


@contextmanager
def workers(address, folder, count=2):
    """Worker processes without a nanny, which would start them again."""
    words = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--no-nanny",
        "--nthreads",
        "1",
        "--host",
        "127.0.0.1",
        "--no-dashboard",
        "--preload",
        PRELOAD,
        "--local-directory",
        str(folder),
    ]
    with open(folder / "workers.txt", "wb") as said:
        started = [
            subprocess.Popen(words, env=environment(folder), stdout=said, stderr=said)
            for _ in range(count)
        ]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_killed_worker_costs_no_run(tmp_path, alone):
    """Every run is there once, and the same to the bit as in one process."""
    quiet = {
        "n_workers": 0,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "silence_logs": 60,
    }
    told = []
    with (
        distributed.LocalCluster(**quiet) as scheduler,
        workers(scheduler.scheduler_address, tmp_path) as started,
        ThreadPoolExecutor(1) as beside,
    ):
        killed = beside.submit(kill_one_that_waits, tmp_path, started)
        with (
            room.remote_cluster(scheduler.scheduler_address) as pool,
            Store(tmp_path / "sweep") as store,
        ):
            assert conduct(tasks_of(JOBS, ()), store, pool, told.extend)
        pid = killed.result()
    assert sorted(one.run for one in told) == sorted(job.run for job in JOBS)
    assert results(store) == alone
    assert (
        sorted(store.finished_runs().values()) == ["done"] * (RUNS - FAILING) + ["failed"] * FAILING
    )
    lost = set(begun(tmp_path / "log")) - set(begun(tmp_path / "log", "end"))
    assert [process for process, _ in lost] == [pid]  # it was in the middle of one


def kill_one_that_waits(folder, started):
    """Kill the first worker at the gate, and let the others go on; its process id.

    It must not wait for outcomes. Both workers may be at the gate before any batch but the first
    is complete: one worker with a large batch, and the other with a batch that it has stolen.
    """
    try:
        wait_for(lambda: len(begun(folder / "log")) > FREE, "a worker at the gate")
        waiting, _ = begun(folder / "log")[FREE]
        process = next(one for one in started if one.pid == waiting)
        process.kill()
        process.wait()
    finally:
        (folder / "gate").touch()  # even then, so that the sweep comes to its end
    return process.pid


@pytest.mark.slow
def test_a_killed_client_loses_no_finished_run_and_repeats_none(tmp_path, alone, monkeypatch):
    matrix, out = tmp_path / "small.yaml", tmp_path / "sweep"
    matrix.write_text(MATRIX)
    words = [
        sys.executable,
        "-m",
        "cable_sim.cli",
        "sweep",
        str(matrix),
        "--workers",
        "2",
        "--out",
        str(out),
    ]
    settings = environment(tmp_path) | {"DASK_DISTRIBUTED__WORKER__PRELOAD": PRELOAD}
    with open(tmp_path / "said.txt", "wb") as said:
        client = subprocess.Popen(words, env=settings, stdout=said, stderr=said)
    try:
        wait_for(
            lambda: client.poll() is not None or len(begun(tmp_path / "log")) > FREE,
            "runs at the gate",
        )
        wait_for(
            lambda: client.poll() is not None or len(Store(out).finished_runs()) >= 2, "results"
        )
        assert client.poll() is None, (tmp_path / "said.txt").read_text()
        family = [psutil.Process(client.pid), *psutil.Process(client.pid).children(recursive=True)]
        open_to = {
            at.laddr.ip
            for one in family
            for at in one.net_connections("inet")
            if at.status == "LISTEN"
        }
        assert open_to == {"127.0.0.1"}
    finally:
        client.kill()
        client.wait()
    wait_for(
        lambda: not any(one.is_running() and one.status() != "zombie" for one in family),
        "workers to end",
    )
    known = Store(out).finished_runs()
    assert 2 <= len(known) < RUNS
    ran = []

    def logged(scenario, **options):
        ran.append(work_room.identity(scenario))
        return real(scenario, **options)

    real = work_room.run
    monkeypatch.setattr(work_room, "run", logged)
    with Store(out) as store:
        assert conduct(tasks_of(JOBS, store.finished_runs()), store, InProcess())
        store.publish()
    assert sorted([*ran, *known]) == sorted(job.run for job in JOBS)
    assert results(store) == alone
    assert store.results().num_rows == RUNS


def test_no_scheduler_is_told(monkeypatch):
    monkeypatch.setattr(room, "ANSWER", 1.0)
    with pytest.raises(CableSimError, match=naming("scheduler answers")):
        with room.remote_cluster("tcp://127.0.0.1:9"):
            pass


def test_a_scheduler_is_found_by_its_file(tmp_path):
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Scheduler", "address": "tcp://10.0.0.5:8786"}')
    assert (
        room.address_of(str(file))
        == room.address_of("tcp://10.0.0.5:8786")
        == "tcp://10.0.0.5:8786"
    )
    for text in ("[]", "{}", "half a"):
        file.write_text(text)
        with pytest.raises(CableSimError, match=naming("scheduler.json address")):
            room.address_of(str(file))
    with pytest.raises(CableSimError, match=naming("nix.json:1:1 such")):
        room.address_of(str(tmp_path / "nix.json"))


@pytest.mark.slow
def test_a_run_that_kills_its_worker_fails_and_the_others_do_not(tmp_path, monkeypatch):
    """With the processes that start again of a sweep on this machine."""
    (tmp_path / "deadly.py").write_text(
        "import os\n"
        "from cable_sim_studies.sweeps import work\n"
        "work.real = getattr(work, 'real', work.run)  # Dask loads a file several times\n"
        "work.run = lambda scenario, **given: os._exit(9) if work.identity(scenario) == "
        f"{JOBS[5].run!r} else work.real(scenario, **given)\n"
    )
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str(tmp_path / "deadly.py"))
    dask.config.refresh()
    try:
        with room.local_cluster(2) as pool, Store(tmp_path / "sweep") as store:
            assert conduct(tasks_of(JOBS, ()), store, pool)
    finally:
        monkeypatch.undo()
        dask.config.refresh()
    rows = {row["run"]: row for row in store.runs().to_pylist()}
    assert len(rows) == RUNS
    assert rows[JOBS[5].run]["error"] == "KilledWorker" and "died" in rows[JOBS[5].run]["reason"]
    assert sum(row["status"] == "failed" for row in rows.values()) == FAILING + 1
