"""Finding papers: of the source tree, installed, and those that are not there."""

import re
from pathlib import Path

import pytest
from messages import naming

from cable_sim.errors import CableSimError
from validation.harness.catalogue import load_study, paper_folders, paper_names

ROOT = Path(__file__).resolve().parents[2]


def test_the_papers_of_the_source_tree_are_found_first():
    assert paper_folders()[0] == ROOT / "papers"
    assert "servin_2007" in paper_names()


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in (ROOT / "papers").glob("*/study.py"))
)
def test_every_paper_has_a_study_and_says_what_it_is(folder):
    study = load_study(folder.name)
    assert study.name == folder.name and study.folder == folder and study.parts
    assert len({part.title for part in study.parts}) == len(study.parts)
    assert all(len(part.text) > 40 for part in study.parts)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert study.title in readme and f"cable-sim papers {folder.name}" in readme


def test_an_installed_paper_is_found(paper):
    paper()
    assert paper_names() == tuple(sorted(paper_names())) and "author_1900" in paper_names()
    assert load_study("author_1900").reference == "A. Author, On balls, 1900"
    assert load_study("author_1900") is load_study("author_1900")


def test_a_paper_in_another_folder_is_another_paper(paper, monkeypatch, tmp_path):
    paper()
    first = load_study("author_1900")
    (tmp_path / "prefix").rename(tmp_path / "moved")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "moved"))
    second = load_study("author_1900")
    assert first.folder != second.folder and second.folder.is_dir()


@pytest.mark.parametrize("name", ["nix", "", "..", "servin_2007/../servin_2007"])
def test_unknown_papers_are_told_the_known_ones(name):
    with pytest.raises(CableSimError, match=naming(f"paper {name!r} servin_2007")):
        load_study(name)


def test_a_file_without_study_is_told(paper, tmp_path):
    paper()
    file = tmp_path / "prefix/share/cable_sim/papers/author_1900/study.py"
    file.write_text("STUDY = 1\n")
    with pytest.raises(CableSimError, match=naming("study.py STUDY")):
        load_study("author_1900")


def test_papers_are_installed():
    """CMakeLists.txt puts them where paper_folders looks."""
    text = (ROOT / "CMakeLists.txt").read_text()
    (folders,) = re.findall(r"foreach\(folder (.*)\)", text)
    assert "papers" in folders.split() and "DESTINATION share/${PROJECT_NAME}" in text
