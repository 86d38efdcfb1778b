"""Check the language guide of CONTRIBUTING.md: ``python -m tools.language``.

Prints file, line and summary of each docstring of the package that opens with a word that hides its
noun, and file, line and name of each test whose name is too long.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FIRST = ("What", "How", "Whether", "Where", "That", "Of", "If", "When", "Who", "So", "For", "Which")
"""First words that put a clause or a genitive before the noun."""
OPENS = re.compile(rf"(?:{'|'.join(FIRST)})\b")
LONGEST = 60
"""Longest name of a test [characters], with ``test_``."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


class Offence(NamedTuple):
    """Docstring or test that breaks the guide: its line, and its summary or name."""

    line: int
    text: str


Check = Callable[[str], Iterator[Offence]]


def offences(source: str) -> Iterator[Offence]:
    """Yield the docstrings of a module's source that open with one of the ``FIRST`` words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented):
            text = (ast.get_docstring(node) or "").strip()
            if OPENS.match(text):
                yield Offence(getattr(node, "lineno", 1), text.splitlines()[0])


def long_names(source: str) -> Iterator[Offence]:
    """Yield the tests of a module's source with names of more than ``LONGEST`` characters."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function) and node.name.startswith("test_"):
            if len(node.name) > LONGEST:
                yield Offence(node.lineno, node.name)


CHECKS: dict[str, Check] = {"cable_sim": offences, "validation": offences, "test": long_names}
"""Check of each folder's modules."""


def find_offences(folder: str) -> list[str]:
    """Return file, line and text of each offence in a folder of ``CHECKS``."""
    return [
        f"{path.relative_to(ROOT)}:{offence.line}: {offence.text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for offence in CHECKS[folder](path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Print all offences in the folders of ``CHECKS``; return 1 if there is one."""
    lines = [line for folder in CHECKS for line in find_offences(folder)]
    print("\n".join(lines) or "no docstring and no test's name breaks the language guide")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
