"""The language guide of CONTRIBUTING.md: docstrings open with a verb or a noun."""

from pathlib import Path

import pytest

from tools.language import FIRST, FOLDERS, offences

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def test_no_docstring_opens_with_a_clause() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{offence.line}: {offence.summary}"
        for path in SOURCES
        for offence in offences(path.read_text(encoding="utf-8"))
    ]
    assert SOURCES and found == []


@pytest.mark.parametrize("word", FIRST)
def test_a_docstring_that_opens_with_a_clause_is_found(word: str) -> None:
    source = f'"""{word} it is."""\n\n\ndef f():\n    """{word} there is."""\n'
    assert [offence.line for offence in offences(source)] == [1, 4]


@pytest.mark.parametrize("summary", ["Return the length.", "Forces of a rope.", "Sound of it."])
def test_a_verb_or_a_noun_may_open_a_docstring(summary: str) -> None:
    assert list(offences(f'"""{summary}"""')) == []
