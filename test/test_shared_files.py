"""Packages beside ``cable_sim``: found in the checkout, and where the package is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from messages import naming

from cable_sim.cli.beside import package_beside
from cable_sim.errors import CableSimError
from cable_sim.shared_files import import_folder

ROOT = Path(__file__).resolve().parents[1]
NAME = "cable_sim_tried_folder"
SCENARIOS = 13
"""Acceptance scenarios."""


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a module that says where it is; forget it in the end."""

    def make(place: str, *files: str) -> Path:
        made = tmp_path / place
        made.mkdir()
        for file in files:
            (made / file).write_text(f"PLACE = {place!r}\n")
        return made

    yield make
    for word in [word for word in sys.modules if word.partition(".")[0] == NAME]:
        del sys.modules[word]


@pytest.mark.parametrize("files", [("own.py",), ("own.py", "__init__.py")])
def test_a_folder_is_imported_once(folder, files):
    made = folder("here", *files)
    package = import_folder(made, NAME)
    assert list(package.__path__) == [str(made)]
    assert getattr(package, "PLACE", None) == ("here" if "__init__.py" in files else None)
    assert import_folder(made, NAME) is package is sys.modules[NAME]


def test_another_folder_of_a_name_takes_its_place(folder):
    import_folder(folder("here", "own.py"), NAME)
    __import__(f"{NAME}.own")
    import_folder(folder("there", "own.py"), NAME)
    assert f"{NAME}.own" not in sys.modules
    __import__(f"{NAME}.own")
    assert sys.modules[f"{NAME}.own"].PLACE == "there"


def test_a_package_that_is_missing_is_named():
    with pytest.raises(CableSimError, match=naming("folder 'nix' missing")):
        package_beside("nix")


def test_an_installed_package_has_its_uses(tmp_path):
    """Without a checkout they come from the prefix, papers included."""
    ignored = shutil.ignore_patterns("__pycache__")
    share = tmp_path / "share" / "cable_sim"
    shutil.copytree(ROOT / "cable_sim", tmp_path / "lib" / "cable_sim", ignore=ignored)
    for name in ("validation", "papers", "config"):
        shutil.copytree(ROOT / name, share / name, ignore=ignored)
    code = (
        "import cable_sim.cli.app\n"
        "from cable_sim.cli.beside import package_beside\n"
        "package = package_beside('validation')\n"
        "print(package('gallery.exhibits').__file__)\n"
        "print(len(package('gallery.exhibits').exhibits(['papers', 'acceptance'])))\n"
        "print(package('harness.catalogue').load_study('servin_2007').folder)\n"
        "print(package('acceptance.catalogue').load_scenario('1').title)\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "lib"),
        "AMENT_PREFIX_PATH": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120.0,
    )
    papers = len(list((ROOT / "papers").glob("*/study.py")))
    assert papers >= 14
    assert done.stdout.splitlines() == [
        str(share / "validation" / "gallery" / "exhibits.py"),
        str(papers + SCENARIOS),
        str(share / "papers" / "servin_2007"),
        "Scenario 1: trolley move with shapers and with feedback",
    ], done.stderr
