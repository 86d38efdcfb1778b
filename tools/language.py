"""Check the language guide of CONTRIBUTING.md: ``python -m tools.language``.

Prints file, line and summary of each docstring of the package that opens with a word that hides its
noun, and file, line and name of each test whose name is too long. Of the tests that look for a
sentence it knows how many there may be.
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
GRAMMAR = frozenset(
    "a an and are as at be but by can can't does for from had has have is isn't it its may must "
    "nor not of on or so than that the their them there these they this to too was were which with "
    "would".split()
)
"""Words that make a sentence and name nothing."""
_ONE = "|".join(sorted(GRAMMAR))
SENTENCE = re.compile(rf"(?<![\w'.])(?:(?:{_ONE}) [a-z]|[a-z']+ (?:{_ONE})(?![\w']))")
"""Two words in a row, one of them of grammar."""
PINNED = 60
"""Most tests that may look for a sentence: titles of findings, rows of pages, output of scripts."""
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


def pinned_sentences(source: str) -> Iterator[Offence]:
    """Yield the tests of a module's source that compare with, or match, the words of a sentence."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function) and node.name.startswith("test_"):
            if any(SENTENCE.search(text) for text in _looked_for(node)):
                yield Offence(node.lineno, node.name)


def _looked_for(function: Function) -> Iterator[str]:
    """Yield the texts that a function compares with, alone or in a list, or passes as a match."""
    sides: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides += [node.left, *node.comparators]
        elif isinstance(node, ast.Call):
            sides += [word.value for word in node.keywords if word.arg == "match"]
    for side in sides:
        for item in getattr(side, "elts", [side]):
            for part in getattr(item, "values", [item]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


CHECKS: dict[str, Check] = {
    "cable_sim": offences,
    "cable_sim_studies": offences,
    "validation": offences,
    "test": long_names,
}
"""Check of each folder's modules."""


def find_offences(folder: str, check: Check | None = None) -> list[str]:
    """Return file, line and text of each offence in a folder, by the check of ``CHECKS``."""
    check = check or CHECKS[folder]
    return [
        f"{path.relative_to(ROOT)}:{offence.line}: {offence.text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for offence in check(path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Print all offences in the folders of ``CHECKS``; return 1 if there is one."""
    lines = [line for folder in CHECKS for line in find_offences(folder)]
    print("\n".join(lines) or "no docstring and no test's name breaks the language guide")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
