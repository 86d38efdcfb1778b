"""Links that leave this folder: a page elsewhere, such as a paper's README, is handed out as a
file; of a folder the name is left.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]+)((?:#[^)\s]*)?)\)")


def handed_out(text: str, page: Path, root: Path) -> str:
    """The text of a page with such links; those to pages below the root stay as they are."""

    def told(found: re.Match[str]) -> str:
        words, place, _ = found.groups()
        target = (page.parent / place).resolve()
        if target.is_relative_to(root):
            return found[0]
        return (
            words
            if target.is_dir()
            else f"[{words}](path:{place})"
            if target.suffix == ".md"
            else found[0]
        )

    return LINK.sub(told, text)


def process(app: "Sphinx", name: str, source: list[str]) -> None:
    """For ``source-read``."""
    source[0] = handed_out(source[0], Path(app.env.doc2path(name)), Path(app.srcdir))


def setup(app: "Sphinx") -> dict[str, object]:
    """Look at all pages."""
    app.connect("source-read", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
