"""The language guide of CONTRIBUTING.md: docstrings open with a verb or a noun, names are short."""

import pytest
from messages import naming

from tools.language import (
    CHECKS,
    FIRST,
    LONGEST,
    PINNED,
    ROOT,
    find_offences,
    long_names,
    offences,
    pinned_sentences,
)


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


def test_few_tests_look_for_a_sentence() -> None:
    """A message may be said better; its names and values stay: see ``messages.naming``."""
    found = find_offences("test", pinned_sentences)
    assert 0 < len(found) <= PINNED, "\n".join(found)


@pytest.mark.parametrize(
    ("look", "pins"),
    [
        ('"must be 0" in text', True),
        ('lines == ["it is", "x"]', True),
        ('f"{name} of it" in text', True),
        ('naming("hoist -1 0").search(text)', False),
        ('"hoist speed" in text', False),
        ('called("must be 0") == 3', False),
        ("raises(Error, match='is not known')", True),
    ],
)
def test_a_sentence_that_is_looked_for_is_found(look: str, pins: bool) -> None:
    source = f"def test_it():\n    assert {look}\n"
    assert [offence.text for offence in pinned_sentences(source)] == ["test_it"] * pins


@pytest.mark.parametrize(
    ("words", "text", "there"),
    [
        ("hoist -1", "-1 is no speed of hoist", True),
        ("hoist -1", "-1 is no speed", False),
        ("hoist -1", "hoist:\n-1", False),
        ("1", "0.1, 10, 1.5, a1", False),
        ("0 0", "0 is not above 0.0", False),
        ("0.* m", "0.25 m", True),
        ("'rope'", "rope", False),
        ("[2]", "a[2]: 3", True),
    ],
)
def test_names_and_values_are_looked_for_in_any_order(words: str, text: str, there: bool) -> None:
    assert bool(naming(words).search(text)) == there


@pytest.mark.parametrize("words", ["must be 0", "", "the hoist"])
def test_words_of_grammar_are_not_looked_for(words: str) -> None:
    with pytest.raises(AssertionError, match="name nothing"):
        naming(words)
