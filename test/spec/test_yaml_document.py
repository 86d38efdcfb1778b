"""YAML that is right as such, but hostile: it ends in a sentence with its place, soon, and runs
nothing."""

import sys
import tracemalloc

import pytest
from messages import naming

from cable_sim.cranes.families.kit.crane_file import KitCrane
from cable_sim.errors import ConfigError
from cable_sim.spec.files import MOST_MISTAKES, parse_spec
from cable_sim.spec.yaml_document import DEEPEST, MOST_REPEATED, parse_document


def bomb(levels: int) -> str:
    """Lists of ten, each of the list before."""
    ten = ", ".join(["x"] * 10)
    text = f"a0: &a0 [{ten}]\n"
    for level in range(1, levels):
        text += f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n"
    return text


def nested(levels: int) -> str:
    return "a: " + "[" * levels + "]" * levels


HOSTILE = {
    "aliases of aliases": (bomb(10), 4, "*a2 10108 10000"),
    "alias in its own list": ("a: &a [1, *a]", 1, "*a inside"),
    "alias in its own key": ("b: 1\na: &a {? *a : 1}", 2, "*a inside"),
    "alias of nothing": ("a: *b", 1, "alias 'b'"),
    "many lists in one another": (nested(5000), 1, "nested 50"),
    "one list too many": (nested(DEEPEST), 1, "nested 50"),
    "many mappings": ("\n".join(f"{' ' * i}a:" for i in range(3000)), 50, "nested 50"),
    "deep key": (f"? {'[' * 100}{']' * 100}\n: 3", 1, "nested 50"),
    "code": ("a: 1\nb: !!python/name:os.system", 2, "b tag !!python/name:os.system"),
    "call": ('!!python/object/apply:os._exit ["3"]', 1, "*os._exit"),
    "set": ("a: !!set {b, c}", 1, "a: tag !!set"),
    "bytes": ("a: !!binary aGVsbG8=", 1, "a: tag !!binary"),
    "list as number": ("a: !!int [1]", 1, "a: tag !!int"),
    "text as number": ("a: {b: !!int q}", 1, "a.b 'q' int"),
    "no number": ("a:\n  - !!float ''", 2, "a[0] '' float"),
    "no truth": ("a: !!bool maybe", 1, "a: 'maybe' bool"),
    "long number": ("a: " + "9" * 10_000, 1, "tag int"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_is_a_problem_with_its_place(kind: str) -> None:
    text, line, told = HOSTILE[kind]
    problems = parse_document(text, "a.yaml").problems
    assert len(problems) == 1
    assert problems[0].line == line
    assert problems[0].column > (0 if kind == "call" else 1)
    assert naming(told).search(str(problems[0]))


def test_a_bomb_is_found_without_being_blown_up() -> None:
    """The sixth level would take minutes and hundreds of megabytes."""
    tracemalloc.start()
    assert parse_document(bomb(20)).problems
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e7


def test_aliases_within_bounds_are_what_they_stand_for() -> None:
    document = parse_document("a: &a {b: [1, 2]}\nc: *a\nd: [*a, *a]\n")
    assert document.problems == []
    assert document.data["d"] == [document.data["c"]] * 2 == [{"b": [1, 2]}] * 2
    assert parse_document(f"a: &a x\nb: [{'*a, ' * MOST_REPEATED}]").problems == []
    assert parse_document(f"a: &a x\nb: [{'*a, ' * (MOST_REPEATED + 1)}]").problems != []


def test_depth_within_bounds_is_read() -> None:
    assert parse_document(nested(DEEPEST - 2)).problems == []
    assert DEEPEST < sys.getrecursionlimit() / 10


@pytest.mark.parametrize(
    "text", ["2026-11-23", "2020-13-45", "2020-02-31 10:00:00", "!!timestamp q", "<<", "="]
)
def test_dates_are_text(text: str) -> None:
    """YAML 1.2 has no dates, and ruamel's raise ValueError where there is no such day."""
    document = parse_document(f"a: {text}\n")
    assert document.problems == []
    assert document.data == {"a": text.removeprefix("!!timestamp ")}


def test_a_date_for_a_mapping_is_told_as_such() -> None:
    with pytest.raises(ConfigError, match=naming("c.yaml:1:8 crane mapping")):
        parse_spec("crane: 2020-13-45", KitCrane, "c.yaml")


@pytest.mark.parametrize("text", ["null", "~", "# nothing\n--- !!null x", "", "# nothing"])
def test_a_file_of_nothing_is_empty(text: str) -> None:
    with pytest.raises(ConfigError, match=naming("c.yaml:*:* empty")):
        parse_spec(text, KitCrane, "c.yaml")


def test_of_thousands_of_mistakes_the_first_are_told() -> None:
    text = "".join(f"field_{i}: {i}\n" for i in range(5000))
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, KitCrane, "c.yaml")
    problems = caught.value.problems
    assert len(problems) <= MOST_MISTAKES + 1
    assert any(naming("mistakes shown").search(problem.problem) for problem in problems)
