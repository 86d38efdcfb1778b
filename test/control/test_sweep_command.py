"""`cable-sim sweep` as one types it: what it does, says and refuses."""

import json
import signal
import sys
from pathlib import Path

import pytest
from messages import naming
from sweep_cases import FAILING, MATRIX, RUNS

from cable_sim.cli import main

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra `sweep`)")


@pytest.fixture
def cable_sim(capsys):
    """Runs the command line in this process: exit status, output, errors. It takes signals, which
    are given back."""
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    yield run
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def matrix(tmp_path, monkeypatch):
    """The small matrix as a file, in an empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.yaml"
    path.write_text(MATRIX)
    return path


def test_a_sweep_from_its_beginning_to_its_report(cable_sim, matrix, tmp_path):
    status, said, _ = cable_sim("sweep", matrix, "--dry-run")
    assert (
        status == 0
        and naming("12 runs 12 done").search(said)
        and not (tmp_path / "results").exists()
    )
    status, said, _ = cable_sim("sweep", "small.yaml", "--in-process", "--limit", "5")
    assert (
        status == 0
        and naming("5 12 runs done 7").search(said)
        and naming("repeat command continue").search(said)
    )
    status, said, _ = cable_sim("sweep", "small.yaml", "--in-process")
    assert status == 1 and naming(f"{RUNS - FAILING} 12 runs done 4 failed").search(said)
    assert naming("4 SpecError moves[0] trolley").search(said)
    folder = tmp_path / "results" / "sweep" / "small"
    table = pq.read_table(folder / "results.parquet")
    assert table.num_rows == RUNS and len(set(table["run"].to_pylist())) == RUNS
    html = (folder / "report.html").read_text()
    assert "cable-sim evaluate small.yaml --only long," in html
    assert "cable-sim evaluate small.yaml --only outside,heavy,low<" in html
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["text"] == MATRIX and len(manifest["sessions"]) == 2
    assert manifest["sessions"][0]["way"] == {"in_process": True, "limit": 5}

    status, said, _ = cable_sim("sweep", "small.yaml", "--dry-run")
    assert naming("12 runs 0 done").search(said)
    status, said, _ = cable_sim("sweep", "small.yaml", "--dry-run", "--retry-failed")
    assert naming("12 runs 4 done").search(said)
    status, said, _ = cable_sim("sweep", "--report", folder, "--metric", "energy,trolley.energy")
    assert status == 1 and "energy [J]" in said


def test_a_plan_tells_a_long_name_apart_from_its_variants(cable_sim, matrix):
    matrix.write_text(MATRIX.replace("  rope:\n", "  length_of_the_rope:\n"))
    status, said, _ = cable_sim("sweep", matrix, "--dry-run")
    assert status == 0 and "length_of_the_rope  high, low\n" in said


def test_another_selection_keeps_what_was_done_before(cable_sim, matrix, tmp_path):
    small = ("sweep", "small.yaml", "--in-process", "--out", "here")
    assert cable_sim(*small, "--only", "short,light")[0] == 0
    assert pq.read_table("here/results.parquet").num_rows == 2
    status, said, _ = cable_sim(*small, "--only", "short", "--dry-run")
    assert naming("4 runs 2 done").search(said)
    status, said, _ = cable_sim(*small, "--only", "short", "--repeat", "2", "--dry-run")
    assert naming("8 runs 2 seeds 8 done").search(said)
    matrix.write_text(MATRIX.replace("watch: 0.8", "watch: 0.7"))
    assert naming("4 runs 4 done").search(cable_sim(*small, "--only", "short", "--dry-run")[1])
    status, said, _ = cable_sim(*small, "--only", "short,light,high", "--fresh")
    assert status == 0 and naming("old results here_").search(said)
    assert pq.read_table("here/results.parquet").num_rows == 1
    (aside,) = tmp_path.glob("here_*")
    assert pq.read_table(aside / "results.parquet").num_rows == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "MATRIX run --report"),
        (("nix.yaml",), "nix.yaml"),
        (("small.yaml", "--only", "windy"), "'windy' short long"),
        (("small.yaml", "--controller", "nix"), "controller 'nix'"),
        (("small.yaml", "--workers", "2", "--in-process"), "--in-process --workers combined"),
        (("small.yaml", "--workers", "0"), "--workers"),
        (("small.yaml", "--timeout", "inf"), "'--timeout' inf finite number"),
        (("small.yaml", "--fresh", "--out", "."), "--fresh within"),
        (("small.yaml", "--metric", "energy"), "--metric --report"),
        (("--report", "nowhere"), "sweep folder"),
        (("small.yaml", "--report", "here"), "MATRIX run --report"),
    ],
)
def test_wrong_words_are_told_before_anything_is_done(cable_sim, matrix, tmp_path, words, says):
    status, _, errors = cable_sim("sweep", *words)
    assert status == 2 and naming(says).search(errors)
    assert list(tmp_path.iterdir()) == [matrix]


def test_without_dask_it_says_what_to_install(cable_sim, matrix, monkeypatch):
    for name in ("dask", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "cable_sim_studies.sweeps.cluster", raising=False)
    status, _, errors = cable_sim("sweep", "small.yaml", "--only", "short", "--workers", "2")
    assert status == 2 and "pip install 'cable_sim[sweep]'" in errors
    assert cable_sim("sweep", "small.yaml", "--only", "short")[0] == 0  # few runs need none


@pytest.mark.parametrize(
    ("way", "runs", "cores", "own", "stays"),
    [
        ({}, 8, 8, False, True),
        ({}, 9, 8, False, False),
        ({}, 1000, 1, False, True),
        ({}, 1, 8, True, False),
        ({"timeout": 9.0}, 1, 1, False, False),
        ({"workers": 1}, 1, 1, False, False),
        ({"scheduler": "tcp://10.0.0.5:8786"}, 1, 1, False, False),
    ],
)
def test_few_runs_and_one_core_need_no_other_process(way, runs, cores, own, stays):
    from cable_sim_studies.commands.sweep import Way, stays_here

    assert stays_here(Way(**way), runs, cores, own) == stays


def test_a_sweep_that_is_stopped_says_how_to_go_on(matrix):
    from rich.console import Console

    from cable_sim_studies.commands.sweep import RunSelection, Way, sweep

    console = Console(width=200, record=True)

    def some_are_kept():
        return any(Path("results/sweep/small/runs").glob("*.parquet"))

    status = sweep("small.yaml", None, RunSelection(), Way(in_process=True), console, some_are_kept)
    said = console.export_text()
    assert status == 130 and naming("repeat command continue").search(said) and "left" in said
    done = pq.read_table("results/sweep/small/results.parquet").num_rows
    assert 0 < done < RUNS
    assert (
        sweep("small.yaml", None, RunSelection(), Way(in_process=True), console, lambda: False) == 1
    )
    assert pq.read_table("results/sweep/small/results.parquet").num_rows == RUNS
