"""A version is one command away, and the package says what an index of packages asks for."""

import datetime
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONED = ("package.xml", "cable_sim_ros2_control/package.xml", "CITATION.cff", "CHANGELOG.rst")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what has a version, and of the script."""
    for name in (*VERSIONED, "scripts/version.py", "setup.py", "README.md", "LICENSE", "NOTICE"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def call(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python there."""
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_one_command_writes_the_version_everywhere(checkout: Path) -> None:
    done = call(checkout, "scripts/version.py", "1.20.3")
    assert done.returncode == 0, done.stderr
    told = {name: (checkout / name).read_text(encoding="utf-8") for name in VERSIONED}
    assert all("<version>1.20.3</version>" in told[name] for name in VERSIONED[:2])
    assert "\nversion: 1.20.3\n" in told["CITATION.cff"]
    title = f"1.20.3 ({datetime.date.today()})"
    assert f"\n\n{title}\n{'-' * len(title)}\n\n**" in told["CHANGELOG.rst"]
    assert "Forthcoming" not in told["CHANGELOG.rst"]


@pytest.mark.parametrize("words", [(), ("0.1",), ("v0.1.0",)])
def test_what_is_no_version_changes_nothing(checkout: Path, words: tuple[str, ...]) -> None:
    done = call(checkout, "scripts/version.py", *words)
    assert done.returncode != 0 and "VERSION=0.1.0" in done.stderr
    assert all((checkout / name).read_text() == (ROOT / name).read_text() for name in VERSIONED)


def test_links_of_the_readme_lead_to_the_repository(checkout: Path) -> None:
    manifest = checkout / "package.xml"
    url = "https://example.org/cable_sim"
    text = manifest.read_text().replace("  <license>", f"  <url>{url}</url>\n  <license>", 1)
    manifest.write_text(text)
    done = call(checkout, "setup.py", "--long-description", "--url")
    assert done.returncode == 0, done.stderr
    assert f"]({url}/raw/main/docs/images/tower_crane.webp)" in done.stdout
    assert f"]({url}/blob/main/docs/tutorials/index.md)" in done.stdout
    assert "](docs/" not in done.stdout and f"\n{url}" in done.stdout


def test_metadata_has_licence_topic_and_maturity(checkout: Path) -> None:
    done = call(checkout, "setup.py", "--name", "--license", "--classifiers")
    assert done.stdout.splitlines()[:2] == ["cable_sim", "Apache-2.0"], done.stderr
    for beginning in ("Development Status", "Topic", "Typing", "Programming Language"):
        assert f"\n{beginning} :: " in done.stdout
