"""`cable-sim papers`: lists, checks, reports, and what it says about wrong input."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from messages import naming

from cable_sim.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def papers(capsys):
    """Runs the command in this process: exit status, output, errors."""

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main(["papers", *(str(word) for word in words)])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    return run


def test_help_teaches(papers):
    status, output, _ = papers("--help")
    assert status == 0 and all(
        word in output for word in ("--check", "--list", "--format", "--results", "Examples")
    )


def test_list(papers, paper):
    paper()
    status, output, _ = papers("--list")
    assert status == 0
    assert "author_1900             A. Author, On balls, 1900" in output.splitlines()
    assert "servin_2007" in output


def test_check_prints_a_line_per_quantity(papers, paper):
    mark = paper()
    status, output, _ = papers("--check", "author_1900")
    lines = output.splitlines()
    assert status == 0
    assert lines == [
        "ok  author_1900  fall in 1 s     4.9051 m   4.905 m       +2.0e-05",
        "ok  author_1900  drift | way     0.25 mm    at most 1 mm  x 0.25",
        "ok  author_1900  the ball lands  at -4.9 m  below 0 m",
        "author_1900: 3 of 3 quantities agree",
    ]
    assert not mark.exists()  # the timing has not run


def test_check_fails_when_one_misses(papers, paper):
    paper(4.95)
    status, output, _ = papers("--check", "author_1900")
    assert status == 1
    assert (
        output.splitlines()[0]
        == "missed  author_1900  fall in 1 s     4.95 m     4.905 m       +9.2e-03"
    )
    assert output.splitlines()[-1] == "author_1900: 2 of 3 quantities agree"


def test_a_report_is_written_and_shown(papers, paper, tmp_path):
    mark = paper()
    status, output, _ = papers("author_1900", "author_1900", "--results", tmp_path / "results")
    path = tmp_path / "results" / "papers" / "author_1900" / "report.html"
    assert (
        status == 0 and path.is_file() and mark.read_text() == "timed"
    )  # once, though named twice
    assert (
        "Figure 1: drop" in output and "4.9051 m" in output and naming("time step").search(output)
    )
    assert f"author_1900: 3 of 3 quantities agree; report in {path}" in output.splitlines()


def test_a_report_that_misses_says_so_in_its_status(papers, paper, tmp_path):
    paper(4.95)
    status, output, _ = papers("author_1900", "--results", tmp_path, "--format", "markdown")
    assert status == 1 and "missed" in output
    assert (tmp_path / "papers" / "author_1900" / "report.md").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nix",), "paper 'nix'"),
        (("--check", "servin_2007", "nix"), "paper 'nix'"),
        (("--format", "pdf"), "format 'pdf' html markdown"),
        (("--nix",), "--nix"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(papers, words, says):
    status, output, errors = papers(*words)
    assert status == 2 and output == ""
    assert naming(says).search(errors) and len(errors.strip().splitlines()) == 1, errors


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_without_papers_nothing_agrees(papers, monkeypatch, words):
    monkeypatch.setattr("validation.harness.command.paper_names", tuple)
    status, output, errors = papers(*words)
    assert status == 2 and output == "" and naming("folder 'papers' missing").search(errors)


@pytest.mark.parametrize(
    ("inside", "says"), [("", "taken' file"), ("below", "taken/below/papers/author_1900 directory")]
)
def test_a_folder_that_can_t_be_is_told_in_a_line(papers, paper, tmp_path, inside, says):
    paper()
    (tmp_path / "taken").touch()
    status, _, errors = papers("author_1900", "--results", tmp_path / "taken" / inside)
    assert status == 2 and naming(says).search(errors) and len(errors.strip().splitlines()) == 1, (
        errors
    )


def test_a_check_draws_nothing(paper):
    """It runs without matplotlib and jinja2 in memory."""
    paper()
    code = (
        "import sys; from cable_sim.cli import main\n"
        "try: main(['papers', '--check', 'author_1900'])\n"
        "except SystemExit as ended: print(ended.code, {'matplotlib', 'numba'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=os.environ
    )
    assert done.stdout.splitlines()[-1] == "0 set()", done.stdout + done.stderr
