"""The container goes by the page on workspaces; it is not built here."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PYTHON = "/opt/cable_sim/bin/python"


def test_the_container_is_the_workspace_of_the_documentation() -> None:
    page = (ROOT / "docs" / "howto" / "workspace.md").read_text(encoding="utf-8")
    for words in (
        "rosdep update",
        "rosdep install --from-paths src --ignore-src -y",
        "python3 -m venv --system-site-packages",
        "-r src/cable_sim/requirements/beside_ros.txt",
        "colcon build",
        "ros2 launch cable_sim tower_crane.launch.py",
    ):
        assert words in page and words in DOCKERFILE, words


def test_copied_files_are_there_and_folders_of_a_build_stay_out() -> None:
    copied = re.findall(r"^COPY (\S+) ", DOCKERFILE, re.MULTILINE)
    assert copied and all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    folders = re.findall(r"^/(\.venv|build|install|log|results)/$", _gitignore(), re.MULTILINE)
    assert len(folders) == 5 and set(folders) < set(ignored)


def test_the_dev_container_builds_with_the_same_python() -> None:
    told = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    build = told["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert f" AS {build['target']}\n" in DOCKERFILE
    given = f"colcon build --cmake-args -DCABLE_SIM_PYTHON={PYTHON}"
    assert given in told["postCreateCommand"] and given in DOCKERFILE
    assert told["workspaceFolder"] == "/ws/src/cable_sim" and "WORKDIR /ws\n" in DOCKERFILE


def _gitignore() -> str:
    return (ROOT / ".gitignore").read_text(encoding="utf-8")
