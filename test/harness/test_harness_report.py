"""Reports: one page that needs nothing else, or Markdown with its pictures; both say what was
found."""

import base64
import re

import pytest
from html_page import Page

from cable_sim import __version__
from cable_sim.rendering.drawing import picture_bytes
from validation.harness.catalogue import load_study
from validation.harness.report import write_html, write_markdown
from validation.harness.study import run_study


@pytest.fixture
def made(paper):
    """The study of the made-up paper and its outcomes."""
    paper()
    study = load_study("author_1900")
    return study, run_study(study)


def read(path):
    """The page of a file."""
    return Page(path.read_text(encoding="utf-8"))


def test_the_page_needs_nothing_else(made, tmp_path):
    path = write_html(tmp_path / "deep" / "folder", *made)
    assert path == tmp_path / "deep" / "folder" / "report.html" and list(path.parent.iterdir()) == [
        path
    ]
    page = read(path)
    (picture,) = page.sources
    assert picture.startswith("data:image/svg+xml;base64,")
    assert base64.b64decode(picture.partition(",")[2]).startswith(b"<?xml")
    raw = path.read_text(encoding="utf-8")
    assert not re.search(r"@import|url\(", raw) and '"Segoe UI", Roboto' in raw


def test_the_page_says_what_was_found(made, tmp_path):
    page = read(write_html(tmp_path, *made))
    for words in (
        "On <b>balls</b>",
        "A. Author, On balls, 1900",
        "3 of 3 quantities agree",
        "A ball falls.",
        "rest & falls",
        "4.9 m",
        "4.905 m",
        "4.9051 m",
        "+2.0e-05",
        "at most 1 mm",
        "x 0.25",
        "time of a step",
        "3 us",
        "seen from above",
        "A ball <falls>",
        f"cable_sim {__version__}",
    ):
        assert words in page.text, words
    assert "missed" not in page.text
    assert page.leads == ["#part-1", "#part-2", "#part-3"] and set(page.leads) == page.anchors


def test_what_misses_is_seen(paper, tmp_path):
    paper(4.95)
    study = load_study("author_1900")
    path = write_html(tmp_path, study, run_study(study))
    text = read(path).text
    assert "2 of 3 quantities agree" in text and 'class="missed">missed' in path.read_text()
    assert "4.9 m (!)" not in text  # 4.95 is half a unit away
    assert "+9.2e-03" in text


def test_markdown_has_its_pictures_beside_it(made, tmp_path):
    path = write_markdown(tmp_path, *made)
    text = path.read_text(encoding="utf-8")
    assert {one.name for one in tmp_path.iterdir() if one.is_file()} >= {"report.md", "drop.png"}
    assert (tmp_path / "drop.png").read_bytes().startswith(b"\x89PNG")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / target).is_file()
    rows = [line for line in text.splitlines() if line.startswith("| fall")]
    assert rows == ["| fall in 1 s | 4.9 m | 4.905 m | 4.9051 m | +2.0e-05 | 0.001 | ok |"]
    assert "| drift \\| way |" in text and "**3 of 3 quantities agree**" in text


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_picture_gives_the_same_bytes(made, kind):
    (picture,) = made[1][0].result.pictures
    assert picture_bytes(picture, kind) == picture_bytes(picture, kind)
