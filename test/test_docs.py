"""The pages of the documentation: their Python runs, and commands of how-tos are typed.

Tutorials, which also need other terminals, are in test_tutorials.py, links in test_links.py.
How a page marks its blocks: docs_blocks.py.
"""

import re
from pathlib import Path

import pytest
from docs_blocks import ROOT, SHELL, Block, blocks_of
from docs_reader import follow

DOCS = ROOT / "docs"
FOUND = sorted(
    path for path in DOCS.rglob("*.md") if not path.relative_to(DOCS).parts[0].startswith("_")
)
PAGES = [*sorted(ROOT.glob("*.md")), *FOUND]
TUTORIALS, HOWTO = DOCS / "tutorials", DOCS / "howto"
COMMAND = re.compile(
    r" *(\$ )?(cable-sim|ros2|colcon|make|python3?|pip|git|cd|cp|mkdir|source|\.|scripts/\w+) "
)


def name_of(thing: Path | Block) -> str:
    """A page from the checkout, or a block by page and line."""
    return str(thing.relative_to(ROOT)) if isinstance(thing, Path) else str(thing)


def runs(block: Block) -> bool:
    """Whether something of it is to run where its page is followed; in tutorials it is, in
    test_tutorials.py."""
    return TUTORIALS not in block.page.parents and (
        block.language == "python" or (block.language in SHELL and HOWTO in block.page.parents)
    )


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(map(runs, blocks_of(page)))], ids=name_of
)
def test_the_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    missing = follow(page, tmp_path, shell=HOWTO in page.parents)
    if missing:
        pytest.skip("; ".join(missing))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if {TUTORIALS, HOWTO} & {*page.parents}], ids=name_of
)
def test_no_command_stands_where_it_is_not_typed(page: Path) -> None:
    for block in blocks_of(page):
        if block.language not in (*SHELL, "text") and not block.file:
            assert not any(map(COMMAND.match, block.lines)), (
                f"{block}: commands in a block that is none of {SHELL}"
            )


SKIPPED = [block for page in PAGES for block in blocks_of(page) if "skip" in block.marks]


@pytest.mark.parametrize("block", SKIPPED, ids=name_of)
def test_blocks_that_no_test_runs(block: Block) -> None:
    """Skips, so that pytest lists and counts them, each with its reason."""
    pytest.skip(f"{block}: {block.marks['skip']}")


def test_there_are_few_blocks_that_no_test_runs() -> None:
    """A workspace on a distribution is what a workflow makes (test_workflows.py); its container
    wants Docker. Seven are of the hardware component, which needs ros2_control."""
    assert len(SKIPPED) <= 25, [str(block) for block in SKIPPED]
