"""Links to pages that are not of this folder, such as a paper's README: their files are handed out as they are."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = re.compile(r"(?<=\]\()(\.\./[^)#\s]+\.md)(?:#[^)\s]*)?(?=\))")


def handed_out(text: str, page: Path, root: Path) -> str:
    """The text of a page with such links as those to files; links to pages below the root stay."""

    def told(found: re.Match[str]) -> str:
        target = (page.parent / found[1]).resolve()
        return found[0] if target.is_relative_to(root) else f"path:{found[1]}"

    return PAGE.sub(told, text)


def process(app: "Sphinx", name: str, source: list[str]) -> None:
    """For ``source-read``."""
    source[0] = handed_out(source[0], Path(app.env.doc2path(name)), Path(app.srcdir))


def setup(app: "Sphinx") -> dict[str, object]:
    """Look at all pages."""
    app.connect("source-read", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
