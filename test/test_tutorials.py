"""The tutorials from beginning to end, as a newcomer follows them: files saved, Python run,
commands typed.

How a page marks its blocks stands in docs_blocks.py.
"""

import re
from pathlib import Path

import pytest
from docs_blocks import ROOT
from docs_reader import follow

FOLDER = ROOT / "docs" / "tutorials"
TUTORIALS = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


SLOW = ("cluster_sweep",)
"""What takes long; all that these do has faster tests of its own."""


def marked(page: Path) -> object:
    """A page as a parameter."""
    return pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in SLOW else [])


@pytest.mark.parametrize("page", map(marked, TUTORIALS))
def test_the_tutorial(page: Path, tmp_path: Path) -> None:
    missing = follow(page, tmp_path)
    if missing:
        pytest.skip("all but " + "; ".join(missing))


def test_the_index_lists_all() -> None:
    listed = re.findall(r"\]\((\w+\.md)\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [page.name for page in TUTORIALS]
