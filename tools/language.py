"""Check docstrings against the language guide of CONTRIBUTING.md: ``python -m tools.language``.

Prints file, line and summary of each docstring that opens with a word that hides its noun.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FIRST = ("What", "How", "Whether", "Where", "That", "Of", "If", "When", "Who", "So", "For", "Which")
"""First words that put a clause or a genitive before the noun."""
FOLDERS = ("cable_sim", "validation")
"""Folders whose sources are checked."""
OPENS = re.compile(rf"(?:{'|'.join(FIRST)})\b")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Offence(NamedTuple):
    """Docstring that breaks the guide: its line and summary."""

    line: int
    summary: str


def offences(source: str) -> Iterator[Offence]:
    """Yield the docstrings of a module's source that open with one of the ``FIRST`` words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented):
            text = (ast.get_docstring(node) or "").strip()
            if OPENS.match(text):
                yield Offence(getattr(node, "lineno", 1), text.splitlines()[0])


def main() -> int:
    """Print all offences in these folders; return 1 if there is one."""
    found = [
        f"{path.relative_to(ROOT)}:{offence.line}: {offence.summary}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for offence in offences(path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found) or "no docstring breaks the language guide")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
