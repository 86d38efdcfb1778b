"""The pages of theory name what is there: every column, every file, every test, every misprint that
the code cites."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
THEORY = ROOT / "docs" / "theory"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(THEORY.glob("*.md"))}
LISTS = {"index", "misprints", "bibliography"}
"""Pages without a theory of their own."""
ROOMS = sorted(path.parent.name for path in ROOT.glob("cable_sim/kernels/cables/*/__init__.py"))
NO_COLUMNS = {
    "spec": {"__init__", "files", "quantities", "scene", "urdf_load", "visuals", "yaml_document"},
    "spec/cables": {"__init__"},
    "spec/motions": {"__init__", "motion_files", "tables", "units"},
    "spec/shapes": {"__init__"},
    "kernels": {
        *(
            "__init__",
            "compiler",
            "driving",
            "jit",
            "lowering",
            "observe",
            "pins",
            "ropes",
            "spans",
            "status",
        ),
        *("identity", "wire_rows", "wires", "worlds"),
    },
    "kernels/multibody": {"__init__", "entries", "vec3"},
    "kernels/devices": {"__init__"},
    **{f"kernels/cables/{room}": {"__init__"} for room in ROOMS},
}
"""Modules that hold no physics of their own: words for files and drawing, arithmetic, and what
unpacks containers or runs steps."""


def linked(page: str) -> list[str]:
    """Relative links of a page, pictures included, without their anchors."""
    return [
        target for target in re.findall(r"\]\(([^)#]+)[)#]", PAGES[page]) if "://" not in target
    ]


def quoted(page: str) -> list[str]:
    """Paths of Python files in backticks, of the package or from the root of the tree."""
    return re.findall(r"`([\w/]+/\w+\.py)`", PAGES[page])


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    assert not [target for target in linked(page) if not (THEORY / target).exists()]
    assert not [
        path
        for path in quoted(page)
        if not ((ROOT / "cable_sim" / path).exists() or (ROOT / path).exists())
    ]


@pytest.mark.parametrize("folder", NO_COLUMNS)
def test_every_column_has_its_theory(folder: str) -> None:
    """A new file of spec/ or kernels/ is named on a page beside the overview, or is said to be no
    physics above."""
    theories = sorted(PAGES.keys() - LISTS)
    named = {path for page in theories for path in quoted(page)}
    named |= {
        target.removeprefix("../../cable_sim/") for page in theories for target in linked(page)
    }
    modules = {path.stem for path in (ROOT / "cable_sim" / folder).glob("*.py")}
    assert {name for name in modules if f"{folder}/{name}.py" not in named} == NO_COLUMNS[folder]


@pytest.mark.parametrize("page", sorted(PAGES.keys() - LISTS))
def test_a_page_has_symbols_checks_and_references(page: str) -> None:
    titles = re.findall(r"^## (.+)$", PAGES[page], re.MULTILINE)
    assert titles[0] == "Symbols"
    assert "What checks it" in titles
    assert titles[-1].startswith("References")
    assert any("/test/" in target for target in linked(page)), "no test is linked"


def test_the_overview_leads_to_every_page() -> None:
    listed = re.findall(
        r"^(\w+)$", PAGES["index"].split("```{toctree}")[1].split("```")[0], re.MULTILINE
    )
    assert sorted(listed) == sorted(PAGES.keys() - {"index"})


def test_misprints_that_are_cited_are_listed() -> None:
    """``misprint 17`` or ``misprints 17 and 19 to 25`` of a docstring or page; a source says where
    they are listed."""
    rows = [int(number) for number in re.findall(r"^\| (\d+) \|", PAGES["misprints"], re.MULTILINE)]
    assert rows == list(range(1, 47))
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "cable_sim").rglob("*.py")]
    pattern = re.compile(r"\b[Mm]isprints? (\d[\d, toand]*)")
    assert all("docs/theory/misprints.md" in source for source in sources if pattern.search(source))
    cited = pattern.findall("\n".join([*sources, *PAGES.values()]))
    assert len(cited) > 20
    assert {int(number) for text in cited for number in re.findall(r"\d+", text)} <= set(rows)
