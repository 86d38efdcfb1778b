"""Workflows and forms of the hosting platform: what they call is there. `make lint` looks at their
schemas."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CI = ROOT / ".github" / "workflows" / "ci.yml"
FORMS = sorted(
    path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
)
ACTIONS = {
    "actions/cache@v5",
    "actions/checkout@v5",
    "actions/setup-python@v6",
    "actions/upload-artifact@v6",
}
"""Those in use, at the first version of each that runs on a Node.js which the platform still
has."""
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


def read(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


def jobs(path: Path) -> dict[str, Any]:
    return read(path)["jobs"]


def commands(path: Path) -> list[str]:
    """Every line that a workflow runs."""
    steps = (step for job in jobs(path).values() for step in job["steps"])
    return [line for step in steps for line in step.get("run", "").splitlines()]


def targets() -> set[str]:
    """Of the Makefile, those that `make help` lists."""
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_there_are_workflows_and_forms() -> None:
    assert {path.stem for path in WORKFLOWS} == {"ci", "gallery", "benchmarks", "fuzz", "weekly"}
    assert {path.stem for path in FORMS} == {"bug", "feature", "physics"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_vetted_and_every_job_has_a_timeout(path: Path) -> None:
    for name, job in jobs(path).items():
        assert {step["uses"] for step in job["steps"] if "uses" in step} <= ACTIONS, name
        assert 0 < job["timeout-minutes"] <= (350 if path.stem == "weekly" else 180), name
    assert read(path)["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_is_there(path: Path) -> None:
    called = [
        re.sub(r"^make (-C \S+ )?", "", line) for line in commands(path) if line.startswith("make ")
    ]
    wanted = {word for line in called for word in line.split() if "=" not in word}
    assert wanted <= targets()
    scripts = {
        word
        for line in commands(path)
        for word in line.split()
        if re.match(r"(scripts|\.ci)/\w+", word)
    }
    assert all(os.access(ROOT / script, os.X_OK) for script in scripts)
    assert wanted or scripts


def test_all_tests_are_run_every_week() -> None:
    path = ROOT / ".github" / "workflows" / "weekly.yml"
    (when,) = read(path)["on"]["schedule"]
    minute, hour, *date, day = when["cron"].split()
    assert minute.isdigit() and hour.isdigit() and date == ["*", "*"] and day in "0123456"
    assert "make test-all" in commands(path)


def test_every_python_and_every_distribution_is_tested() -> None:
    matrix = {
        name: job["strategy"]["matrix"] for name, job in jobs(CI).items() if "strategy" in job
    }
    assert matrix["wheels"]["python"] == PYTHONS
    assert set(matrix["library"]["python"]) <= set(PYTHONS)
    assert matrix["distribution"]["distribution"] == ["jazzy", "kilted", "lyrical", "rolling"]
    minors = [int(version.split(".")[1]) for version in PYTHONS]
    assert f"for minor in range({minors[0]}, {minors[-1] + 1})" in (ROOT / "setup.py").read_text()
    assert (
        f"sys.version_info >= (3, {minors[-1] + 1})"
        in (ROOT / "scripts" / "check_prerequisites").read_text()
    )


def test_a_workspace_is_made_as_the_page_says() -> None:
    """What differs is who clones, who is root, and what opens a window."""
    page = (ROOT / "docs" / "howto" / "workspace.md").read_text(encoding="utf-8")
    block = re.search(r"```bash\n(.*?)```", page, re.DOTALL)
    assert block
    other = "mkdir ", "git clone ", "sudo apt ", "ros2 launch "
    lines = [line for line in block[1].splitlines() if not line.startswith(other)]
    assert len(lines) == 6
    assert [line for line in lines if not any(line in run for run in commands(CI))] == []


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_have_what_the_platform_asks_for(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= set(form) <= {"name", "description", "labels", "body"}
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input", "dropdown") and field["attributes"]["label"]
        assert ("options" in field["attributes"]) == (field["type"] == "dropdown")
        assert set(field.get("validations", {"required": True})) == {"required"}
    assert any(field.get("validations") for field in form["body"])


def test_hooks_call_what_make_lint_calls() -> None:
    """Each program of `scripts/lint` has its hook, and no hook needs the network."""
    repositories = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    hooks = {
        hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in repositories[0]["hooks"]
    }
    assert all(hook["language"] == "system" for hook in repositories[0]["hooks"])
    assert hooks == set(re.findall(r"\btry ([\w-]+)", (ROOT / "scripts" / "lint").read_text()))
