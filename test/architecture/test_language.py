"""The language guide of CONTRIBUTING.md: docstrings open with a verb or a noun, names are short."""

import pytest

from tools.language import CHECKS, FIRST, LONGEST, ROOT, find_offences, long_names, offences


@pytest.mark.parametrize("folder", CHECKS)
def test_no_docstring_and_no_test_name_breaks_the_guide(folder: str) -> None:
    assert any((ROOT / folder).rglob("*.py")) and find_offences(folder) == []


@pytest.mark.parametrize("word", FIRST)
def test_a_docstring_that_opens_with_a_clause_is_found(word: str) -> None:
    source = f'"""{word} it is."""\n\n\ndef f():\n    """{word} there is."""\n'
    assert [offence.line for offence in offences(source)] == [1, 4]


@pytest.mark.parametrize("summary", ["Return the length.", "Forces of a rope.", "Sound of it."])
def test_a_verb_or_a_noun_may_open_a_docstring(summary: str) -> None:
    assert list(offences(f'"""{summary}"""')) == []


@pytest.mark.parametrize("keyword", ["def", "async def"])
@pytest.mark.parametrize(("more", "long"), [(0, False), (1, True)])
def test_a_test_name_above_the_limit_is_found(keyword: str, more: int, long: bool) -> None:
    name = "test_".ljust(LONGEST + more, "x")
    source = f"class TestIt:\n    {keyword} {name}(self):\n        pass\n"
    assert [offence.text for offence in long_names(source)] == [name] * long


def test_a_long_name_of_a_helper_is_allowed() -> None:
    assert list(long_names(f"def {'x' * (LONGEST + 1)}():\n    pass\n")) == []
