"""The tutorials from beginning to end, as a newcomer follows them: files saved, Python run, commands typed.

How a page marks its blocks stands in docs_blocks.py. Python and commands that stand in other blocks would not run here.
"""

import re
from pathlib import Path

import pytest
from docs_blocks import ROOT, SHELL, blocks_of
from docs_reader import follow

FOLDER = ROOT / "docs" / "tutorials"
TUTORIALS = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
COMMAND = re.compile(r"(\$ )?(cable-sim|ros2|colcon|make|python3?|pip|git|cd|cp|mkdir|source|\.|scripts/\w+) ")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_tutorial(page: Path, tmp_path: Path) -> None:
    missing = follow(page, tmp_path)
    if missing:
        pytest.skip("all but " + "; ".join(missing))


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_no_command_stands_where_it_is_not_typed(page: Path) -> None:
    for block in blocks_of(page):
        if block.language not in (*SHELL, "text") and not block.file:
            assert not any(COMMAND.match(line) for line in block.lines), f"{block}: commands, but neither of {SHELL}"


def test_the_index_lists_all() -> None:
    listed = re.findall(r"\]\((\w+\.md)\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [page.name for page in TUTORIALS]
