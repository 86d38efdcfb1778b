"""The gallery in the documentation, made or not: Sphinx takes a tree of pages that are not there
for a mistake."""

from typing import Any

INDEX = "gallery/index"
TREE = "```{toctree}"
NOTE = "They are not made yet in this build of the documentation."


def without_tree(source: str, found: set[str]) -> str:
    """The gallery's first page as it is; without its tree of pages, when none of them is among the
    ``found``."""
    made = any(name.startswith("gallery/") and name != INDEX for name in found)
    return source if made else source.partition(TREE)[0] + NOTE + "\n"


def read(app: Any, name: str, source: list[str]) -> None:
    """Look at a page before Sphinx does."""
    if name == INDEX:
        source[0] = without_tree(source[0], set(app.env.found_docs))


def outdated(
    app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """The first page is to be read again when others have come or gone."""
    return [INDEX] if any(name.startswith("gallery/") for name in added | removed) else []


def setup(app: Any) -> dict[str, bool]:
    """Enter it into Sphinx."""
    app.connect("source-read", read)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
