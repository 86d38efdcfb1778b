"""What the files for contributors say is so: the files and names that they send people to are
there."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md")
ROOMS = sorted(
    path.name
    for folder in ("cable_sim", "validation")
    for path in (ROOT / folder).iterdir()
    if path.is_dir()
)
REGISTRIES = {
    "model.joints": "KINDS",
    "kernels.multibody.joints": "POINT_ROWS ANGLE_ROWS",
    "model.collision.collision": "list_pieces",
    "spec.shapes.shapes": "Shape",
    "cranes.catalogue": "FAMILIES ALIASES",
    "cranes.parts.instruments": "HoistLimiters Instruments",
    "cranes.parts.devices": "Quantity",
    "model.devices": "KINDS signal_table",
    "machine.faults": "FaultKind KINDS",
    "control.controllers": "AnyController",
    "ros.basis.parameters": "TABLE Row Settings",
    "scenes.catalogue": "scene",
    "cli.app": "command",
    "validation.acceptance.catalogue": "SCENARIOS",
}
"""What the table of CONTRIBUTING.md calls the lines that make a new thing known, and where they
are."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def quoted(page: str) -> set[str]:
    """What stands in backquotes, but for blocks of code."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text(page), flags=re.DOTALL)))


def is_there(path: str) -> bool:
    """Whether there is such a file or folder: of the project, of the package, or of the tests."""
    return any((ROOT / folder / path).exists() for folder in ("", "cable_sim", "test"))


@pytest.mark.parametrize("page", PAGES)
def test_what_looks_like_a_path_is_one(page: str) -> None:
    """A path ends with a slash or with the ending of a file; one with ``<...>`` is a pattern."""
    endings = (".py", ".md", ".rst", ".xml", ".txt", ".yaml", ".msg", ".cff", "/")
    named = {
        word
        for word in quoted(page)
        if word.endswith(endings) and not re.search(r"[ <*]|^\.", word)
    }
    # what has its folder elsewhere in the sentence, and what the set-up makes
    loose = {"index.md", "README.md", "study.py", "my_crane.yaml", "build/logs/"}
    assert [word for word in sorted(named - loose) if not is_there(word)] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_of_the_project_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)", text(page)):
        assert "://" in target or ((ROOT / page).parent / target).exists(), target


@pytest.mark.parametrize("module", REGISTRIES)
def test_the_registries_of_contributing_are_there(module: str) -> None:
    beside = module.startswith("validation.")
    found = importlib.import_module(module if beside else f"cable_sim.{module}")
    for name in REGISTRIES[module].split():
        assert hasattr(found, name), f"{module}.{name}"
        assert f"`{name}`" in text("CONTRIBUTING.md") or f"`@{name}`" in text("CONTRIBUTING.md")


def test_every_room_of_the_house_is_named() -> None:
    """In the six lines of CONTRIBUTING.md or its table; what a newcomer finds in the tree has been
    told of."""
    said = text("CONTRIBUTING.md")
    assert [room for room in ROOMS if not room.startswith("__") and f"{room}/" not in said] == []


def test_targets_that_are_told_of_are_those_of_the_makefile() -> None:
    known = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    told = {
        word for page in PAGES for word in re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)\b", text(page))
    }
    assert {"test", "lint", "licences"} <= told <= known


def test_the_citation_has_what_its_schema_asks_for() -> None:
    """Of the Citation File Format 1.2.0: the required keys, and authors who are persons or
    entities."""
    cited: dict[str, Any] = YAML(typ="safe", pure=True).load(text("CITATION.cff"))
    assert (
        cited["cff-version"] == "1.2.0"
        and cited["message"]
        and cited["title"]
        and cited["type"] == "software"
    )
    assert cited["authors"] and all(
        "name" in author or "family-names" in author for author in cited["authors"]
    )
    assert cited["license"] == "Apache-2.0" and isinstance(cited["version"], str)
    assert all(isinstance(word, str) for word in cited["keywords"])


def test_the_changelog_is_one_for_ros() -> None:
    """catkin_prepare_release turns *Forthcoming* into a version, which then has to have all that
    stands below.

    Groups are bold lines, because sections within a version are skipped.
    """
    reader = pytest.importorskip("catkin_pkg.changelog", reason="catkin_pkg is not installed")
    title = f"1.2.3 (2030-01-31)\n{18 * '-'}"
    released = re.sub(
        r"^Forthcoming\n-+$", title, text("CHANGELOG.rst"), count=1, flags=re.MULTILINE
    )
    read = reader.populate_changelog_from_rst(reader.Changelog("cable_sim"), released)
    contents = [content for _, _, content in read.foreach_version()]
    parts = [part for content in contents for part in content]
    bullets = sum(len(part.bullets) for part in parts if isinstance(part, reader.BulletList))
    groups = sum(str(part).startswith("**") for part in parts)
    assert bullets == len(re.findall(r"^\* ", released, re.MULTILINE)) > 50
    assert groups == len(re.findall(r"^\*\*.+\*\*$", released, re.MULTILINE)) > 5


def test_without_ros_every_file_of_tests_can_be_collected() -> None:
    """Those of the library alone run then; here rclpy is hidden."""
    hidden = (
        "import sys, pytest; sys.modules['rclpy'] = None; sys.exit(pytest.main(['--co', "
        "'-q', 'test/ros']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", hidden], cwd=ROOT, capture_output=True, text=True, timeout=120.0
    )
    assert done.returncode == 0, done.stdout[-2000:]
